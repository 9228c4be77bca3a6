// The positions of the nodes: a tidy layout from left to right, for any number of branches.

const NARROW = matchMedia("(max-width: 700px)").matches;
const BOX = { width: NARROW ? 154 : 196, height: 42, answer: 20, gapX: NARROW ? 36 : 54, gapY: 11 };
const PITCH = BOX.height + BOX.answer + BOX.gapY;

/** The expanded nodes: those that the reader expanded, and then the heaviest, up to a number of visible nodes. */
function openNodes(budget) {
  const open = new Set();
  const pending = [0];
  let shown = 1;
  while (pending.length > 0) {
    const node = takeHeaviest(pending);
    const { children } = below(node);
    const wish = chosen.opened.get(node);
    if (children.length === 0 || wish === false) continue;
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
 * @returns {{order: number[], places: Map<number, Object>, width: number, height: number}}
 *   order: from top to bottom, as the arrow keys move; a place has x, y, depth, parent and children
 */
function layout(open) {
  const { order, places } = visible(open);
  for (const node of [...order].reverse()) settle(places, places.get(node));
  let width = 0;
  let top = Infinity;
  let bottom = -Infinity;
  for (const node of order) {
    const place = places.get(node);
    const above = places.get(place.parent);
    place.y = (above ? above.y : 0) + place.shift;
    place.x = place.depth * (BOX.width + BOX.gapX);
    width = Math.max(width, place.x + BOX.width);
    top = Math.min(top, place.y);
    bottom = Math.max(bottom, place.y);
  }
  for (const place of places.values()) place.y += BOX.answer - top;
  return { order, places, width, height: bottom - top + BOX.answer + BOX.height };
}

function visible(open) {
  const order = [];
  const places = new Map();
  const pending = [[0, -1, 0]];
  while (pending.length > 0) {
    const [node, parent, depth] = pending.pop();
    const children = open.has(node) ? below(node).children : [];
    order.push(node);
    places.set(node, { node, parent, depth, children, shift: 0, x: 0, y: 0 });
    for (const child of [...children].reverse()) pending.push([child, node, depth + 1]);
  }
  return { order, places };
}

/**
 * Stacks the subtrees of a node as closely as their outlines allow, and centres the node on its
 * children. An outline holds the smallest and largest y at each depth, relative to the node.
 */
function settle(places, place) {
  place.top = [0];
  place.low = [0];
  if (place.children.length === 0) return;
  const top = [];
  const low = [];
  const kids = place.children.map((child) => places.get(child));
  for (const kid of kids) {
    kid.shift = 0;
    for (let d = 0; d < Math.min(low.length, kid.top.length); d += 1) {
      kid.shift = Math.max(kid.shift, low[d] - kid.top[d] + PITCH);
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
