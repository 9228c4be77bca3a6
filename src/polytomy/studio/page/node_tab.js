// The tab of the selected node: its rule, what can be done to it, and the splits that it could have.

/** What the reader chose for the selected node; `draft` is the split that is being composed. */
const work = { node: -1, version: 0, facts: null, column: null, arity: "best", all: false };

const FIRST_COLUMNS = 8; // shown at first

function makeNodeTab() {
  const head = h("div");
  const splits = h("div", { class: "splits" });
  const show = async () => {
    const node = chosen.selected;
    if (work.node === node && work.version === facts.version) return;
    Object.assign(work, { node, version: facts.version, facts: null, column: null, all: false });
    put(head, nodeHead(node), nodeActions(node));
    head.closest(".panel")?.scrollTo(0, 0);
    if (document.activeElement === document.body) head.querySelector("h3").focus({ preventScroll: true }); // its element is gone
    splits.classList.add("waiting");
    const found = await inquire("node", { node });
    if (work.node !== node || work.version !== facts.version) return;
    splits.classList.remove("waiting");
    work.facts = found;
    put(splits, found ? splitList(splits) : null);
  };
  on("select", show);
  on("state", show);
  return h("div", null, head, splits);
}

function nodeHead(node) {
  return [
    h("h3", { tabindex: -1 }, isInner(node) ? `Split on ${nodes[node].asks}` : `Leaf: ${target.name(node)}`),
    h("div", { class: "trail" }, trail(node)),
    ruleList(node),
    h("p", { class: "verdict" }, trainingVerdict(node)),
    h("details", { class: "note" }, h("summary", null, "More about its rows"), predictionLine(node), target.table(node), smallFacts(node)),
  ];
}

/** The prediction of a node among its training rows, in a few words. */
function trainingVerdict(node) {
  if (facts.numbers) return [meanSwatch(node), h("b", null, formatValue(nodes[node].mean)), ` mean of ${rowsText(node)}`];
  return [classLabel(nodes[node].label), ` ${percent(trainingShare(node))} of ${rowsText(node)}`];
}

/** The edits of the node other than splits, and the reason that goes into the log with the next edit. */
function nodeActions(node) {
  const inner = isInner(node);
  return [
    inner ? branchActions(node) : null,
    h("div", { class: "actions" },
      inner ? h("button", { type: "button", onclick: () => edit("collapse", { node }) }, "Collapse into a leaf") : null,
      growAction(node, inner),
      !inner && facts.classes ? relabelAction(node) : null),
    h("div", { class: "field reason" }, h("label", { for: "reason" }, "Reason"),
      h("input", { type: "text", id: "reason", placeholder: "for the log; optional", maxlength: 300, autocomplete: "off" })),
  ];
}

/** Makes an edit, with the reason that was entered. */
function edit(name, given) {
  return change(name, { ...given, reason: document.getElementById("reason")?.value ?? "" });
}

function growAction(node, inner) {
  const input = h("input", { type: "number", min: 1, step: 1, value: inner ? leavesBelow(node).length : 4, id: "regrow-leaves", "aria-label": "Most leaves below this node" });
  return h("span", { class: "joined" },
    h("button", { type: "button", title: "Grow the subtree of this node by the procedure of the model", onclick: () => edit("regrow", { node, max_leaves: Number(input.value) }) }, inner ? "Regrow with" : "Grow"),
    input, h("span", { class: "muted" }, "leaves"));
}

function relabelAction(node) {
  const choice = h("select", { id: "relabel-class", "aria-label": "Class to predict" }, facts.classes.map((_, i) => h("option", { value: i, selected: i === nodes[node].label }, shortenMiddle(className(i), 40))));
  return h("span", { class: "joined" }, h("button", { type: "button", onclick: () => edit("relabel", { node, label: Number(choice.value) }) }, "Predict"), choice);
}

/** The branches of a node; those that are ticked can be merged into one leaf. */
function branchActions(node) {
  const { children } = nodes[node];
  const merge = h("button", { type: "button", disabled: true, onclick: () => edit("merge", { node, branches: ticked() }) }, "Merge the ticked branches");
  const boxes = children.map((child, i) => h("input", { type: "checkbox", id: `branch-${i}`, "aria-label": `Merge ${nodes[child].answer}`, onchange: () => {
    merge.disabled = ticked().length < 2 || ticked().length === children.length;
  } }));
  const ticked = () => boxes.map((box, i) => (box.checked ? i : -1)).filter((i) => i >= 0);
  const canMerge = children.length > 2;
  return [
    h("h4", null, plural(children.length, "branch", "branches")),
    h("ul", { class: "branches" }, children.map((child, i) => h("li", null, canMerge ? boxes[i] : null, nodeLink(child, nodes[child].answer),
      h("span", { class: "muted" }, ` ${formatCount(target.weight(child))}`)))),
    canMerge ? merge : null,
  ];
}

