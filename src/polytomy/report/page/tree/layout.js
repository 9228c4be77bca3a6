// The positions of the nodes: a tidy layout from left to right, for any number of branches.

const NARROW = matchMedia("(max-width: 700px)").matches;
const BOX = { width: NARROW ? 154 : 196, height: 42, chart: 54, answer: 20, gapX: NARROW ? 36 : 44, gapY: 11 };
const WIDEST_GAP = 150; // between two levels, if there is room
const MOST_SPREAD = 2.4; // how much further apart nodes are moved to fill the area

/** The form of the boxes: with the distribution of the rows at splits, or without. */
const shape = { charts: false };

/** The height of the box of a node. */
function heightOf(node) {
  return shape.charts && hasChart(node) ? BOX.height + BOX.chart : BOX.height;
}

/** The expanded nodes: those that the reader expanded, and then the heaviest, up to a number of visible nodes.
 *  While a row is followed, the nodes on its path take the place of the heaviest. */
function openNodes(budget) {
  const open = new Set();
  const pending = [0];
  let shown = 1;
  while (pending.length > 0) {
    const node = takeHeaviest(pending);
    const { children } = below(node);
    const wish = chosen.path.size > 0 && chosen.path.has(node) ? true : chosen.opened.get(node);
    if (children.length === 0 || wish === false) continue;
    if (wish === undefined && node !== 0 && chosen.path.size > 0) continue;
    if (wish === undefined && node !== 0 && shown + children.length > budget) continue; // the root is always expanded
    if (wish === undefined) shown += children.length;
    open.add(node);
    pending.push(...children.filter(isInner));
  }
  return open;
}

function takeHeaviest(pending) {
  let best = 0;
  for (let i = 1; i < pending.length; i += 1) {
    if (nodes[pending[i]].rows > nodes[pending[best]].rows) best = i;
  }
  const node = pending[best];
  pending[best] = pending[pending.length - 1];
  pending.pop();
  return node;
}

/**
 * Computes the positions of the visible nodes.
 * @param {Set<number>} open expanded nodes
 * @param {?{width: number, height: number}} room to fill: a smaller tree is spread out
 * @returns {{order: number[], places: Map<number, Object>, width: number, height: number}}
 *   order: from top to bottom, as the arrow keys move; a place has x, y, width, height, depth, parent and children
 */
function layout(open, room = null) {
  const { order, places } = visible(open);
  for (const node of [...order].reverse()) settle(places, places.get(node));
  const deepest = maxOf([...places.values()].map(({ depth }) => depth));
  const middles = new Map();
  for (const node of order) {
    const place = places.get(node);
    middles.set(node, (middles.get(place.parent) ?? 0) + place.shift);
  }
  const gap = room && deepest > 0 ? (room.width - BOX.width) / deepest - BOX.width : BOX.gapX;
  const gapX = Math.min(WIDEST_GAP, Math.max(BOX.gapX, gap));
  const by = room ? spreadBy(places, middles, room.height) : 1;
  const [top, bottom] = extent(places, middles, by);
  for (const place of places.values()) {
    place.x = place.depth * (BOX.width + gapX);
    place.y = by * middles.get(place.node) - place.height / 2 - top;
  }
  return { order, places, width: deepest * (BOX.width + gapX) + BOX.width, height: bottom - top };
}

/** The top and the bottom of a tree whose nodes are moved apart by a factor. */
function extent(places, middles, by) {
  let [top, bottom] = [Infinity, -Infinity];
  for (const { node, height } of places.values()) {
    top = Math.min(top, by * middles.get(node) - height / 2 - (node === 0 ? 0 : BOX.answer));
    bottom = Math.max(bottom, by * middles.get(node) + height / 2);
  }
  return [top, bottom];
}

/** The factor by which nodes are moved apart to fill a height. */
function spreadBy(places, middles, height) {
  let [least, most] = [1, MOST_SPREAD];
  for (let i = 0; i < 20; i += 1) {
    const by = (least + most) / 2;
    const [top, bottom] = extent(places, middles, by);
    if (bottom - top <= height) least = by;
    else most = by;
  }
  return least;
}

function visible(open) {
  const order = [];
  const places = new Map();
  const pending = [[0, -1, 0]];
  while (pending.length > 0) {
    const [node, parent, depth] = pending.pop();
    const children = open.has(node) ? below(node).children : [];
    order.push(node);
    places.set(node, { node, parent, depth, children, shift: 0, x: 0, y: 0, width: BOX.width, height: heightOf(node) });
    for (const child of [...children].reverse()) pending.push([child, node, depth + 1]);
  }
  return { order, places };
}

/**
 * Stacks the subtrees of a node as closely as their outlines allow, and centres the node on its
 * children. An outline holds the smallest and largest y at each depth, relative to the middle of the node.
 */
function settle(places, place) {
  place.top = [-place.height / 2 - BOX.answer];
  place.low = [place.height / 2 + BOX.gapY];
  if (place.children.length === 0) return;
  const top = [];
  const low = [];
  const kids = place.children.map((child) => places.get(child));
  for (const kid of kids) {
    kid.shift = 0;
    for (let d = 0; d < Math.min(low.length, kid.top.length); d += 1) {
      kid.shift = Math.max(kid.shift, low[d] - kid.top[d]);
    }
    kid.top.forEach((y, d) => { top[d] ??= y + kid.shift; });
    kid.low.forEach((y, d) => { low[d] = y + kid.shift; });
    kid.top = kid.low = null;
  }
  const middle = (kids[0].shift + kids[kids.length - 1].shift) / 2;
  for (const kid of kids) kid.shift -= middle;
  place.top.push(...top.map((y) => y - middle));
  place.low.push(...low.map((y) => y - middle));
}
