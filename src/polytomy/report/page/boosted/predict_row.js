// Predicting a row: its votes as the sum of one score for each column.

const MOST_LINES = 30; // columns that are shown one by one
const MOST_CLASSES = 6; // shown side by side

/** The section in which a row is entered. */
function rowSection() {
  const { functions, own } = facts.scores;
  const result = h("div", { class: "row-result" });
  const prediction = h("p", { class: "verdict", role: "status", "aria-live": "polite" });
  const fields = functions.map((one) => ({ one, ...cellField(one.column, { onlyListed: Boolean(one.others) }) }));
  const ownFields = own.map((split, i) => ({ split, ...ownField(split, i) }));
  const update = () => {
    const parts = [...fields.map(partOf), ...ownFields.map(({ split, read }) => ({ name: split.asks, scores: read() }))];
    showVotes(parts, prediction, result, fields.some(({ one }) => one.joined));
  };
  const form = cellForm([...fields, ...ownFields].map(({ element }) => element), update);
  const fillIn = (text) => () => { for (const { one, write } of fields) write(text(facts.columns[one.column])); update(); };
  fillIn(typicalText)();
  return section("row", "Predict a row",
    h("p", null, "Enter the cells of a row to see its prediction and the score of each column. The fields start with a typical value of each column; an empty field is a missing value."),
    h("div", { class: "controls" }, pasteField(fields, update),
      h("button", { type: "button", class: "quiet", onclick: fillIn(typicalText) }, "Typical values"),
      h("button", { type: "button", class: "quiet", onclick: fillIn(() => null) }, "Clear all fields")),
    h("div", { class: "columns" }, form, h("div", null, prediction, result)));
}

/** A typical value of a column, as text: a middle value or label, or the first category. */
function typicalText(column) {
  const names = column.labels ?? column.categories;
  if (names) return names[column.labels ? names.length >> 1 : 0] ?? null;
  return column.middle_text ?? (column.middle === undefined ? null : String(column.middle));
}

/** A field for a whole row: the cells of all columns, in the order of the data. */
function pasteField(fields, update) {
  const names = facts.columns.map((column) => column.name);
  const status = h("span", { class: "note", role: "status" });
  const take = (event) => {
    const text = event.target.value;
    if (text.trim() === "") return put(status, "");
    const cells = pastedCells(text);
    if (cells.length !== names.length) return put(status, `– ${plural(cells.length, "cell")}, but the model has ${plural(names.length, "column")}`);
    for (const { one, write } of fields) write(cells[one.column]);
    update();
    return put(status, "– row entered");
  };
  return h("div", { class: "wide" },
    h("label", { for: "paste-row" }, `Paste a row: ${plural(names.length, "cell")}, separated by commas or tabs `, status),
    h("input", { type: "text", id: "paste-row", autocomplete: "off", spellcheck: "false", placeholder: shorten(names.join(", "), 200), oninput: take }));
}

/** The cells of a line; one in quotes may contain separators, and "" is an empty text, not a missing cell. */
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

/** A list of the branches of a user-defined split, which the page cannot evaluate. */
function ownField(split, i) {
  const input = h("select", { id: `own-split-${i}` }, split.words.map((words, branch) => h("option", { value: branch }, words)));
  const element = h("div", { class: "cell" }, h("div", { class: "cell-head" }, h("label", { for: input.id }, split.asks)), input);
  return { element, read: () => split.scores[Number(input.value)] };
}

function partOf({ one, read }) {
  const cell = read();
  const name = facts.columns[one.column].name;
  if (cell.wrong) return { name, wrong: one.others ? `${cell.wrong}, so its score is unknown: ${othersText(one)}` : cell.wrong };
  const { scores, words } = scoreOf(one, cell);
  return { name, words, scores };
}

