// The rounds of boosting: errors and bounds, the margins, and the certificate.

const ROUND_LINES = [
  ["training_error", "training error", { colour: "var(--line-0)", dash: "" }],
  ["test_error", "test error", { colour: "var(--line-1)", dash: "7 4" }],
  ["validation_error", "held-out error (early stopping)", { colour: "var(--line-3)", dash: "9 3 2 3" }],
  ["bound", "bound on the training error", { colour: "var(--text)", dash: "2 3" }],
  ["exponential_bound", "exp(−2 Σ(1/2 − ε)²)", { colour: "var(--line-4)", dash: "1 4" }],
];

/** A quantity of the rounds as a line, without missing values and values above `top`. */
function roundLine(key, name, look, top = Infinity) {
  const { round } = facts.rounds;
  const values = facts.rounds[key];
  if (!values) return null;
  const kept = round.map((_, i) => i).filter((i) => values[i] !== null && values[i] <= top);
  if (kept.length === 0) return null;
  return { name, x: kept.map((i) => round[i]), y: kept.map((i) => values[i]), ...look };
}

function roundsSection() {
  const { total: run, voting } = facts.rounds;
  const best = voting < run ? [{ x: voting, name: `best round, ${formatNumber(voting)}` }] : [];
  const errors = ROUND_LINES.map(([key, name, look]) => roundLine(key, name, look, 1.5)).filter(Boolean);
  const logX = run > 30;
  const trees = [roundLine("epsilon", "ε, weighted error of the round's tree", {}), roundLine("z", "Z, factor of the bound", {}), roundLine("alpha", "α, factor of the tree's vote", {})].filter(Boolean);
  const { certificate } = facts;
  return section("rounds", "Rounds",
    h("p", null, facts.about, " ", certificate.why),
    facts.rounds.round.length < run && h("p", { class: "note" }, `${formatNumber(facts.rounds.round.length)} of ${formatNumber(run)} rounds are shown, more densely at the start.`),
    vacuousRounds(),
    h("div", { class: "columns" },
      lineChart({ title: "Errors and bound", series: errors, xLabel: logX ? "rounds (log scale)" : "rounds", yLabel: "error rate", logX, marks: best, formatY: (x) => percent(x), height: 300 }),
      lineChart({ title: "Quantities of each round", series: trees, xLabel: logX ? "round (log scale)" : "round", yLabel: "", logX, marks: best, height: 300 })));
}

/** A note if the bound is above 1 in the first rounds. */
function vacuousRounds() {
  const { round, bound } = facts.rounds;
  const last = bound ? bound.findLastIndex((x) => x !== null && x > 1) : -1;
  if (last < 0) return null;
  const when = last === round.length - 1 ? "in every round" : `up to round ${formatNumber(round[last])}`;
  return h("p", { class: "note" }, `A bound above 100\u00a0% is not informative; this one is above 100\u00a0% ${when}.`);
}

const MARGIN_LOOKS = {
  training: { colour: "var(--line-0)" },
  test: { colour: "var(--line-1)" },
};

/** The distributions of the margins; those after all rounds are solid lines. */
function marginsSection() {
  const stages = Math.max(...facts.margins.map((curve) => curve.rounds));
  const early = [...new Set(facts.margins.map((curve) => curve.rounds).filter((n) => n < stages))];
  const series = facts.margins.map((curve) => ({
    name: `${curve.rows} rows, after ${plural(curve.rounds, "round")}`,
    x: [-1, ...curve.at, 1], y: [0, ...curve.share, 1], step: true,
    ...MARGIN_LOOKS[curve.rows], dash: curve.rounds === stages ? "" : LINE_DASH[1 + early.indexOf(curve.rounds) % 4],
  }));
  const last = facts.margins.filter((curve) => curve.rounds === stages);
  return section("margins", "Margins",
    h("p", null, "The margin of a row ranges from −1 (all votes for a wrong class) to 1 (all votes for the right class); a row with a negative margin is misclassified. The further right a curve lies, the larger the margins."),
    h("ul", { class: "plain" }, last.map((curve) => h("li", null, `${capitalized(curve.rows)} rows: ${percent(curve.negative)} have a negative margin; the smallest margin is ${formatNumber(curve.least)}.`))),
    lineChart({ title: "Cumulative distribution of the margins", series, xLabel: "margin", yLabel: "share of rows", formatY: (x) => percent(x, 0), marks: [{ x: 0, name: "← misclassified", before: true }], height: 320 }));
}

/** The certificate: its values, the inequalities that were checked, and its text. */
function certificateSection() {
  const { certificate } = facts;
  const result = certificate.holds ? ". They hold." : ". They are violated:";
  return section("certificate", "Certificate",
    h("p", null, certificate.in_short),
    certificate.bounded && h("p", null, "Inequalities checked after every round: ", h("code", null, certificate.claim), result),
    certificate.findings.length > 0 && h("ul", null, certificate.findings.map((text) => h("li", null, text))),
    plainTable("Values of the certificate", ["", "Value", "Meaning"], certificate.figures, { words: [2], class: "named narrow stacked" }),
    certificateText());
}
