// Numbers in words: one place, so that a figure reads the same all over the page.

const WHOLE = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 0 });
const SHORT = new Intl.NumberFormat("en-GB", { maximumSignificantDigits: 4 });
const WEIGHT = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 2 });

/** A number with four digits that count; whole numbers in full. */
function say(x) {
  if (!Number.isFinite(x)) return x > 0 ? "∞" : x < 0 ? "−∞" : "–";
  if (Number.isInteger(x)) return signed(WHOLE.format(x));
  if (x !== 0 && Math.abs(x) < 1e-4) return signed(x.toExponential(2));
  return signed(SHORT.format(x));
}

/** A number as one would type it: no separators, four digits that count, powers of ten where long. */
function asTyped(x) {
  const size = Math.abs(x);
  if (Number.isInteger(x) && size < 1e7) return String(x);
  return size !== 0 && (size >= 1e7 || size < 1e-4) ? powerOf(Number(x.toPrecision(4))) : String(Number(x.toPrecision(4)));
}

/** A number on an axis: as `say`, but short however large or small it is. */
function sayTick(x) {
  const size = Math.abs(x);
  if (!Number.isFinite(x) || (size < 1e6 && size >= 1e-4) || x === 0) return say(x);
  return signed(powerOf(Number(x.toPrecision(12))));
}

/** "1.5e18" */
function powerOf(x) {
  return x.toExponential().replace("e+", "e");
}

/** Rows, or weights of rows: at most two places. */
function count(x) {
  return signed(WEIGHT.format(x));
}

/** A share as "5.1 %". */
function percent(share, digits = 1) {
  if (!Number.isFinite(share)) return "–";
  return `${signed(rounded(100 * share, digits))}\u00a0%`;
}

/** A number with so many decimals; halves go to the even neighbour, as in the text of a tree. */
function rounded(x, digits) {
  const power = 10 ** digits;
  const low = Math.floor(x * power);
  return x * power - low === 0.5 ? ((low + (low % 2 === 0 ? 0 : 1)) / power).toFixed(digits) : x.toFixed(digits);
}

/** A share with its interval: "88 % [69–96]". */
function shareWithin(share, interval) {
  const ends = interval ? ` [${interval.map((end) => rounded(100 * end, 0)).join("–")}]` : "";
  return percent(share, 0) + ends;
}

/** "1 leaf", "12 leaves". */
function plural(n, one, many = `${one}s`) {
  return `${count(n)} ${n === 1 ? one : many}`;
}

function signed(text) {
  return text.replace("-", "−");
}

/** The sum of an array. */
function total(values) {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
}
