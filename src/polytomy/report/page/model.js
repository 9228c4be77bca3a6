// The tree of the facts: which nodes are leaves at the size shown, and what contraction merges.

const nodes = facts.nodes;
const path = facts.path;

/** 1 where a node is a leaf of the tree that is shown. Below such nodes nothing is looked at. */
const cut = new Uint8Array(nodes.length);
let sizeAt = -1;

/** Makes the tree the best one of the size at a place along the path. */
function cutToSize(place) {
  if (sizeAt < 0) {
    cut.fill(0);
    sizeAt = 0;
    flip(0);
  }
  while (sizeAt < place) flip((sizeAt += 1));
  while (sizeAt > place) {
    flip(sizeAt);
    sizeAt -= 1;
  }
}

function flip(place) {
  for (const node of path.toggles[place]) cut[node] ^= 1;
}

/** Whether the whole tree is shown, none of its leaves pruned away. */
function isWhole() {
  return sizeAt === path.sizes.length - 1;
}

/** Makes the tree the one after a number of growth steps: those of `order` split, no others. */
function cutToSteps(order, n) {
  sizeAt = -1;
  cut.fill(1);
  for (const node of order.slice(0, n)) cut[node] = 0;
}

/** Inner nodes in the order the growth split them; null where the facts do not tell. */
function growthOrder() {
  const inner = nodes.map((_, i) => i).filter((i) => nodes[i].children);
  if (inner.length === 0 || inner.some((i) => !(nodes[i].step > 0))) return null;
  const after = (i) => nodes[i].parent < 0 || nodes[nodes[i].parent].step < nodes[i].step;
  return inner.every(after) ? inner.sort((a, b) => nodes[a].step - nodes[b].step) : null;
}

/** Whether a node asks something in the tree that is shown. */
function isInner(node) {
  return !cut[node] && Boolean(nodes[node].children);
}

/** Whether contraction merges a node into its parent now. */
function isMerged(node) {
  return facts.contracted && Boolean(nodes[node].joins) && isInner(node);
}

/** The shown node that a node is part of. */
function ownerOf(node) {
  let here = node;
  while (isMerged(here)) here = nodes[here].parent;
  return here;
}

/** Whether a branch holds missing cells and nothing else. */
function onlyMissing(node, branch) {
  const { thresholds, categories, missing } = nodes[node];
  if (branch !== missing) return false;
  return thresholds ? branch > thresholds.length : categories ? categories[branch].length === 0 : false;
}

/**
 * What hangs on a shown node: its children where merged nodes give way to their own.
 * @returns {{children: number[], parts: number[]}} parts: the nodes merged into it, itself first
 */
function below(node) {
  const out = { children: [], parts: [] };
  if (!isInner(node)) return out;
  const last = [];
  const waiting = [[node, true, false]];
  while (waiting.length > 0) {
    const [here, merges, missing] = waiting.pop();
    if (!merges) {
      (missing ? last : out.children).push(here);
      continue;
    }
    out.parts.push(here);
    nodes[here].children.map((child, branch) => [child, isMerged(child), onlyMissing(here, branch)])
      .reverse().forEach((next) => waiting.push(next));
  }
  out.children.push(...last);
  return out;
}

/** The shown node a shown node hangs on, or -1. */
function parentOf(node) {
  return nodes[node].parent < 0 ? -1 : ownerOf(nodes[node].parent);
}

/** The shown nodes on the way from the root to a shown node, both ends included. */
function wayTo(node) {
  const way = [];
  for (let here = node; here >= 0; here = parentOf(here)) way.push(here);
  return way.reverse();
}

/** The leaves below a node, in the order they are drawn. */
function leavesBelow(node) {
  const out = [];
  const waiting = [node];
  while (waiting.length > 0) {
    const here = waiting.pop();
    if (isInner(here)) waiting.push(...below(here).children.reverse());
    else out.push(here);
  }
  return out;
}

/** Weight of the rows a set of leaves gets wrong; `key` is "counts" or "test". */
function errorsOf(leaves, key) {
  return total(leaves.map((leaf) => total(nodes[leaf][key]) - nodes[leaf][key][nodes[leaf].label]));
}

const hasTest = Boolean(nodes[0].test) && total(nodes[0].test) > 0;
