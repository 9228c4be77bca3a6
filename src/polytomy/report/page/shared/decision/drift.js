// Drift of another table: the stability of the leaves or predictions, and of each column.

const MOST_CELLS = 25;
const DRIFT_SIZES = [[0.1, "small"], [0.25, "moderate"], [Infinity, "large"]];

function stabilityText({ psi }) {
  return `${psi[0].toFixed(3)} [${psi[1].toFixed(3)}–${psi[2].toFixed(3)}]`;
}

function pText(p) {
  return p < 0.001 ? "< 0.001" : p.toFixed(3);
}

function driftSection() {
  const { drift } = facts;
  const size = DRIFT_SIZES.find(([most]) => drift.psi[0] < most)[1];
  const figures = [
    ["Stability index [95 %]", stabilityText(drift)],
    ["Without drift", drift.expected.toFixed(3)],
    ["p-value", pText(drift.p)],
  ];
  const by = drift.cells.nodes ? "the leaves that they reach" : "what the model predicts for them";
  const chance = drift.p < 0.05 ? "differ more than chance explains" : "differ no more than chance explains";
  return section("drift", "Drift",
    h("p", null, h("span", { class: size === "small" ? "pill" : "pill warm" }, `${capitalized(size)} drift`),
      `The ${plural(drift.new_rows, "row")} of the other table and the ${plural(drift.reference_rows, `${drift.rows} row`)} ${chance}, by ${by}.`),
    h("dl", { class: "figures small" }, figures.map(([name, value]) => h("div", null, h("dt", null, name), h("dd", null, value)))),
    h("div", { class: "columns" }, cellDrift(drift), columnDrift()),
    h("p", { class: "note" }, "The population stability index is the sum of (new − old) ln(new / old) over all shares: by custom, below 0.1 is small and above 0.25 large. "
      + "Its interval and p-value are those of the chi-square approximation; “without drift” is its mean for tables of these sizes that do not differ."
      + (drift.smoothed ? " Half a row was added to every cell, because some were empty." : "")));
}

/** The shares of the leaves or predictions, those with the largest part in the index first. */
function cellDrift({ cells }) {
  const name = (i) => (cells.nodes ? ruleOf(cells.nodes[i]) : visibleName(cells.labels[i]));
  const order = cells.part.map((_, i) => i).sort((a, b) => cells.part[b] - cells.part[a]);
  const rows = order.slice(0, MOST_CELLS).map((i) => [
    breakable(name(i)), percent(cells.reference[i]), rateText([cells.new[i], cells.low[i], cells.high[i]]), cells.part[i].toFixed(3)]);
  const predicted = facts.classes?.length === 2 ? `Probability of ${shortenMiddle(className(1), 24)}` : "Prediction";
  const head = [cells.nodes ? "Leaf" : predicted, capitalized(facts.drift.rows), "New [95 %]", "Part of index"];
  const rest = order.length - rows.length;
  return h("div", null, h("h3", null, cells.nodes ? "By leaf" : "By prediction"), plainTable("Drift by leaf or prediction", head, rows, { class: "drift-cells stacked" }),
    rest > 0 ? h("p", { class: "note" }, `and ${plural(rest, "leaf", "leaves")} with smaller parts`) : null);
}

/** The columns, those that drifted most first. */
function columnDrift() {
  const known = (facts.overview?.columns ?? []).filter((column) => column.drift);
  if (known.length === 0) return null;
  const sorted = [...known].sort((a, b) => b.drift.psi[0] - a.drift.psi[0]);
  const rows = sorted.slice(0, MOST_CELLS).map((column) => [
    breakable(facts.columns[column.column].name), sparkHistogram(column.labels, column.weights, column.new), stabilityText(column.drift), pText(column.drift.p)]);
  return h("div", null, h("h3", null, "By column (outline: new rows)"), plainTable("Drift by column", ["Column", "Distribution", "Index [95 %]", "p-value"], rows, { words: [1], class: "drift-columns stacked" }));
}
