// The numbers after a guess: the index of the node and its branches, the gain, the price, and all columns.

function revealSection(lesson) {
  const { mine, winner, same, points } = lesson.reveal;
  const cards = same || mine === null
    ? [workedSplit(lesson, winner, mine === null ? "The grower's split" : "Your split, which is the grower's, too")]
    : [workedSplit(lesson, mine, "Your split"), workedSplit(lesson, winner, "The grower's split")];
  const heading = section("reveal", revealTitle(lesson), nodeHead(lesson), nodeStep(lesson, winner.node),
    h("div", { class: "columns" }, cards),
    columnRanking(lesson),
    choiceButtons(lesson, same, mine));
  heading.querySelector("h2").setAttribute("tabindex", "-1");
  if (points !== null) heading.querySelector("h2").append(" ", h("span", { class: points > 0.999 ? "pill" : "pill warm" }, percent(points, 0)));
  return heading;
}

function revealTitle(lesson) {
  const { mine, same, points } = lesson.reveal;
  if (mine === null) return "You leave it a leaf; this is the best split";
  if (same) return `${columnName(mine.column)}: the best split`;
  return points > 0.999 ? `${columnName(mine.column)}: as good as the best split` : `${columnName(mine.column)}, compared with the best split:`;
}

/** Step 1: the index of the node. */
function nodeStep(lesson, node) {
  const { name, formula, unit } = lesson.reveal.index;
  return h("div", { class: "work" },
    h("h3", null, `${name} of the node, ${formula}`),
    equation(node.formula, node.value, unit));
}

/** A formula with its numbers and its value. */
function equation(formula, value, unit = "") {
  return h("p", { class: "equation" }, h("span", null, formula), h("span", { class: "equals" }, ` = ${three(value)}`, unit ? ` ${unit}` : ""));
}

/** Steps 2 to 4 of one split. */
function workedSplit(lesson, split, title) {
  const most = maxOf(split.branches.map((b) => b.rows));
  const name = lesson.reveal.index.name.toLowerCase();
  return h("article", { class: "work sunken" },
    h("h3", null, title, ": ", h("b", null, columnName(split.column))),
    split.branches.map((branch) => h("div", { class: "branch" },
      h("div", { class: "branch-head" }, h("span", null, branch.answer), classBar(branch.counts, most)),
      equation(branch.formula, branch.value))),
    h("h4", null, `Mean ${name} of the branches, by rows`),
    equation(split.rest.formula, split.rest.value),
    h("h4", null, "Gain: what the split takes away"),
    equation(split.gain.formula, split.gain.value),
    hasPrices(lesson)
      ? [h("h4", null, "Gain for its price"), equation(`${split.gain.value.toFixed(4)} / ${formatNumber(split.price)}`, split.worth)]
      : null,
    chanceLine(split));
}

/** Whether some split has a price other than 1. */
function hasPrices({ reveal: { columns, mine } }) {
  return [...columns, mine].some((split) => split && split.price !== null && split.price !== 1);
}

function chanceLine(split) {
  const rough = split.rough ? " The test is rough, because it expects fewer than 5 rows in some cells." : "";
  return h("p", { class: "note" },
    `p-value ${split.p_value}, or ${split.p_adjusted} adjusted for the choice among columns and splits: the probability that chance alone gives a split this good.${rough}`);
}

/** Step 5: every column, the best first. */
function columnRanking(lesson) {
  const { columns, mine, winner, price } = lesson.reveal;
  const isPriced = hasPrices(lesson);
  const most = maxOf(columns.map((c) => c.worth)) || 1;
  const mark = (c) => [
    c.column === winner.column ? h("span", { class: "pill" }, "best") : null,
    mine && c.column === mine.column ? h("span", { class: "pill warm" }, c.split === mine.split ? "yours" : "your column") : null,
  ];
  const rows = columns.map((c) => [
    h("span", null, columnName(c.column), " ", mark(c)),
    valueBar(c.worth, most),
    three(c.gain.value),
    ...(isPriced ? [c.price === null ? "" : formatNumber(c.price), three(c.worth)] : []),
    c.p_adjusted ?? "",
    c.split ?? "gains nothing",
  ]);
  const head = ["Column", "", "Gain", ...(isPriced ? ["Price", "Gain / price"] : []), "p adjusted", "Best split"];
  return [
    h("h3", null, "The best split of every column"),
    plainTable("The best split of every column", head, rows, { words: [1, head.length - 1], class: "ranking" }),
    isPriced ? h("p", { class: "note" }, `The price of k branches is ${price}. The grower takes the largest gain for its price.`) : null,
  ];
}

function choiceButtons(lesson, same, mine) {
  const go = (text, kept, kind) => actButton(text, "lesson_go_on", { with: kept }, { focus: TURN, kind });
  const best = columnName(lesson.reveal.winner.column);
  if (same) return h("div", { class: "actions" }, go("Go on", "mine", "primary"));
  return h("div", { class: "actions" },
    go(mine === null ? "Leave it a leaf" : `Go on with my split (${columnName(mine.column)})`, "mine", "primary"),
    go(`Take the grower's split (${best})`, "grower", ""));
}