function showVotes(parts, prediction, result, isRounded) {
  const wrong = parts.filter((part) => part.wrong);
  if (wrong.length > 0) {
    put(prediction, wrong.map((part) => `${part.name}: ${part.wrong}.`).join(" "));
    put(result);
    return;
  }
  const votes = votesOf(facts.scores.start, parts.map((part) => part.scores));
  const probabilities = probabilitiesOf(votes);
  const predicted = predictedClass(votes);
  put(prediction, classLabel(predicted), h("span", { class: "muted" },
    ` with ${isRounded ? "about " : ""}${formatVotes(votes[OUTPUTS === 1 ? 0 : predicted])} votes, probability ${percent(probabilities[predicted])}`));
  prediction.dataset.votes = JSON.stringify(votes);
  prediction.dataset.predicted = facts.classes[predicted];
  prediction.dataset.probabilities = JSON.stringify(probabilities);
  put(result, probabilityBars(probabilities), OUTPUTS === 1 ? waterfall(parts, votes) : sumTable(parts, votes, predicted));
}

function probabilityBars(probabilities) {
  const order = probabilities.map((_, i) => i).sort((a, b) => probabilities[b] - probabilities[a]).slice(0, 6);
  const bars = order.map((i) => ({ name: className(i), value: probabilities[i], colour: classColour(i) }));
  return barChart({ title: "Probabilities", bars, most: 1, formatValue: (x) => percent(x) });
}

/** The largest parts, largest first, and all others as one. */
function largestFirst(parts, size) {
  const sorted = [...parts].sort((a, b) => size(b) - size(a));
  if (sorted.length <= MOST_LINES) return sorted;
  const rest = sorted.slice(MOST_LINES - 1);
  const zero = facts.scores.start.map(() => 0);
  return [...sorted.slice(0, MOST_LINES - 1), { name: `the other ${formatCount(rest.length)} columns together`, scores: votesOf(zero, rest.map((part) => part.scores)) }];
}

/** Bars for one output: the start value, the score of each column (largest first), and their sum. */
function waterfall(parts, votes) {
  const bars = [
    { name: "start", value: facts.scores.start[0] },
    ...largestFirst(parts, (part) => Math.abs(part.scores[0])).map((part) => ({ name: part.words ?? part.name, value: part.scores[0] })),
    { name: "total votes", value: votes[0] },
  ].map((bar) => ({ ...bar, colour: scoreColour(bar.value, 0) }));
  const title = `Score of each column (above 0 for ${className(1)}, below for ${className(0)})`;
  const figure = barChart({ title, bars, signed: true, show: bars.length, formatValue: (x) => formatVotes(x).replace("+", "") });
  figure.classList.add("waterfall");
  figure.querySelector("tbody").lastElementChild.classList.add("sum");
  return figure;
}

/** A table for several outputs: a line for each column, and the sum; of many classes, those with the most votes. */
function sumTable(parts, votes, predicted) {
  const leading = votes.map((_, i) => i).sort((a, b) => votes[b] - votes[a]).slice(0, MOST_CLASSES).sort((a, b) => a - b);
  const sorted = largestFirst(parts, (part) => maxOf(part.scores) - minOf(part.scores));
  const largest = maxOf([...sorted.flatMap((part) => part.scores), ...facts.scores.start].map(Math.abs)) || 1;
  const line = (words, scores) => h("tr", null, h("th", { scope: "row" }, words), leading.map((i) => tinted(scores[i], largest, i)));
  const fewer = leading.length < votes.length ? `; the ${leading.length} classes with the most votes are shown` : "";
  return h("figure", { class: "chart" }, h("figcaption", null, `Score of each column for each class${fewer}`),
    h("div", { class: "scroll tall", tabindex: 0, role: "region", "aria-label": "Score of each column for each class" },
      h("table", { class: "tinted" },
        h("thead", null, h("tr", null, h("th", { scope: "col" }, ""), leading.map((i) => h("th", { scope: "col" }, classLabel(i))))),
        h("tbody", null, line("start", facts.scores.start), sorted.map((part) => line(part.words ?? part.name, part.scores)),
          h("tr", { class: "sum" }, h("th", { scope: "row" }, "total votes"),
            leading.map((i) => h("td", { class: i === predicted ? "winner" : null }, formatVotes(votes[i]))))))));
}
