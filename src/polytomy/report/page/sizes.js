// The sizes of the tree: the slider along the pruning path, and the chart of its errors.

/** Words for a place along the path: "12 leaves, 5.1 % training error, 6.0 % test error". */
function sizeWords(place) {
  const words = [plural(path.sizes[place], "leaf", "leaves"), `${percent(path.errors[place] / path.total)} training error`];
  if (path.test_errors && path.test_total > 0) words.push(`${percent(path.test_errors[place] / path.test_total)} test error`);
  return words.join(", ");
}

/** For a heading: which tree is meant, where that is not the whole one. */
function shownSize() {
  const said = h("span", { class: "shown-size" });
  const show = () => put(said, isWhole() ? null : ` of the tree of ${plural(leavesBelow(0).length, "leaf", "leaves")}`);
  onSoon(show);
  return said;
}

/** The slider with its buttons; other sizes of the tree follow it. */
function makeSizing(replay) {
  const last = path.sizes.length - 1;
  const said = h("output", { for: "size" });
  const slider = h("input", { type: "range", id: "size", min: 0, max: last, step: 1, value: last, oninput: () => showSize(Number(slider.value)) });
  const buttons = sizeChoices().map(({ name, title, place }) =>
    h("button", { type: "button", title, dataset: { place }, onclick: () => showSize(place) }, name));
  const show = () => {
    if (chosen.steps !== null) {
      said.textContent = "the tree as it grew";
      for (const button of buttons) button.setAttribute("aria-pressed", "false");
      return;
    }
    slider.value = sizeAt;
    slider.setAttribute("aria-valuetext", sizeWords(sizeAt));
    said.textContent = sizeWords(sizeAt);
    for (const button of buttons) button.setAttribute("aria-pressed", String(Number(button.dataset.place) === sizeAt));
  };
  on("tree", show);
  show();
  if (last === 0) return null;
  return h("div", { class: "sizing" },
    h("div", null, h("div", { class: "line" }, h("label", { for: "size" }, "Size of the tree"), said), slider),
    h("div", { class: "group controls", role: "group", "aria-label": "Sizes worth a look", style: { margin: 0 } }, buttons,
      replay ? replayButton(replay) : null));
}

function sizeChoices() {
  const placeOf = (size) => path.sizes.indexOf(size);
  const { srm, holdout } = path.choices ?? {};
  const choices = [
    { name: "Risk bound", title: "The size with the least bound on the error of new rows (structural risk minimisation)", place: placeOf(srm) },
    { name: "Best on test rows", title: "The size with the fewest errors on the test rows", place: placeOf(holdout) },
    { name: "Whole tree", title: "Every leaf", place: path.sizes.length - 1 },
  ];
  return choices.filter(({ place }) => place >= 0);
}

/** The section of errors by size, with the size that is shown marked. */
function makeSizesSection(growth) {
  const series = [{ name: "training error", x: path.sizes, y: path.errors.map((e) => e / path.total), step: true }];
  if (path.test_errors && path.test_total > 0) {
    series.push({ name: "test error", x: path.sizes, y: path.test_errors.map((e) => e / path.test_total), step: true });
  }
  const chart = lineChart({
    title: "Errors of the best tree of each size", series, xLabel: "leaves", yLabel: "share of rows it gets wrong",
    ySay: (y) => percent(y, y < 0.1 && y > 0 ? 1 : 0), logX: path.sizes.length > 60, marks: [],
    onPick: (size) => showSize(path.sizes.indexOf(size)),
  });
  const show = () => chart.update({ marks: chosen.steps === null ? [{ x: path.sizes[sizeAt], name: plural(path.sizes[sizeAt], "leaf", "leaves") }] : [] });
  onSoon(show);
  show();
  const errors = path.sizes.length > 1 ? h("div", null, chart, h("p", { class: "note" }, "A click on the chart shows the tree of that size.")) : null;
  return section("sizes", "Size and error", h("div", { class: "columns" }, errors, growth));
}
