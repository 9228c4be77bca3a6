// The page of a tree, put together.

function summaryFigures() {
  const { summary } = facts;
  const figures = [
    { name: "Leaves", value: say(summary.leaves) },
    { name: "Depth", value: say(summary.depth) },
    { name: "Mean questions", value: say(Number(summary.questions.toFixed(2))), title: "Questions a training row is asked, on average" },
    { name: "Training error", value: percent(summary.train_error), title: `of ${plural(summary.train_rows, "row")}` },
  ];
  if (summary.test_error !== undefined) {
    figures.push({ name: "Test error", value: percent(summary.test_error), title: `of ${plural(summary.test_rows, "row")}` });
  }
  return figures;
}

function treePage() {
  cutToSize(path.sizes.length - 1);
  let view = null;
  const replay = makeReplay();
  const sizing = [makeSizing(replay), replay];
  const tree = makeTreeSection(sizing);
  const sections = [
    tree.element,
    makeRowSection(() => view),
    makeLeavesSection(() => view),
    path.sizes.length > 1 ? makeSizesSection(makeGrowth()) : null,
    makeConfusionSection(),
    makeImportances(),
    makeCertificateSection(),
  ].filter(Boolean);
  const contents = sections.map((one) => ({ id: one.id, name: one.querySelector("h2").textContent }));
  pageHeader(facts.title, summaryFigures(), contents);
  const main = document.getElementById("main");
  put(main, facts.rows_note ? h("p", { class: "note" }, facts.rows_note) : null, sections);
  main.after(pageFooter());
  view = tree.start();
}

treePage();
