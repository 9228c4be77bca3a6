// The panels of all columns: which are shown, in what order, and for which class.

const ORDERS = {
  spread: ["how far they move the votes", (a, b) => b.spread - a.spread],
  name: ["name", (a, b) => facts.columns[a.column].name.localeCompare(facts.columns[b.column].name)],
  table: ["their order in the table", (a, b) => a.column - b.column],
};

/** The section with a panel for every column that is asked about. */
function scoresSection() {
  const { functions, own } = facts.scores;
  const state = { words: "", order: "spread", outputs: firstOutputs(), shown: PANELS };
  const grid = h("div", { class: "panels" });
  const told = h("p", { class: "note", role: "status" });
  const draw = () => drawPanels(state, grid, told);
  const change = (key) => (event) => { state[key] = event.target.value; state.shown = PANELS; draw(); };
  const search = h("input", { type: "search", id: "column-search", placeholder: "part of a name", oninput: change("words") });
  const order = h("select", { id: "column-order", onchange: change("order") }, Object.entries(ORDERS).map(([key, [name]]) => h("option", { value: key }, name)));
  const section_ = section("scores", "What each column adds",
    h("p", null, `A row's votes are the start (${facts.scores.start.map(sayVotes).join(", ")}) and one score from every panel, added up. That is the whole model. ${facts.votes.wins}`),
    OUTPUTS > 1 && classKey(),
    h("div", { class: "controls" },
      h("div", null, h("label", { for: "column-search" }, "Find a column"), search),
      h("div", null, h("label", { for: "column-order" }, "Sort by"), order),
      OUTPUTS > 1 && classChoice(state, draw)),
    told, grid,
    own.map((question) => ownPanel(question)),
    unasked(functions));
  draw();
  return section_;
}

function firstOutputs() {
  return OUTPUTS > 4 ? [0] : OUTPUT_CLASSES.map((_, k) => k);
}

function classChoice(state, draw) {
  const every = OUTPUT_CLASSES.map((_, k) => k);
  const choose = (event) => {
    state.outputs = event.target.value === "all" ? every : [Number(event.target.value)];
    draw();
  };
  const options = OUTPUT_CLASSES.map((i, k) => h("option", { value: String(k), selected: state.outputs.length === 1 && state.outputs[0] === k }, facts.classes[i]));
  return h("div", null, h("label", { for: "column-class" }, "Votes for"),
    h("select", { id: "column-class", onchange: choose }, h("option", { value: "all", selected: state.outputs.length > 1 }, "all classes"), options));
}

function drawPanels(state, grid, told) {
  const wanted = state.words.trim().toLowerCase();
  const found = facts.scores.functions
    .filter((one) => facts.columns[one.column].name.toLowerCase().includes(wanted))
    .sort(ORDERS[state.order][1]);
  const shown = found.slice(0, state.shown);
  told.textContent = shown.length === found.length
    ? `${plural(found.length, "column")} shown.`
    : `${count(shown.length)} of ${plural(found.length, "column")} shown.`;
  put(grid, shown.map((one) => scorePanel(one, state.outputs)));
  if (found.length > shown.length) {
    const more = () => { state.shown = Infinity; drawPanels(state, grid, told); };
    grid.append(h("button", { type: "button", class: "quiet more", onclick: more }, `Show all ${count(found.length)}`));
  }
}

/** A user's own question, which is about no one column. */
function ownPanel(question) {
  const rows = question.words.map((words, i) =>
    h("tr", null, h("th", { scope: "row" }, words), question.scores[i].map((x) => h("td", null, sayVotes(x)))));
  const head = OUTPUT_CLASSES.map((i) => h("th", { scope: "col" }, facts.classes[i]));
  return h("article", { class: "panel", "aria-label": question.asks },
    h("h3", null, question.asks),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": `Scores of ${question.asks}` },
      h("table", null, h("thead", null, h("tr", null, h("th", { scope: "col" }, "answer"), head)), h("tbody", null, rows))));
}

function unasked(functions) {
  const asked = new Set(functions.map((one) => one.column));
  const names = facts.columns.filter((_, j) => !asked.has(j)).map((column) => column.name);
  if (names.length === 0) return null;
  return h("p", { class: "note" }, `Never asked about: ${shorten(names.join(", "), 400)}.`);
}
