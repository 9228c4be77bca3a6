// One node of the drawing: the condition above it, its box, its bar and its expand button.

const pen = document.createElement("canvas").getContext("2d");
const FONT = getComputedStyle(document.body).fontFamily;
const widths = new Map();

/** Text cut to a width in pixels, with an ellipsis. */
function fitText(text, width, size, weight = 400) {
  const key = `${width}|${size}|${weight}|${text}`;
  if (!widths.has(key)) widths.set(key, fitted(text, width, `${weight} ${size}px ${FONT}`));
  return widths.get(key);
}

function fitted(text, width, font) {
  pen.font = font;
  const letters = Array.from(text.slice(0, 400)); // longer than any box is wide
  if (text.length <= 400 && pen.measureText(text).width <= width) return text;
  let [low, high] = [0, letters.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (pen.measureText(letters.slice(0, middle).join("") + "…").width <= width) low = middle;
    else high = middle - 1;
  }
  return letters.slice(0, low).join("").trimEnd() + "…";
}

/** The condition above a box; if it is too long, without the column's name, which the parent shows. */
function fitAnswer(node, width) {
  const { answer, parent } = nodes[node];
  const whole = fitText(answer, width, 12);
  const { asks, own } = nodes[parent];
  if (whole === answer || own || !answer.includes(asks)) return whole;
  const bare = answer.startsWith(asks) ? answer.slice(asks.length).trim() : answer.replace(asks, "…");
  return fitText(bare, width, 12);
}

/** Everything the appearance of a node depends on: the node is redrawn only if this changes. */
function appearanceOf(place, open, hidden, far) {
  const { node, children } = place;
  return [isInner(node), open.has(node), hidden, children.length, far].join();
}

/** A node at a zoom at which text is unreadable: its box is filled by its bar. */
function drawSmall(node, isOpen, hidden) {
  const inner = isInner(node);
  const { width, height } = BOX;
  return svg(
    "g",
    { class: inner ? "node" : "node leaf", role: "treeitem", id: `node-${node}`, dataset: { node }, tabindex: -1 },
    svg("rect", { class: "ring", x: -3.5, y: -3.5, width: width + 7, height: height + 7, rx: 10 }),
    svg("rect", { class: "box", width, height, rx: 7 }),
    target.bigBar(node, 6, 6, width - 12, height - 12),
    inner ? knob(isOpen, hidden) : null,
  );
}

/** A node at a zoom at which only its colour is visible. */
function drawTiny(node) {
  const { width, height } = BOX;
  return svg(
    "g",
    { class: isInner(node) ? "node" : "node leaf", role: "treeitem", id: `node-${node}`, dataset: { node }, tabindex: -1 },
    svg("rect", { class: "ring", x: -8, y: -8, width: width + 16, height: height + 16 }),
    svg("rect", { class: "box", width, height, style: { fill: isInner(node) ? "var(--strong-edge)" : target.fill(node) } }),
  );
}

/** A node at full size, not yet positioned. */
function drawBox(node, isOpen, hidden) {
  const inner = isInner(node);
  const { width, height } = BOX;
  const answer = nodes[node].answer;
  return svg(
    "g",
    { class: inner ? "node" : "node leaf", role: "treeitem", id: `node-${node}`, dataset: { node }, tabindex: -1 },
    answer && svg("text", { class: "answer", x: 1, y: -11 }, fitAnswer(node, width + 4), svg("title", null, answer)),
    svg("rect", { class: "ring", x: -3.5, y: -3.5, width: width + 7, height: height + 7, rx: 10 }),
    svg("rect", { class: "box", width, height, rx: 7 }),
    inner ? splitText(node) : target.leafText(node),
    target.bar(node, 10, height - 17, width - 20),
    inner ? knob(isOpen, hidden) : null,
  );
}

function splitText(node) {
  const rows = formatCount(target.weight(node));
  const room = BOX.width - 32 - 6.6 * rows.length;
  return [
    svg("text", { class: "name", x: 10, y: 13 }, fitText(nodes[node].asks, room, 12.5, 600)),
    svg("text", { class: "rows", x: BOX.width - 12, y: 13, "text-anchor": "end" }, rows),
  ];
}

/** The name of a leaf's prediction from x on, and a short text at the right. */
function leafLine(node, x, name, text) {
  const { doubtful } = nodes[node];
  const room = BOX.width - x - 15 - 6.1 * text.length;
  return [
    svg("text", { class: "name", x, y: 13 }, fitText(name, room, 12.5, 600)),
    svg("text", { class: doubtful ? "rows doubt" : "rows", x: BOX.width - 10, y: 13, "text-anchor": "end" }, text, doubtful ? svg("title", null, target.doubt) : null),
  ];
}

/** The text after the bar of a leaf. */
function barText(text) {
  return svg("text", { class: "rows", x: BOX.width - 10, y: BOX.height - 11.5, "text-anchor": "end" }, text);
}

/** The button that expands or collapses a node; on a collapsed node it shows the number of hidden leaves. */
function knob(isOpen, hidden) {
  const [x, y] = [BOX.width, BOX.height / 2];
  return svg(
    "g",
    { class: "toggle", "aria-hidden": true },
    svg("circle", { class: "area", cx: x, cy: y, r: 15 }),
    svg("circle", { class: "knob", cx: x, cy: y, r: 8.5 }),
    svg("path", { d: isOpen ? `M${x - 4} ${y}h8` : `M${x - 4} ${y}h8M${x} ${y - 4}v8`, style: { stroke: "var(--muted)", "stroke-width": 1.5 } }),
    isOpen ? null : svg("text", { class: "more", x: x + 13, y, style: { "text-anchor": "start" } }, `${formatNumber(hidden)}`),
    svg("title", null, isOpen ? "Collapse" : `Expand: ${plural(hidden, "leaf", "leaves")} below`),
  );
}
