// Follow a row: type its cells, and see every column's score add up to the votes.

const LINES = 30; // columns whose votes have a line of their own
const MOST_CLASSES = 6; // whose votes are shown side by side

/** The section in which a row is typed; every change shows at once. */
function rowSection() {
  const { functions, own } = facts.scores;
  const result = h("div", { class: "row-result" });
  const said = h("p", { class: "verdict", role: "status", "aria-live": "polite" });
  const fields = functions.map((one) => ({ one, ...cellField(one.column, update) }));
  const answers = own.map((question) => ({ question, ...ownField(question, update) }));
  function update() {
    const parts = [...fields.map(partOf), ...answers.map((a) => ({ name: a.question.asks, scores: a.read() }))];
    showVotes(parts, said, result, fields.some(({ one }) => one.joined));
  }
  const form = h("form", { class: "cells", "aria-label": "Cells of the row", onsubmit: (event) => event.preventDefault() },
    fields.map((f) => f.element), answers.map((a) => a.element));
  const fillIn = (text) => () => { for (const { one, write } of fields) write(text(facts.columns[one.column])); update(); };
  fillIn(middleOf)();
  return section("row", "Follow a row",
    h("p", null, "Type a row to see what it is taken for, and which columns say so. It begins with a value from the middle of every column; an empty field is a missing cell."),
    h("div", { class: "controls" }, pasteField(fields, update),
      h("button", { type: "button", class: "quiet", onclick: fillIn(middleOf) }, "Middle values"),
      h("button", { type: "button", class: "quiet", onclick: fillIn(() => null) }, "All missing")),
    h("div", { class: "columns follow" }, form, h("div", null, said, result)));
}

/** A line to paste a row into: all cells of the table's columns, in their order. */
function pasteField(fields, update) {
  const names = facts.columns.map((column) => column.name);
  const told = h("span", { class: "note", role: "status" });
  const take = (event) => {
    const text = event.target.value;
    if (text.trim() === "") return put(told, "");
    const cells = pastedCells(text);
    if (cells.length !== names.length) return put(told, `${plural(cells.length, "cell")}, but the model has ${plural(names.length, "column")}`);
    for (const { one, write } of fields) write(cells[one.column]);
    update();
    return put(told, "taken");
  };
  return h("div", { class: "wide" },
    h("label", { for: "paste-row" }, `Paste a row: ${plural(names.length, "cell")}, separated by commas or tabs `, told),
    h("input", { type: "text", id: "paste-row", autocomplete: "off", spellcheck: "false", placeholder: shorten(names.join(", "), 200), oninput: take }));
}

/** The cells of a line of a table; one in quotes may hold separators, and "" is an empty text, no missing cell. */
function pastedCells(text) {
  const bare = text.replace(/"(?:[^"]|"")*"/g, "");
  const separator = ["\t", ";", ","].find((letter) => bare.includes(letter)) ?? ",";
  const cells = [];
  let cell = "";
  let inQuotes = false;
  for (const letter of text) {
    if (letter === '"' && (inQuotes || cell.trim() === "" || cell.endsWith('"'))) inQuotes = !inQuotes;
    if (letter !== separator || inQuotes) cell += letter;
    else {
      cells.push(cell);
      cell = "";
    }
  }
  return [...cells, cell].map(unquoted);
}

function unquoted(cell) {
  const quoted = /^\s*"(.*)"\s*$/s.exec(cell);
  if (quoted) return quoted[1].replaceAll('""', '"');
  return cell === "" ? null : cell;
}

/** A list of answers to a user's own question, which only its own code could give. */
function ownField(question, changed) {
  const field = h("select", { id: freshId("cell"), onchange: changed }, question.words.map((words, i) => h("option", { value: String(i) }, words)));
  const element = h("div", { class: "cell" }, h("label", { for: field.id }, question.asks), field);
  return { element, read: () => question.scores[Number(field.value)] };
}

function partOf({ one, read }) {
  const cell = read();
  const name = facts.columns[one.column].name;
  if (cell.wrong) return { name, words: one.others ? `${cell.wrong}, so its score is not known: ${othersInWords(one)}` : cell.wrong, wrong: true };
  const { scores, words } = scoreOf(one, cell);
  return { name, words, scores };
}

