// The way of one row down the tree that is shown.

/**
 * Follows a row.
 * @param {Map<number, {missing: ?boolean, x: ?number, code: ?number}>} row cells by column; absent ones are missing;
 *   x of numbers, times and labels, code of categories (-1 for one the column does not list)
 * @returns {{way: number[], leaf: number, stopped: ?number}} way: the shown nodes, root first;
 *   stopped: the node whose question only its author can answer, else null
 */
function follow(row) {
  const way = [0];
  let here = 0;
  while (isInner(here)) {
    if (nodes[here].own) return { way, leaf: here, stopped: here };
    here = nodes[here].children[branchOf(nodes[here], row.get(nodes[here].column))];
    if (!isMerged(here)) way.push(here);
  }
  return { way, leaf: here, stopped: null };
}

/** The branch of a node that a cell takes. */
function branchOf(node, cell) {
  const fallback = node.default;
  if (!cell || cell.missing) return node.missing < 0 ? fallback : node.missing;
  if (node.categories) {
    const branch = cell.code < 0 ? -1 : node.categories.findIndex((codes) => codes.includes(cell.code));
    return branch < 0 ? fallback : branch;
  }
  const branch = node.thresholds.findIndex((threshold) => cell.x <= asNumber(threshold));
  return branch < 0 ? node.thresholds.length : branch;
}

function asNumber(threshold) {
  return typeof threshold === "number" ? threshold : threshold === "inf" ? Infinity : -Infinity;
}

/**
 * Reads what was typed for a column.
 * @returns {{missing: ?boolean, x: ?number, code: ?number, said: string, wrong: ?string}}
 */
function readCell(column, text) {
  const typed = text.trim();
  if (column.kind === "labels") return chosenCell(column.labels, typed, "x");
  if (column.kind === "categories") return text === "" ? { missing: true } : categoryCell(column, text);
  if (typed === "" || typed.toLowerCase() === "nan") return { missing: true };
  const x = column.kind === "times" ? ticksOf(typed, column) : numberOf(typed);
  if (Number.isNaN(x)) {
    const what = column.kind === "times" ? `a time such as ${timeHint(column)}` : "a number";
    return { wrong: `${column.name}: “${shorten(typed, 30)}” is not ${what}.` };
  }
  return { x, said: typed };
}

function numberOf(text) {
  const plain = text.replace("−", "-");
  if (/^[+-]?inf(inity)?$/i.test(plain)) return plain.startsWith("-") ? -Infinity : Infinity;
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(plain) ? Number(plain) : NaN;
}

/** A cell picked from a list by its place. */
function chosenCell(names, place, key) {
  if (place === "") return { missing: true };
  return { [key]: Number(place), said: Number(place) < 0 ? ANOTHER : shownName(names[Number(place)]) };
}

/** A category: picked by place from a short list, typed where the list is long. */
function categoryCell(column, text) {
  if (isShort(column.categories) && !column.more) return chosenCell(column.categories, text, "code");
  const quoted = column.categories.findIndex((name) => name !== shownName(name) && shownName(name) === text);
  return { code: quoted < 0 ? column.categories.indexOf(text) : quoted, said: shownName(text) };
}

function isShort(names) {
  return names.length <= 50;
}
