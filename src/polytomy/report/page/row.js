// Following a row: a field for each column the tree asks about, and the way the row takes.

/** Makes the section; `view` gives the tree once it is drawn. */
function makeRowSection(view) {
  const asked = askedColumns();
  const outcome = h("div", { role: "status", id: "row-outcome" });
  const fields = asked.map((j) => fieldOf(j));
  const update = () => followTyped(fields, outcome, view());
  const form = h("form", { onsubmit: (event) => event.preventDefault(), oninput: update, onreset: () => setTimeout(update) },
    h("fieldset", { class: "fields" }, h("legend", { class: "hidden-text" }, "Cells of the row"), fields.map((field) => field.element)),
    h("p", { style: { margin: "12px 0 0" } }, h("button", { type: "reset" }, "Empty all fields")));
  onSoon(() => {
    hideUnasked(fields);
    if (fields.some(({ input }) => input.value !== "")) update();
  });
  hideUnasked(fields);
  put(outcome, h("p", { class: "muted" }, "Nothing is filled in yet."));
  return section("row", "Follow a row",
    h("p", { class: "muted" }, "Fill in what is known of a row; an empty field is a missing cell. The tree above shows its way."),
    asked.length === 0 ? h("p", null, "This tree asks nothing: every row gets the same answer.") : h("div", { class: "row-grid" }, form, outcome));
}

/** The columns that the nodes ask about, in the order they come up from the root. */
function askedColumns() {
  const asked = new Set();
  for (const node of nodes) if (node.children && node.column >= 0) asked.add(node.column);
  return [...asked];
}

function hideUnasked(fields) {
  const now = new Set(shownInner().map((node) => nodes[node].column));
  for (const { column, element } of fields) element.hidden = !now.has(column);
}

function fieldOf(j) {
  const column = facts.columns[j];
  const id = `cell-${j}`;
  const input = inputOf(column, id);
  input.dataset.column = j;
  const label = h("label", { for: id, title: column.name }, column.name);
  return { column: j, input, element: h("div", { class: "field" }, label, input, listOf(column, id)) };
}

function inputOf(column, id) {
  const names = column.labels ?? column.categories;
  if (names && isShort(names) && !column.more) {
    const options = names.map((name, place) => h("option", { value: place }, shorten(shownName(name), 60)));
    const other = column.kind === "categories" ? h("option", { value: -1 }, ANOTHER) : null;
    return h("select", { id }, h("option", { value: "" }, MISSING), options, other);
  }
  if (column.kind === "labels") return h("select", { id }, h("option", { value: "" }, MISSING), names.map((name, i) => h("option", { value: i }, shownName(name))));
  const mode = column.kind === "numbers" ? "decimal" : null;
  return h("input", { type: "text", id, inputmode: mode, placeholder: hintOf(column), autocomplete: "off", list: names ? `${id}-list` : null });
}

function listOf(column, id) {
  if (column.kind !== "categories" || (isShort(column.categories) && !column.more)) return null;
  return h("datalist", { id: `${id}-list` }, column.categories.slice(0, 1000).map((name) => h("option", { value: shownName(name) })));
}

function hintOf(column) {
  if (column.kind === "times") return timeHint(column);
  if (column.kind === "categories" || column.low === undefined) return "";
  return `${asTyped(column.low)} to ${asTyped(column.high)}`;
}

/** Reads the fields and shows the row's way. */
function followTyped(fields, outcome, view) {
  const row = new Map();
  const wrong = [];
  for (const { column, input } of fields) {
    const cell = readCell(facts.columns[column], input.value);
    input.setAttribute("aria-invalid", String(Boolean(cell.wrong)));
    if (cell.wrong) wrong.push(cell.wrong);
    row.set(column, cell);
  }
  const touched = fields.some(({ input }) => input.value !== "");
  if (!touched || wrong.length > 0) return showNoWay(outcome, wrong);
  const found = follow(row);
  chosen.path = new Set(found.way);
  reveal([found.way[found.way.length - 1]]);
  tell("path");
  if (view) showNode(view, found.way[found.way.length - 1]);
  outcome.dataset.leaf = found.stopped === null ? found.leaf : "";
  return put(outcome, outcomeOf(found), stepsOf(found, row));
}

function showNoWay(outcome, wrong) {
  chosen.path = new Set();
  tell("path");
  outcome.dataset.leaf = "";
  const words = wrong.length > 0 ? wrong.map((w) => h("p", null, w)) : h("p", { class: "muted" }, "Nothing is filled in yet.");
  return put(outcome, h("div", { class: wrong.length > 0 ? "outcome stopped" : null }, words));
}

function outcomeOf({ leaf, stopped }) {
  if (stopped !== null) {
    return h("p", { class: "outcome stopped" }, `Here the tree asks “${nodes[stopped].asks}”, a question of its author's own that this page cannot answer. `,
      h("span", { class: "note" }, `So far: ${verdictOf(stopped)} of ${rowsWords(stopped)}.`));
  }
  const { label, share, interval } = nodes[leaf];
  return h("p", { class: "outcome" }, classLabel(label), ` ${percent(share)}`,
    h("span", { class: "note" }, `95 % interval ${percent(interval[0])} to ${percent(interval[1])}, from ${rowsWords(leaf)}. `, nodeLink(leaf, "Details of this leaf")));
}

function stepsOf({ way }, row) {
  const items = way.slice(1).map((node) => {
    const above = nodes[parentOf(node)];
    const cell = row.get(above.column);
    const said = cell.missing ? "is missing" : `is ${shorten(cell.said, 60)}`;
    return h("li", { dataset: { step: node } }, `${above.asks} ${said}, so `, h("b", null, nodes[node].answer),
      h("span", { class: "muted" }, ` ${count(total(nodes[node].counts))} ${ROWS}`));
  });
  return h("ol", { class: "steps" }, items);
}
