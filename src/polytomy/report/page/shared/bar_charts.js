// Bar charts: horizontal bars for importances and scores, vertical ones for distributions.

const LETTER = 6.4; // approximate width of a letter of a bin's label

/**
 * Draws horizontal bars with their names and values.
 * @param {Object} options
 * @param {string} options.title caption
 * @param {{name: string, value: number, title: ?string, colour: ?string, note: ?string}[]} options.bars `note` follows the name
 * @param {?function(number): string} options.formatValue how a value is written (`formatNumber` if absent)
 * @param {?number} options.most the value of a bar of full length; the largest value if absent
 * @param {?boolean} options.signed bars extend to both sides of zero
 * @param {?number} options.show number of bars shown at first; a button shows the others
 * @returns {HTMLElement} a figure; the bars are a table
 */
function barChart(options) {
  const { bars, title, formatValue = formatNumber, show = 20 } = options;
  const longest = options.most ?? (maxOf(bars.map((bar) => Math.abs(bar.value))) || 1);
  const body = h("tbody", null, bars.map((bar) => barRow(bar, longest, formatValue, options.signed)));
  const table = h("table", { class: options.signed ? "bars signed" : "bars" }, body);
  const figure = h("figure", { class: "chart" }, h("figcaption", null, title), table);
  if (bars.length > show) figure.append(moreButton([...body.rows].slice(show), bars.length));
  return figure;
}

function barRow(bar, longest, formatValue, isSigned) {
  const length = `${Math.min(100, (100 * Math.abs(bar.value)) / longest).toFixed(2)}%`;
  const fillBar = h("span", {
    class: bar.value < 0 ? "bar below" : "bar",
    style: { "--length": length, ...(bar.colour ? { background: bar.colour } : {}) },
  });
  return h(
    "tr",
    null,
    h("th", { scope: "row", title: bar.title ?? bar.name }, breakable(shortenMiddle(bar.name, 80)), bar.note ? h("span", { class: "muted nowrap" }, ` ${bar.note}`) : null),
    h("td", { class: "track", "aria-hidden": true }, fillBar),
    h("td", { class: "value" }, isSigned && bar.value > 0 ? `+${formatValue(bar.value)}` : formatValue(bar.value)),
  );
}

/** Hides rows, and returns a button that shows them. */
function moreButton(rows, n) {
  for (const row of rows) row.hidden = true;
  const note = h("p", { class: "note in-print" }, `${formatNumber(rows.length)} of ${formatNumber(n)} are not shown.`);
  const button = h("button", { type: "button", class: "quiet", onclick: showAll }, `Show all ${formatNumber(n)}`);
  function showAll() {
    for (const row of rows) row.hidden = false;
    more.remove();
  }
  const more = h("div", null, button, note);
  return more;
}

/**
 * Draws a histogram of stacked bars, with another histogram behind it.
 * @param {Object} options
 * @param {string} options.title caption
 * @param {string[]} options.labels one for each bin
 * @param {{name: string, values: number[], colour: ?string, colours: ?string[]}[]} options.stacks stacked in each bin, in one
 *   colour or in one for each bin
 * @param {?{name: string, values: number[]}} options.behind an outline behind the bars
 * @param {?{name: string, values: ?number[], format: function(number): string}} options.line values of the bins, null for none,
 *   drawn as a line on a scale of its own
 * @param {?number[]} options.cuts where vertical lines are drawn, in bins from the left
 * @param {?function(number): string} options.formatValue
 * @returns {HTMLElement} a figure
 */
function histogram(options) {
  const { labels, stacks, behind, line, title, formatValue = formatCount } = options;
  const drawing = svg("svg", { role: "img", class: "drawing" });
  const series = [...stacks, ...(behind ? [behind] : [])];
  const head = ["", ...series.map((s) => s.name), ...(line ? [line.name] : [])].map((name) => h("th", { scope: "col" }, name));
  const rows = labels.map((label, i) =>
    h("tr", null, h("th", { scope: "row" }, label), series.map((s) => h("td", null, formatValue(s.values[i]))),
      line ? h("td", null, line.values[i] === null ? "–" : line.format(line.values[i])) : null));
  const table = h("table", null, h("thead", null, h("tr", null, head)), h("tbody", null, rows));
  const figure = chartFigure({ title }, drawing, table);
  drawWide(figure, drawing, (width) => drawBins(drawing, options, width));
  return figure;
}

