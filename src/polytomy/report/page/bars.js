// Bars: for importances, for distributions, and for scores on both sides of zero.

const LETTER = 6.4; // the width of a letter of a bin's name, about

/**
 * Draws a list of bars with their names and values in words.
 * @param {Object} options
 * @param {string} options.title caption
 * @param {{name: string, value: number, title: ?string, colour: ?string}[]} options.bars
 * @param {?function(number): string} options.valueSay how a value is written (`say` if absent)
 * @param {?number} options.most the value of the longest bar there could be; the largest if absent
 * @param {?boolean} options.signed bars grow to both sides of zero
 * @param {?number} options.show show so many and a button for the others
 * @returns {HTMLElement} a figure; the bars are a table, read aloud as such
 */
function barChart(options) {
  const { bars, title, valueSay = say, show = 20 } = options;
  const longest = options.most ?? (most(bars.map((bar) => Math.abs(bar.value))) || 1);
  const body = h("tbody", null, bars.map((bar) => barRow(bar, longest, valueSay, options.signed)));
  const table = h("table", { class: options.signed ? "bars signed" : "bars" }, body);
  const figure = h("figure", { class: "chart" }, h("figcaption", null, title), table);
  if (bars.length > show) figure.append(moreButton([...body.rows].slice(show), bars.length));
  return figure;
}

function barRow(bar, longest, valueSay, isSigned) {
  const length = `${Math.min(100, (100 * Math.abs(bar.value)) / longest).toFixed(2)}%`;
  const fillBar = h("span", {
    class: bar.value < 0 ? "bar below" : "bar",
    style: { "--length": length, ...(bar.colour ? { background: bar.colour } : {}) },
  });
  return h(
    "tr",
    null,
    h("th", { scope: "row", title: bar.title ?? bar.name }, bar.name),
    h("td", { class: "track", "aria-hidden": true }, fillBar),
    h("td", { class: "value" }, isSigned && bar.value > 0 ? `+${valueSay(bar.value)}` : valueSay(bar.value)),
  );
}

/** A button that shows rows that are hidden until it is pressed. */
function moreButton(rows, n) {
  for (const row of rows) row.hidden = true;
  const button = h("button", { type: "button", class: "quiet", onclick: showAll }, `Show all ${say(n)}`);
  function showAll() {
    for (const row of rows) row.hidden = false;
    button.remove();
  }
  return button;
}

/**
 * Draws upright bars side by side: how values lie here, and where others lie behind them.
 * @param {Object} options
 * @param {string} options.title caption
 * @param {string[]} options.labels one a bin
 * @param {{name: string, values: number[], colour: string}[]} options.stacks piled up in each bin
 * @param {?{name: string, values: number[]}} options.behind an outline behind the bars
 * @param {?function(number): string} options.valueSay
 * @returns {HTMLElement} a figure
 */
function stepChart(options) {
  const { labels, stacks, behind, title, valueSay = count } = options;
  const drawing = svg("svg", { role: "img", class: "drawing" });
  const series = [...stacks, ...(behind ? [behind] : [])];
  const head = ["", ...series.map((s) => s.name)].map((name) => h("th", { scope: "col" }, name));
  const rows = labels.map((label, i) =>
    h("tr", null, h("th", { scope: "row" }, label), series.map((s) => h("td", null, valueSay(s.values[i])))));
  const table = h("table", null, h("thead", null, h("tr", null, head)), h("tbody", null, rows));
  const figure = chartFigure({ title }, drawing, table);
  drawWide(figure, drawing, (width) => drawBins(drawing, options, width));
  return figure;
}

function drawBins(drawing, { labels, stacks, behind, valueSay = count }, width) {
  const height = 150;
  const box = { left: 2, right: width - 2, top: 8, bottom: height - 26 };
  const sums = labels.map((_, i) => total(stacks.map((s) => s.values[i])));
  const top = Math.max(most(sums), behind ? most(behind.values) : 0) || 1;
  const y = scale([0, top], [box.bottom, box.top]);
  const wide = (box.right - box.left) / labels.length;
  drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
  put(drawing, labels.map((label, i) => {
    const x = box.left + i * wide;
    const said = stacks.map((s) => `${s.name}: ${valueSay(s.values[i])}`);
    if (behind) said.push(`${behind.name}: ${valueSay(behind.values[i])}`);
    return svg("g", null,
      svg("title", null, `${label}\n${said.join("\n")}`),
      svg("rect", { class: "bin-area", x, y: box.top, width: wide, height: box.bottom - box.top }),
      behind && outline(x, wide, y, behind.values[i], box),
      pile(x, wide, y, stacks, i));
  }), binNames(labels, wide, box),
  svg("line", { class: "axis", x1: box.left, x2: box.right, y1: box.bottom, y2: box.bottom }));
}

function outline(x, wide, y, value, box) {
  return svg("rect", { class: "behind", x: x + 1, width: Math.max(1, wide - 2), y: y.at(value), height: box.bottom - y.at(value) });
}

function pile(x, wide, y, stacks, i) {
  let below = 0;
  return stacks.map((s) => {
    const [from, to] = [below, below + s.values[i]];
    below = to;
    if (!(to > from)) return null;
    return svg("rect", { x: x + wide * 0.15, width: wide * 0.7, y: y.at(to), height: y.at(from) - y.at(to), style: { fill: s.colour } });
  });
}

/** Names under the bins: the first, the last, and between them as many as there is room for. */
function binNames(labels, wide, box) {
  const last = labels.length - 1;
  const letters = Math.max(4, Math.floor(Math.min(150, (box.right - box.left) / 3) / LETTER));
  const out = [];
  let free = box.left;
  const lastText = shorten(labels[last], letters);
  const end = Math.min(box.right, box.left + (last + 0.5) * wide + (LETTER * lastText.length) / 2);
  const stop = last === 0 ? box.right : end - LETTER * lastText.length - 10;
  labels.slice(0, Math.max(1, last)).forEach((label, i) => {
    const text = shorten(label, letters);
    const from = Math.max(box.left, box.left + (i + 0.5) * wide - (LETTER * text.length) / 2);
    const to = from + LETTER * text.length;
    if (from < free || to > stop) return;
    out.push(svg("text", { class: "bin-name", x: from, y: box.bottom + 16 }, text));
    free = to + 10;
  });
  if (last > 0) out.push(svg("text", { class: "bin-name", x: end, y: box.bottom + 16, "text-anchor": "end" }, lastText));
  return out;
}
