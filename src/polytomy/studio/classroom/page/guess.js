// The guess: the rows of the node by the values of each column, before any gain is known.

function guessSection(lesson) {
  const here = lesson.here;
  const form = sendForm({ class: "guess" }, (fields) => sendGuess(lesson, fields),
    h("fieldset", { class: "column-cards" },
      h("legend", null, "Which column should be asked here? ", h("span", { class: "muted" }, "The bars are the rows of each class, by the values of the columns.")),
      here.columns.map(columnCard)),
    here.left_out ? h("p", { class: "note" }, `${formatNumber(here.left_out)} further columns are not shown.`) : null,
    h("div", { class: "actions" },
      h("button", { type: "submit", class: "primary" }, "Guess, then show the numbers"),
      h("button", { type: "button", class: "quiet", onclick: () => act("lesson_guess", { stop: true }, "#reveal-title", sayPoints) }, "Leave it a leaf")));
  return section("guess", nodeTitle(lesson),
    nodeHead(lesson),
    form,
    here.cells ? rowsTable(lesson) : null);
}

function nodeTitle(lesson) {
  const step = lesson.guesses.length + (lesson.phase === "reveal" ? 0 : 1);
  return `Guess ${step}: the next split`;
}

/** Where the node is, its rows and its classes. */
function nodeHead(lesson) {
  const node = lesson.tree[lesson.node];
  const path = lesson.here.path;
  return [
    h("p", { class: "where" }, path.length
      ? [`${plural(node.rows, "row")} with `, path.map((words, i) => [i ? " and " : "", h("b", null, words)])]
      : `All ${plural(node.rows, "row")}`, "."),
    h("div", { class: "node-bar" }, classBar(node.counts)),
    classKey(),
  ];
}

function columnCard(column, j) {
  const most = maxOf(column.here) || 1;
  const byClass = column.by_class;
  const bars = column.labels.map((label, i) => h("tr", null,
    h("th", { scope: "row", title: label }, visibleName(label)),
    h("td", null, byClass ? classBar(byClass.map((counts) => counts[i]), most) : valueBar(column.here[i], most)),
    byClass ? null : h("td", { class: "value" }, formatCount(column.here[i]))));
  const isOpen = column.distinct > 1;
  return h("div", { class: "column-card" },
    h("label", { class: "pick" },
      h("input", { type: "radio", name: "column", value: j, required: true, disabled: !isOpen }),
      h("b", null, columnName(column.name))),
    isOpen ? null : h("p", { class: "note" }, "All rows have the same value."),
    h("table", { class: "value-table" }, h("tbody", null, bars)),
    isOpen ? statedFields(column, j) : null);
}

/** How a guess can say more than the column. */
function statedFields(column, j) {
  if (column.states === "values") return h("p", { class: "note stated" }, "A branch for each value.");
  const arity = inputField("Branches", `arity ${j}`, { inputmode: "numeric", placeholder: "best", size: 4 });
  if (column.states === "arity") return h("div", { class: "stated" }, arity);
  return h("div", { class: "stated" },
    inputField("Thresholds", `thresholds ${j}`, { inputmode: "text", placeholder: "such as 2.5 or 1.5, 3" }),
    h("span", { class: "or" }, "or"), arity);
}

function sendGuess(lesson, fields) {
  const j = Number(fields.get("column")); // names may contain anything
  const given = { column: lesson.here.columns[j].name };
  const thresholds = (fields.get(`thresholds ${j}`) ?? "").trim();
  const arity = (fields.get(`arity ${j}`) ?? "").trim();
  if (thresholds) {
    given.thresholds = numbersIn(thresholds);
    if (given.thresholds === null) return complain(`“${thresholds}” is not a list of numbers. Write thresholds such as 2.5 or 1.5, 3.`);
  } else if (arity) {
    given.arity = Number(arity);
    if (!Number.isInteger(given.arity)) return complain(`The number of branches must be a whole number, not “${arity}”.`);
  }
  return act("lesson_guess", given, "#reveal-title", sayPoints);
}

function sayPoints() {
  const points = room.lesson.reveal?.points;
  return points === null || points === undefined ? "The numbers are shown." : `Your split gets ${percent(points, 0)} of the best.`;
}

/** The rows of the node, if there are few. */
function rowsTable(lesson) {
  const { columns, rows, labels } = lesson.here.cells;
  const body = rows.map((row, i) => [String(i + 1), ...row.map((cell) => (cell === "" ? MISSING : visibleName(cell))), classLabel(labels[i])]);
  return h("details", { class: "rows-table", open: innerWidth > 700 && rows.length <= 14 },
    h("summary", null, `The ${plural(rows.length, "row")}`),
    plainTable("Rows of the node", ["", ...columns.map(columnName), lesson.target], body, { words: columns.map((_, i) => i + 1).concat(columns.length + 1) }));
}
