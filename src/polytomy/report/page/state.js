// What the reader has chosen, and who must hear of it.

/** Events: "tree" (another size), "open" (branches), "select", "path" (a row's way), "found". */
const listeners = { tree: [], open: [], select: [], path: [], found: [] };

const chosen = {
  selected: 0, // the node whose details are shown; may be a merged part
  opened: new Map(), // what the reader opened (true) or closed (false)
  path: new Set(), // shown nodes on the way of the row that is followed
  found: new Set(), // shown nodes that a search found
  steps: null, // growth steps shown, or null where a size of the path is
};

function on(event, listener) {
  listeners[event].push(listener);
}

const tardy = new Set();

/** Hears of another tree once the drawing is done: many steps of a slider may be one for it. */
function onSoon(listener) {
  on("tree", () => {
    if (tardy.size === 0) requestAnimationFrame(catchUp);
    tardy.add(listener);
  });
}

function catchUp() {
  const waiting = [...tardy];
  tardy.clear();
  for (const listener of waiting) listener();
}

function tell(event) {
  for (const listener of listeners[event]) listener();
}

/** Shows the best tree of the size at a place along the path. */
function showSize(place) {
  chosen.steps = null;
  cutToSize(place);
  treeChanged();
}

/** Shows the tree as it was after some growth steps. */
function showSteps(order, n) {
  chosen.steps = n;
  cutToSteps(order, n);
  treeChanged();
}

function treeChanged() {
  if (!isShownNode(chosen.selected)) chosen.selected = nearestShown(chosen.selected);
  tell("tree");
}

/** Whether no leaf of the shown tree lies above a node. */
function isShownNode(node) {
  for (let here = nodes[node].parent; here >= 0; here = nodes[here].parent) if (cut[here]) return false;
  return true;
}

/** The topmost leaf of the shown tree above a node. */
function nearestShown(node) {
  let best = node;
  for (let here = nodes[node].parent; here >= 0; here = nodes[here].parent) if (cut[here]) best = here;
  return best;
}

function select(node) {
  chosen.selected = node;
  tell("select");
}

/** Opens or closes a shown node. */
function setOpen(node, open) {
  chosen.opened.set(node, open);
  tell("open");
}

/** Opens everything above some nodes. */
function reveal(wanted) {
  const closed = wanted.flatMap((node) => wayTo(node).slice(0, -1)).filter((node) => chosen.opened.get(node) !== true);
  for (const node of closed) chosen.opened.set(node, true);
  if (closed.length > 0) tell("open");
}
