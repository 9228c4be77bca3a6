// The page of a forest: header, summary, importances, the out-of-bag error, and predictions beside what rows have.

/** What the page says about classes. */
const classForest = {
  figures: ({ oob_error: outOfBag, test_rows: rows, test_rows_error: error }) => [
    { name: "Out-of-bag error", value: outOfBag === undefined ? "–" : percent(outOfBag), title: "On training rows, each classified by the trees grown without it" },
    rows !== undefined && { name: "Test error", value: percent(error), title: `of ${plural(rows, "row")}` },
  ],
  prediction: "The probability of a class is its mean share in the leaves that a row reaches.",
  errors: ({ oob_error: outOfBag, test_rows: rows, test_rows_error: error }) => [
    outOfBag !== undefined && `The out-of-bag error, ${percent(outOfBag)}, estimates the error on new rows: every training row is classified by the trees that were grown without it.`,
    rows !== undefined && `Of the ${plural(rows, "test row")}, ${percent(error)} are misclassified.`,
  ],
  errorAxis: "error rate",
  formatError: (x) => percent(x),
  evaluation: () => Object.keys(facts.confusion).length > 0 && confusionSection(),
};

/** What the page says about numbers; the members are the same. */
const numberForest = {
  figures: ({ oob_error: outOfBag, oob_r2: r2, test_rows: rows, test_rows_error: error }) => [
    { name: "Out-of-bag R²", value: r2 === undefined ? "–" : signed(r2.toFixed(3)), title: `Of training rows, each predicted by the trees grown without it${outOfBag === undefined ? "" : `. Mean squared error ${formatSquared(outOfBag)}`}` },
    rows !== undefined && { name: "Test root mean squared error", value: formatValue(Math.sqrt(error)), title: `of ${plural(rows, "row")}` },
  ],
  prediction: "The prediction is the mean over the trees of the mean in the leaf that a row reaches.",
  errors: ({ oob_error: outOfBag, test_rows: rows, test_rows_error: error }) => [
    outOfBag !== undefined && `The out-of-bag mean squared error, ${formatSquared(outOfBag)}, estimates the error on new rows: every training row is predicted by the trees that were grown without it.`,
    rows !== undefined && `The mean squared error of the ${plural(rows, "test row")} is ${formatSquared(error)}.`,
  ],
  errorAxis: "mean squared error",
  formatError: formatTick,
  evaluation: () => Object.keys(facts.predicted).length > 0 && predictedSection(),
};

const forest = facts.numbers ? numberForest : classForest;

function leavesPerTree() {
  const [fewest, most] = facts.summary.leaves;
  return fewest === most ? formatNumber(fewest) : `${formatNumber(fewest)} to ${formatNumber(most)}`;
}

function summaryFigures() {
  return [
    { name: "Trees", value: formatNumber(facts.summary.trees) },
    { name: "Leaves per tree", value: leavesPerTree() },
    ...forest.figures(facts.summary),
  ].filter(Boolean);
}

/** A description of the forest, and which columns matter. */
function summarySection() {
  const s = facts.summary;
  const sentences = [
    `${plural(s.trees, "tree")} with ${leavesPerTree()} leaves, up to ${plural(s.depth, "split")} deep, each grown on about ${plural(s.bag_rows, "row")}.`,
    forest.prediction,
    ...forest.errors(s),
  ].filter(Boolean);
  return section("summary", "Summary",
    h("div", { class: "columns" }, h("p", null, sentences.join(" ")), gainCharts()));
}

/** The out-of-bag error against the number of trees. */
function outOfBagSection() {
  const { trees, error } = facts.out_of_bag;
  return section("out-of-bag", "Out-of-bag error",
    h("p", null, "More trees lower the error up to a point, and do not raise it again."),
    lineChart({
      title: "Out-of-bag error", series: [{ name: "out-of-bag error", x: trees, y: error }],
      xLabel: "trees (log scale)", yLabel: forest.errorAxis, logX: true, formatY: forest.formatError, height: 300,
    }));
}

/** Predicted and actual means of groups of rows, by the name of the rows. */
function predictedSection() {
  const parts = Object.entries(facts.predicted).map(([which, rows]) => {
    const points = rows.groups.map(({ predicted, actual, deviation, weight }, i) => (
      { x: predicted, y: actual, size: weight, reach: (2 * deviation) / Math.sqrt(weight), name: `group ${i + 1}` }));
    return predictedAndActual(`${capitalized(which)} rows`, `predicted-${which}`, rows, { title: "Mean of each group", points });
  });
  return section("predicted", "Predicted and actual",
    h("p", { class: "note" }, "Each dot is a group of rows with similar predictions: their mean prediction, and the mean that they have. Its area shows how many rows these are, "
      + "the bar two standard errors of their mean. On the line, both are equal."),
    h("div", { class: "columns" }, parts));
}

function forestPage() {
  const sections = [
    summarySection(),
    facts.out_of_bag.trees.length > 1 && outOfBagSection(),
    forest.evaluation(),
    ...decisionSections(),
    ...recordSections(),
  ].filter(Boolean);
  buildPage(summaryFigures(), sections, facts.rows_note);
}

forestPage();
