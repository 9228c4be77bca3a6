// What each column adds to the votes: a panel each, with steps for numbers and bars for categories.

const PANELS = 12; // shown at first
const MANY_LABELS = 9; // steps that carry their score

/** Whether a column's values lie on a line, so that a staircase can be drawn over them. */
function isOnALine(one) {
  const { kind } = facts.columns[one.column];
  return kind === "numbers" || kind === "times";
}

/**
 * A panel: the column's name, how far it moves the votes, the drawing and the table.
 * @param {Object} one a score function
 * @param {number[]} outputs which of the scores to draw
 */
function scorePanel(one, outputs) {
  const column = facts.columns[one.column];
  const said = `up to ${say(one.spread)} votes, ${plural(one.stumps, "stump")}`;
  const drawn = isOnALine(one) ? stairs(one, outputs) : scoreBars(one, outputs);
  return h("article", { class: "panel", "aria-label": column.name, dataset: { column: String(one.column) } },
    h("h3", null, column.name, h("span", { class: "muted" }, ` ${said}`)),
    drawn,
    one.others && h("p", { class: "note" }, `Listed are the ${count(one.place.length)} categories with the largest scores; ${othersInWords(one)}.`),
    one.joined && h("p", { class: "note" }, `Ranges that differ little are joined; a score is off by at most ${say(one.off)}.`),
    h("details", { class: "numbers" }, h("summary", null, `${plural(one.words.length, "range")} as a table`.replace("ranges", isOnALine(one) ? "ranges" : "rows")), scoreTable(one)));
}

/** What the categories that are not listed add: "the 4,700 others add from −0.120 to +0.080". */
function othersInWords({ others }) {
  const [low, high] = [least(others.low), most(others.high)].map(sayVotes);
  const add = low === high ? `add ${low}` : `add from ${low} to ${high}`;
  return others.count === 1 ? `the other one ${add.replace("add", "adds")}` : `the ${count(others.count)} others ${add}`;
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
        h("tr", null, h("th", { scope: "row" }, words), scores.map((x) => h("td", null, sayVotes(x))))))));
}

/** A staircase over the column's values, a line for each output. */
function stairs(one, outputs) {
  const column = facts.columns[one.column];
  const drawing = svg("svg", { role: "img", class: "drawing", "aria-label": `Votes against ${column.name}; the numbers are in the table below` });
  const figure = h("figure", { class: "stairs" }, drawing);
  drawWide(figure, drawing, (width) => drawStairs(drawing, one, outputs, width));
  return figure;
}

function drawStairs(drawing, one, outputs, width) {
  const height = 190;
  const box = { left: 46, right: width - 10, top: 26, bottom: height - 26 };
  const column = facts.columns[one.column];
  const cuts = numbersOf(one.thresholds);
  const [low, high] = endsOf(column, cuts);
  const values = outputs.flatMap((k) => one.scores.map((s) => s[k]));
  const pad = (most(values) - least(values) || 1) * 0.1;
  const y = scale([Math.min(0, least(values) - pad), Math.max(0, most(values) + pad)], [box.bottom, box.top]);
  const x = scale([low, high], [box.left, box.right]);
  const usual = y.ticks;
  y.ticks = () => usual(5);
  if (column.kind === "times") x.ticks = () => [low + (high - low) * 0.08, (low + high) / 2, high - (high - low) * 0.08];
  const xSay = column.kind === "times" ? (t) => sayTicks(column, t, high - low) : sayTick;
  drawing.setAttribute("viewBox", `0 0 ${width} ${height}`);
  put(drawing,
    axes(x, y, box, { x: "", y: "votes", xSay, ySay: sayTick }),
    svg("line", { class: "zero", x1: box.left, x2: box.right, y1: y.at(0), y2: y.at(0) }),
    outputs.map((k) => stair(one, k, cuts, x, y, [low, high])),
    outputs.length === 1 ? stairLabels(one, outputs[0], cuts, x, y, [low, high], box) : null);
}

/** From where to where the axis goes: over all steps and some way on, but not beyond the values there were. */
function endsOf(column, cuts) {
  const inside = cuts.filter((t) => Number.isFinite(t) && Math.abs(t) < 1e300);
  const [first, last] = [least(inside), most(inside)];
  const beside = last > first ? 0.3 * (last - first) : Infinity;
  const low = Math.min(first, Math.max(column.low ?? first - 0.5, first - beside));
  const high = Math.max(last, Math.min(column.high ?? last + 0.5, last + beside));
  if (!Number.isFinite(low) || !Number.isFinite(high)) return [0, 1];
  return high > low ? [low, high] : [low - 0.5, high + 0.5];
}

