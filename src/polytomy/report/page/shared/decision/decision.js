// The section on decisions: a threshold, the costs of errors, the confusion matrix they give, and the curves.

const ROWS_OF = {
  test: ["Test rows", "pill", "rows that the model was not fitted on"],
  "out-of-bag": ["Out of bag", "pill", "training rows, each predicted by the trees that were grown without it"],
  training: ["Training rows: optimistic", "pill warm", "rows that the model was fitted on, so its errors on new rows will be larger; give test rows for honest figures"],
};

/** What the rows of some figures are: a pill, and a sentence. */
function rowsLine(which, n) {
  const [name, look, meaning] = ROWS_OF[which];
  return h("p", { class: "rows-line" }, h("span", { class: look }, name), `${capitalized(plural(n, "row"))}: ${meaning}.`);
}

/** A choice of the class that the figures are about; null if there is no choice. */
function choiceOfClass(id, classes, choose) {
  if (classes.length < 2) return null;
  const list = h("select", { id, onchange: () => choose(Number(list.value)) },
    classes.map(({ class: k }, i) => h("option", { value: i }, className(k))));
  return h("p", { class: "class-choice no-print" }, h("label", { for: id }, facts.classes.length === 2 ? "Positive class" : "Class, against all others"), list);
}

/** All figures of a class at each threshold: arrays of equal length. */
function thresholdFigures({ right, wrong, threshold }) {
  const positives = right[right.length - 1];
  const negatives = wrong[wrong.length - 1];
  const all = positives + negatives;
  const selected = right.map((r, i) => (r + wrong[i]) / all);
  const precision = right.map((r, i) => (r + wrong[i] > 0 ? r / (r + wrong[i]) : NaN));
  return {
    threshold, right, wrong, positives, negatives, all, selected, precision,
    recall: right.map((r) => r / positives),
    falsePositive: wrong.map((w) => w / negatives),
    lift: precision.map((p) => p / (positives / all)),
  };
}

function decisionSection() {
  const { classes, rows, n } = facts.decision;
  const place = h("div");
  const choose = (i) => put(place, decisionOf(classes[i]));
  choose(0);
  const many = facts.classes.length > 2 && classes.length < facts.classes.length
    ? h("p", { class: "note" }, `The ${classes.length} classes with the most rows can be chosen.`) : null;
  return section("decision", "Decisions", rowsLine(rows, n), choiceOfClass("decision-class", classes, choose), many, place);
}

/** The name of a class, and what all other classes are called. */
function sides(k) {
  return [className(k), facts.classes.length === 2 ? className(1 - k) : "any other class"];
}

function decisionOf(one) {
  const figures = thresholdFigures(one);
  const charts = curveCharts(figures, one);
  const state = { at: one.own, costs: firstCosts(one.class) };
  const matrix = costMatrix(one.class, state, () => show());
  const list = h("dl", { class: "figures small" });
  const said = h("p", { class: "decide-line", id: "decide-line" });
  const ownError = h("p", { class: "note", id: "own-error" });
  const cost = h("p", { class: "cost-line", role: "status" });
  const last = figures.threshold.length - 1;
  const slider = h("input", { type: "range", id: "threshold", min: 0, max: last, step: 1, "aria-describedby": "decide-line",
    oninput: () => { state.at = last - Number(slider.value); show(); } });
  const jump = (i) => { state.at = i; show(); };
  const show = () => {
    const { at } = state;
    slider.value = last - at;
    slider.setAttribute("aria-valuetext", thresholdText(figures, at));
    put(said, "Predict ", h("b", null, shortenMiddle(className(one.class), 40)), at === 0 ? " for no row." : " if its probability is at least ",
      at === 0 ? null : h("b", { class: "nowrap" }, formatThreshold(figures.threshold[at])), at === 0 ? null : ".");
    matrix.show(figures, at);
    put(list, keyFigures(figures, at).map(([name, value, title]) => h("div", { title }, h("dt", null, name), h("dd", null, value))));
    put(ownError, ownErrorText(figures, at, one));
    const best = cheapest(figures, state.costs);
    const now = costAt(figures, state.costs, at);
    put(cost, `Cost ${formatNumber(now)}, ${formatNumber(now / figures.all)} per ${facts.decision.weighted ? "unit of weight" : "row"}. `,
      at === best ? "No threshold costs less." : `The least possible is ${formatNumber(costAt(figures, state.costs, best))}, with ${thresholdText(figures, best)}.`);
    for (const chart of charts) chart.show?.(at);
    showGroupsAt(one, at);
  };
  show();
  return [
    h("div", { class: "decide" },
      h("div", null,
        h("h3", { style: { "margin-top": 0 } }, h("label", { for: "threshold" }, "Threshold")), said, slider,
        h("div", { class: "slider-ends note no-print", "aria-hidden": true }, h("span", null, "select more rows"), h("span", null, "select fewer rows")),
        h("p", { class: "no-print buttons" },
          h("button", { type: "button", onclick: () => jump(cheapest(figures, state.costs)) }, "Least cost"),
          h("button", { type: "button", class: "quiet", onclick: () => jump(one.own) }, `Above ${formatThreshold(one.own_share)}`)),
        list, ownError),
      h("div", null, h("h3", { style: { "margin-top": 0 } }, "Confusion matrix and costs"), matrix.element, cost)),
    h("div", { class: "charts" }, charts, h("div", null, calibrationNote(one), thresholdTable(figures))),
  ];
}

