// The score function of each column: a panel with a step function for numbers, or bars for categories.

const FIRST_PANELS = 12;
const DENSITY = 30; // pixels under the scores for the density of the rows
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
  const effect = one.effect === undefined ? "" : `effect ${formatNumber(one.effect)}, `;
  const range = `${effect}range ${formatNumber(one.spread)}, ${plural(one.stumps, "stump")}`;
  const drawn = isContinuous(one) ? stepFunction(one, outputs) : scoreBars(one, outputs);
  return h("article", { class: "panel", "aria-label": column.name, dataset: { column: String(one.column) } },
    h("h3", null, breakable(column.name), h("span", { class: "muted" }, ` ${range}`)),
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
  const head = OUTPUT_CLASSES.map((i) => h("th", { scope: "col" }, className(i)));
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
  const [low, high] = one.axis;
  const values = outputs.flatMap((k) => one.scores.map((s) => s[k]));
  const pad = (maxOf(values) - minOf(values) || 1) * 0.1;
  const y = scale([Math.min(0, minOf(values) - pad), Math.max(0, maxOf(values) + pad)], [box.bottom - (one.density ? DENSITY : 0), box.top]);
  const x = scale([low, high], [box.left, box.right]);
  const usual = y.ticks;
  y.ticks = () => usual(5);
  if (column.kind === "times") x.ticks = () => [low + (high - low) * 0.08, (low + high) / 2, high - (high - low) * 0.08];
  const formatX = column.kind === "times" ? (t) => formatTimeTick(column, t, high - low) : formatTick;
  drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
  put(drawing,
    axes(x, y, box, { x: "", y: "votes", formatX, formatY: formatTick }),
    one.density ? densityBars(one, box) : null,
    outputs.length === 1 ? stepAreas(one, outputs[0], cuts, x, y, [low, high]) : null,
    svg("line", { class: "zero", x1: box.left, x2: box.right, y1: y.at(0), y2: y.at(0) }),
    outputs.map((k) => stepLine(one, k, cuts, x, y, [low, high])),
    outputs.length === 1 ? stepLabels(one, outputs[0], cuts, x, y, [low, high], box) : null);
}

function stepLine(one, k, cuts, x, y, [low, high]) {
  const at = (v) => x.at(Math.min(high, Math.max(low, v))).toFixed(1);
  let path = `M${at(low)} ${y.at(one.scores[0][k]).toFixed(1)}`;
  cuts.forEach((cut, i) => { path += `H${at(cut)}V${y.at(one.scores[i + 1][k]).toFixed(1)}`; });
  const i = OUTPUT_CLASSES[k];
  const colour = OUTPUTS === 1 ? "var(--text)" : classColour(i);
  return svg("path", { class: "line", d: `${path}H${at(high)}`, "stroke-dasharray": OUTPUTS === 1 ? null : LINE_DASH[i % LINE_DASH.length] || null, style: { stroke: colour } });
}

/** The areas between a step function and 0, in the colour of the class that the scores are for. */
function stepAreas(one, k, cuts, x, y, [low, high]) {
  const ends = [low, ...cuts, high].map((v) => x.at(Math.min(high, Math.max(low, v))));
  return svg("g", { class: "step-areas" }, one.scores.map((s, i) => {
    const [from, to] = [y.at(Math.max(0, s[k])), y.at(Math.min(0, s[k]))];
    return svg("rect", { x: ends[i].toFixed(1), width: Math.max(0, ends[i + 1] - ends[i]).toFixed(1), y: from.toFixed(1), height: Math.max(0, to - from).toFixed(1), style: { fill: scoreColour(s[k], k) } });
  }));
}

/** How the rows are distributed over the values of a column, under its scores. */
function densityBars({ density }, box) {
  const wide = (box.right - box.left) / density.length;
  const heights = scale([0, maxOf(density) || 1], [0, DENSITY - 6]);
  return svg("g", { class: "density" }, svg("title", null, "Share of the rows"), density.map((share, i) =>
    svg("rect", { x: (box.left + i * wide).toFixed(1), width: Math.max(0.5, wide - 0.6).toFixed(1), y: (box.bottom - heights.at(share)).toFixed(1), height: heights.at(share).toFixed(1) })));
}

/** The colour of a score of an output: that of the class it is for; grey if it is against a class. */
function scoreColour(score, k) {
  if (OUTPUTS === 1) return classColour(score < 0 ? 0 : 1);
  return score < 0 ? "var(--strong-edge)" : classColour(OUTPUT_CLASSES[k]);
}

/** Whether the facts have the effects of columns on rows. */
function hasEffects() {
  return facts.scores?.functions.every((one) => one.effect !== undefined) ?? false;
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
  const bars = one.words.map((words, i) => {
    const value = one.scores[i][outputs[0]];
    return { name: withoutName(words, name), title: words, value, colour: scoreColour(value, outputs[0]), note: one.shares ? percent(one.shares[i], 0) : null };
  });
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
  const head = outputs.map((k) => h("th", { scope: "col" }, classLabel(OUTPUT_CLASSES[k])));
  const rows = one.words.slice(0, 10).map((words, i) =>
    h("tr", null, h("th", { scope: "row", title: words }, breakable(shortenMiddle(withoutName(words, name), 60)), one.shares ? h("span", { class: "muted nowrap" }, ` ${percent(one.shares[i], 0)}`) : null), outputs.map((k) => tinted(one.scores[i][k], largest, k))));
  const more = one.words.length - rows.length;
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": `Scores of ${name}` },
    h("table", { class: "tinted" }, h("thead", null, h("tr", null, h("th", { scope: "col" }, ""), head)), h("tbody", null, rows)),
    more > 0 && h("p", { class: "note" }, `${plural(more, "more row")} in the table below`));
}

function tinted(value, largest, k) {
  const share = Math.round((45 * Math.abs(value)) / largest);
  return h("td", { style: { background: `color-mix(in srgb, ${scoreColour(value, k)} ${share}%, transparent)` } }, formatShort(value));
}

const ORDERS = {
  ...(hasEffects() ? { effect: ["effect on the rows", (a, b) => b.effect - a.effect] } : {}),
  spread: ["range of the scores", (a, b) => b.spread - a.spread],
  name: ["name", (a, b) => facts.columns[a.column].name.localeCompare(facts.columns[b.column].name)],
  table: ["order in the data", (a, b) => a.column - b.column],
};

/** The section with a panel for every column that has a split. */
function scoresSection() {
  const { functions, own } = facts.scores;
  const state = { words: "", order: hasEffects() ? "effect" : "spread", outputs: firstOutputs(), shown: FIRST_PANELS };
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
  const options = OUTPUT_CLASSES.map((i, k) => h("option", { value: String(k), selected: state.outputs.length === 1 && state.outputs[0] === k }, className(i)));
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
  const head = OUTPUT_CLASSES.map((i) => h("th", { scope: "col" }, className(i)));
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
