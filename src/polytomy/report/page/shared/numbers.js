// A numeric target: its values as text, the colours of means, and predicted beside actual means.

const numbers = facts.numbers;

/** A value of the target as text, with the digits that its spread justifies. */
function formatValue(x) {
  if (!Number.isFinite(x)) return formatNumber(x);
  const { decimals, exponent, trimmed } = numbers;
  const power = 10 ** Math.max(0, -decimals);
  const value = (decimals > 0 ? Number(x.toFixed(Math.min(decimals, 100))) : Math.round(x / power) * power) + 0;
  if (value === 0) return "0";
  if (exponent) {
    const digits = Math.max(0, Math.min(20, Math.floor(Math.log10(Math.abs(value))) + decimals));
    return signed(powerOf(Number(value.toExponential(digits))));
  }
  const shown = Math.max(0, Math.min(20, decimals));
  return signed(value.toLocaleString("en-GB", { minimumFractionDigits: trimmed ? 0 : shown, maximumFractionDigits: shown }));
}

/** A mean squared error as text: four digits, with an exponent if it is long. */
function formatSquared(x) {
  return formatTick(Number(x.toPrecision(4)));
}

/** Where a number lies on a scale, from 0 to 1. */
function positionOn({ low, high }, x) {
  return high > low ? Math.min(1, Math.max(0, (x - low) / (high - low))) : 0.5;
}

/** The colour at a position of a scale. */
function rampColour(position) {
  return `color-mix(in oklab, var(--mean-high) ${(100 * position).toFixed(1)}%, var(--mean-low))`;
}

/** Where a mean lies between the lowest and the highest leaf, from 0 to 1. */
function positionOf(mean) {
  return positionOn(numbers, mean);
}

/** The colour of a mean on the scale from the lowest to the highest leaf. */
function meanColour(mean) {
  return rampColour(positionOf(mean));
}

/**
 * The errors on some rows, and a chart of predicted and actual means.
 * @param {string} title such as "Test rows"
 * @param {string} id of the element
 * @param {{error: number, r2: ?number, absolute: ?number}} errors mean squared error, R2 and mean absolute error
 * @param {Object} chart `title` and `points` of the chart, see `scatterChart`; the points have no colour
 */
function predictedAndActual(title, id, { error, r2, absolute }, chart) {
  const figures = [
    ["R²", r2 === undefined ? "–" : signed(r2.toFixed(3))],
    ["Mean squared error", formatSquared(error)],
    ["Mean absolute error", absolute === undefined ? null : formatValue(absolute)],
  ].filter(([, value]) => value !== null);
  const points = chart.points.map((point) => ({ ...point, colour: meanColour(point.x) }));
  return h("div", { id },
    h("h3", { style: { "margin-top": 0 } }, title),
    h("dl", { class: "figures small" }, figures.map(([name, value]) => h("div", null, h("dt", null, name), h("dd", null, value)))),
    scatterChart({ title: chart.title, points, xLabel: "predicted mean", yLabel: "actual mean", format: formatValue, sizeName: facts.weighted ? "weight" : "rows" }));
}