function stair(one, k, cuts, x, y, [low, high]) {
  const at = (v) => x.at(Math.min(high, Math.max(low, v))).toFixed(1);
  let path = `M${at(low)} ${y.at(one.scores[0][k]).toFixed(1)}`;
  cuts.forEach((cut, i) => { path += `H${at(cut)}V${y.at(one.scores[i + 1][k]).toFixed(1)}`; });
  const i = OUTPUT_CLASSES[k];
  const colour = OUTPUTS === 1 ? "var(--line-0)" : classColour(i);
  return svg("path", { class: "line", d: `${path}H${at(high)}`, "stroke-dasharray": OUTPUTS === 1 ? null : LINE_DASH[i % LINE_DASH.length] || null, style: { stroke: colour } });
}

/** Scores written on the steps that have room for them. */
function stairLabels(one, k, cuts, x, y, [low, high], box) {
  const ends = [low, ...cuts, high].map((v) => x.at(Math.min(high, Math.max(low, v))));
  const values = one.scores.map((s) => s[k]);
  let free = -Infinity;
  return values.map((value, i) => {
    const middle = (ends[i] + ends[i + 1]) / 2;
    const room = ends[i + 1] - ends[i];
    const isEnd = value === most(values) || value === least(values);
    if ((room < 34 && !isEnd) || (values.length > MANY_LABELS && !isEnd) || middle - free < 34) return null;
    free = middle;
    const place = Math.min(ends[ends.length - 1] - 14, Math.max(ends[0] + 14, middle));
    const below = value < 0 && y.at(value) + 16 < box.bottom;
    return svg("text", { class: "value-label", x: place, y: y.at(value) + (below ? 14 : -5), "text-anchor": "middle" }, sayShort(value));
  });
}

/** A score in few letters. */
function sayShort(x) {
  const text = x.toFixed(Math.abs(x) < 9.95 ? 2 : 1);
  if (Number(text) === 0) return "0.00";
  return (x > 0 ? "+" : "") + signed(text);
}

/** Bars for labels and categories: one output as bars, several as a table with tinted cells. */
function scoreBars(one, outputs) {
  const { name } = facts.columns[one.column];
  if (outputs.length > 1) return tintedTable(one, outputs);
  const bars = one.words.map((words, i) => ({ name: withoutName(words, name), title: words, value: one.scores[i][outputs[0]] }));
  const figure = barChart({ title: "", bars, signed: true, valueSay: sayShortPlain, show: 10 });
  figure.querySelector("figcaption").remove();
  return figure;
}

/** As `say`, in few letters; the bars put the plus themselves. */
function sayShortPlain(x) {
  return sayShort(x).replace("+", "");
}

function withoutName(words, name) {
  const rest = words.startsWith(`${name} is `) ? words.slice(name.length + 4) : words.startsWith(`${name} in `) ? words.slice(name.length + 4) : words;
  return rest.replace(/^\{(.*)\}$/, "$1");
}

function tintedTable(one, outputs) {
  const { name } = facts.columns[one.column];
  const largest = most(one.scores.flat().map(Math.abs)) || 1;
  const head = outputs.map((k) => h("th", { scope: "col", title: facts.classes[OUTPUT_CLASSES[k]] }, classBadge(OUTPUT_CLASSES[k]), h("span", { class: "hidden-text" }, facts.classes[OUTPUT_CLASSES[k]])));
  const rows = one.words.slice(0, 10).map((words, i) =>
    h("tr", null, h("th", { scope: "row", title: words }, shorten(withoutName(words, name), 40)), outputs.map((k) => tinted(one.scores[i][k], largest))));
  const more = one.words.length - rows.length;
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": `Scores of ${name}` },
    h("table", { class: "tinted" }, h("thead", null, h("tr", null, h("th", { scope: "col" }, ""), head)), h("tbody", null, rows)),
    more > 0 && h("p", { class: "note" }, `and ${plural(more, "more row")}, in the table below`));
}

function tinted(value, largest) {
  const share = Math.round((45 * Math.abs(value)) / largest);
  const colour = value < 0 ? "--line-1" : "--line-0";
  return h("td", { style: { background: `color-mix(in srgb, var(${colour}) ${share}%, transparent)` } }, sayShort(value));
}
