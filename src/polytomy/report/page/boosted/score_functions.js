// The score function of each column: a panel with a step function for numbers, or bars for categories.

const FIRST_PANELS = 12;
const MANY_STEPS = 9; // with more steps, only the extremes are labelled

/** Whether a column's values lie on a continuous axis. */
function isContinuous(one) {
  const { kind } = facts.columns[one.column];
  return kind === "numbers" || kind === "times";
}

/**
 * A panel: the column's name, the range of its scores, the drawing and the table.
 * @param {Object} one a score function
 * @param {number[]} outputs which of the scores to draw
 */
function scorePanel(one, outputs) {
  const column = facts.columns[one.column];
  const range = `range ${formatNumber(one.spread)}, ${plural(one.stumps, "stump")}`;
  const drawn = isContinuous(one) ? stepFunction(one, outputs) : scoreBars(one, outputs);
  return h("article", { class: "panel", "aria-label": column.name, dataset: { column: String(one.column) } },
    h("h3", null, column.name, h("span", { class: "muted" }, ` ${range}`)),
    drawn,
    one.others && h("p", { class: "note" }, `Only the ${formatCount(one.place.length)} categories with the largest scores are listed; ${othersText(one)}.`),
    one.joined && h("p", { class: "note" }, `Ranges with similar scores are joined; a score shown here is off by at most ${formatNumber(one.off)}.`),
    h("details", { class: "numbers" }, h("summary", null, `Show ${plural(one.words.length, isContinuous(one) ? "range" : "row")} as table`), scoreTable(one)));
}

/** The scores of the categories that are not listed: "the 4,700 others add −0.120 to +0.080". */
function othersText({ others }) {
  const [low, high] = [minOf(others.low), maxOf(others.high)].map(formatVotes);
  const add = low === high ? `add ${low}` : `add ${low} to ${high}`;
  return others.count === 1 ? `the other one ${add.replace("add", "adds")}` : `the ${formatCount(others.count)} others ${add}`;
}

function scoreTable(one) {
  const { has_missing: hasMissing, name } = facts.columns[one.column];
  const rows = one.words.map((words, i) => [words, one.scores[i]]);
  if (hasMissing) rows.push([`${name} is ${MISSING}`, one.missing]);
  if (one.place) rows.push([`${name} is ${ANOTHER}`, one.unseen]);
  const head = OUTPUT_CLASSES.map((i) => h("th", { scope: "col" }, facts.classes[i]));
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": `Scores of ${name}` },
    h("table", null,
      h("thead", null, h("tr", null, h("th", { scope: "col" }, "values"), head)),
      h("tbody", null, rows.map(([words, scores]) =>
        h("tr", null, h("th", { scope: "row" }, words), scores.map((x) => h("td", null, formatVotes(x))))))));
}

/** The scores as step functions of the column's values, one line for each output. */
function stepFunction(one, outputs) {
  const column = facts.columns[one.column];
  const drawing = svg("svg", { role: "img", class: "drawing", "aria-label": `Scores of ${column.name}. The numbers are in the table below.` });
  const figure = h("figure", { class: "stairs" }, drawing);
  drawWide(figure, drawing, (width) => drawSteps(drawing, one, outputs, width));
  return figure;
}

function drawSteps(drawing, one, outputs, width) {
  const height = 190;
  const box = { left: 46, right: width - 10, top: 26, bottom: height - 26 };
  const column = facts.columns[one.column];
  const cuts = one.thresholds.map(thresholdNumber);
  const [low, high] = endsOf(column, cuts);
  const values = outputs.flatMap((k) => one.scores.map((s) => s[k]));
  const pad = (maxOf(values) - minOf(values) || 1) * 0.1;
  const y = scale([Math.min(0, minOf(values) - pad), Math.max(0, maxOf(values) + pad)], [box.bottom, box.top]);
  const x = scale([low, high], [box.left, box.right]);
  const usual = y.ticks;
  y.ticks = () => usual(5);
  if (column.kind === "times") x.ticks = () => [low + (high - low) * 0.08, (low + high) / 2, high - (high - low) * 0.08];
  const formatX = column.kind === "times" ? (t) => formatTimeTick(column, t, high - low) : formatTick;
  drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
  put(drawing,
    axes(x, y, box, { x: "", y: "votes", formatX, formatY: formatTick }),
    svg("line", { class: "zero", x1: box.left, x2: box.right, y1: y.at(0), y2: y.at(0) }),
    outputs.map((k) => stepLine(one, k, cuts, x, y, [low, high])),
    outputs.length === 1 ? stepLabels(one, outputs[0], cuts, x, y, [low, high], box) : null);
}