function showVotes(parts, said, result, rough) {
  const wrong = parts.filter((part) => part.wrong);
  if (wrong.length > 0) {
    put(said, `${wrong.map((part) => `${part.name} is ${part.words}`).join("; ")}.`);
    put(result);
    return;
  }
  const votes = votesOf(facts.scores.start, parts.map((part) => part.scores));
  const chances = chancesOf(votes);
  const winner = winnerOf(votes);
  put(said, classLabel(winner), h("span", { class: "muted" },
    ` with ${rough ? "about " : ""}${OUTPUTS === 1 ? `votes of ${sayVotes(votes[0])}` : `${sayVotes(votes[winner])} votes`}, probability ${percent(chances[winner])}`));
  said.dataset.votes = JSON.stringify(votes);
  said.dataset.winner = facts.classes[winner];
  said.dataset.chances = JSON.stringify(chances);
  put(result, chanceBars(chances), OUTPUTS === 1 ? waterfall(parts, votes) : sumTable(parts, votes, winner));
}

function chanceBars(chances) {
  const order = chances.map((_, i) => i).sort((a, b) => chances[b] - chances[a]).slice(0, 6);
  const bars = order.map((i) => ({ name: facts.classes[i], value: chances[i], colour: classColour(i) }));
  return barChart({ title: "Probabilities", bars, most: 1, valueSay: (x) => percent(x) });
}

/** The parts that say most, the largest first, and all others as one. */
function largestFirst(parts, size) {
  const sorted = [...parts].sort((a, b) => size(b) - size(a));
  if (sorted.length <= LINES) return sorted;
  const rest = sorted.slice(LINES - 1);
  const zero = facts.scores.start.map(() => 0);
  return [...sorted.slice(0, LINES - 1), { name: `the other ${count(rest.length)} columns together`, scores: votesOf(zero, rest.map((part) => part.scores)) }];
}

/** Bars of one output: the start and each column's score, the largest first, and their sum. */
function waterfall(parts, votes) {
  const bars = [
    { name: "start", value: facts.scores.start[0] },
    ...largestFirst(parts, (part) => Math.abs(part.scores[0])).map((part) => ({ name: part.words ?? part.name, value: part.scores[0] })),
    { name: "votes, the sum", value: votes[0] },
  ];
  const title = `Votes: above 0 for ${facts.classes[1]}, below for ${facts.classes[0]}`;
  const figure = barChart({ title, bars, signed: true, show: bars.length, valueSay: (x) => sayVotes(x).replace("+", "") });
  figure.classList.add("waterfall");
  figure.querySelector("tbody").lastElementChild.classList.add("sum");
  return figure;
}

/** A table of several outputs: a line for each column, and the sum; of many classes those that lead. */
function sumTable(parts, votes, winner) {
  const leading = votes.map((_, i) => i).sort((a, b) => votes[b] - votes[a]).slice(0, MOST_CLASSES).sort((a, b) => a - b);
  const sorted = largestFirst(parts, (part) => most(part.scores) - least(part.scores));
  const largest = most([...sorted.flatMap((part) => part.scores), ...facts.scores.start].map(Math.abs)) || 1;
  const line = (words, scores) => h("tr", null, h("th", { scope: "row" }, words), leading.map((i) => tinted(scores[i], largest)));
  const fewer = leading.length < votes.length ? `; shown are the ${leading.length} that have most` : "";
  return h("figure", { class: "chart" }, h("figcaption", null, `Votes: the class with the most wins${fewer}`),
    h("div", { class: "scroll tall", tabindex: 0, role: "region", "aria-label": "Votes of every column" },
      h("table", { class: "tinted" },
        h("thead", null, h("tr", null, h("th", { scope: "col" }, ""), leading.map((i) => h("th", { scope: "col" }, classLabel(i))))),
        h("tbody", null, line("start", facts.scores.start), sorted.map((part) => line(part.words ?? part.name, part.scores)),
          h("tr", { class: "sum" }, h("th", { scope: "row" }, "votes, the sum"),
            leading.map((i) => h("td", { class: i === winner ? "winner" : null }, sayVotes(votes[i]))))))));
}
