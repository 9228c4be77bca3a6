// The page of a tree: header, evaluation, importances, certificate, and all sections together.

function summaryFigures() {
  const { summary } = facts;
  return [
    { name: "Leaves", value: formatNumber(summary.leaves) },
    { name: "Depth", value: formatNumber(summary.depth) },
    { name: "Questions per row", value: formatNumber(Number(summary.questions.toFixed(2))), title: "Mean number of splits that a training row passes" },
    ...target.summaryFigures(),
  ];
}

/** How the tree was found, if no growth procedure made it. */
function makeOrigin() {
  return section("origin", "Origin of the tree", facts.origin.map((sentence) => h("p", null, sentence)));
}

/** The edits that people made by hand, each with its price. */
function makeEdits() {
  const { edits, edits_left_out: leftOut = 0 } = facts;
  const formatLoss = facts.numbers ? formatTick : (error) => percent(error);
  const change = ({ before, after }, key, format) => {
    const [old, now] = [format(before[key]), format(after[key])];
    return old === now ? now : `${old} → ${now}`;
  };
  const rows = edits.map((edit, i) => [
    String(i + 1),
    capitalized(edit.text),
    formatNumber(edit.forgone),
    change(edit, "leaves", formatNumber),
    change(edit, "questions", (mean) => mean.toFixed(2)),
    change(edit, "error", formatLoss),
    change(edit, "bound", formatNumber),
  ]);
  const head = ["Step", "Edit", "Gain forgone", "Leaves", "Questions", facts.numbers ? "Training loss" : "Training error", "Bound on I(T)"];
  return section("edits", "Edits",
    h("p", { class: "note" }, "What each edit cost: the gain that the best split, or the tree before, has more, and the figures of the tree before and after."),
    plainTable("Edits and their prices", head, rows, { words: [1], class: "stacked" }),
    leftOut > 0 ? h("p", { class: "note" }, `${plural(leftOut, "later edit is", "later edits are")} not listed.`) : null);
}

/** What mistakes cost, if they do not all cost the same. */
function makeCosts() {
  return section("costs", "Costs of mistakes", facts.costs.map((sentence) => h("p", null, sentence)));
}

/** How well the current tree predicts the training and the test rows. */
function makeEvaluation() {
  const { id, title, note, parts } = target.evaluation;
  const place = h("div", { class: "columns" });
  const show = () => put(place, parts(leavesBelow(0)));
  onTreeDrawn(show);
  show();
  return section(id, [title, currentSize()], note(), place);
}

function makeImportances() {
  const bars = facts.columns.map(({ name, importance }) => ({ name, value: importance }))
    .filter(({ value }) => value > 0).sort((a, b) => b.value - a.value);
  if (bars.length === 0) return null;
  const unused = facts.columns.length - bars.length;
  return section("importances", "Column importances",
    h("div", { class: "columns" }, barChart({ title: "Share of the total gain of all splits", bars, formatValue: (x) => percent(x), show: 20 })),
    unused > 0 ? h("p", { class: "note" }, `${plural(unused, "other column is", "other columns are")} not used by the tree.`) : null);
}

function makeCertificateSection() {
  const { covered, theorem, why_not: why, in_short: conclusion, figures = [], generalization = [] } = facts.certificate;
  const table = (title, label, head, rows) => (rows.length === 0 ? null
    : h("div", null, h("h3", null, title), plainTable(label, ["", "Value", head], rows, { words: [2], class: "named stacked" })));
  return section("certificate", "Certificate",
    h("p", { class: "verdict-line" },
      h("span", { class: covered ? "pill" : "pill warm" }, covered ? "Covered" : "Not covered"),
      covered ? `by ${theorem}` : why ?? theorem),
    conclusion ? h("p", null, capitalized(conclusion)) : null,
    h("div", { class: "columns" },
      table("Training rows", "Values of the certificate", "Meaning", figures),
      table("New rows", "Bounds for new rows", "Assumptions", generalization)),
    certificateText());
}

function treePage() {
  cutToSize(path.sizes.length - 1);
  let view = null;
  const replay = makeReplay();
  const tree = makeTreeSection([makeSizing(replay), replay], makeRowSection(() => view));
  const sections = [
    facts.origin ? makeOrigin() : null,
    facts.edits ? makeEdits() : null,
    facts.costs ? makeCosts() : null,
    tree.element,
    makeLeavesSection(() => view),
    path.sizes.length > 1 ? makeSizesSection(makeGrowth(), replay) : null,
    target.evaluation ? makeEvaluation() : null,
    ...decisionSections(),
    makeImportances(),
    facts.certificate ? makeCertificateSection() : null,
    ...recordSections(),
  ].filter(Boolean);
  buildPage(summaryFigures(), sections, facts.rows_note);
  view = tree.start();
}

treePage();