/** The ends of the axis: all thresholds with some space around them, within the range of the training values. */
function endsOf(column, cuts) {
  const inside = cuts.filter((t) => Number.isFinite(t) && Math.abs(t) < 1e300);
  const [first, last] = [minOf(inside), maxOf(inside)];
  const beside = last > first ? 0.3 * (last - first) : Infinity;
  const low = Math.min(first, Math.max(column.low ?? first - 0.5, first - beside));
  const high = Math.max(last, Math.min(column.high ?? last + 0.5, last + beside));
  if (!Number.isFinite(low) || !Number.isFinite(high)) return [0, 1];
  return high > low ? [low, high] : [low - 0.5, high + 0.5];
}

function stepLine(one, k, cuts, x, y, [low, high]) {
  const at = (v) => x.at(Math.min(high, Math.max(low, v))).toFixed(1);
  let path = `M${at(low)} ${y.at(one.scores[0][k]).toFixed(1)}`;
  cuts.forEach((cut, i) => { path += `H${at(cut)}V${y.at(one.scores[i + 1][k]).toFixed(1)}`; });
  const i = OUTPUT_CLASSES[k];
  const colour = OUTPUTS === 1 ? "var(--line-0)" : classColour(i);
  return svg("path", { class: "line", d: `${path}H${at(high)}`, "stroke-dasharray": OUTPUTS === 1 ? null : LINE_DASH[i % LINE_DASH.length] || null, style: { stroke: colour } });
}

/** Scores as labels of the steps that have room for them. */
function stepLabels(one, k, cuts, x, y, [low, high], box) {
  const ends = [low, ...cuts, high].map((v) => x.at(Math.min(high, Math.max(low, v))));
  const values = one.scores.map((s) => s[k]);
  let free = -Infinity;
  return values.map((value, i) => {
    const middle = (ends[i] + ends[i + 1]) / 2;
    const room = ends[i + 1] - ends[i];
    const isEnd = value === maxOf(values) || value === minOf(values);
    if ((room < 34 && !isEnd) || (values.length > MANY_STEPS && !isEnd) || middle - free < 34) return null;
    free = middle;
    const place = Math.min(ends[ends.length - 1] - 14, Math.max(ends[0] + 14, middle));
    const below = value < 0 && y.at(value) + 16 < box.bottom;
    return svg("text", { class: "value-label", x: place, y: y.at(value) + (below ? 14 : -5), "text-anchor": "middle" }, formatShort(value));
  });
}

/** A score in few letters. */
function formatShort(x) {
  const text = x.toFixed(Math.abs(x) < 9.95 ? 2 : 1);
  if (Number(text) === 0) return "0.00";
  return (x > 0 ? "+" : "") + signed(text);
}

/** The scores of labels and categories: bars for one output, a table with tinted cells for several. */
function scoreBars(one, outputs) {
  const { name } = facts.columns[one.column];
  if (outputs.length > 1) return tintedTable(one, outputs);
  const bars = one.words.map((words, i) => ({ name: withoutName(words, name), title: words, value: one.scores[i][outputs[0]] }));
  const figure = barChart({ title: "", bars, signed: true, formatValue: formatShortUnsigned, show: 10 });
  figure.querySelector("figcaption").remove();
  return figure;
}

/** Like `formatShort`, without a plus sign, which the bars add themselves. */
function formatShortUnsigned(x) {
  return formatShort(x).replace("+", "");
}

function withoutName(words, name) {
  const rest = words.startsWith(`${name} is `) ? words.slice(name.length + 4) : words.startsWith(`${name} in `) ? words.slice(name.length + 4) : words;
  return rest.replace(/^\{(.*)\}$/, "$1");
}

function tintedTable(one, outputs) {
  const { name } = facts.columns[one.column];
  const largest = maxOf(one.scores.flat().map(Math.abs)) || 1;
  const head = outputs.map((k) => h("th", { scope: "col", title: facts.classes[OUTPUT_CLASSES[k]] }, classBadge(OUTPUT_CLASSES[k]), h("span", { class: "hidden-text" }, facts.classes[OUTPUT_CLASSES[k]])));
  const rows = one.words.slice(0, 10).map((words, i) =>
    h("tr", null, h("th", { scope: "row", title: words }, shorten(withoutName(words, name), 40)), outputs.map((k) => tinted(one.scores[i][k], largest))));
  const more = one.words.length - rows.length;
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": `Scores of ${name}` },
    h("table", { class: "tinted" }, h("thead", null, h("tr", null, h("th", { scope: "col" }, ""), head)), h("tbody", null, rows)),
    more > 0 && h("p", { class: "note" }, `${plural(more, "more row")} in the table below`));
}

