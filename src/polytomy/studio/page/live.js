// The state of the studio on the page: applied after every change, and kept equal in all tabs.

listeners.state = []; // called after another state has been applied

const HEARTBEAT = 3000; // milliseconds

/**
 * What the page knows beyond the state: the view of the tree, the last price, whether a change is under way, and what
 * gives inquiries up that a change makes stale.
 */
const live = { view: null, done: null, busy: false, inquiries: new AbortController() };

/** A name of each node that outlives other edits: the answers on its path. */
function nodeKeys() {
  const keys = [""];
  for (let node = 1; node < nodes.length; node += 1) keys.push(`${keys[nodes[node].parent]}\u0000${nodes[node].answer}`);
  return keys;
}

const REPLACING = ["grow", "open"]; // changes after which there is another tree

/** The answers below the root, as one text; a tree with others is another tree. */
function rootAnswers() {
  return (nodes[0].children ?? []).map((child) => nodes[child].answer).join("\u0000");
}

/**
 * Shows another state. Nodes are recognized by the answers on their path.
 * @param {Object} state
 * @param {boolean} isReplaced the tree is another one, so that it is shown as at first
 */
function applyState(state, isReplaced = false) {
  const before = nodeKeys();
  const answers = rootAnswers();
  const { view } = live;
  const wasFitted = view && view.drawing.zoom <= 1.001 * fitZoom(view.drawing);
  const hadFocus = view && view.drawing.area.contains(document.activeElement);
  const old = { selected: before[chosen.selected], focus: before[view?.drawing.focus ?? 0], opened: [...chosen.opened].map(([node, open]) => [before[node], open]) };
  replaceFacts(state);
  const places = new Map(nodeKeys().map((key, node) => [key, node]));
  const nearest = (key) => {
    let here = key ?? "";
    while (!places.has(here)) here = here.slice(0, here.lastIndexOf("\u0000"));
    return places.get(here);
  };
  chosen.opened = new Map(old.opened.filter(([key]) => places.has(key)).map(([key, open]) => [places.get(key), open]));
  chosen.selected = nearest(old.selected);
  chosen.path.clear();
  chosen.found.clear();
  live.done = state.done ?? null;
  if (live.done) {
    chosen.selected = live.done.node;
    chosen.opened.set(live.done.node, true);
  }
  if (isReplaced || (!live.done && rootAnswers() !== answers)) {
    chosen.opened.clear();
    chosen.selected = 0;
    if (view) showNewTree(view, hadFocus);
    if (view && isReplaced && NARROW) view.drawing.area.scrollIntoView({ block: "center" }); // the button is below the tree
  } else if (view) {
    redrawTree(view, nearest(old.focus), hadFocus, wasFitted);
  }
  notify("state");
}

/** Replaces the facts in place: the scripts of the report hold references to them. */
function replaceFacts(state) {
  nodes.splice(0, nodes.length, ...state.nodes);
  Object.assign(path, state.path);
  if (facts.numbers) Object.assign(facts.numbers, state.numbers);
  Object.assign(facts, state, { nodes, path, numbers: facts.numbers });
  longest = null;
  splitNames.clear();
  nameColumns();
}

/** Draws the tree anew. */
function drawAgain(view, focus) {
  const { drawing } = view;
  for (const { group } of drawing.drawn.values()) group.remove();
  drawing.drawn.clear();
  Object.assign(drawing, { focus, top: 0 });
  view.back.hidden = true;
  notify("tree");
}

/** Draws another tree, which takes up the area, regardless of what was in view. */
function showNewTree(view, hadFocus) {
  drawAgain(view, 0);
  firstView(view);
  notify("view");
  if (hadFocus) focusNode(view, 0);
}

/** Draws the tree after an edit, and keeps the edited node in sight. A tree that was in view stays so, if it can be read. */
function redrawTree(view, focus, hadFocus, wasFitted) {
  const { drawing } = view;
  drawAgain(view, focus);
  if (fitZoom(drawing) >= READABLE) fit(view);
  else if (wasFitted) zoomTo(view, READABLE);
  showNode(view, chosen.selected);
  if (hadFocus) focusNode(view, drawing.plan.places.has(chosen.selected) ? chosen.selected : drawing.focus);
}

/**
 * Asks the server for a change of the tree, and shows the result.
 * @param {string} name of the function
 * @param {Object} given what it is called with, without the version
 * @returns {Promise<boolean>} whether the change was made
 */
async function change(name, given = {}) {
  if (live.busy) return false;
  setBusy(true);
  giveUpInquiries();
  try {
    const state = await call(name, { version: facts.version, ...given });
    giveUpInquiries();
    applyState(state, REPLACING.includes(name));
    hideNotice();
    return true;
  } catch (error) {
    setBusy(false);
    await explain(error);
    return false;
  } finally {
    setBusy(false);
  }
}

function giveUpInquiries() {
  live.inquiries.abort();
  live.inquiries = new AbortController();
}

/** Asks for facts about the tree; null if the answer came too late, or there is none. */
async function inquire(name, given) {
  const { version } = facts;
  try {
    const answer = await call(name, { version, ...given }, live.inquiries.signal);
    return version === facts.version ? answer : null;
  } catch (error) {
    await explain(error);
    return null;
  }
}

function setBusy(busy) {
  live.busy = busy;
  document.body.classList.toggle("busy", busy);
  document.getElementById("main").setAttribute("aria-busy", String(busy));
}

/** Says why a request failed. A stale page shows the new state first. */
async function explain(error) {
  if (error instanceof GivenUp || (error.isStale && live.busy)) return; // a change of this tab is on its way
  if (!(error instanceof Refusal || error instanceof ConnectionLost)) throw error;
  if (error.isStale) await refresh();
  if (error instanceof ConnectionLost || error.status === 403) showLost(error);
  else showNotice(error.message);
}

/** Shows the state of the server, if it is another one than that of the page. */
async function refresh() {
  try {
    const state = await call("state", { version: facts.version, asked: facts.held_out.asked });
    hideLost();
    const isKnown = state.version === facts.version && state.held_out?.asked === facts.held_out.asked; // made known by an answer meanwhile
    if (!state.nodes || live.busy || isKnown) return false;
    applyState(state);
    return true;
  } catch (error) {
    if (error instanceof ConnectionLost || error.status === 403) showLost(error);
    return false;
  }
}

/** Follows changes that other tabs make, and notices if the server stops. */
function startHeartbeat() {
  const beat = async () => {
    if (document.visibilityState === "visible" && !live.busy && await refresh()) showNotice("The tree was changed in another tab.", "info");
  };
  setInterval(beat, HEARTBEAT);
  addEventListener("focus", beat);
  document.addEventListener("visibilitychange", beat);
}
