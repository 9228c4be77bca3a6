// Scales and axes of the charts.

/** Round values between two ends, about `n` of them. */
function ticksBetween(low, high, n) {
  if (!(high > low)) return [low];
  const rough = (high - low) / Math.max(1, n);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((m) => m * power).find((s) => s >= rough * 0.999);
  const first = Math.ceil(low / step - 1e-9);
  const out = new Set();
  for (let i = 0; i <= 2 * n + 2; i += 1) { // counted: where numbers are huge, adding a step may add nothing
    const tick = (first + i) * step;
    if (tick > high + 1e-9 * step) break;
    out.add(Number(tick.toPrecision(15)));
  }
  return [...out];
}

/** The values 1, 2, 5 times powers of ten between two ends; powers of ten alone where many. */
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
 * A scale: numbers to places on the drawing.
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

/** A scale of whole things, which has no ticks between them. */
function onlyWhole(x) {
  return { ...x, ticks: (n) => x.ticks(n).filter(Number.isInteger) };
}

/** The grid lines and numbers of both axes, and their names. */
function axes(x, y, box, labels) {
  const { left, right, top, bottom } = box;
  const down = y.ticks(Math.max(2, Math.round((bottom - top) / 45)));
  const across = x.ticks(Math.max(2, Math.round((right - left) / 80)));
  return svg(
    "g",
    { class: "axes" },
    down.map((t) => svg("line", { class: "grid", x1: left, x2: right, y1: y.at(t), y2: y.at(t) })),
    down.map((t) => svg("text", { x: left - 8, y: y.at(t) + 4, "text-anchor": "end" }, labels.ySay(t))),
    apart(across, x, labels.xSay).map((t) => svg("text", { x: x.at(t), y: bottom + 18, "text-anchor": "middle" }, labels.xSay(t))),
    svg("line", { class: "axis", x1: left, x2: right, y1: bottom, y2: bottom }),
    svg("text", { class: "axis-name", x: right, y: bottom + 36, "text-anchor": "end" }, labels.x),
    svg("text", { class: "axis-name", x: left, y: top - 12 }, labels.y),
  );
}

/** The ticks whose labels do not run into the one before. */
function apart(ticks, x, tell) {
  let free = -Infinity;
  return ticks.filter((tick) => {
    const half = 3.4 * tell(tick).length;
    if (x.at(tick) - half < free) return false;
    free = x.at(tick) + half + 6;
    return true;
  });
}
