// Nodes as text: rows, rule, prediction and accessible name.

const isForecast = facts.honesty !== undefined;
const DOUBT = "The expected and the training share are 20 or more points apart, or new rows favour another class";

/** The rows of a node: "24 rows", or "weight 24.5 (24 rows)". */
function rowsText(node) {
  const rows = plural(nodes[node].rows, "row");
  return facts.weighted ? `weight ${formatCount(total(nodes[node].counts))} (${rows})` : rows;
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

/** The class that a node predicts. */
function classOf(node) {
  return facts.classes[nodes[node].label];
}

/** The share of a node's class among its training rows; `share` of a node is that to expect of new rows, if learned. */
function trainingShare(node) {
  const { counts, label } = nodes[node];
  return counts[label] / (total(counts) || 1);
}

/** A node's prediction: "USA 88 % [69–96]", and the training share if that is another: "expected, 92 % in training". */
function predictionText(node) {
  const text = `${classOf(node)} ${shareWithin(nodes[node].share, nodes[node].interval)}`;
  if (!isForecast) return text;
  return `${text} expected, ${percent(trainingShare(node), 0)} in training${nodes[node].doubtful ? " (these disagree)" : ""}`;
}

/** A mark of a node whose expected and training share disagree; null for others. */
function doubtMark(node) {
  return nodes[node].doubtful ? h("span", { class: "doubt", title: DOUBT }, " !") : null;
}

/** A node's name for screen readers. */
function accessibleName(node, hidden) {
  const branch = nodes[node].parent < 0 ? "All rows" : nodes[node].answer;
  const what = isInner(node) ? `split on ${nodes[node].asks}` : `leaf, ${predictionText(node)}`;
  const more = hidden > 0 ? `, ${plural(hidden, "leaf", "leaves")} hidden` : "";
  return `${branch}: ${what}, ${rowsText(node)}${more}`;
}
