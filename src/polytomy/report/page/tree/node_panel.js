// The panel of the selected node: rule, prediction, its rows, distribution and alternative splits.

/** Makes the panel; it follows the selection. */
function makeNodePanel() {
  const panel = h("aside", { class: "panel", id: "details", "aria-label": "Details of the selected node", tabindex: 0 });
  const show = () => {
    put(panel, detailsOf(chosen.selected));
    panel.dataset.of = chosen.selected;
    panel.scrollTop = 0;
  };
  on("select", show);
  onTreeDrawn(show);
  return panel;
}

/** A line under the drawing that names the selected node, for narrow screens on which the panel is below. */
function selectedLine() {
  const text = h("span", { role: "status", "aria-live": "polite" });
  const show = () => put(text, `Selected: ${shorten(ruleOf(chosen.selected), 160)}`);
  const line = h("div", { class: "chosen-line" }, text, h("a", { href: "#details" }, "See details"));
  on("select", () => {
    line.classList.toggle("in-sight", text.textContent !== ""); // not before the reader has selected a node
    show();
  });
  onTreeDrawn(show);
  return line;
}

function detailsOf(node) {
  const { children, parts } = below(node);
  const details = facts.details?.[node];
  return [
    h("h3", null, isInner(node) ? ["Split on ", breakable(nodes[node].asks)] : `Leaf: ${target.name(node)}`),
    h("div", { class: "trail" }, trail(node)),
    ruleList(node),
    predictionLine(node),
    target.table(node),
    isMerged(node) ? h("p", { class: "note" }, "In the drawing, this split is merged with the split above it.") : null,
    parts.length > 1 ? mergedSplits(parts) : null,
    isInner(node) ? branchesList(children) : null,
    details?.spread ? distributionChart(node, details.spread) : null,
    isInner(node) && details ? [aritiesTable(details.menu ?? []), otherColumnsTable(node, details.rivals ?? [])] : null,
    smallFacts(node),
    !details && facts.details_note ? h("p", { class: "note" }, facts.details_note) : null,
  ];
}

function trail(node) {
  const parent = isMerged(node) ? nodes[node].parent : parentOf(node);
  if (parent < 0) return h("span", { class: "note" }, "Root node: all rows.");
  return [nodeLink(parent, `↑ ${shortenMiddle(nodes[parent].asks, 40)}`), parent === 0 ? null : nodeLink(0, "Go to the root")];
}

function ruleList(node) {
  const conditions = conditionsOf(node);
  if (conditions.length === 0) return null;
  return h("ul", { class: "rule", "aria-label": "Rule" }, conditions.map((words) => h("li", null, breakable(words))));
}

function predictionLine(node) {
  return [
    h("p", { class: "verdict" }, target.verdict(node)),
    isForecast && nodes[node].doubtful ? h("p", { class: "doubt" }, `! ${target.doubt}.`) : null,
  ];
}

function mergedSplits(parts) {
  const items = parts.map((part) => {
    const step = nodes[part].step ? `step ${nodes[part].step}, ` : "";
    const where = nodes[part].parent < 0 ? "all rows" : nodes[part].answer;
    return h("li", null, nodeLink(part, `${step}${where}: ${plural(nodes[part].children.length, "branch", "branches")}, gain ${target.formatGain(nodes[part].gain)}`));
  });
  return [h("h4", null, `Merged from ${parts.length} splits on ${nodes[parts[0]].asks}`), h("ul", { class: "ways" }, items)];
}

function branchesList(children) {
  const items = children.map((child) => h("li", null, nodeLink(child, nodes[child].answer),
    h("span", { class: "muted" }, ` ${formatCount(target.weight(child))}`)));
  return [h("h4", null, plural(children.length, "branch", "branches")), h("ul", { class: "ways" }, items)];
}

/** The distribution of the node's rows, in front of the distribution of its parent's rows. */
function distributionChart(node, spread) {
  const column = facts.columns[spread.column].name;
  const behind = spread.parent ? { name: "parent", values: spread.parent } : null;
  const cuts = cutPlaces(node, spread);
  const marks = [cuts.length > 0 ? "lines: cuts" : null, behind ? "parent in grey" : null].filter(Boolean).join(", ");
  const title = `Distribution of ${column}${marks ? ` (${marks})` : ""}`;
  return h("div", { class: "spread" }, histogram({ title, labels: spread.labels, behind, cuts, ...target.distribution(spread) }));
}

function smallFacts(node) {
  const { step, gain } = nodes[node];
  const list = [];
  if (isInner(node)) {
    if (step) list.push(["Growth step", formatNumber(step)]);
    list.push(["Gain", `${target.formatGain(gain)} ${target.gainNote()}`]);
    if (nodes[node].among) list.push(["p-value", pValueText(nodes[node])]);
  }
  const { id } = nodes[node];
  if (id !== undefined && isWhole()) list.push(["Node number", String(id)]);
  return h("dl", { class: "small-facts" }, list.map(([name, value]) => [h("dt", null, name), h("dd", null, value)]));
}

/** The p-value adjusted for the choice of the split, with what it was chosen among, and that of the split alone. */
function pValueText({ p_chance: alone, p_adjusted: adjusted, among }) {
  const text = (p) => (p < 1e-4 ? "< 0.0001" : p.toFixed(4));
  return `${text(adjusted)} after choosing among ${among}; ${text(alone)} for this split alone`;
}

/** The best split for each number of branches; the chosen one is marked. */
function aritiesTable(alternatives) {
  if (alternatives.length === 0) return null;
  const head = [["Branches"], ["Gain"], ["Score", "Gain divided by the price of the split"]].map(([name, title]) => h("th", { scope: "col", title }, name));
  const body = alternatives.map((option) => h("tbody", { class: option.chosen ? "chosen" : null },
    h("tr", null, h("th", { scope: "row" }, formatNumber(option.arity), option.chosen ? h("span", { class: "pill" }, "chosen") : null),
      h("td", null, target.formatGain(option.gain)), h("td", null, target.formatGain(option.score))),
    h("tr", null, h("td", { class: "words question", colspan: 3, title: option.question }, columnPrefix(option), option.question))));
  return [
    h("h4", null, "Best split for each number of branches"),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Best split for each number of branches" },
      h("table", { class: "menu" }, h("thead", null, h("tr", null, head)), body)),
  ];
}

function columnPrefix({ column, question }) {
  const name = facts.columns[column]?.name;
  return name === undefined || question.includes(name) ? null : h("b", null, breakable(name), " ");
}

function otherColumnsTable(node, alternatives) {
  if (alternatives.length === 0) return null;
  const own = nodes[node].gain;
  const rows = alternatives.map(({ column, arity, gain }) => [
    h("span", { title: facts.columns[column].name }, breakable(shortColumn(column))), formatNumber(arity), target.formatGain(gain),
    own > 0 ? percent(gain / own, 0) : "–",
  ]);
  return [
    h("h4", null, "Best split on other columns"),
    plainTable("Best split on other columns", ["Column", "Branches", "Gain", "Relative gain"], rows, { class: "rivals" }),
  ];
}

/** A button that looks like a link and selects a node. */
function nodeLink(node, text) {
  return h("button", { type: "button", class: "link", dataset: { goto: node }, onclick: () => select(node) }, breakable(text));
}
