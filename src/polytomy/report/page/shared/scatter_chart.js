// Scatter charts: dots of several sizes beside the line of equal values.

const LARGEST_DOT = 11; // radius in pixels
const SMALLEST_DOT = 2.5;

/**
 * Draws dots whose two values are of the same kind, with the line on which both are equal.
 * @param {Object} options
 * @param {string} options.title caption of the figure
 * @param {{x: number, y: number, size: number, reach: number, colour: string, name: string}[]} options.points
 *   the area of a dot is proportional to `size`; `reach` is half the length of the bar through it
 * @param {string} options.xLabel name of the x axis
 * @param {string} options.yLabel name of the y axis
 * @param {function(number): string} options.format how a value is written
 * @param {string} options.sizeName what `size` is
 * @returns {HTMLElement} a figure
 */
function scatterChart(options) {
  const { points, xLabel, yLabel, format, sizeName } = options;
  const drawing = svg("svg", { role: "img", class: "drawing" });
  const rows = [...points].sort((a, b) => a.x - b.x).map(({ name, x, y, size }) => [name, format(x), format(y), formatCount(size)]);
  const figure = chartFigure(options, drawing, plainTable(`Table: ${options.title}`, ["", xLabel, yLabel, sizeName], rows));
  drawWide(figure, drawing, (width) => drawDots(drawing, options, width));
  return figure;
}

function drawDots(drawing, { points, xLabel, yLabel, format, sizeName }, width) {
  const height = Math.min(420, Math.max(260, Math.round(0.7 * width)));
  const ends = points.flatMap(({ x, y, reach }) => [x, y - reach, y + reach]);
  let [low, high] = [minOf(ends), maxOf(ends)];
  if (!(high > low)) [low, high] = [low - 1, low + 1];
  const widest = maxOf([low, high].map((x) => format(x).length));
  const box = { left: 20 + 6.6 * widest, right: width - 18, top: 34, bottom: height - 44 };
  const margin = 0.04 * (high - low);
  const domain = [low - margin, high + margin];
  const x = scale(domain, [box.left, box.right]);
  const y = scale(domain, [box.bottom, box.top]);
  const most = maxOf(points.map(({ size }) => size)) || 1;
  drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
  put(
    drawing,
    axes(x, y, box, { x: xLabel, y: yLabel, formatX: format, formatY: format }),
    svg("line", { class: "equal", x1: x.at(domain[0]), y1: y.at(domain[0]), x2: x.at(domain[1]), y2: y.at(domain[1]) }),
    [...points].sort((a, b) => b.size - a.size).map((point) => svg("g", { class: "dot" },
      svg("title", null, `${point.name}\n${xLabel}: ${format(point.x)}\n${yLabel}: ${format(point.y)}\n${sizeName}: ${formatCount(point.size)}`),
      svg("line", { x1: x.at(point.x), x2: x.at(point.x), y1: y.at(point.y - point.reach), y2: y.at(point.y + point.reach) }),
      svg("circle", { cx: x.at(point.x).toFixed(1), cy: y.at(point.y).toFixed(1), r: Math.max(SMALLEST_DOT, LARGEST_DOT * Math.sqrt(point.size / most)).toFixed(1), style: { fill: point.colour } }))),
  );
}
