// A small tree as nested lists: the answer on each edge, the rows of each class, and what is asked.

/**
 * Draws a tree.
 * @param {Object[]} nodes
 * @param {?{current: ?number, pick: ?function(number)}} how the node the student is at, and what picks another open leaf
 */
function treeList(nodes, { current = null, pick = null } = {}) {
  return h("ul", { class: "tree-list" }, treeItem(nodes, nodes[0], current, pick));
}

function treeItem(nodes, node, current, pick) {
  const isHere = node.id === current;
  return h(
    "li",
    { class: isHere ? "here" : null, "aria-current": isHere ? "true" : null },
    h("div", { class: "tree-node" },
      h("span", { class: "edge-words" }, node.answer ?? "all rows"),
      classBar(node.counts),
      nodeState(node, isHere, pick)),
    node.children.length ? h("ul", null, node.children.map((child) => treeItem(nodes, nodes[child], current, pick))) : null,
  );
}

/** What a node does: the column it asks about, a class, or a question mark. */
function nodeState(node, isHere, pick) {
  if (node.column !== null) return h("span", { class: "asks" }, columnName(node.column), "?");
  if (isHere) return h("span", { class: "pill" }, "you are here");
  if (node.open && pick) {
    const label = `Go to this leaf: ${node.answer ?? "all rows"}`;
    return h("button", { type: "button", class: "link", "aria-label": label, onclick: () => pick(node.id) }, "open, go there");
  }
  return h("span", { class: "leaf-class" }, classLabel(node.label));
}
