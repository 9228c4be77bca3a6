// Thresholds over the distribution of an ordered column: lines that are dragged, moved by keys, or typed.

const CHART = { height: 152, top: 24, bottom: 22, side: 8 };
const MOST_STACKS = 8; // with more classes, the bars are not divided

/**
 * Makes the chart of a column with its thresholds.
 * @param {Object} found distribution of the column at the node
 * @param {function()} onchange called when a threshold has changed
 * @returns {{element: HTMLElement, read: function(): Object, write: function(Object)}}
 */
function makeCuts(found, onchange) {
  const state = cutScale(found);
  const drawing = svg("svg", { class: "drawing cuts", role: "group", "aria-label": `Thresholds of ${state.column.name} over the distribution of the rows` });
  const fields = h("div", { class: "cut-fields" });
  const figure = h("figure", { class: "chart" }, drawing);
  const places = found.missing > 0 ? missingChoice(() => { state.missing = places.read(); onchange(); }) : null;
  const changed = () => {
    drawCuts(drawing, state, changed);
    cutFields(fields, state, changed);
    places?.limit(state.cuts.length + 1, state.missing);
    onchange();
  };
  drawWide(figure, drawing, (width) => {
    state.width = width;
    drawCuts(drawing, state, changed);
  });
  drawing.addEventListener("dblclick", (event) => addCut(state, valueAt(state, drawing, event), changed));
  return {
    element: h("div", null, figure, fields, places?.element ?? null,
      h("p", { class: "note hint" }, "Drag thresholds, use the arrow keys, or type; double-click adds one.")),
    read: () => ({ thresholds: [...state.cuts], missing: found.missing > 0 ? state.missing : null }),
    write: ({ thresholds, missing }) => {
      state.cuts = thresholds.map(thresholdNumber);
      state.missing = missing;
      drawCuts(drawing, state, changed);
      cutFields(fields, state, changed);
      places?.limit(state.cuts.length + 1, state.missing);
    },
  };
}

/** The scale of the values: their range, the step of a key, and how they are written. */
function cutScale(found) {
  const edges = found.edges.map(thresholdNumber);
  const column = facts.columns[found.column];
  const [low, high] = [edges[0], edges[edges.length - 1]];
  const isWhole = edges[1] - edges[0] === 1 && !Number.isInteger(edges[0]);
  const rough = (high - low) / 250;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = isWhole ? 1 : column.kind === "times" ? Math.max(1, Math.round(rough)) : [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough) ?? rough;
  return { column, found, edges, low, high, isWhole, step, cuts: [], missing: null, width: 360 };
}

/** A value at a step of the scale: between whole numbers if there are only such. */
function snapped({ isWhole, step }, value) {
  if (isWhole) return Math.floor(value) + 0.5;
  return Number((Math.round(value / step) * step).toPrecision(12));
}

/** A threshold as text: all its digits, because it is what the split uses. */
function cutText({ column, low, high }, value) {
  if (column.kind === "labels") return `up to ${visibleName(column.labels[Math.floor(value)] ?? "")}`;
  if (column.kind === "times") return formatTimeTick(column, value, high - low);
  return String(Number(value.toPrecision(12)));
}

/** Moves a threshold, but not beyond its neighbours. */
function moveCut(state, i, value) {
  const { cuts, step, low, high } = state;
  const least = (i > 0 ? cuts[i - 1] : low) + step;
  const most = (i + 1 < cuts.length ? cuts[i + 1] : high) - step;
  if (!(least <= most)) return;
  cuts[i] = Math.min(most, Math.max(least, value));
}

function addCut(state, value, changed) {
  const at = snapped(state, value);
  if (!(at > state.low && at < state.high) || state.cuts.includes(at)) return;
  state.cuts = [...state.cuts, at].sort((a, b) => a - b);
  changed();
}

function removeCut(state, i, changed) {
  if (state.cuts.length < 2) return;
  state.cuts.splice(i, 1);
  if (typeof state.missing === "number") state.missing = Math.min(state.missing, state.cuts.length);
  changed();
}

/** The middle of the widest branch, for another threshold. */
function widestMiddle({ cuts, low, high }) {
  const ends = [low, ...cuts.filter((cut) => cut > low && cut < high), high];
  const gaps = ends.slice(1).map((end, i) => [end - ends[i], (end + ends[i]) / 2]);
  return gaps.reduce((a, b) => (b[0] > a[0] ? b : a))[1];
}

