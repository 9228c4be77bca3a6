// The leaves of the current tree as a sortable table.

const FIRST_LEAVES = 100;

/** The columns: key, heading, and the value to sort by. */
function leafColumns() {
  const { prediction, value, training, test, ...more } = target.leafColumns();
  const columns = [
    ["rule", "Rule", null],
    ...(prediction ? [["prediction", ...prediction]] : []),
    ["rows", "Rows", (leaf) => nodes[leaf].rows],
    ...(facts.weighted ? [["weight", "Weight", target.weight]] : []),
    ["value", ...value],
    ...(isForecast ? [["training", ...training]] : []),
    ...Object.entries(more).map(([key, column]) => [key, ...column]),
  ];
  if (hasTest) columns.push(["seen", facts.weighted ? "Test weight" : "Test rows", target.testWeight], ["test", ...test]);
  return columns;
}

function makeLeavesSection(view) {
  const state = { by: "rule", up: true, all: false };
  const columns = leafColumns();
  const body = h("tbody");
  const more = h("p");
  const head = columns.map(([key, name]) => h("th", { scope: "col", class: key === "prediction" ? "words" : null, "aria-sort": "none", dataset: { key } },
    h("button", { type: "button", class: "sort", onclick: () => sortBy(key) }, name)));
  const show = () => {
    const leaves = sortedLeaves(columns, state);
    const shown = state.all ? leaves : leaves.slice(0, FIRST_LEAVES);
    put(body, shown.map((leaf) => leafRow(leaf, columns, view)));
    const rest = leaves.length - shown.length;
    put(more, rest > 0 ? h("span", { class: "in-print" }, `${plural(rest, "more leaf is", "more leaves are")} not shown.`) : null, rest > 0 ? h("button", { type: "button", class: "quiet", onclick: () => { state.all = true; show(); } }, `Show all ${formatNumber(leaves.length)} leaves`) : null);
    for (const th of head) th.setAttribute("aria-sort", th.dataset.key !== state.by ? "none" : state.up ? "ascending" : "descending");
  };
  const sortBy = (key) => {
    state.up = state.by === key ? !state.up : key === "rule" || key === "prediction";
    state.by = key;
    show();
  };
  onTreeDrawn(show);
  for (const event of ["select", "path"]) on(event, () => markRows(body));
  show();
  return section("leaves", ["Leaves", currentSize()],
    h("div", { class: "scroll tall", tabindex: 0, role: "region", "aria-label": "Table of leaves" },
      h("table", { class: "leaves stacked" }, h("thead", null, h("tr", null, head)), body)), more);
}

function sortedLeaves(columns, { by, up }) {
  const leaves = leavesBelow(0);
  const value = columns.find(([key]) => key === by)[2];
  if (value) leaves.sort((a, b) => (up ? 1 : -1) * (value(a) - value(b)));
  else if (!up) leaves.reverse();
  return leaves;
}

function leafRow(leaf, columns, view) {
  const cells = {
    rows: formatCount(nodes[leaf].rows),
    weight: formatCount(target.weight(leaf)),
    seen: hasTest ? formatCount(target.testWeight(leaf)) : null,
    ...target.leafCells(leaf),
  };
  const rule = h("button", { type: "button", class: "link", onclick: () => visit(view(), leaf) }, breakable(ruleOf(leaf)));
  return h("tr", { dataset: { leaf }, class: rowClass(leaf) },
    h("th", { scope: "row" }, rule),
    columns.slice(1).map(([key, name]) => h("td", { class: key === "prediction" ? "words" : null, dataset: { label: name } }, cells[key], key === "value" ? doubtMark(leaf) : null)));
}

function rowClass(leaf) {
  return [leaf === chosen.selected ? "selected" : "", chosen.path.has(leaf) ? "on-path" : ""].join(" ").trim();
}

function markRows(body) {
  for (const row of body.rows) row.className = rowClass(Number(row.dataset.leaf));
}
