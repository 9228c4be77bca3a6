// Numbers as text, formatted alike on the whole page.

const WHOLE = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 0 });
const SHORT = new Intl.NumberFormat("en-GB", { maximumSignificantDigits: 4 });
const WEIGHT = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 2 });

/** A number with four significant digits; whole numbers in full. */
function formatNumber(x) {
  if (!Number.isFinite(x)) return x > 0 ? "∞" : x < 0 ? "−∞" : "–";
  if (Number.isInteger(x)) return signed(WHOLE.format(x));
  if (x !== 0 && Math.abs(x) < 1e-4) return signed(x.toExponential(2));
  return signed(SHORT.format(x));
}

/** A number as a reader would type it: four significant digits, no separators, exponents if it is long. */
function asTyped(x) {
  const size = Math.abs(x);
  if (Number.isInteger(x) && size < 1e7) return String(x);
  return size !== 0 && (size >= 1e7 || size < 1e-4) ? powerOf(Number(x.toPrecision(4))) : String(Number(x.toPrecision(4)));
}

/** A number on an axis: like `formatNumber`, but short even if it is very large or small. */
function formatTick(x) {
  const size = Math.abs(x);
  if (!Number.isFinite(x) || (size < 1e6 && size >= 1e-4) || x === 0) return formatNumber(x);
  return signed(powerOf(Number(x.toPrecision(12))));
}

/** The format of the ticks of an axis: if one is written with an exponent by `formatTick`, all are. */
function tickFormat(format, ticks) {
  const isShort = (x) => !/\de/.test(formatTick(x));
  if (format !== formatTick || ticks.every(isShort)) return format;
  return (x) => (x === 0 || !Number.isFinite(x) ? formatNumber(x) : signed(powerOf(Number(x.toPrecision(12)))));
}

/** "1.5e18" */
function powerOf(x) {
  return x.toExponential().replace("e+", "e");
}

/** A number or weight of rows, with at most two decimals. */
function formatCount(x) {
  return signed(WEIGHT.format(x));
}

/** A share as "5.1 %"; only a share of 0 is 0 %, and only one of 1 is 100 %. */
function percent(share, digits = 1) {
  return Number.isFinite(share) ? `${percentNumber(share, digits)}\u00a0%` : "–";
}

const ROUNDING = 1e-12; // a share that is this close to 0 or 1 differs from it by rounding errors only

/** A share as a percentage without the sign, with up to two more digits if it would read 0 or 100; as Python writes it. */
function percentNumber(share, digits = 1) {
  if (Math.abs(share) < ROUNDING || Math.abs(share - 1) < ROUNDING) return (100 * Math.round(share)).toFixed(digits);
  let text = "";
  for (let d = digits; d < digits + 3; d += 1) {
    text = rounded(100 * share, d);
    if (Number(text) !== 0 && Number(text) !== 100) return signed(text);
  }
  const bound = 10 ** -(digits + 2);
  return share < 0.5 ? `<${bound.toFixed(digits + 2)}` : `>${(100 - bound).toFixed(digits + 2)}`;
}

/** A number rounded to some decimals, halves to even as Python does. */
function rounded(x, digits) {
  const power = 10 ** digits;
  const low = Math.floor(x * power);
  return x * power - low === 0.5 ? ((low + (low % 2 === 0 ? 0 : 1)) / power).toFixed(digits) : x.toFixed(digits);
}

/** A share with its interval: "88 % [69–96]". */
function shareWithin(share, interval) {
  const ends = interval ? ` [${interval.map((end) => percentNumber(end, 0)).join("–")}]` : "";
  return percent(share, 0) + ends;
}

/** "1 leaf", "12 leaves". */
function plural(n, one, many = `${one}s`) {
  return `${formatCount(n)} ${n === 1 ? one : many}`;
}

function signed(text) {
  return text.replaceAll("-", "−");
}

/** A threshold of the facts as a number: infinite ones are stored as text. */
function thresholdNumber(threshold) {
  return threshold === "inf" ? Infinity : threshold === "-inf" ? -Infinity : threshold;
}

/** The sum of an array. */
function total(values) {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
}
