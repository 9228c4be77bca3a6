// Line charts: an SVG drawn at the available width, with legend, caption, and the numbers as a table.

const LINE_DASH = ["", "7 4", "2 3", "9 3 2 3", "1 4"];

/**
 * Draws lines.
 * @param {Object} options
 * @param {{name: string, x: number[], y: number[], dash: ?string, colour: ?string, step: ?boolean}[]} options.series
 *   `step` draws a step function: a value holds until the next x.
 * @param {string} options.title caption of the figure
 * @param {string} options.xLabel name of the x axis
 * @param {string} options.yLabel name of the y axis
 * @param {?boolean} options.logX
 * @param {?boolean} options.logY
 * @param {?{x: number, name: string, before: ?boolean}[]} options.marks vertical lines with a name,
 *   which is placed on the side with more room, or on the left
 * @param {?function(number): string} options.formatY how a y is written (`formatNumber` if absent)
 * @param {?function(number): string} options.formatCell how a y is written in the table (`formatY` if absent)
 * @param {?function(number): string} options.formatX how an x is written (`formatNumber` if absent)
 * @param {?boolean} options.fromZero start the y axis at zero (linear axes only; true if absent)
 * @param {?number} options.height of the drawing in pixels, 280 if absent
 * @param {?function(number)} options.onPick called with the x nearest to a click
 * @returns {HTMLElement} a figure with a method `update(changes)` that redraws it with other options
 */
function lineChart(options) {
  const state = { fromZero: true, height: 280, marks: [], formatX: formatNumber, formatY: formatNumber, ...options };
  state.series = state.series.map((one, i) => ({
    colour: `var(--line-${i % 5})`, dash: LINE_DASH[i % LINE_DASH.length], ...one,
  }));
  state.formatCell ??= state.formatY;
  const drawing = svg("svg", { role: "img", class: "drawing" });
  const figure = chartFigure(state, drawing, lineTable(state));
  drawWide(figure, drawing, (width) => drawLines(drawing, state, width));
  figure.update = (changes) => {
    Object.assign(state, changes);
    drawLines(drawing, state, state.width);
  };
  if (state.onPick) {
    drawing.classList.add("pickable");
    drawing.addEventListener("click", (event) => pickOn(drawing, state, event));
  }
  return figure;
}

/** A figure: caption, legend, drawing and the table of its numbers. */
function chartFigure(state, drawing, table) {
  drawing.setAttribute("aria-label", `${state.title}. The numbers are in the table below.`);
  return h(
    "figure",
    { class: "chart" },
    h("figcaption", null, breakable(state.title)),
    state.series && state.series.length > 1 ? legend(state.series) : null,
    drawing,
    table && h("details", { class: "numbers" }, h("summary", null, "Show as table"), table),
  );
}

/** Draws now and each time the width changes. */
function drawWide(figure, drawing, draw) {
  let last = 0;
  const again = () => {
    const width = Math.round(drawing.clientWidth);
    if (width > 0 && width !== last) {
      last = width;
      draw(width);
    }
  };
  draw(640);
  new ResizeObserver(again).observe(figure);
}

function legend(series) {
  const items = series.map((one) => {
    const line = svg("line", {
      x1: 0, x2: 26, y1: 5, y2: 5, "stroke-width": 2.5, "stroke-dasharray": one.dash || null,
      style: { stroke: one.colour },
    });
    return h("li", null, svg("svg", { width: 26, height: 10, "aria-hidden": true }, line), one.name);
  });
  return h("ul", { class: "legend" }, items);
}

function lineTable(state) {
  const xs = [...new Set(state.series.flatMap((one) => one.x))].sort((a, b) => a - b);
  const rows = thinned(xs, 200).map((x) =>
    h("tr", null, h("th", { scope: "row" }, state.formatX(x)), state.series.map((one) => {
      const i = one.x.indexOf(x);
      return h("td", null, i < 0 ? "" : state.formatCell(one.y[i]));
    })));
  const head = [state.xLabel, ...state.series.map((one) => one.name)].map((name) => h("th", { scope: "col" }, name));
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": `Table: ${state.title}` },
    h("table", null, h("thead", null, h("tr", null, head)), h("tbody", null, rows)));
}

/** At most n of some values, including both ends. */
function thinned(values, n) {
  if (values.length <= n) return values;
  const every = (values.length - 1) / (n - 1);
  return Array.from({ length: n }, (_, i) => values[Math.round(i * every)]);
}

function lineScales(state, box) {
  const xs = state.series.flatMap((one) => one.x);
  const ys = state.series.flatMap((one) => one.y).filter((y) => Number.isFinite(y) && (!state.logY || y > 0));
  const [x0, x1] = [minOf(xs), maxOf(xs)];
  let [y0, y1] = [minOf(ys), maxOf(ys)];
  if (!state.logY) {
    if (state.fromZero) [y0, y1] = [Math.min(0, y0), Math.max(0, y1)];
    if (y1 === y0) y1 = y0 + 1;
  }
  const logX = Boolean(state.logX) && x0 > 0 && x1 > x0;
  const x = scale([x0, x1 > x0 ? x1 : x0 + 1], [box.left, box.right], logX);
  return {
    x: xs.every(Number.isInteger) ? onlyWhole(x) : x,
    y: scale([y0, y1], [box.bottom, box.top], Boolean(state.logY)),
  };
}

function minOf(values) {
  return values.reduce((a, b) => Math.min(a, b), Infinity);
}

function maxOf(values) {
  return values.reduce((a, b) => Math.max(a, b), -Infinity);
}

