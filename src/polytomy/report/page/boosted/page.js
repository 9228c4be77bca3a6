// The page of boosted trees: header, summary, importances, and all sections together.

function summaryFigures() {
  const s = facts.summary;
  const leaves = s.leaves[0] === s.leaves[1] ? formatNumber(s.leaves[0]) : `${formatNumber(s.leaves[0])} to ${formatNumber(s.leaves[1])}`;
  const figures = [
    { name: "Rounds", value: s.rounds === s.rounds_run ? formatNumber(s.rounds) : `${formatNumber(s.rounds)} of ${formatNumber(s.rounds_run)}` },
    { name: "Leaves per tree", value: leaves },
    { name: "Training error", value: s.train_error === undefined ? "–" : percent(s.train_error), title: "Measured during fitting" },
  ];
  if (s.test_rows !== undefined) figures.push({ name: "Test error", value: percent(s.test_rows_error), title: `of ${plural(s.test_rows, "row")}` });
  if (facts.certificate.bounded) figures.push(boundFigure(Number(facts.certificate.figures[1][1])));
  figures.push({ name: "Algorithm", value: facts.algorithm });
  return figures;
}

/** The bound on the training error; not informative above 1. */
function boundFigure(bound) {
  if (bound > 1) return { name: "Bound", value: "above 100\u00a0%", title: `${formatNumber(bound)}, which is not informative` };
  return { name: "Bound", value: percent(bound), title: "Upper bound on the training error" };
}

/** A description of the model, and which columns matter. */
function summarySection() {
  const s = facts.summary;
  const leaves = s.leaves[0] === s.leaves[1] ? plural(s.leaves[0], "leaf", "leaves") : `${formatNumber(s.leaves[0])} to ${formatNumber(s.leaves[1])} leaves`;
  const rate = s.learning_rate === 1 ? "" : ` with a learning rate of ${formatNumber(s.learning_rate)}`;
  const rows = [["training", s.train_rows, s.train_rows_error], ["test", s.test_rows, s.test_rows_error]].filter(([, n]) => n !== undefined);
  const sentences = [
    `${plural(s.trees, "tree")} with ${leaves}${s.trees === 1 ? "" : " each"}, from ${plural(s.rounds, "round")} of ${facts.algorithm}${rate}.`,
    s.rounds < s.rounds_run && `Only the first ${formatNumber(s.rounds)} of ${formatNumber(s.rounds_run)} rounds vote: they had the lowest error on held-out rows.`,
    s.ended && `Boosting ended early: ${s.ended}.`,
    ...rows.map(([which, n, error]) => `Of the ${plural(n, `${which} row`)}, ${percent(error)} are misclassified.`),
  ].filter(Boolean);
  const text = h("div", null,
    h("p", null, sentences.join(" ")),
    h("p", null, `${facts.votes.wins} ${facts.votes.means}`),
    facts.scores ? null : deepTreesNote());
  return section("summary", "Summary", h("div", { class: "columns" }, text, importanceCharts()));
}

/** Why there are no score functions, and how to get a model that can be read. */
function deepTreesNote() {
  return [
    h("p", null, "The votes of trees with several levels of splits are not a sum over columns, so there are no score functions to show. For a model that can be read:"),
    h("ul", null,
      h("li", null, "boost with max_depth=1: stumps with any number of branches add up to one score function per column;"),
      h("li", null, "or grow a single tree with TreeClassifier.")),
  ];
}

/** Bars of the columns: their effects or the ranges of their scores, or their shares of the gain and numbers of splits. */
function importanceCharts() {
  if (facts.scores) {
    const key = hasEffects() ? "effect" : "spread";
    const bars = facts.scores.functions.map((one) => ({ name: facts.columns[one.column].name, value: one[key] }));
    const title = hasEffects() ? "Effect of each column: mean absolute score of the rows, relative to their mean" : "Range of each column's scores";
    return barChart({ title, bars, show: 10 });
  }
  return gainCharts();
}

function boostedPage() {
  const sections = [
    summarySection(),
    facts.scores && facts.scores.functions.length > 0 && rowSection(),
    facts.scores && scoresSection(),
    facts.rounds.round.length > 0 && roundsSection(),
    facts.margins.length > 0 && marginsSection(),
    Object.keys(facts.confusion).length > 0 && confusionSection(),
    ...decisionSections(),
    certificateSection(),
    ...recordSections(),
  ].filter(Boolean);
  buildPage(summaryFigures(), sections, facts.rows_note);
}

boostedPage();