function valueAt(state, drawing, event) {
  const box = drawing.getBoundingClientRect();
  const x = ((event.clientX - box.left) / (box.width || 1)) * state.width;
  return cutAxis(state).invert(x);
}

function cutAxis({ low, high, width }) {
  const [left, right] = [CHART.side, width - CHART.side];
  return {
    at: (value) => left + (right - left) * Math.min(1, Math.max(0, (value - low) / (high - low || 1))),
    invert: (x) => low + ((high - low) * (x - left)) / (right - left),
  };
}

function drawCuts(drawing, state, changed) {
  const focused = [...drawing.querySelectorAll(".threshold")].indexOf(document.activeElement);
  const { width } = state;
  const axis = cutAxis(state);
  const bottom = CHART.height - CHART.bottom;
  drawing.setAttribute("viewBox", `0 0 ${width} ${CHART.height}`);
  const handles = state.cuts.map((cut, i) => cutHandle(drawing, state, axis, i, changed));
  put(drawing, branchBands(state, axis, bottom), cutBars(state, axis, bottom),
    svg("line", { class: "axis", x1: CHART.side, x2: width - CHART.side, y1: bottom, y2: bottom }), cutTicks(state, axis, bottom), handles);
  if (focused >= 0) handles[Math.min(focused, handles.length - 1)]?.focus({ preventScroll: true });
}

/** The branches between the thresholds, with their numbers. */
function branchBands({ cuts, width }, axis, bottom) {
  const ends = [CHART.side, ...cuts.map(axis.at), width - CHART.side];
  return ends.slice(1).map((end, i) => svg("g", { "aria-hidden": true },
    svg("rect", { class: i % 2 ? "band odd" : "band", x: ends[i], width: Math.max(0, end - ends[i]), y: CHART.top, height: bottom - CHART.top }),
    end - ends[i] > 14 ? svg("text", { class: "bin-name", x: (end + ends[i]) / 2, y: 12, "text-anchor": "middle" }, String(i + 1)) : null));
}

/** The distribution as bars: stacked by class, or in the colours of the means. */
function cutBars({ found, edges }, axis, bottom) {
  const sums = found.counts.map(total);
  const y = scale([0, maxOf(sums) || 1], [bottom, CHART.top + 4]);
  return found.counts.map((counts, i) => {
    const [x0, x1] = [axis.at(edges[i]), axis.at(edges[i + 1])];
    const gap = x1 - x0 > 4 ? 1 : 0.3;
    const parts = counts.length > MOST_STACKS ? [[sums[i], "var(--accent)"]]
      : counts.map((count, k) => [count, found.means ? (found.means[i] === null ? "none" : meanColour(found.means[i])) : classColour(k)]);
    let below = 0;
    return parts.map(([count, colour]) => {
      const from = below;
      below += count;
      return count > 0 ? svg("rect", { "aria-hidden": true, x: (x0 + gap / 2).toFixed(2), width: Math.max(0.5, x1 - x0 - gap).toFixed(2), y: y.at(below).toFixed(2), height: (y.at(from) - y.at(below)).toFixed(2), style: { fill: colour } }) : null;
    });
  });
}

function cutTicks(state, axis, bottom) {
  const { column, low, high, width, isWhole } = state;
  const ticks = ticksBetween(low, high, Math.max(2, Math.floor(width / 70))).filter((tick) => !isWhole || Number.isInteger(tick));
  const number = tickFormat(formatTick, ticks);
  const text = (value) => (column.kind === "labels" ? shorten(visibleName(column.labels[Math.round(value)] ?? ""), 12) : column.kind === "times" ? formatTimeTick(column, value, high - low) : number(value));
  let free = -Infinity;
  return ticks.map((tick) => {
    const name = text(tick);
    const [x, half] = [axis.at(tick), (LETTER * name.length) / 2];
    const at = Math.min(width - half, Math.max(half, x));
    if (at - half < free) return null;
    free = at + half + 8;
    return svg("text", { class: "bin-name", "aria-hidden": true, x: at, y: bottom + 15, "text-anchor": "middle" }, name);
  });
}