/** The costs to begin with: those of the model, or 1 for each mistake. */
function firstCosts(k) {
  const { costs } = facts.decision;
  return costs ? [costs[k][k], costs[k][1 - k], costs[1 - k][k], costs[1 - k][1 - k]] : [0, 1, 1, 0];
}

function formatThreshold(share) {
  const text = String(Number((100 * share).toPrecision(12)));
  return `${text}\u00a0%`;
}

function thresholdText(figures, i) {
  return i === 0 ? "no row selected" : `a threshold of ${formatThreshold(figures.threshold[i])}`;
}

function costAt({ right, wrong, positives, negatives }, [hit, miss, alarm, calm], i) {
  return hit * right[i] + miss * (positives - right[i]) + alarm * wrong[i] + calm * (negatives - wrong[i]);
}

/** The threshold of least cost; of equal ones, the highest. */
function cheapest(figures, costs) {
  let best = 0;
  for (let i = 1; i < figures.threshold.length; i += 1) {
    if (costAt(figures, costs, i) < costAt(figures, costs, best) - 1e-9) best = i;
  }
  return best;
}

function keyFigures(f, i) {
  return [
    ["Selected", percent(f.selected[i]), "Share of all rows for which the class is predicted"],
    ["Recall", percent(f.recall[i]), "Share of the class that is selected, also called true positive rate or sensitivity"],
    ["Precision", percent(f.precision[i]), "Share of the class among the selected rows"],
    ["False positive rate", percent(f.falsePositive[i]), "Share of the other rows that is selected"],
    ["Lift", Number.isFinite(f.lift[i]) ? `${f.lift[i].toFixed(2)}×` : "–", "Precision divided by the share of the class among all rows"],
    ["Error", errorText(f, i), "Share of rows that is predicted wrongly"],
  ];
}

/** Why the error of a threshold is not that of the model's own predictions; null if they agree, or need not. */
function ownErrorText(f, at, one) {
  const { error } = facts.decision;
  if (facts.classes.length > 2) {
    return ["This error is that of ", h("b", null, shortenMiddle(className(one.class), 40)), ` against all other classes. The model’s own predictions, of all classes, have an error of ${percent(error)}.`];
  }
  const isOwn = at === one.own && percent(error) !== errorText(f, at);
  if (!isOwn) return null;
  const reason = facts.kind === "tree" ? ": they follow the training rows of each leaf, and the threshold applies to the probabilities" : "";
  return `The model’s own predictions have an error of ${percent(error)}${reason}.`;
}

/** The error of a threshold: the share of rows on the wrong side. */
function errorText(f, i) {
  return percent((f.wrong[i] + f.positives - f.right[i]) / f.all);
}

