// The panel of the selected node: its rule, what it predicts, and how its rows lie.

/** Makes the panel; it follows the selection. */
function makeDetails() {
  const panel = h("aside", { class: "panel", id: "details", "aria-label": "Details of the selected node", tabindex: 0 });
  const show = () => {
    put(panel, detailsOf(chosen.selected));
    panel.dataset.of = chosen.selected;
    panel.scrollTop = 0;
  };
  on("select", show);
  onSoon(show);
  return panel;
}

/** A line under the drawing that tells which node is selected: the panel may be out of sight. */
function chosenLine() {
  const said = h("span", { role: "status", "aria-live": "polite" });
  const show = () => put(said, `Details of: ${shorten(ruleOf(chosen.selected), 160)}`);
  const line = h("div", { class: "chosen-line" }, said, h("a", { href: "#details" }, "See details"));
  on("select", () => {
    line.classList.toggle("in-sight", said.textContent !== ""); // not before the reader has selected something
    show();
  });
  onSoon(show);
  return line;
}

function detailsOf(node) {
  const shown = below(node);
  const known = facts.details?.[node];
  return [
    h("h3", null, isInner(node) ? `Asks ${nodes[node].asks}` : `Leaf: ${classOf(node)}`),
    h("div", { class: "trail" }, trail(node)),
    ruleList(node),
    verdict(node),
    sharesTable(node),
    isMerged(node) ? h("p", { class: "note" }, "In the drawing this question is merged with the one above it.") : null,
    shown.parts.length > 1 ? madeOf(shown.parts) : null,
    isInner(node) ? answersList(shown.children) : null,
    known?.spread ? spreadChart(node, known.spread) : null,
    isInner(node) ? optionsOf(node, known) : null,
    smallFacts(node),
    !known && facts.details_note ? h("p", { class: "note" }, facts.details_note) : null,
  ];
}

function trail(node) {
  const parent = isMerged(node) ? nodes[node].parent : parentOf(node);
  if (parent < 0) return h("span", { class: "note" }, "The root: every row starts here.");
  return [nodeLink(parent, `↑ ${shorten(nodes[parent].asks, 40)}`), parent === 0 ? null : nodeLink(0, "To the root")];
}

function ruleList(node) {
  const conditions = conditionsOf(node);
  if (conditions.length === 0) return null;
  return h("ul", { class: "rule", "aria-label": "Rule" }, conditions.map((words) => h("li", null, words)));
}

function verdict(node) {
  const { label, share, interval } = nodes[node];
  return h("p", { class: "verdict" }, classLabel(label), ` ${percent(share)} of ${rowsWords(node)}, `,
    h("span", { class: "muted nowrap" }, `95 % interval ${rounded(100 * interval[0], 1)} to ${percent(interval[1])}`));
}

/** Shares of the classes here (thick) and at the parent (thin). */
function sharesTable(node) {
  const { counts, test } = nodes[node];
  const parent = parentOf(node);
  const before = parent < 0 ? null : nodes[parent].counts;
  const order = counts.map((_, i) => i).filter((i) => counts[i] > 0 || before?.[i] > 0 || test?.[i] > 0)
    .sort((a, b) => counts[b] - counts[a]);
  const kept = order.slice(0, 12);
  const head = ["Class", "", "Here", before ? "Parent" : null, hasTest ? "Test" : null].filter((x) => x !== null);
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
  return h("span", { title: `${count(counts[i])} of ${count(whole)}` }, whole > 0 ? percent(counts[i] / whole, 0) : "–",
    h("span", { class: "muted" }, ` ${count(counts[i])}`));
}

function madeOf(parts) {
  const items = parts.map((part) => {
    const step = nodes[part].step ? `step ${nodes[part].step}, ` : "";
    const where = nodes[part].parent < 0 ? "all rows" : nodes[part].answer;
    return h("li", null, nodeLink(part, `${step}${where}: ${plural(nodes[part].children.length, "answer")}, gain ${say(nodes[part].gain)}`));
  });
  return [h("h4", null, `Made of ${parts.length} questions about ${nodes[parts[0]].asks}`), h("ul", { class: "ways" }, items)];
}

function answersList(children) {
  const items = children.map((child) => h("li", null, nodeLink(child, nodes[child].answer),
    h("span", { class: "muted" }, ` ${count(total(nodes[child].counts))}`)));
  return [h("h4", null, `Its ${plural(children.length, "answer")}`), h("ul", { class: "ways" }, items)];
}

/** How the rows lie over the column: here in colour, the parent's behind. */
function spreadChart(node, spread) {
  const column = facts.columns[spread.column].name;
  const behind = spread.parent ? { name: "parent", values: spread.parent } : null;
  const stacks = spread.by_class
    ? spread.by_class.map((values, i) => ({ name: facts.classes[i], values, colour: classColour(i) }))
    : [{ name: "here", values: spread.here, colour: "var(--accent)" }];
  const title = `Its rows by ${column}${behind ? ", the parent's in grey" : ""}`;
  return h("div", { class: "spread" }, stepChart({ title, labels: spread.labels, stacks, behind }));
}

function smallFacts(node) {
  const { step, p_chance: p, gain } = nodes[node];
  const list = [];
  if (isInner(node)) {
    if (step) list.push(["Growth step", say(step)]);
    list.push(["Gain", `${say(gain)} of the index ${facts.growth?.index_name ?? facts.summary.index}`]);
    if (p !== undefined) list.push(["By chance", `p ${p < 1e-4 ? "< 0.0001" : `= ${p.toFixed(4)}`}`]);
  }
  const { id } = nodes[node];
  if (id !== undefined && isWhole()) list.push(["Node", String(id)]);
  return h("dl", { class: "small-facts" }, list.map(([name, value]) => [h("dt", null, name), h("dd", null, value)]));
}