/** A threshold: a line with a knob that is dragged, and moved by the arrow keys. */
function cutHandle(drawing, state, axis, i, changed) {
  const value = state.cuts[i];
  const x = axis.at(value).toFixed(2);
  const bottom = CHART.height - CHART.bottom;
  return svg("g", {
    class: "threshold", tabindex: 0, role: "slider", "aria-label": `Threshold ${i + 1} of ${state.cuts.length}`, "aria-orientation": "horizontal",
    "aria-valuemin": state.low, "aria-valuemax": state.high, "aria-valuenow": value, "aria-valuetext": cutText(state, value),
    onkeydown: (event) => cutKey(state, i, event, changed), onpointerdown: (event) => dragCut(drawing, state, i, event, changed),
  },
  svg("rect", { class: "grip", x: x - 11, width: 22, y: 0, height: bottom }),
  svg("line", { x1: x, x2: x, y1: CHART.top - 2, y2: bottom }),
  svg("circle", { cx: x, cy: CHART.top - 4, r: 7 }),
  svg("title", null, `${cutText(state, value)}: drag it, or move it with the arrow keys; Delete removes it`));
}

function cutKey(state, i, event, changed) {
  const move = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[event.key];
  const cut = state.cuts[i];
  if (move) moveCut(state, i, snapped(state, cut + move * state.step));
  else if (event.key === "Home") moveCut(state, i, state.low);
  else if (event.key === "End") moveCut(state, i, state.high);
  else if (event.key === "Delete" || event.key === "Backspace") return event.preventDefault(), removeCut(state, i, changed);
  else return undefined;
  event.preventDefault();
  return changed();
}

function dragCut(drawing, state, i, event, changed) {
  if (event.button !== 0) return;
  event.preventDefault();
  event.currentTarget.focus({ preventScroll: true });
  const move = (moved) => {
    moveCut(state, i, snapped(state, valueAt(state, drawing, moved)));
    changed();
  };
  const stop = () => {
    removeEventListener("pointermove", move);
    removeEventListener("pointerup", stop);
    removeEventListener("pointercancel", stop);
  };
  addEventListener("pointermove", move);
  addEventListener("pointerup", stop);
  addEventListener("pointercancel", stop);
}

/** A field for each threshold, with a button that removes it, and a button that adds one. */
function cutFields(place, state, changed) {
  const focused = place.contains(document.activeElement) ? document.activeElement.dataset.field : null;
  const isTyped = state.column.kind === "numbers" || state.column.kind === "times";
  put(place, state.cuts.map((cut, i) => {
    const input = isTyped
      ? h("input", { type: "text", class: state.column.kind === "times" ? "time" : null, value: cutText(state, cut), inputmode: "decimal", dataset: { field: i }, "aria-label": `Threshold ${i + 1}`, autocomplete: "off", onchange: () => typedCut(state, i, input, changed) })
      : h("span", { class: "cut-label" }, cutText(state, cut));
    return h("span", { class: "joined" }, input,
      h("button", { type: "button", class: "quiet", disabled: state.cuts.length < 2, dataset: { field: `remove-${i}` }, "aria-label": `Remove threshold ${i + 1}`, onclick: () => removeCut(state, i, changed) }, "✕"));
  }), h("button", { type: "button", class: "quiet", dataset: { field: "add" }, title: "Another threshold, in the widest branch", onclick: () => addCut(state, widestMiddle(state), changed) }, "+ Threshold"));
  if (focused !== null) place.querySelector(`[data-field="${focused}"]`)?.focus();
}

function typedCut(state, i, input, changed) {
  const cell = typedCell(state.column, input.value);
  const isRight = Number.isFinite(cell.value) && (i === 0 || cell.value > state.cuts[i - 1]) && (i + 1 >= state.cuts.length || cell.value < state.cuts[i + 1]);
  input.setAttribute("aria-invalid", String(!isRight));
  if (!isRight) return;
  state.cuts[i] = cell.value;
  changed();
}

/** The branch of missing cells. */
function missingChoice(onchange) {
  const select = h("select", { id: "missing-branch", onchange });
  return {
    element: h("div", { class: "field" }, h("label", { for: "missing-branch" }, "Missing cells go to"), select),
    read: () => (select.value === "best" ? null : select.value === "own" ? "own" : Number(select.value)),
    limit(arity, value) {
      const options = [["best", "the branch where they gain most"], ...Array.from({ length: arity }, (_, i) => [String(i), `branch ${i + 1}`]), ["own", "a branch of their own"]];
      put(select, options.map(([key, text]) => h("option", { value: key, selected: key === String(value ?? "best") }, text)));
    },
  };
}