function drawLines(drawing, state, width) {
  const height = state.height;
  const box = { left: 58, right: width - 14, top: 34, bottom: height - 44 };
  const { x, y } = lineScales(state, box);
  state.place = x;
  state.width = width; // stored, because reading it from the browser would force a layout
  drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const labels = { x: state.xLabel, y: state.yLabel, formatX: state.formatX, formatY: state.formatY };
  put(
    drawing,
    axes(x, y, box, labels),
    state.series.map((one) => drawLine(one, x, y)),
    state.marks.map((mark) => drawMark(mark, x, box)),
  );
}

function drawLine(one, x, y) {
  const points = one.x
    .map((value, i) => [x.at(value), y.at(one.y[i])])
    .filter((p) => p.every(Number.isFinite))
    .map((p) => p.map((v) => v.toFixed(1)));
  const path = points
    .map(([px, py], i) => (i === 0 ? `M${px} ${py}` : one.step ? `H${px}V${py}` : `L${px} ${py}`))
    .join("");
  const attributes = { "stroke-dasharray": one.dash || null, style: { stroke: one.colour } };
  return [
    svg("path", { class: "line", d: path, ...attributes }),
    points.length < 2 ? points.map(([cx, cy]) => svg("circle", { cx, cy, r: 3, style: { fill: one.colour } })) : null,
  ];
}

function drawMark(mark, x, box) {
  const place = x.at(mark.x);
  const right = mark.before || place > (box.left + box.right) / 2;
  return svg(
    "g",
    { class: "mark" },
    svg("line", { x1: place, x2: place, y1: box.top, y2: box.bottom }),
    svg("text", { x: place + (right ? -6 : 6), y: box.top + 10, "text-anchor": right ? "end" : "start" }, mark.name),
  );
}

function pickOn(drawing, state, event) {
  const area = drawing.getBoundingClientRect();
  const place = ((event.clientX - area.left) / area.width) * drawing.viewBox.baseVal.width;
  const wanted = state.place.back(place);
  const xs = state.series[0].x;
  state.onPick(xs.reduce((best, x) => (Math.abs(x - wanted) < Math.abs(best - wanted) ? x : best), xs[0]));
}

/** Round values between two ends, about `n` of them. */
function ticksBetween(low, high, n) {
  if (!(high > low)) return [low];
  const rough = (high - low) / Math.max(1, n);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((m) => m * power).find((s) => s >= rough * 0.999);
  const first = Math.ceil(low / step - 1e-9);
  const out = new Set();
  for (let i = 0; i <= 2 * n + 2; i += 1) { // counted, because adding a step to a huge number may not change it
    const tick = (first + i) * step;
    if (tick > high + 1e-9 * step) break;
    out.add(Number(tick.toPrecision(15)));
  }
  return [...out];
}

/** The values 1, 2, 5 times powers of ten between two ends; only powers of ten if there are many. */
function logTicks(low, high, n) {
  const out = [];
  for (let p = Math.floor(Math.log10(low)); p <= Math.ceil(Math.log10(high)); p += 1) {
    for (const m of [1, 2, 5]) out.push(Number((m * 10 ** p).toPrecision(6)));
  }
  const inside = out.filter((t) => t >= low * 0.999 && t <= high * 1.001);
  if (inside.length <= n + 1) return inside;
  const tens = inside.filter((t) => Number.isInteger(Math.log10(t)));
  return tens.length >= 2 ? tens : inside;
}

/**
 * A scale: maps numbers to positions in the drawing.
 * @returns {{at: function(number): number, back: function(number): number, ticks: function(number): number[]}}
 */
function scale(domain, range, log = false) {
  const to = log ? Math.log : (x) => x;
  const from = log ? Math.exp : (x) => x;
  const [a, b] = domain.map(to);
  const width = b - a || 1;
  const [r0, r1] = range;
  return {
    at: (x) => r0 + ((to(x) - a) / width) * (r1 - r0),
    back: (place) => from(a + ((place - r0) / (r1 - r0)) * width),
    ticks: (n) => (log ? logTicks(domain[0], domain[1], n) : ticksBetween(domain[0], domain[1], n)),
  };
}

/** A scale with ticks at whole numbers only. */
function onlyWhole(x) {
  return { ...x, ticks: (n) => x.ticks(n).filter(Number.isInteger) };
}

/** The grid lines, tick labels and names of both axes. */
function axes(x, y, box, labels) {
  const { left, right, top, bottom } = box;
  const down = y.ticks(Math.max(2, Math.round((bottom - top) / 45)));
  const across = x.ticks(Math.max(2, Math.round((right - left) / 80)));
  const [formatX, formatY] = [tickFormat(labels.formatX, across), tickFormat(labels.formatY, down)];
  return svg(
    "g",
    { class: "axes" },
    down.map((t) => svg("line", { class: "grid", x1: left, x2: right, y1: y.at(t), y2: y.at(t) })),
    down.map((t) => svg("text", { x: left - 8, y: y.at(t) + 4, "text-anchor": "end" }, formatY(t))),
    apart(across, x, formatX).map((t) => svg("text", { x: x.at(t), y: bottom + 18, "text-anchor": "middle" }, formatX(t))),
    svg("line", { class: "axis", x1: left, x2: right, y1: bottom, y2: bottom }),
    svg("text", { class: "axis-name", x: right, y: bottom + 36, "text-anchor": "end" }, labels.x),
    svg("text", { class: "axis-name", x: left, y: top - 12 }, labels.y),
  );
}

/** The ticks whose labels do not overlap the previous one. */
function apart(ticks, x, format) {
  let free = -Infinity;
  return ticks.filter((tick) => {
    const half = 3.4 * format(tick).length;
    if (x.at(tick) - half < free) return false;
    free = x.at(tick) + half + 6;
    return true;
  });
}
