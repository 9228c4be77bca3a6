// The page of boosted trees: header, sections, and what is taken for what.

function summaryFigures() {
  const s = facts.summary;
  const leaves = s.leaves[0] === s.leaves[1] ? say(s.leaves[0]) : `${say(s.leaves[0])} to ${say(s.leaves[1])}`;
  const figures = [
    { name: "rounds", value: s.rounds === s.rounds_run ? say(s.rounds) : `${say(s.rounds)} of ${say(s.rounds_run)}` },
    { name: "leaves a tree", value: leaves },
    { name: "training error", value: s.train_error === undefined ? "–" : percent(s.train_error), title: "as measured while fitting" },
  ];
  if (s.test_rows !== undefined) figures.push({ name: "test error", value: percent(s.test_rows_error), title: `on ${say(s.test_rows)} rows` });
  if (facts.certificate.bounded) figures.push(boundFigure(Number(facts.certificate.figures[1][1])));
  figures.push({ name: "algorithm", value: facts.algorithm });
  return figures;
}

/** The bound on the training error; above 1 it is none. */
function boundFigure(bound) {
  if (bound > 1) return { name: "bound", value: "above 100\u00a0%", title: `${say(bound)}: it says nothing` };
  return { name: "bound", value: percent(bound), title: "what the training error is at most" };
}

/** In words what the model is, and which columns matter. */
function summarySection() {
  const s = facts.summary;
  const rows = [["training", s.train_rows, s.train_rows_error], ["test", s.test_rows, s.test_rows_error]].filter(([, n]) => n !== undefined);
  const sentences = [
    `${plural(s.trees, "tree")} of ${s.leaves[0] === s.leaves[1] ? plural(s.leaves[0], "leaf", "leaves") : `${say(s.leaves[0])} to ${say(s.leaves[1])} leaves`}, ${plural(s.rounds, "round")} of ${facts.algorithm}${s.learning_rate === 1 ? "" : ` with a learning rate of ${say(s.learning_rate)}`}.`,
    s.rounds < s.rounds_run && `The first ${say(s.rounds)} of ${say(s.rounds_run)} rounds vote: they did best on held-out rows.`,
    s.ended && `It ended early: ${s.ended}.`,
    ...rows.map(([which, n, error]) => `Of the ${which} rows given, ${say(n)}, ${percent(error)} are misclassified.`),
  ].filter(Boolean);
  const words = h("div", null,
    h("p", null, sentences.join(" ")),
    h("p", null, votesInWords()),
    facts.rows_note && h("p", { class: "note" }, facts.rows_note),
    facts.members && deepTrees());
  return section("summary", "In short", h("div", { class: "columns" }, words, importanceChart()));
}

/** Of trees that do not add up column by column: what they ask, and what to do instead. */
function deepTrees() {
  const lines = facts.members.slice(1);
  const isItem = (line) => line.startsWith("- ");
  return [
    lines.filter((line) => !isItem(line)).map((line) => h("p", null, line.replace("no table to print", "no table to show"))),
    h("ul", null, lines.filter(isItem).map((line) => h("li", null, line.slice(2)))),
  ];
}

/** Bars of the columns: how far each moves the votes, or its share of what questions gained. */
function importanceChart() {
  if (facts.scores) {
    const bars = facts.scores.functions.map((one) => ({ name: facts.columns[one.column].name, value: one.spread }));
    return barChart({ title: "How far each column can move the votes", bars, show: 10 });
  }
  const bars = facts.columns
    .map((column) => ({ name: column.name, value: column.importance, title: `${column.name}: ${plural(column.questions, "question")}` }))
    .filter((bar) => bar.value > 0)
    .sort((a, b) => b.value - a.value);
  return h("div", { class: "stack" },
    barChart({ title: "Each column's share of what all questions gained", bars, valueSay: (x) => percent(x), show: 15 }),
    barChart({
      title: "How many questions are about it",
      bars: facts.columns.filter((c) => c.questions > 0).map((c) => ({ name: c.name, value: c.questions })).sort((a, b) => b.value - a.value),
      show: 15,
    }));
}

function mistakesSection() {
  const tables = Object.entries(facts.confusion).map(([which, matrix]) => mistakes(which, matrix));
  return section("mistakes", "What is taken for what", h("div", { class: "columns" }, tables));
}

function mistakes(which, matrix) {
  const n = facts.classes.length;
  const caption = `${capital(which)} rows${facts.weighted ? ", by weight" : ""}: a line for each class, a column for what it is taken for`;
  const head = facts.classes.map((_, k) => h("th", { scope: "col" }, classLabel(k)));
  const wrong = (i) => total(matrix[i]) - matrix[i][i];
  const rows = matrix.map((line, i) => {
    const all = total(line);
    return h("tr", null, h("th", { scope: "row" }, classLabel(i)),
      line.map((x, k) => h("td", { class: i === k ? "right" : x > 0 ? "astray" : null, style: { "--share": `${Math.round((70 * x) / (all || 1))}%` } }, count(x))),
      h("td", null, all > 0 ? percent(wrong(i) / all) : "–"));
  });
  return h("figure", null, h("figcaption", null, caption),
    h("div", { class: "scroll tall", tabindex: 0, role: "region", "aria-label": `Mistakes on ${which} rows` },
      h("table", { class: "confusion", "aria-label": `${which} rows: ${n} classes` },
        h("thead", null, h("tr", null, h("th", { scope: "col" }, "is"), head, h("th", { scope: "col" }, "wrong"))),
        h("tbody", null, rows))));
}

/** Puts the page together. */
function boostedPage() {
  const parts = [
    summarySection(),
    facts.scores && facts.scores.functions.length > 0 && rowSection(),
    facts.scores && scoresSection(),
    facts.rounds.round.length > 0 && roundsSection(),
    facts.margins.length > 0 && marginsSection(),
    Object.keys(facts.confusion).length > 0 && mistakesSection(),
    certificateSection(),
  ].filter(Boolean);
  pageHeader(facts.title, summaryFigures(), parts.map((part) => ({ id: part.id, name: part.querySelector("h2").textContent.split(":")[0] })));
  const main = document.getElementById("main");
  put(main, parts);
  main.after(pageFooter());
}

boostedPage();
