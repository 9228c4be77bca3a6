// The tree: which nodes are leaves at the current size, and which nodes contraction merges.

const nodes = facts.nodes;
const path = facts.path;

/** 1 if a node is a leaf of the current tree. Nodes below such a node are ignored. */
const cut = new Uint8Array(nodes.length);
let sizeAt = -1;

/** Prunes the tree to the size at a position of the pruning path. */
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

/** Whether the current tree is the whole, unpruned tree. */
function isWhole() {
  return sizeAt === path.sizes.length - 1;
}

/** Makes the tree as it was after n growth steps: only the first n nodes of `order` are split. */
function cutToSteps(order, n) {
  sizeAt = -1;
  cut.fill(1);
  for (const node of order.slice(0, n)) cut[node] = 0;
}

/** The inner nodes in the order in which they were split; null if it is not known. */
function growthOrder() {
  const inner = nodes.map((_, i) => i).filter((i) => nodes[i].children);
  if (inner.length === 0 || inner.some((i) => !(nodes[i].step > 0))) return null;
  const after = (i) => nodes[i].parent < 0 || nodes[nodes[i].parent].step < nodes[i].step;
  return inner.every(after) ? inner.sort((a, b) => nodes[a].step - nodes[b].step) : null;
}

/** Whether a node is split in the current tree. */
function isInner(node) {
  return !cut[node] && Boolean(nodes[node].children);
}

/** Whether contraction merges a node into its parent in the current tree. */
function isMerged(node) {
  return facts.contracted && Boolean(nodes[node].joins) && isInner(node);
}

/** The drawn node that a node is part of. */
function ownerOf(node) {
  let here = node;
  while (isMerged(here)) here = nodes[here].parent;
  return here;
}

/** Whether a branch receives missing cells only. */
function onlyMissing(node, branch) {
  const { thresholds, categories, missing } = nodes[node];
  if (branch !== missing) return false;
  return thresholds ? branch > thresholds.length : categories ? categories[branch].length === 0 : false;
}

/**
 * The children of a drawn node, with merged nodes replaced by their own children.
 * @returns {{children: number[], parts: number[]}} parts: the node itself and the nodes merged into it
 */
function below(node) {
  const out = { children: [], parts: [] };
  if (!isInner(node)) return out;
  const last = [];
  const pending = [[node, true, false]];
  while (pending.length > 0) {
    const [here, merges, missing] = pending.pop();
    if (!merges) {
      (missing ? last : out.children).push(here);
      continue;
    }
    out.parts.push(here);
    nodes[here].children.map((child, branch) => [child, isMerged(child), onlyMissing(here, branch)])
      .reverse().forEach((next) => pending.push(next));
  }
  out.children.push(...last);
  return out;
}

/** The parent of a drawn node in the drawing, or -1. */
function parentOf(node) {
  return nodes[node].parent < 0 ? -1 : ownerOf(nodes[node].parent);
}

/** The drawn nodes on the path from the root to a drawn node, including both ends. */
function pathTo(node) {
  const nodesOnPath = [];
  for (let here = node; here >= 0; here = parentOf(here)) nodesOnPath.push(here);
  return nodesOnPath.reverse();
}

/** The leaves below a node, in the order in which they are drawn. */
function leavesBelow(node) {
  const out = [];
  const pending = [node];
  while (pending.length > 0) {
    const here = pending.pop();
    if (isInner(here)) pending.push(...below(here).children.reverse());
    else out.push(here);
  }
  return out;
}
