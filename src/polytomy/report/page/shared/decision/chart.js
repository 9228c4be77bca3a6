// Charts of shares: a curve over thresholds with a dot for the current one, and calibration with intervals.

/**
 * Draws a curve with a dot at the current threshold.
 * @param {Object} options
 * @param {string} options.title caption
 * @param {string} options.xLabel name of the x axis, a share
 * @param {string} options.yLabel name of the y axis
 * @param {number[]} options.x
 * @param {number[]} options.y
 * @param {?boolean} options.step the curve is constant between two points
 * @param {?number[][]} options.base two ends of a dashed line: what choosing at random would give
 * @param {?function(number): string} options.formatY `wholePercent` if absent
 * @returns {HTMLElement} a figure with a method `show(i)` that moves the dot to point i
 */
function thresholdChart(options) {
  const { x, y, base, formatY = wholePercent } = options;
  const drawing = svg("svg", { role: "img", class: "drawing curve" });
  const dot = svg("circle", { class: "now", r: 5 });
  const state = { at: 0, place: null };
  const figure = chartFigure(options, drawing, null);
  const move = () => {
    const known = Number.isFinite(x[state.at]) && Number.isFinite(y[state.at]);
    dot.setAttribute("visibility", known ? "visible" : "hidden");
    if (!known) return;
    dot.setAttribute("cx", state.place.x.at(x[state.at]).toFixed(1));
    dot.setAttribute("cy", state.place.y.at(y[state.at]).toFixed(1));
  };
  drawWide(figure, drawing, (width) => {
    const top = Math.max(1, maxOf(y.filter(Number.isFinite)));
    const { box, place } = shareAxes(drawing, width, top);
    state.place = place;
    put(drawing,
      axes(place.x, place.y, box, { x: options.xLabel, y: options.yLabel, formatX: wholePercent, formatY }),
      base ? dashed(base, place) : null,
      drawLine({ x, y, step: options.step, colour: "var(--line-0)" }, place.x, place.y),
      dot);
    move();
  });
  figure.show = (i) => {
    state.at = i;
    move();
  };
  return figure;
}

/** The scales of a drawing whose x axis is a share, and its size. */
function shareAxes(drawing, width, top) {
  const height = Math.min(300, Math.max(220, Math.round(0.72 * width)));
  const box = { left: 52, right: width - 16, top: 32, bottom: height - 42 };
  drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
  return { box, place: { x: scale([0, 1], [box.left, box.right]), y: scale([0, top], [box.bottom, box.top]) } };
}

function dashed([[x0, y0], [x1, y1]], { x, y }) {
  return svg("line", { class: "equal", x1: x.at(x0), y1: y.at(y0), x2: x.at(x1), y2: y.at(y1) });
}

/** A share as "5 %" on an axis. */
function wholePercent(share) {
  return percent(share, 0);
}

/** Predicted probabilities beside observed shares, with their intervals. */
function calibrationChart({ predicted, observed, low, high, weight }) {
  const title = "Calibration";
  const drawing = svg("svg", { role: "img", class: "drawing curve" });
  const head = ["Predicted", "Observed [95 %]", facts.decision.weighted ? "Weight" : "Rows"];
  const rows = predicted.map((share, i) => [percent(share), rateText([observed[i], low[i], high[i]]), formatCount(weight[i])]);
  const figure = chartFigure({ title }, drawing, plainTable(`Table: ${title}`, head, rows));
  const most = maxOf(weight) || 1;
  drawWide(figure, drawing, (width) => {
    const { box, place } = shareAxes(drawing, width, 1);
    const { x, y } = place;
    put(drawing,
      axes(x, y, box, { x: "predicted probability", y: "observed share", formatX: wholePercent, formatY: wholePercent }),
      dashed([[0, 0], [1, 1]], place),
      predicted.map((share, i) => svg("g", { class: "dot" },
        svg("title", null, `predicted ${percent(share)}, observed ${rateText([observed[i], low[i], high[i]])}, ${rows[i][2]} ${head[2].toLowerCase()}`),
        svg("line", { x1: x.at(share), x2: x.at(share), y1: y.at(low[i]), y2: y.at(high[i]) }),
        svg("circle", { cx: x.at(share).toFixed(1), cy: y.at(observed[i]).toFixed(1), r: (3 + 4 * Math.sqrt(weight[i] / most)).toFixed(1), style: { fill: "var(--line-0)" } }))));
  });
  return figure;
}

/** A number from 0 to 1 with three decimals, or as many as show that it is neither 0 nor 1. */
function fraction(x) {
  const digits = [3, 4, 5, 6].find((n) => x === 0 || x === 1 || (Number(x.toFixed(n)) > 0 && Number(x.toFixed(n)) < 1));
  return x.toFixed(digits ?? 6);
}

/** The area under a ROC curve with its interval. */
function areaText(area) {
  return `${fraction(area[0])} [${fraction(area[1])}–${fraction(area[2])}]`;
}

/** A rate with its interval: "12.3 % [9.8–15.4]"; a dash if there are no rows. */
function rateText(rate) {
  if (!rate) return "–";
  return `${percent(rate[0])} [${rounded(100 * rate[1], 1)}–${rounded(100 * rate[2], 1)}]`;
}

/**
 * A rate as a dot on its interval, beside the rate of all rows.
 * @param {?number[]} rate value and ends
 * @param {number} most the end of the scale
 * @param {number} overall the rate of all rows
 */
function whisker(rate, most, overall) {
  const x = scale([0, most || 1], [4, 116]);
  return svg("svg", { class: "whisker", viewBox: "0 0 120 16", width: 120, height: 16, "aria-hidden": true },
    svg("line", { class: "overall", x1: x.at(overall), x2: x.at(overall), y1: 0, y2: 16 }),
    rate ? svg("line", { class: "reach", x1: x.at(rate[1]), x2: x.at(Math.min(rate[2], most)), y1: 8, y2: 8 }) : null,
    rate ? svg("circle", { cx: x.at(rate[0]), cy: 8, r: 3.5 }) : null);
}

/** A small histogram without axes; `other` is drawn as an outline. */
function sparkHistogram(labels, values, other) {
  const shares = (list) => list.map((value) => value / (total(list) || 1));
  const [own, new_] = [shares(values), other ? shares(other) : null];
  const top = Math.max(maxOf(own), new_ ? maxOf(new_) : 0) || 1;
  const wide = Math.min(14, 168 / labels.length);
  const bar = (name, share, i, inset) => svg("rect", { class: name, x: (i * wide + inset).toFixed(1), width: Math.max(1, wide - 1 - 2 * inset).toFixed(1), y: (32 - (30 * share) / top).toFixed(1), height: ((30 * share) / top).toFixed(1) });
  const words = labels.map((label, i) => `${label}: ${percent(own[i])}${new_ ? `, new ${percent(new_[i])}` : ""}`);
  return svg("svg", { class: "spark", viewBox: "0 0 170 33", width: 170, height: 33, role: "img", "aria-label": words.join("; ") },
    labels.map((_, i) => svg("g", null,
      svg("title", null, words[i]),
      svg("rect", { class: "bin-area", x: i * wide, y: 0, width: wide, height: 33 }),
      bar("here", own[i], i, 0), new_ ? bar("there", new_[i], i, 0) : null)),
    svg("line", { class: "axis", x1: 0, x2: labels.length * wide, y1: 32.5, y2: 32.5 }));
}
