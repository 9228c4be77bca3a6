// The reader's choices, and listeners that follow them.

/** Events: "tree" (another size), "open" (expanded nodes), "select", "path" (of a row), "found" (by a search), "view" (tree or icicle). */
const listeners = { tree: [], open: [], select: [], path: [], found: [], view: [] };

const chosen = {
  selected: 0, // the node whose details are shown; may be merged into another
  opened: new Map(), // nodes that the reader expanded (true) or collapsed (false)
  path: new Set(), // drawn nodes on the path of the row that was entered
  found: new Set(), // drawn nodes that a search found
  steps: null, // growth steps shown; null if a size of the pruning path is shown
};

function on(event, listener) {
  listeners[event].push(listener);
}

const delayed = new Set();

/** Calls a listener once another tree has been drawn; quick steps of a slider result in one call. */
function onTreeDrawn(listener) {
  on("tree", () => {
    if (delayed.size === 0) requestAnimationFrame(callDelayed);
    delayed.add(listener);
  });
}

function callDelayed() {
  const listenersNow = [...delayed];
  delayed.clear();
  for (const listener of listenersNow) listener();
}

function notify(event) {
  for (const listener of listeners[event]) listener();
}

/** Shows the tree of the size at a position of the pruning path. */
function showSize(place) {
  chosen.steps = null;
  cutToSize(place);
  treeChanged();
}

/** Shows the tree as it was after n growth steps. */
function showSteps(order, n) {
  chosen.steps = n;
  cutToSteps(order, n);
  treeChanged();
}

function treeChanged() {
  if (!isInTree(chosen.selected)) chosen.selected = nearestInTree(chosen.selected);
  notify("tree");
}

/** Whether a node belongs to the current tree: none of its ancestors is a leaf. */
function isInTree(node) {
  for (let here = nodes[node].parent; here >= 0; here = nodes[here].parent) if (cut[here]) return false;
  return true;
}

/** The leaf of the current tree that contains a node. */
function nearestInTree(node) {
  let best = node;
  for (let here = nodes[node].parent; here >= 0; here = nodes[here].parent) if (cut[here]) best = here;
  return best;
}

function select(node) {
  chosen.selected = node;
  notify("select");
}

/** Expands or collapses a node. */
function setOpen(node, open) {
  chosen.opened.set(node, open);
  notify("open");
}

/** Expands all ancestors of some nodes. */
function reveal(wanted) {
  const closed = wanted.flatMap((node) => pathTo(node).slice(0, -1)).filter((node) => chosen.opened.get(node) !== true);
  for (const node of closed) chosen.opened.set(node, true);
  if (closed.length > 0) notify("open");
}