/** The confusion matrix of a threshold, with a field for the cost of a row in each cell. */
function costMatrix(k, state, changed) {
  const [own, other] = distinctNames(sides(k), (name) => shortenMiddle(name, 22));
  const counts = [0, 1, 2, 3].map(() => h("span", { class: "count" }));
  const names = [`${own} predicted as ${own}`, `${own} predicted as ${other}`, `${other} predicted as ${own}`, `${other} predicted as ${other}`];
  const cells = counts.map((count, i) => {
    const field = h("input", { type: "number", step: "any", value: state.costs[i], "aria-label": `Cost of a row: ${names[i]}`,
      oninput: () => { const cost = Number(field.value); if (field.value !== "" && Number.isFinite(cost)) { state.costs[i] = cost; changed(); } } });
    return h("td", { class: i % 3 === 0 ? "right" : "wrong" }, count, h("span", { class: "cost no-print" }, "cost ", field));
  });
  const element = scrollArea("Confusion matrix of the threshold",
    h("table", { class: "matrix costs", id: "decision-matrix" },
      h("thead", null, h("tr", null, h("td"), h("th", { scope: "col" }, "predicted ", own), h("th", { scope: "col" }, "predicted ", other))),
      h("tbody", null,
        h("tr", null, h("th", { scope: "row" }, "actually ", own), cells.slice(0, 2)),
        h("tr", null, h("th", { scope: "row" }, "actually ", other), cells.slice(2)))));
  const show = (f, i) => {
    const values = [f.right[i], f.positives - f.right[i], f.wrong[i], f.negatives - f.wrong[i]];
    const sums = [f.positives, f.positives, f.negatives, f.negatives];
    values.forEach((value, j) => {
      counts[j].textContent = formatCount(value);
      cells[j].title = `${names[j]}: ${formatCount(value)}, ${percent(value / sums[j])} of the class`;
      cells[j].style.setProperty("--depth", `${value > 0 ? (40 + 60 * Math.sqrt(value / sums[j])).toFixed(0) : 0}%`);
    });
  };
  return { element, show };
}

function curveCharts(f, one) {
  const name = className(one.class);
  const base = f.positives / f.all;
  const auc = one.auc ? `: area ${areaText(one.auc)}` : "";
  const average = one.average_precision === undefined ? "" : `: average precision ${fraction(one.average_precision)}`;
  return [
    thresholdChart({ title: `ROC${auc}`, x: f.falsePositive, y: f.recall, base: [[0, 0], [1, 1]], xLabel: "false positive rate", yLabel: "recall" }),
    thresholdChart({ title: `Precision and recall${average}`, x: f.recall, y: f.precision, base: [[0, base], [1, base]], xLabel: "recall", yLabel: "precision" }),
    calibrationChart(one.calibration),
    thresholdChart({ title: `Gains: share of ${shortenMiddle(name, 24)} found`, x: f.selected, y: f.recall, base: [[0, 0], [1, 1]], xLabel: "rows selected, highest probability first", yLabel: "recall" }),
    thresholdChart({ title: "Lift", x: f.selected, y: f.lift, base: [[0, 1], [1, 1]], xLabel: "rows selected, highest probability first", yLabel: "times the share among all rows", formatY: (x) => `${formatNumber(x)}×` }),
  ];
}

function calibrationNote(one) {
  const { log_loss: loss, brier } = facts.decision;
  const kind = facts.honesty ? "The probabilities are the shares that the leaves expect of new rows. " : "";
  return h("p", { class: "note" }, kind,
    `In bins of about equal size, predicted and observed shares are ${percent(one.calibration.error)} apart on average. Log loss ${loss.toFixed(4)}, Brier score ${brier.toFixed(4)}. `
      + "The dashed lines are a choice at random, and for calibration equal shares; intervals are 95 %. The dot is the threshold chosen above.");
}

function thresholdTable(f) {
  const at = thinned(f.threshold.map((_, i) => i), 200);
  const head = ["Threshold", "Selected", "Recall", "Precision", "False positive rate", "Lift"];
  const rows = at.map((i) => [i === 0 ? "none" : formatThreshold(f.threshold[i]), percent(f.selected[i]), percent(f.recall[i]), percent(f.precision[i]), percent(f.falsePositive[i]),
    Number.isFinite(f.lift[i]) ? f.lift[i].toFixed(2) : "–"]);
  return h("details", { class: "numbers" }, h("summary", null, "Show the thresholds as a table"), plainTable("Thresholds", head, rows));
}

/** The sections about decisions, groups and drift, as far as there are facts for them. */
function decisionSections() {
  return [
    facts.decision ? decisionSection() : null,
    facts.groups ? groupsSection() : null,
    facts.drift ? driftSection() : null,
  ].filter(Boolean);
}

/** The sections about the data and the model. */
function recordSections() {
  return [facts.overview ? dataSection() : null, facts.card ? cardSection() : null].filter(Boolean);
}