// ---- the splits of the node -----------------------------------------------------------------------------------------

/** The columns with their gains as bars; the chosen column is composed below its bar. */
function splitList(place) {
  const { columns, own } = work.facts;
  if (columns.length === 0) return h("p", { class: "muted" }, "No split of this node gains anything under the constraints.");
  const arities = [...new Set(columns.flatMap(({ options }) => options.map(({ arity }) => arity)))].sort((a, b) => a - b);
  if (work.arity !== "best" && !arities.includes(work.arity)) work.arity = "best";
  const choice = h("select", { id: "split-arity", onchange: () => {
    work.arity = choice.value === "best" ? "best" : Number(choice.value);
    put(place, splitList(place));
    document.getElementById("split-arity").focus();
  } }, h("option", { value: "best", selected: work.arity === "best" }, "best number of branches"), arities.map((arity) => h("option", { value: arity, selected: work.arity === arity }, plural(arity, "branch", "branches"))));
  const rows = columns.map((one) => ({ ...one, option: optionOf(one, work.arity) })).filter(({ option }) => option)
    .sort((a, b) => b.option.gain - a.option.gain);
  const most = maxOf(rows.map(({ option }) => option.gain)) || 1;
  const shown = work.all ? rows : rows.slice(0, FIRST_COLUMNS);
  const missing = own !== null && !shown.some(({ column }) => column === own) ? rows.filter(({ column }) => column === own) : [];
  const rest = rows.length - shown.length - missing.length;
  return [
    h("div", { class: "splits-head" }, h("h4", null, isInner(work.node) ? "Split it otherwise" : "Split it"), h("label", { for: "split-arity", class: "hidden-text" }, "Branches of the suggested splits"), choice),
    h("ul", { class: "gain-list" }, [...shown, ...missing].map((row) => gainRow(row, most, own))),
    rest > 0 ? h("button", { type: "button", class: "quiet", onclick: () => { work.all = true; put(place, splitList(place)); } }, `Show ${plural(rest, "more column", "more columns")}`) : null,
  ];
}

/** The split of a column with a number of branches; the best one has the largest gain for each added leaf. */
function optionOf({ options }, arity) {
  if (arity !== "best") return options.find((option) => option.arity === arity);
  return options.reduce((best, option) => (!best || option.gain / (option.arity - 1) > best.gain / (best.arity - 1) ? option : best), null);
}

function gainRow({ column, option, small }, most, own) {
  const { name } = facts.columns[column];
  const body = h("div", { class: "composer", hidden: true, id: `composer-${column}` });
  const head = h("button", {
    type: "button", class: "gain-row", "aria-expanded": false, "aria-controls": `composer-${column}`, title: `${name}: ${option.text}`,
    dataset: { column }, onclick: () => toggleComposer(column, head, body, option.arity),
  },
  h("span", { class: "gain-name" }, column === own ? h("span", { class: "mark" }, "✓", h("span", { class: "hidden-text" }, " The node's column: ")) : null, name),
  sparkline(small, option.cuts),
  h("span", { class: "gain-bar", "aria-hidden": true }, h("span", { class: "bar", style: { "--length": `${(100 * option.gain / most).toFixed(1)}%` } })),
  h("span", { class: "gain-value" }, h("span", { class: "hidden-text" }, "gain "), target.formatGain(option.gain)),
  h("span", { class: "gain-arity" }, `${option.arity}-way`));
  return h("li", null, head, body);
}

/** A small histogram of a column, with a line at each threshold; heights and places are between 0 and 1. */
function sparkline(heights, cuts) {
  const { width, height } = { width: 72, height: 20 };
  const wide = width / Math.max(1, heights.length);
  return svg("svg", { class: "sparkline", viewBox: `0 0 ${width} ${height}`, "aria-hidden": true },
    heights.map((part, i) => svg("rect", { x: (i * wide).toFixed(2), width: Math.max(0.5, wide - 0.6).toFixed(2), y: (height - (height - 2) * part).toFixed(2), height: ((height - 2) * part).toFixed(2) })),
    cuts.map((cut) => svg("line", { x1: (cut * width).toFixed(1), x2: (cut * width).toFixed(1), y1: 0, y2: height })));
}

async function toggleComposer(column, head, body, arity) {
  const isOpen = head.getAttribute("aria-expanded") === "true";
  for (const other of document.querySelectorAll(".gain-row[aria-expanded='true']")) {
    other.setAttribute("aria-expanded", "false");
    other.nextElementSibling.hidden = true;
  }
  if (isOpen) return;
  head.setAttribute("aria-expanded", "true");
  body.hidden = false;
  if (body.childElementCount > 0) return;
  body.classList.add("waiting");
  const { node } = work;
  const found = await inquire("column", { node, column });
  body.classList.remove("waiting");
  if (found && work.node === node) put(body, makeComposer(found, arity));
}
