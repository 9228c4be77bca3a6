// Nodes in words.

const ROWS = facts.weighted ? "weight" : "rows";

/** The weight of a node in words: "24 rows", or "weight 24.5 (24 rows)". */
function rowsWords(node) {
  const rows = plural(nodes[node].rows, "row");
  return facts.weighted ? `weight ${count(total(nodes[node].counts))} (${rows})` : rows;
}

/**
 * The conditions a node's rows meet: for each column on the way, what is known of it in the end,
 * columns in the order they first come up.
 * @returns {string[]} empty at the root
 */
function conditionsOf(node) {
  const way = [];
  for (let here = node; nodes[here].parent >= 0; here = nodes[here].parent) way.push(here);
  const known = new Map();
  for (const here of way.reverse()) {
    const above = nodes[nodes[here].parent];
    const about = above.own ? `own ${above.asks}` : above.column;
    known.set(about, nodes[here].known ?? nodes[here].answer);
  }
  return [...known.values()];
}

/** The rule of a node in one line. */
function ruleOf(node) {
  return conditionsOf(node).join(" and ") || "every row";
}

/** What a node predicts. */
function classOf(node) {
  return facts.classes[nodes[node].label];
}

/** A node's prediction: "USA 88 % [69–96]". */
function verdictOf(node) {
  return `${classOf(node)} ${shareWithin(nodes[node].share, nodes[node].interval)}`;
}

/** The name of a node: what it asks, or what it says. */
function nameOf(node) {
  return isInner(node) ? nodes[node].asks : classOf(node);
}

/** A node for the ear. */
function spokenName(node, hidden) {
  const answer = nodes[node].parent < 0 ? "All rows" : nodes[node].answer;
  const what = isInner(node) ? `asks ${nodes[node].asks}` : `leaf, ${verdictOf(node)}`;
  const more = hidden > 0 ? `, ${plural(hidden, "leaf", "leaves")} hidden` : "";
  return `${answer}: ${what}, ${rowsWords(node)}${more}`;
}
