// The pruning path: the slider that sets the size of the tree, and the chart of errors by size.

const CHOSEN = "chosen on these rows, optimistic"; // an error on rows that chose the size of the tree

/** The name of a figure of the test rows, with a warning if they chose the size of the tree. */
function testName(name) {
  return facts.summary.test_chose_size ? `${name} (${CHOSEN})` : name;
}

/** A position of the path as text: "12 leaves, 5.1 % training error, 6.0 % test error". */
function sizeText(place) {
  const parts = [plural(path.sizes[place], "leaf", "leaves"), target.errorText("training", path.errors[place] / path.total)];
  if (path.test_errors && path.test_total > 0) {
    const isChosen = place < path.sizes.length - 1 || facts.summary.test_chose_size;
    parts.push(target.errorText("test", path.test_errors[place] / path.test_total) + (isChosen ? ` (${CHOSEN})` : ""));
  }
  return parts.join(", ");
}

/** The size of the current tree, for headings; empty if the whole tree is shown. */
function currentSize() {
  const text = h("span", { class: "shown-size" });
  const show = () => put(text, isWhole() ? null : ` (tree with ${plural(leavesBelow(0).length, "leaf", "leaves")})`);
  onTreeDrawn(show);
  return text;
}

/** The slider that sets the size of the tree, and buttons for suggested sizes. */
function makeSizing(replay) {
  const last = path.sizes.length - 1;
  const status = h("output", { for: "size" });
  const slider = h("input", { type: "range", id: "size", min: 0, max: last, step: 1, value: last, oninput: () => showSize(Number(slider.value)) });
  const buttons = sizeChoices().map(({ name, title, place }) =>
    h("button", { type: "button", title, dataset: { place }, onclick: () => showSize(place) }, name));
  const show = () => {
    if (chosen.steps !== null) {
      status.textContent = "showing growth steps";
      for (const button of buttons) button.setAttribute("aria-pressed", "false");
      return;
    }
    slider.value = sizeAt;
    slider.setAttribute("aria-valuetext", sizeText(sizeAt));
    status.textContent = sizeText(sizeAt);
    for (const button of buttons) button.setAttribute("aria-pressed", String(Number(button.dataset.place) === sizeAt));
  };
  on("tree", show);
  show();
  if (last === 0) return null;
  return h("div", { class: "sizing" },
    h("div", null, h("div", { class: "line" }, h("label", { for: "size" }, "Size of the tree"), status), slider),
    h("div", { class: "group controls", role: "group", "aria-label": "Suggested sizes", style: { margin: 0 } }, buttons,
      replay ? replayButton(replay) : null));
}

function sizeChoices() {
  const placeOf = (size) => path.sizes.indexOf(size);
  const { srm, holdout } = path.choices ?? {};
  const choices = [
    { name: "Risk bound", title: "Size with the smallest bound on the error of new rows (structural risk minimization)", place: placeOf(srm) },
    { name: "Best on test rows", title: "Size with the least error on the test rows", place: placeOf(holdout) },
    { name: "Whole tree", title: "All leaves", place: path.sizes.length - 1 },
  ];
  return choices.filter(({ place }) => place >= 0);
}

/** The section with the errors by size, in which the current size is marked. */
function makeSizesSection(growth, replay) {
  const series = [{ name: `training ${target.errorName}`, x: path.sizes, y: path.errors.map((e) => e / path.total), step: true }];
  if (path.test_errors && path.test_total > 0) {
    series.push({ name: `test ${target.errorName}`, x: path.sizes, y: path.test_errors.map((e) => e / path.test_total), step: true });
  }
  const chart = lineChart({
    title: `${capitalized(target.errorName)} of the best pruning of each size`, series, xLabel: "leaves", yLabel: target.errorAxis,
    formatY: target.formatErrorTick, formatCell: target.formatError, logX: path.sizes.length > 60, marks: [],
    onPick: (size) => showSize(path.sizes.indexOf(size)),
  });
  const show = () => chart.update({ marks: chosen.steps === null ? [{ x: path.sizes[sizeAt], name: plural(path.sizes[sizeAt], "leaf", "leaves") }] : [] });
  onTreeDrawn(show);
  show();
  const errors = path.sizes.length > 1 ? h("div", null, chart, h("p", { class: "note" }, "Click the chart to show the tree of that size.")) : null;
  return section("sizes", "Size and error", h("div", { class: "columns" }, errors, growth), replay ? null : noReplayNote());
}