function tinted(value, largest) {
  const share = Math.round((45 * Math.abs(value)) / largest);
  const colour = value < 0 ? "--line-1" : "--line-0";
  return h("td", { style: { background: `color-mix(in srgb, var(${colour}) ${share}%, transparent)` } }, formatShort(value));
}

const ORDERS = {
  spread: ["range of the scores", (a, b) => b.spread - a.spread],
  name: ["name", (a, b) => facts.columns[a.column].name.localeCompare(facts.columns[b.column].name)],
  table: ["order in the data", (a, b) => a.column - b.column],
};

/** The section with a panel for every column that has a split. */
function scoresSection() {
  const { functions, own } = facts.scores;
  const state = { words: "", order: "spread", outputs: firstOutputs(), shown: FIRST_PANELS };
  const grid = h("div", { class: "panels" });
  const status = h("p", { class: "note", role: "status" });
  const draw = () => drawPanels(state, grid, status);
  const change = (key) => (event) => { state[key] = event.target.value; state.shown = FIRST_PANELS; draw(); };
  const search = h("input", { type: "search", id: "column-search", placeholder: "part of a name", oninput: change("words") });
  const order = h("select", { id: "column-order", onchange: change("order") }, Object.entries(ORDERS).map(([key, [name]]) => h("option", { value: key }, name)));
  const section_ = section("scores", "Score functions",
    h("p", null, `The votes for a row are the start value (${facts.scores.start.map(formatVotes).join(", ")}) plus one score from each column. This is the complete model. ${facts.votes.wins}`),
    OUTPUTS > 1 && classKey(),
    h("div", { class: "controls" },
      h("div", null, h("label", { for: "column-search" }, "Find a column"), search),
      h("div", null, h("label", { for: "column-order" }, "Sort by"), order),
      OUTPUTS > 1 && classChoice(state, draw)),
    status, grid,
    own.map((split) => ownPanel(split)),
    columnsWithoutSplits(functions));
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
  return h("div", null, h("label", { for: "column-class" }, "Votes for class"),
    h("select", { id: "column-class", onchange: choose }, h("option", { value: "all", selected: state.outputs.length > 1 }, "all classes"), options));
}

function drawPanels(state, grid, status) {
  const wanted = state.words.trim().toLowerCase();
  const found = facts.scores.functions
    .filter((one) => facts.columns[one.column].name.toLowerCase().includes(wanted))
    .sort(ORDERS[state.order][1]);
  const shown = found.slice(0, state.shown);
  status.textContent = shown.length === found.length
    ? `${plural(found.length, "column")} shown.`
    : `${formatCount(shown.length)} of ${plural(found.length, "column")} shown.`;
  put(grid, shown.map((one) => scorePanel(one, state.outputs)));
  if (found.length > shown.length) {
    const more = () => { state.shown = Infinity; drawPanels(state, grid, status); };
    grid.append(h("button", { type: "button", class: "quiet more", onclick: more }, `Show all ${formatCount(found.length)}`));
  }
}

/** A panel for a user-defined split, which has no single column. */
function ownPanel(split) {
  const rows = split.words.map((words, i) =>
    h("tr", null, h("th", { scope: "row" }, words), split.scores[i].map((x) => h("td", null, formatVotes(x)))));
  const head = OUTPUT_CLASSES.map((i) => h("th", { scope: "col" }, facts.classes[i]));
  return h("article", { class: "panel", "aria-label": split.asks },
    h("h3", null, split.asks),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": `Scores of ${split.asks}` },
      h("table", null, h("thead", null, h("tr", null, h("th", { scope: "col" }, "branch"), head)), h("tbody", null, rows))));
}

function columnsWithoutSplits(functions) {
  const used = new Set(functions.map((one) => one.column));
  const names = facts.columns.filter((_, j) => !used.has(j)).map((column) => column.name);
  if (names.length === 0) return null;
  return h("p", { class: "note" }, `Columns without a split: ${shorten(names.join(", "), 400)}.`);
}
