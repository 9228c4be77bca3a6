// Line charts: an SVG drawn at the width there is, a legend, a caption, and the numbers as a table.

const LINE_DASH = ["", "7 4", "2 3", "9 3 2 3", "1 4"];

/**
 * Draws lines.
 * @param {Object} options
 * @param {{name: string, x: number[], y: number[], dash: ?string, colour: ?string, step: ?boolean}[]} options.series
 *   `step` draws a staircase: a value holds until the next x.
 * @param {string} options.title caption of the figure
 * @param {string} options.xLabel name of the x axis
 * @param {string} options.yLabel name of the y axis
 * @param {?boolean} options.logX
 * @param {?boolean} options.logY
 * @param {?{x: number, name: string, before: ?boolean}[]} options.marks upright lines with a name, which stands
 *   where there is more room, or before the line
 * @param {?function(number): string} options.ySay how a y is written (`say` if absent)
 * @param {?function(number): string} options.xSay how an x is written (`say` if absent)
 * @param {?boolean} options.fromZero start the y axis at zero (linear axes only; true if absent)
 * @param {?number} options.height of the drawing in pixels, 280 if absent
 * @param {?function(number)} options.onPick called with the nearest x of a click
 * @returns {HTMLElement} a figure with a method `update(changes)` that draws anew with other options
 */
function lineChart(options) {
  const state = { fromZero: true, height: 280, marks: [], xSay: say, ySay: say, ...options };
  state.series = state.series.map((one, i) => ({
    colour: `var(--line-${i % 5})`, dash: LINE_DASH[i % LINE_DASH.length], ...one,
  }));
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
  drawing.setAttribute("aria-label", `${state.title}. The numbers are in the table below it.`);
  return h(
    "figure",
    { class: "chart" },
    h("figcaption", null, state.title),
    state.series && state.series.length > 1 ? legend(state.series) : null,
    drawing,
    table && h("details", { class: "numbers" }, h("summary", null, "The numbers as a table"), table),
  );
}

/** Draws now and whenever the width changes. */
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
    h("tr", null, h("th", { scope: "row" }, state.xSay(x)), state.series.map((one) => {
      const i = one.x.indexOf(x);
      return h("td", null, i < 0 ? "" : state.ySay(one.y[i]));
    })));
  const head = [state.xLabel, ...state.series.map((one) => one.name)].map((name) => h("th", { scope: "col" }, name));
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": `Table: ${state.title}` },
    h("table", null, h("thead", null, h("tr", null, head)), h("tbody", null, rows)));
}

/** At most n of some values, the ends among them. */
function thinned(values, n) {
  if (values.length <= n) return values;
  const every = (values.length - 1) / (n - 1);
  return Array.from({ length: n }, (_, i) => values[Math.round(i * every)]);
}

function lineScales(state, box) {
  const xs = state.series.flatMap((one) => one.x);
  const ys = state.series.flatMap((one) => one.y).filter((y) => Number.isFinite(y) && (!state.logY || y > 0));
  const [x0, x1] = [least(xs), most(xs)];
  let [y0, y1] = [least(ys), most(ys)];
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

function least(values) {
  return values.reduce((a, b) => Math.min(a, b), Infinity);
}

function most(values) {
  return values.reduce((a, b) => Math.max(a, b), -Infinity);
}

function drawLines(drawing, state, width) {
  const height = state.height;
  const box = { left: 58, right: width - 14, top: 34, bottom: height - 44 };
  const { x, y } = lineScales(state, box);
  state.place = x;
  state.width = width; // kept, as asking the browser for it would make it lay out the page
  drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const labels = { x: state.xLabel, y: state.yLabel, xSay: state.xSay, ySay: state.ySay };
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
