// One node of the drawing: the condition above it, its box, its distribution, its bar and its expand button.

const pen = document.createElement("canvas").getContext("2d");
const FONT = getComputedStyle(document.body).fontFamily;
const widths = new Map();

/** Text cut to a width in pixels, with an ellipsis in its middle. */
function fitText(text, width, size, weight = 400) {
  const key = `${width}|${size}|${weight}|${text}`;
  if (!widths.has(key)) widths.set(key, fitted(text, width, `${weight} ${size}px ${FONT}`));
  return widths.get(key);
}

function fitted(text, width, font) {
  pen.font = font;
  const letters = Array.from(text.length > 800 ? text.slice(0, 400) + text.slice(-400) : text); // longer than any box is wide
  if (text.length <= 800 && pen.measureText(text).width <= width) return text;
  let [low, high] = [1, letters.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (pen.measureText(shortenMiddle(letters.join(""), middle)).width <= width) low = middle;
    else high = middle - 1;
  }
  return shortenMiddle(letters.join(""), low);
}

const ROOM_STEP = 12; // pixels: names are shortened to a few widths only, so that they stay comparable
const splitNames = new Map();

/** The name of a node's split, cut to a width; two columns never look alike. */
function fitSplit(node, width) {
  const room = Math.max(40, Math.floor(width / ROOM_STEP) * ROOM_STEP);
  if (!splitNames.has(room)) {
    const names = [...new Set(nodes.filter((n) => n.children).map((n) => n.asks))];
    const short = distinctNames(names, (name) => fitText(name, room, 12.5, 600));
    splitNames.set(room, new Map(names.map((name, i) => [name, short[i]])));
  }
  return splitNames.get(room).get(nodes[node].asks);
}

/** The label of the branch that leads to a node: the condition without the column, which the parent shows. */
function branchText(node) {
  const { branch, answer, parent } = nodes[node];
  if (nodes[parent].own) return branch ?? answer;
  const words = (branch ?? answer).replaceAll("<=", "≤").replace(/ \(or (.*)\)$/, " or $1");
  return words.replace(/^\{(.*)\}/, (_, names) => names.replace(/, \+(\d+) more, .*$/, (__, n) => `, +${Number(n) + 1} more`));
}

/** The label of a branch cut to a width: how many categories follow, and missing and unseen cells, are kept. */
function fitBranch(node, width, size = 12) {
  const [, head, tail] = /^(.*?)((?:, \+\d+ more)?(?: or (?:missing|unseen|missing or unseen))?)$/.exec(branchText(node));
  pen.font = `400 ${size}px ${FONT}`;
  const room = width - pen.measureText(tail).width;
  return room > width / 4 ? fitText(head, room, size) + tail : fitText(head + tail, width, size);
}

/** Everything the appearance of a node depends on: the node is redrawn only if this changes. */
function appearanceOf(place, open, hidden, mode) {
  const { node, children, width, height } = place;
  return [isInner(node), open.has(node), hidden, children.length, mode, width.toFixed(1), height.toFixed(1)].join();
}

/** A node at full size, not yet positioned. */
function drawBox(node, isOpen, hidden) {
  const inner = isInner(node);
  const width = BOX.width;
  const height = heightOf(node);
  const answer = nodes[node].answer;
  return svg(
    "g",
    { class: inner ? "node" : "node leaf", role: "treeitem", id: `node-${node}`, dataset: { node }, tabindex: -1 },
    answer && svg("text", { class: "answer", x: 1, y: -11 }, fitBranch(node, width + 4), svg("title", null, answer)),
    svg("rect", { class: "ring", x: -3.5, y: -3.5, width: width + 7, height: height + 7, rx: 10 }),
    svg("rect", { class: "box", width, height, rx: 7 }),
    inner ? splitText(node) : target.leafText(node),
    height > BOX.height ? nodeChart(node, 10, 25, width - 20, BOX.chart - 8) : null,
    target.bar(node, 10, height - 17, width - 20),
    inner ? knob(isOpen, hidden, height) : null,
  );
}

