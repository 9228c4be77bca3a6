// The panel of the selected node: rule, prediction, class shares, distribution and alternative splits.

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
    h("h3", null, isInner(node) ? `Split on ${nodes[node].asks}` : `Leaf: ${classOf(node)}`),
    h("div", { class: "trail" }, trail(node)),
    ruleList(node),
    predictionLine(node),
    sharesTable(node),
    isMerged(node) ? h("p", { class: "note" }, "In the drawing, this split is merged with the split above it.") : null,
    parts.length > 1 ? mergedSplits(parts) : null,
    isInner(node) ? branchesList(children) : null,
    details?.spread ? distributionChart(details.spread) : null,
    isInner(node) && details ? [aritiesTable(details.menu ?? []), otherColumnsTable(node, details.rivals ?? [])] : null,
    smallFacts(node),
    !details && facts.details_note ? h("p", { class: "note" }, facts.details_note) : null,
  ];
}

function trail(node) {
  const parent = isMerged(node) ? nodes[node].parent : parentOf(node);
  if (parent < 0) return h("span", { class: "note" }, "Root node: all rows.");
  return [nodeLink(parent, `↑ ${shorten(nodes[parent].asks, 40)}`), parent === 0 ? null : nodeLink(0, "Go to the root")];
}

function ruleList(node) {
  const conditions = conditionsOf(node);
  if (conditions.length === 0) return null;
  return h("ul", { class: "rule", "aria-label": "Rule" }, conditions.map((words) => h("li", null, words)));
}

function predictionLine(node) {
  const { label, share, interval, doubtful } = nodes[node];
  const within = h("span", { class: "muted nowrap" }, `95 % interval ${rounded(100 * interval[0], 1)} to ${percent(interval[1])}`);
  if (!isForecast) return h("p", { class: "verdict" }, classLabel(label), ` ${percent(share)} of ${rowsText(node)}, `, within);
  return [
    h("p", { class: "verdict" }, classLabel(label), ` ${percent(share)} expected of new rows, `, within,
      `; in training ${percent(trainingShare(node))} of ${rowsText(node)}`),
    doubtful ? h("p", { class: "doubt" }, `! ${DOUBT}.`) : null,
  ];
}

/** The class shares at the node (thick bars) and at its parent (thin bars). */
function sharesTable(node) {
  const { counts, test } = nodes[node];
  const parent = parentOf(node);
  const before = parent < 0 ? null : nodes[parent].counts;
  const order = counts.map((_, i) => i).filter((i) => counts[i] > 0 || before?.[i] > 0 || test?.[i] > 0)
    .sort((a, b) => counts[b] - counts[a]);
  const kept = order.slice(0, 12);
  const head = ["Class", "", "Node", before ? "Parent" : null, hasTest ? "Test rows" : null].filter((x) => x !== null);
  const rows = kept.map((i) => [
    classLabel(i), shareBars(i, counts, before), shareAndCount(counts, i),
    ...(before ? [percent(before[i] / (total(before) || 1), 0)] : []), ...(hasTest ? [shareAndCount(test, i)] : []),
  ]);
  const table = plainTable("Classes at this node", head, rows, { class: "shares" });
  for (const cell of table.querySelectorAll("td:nth-child(2)")) cell.className = "track";
  return [table, order.length > 12 ? h("p", { class: "note" }, `and ${order.length - 12} more classes`) : null];
}

function shareBars(i, counts, before) {
  const bar = (values, name) => values[i] > 0 && h("span", { class: name, style: {
    "--length": `${((100 * values[i]) / (total(values) || 1)).toFixed(2)}%`, background: classColour(i) } });
  return h("span", { "aria-hidden": true }, bar(counts, "bar"), before ? bar(before, "bar before") : null);
}

function shareAndCount(counts, i) {
  const whole = total(counts);
  return h("span", { title: `${formatCount(counts[i])} of ${formatCount(whole)}` }, whole > 0 ? percent(counts[i] / whole, 0) : "–",
    h("span", { class: "muted" }, ` ${formatCount(counts[i])}`));
}

function mergedSplits(parts) {
  const items = parts.map((part) => {
    const step = nodes[part].step ? `step ${nodes[part].step}, ` : "";
    const where = nodes[part].parent < 0 ? "all rows" : nodes[part].answer;
    return h("li", null, nodeLink(part, `${step}${where}: ${plural(nodes[part].children.length, "branch", "branches")}, gain ${formatNumber(nodes[part].gain)}`));
  });
  return [h("h4", null, `Merged from ${parts.length} splits on ${nodes[parts[0]].asks}`), h("ul", { class: "ways" }, items)];
}

function branchesList(children) {
  const items = children.map((child) => h("li", null, nodeLink(child, nodes[child].answer),
    h("span", { class: "muted" }, ` ${formatCount(total(nodes[child].counts))}`)));
  return [h("h4", null, plural(children.length, "branch", "branches")), h("ul", { class: "ways" }, items)];
}

/** The distribution of the node's rows, in front of the distribution of its parent's rows. */
function distributionChart(spread) {
  const column = facts.columns[spread.column].name;
  const behind = spread.parent ? { name: "parent", values: spread.parent } : null;
  const stacks = spread.by_class
    ? spread.by_class.map((values, i) => ({ name: facts.classes[i], values, colour: classColour(i) }))
    : [{ name: "node", values: spread.here, colour: "var(--accent)" }];
  const title = `Distribution of ${column}${behind ? " (parent in grey)" : ""}`;
  return h("div", { class: "spread" }, histogram({ title, labels: spread.labels, stacks, behind }));
}

function smallFacts(node) {
  const { step, gain } = nodes[node];
  const list = [];
  if (isInner(node)) {
    if (step) list.push(["Growth step", formatNumber(step)]);
    list.push(["Gain", `${formatNumber(gain)} (index ${facts.growth?.index_name ?? facts.summary.index})`]);
    list.push(["p-value", pValueText(nodes[node])]);
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
      h("td", null, formatNumber(option.gain)), h("td", null, formatNumber(option.score))),
    h("tr", null, h("td", { class: "words question", colspan: 3, title: option.question }, columnName(option), option.question))));
  return [
    h("h4", null, "Best split for each number of branches"),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Best split for each number of branches" },
      h("table", { class: "menu" }, h("thead", null, h("tr", null, head)), body)),
  ];
}

function columnName({ column, question }) {
  const name = facts.columns[column]?.name;
  return name === undefined || question.includes(name) ? null : h("b", null, `${name} `);
}

function otherColumnsTable(node, alternatives) {
  if (alternatives.length === 0) return null;
  const own = nodes[node].gain;
  const rows = alternatives.map(({ column, arity, gain }) => [
    h("span", { title: facts.columns[column].name }, shorten(facts.columns[column].name, 60)), formatNumber(arity), formatNumber(gain),
    own > 0 ? percent(gain / own, 0) : "–",
  ]);
  return [
    h("h4", null, "Best split on other columns"),
    plainTable("Best split on other columns", ["Column", "Branches", "Gain", "Relative gain"], rows, { class: "rivals" }),
  ];
}

/** A button that looks like a link and selects a node. */
function nodeLink(node, text) {
  return h("button", { type: "button", class: "link", dataset: { goto: node }, onclick: () => select(node) }, text);
}
