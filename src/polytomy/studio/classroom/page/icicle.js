// The tree of a game as an icicle: the width of a node is its weight; what a split removes stays empty.

/**
 * Draws the nodes.
 * @param {Object[]} nodes
 * @param {?{chosen: ?number, onPick: ?function(number)}} how the chosen leaf, and what is called with a clicked leaf
 */
function icicle(nodes, { chosen = null, onPick = null } = {}) {
  const depth = [];
  for (const node of nodes) depth[node.id] = node.parent === null ? 0 : depth[node.parent] + 1;
  const levels = maxOf(depth) + 1;
  const step = Math.max(7, Math.min(40, 300 / levels));
  const left = placeNodes(nodes);
  const most = maxOf(nodes.filter((node) => node.leaf).map((node) => node.weight));
  const drawing = svg("svg", { class: "icicle", viewBox: `0 0 1000 ${(levels * step).toFixed(1)}`, preserveAspectRatio: "none", "aria-hidden": true,
    style: { height: `${Math.round(Math.max(levels * step, 60))}px` } });
  for (const node of nodes) {
    const width = 1000 * node.weight;
    if (width < 0.05) continue;
    const kind = [node.leaf ? "leaf" : "inner", node.heaviest && most > 0 ? "heaviest" : "", node.id === chosen ? "chosen" : ""].join(" ");
    drawing.append(svg("rect", { class: kind, x: left[node.id].toFixed(2), y: depth[node.id] * step + 1, width: width.toFixed(2), height: step - 2,
      onclick: node.leaf && onPick ? () => onPick(node.id) : null }));
  }
  const labels = nodes.filter((node) => node.leaf && node.weight > 0.03 && step > 14).map((node) => h("span", { class: node.heaviest || node.id === chosen ? "on-dark" : null, style: {
    left: `${(100 * (left[node.id] / 1000 + node.weight / 2)).toFixed(2)}%`, top: `${((depth[node.id] + 0.5) * 100) / levels}%` } }, String(node.id)));
  return h("div", { class: onPick ? "icicle-box pickable" : "icicle-box", "aria-hidden": true }, drawing, labels);
}

/** The left end of each node, from 0 to 1000: children follow each other from the left end of their parent. */
function placeNodes(nodes) {
  const left = [0];
  const free = [0];
  for (const node of nodes) {
    if (node.parent !== null) {
      left[node.id] = free[node.parent];
      free[node.parent] += 1000 * node.weight;
      free[node.id] = left[node.id];
    }
  }
  return left;
}
