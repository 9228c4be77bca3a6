// One node of the drawing: the condition above it, its box, its class bar and its expand button.

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

/** A node at a zoom at which text is unreadable: its box is filled by its class bar. */
function drawSmall(node, isOpen, hidden) {
  const inner = isInner(node);
  const { width, height } = BOX;
  return svg(
    "g",
    { class: inner ? "node" : "node leaf", role: "treeitem", id: `node-${node}`, dataset: { node }, tabindex: -1 },
    svg("rect", { class: "ring", x: -3.5, y: -3.5, width: width + 7, height: height + 7, rx: 10 }),
    svg("rect", { class: "box", width, height, rx: 7 }),
    classParts(nodes[node].counts, 6, width - 12).map(({ i, from, wide }) => classRect(i, from, 6, wide, height - 12)),
    inner ? knob(isOpen, hidden) : null,
  );
}

/** A node at a zoom at which only its colour is visible. */
function drawTiny(node) {
  const { width, height } = BOX;
  const { label } = nodes[node];
  return svg(
    "g",
    { class: isInner(node) ? "node" : "node leaf", role: "treeitem", id: `node-${node}`, dataset: { node }, tabindex: -1 },
    svg("rect", { class: "ring", x: -8, y: -8, width: width + 16, height: height + 16 }),
    svg("rect", { class: "box", width, height, style: { fill: isInner(node) ? "var(--strong-edge)" : classColour(label) } }),
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
    inner ? splitText(node) : leafText(node),
    inner || !isForecast || NARROW ? classBar(nodes[node].counts, 10, height - 17, width - 20) : trainingBar(node),
    inner ? knob(isOpen, hidden) : null,
  );
}

function splitText(node) {
  const rows = formatCount(total(nodes[node].counts));
  const room = BOX.width - 32 - 6.6 * rows.length;
  return [
    svg("text", { class: "name", x: 10, y: 13 }, fitText(nodes[node].asks, room, 12.5, 600)),
    svg("text", { class: "rows", x: BOX.width - 12, y: 13, "text-anchor": "end" }, rows),
  ];
}

function leafText(node) {
  const { label, share, counts, doubtful } = nodes[node];
  const rows = NARROW || isForecast ? "" : ` of ${formatCount(total(counts))}`;
  const text = `${rounded(100 * share, 0)} %${doubtful ? " !" : ""}${rows}`;
  const mark = classMark(label);
  const wide = 9 + 7 * Array.from(mark).length;
  const room = BOX.width - wide - 30 - 6.1 * text.length;
  return [
    svg("rect", { x: 10, y: 6, width: wide, height: 15, rx: 4, style: { fill: classColour(label) } }),
    svg("text", { class: "letter", x: 10 + wide / 2, y: 13.5, style: { fill: classInk(label), "font-size": "10px" } }, mark),
    svg("text", { class: "name", x: 15 + wide, y: 13 }, fitText(classOf(node), room, 12.5, 600)),
    svg("text", { class: doubtful ? "rows doubt" : "rows", x: BOX.width - 10, y: 13, "text-anchor": "end" }, text, doubtful ? svg("title", null, DOUBT) : null),
  ];
}

/** The class bar of a leaf, with the share of its class among the training rows after it. */
function trainingBar(node) {
  const text = `${rounded(100 * trainingShare(node), 0)} % of ${formatCount(total(nodes[node].counts))}`;
  return [
    classBar(nodes[node].counts, 10, BOX.height - 17, BOX.width - 26 - 6.1 * text.length),
    svg("text", { class: "rows", x: BOX.width - 10, y: BOX.height - 11.5, "text-anchor": "end" }, text),
  ];
}

/** A stacked bar of class shares; parts that are wide enough show the mark of their class. */
function classBar(counts, x, y, width) {
  return classParts(counts, x, width).map(({ i, from, wide }) => {
    const mark = classMark(i);
    const fits = wide > 6 + 6 * Array.from(mark).length;
    return [
      classRect(i, from, y, wide, 10),
      fits && svg("text", { class: "letter", x: (from + wide / 2).toFixed(1), y: y + 5.3, style: { fill: classInk(i) } }, mark),
    ];
  });
}

/** The start and width of each class's part of a bar, without parts too thin to see. */
function classParts(counts, x, width) {
  const whole = total(counts) || 1;
  let from = x;
  const parts = counts.map((c, i) => {
    const wide = (width * c) / whole;
    from += wide;
    return { i, from: from - wide, wide };
  });
  return parts.filter(({ wide }) => wide >= 0.3);
}

function classRect(i, x, y, wide, height) {
  return svg("rect", { x: x.toFixed(2), y, width: Math.max(0.5, wide - 0.8).toFixed(2), height, style: { fill: classColour(i) } });
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