function splitText(node) {
  const rows = formatCount(target.weight(node));
  const room = BOX.width - 32 - 6.6 * rows.length;
  return [
    svg("text", { class: "name", x: 10, y: 13 }, fitSplit(node, room), svg("title", null, nodes[node].asks)),
    svg("text", { class: "rows", x: BOX.width - 12, y: 13, "text-anchor": "end" }, rows),
  ];
}

/** The name of a leaf's prediction from x on, and a short text at the right. */
function leafLine(node, x, name, text) {
  const { doubtful } = nodes[node];
  const room = BOX.width - x - 20 - 6.1 * text.length;
  return [
    svg("text", { class: "name", x, y: 13 }, fitText(name, room, 12.5, 600)),
    svg("text", { class: doubtful ? "rows doubt" : "rows", x: BOX.width - 10, y: 13, "text-anchor": "end" }, text, doubtful ? svg("title", null, target.doubt) : null),
  ];
}

/** The text after the bar of a leaf. */
function barText(text) {
  return svg("text", { class: "rows", x: BOX.width - 10, y: BOX.height - 11.5, "text-anchor": "end" }, text);
}

/** The distribution of the column that a node splits on, if the page has it. */
function hasChart(node) {
  return isInner(node) && !nodes[node].own && Boolean(facts.details?.[node]?.spread);
}

/** The distribution of a node's rows over the column it splits on, with a line at each cut. */
function nodeChart(node, x, y, width, height) {
  const { spread } = facts.details[node];
  const { stacks } = target.distribution(spread);
  const sums = spread.labels.map((_, i) => total(stacks.map((s) => s.values[i])));
  const heights = scale([0, maxOf(sums) || 1], [y + height, y + 2]);
  const wide = width / spread.labels.length;
  const cuts = cutPlaces(node, spread).map((place) => x + wide * place);
  return svg("g", { class: "node-chart", "aria-hidden": true },
    spread.labels.map((_, i) => stackedBar(x + i * wide, wide, heights, stacks, i, 0.9)),
    svg("line", { class: "axis", x1: x, x2: x + width, y1: y + height, y2: y + height }),
    cuts.map((cut) => svg("path", { class: "cut", d: `M${cut.toFixed(1)} ${y}V${y + height}` })),
    cuts.map((cut) => svg("path", { class: "wedge", d: `M${cut.toFixed(1)} ${y + height}l-3 5h6z` })));
}

/** Where the cuts of a split lie on its distribution, in bins from the left; with those of splits merged into it. */
function cutPlaces(node, spread) {
  if (spread.cuts) return spread.cuts;
  const thresholds = below(node).parts.flatMap((part) => (nodes[part].column === spread.column ? nodes[part].thresholds ?? [] : []));
  const { values, ends } = spread;
  const inside = (ends ?? values ?? []).map(thresholdNumber);
  const places = [...new Set(thresholds)].map(thresholdNumber).map((cut) => {
    if (values) return inside.filter((value) => value <= cut).length;
    const at = Math.min(inside.length - 1, Math.max(1, inside.findIndex((end) => end >= cut)));
    const [from, to] = [inside[at - 1], inside[at]];
    return at - 1 + Math.min(1, Math.max(0, (cut - from) / (to - from || 1)));
  });
  return [...new Set(places)].filter((place) => place > 0 && place < spread.labels.length);
}

/** The button that expands or collapses a node; on a collapsed node it shows the number of hidden leaves. */
function knob(isOpen, hidden, height) {
  const [x, y] = [BOX.width, height / 2];
  return svg(
    "g",
    { class: isOpen ? "toggle" : "toggle closed", "aria-hidden": true },
    svg("circle", { class: "area", cx: x, cy: y, r: 15 }),
    svg("circle", { class: "knob", cx: x, cy: y, r: 8.5 }),
    svg("path", { class: "sign", d: isOpen ? `M${x - 4} ${y}h8` : `M${x - 4} ${y}h8M${x} ${y - 4}v8`, style: { stroke: "var(--muted)", "stroke-width": 1.5 } }),
    isOpen ? null : svg("text", { class: "more", x: x + 13, y, style: { "text-anchor": "start" } }, `${formatNumber(hidden)}`),
    svg("title", null, isOpen ? "Collapse" : `Expand: ${plural(hidden, "leaf", "leaves")} below`),
  );
}
