// The icicle: a whole tree in one view. A node is as high as its share of the rows, and its children are to its right.

const THINNEST = 0.7; // pixels; nodes below a thinner one are not drawn
const ICICLE = { margin: 6, gap: 1, text: 12, narrowest: 40, shrink: 0.84, least: 0.2 };

/**
 * Computes the cells of the icicle below a node.
 * @param {number} top the node at the left
 * @param {number} width
 * @param {number} height
 * @returns {Object} as `layout` does
 */
function icicleLayout(top, width, height) {
  const { margin } = ICICLE;
  const [wide, high] = [width - 2 * margin, height - 2 * margin];
  const order = [];
  const places = new Map();
  const whole = target.weight(top) || 1;
  const pending = [{ node: top, parent: -1, depth: 0, y: 0, height: high }];
  let deepest = 0;
  while (pending.length > 0) {
    const place = pending.pop();
    const children = below(place.node).children.map((node) => ({ node, parent: place.node, depth: place.depth + 1, height: (high * target.weight(node)) / whole }));
    let y = place.y;
    for (const child of children) {
      child.y = y;
      y += child.height;
    }
    const drawn = children.filter((child) => child.height >= THINNEST);
    deepest = Math.max(deepest, place.depth);
    order.push(place.node);
    places.set(place.node, { ...place, children: drawn.map(({ node }) => node) });
    pending.push(...drawn.reverse());
  }
  const starts = columnStarts(deepest + 1, wide);
  for (const place of places.values()) {
    place.x = starts[place.depth];
    place.width = (place.children.length > 0 ? starts[place.depth + 1] : wide) - place.x; // leaves extend to the right end, where their names have room
  }
  return { order, places, width: wide, height: high };
}

/** Where each level begins, and the last one ends: the first levels, whose nodes are high, are the widest. */
function columnStarts(levels, wide) {
  const parts = Array.from({ length: levels }, (_, level) => Math.max(ICICLE.shrink ** level, ICICLE.least));
  const unit = wide / total(parts);
  const starts = [0];
  for (const part of parts) starts.push(starts[starts.length - 1] + part * unit);
  return starts;
}

/** A cell of the icicle, not yet positioned. */
function drawCell(node, place) {
  const inner = isInner(node);
  const { gap } = ICICLE;
  const [width, height] = [Math.max(1, place.width - gap), Math.max(0.4, place.height - (place.height > 3 ? gap : 0.1))];
  return svg("g",
    { class: inner ? "node cell" : "node leaf cell", role: "treeitem", id: `node-${node}`, dataset: { node }, tabindex: -1 },
    svg("rect", { class: "box", width: width.toFixed(1), height: height.toFixed(2), rx: height > 12 ? 3 : 0, style: { fill: target.tint(node) } }),
    svg("rect", { class: "ring", x: 1, y: 1, width: Math.max(1, width - 2).toFixed(1), height: Math.max(0.5, height - 2).toFixed(2) }),
    cellText(node, width - 10, height));
}

/** The lines of text that fit into a cell: the condition, then the split or the prediction. */
function cellText(node, width, height) {
  const room = Math.floor((height - 2) / (ICICLE.text + 3));
  if (room < 1 || width < ICICLE.narrowest) return null;
  const condition = nodes[node].answer ? branchText(node) : plural(target.weight(node), facts.weighted ? "weight" : "row", facts.weighted ? "weight" : "rows");
  const what = isInner(node) ? fitSplit(node, width) : `${target.name(node)}${target.certainty(node)}`;
  const lines = room > 1 || !isInner(node) ? [[condition, "condition"], [what, "name"]] : [[what, "name"]];
  const top = height / 2 - (Math.min(room, lines.length) - 1) * (ICICLE.text + 3) / 2;
  if (room === 1 && lines.length > 1) {
    const text = width > 240 ? `${what} · ${condition}` : what;
    return svg("text", { class: "name", x: 5, y: top.toFixed(1) }, fitText(text, width, 12, 600));
  }
  const fit = (text, kind) => (kind === "condition" && nodes[node].answer ? fitBranch(node, width) : fitText(text, width, 12, kind === "name" ? 600 : 400));
  return lines.slice(0, room).map(([text, kind], i) => svg("text", { class: kind, x: 5, y: (top + i * (ICICLE.text + 3)).toFixed(1) }, fit(text, kind)));
}
