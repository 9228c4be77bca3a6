// A lesson: the tree so far on one side, and on the other the guess, the numbers or the comparison.

/** The heading of what the student does now. */
const TURN = "#guess-title, #reveal-title, #end-title";

function lessonPage() {
  const { lesson } = room;
  if (lesson.phase === "compare") return [lessonHead(lesson), ...compareSections(lesson)];
  const main = { guess: guessSection, reveal: revealSection, end: endSection }[lesson.phase](lesson);
  return [lessonHead(lesson), h("div", { class: "lesson-grid" }, treeSection(lesson), main)];
}

/** The table and the rules of the lesson, and a form for another one. */
function lessonHead(lesson) {
  const table = room.choices.tables.find((one) => one.name === room.table);
  const words = [
    h("b", null, table.title), ` · predict ${lesson.target}`, ` · ${plural(lesson.rows, "row")}`,
    lesson.held_out ? ` and ${formatNumber(lesson.held_out)} held out` : "", ` · ${lesson.index_name.toLowerCase()}`, ` · ${lesson.procedure}`,
    ` · at most ${formatNumber(lesson.max_leaves)} leaves`,
  ];
  return h("details", { class: "card setup" }, h("summary", null, h("span", null, words), h("span", { class: "change" }, "Change")), lessonForm(lesson));
}

function lessonForm(lesson) {
  const { tables, indices, procedures } = room.choices;
  const send = (fields) => {
    const max = Number(fields.get("max_leaves"));
    const given = { table: fields.get("table"), index: fields.get("index"), max_leaves: max };
    document.querySelector(".setup").open = false;
    if (fields.get("procedure")) given.procedure = fields.get("procedure");
    act("lesson_begin", given, TURN).then(reloadIfOtherClasses);
  };
  const auto = ["", "id3 for categories, per-leaf for numbers"];
  return sendForm({ class: "fields" }, send,
    selectField("Table", "table", tables.map((one) => [one.name, `${one.title}. ${one.about}`]), room.table),
    selectField("Index", "index", Object.entries(indices), lesson.index),
    selectField("Procedure and its price", "procedure", [auto, ...Object.entries(procedures).map(([name, price]) => [name, `${name}: ${price}`])], ""),
    inputField("Leaves, at most", "max_leaves", { type: "number", min: 2, max: room.choices.most_leaves, value: lesson.max_leaves, required: true }),
    h("button", { type: "submit", class: "primary" }, "New lesson"));
}

/** The colours and marks of classes are made when the page is loaded. */
function reloadIfOtherClasses() {
  if (room.classes.join("\n") !== facts.classes.join("\n")) location.reload();
}

/** The student's tree so far, and the guesses. */
function treeSection(lesson) {
  const pick = lesson.phase === "guess" ? (node) => act("lesson_pick", { node }, TURN) : null;
  const points = lesson.guesses.filter((guess) => guess.points !== null);
  return section("tree", "Your tree",
    treeList(lesson.tree, { current: lesson.phase === "end" ? null : lesson.node, pick }),
    points.length ? [h("h3", null, "Your guesses"), h("ol", { class: "guesses" }, points.map((guess) =>
      h("li", null, h("span", null, columnName(guess.column)), valueBar(guess.points, 1), h("span", { class: "value" }, percent(guess.points, 0)))))] : null,
    h("div", { class: "actions small" },
      actButton("Undo", "lesson_undo", {}, { focus: TURN, kind: "quiet", disabled: lesson.guesses.length === 0 }),
      lesson.phase === "guess" && lesson.tree.length > 1 ? actButton("Finish and compare", "lesson_finish", {}, { focus: "#compare-title", kind: "quiet" }) : null));
}
