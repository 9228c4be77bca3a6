// Predicting a row: a field for each column the tree splits on, the prediction, and the path of the row.

/** Makes the panel beside the tree in which a row is followed; `view` returns the view of the tree once it is drawn. */
function makeRowSection(view) {
  const columns = splitColumns();
  const outcome = h("div", { role: "status", id: "row-outcome" });
  const fields = columns.map((j) => cellField(j));
  const update = () => predictTyped(fields, outcome, view());
  const clearAll = () => {
    for (const { write } of fields) write(null);
    update();
  };
  onTreeDrawn(() => {
    hideUnused(fields);
    if (fields.some(({ read }) => !read().missing)) update();
  });
  hideUnused(fields);
  put(outcome, emptyOutcome());
  const intro = "Enter the cells of a row to follow its path in the tree; other branches are collapsed meanwhile. An empty field is a missing value.";
  return h("div", { class: "panel", id: "row", tabindex: 0, role: "region", "aria-label": "Follow a row" },
    h("h3", null, "Follow a row"),
    h("p", { class: "note" }, columns.length === 0 ? "This tree has a single leaf: every row gets the same prediction." : intro),
    columns.length === 0 ? null : [
      cellForm(fields.map(({ element }) => element), update),
      h("p", { class: "after-cells" }, h("button", { type: "button", onclick: clearAll }, "Clear all fields")),
      outcome]);
}

/** The columns of the splits, in the order in which they occur from the root. */
function splitColumns() {
  const columns = new Set();
  for (const node of nodes) if (node.children && node.column >= 0) columns.add(node.column);
  return [...columns];
}

function hideUnused(fields) {
  const used = new Set(drawnInner().map((node) => nodes[node].column));
  for (const { column, element } of fields) element.hidden = !used.has(column);
}

/**
 * Routes a row through the current tree.
 * @param {Map<number, Object>} row cells by column; absent ones are missing
 * @returns {{path: number[], leaf: number, stopped: ?number}} path: the drawn nodes, root first;
 *   stopped: the node with a user-defined split, which the page cannot evaluate, or null
 */
function route(row) {
  const path = [0];
  let here = 0;
  while (isInner(here)) {
    if (nodes[here].own) return { path, leaf: here, stopped: here };
    here = nodes[here].children[branchOf(nodes[here], row.get(nodes[here].column))];
    if (!isMerged(here)) path.push(here);
  }
  return { path, leaf: here, stopped: null };
}

/** The branch of a node that a cell takes. */
function branchOf(node, cell) {
  if (!cell || cell.missing) return node.missing < 0 ? node.default : node.missing;
  if (node.categories) {
    const branch = cell.unseen ? -1 : node.categories.findIndex((codes) => codes.includes(cell.value));
    return branch < 0 ? node.default : branch;
  }
  const branch = node.thresholds.findIndex((threshold) => cell.value <= thresholdNumber(threshold));
  return branch < 0 ? node.thresholds.length : branch;
}

/** Reads the fields, and shows the prediction and the path of the row. */
function predictTyped(fields, outcome, view) {
  const row = new Map(fields.map(({ column, read }) => [column, read()]));
  const wrong = [...row].filter(([, cell]) => cell.wrong).map(([j, cell]) => `${facts.columns[j].name}: ${cell.wrong}.`);
  const isEmpty = [...row.values()].every((cell) => cell.missing);
  if (isEmpty || wrong.length > 0) return showNoPath(outcome, wrong, view);
  const routed = route(row);
  followPath(routed.path, view);
  outcome.dataset.leaf = routed.stopped === null ? routed.leaf : "";
  outcome.dataset.predicted = facts.classes?.[nodes[routed.leaf].label] ?? "";
  return put(outcome, predictionOf(routed), stepsOf(routed, row));
}

/** Expands and shows the path of a row; an empty one shows the tree as it was before. */
function followPath(path, view) {
  if (path.length === 0 && chosen.path.size === 0) return;
  if (view && chosen.path.size === 0) view.before = view.drawing.zoom;
  chosen.path = new Set(path);
  if (view && path.length === 0 && !view.drawing.icicle) view.drawing.zoom = view.before;
  notify("open");
  notify("path");
  if (view && path.length > 0) showPath(view, path);
  else if (view) showNode(view, 0);
}

function emptyOutcome() {
  return h("p", { class: "muted" }, "Enter at least one value to see a prediction.");
}

function showNoPath(outcome, wrong, view) {
  followPath([], view);
  outcome.dataset.leaf = "";
  return put(outcome, wrong.length > 0 ? h("div", { class: "outcome stopped" }, wrong.map((text) => h("p", null, text))) : emptyOutcome());
}

function predictionOf({ leaf, stopped }) {
  if (stopped !== null) {
    return h("p", { class: "outcome stopped" }, `The split “${nodes[stopped].asks}” is user-defined and cannot be evaluated on this page. `,
      h("span", { class: "note" }, `At this node: ${predictionText(stopped)} of ${rowsText(stopped)}.`));
  }
  const [prediction, note] = target.outcome(leaf);
  return h("p", { class: "outcome" }, prediction, doubtMark(leaf), h("span", { class: "note" }, note, nodeLink(leaf, "Details of this leaf")));
}

function stepsOf({ path }, row) {
  const items = path.slice(1).map((node) => {
    const { asks, column } = nodes[parentOf(node)];
    const cell = row.get(column);
    const value = cell.missing ? "is missing" : `is ${shortenMiddle(cell.text, 60)}`;
    const weight = `${formatCount(target.weight(node))} ${facts.weighted ? "weight" : "rows"}`;
    return h("li", { dataset: { step: node } }, breakable(asks), ` ${value}, so `, h("b", null, nodes[node].answer), h("span", { class: "muted" }, ` ${weight}`));
  });
  return h("ol", { class: "steps" }, items);
}
