// The end of a lesson: the student's tree beside the grower's.

function endSection(lesson) {
  return section("end", "No leaf can be split any more",
    h("p", null, lesson.tree.filter((node) => node.column === null).length >= lesson.max_leaves
      ? `The tree has its ${formatNumber(lesson.max_leaves)} leaves.`
      : "Every leaf has one class only, or no split gains anything, or you left it a leaf."),
    h("div", { class: "actions" }, actButton("Compare with the grower's tree", "lesson_finish", {}, { focus: "#compare-title", kind: "primary" })));
}

function compareSections(lesson) {
  const { compare } = lesson;
  const one = section("compare", "Your tree beside the grower's", pointsLine(compare), comparedFigures(lesson), differenceList(compare),
    h("div", { class: "actions" },
      actButton("New lesson with this table", "lesson_begin", { table: room.table, index: lesson.index, procedure: lesson.procedure, max_leaves: lesson.max_leaves }, { focus: TURN, kind: "primary" }),
      actButton("Back to my tree", "lesson_undo", {}, { focus: TURN })));
  one.querySelector("h2").setAttribute("tabindex", "-1");
  return [one, h("div", { class: "columns" },
    section("my-tree", "Your tree", treeList(lesson.tree)),
    section("grower-tree", "The grower's tree", treeList(compare.grower_tree)))];
}

function pointsLine(compare) {
  if (compare.points === null) return null;
  return h("p", { class: "verdict-line" }, `Your ${plural(compare.guesses, "guess", "guesses")} reached `, h("b", null, percent(compare.points, 0)), " of the best gain on average.");
}

function comparedFigures(lesson) {
  const { mine, grower, root } = lesson.compare;
  const error = (x) => (x === null ? "–" : percent(x));
  const rows = [
    ["Leaves", formatNumber(mine.leaves), formatNumber(grower.leaves)],
    ["Training error", error(mine.training_error), error(grower.training_error)],
    [`Index I(T): mean ${lesson.index_name.toLowerCase()} of the leaves; ${three(root)} at the root`, three(mine.index), three(grower.index)],
    ["Questions for a row, on average", formatNumber(mine.questions), formatNumber(grower.questions)],
    mine.held_out_error === null ? null : [`Error on ${plural(lesson.held_out, "held-out row")}`, error(mine.held_out_error), error(grower.held_out_error)],
  ].filter(Boolean);
  return [
    plainTable("The two trees", ["", "Yours", "The grower's"], rows, { class: "compared" }),
    mine.held_out_error === null ? h("p", { class: "note" }, "The table is too small to hold rows out, so nothing is known about new rows.") : null,
  ];
}

function differenceList(compare) {
  if (compare.differences.length === 0) return h("p", null, h("span", { class: "pill" }, "The same tree"), "Both ask the same questions everywhere.");
  return [
    h("h3", null, "Where the trees part"),
    h("ul", { class: "differences" }, compare.differences.map((one) => h("li", null,
      h("span", { class: "where" }, one.path.length ? `At ${one.path.join(", ")}` : "At the root"),
      h("span", null, "you: ", h("b", null, one.mine ?? "a leaf")),
      h("span", null, "the grower: ", h("b", null, one.other ?? "a leaf"))))),
  ];
}
