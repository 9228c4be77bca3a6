// Nodes as text: rows, rule, prediction and accessible name.

/** The rows of a node: "24 rows", or "weight 24.5 (24 rows)". */
function rowsText(node) {
  const rows = plural(nodes[node].rows, "row");
  return facts.weighted ? `weight ${formatCount(target.weight(node))} (${rows})` : rows;
}

/**
 * The conditions that the rows of a node meet: for each column on the path, what the whole path implies for it.
 * Columns are in the order in which they first occur.
 * @returns {string[]} empty for the root
 */
function conditionsOf(node) {
  const path = [];
  for (let here = node; nodes[here].parent >= 0; here = nodes[here].parent) path.push(here);
  const conditions = new Map();
  for (const here of path.reverse()) {
    const parent = nodes[nodes[here].parent];
    const key = parent.own ? `own ${parent.asks}` : parent.column;
    conditions.set(key, nodes[here].known ?? nodes[here].answer);
  }
  return [...conditions.values()];
}

/** The rule of a node on one line. */
function ruleOf(node) {
  return conditionsOf(node).join(" and ") || "all rows";
}

/** A node's prediction as text, with its interval and its training share or mean. */
function predictionText(node) {
  return `${target.text(node)}${isForecast && nodes[node].doubtful ? " (these disagree)" : ""}`;
}

/** A mark of a node whose expected and training share or mean disagree; null for others. */
function doubtMark(node) {
  return nodes[node].doubtful ? h("span", { class: "doubt", title: target.doubt }, " !") : null;
}

/** A node's name for screen readers. */
function accessibleName(node, hidden) {
  const branch = nodes[node].parent < 0 ? "All rows" : nodes[node].answer;
  const what = isInner(node) ? `split on ${nodes[node].asks}` : `leaf, ${predictionText(node)}`;
  const more = hidden > 0 ? `, ${plural(hidden, "leaf", "leaves")} hidden` : "";
  return `${branch}: ${what}, ${rowsText(node)}${more}`;
}
