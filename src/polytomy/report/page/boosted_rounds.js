// The rounds: errors and bounds after each, why there is a bound, and how margins grow.

const ROUND_LINES = [
  ["training_error", "training error", { colour: "var(--line-0)", dash: "" }],
  ["test_error", "test error", { colour: "var(--line-1)", dash: "7 4" }],
  ["validation_error", "held-out error, for early stopping", { colour: "var(--line-3)", dash: "9 3 2 3" }],
  ["bound", "bound on the training error", { colour: "var(--text)", dash: "2 3" }],
  ["exponential_bound", "exp(−2 Σ(1/2 − ε)²)", { colour: "var(--line-4)", dash: "1 4" }],
];

/** A figure of some rounds as a line; gaps are left out, and what is above `top` is cut off. */
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
  const stop = voting < run ? [{ x: voting, name: `best round, ${say(voting)}` }] : [];
  const errors = ROUND_LINES.map(([key, name, look]) => roundLine(key, name, look, 1.5)).filter(Boolean);
  const logX = run > 30;
  const trees = [roundLine("epsilon", "ε, the weighted error of the round's tree", {}), roundLine("z", "Z, the factor of the bound", {}), roundLine("alpha", "α, what its vote counts", {})].filter(Boolean);
  const { certificate } = facts;
  return section("rounds", "Round by round",
    h("p", null, facts.about, " ", certificate.why),
    facts.rounds.round.length < run && h("p", { class: "note" }, `Of ${say(run)} rounds, ${say(facts.rounds.round.length)} are shown, close together at the start.`),
    idleRounds(),
    h("div", { class: "columns" },
      lineChart({ title: "Errors and their bound", series: errors, xLabel: logX ? "rounds, on a logarithmic scale" : "rounds", yLabel: "share of rows", logX, marks: stop, ySay: (x) => percent(x), height: 300 }),
      lineChart({ title: "What each round did", series: trees, xLabel: logX ? "round, on a logarithmic scale" : "round", yLabel: "", logX, marks: stop, height: 300 })));
}

/** Where the bound is above 1 at first: until when. */
function idleRounds() {
  const { round, bound } = facts.rounds;
  const last = bound ? bound.findLastIndex((x) => x !== null && x > 1) : -1;
  if (last < 0) return null;
  const when = last === round.length - 1 ? "to the end" : `up to round ${say(round[last])}`;
  return h("p", { class: "note" }, `A bound above 100\u00a0% says nothing; this one is above it ${when}.`);
}

const MARGIN_LOOKS = {
  training: { colour: "var(--line-0)" },
  test: { colour: "var(--line-1)" },
};

/** The distribution of the margins, the last stage of training and test rows drawn in full. */
function marginsSection() {
  const stages = Math.max(...facts.margins.map((curve) => curve.rounds));
  const early = [...new Set(facts.margins.map((curve) => curve.rounds).filter((n) => n < stages))];
  const series = facts.margins.map((curve) => ({
    name: `${curve.rows} rows, after ${plural(curve.rounds, "round")}`,
    x: [-1, ...curve.at, 1], y: [0, ...curve.share, 1], step: true,
    ...MARGIN_LOOKS[curve.rows], dash: curve.rounds === stages ? "" : LINE_DASH[1 + early.indexOf(curve.rounds) % 4],
  }));
  const last = facts.margins.filter((curve) => curve.rounds === stages);
  return section("margins", "Margins: how sure the votes are",
    h("p", null, "A row's margin runs from −1, all votes for a wrong class, to 1, all for the right one; below 0 it is misclassified. Curves further right are surer."),
    h("ul", { class: "plain" }, last.map((curve) => h("li", null, `${capital(curve.rows)} rows: ${percent(curve.negative)} below 0, the least margin is ${say(curve.least)}.`))),
    lineChart({ title: "Share of the rows with at most each margin", series, xLabel: "margin", yLabel: "share of rows", ySay: (x) => percent(x, 0), marks: [{ x: 0, name: "← misclassified", before: true }], height: 320 }));
}

function capital(text) {
  return text[0].toUpperCase() + text.slice(1);
}

/** The certificate: its figures, the claim, and the text as printed. */
function certificateSection() {
  const { certificate } = facts;
  const figures = certificate.figures.map(([name, value, means]) =>
    h("tr", null, h("th", { scope: "row" }, name), h("td", null, value), h("td", { class: "words" }, means)));
  return section("certificate", "The certificate",
    h("p", null, certificate.in_short),
    certificate.bounded && h("p", null, "Checked after every round: ", h("code", null, certificate.claim), certificate.holds ? ", which holds." : ", which FAILS:"),
    certificate.findings.length > 0 && h("ul", null, certificate.findings.map((text) => h("li", null, text))),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Figures of the certificate" }, h("table", { class: "narrow" }, h("tbody", null, figures))),
    h("details", null, h("summary", null, "As it is printed"), h("pre", { tabindex: 0 }, certificate.text)));
}