function drawBins(drawing, { labels, stacks, behind, line, cuts = [], formatValue = formatCount }, width) {
  const height = 150;
  const own = line ? lineScale(line, height) : null;
  const box = { left: 2, right: width - 2 - (own?.room ?? 0), top: 8, bottom: height - 26 };
  const sums = labels.map((_, i) => total(stacks.map((s) => s.values[i])));
  const top = Math.max(maxOf(sums), behind ? maxOf(behind.values) : 0) || 1;
  const y = scale([0, top], [box.bottom, box.top]);
  const wide = (box.right - box.left) / labels.length;
  drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
  put(drawing, labels.map((label, i) => {
    const x = box.left + i * wide;
    const lines = stacks.map((s) => `${s.name}: ${formatValue(s.values[i])}`);
    if (behind) lines.push(`${behind.name}: ${formatValue(behind.values[i])}`);
    if (line && line.values[i] !== null) lines.push(`${line.name}: ${line.format(line.values[i])}`);
    return svg("g", null,
      svg("title", null, `${label}\n${lines.join("\n")}`),
      svg("rect", { class: "bin-area", x, y: box.top, width: wide, height: box.bottom - box.top }),
      behind && outline(x, wide, y, behind.values[i], box),
      stackedBar(x, wide, y, stacks, i));
  }), binNames(labels, wide, box),
  svg("line", { class: "axis", x1: box.left, x2: box.right, y1: box.bottom, y2: box.bottom }),
  cuts.map((place) => svg("path", { class: "cut", d: `M${(box.left + wide * place).toFixed(1)} ${box.top - 6}V${box.bottom}` })),
  own ? binLine(line, own, wide, box) : null);
}

/** The scale of a line over the bins, the values named beside it, and the room for their names. */
function lineScale({ values, format }, height) {
  const known = values.filter((value) => value !== null);
  const [low, high] = [minOf(known), maxOf(known)];
  const ends = high > low ? [low, high] : [low];
  const y = scale(high > low ? [low, high] : [low - 1, low + 1], [height - 26 - 12, 20]);
  return { y, ends, room: 10 + 6.2 * maxOf(ends.map((end) => format(end).length)) };
}

function binLine({ values, format, name }, { y, ends }, wide, box) {
  const dots = values.map((value, i) => (value === null ? null : [box.left + (i + 0.5) * wide, y.at(value)])).filter(Boolean);
  const path = dots.map(([px, py], i) => `${i === 0 ? "M" : "L"}${px.toFixed(1)} ${py.toFixed(1)}`).join("");
  return svg("g", { class: "bin-line" },
    svg("path", { d: path }), dots.map(([cx, cy]) => svg("circle", { cx: cx.toFixed(1), cy: cy.toFixed(1), r: 2.5 })),
    ends.map((end) => svg("text", { class: "bin-name", x: box.right + 6, y: y.at(end) + 4 }, format(end))),
    svg("text", { class: "bin-name", x: box.right + 6, y: 8 }, shorten(name, 4) === name ? name : "mean"));
}

function outline(x, wide, y, value, box) {
  return svg("rect", { class: "behind", x: x + 1, width: Math.max(1, wide - 2), y: y.at(value), height: box.bottom - y.at(value) });
}

function stackedBar(x, wide, y, stacks, i, filled = 0.7) {
  let below = 0;
  return stacks.map((s) => {
    const [from, to] = [below, below + s.values[i]];
    below = to;
    if (!(to > from)) return null;
    return svg("rect", { x: (x + (wide * (1 - filled)) / 2).toFixed(2), width: (wide * filled).toFixed(2), y: y.at(to), height: y.at(from) - y.at(to), style: { fill: s.colours ? s.colours[i] : s.colour } });
  });
}

/** Labels under the bins: the first, the last, and as many between them as fit. */
function binNames(labels, wide, box) {
  const last = labels.length - 1;
  const letters = Math.max(4, Math.floor(Math.min(150, (box.right - box.left) / 3) / LETTER));
  const out = [];
  let free = box.left;
  const lastText = shortenMiddle(labels[last], letters);
  const end = Math.min(box.right, box.left + (last + 0.5) * wide + (LETTER * lastText.length) / 2);
  const stop = last === 0 ? box.right : end - LETTER * lastText.length - 10;
  labels.slice(0, Math.max(1, last)).forEach((label, i) => {
    const text = shortenMiddle(label, letters);
    const from = Math.max(box.left, box.left + (i + 0.5) * wide - (LETTER * text.length) / 2);
    const to = from + LETTER * text.length;
    if (from < free || to > stop) return;
    out.push(svg("text", { class: "bin-name", x: from, y: box.bottom + 16 }, text));
    free = to + 10;
  });
  if (last > 0) out.push(svg("text", { class: "bin-name", x: end, y: box.bottom + 16, "text-anchor": "end" }, lastText));
  return out;
}

/** Bars of the columns of an ensemble: their shares of the gain, and the numbers of splits on them. */
function gainCharts() {
  const bars = (key) => facts.columns.map((column) => ({ name: column.name, value: column[key] }))
    .filter((bar) => bar.value > 0).sort((a, b) => b.value - a.value);
  return h("div", { class: "stack" },
    barChart({ title: "Share of the total gain of all splits", bars: bars("importance"), formatValue: (x) => percent(x), show: 15 }),
    barChart({ title: "Number of splits on each column", bars: bars("questions"), show: 15 }));
}
