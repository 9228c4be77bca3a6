// The page of a forest: header, summary, importances, the out-of-bag error, and confusion matrices.

function leavesPerTree() {
  const [fewest, most] = facts.summary.leaves;
  return fewest === most ? formatNumber(fewest) : `${formatNumber(fewest)} to ${formatNumber(most)}`;
}

function summaryFigures() {
  const s = facts.summary;
  const figures = [
    { name: "Trees", value: formatNumber(s.trees) },
    { name: "Leaves per tree", value: leavesPerTree() },
    { name: "Out-of-bag error", value: s.oob_error === undefined ? "–" : percent(s.oob_error), title: "On training rows, each classified by the trees grown without it" },
  ];
  if (s.test_rows !== undefined) figures.push({ name: "Test error", value: percent(s.test_rows_error), title: `of ${plural(s.test_rows, "row")}` });
  return figures;
}

/** A description of the forest, and which columns matter. */
function summarySection() {
  const s = facts.summary;
  const sentences = [
    `${plural(s.trees, "tree")} with ${leavesPerTree()} leaves, up to ${plural(s.depth, "split")} deep, each grown on about ${plural(s.bag_rows, "row")}.`,
    "The probability of a class is its mean share in the leaves that a row reaches.",
    s.oob_error !== undefined && `The out-of-bag error, ${percent(s.oob_error)}, estimates the error on new rows: every training row is classified by the trees that were grown without it.`,
    s.test_rows !== undefined && `Of the ${plural(s.test_rows, "test row")}, ${percent(s.test_rows_error)} are misclassified.`,
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
      xLabel: "trees (log scale)", yLabel: "error rate", logX: true, formatY: (x) => percent(x), height: 300,
    }));
}

function forestPage() {
  const sections = [
    summarySection(),
    facts.out_of_bag.trees.length > 1 && outOfBagSection(),
    Object.keys(facts.confusion).length > 0 && confusionSection(),
  ].filter(Boolean);
  buildPage(summaryFigures(), sections, facts.rows_note);
}

forestPage();
