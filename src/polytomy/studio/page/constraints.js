// The constraints: fields for the parameters that limit suggestions and growth.

function makeConstraintsTab() {
  const place = h("div");
  const show = () => put(place, constraintsForm());
  on("state", show);
  show();
  return place;
}

function constraintsForm() {
  const kinds = { integer: numberField, number: numberField, columns: columnsField, directions: directionFields, costs: costFields, after: afterFields };
  const fields = facts.constraints.map((one) => kinds[one.kind](one));
  const read = () => Object.fromEntries(fields.map(({ name, read: value }) => [name, value()]));
  const run = (name, more = {}) => () => change(name, { constraints: read(), ...more });
  return h("form", { class: "constraints", onsubmit: (event) => event.preventDefault() },
    fields.map(({ element }) => element),
    h("p", { class: "note" }, `“Keep the tree” uses only these, for suggestions and regrowing: ${liveLabels()}. The other constraints need a new tree. `,
      "Splits that you make yourself may break constraints, except directions."),
    h("div", { class: "actions" },
      h("button", { type: "button", class: "primary", onclick: run("grow") }, "Grow a tree"),
      h("button", { type: "button", onclick: run("grow", { by_hand: true }) }, "Start over by hand"),
      h("button", { type: "button", onclick: run("limit"), title: "Keep the tree; suggest and regrow with these limits" }, "Keep the tree")));
}

/** The constraints that can change while the tree stays, as a list in words. */
function liveLabels() {
  return facts.constraints.filter((one) => one.live).map(({ label }) => label.toLowerCase()).join(", ");
}

function numberField(constraint) {
  const { name, label, kind, least, most, optional, value, help, word } = constraint;
  const id = `constraint-${name}`, isWord = word !== "" && value === word;
  const input = h("input", { type: "number", id, min: least, max: most, step: kind === "integer" ? 1 : "any", value: isWord ? "" : value ?? "", placeholder: optional ? "no limit" : null });
  const box = word === "" ? null : wordBox(constraint, input, isWord);
  const read = () => (box?.checked ? word : input.value === "" ? null : Number(input.value));
  const field = h("div", { class: "field" }, h("label", { for: id, title: help || null }, label), input);
  return { name, read, element: [field, box === null ? null : h("label", { class: "word" }, box, wordText(constraint))] };
}

/** A box to tick for a word in the place of a number, which then cannot be entered. */
function wordBox({ name, word }, input, isWord) {
  const box = h("input", { type: "checkbox", id: `constraint-${name}-${word}`, checked: isWord, onchange: () => { input.disabled = box.checked; } });
  input.disabled = isWord;
  return box;
}

/** "by cross-validation, which chose 7" */
function wordText({ word, word_label: text, value }) {
  return value === word && facts.chosen_leaves ? `${text}, which chose ${formatNumber(facts.chosen_leaves)}` : text;
}

/** A number for each column; empty for none. */
function costFields({ name, label, least, value }) {
  const fields = facts.columns.map((column, j) => {
    const id = `${name}-${j}`;
    const input = h("input", { type: "number", id, min: least, step: "any", value: value[j] ?? "", placeholder: "0" });
    return { j, input, element: h("div", { class: "field" }, h("label", { for: id, title: column.name }, shorten(column.name, 40)), input) };
  });
  const read = () => Object.fromEntries(fields.filter(({ input }) => input.value !== "").map(({ j, input }) => [j, Number(input.value)]));
  return { name, read, element: h("details", { open: Object.keys(value).length > 0 }, h("summary", null, label),
    h("p", { class: "note" }, "What asking all rows about a column must save, as a fraction of what the tree saves: 0.05 is a twentieth."),
    fields.map(({ element }) => element)) };
}

/** Columns that are asked only below one of others; a line for each, and a button for a further one. */
function afterFields({ name, label, value }) {
  const lines = [], place = h("div");
  const options = (chosen) => facts.columns.map((column, j) => h("option", { value: j, selected: chosen.includes(j) }, shorten(column.name, 40)));
  const add = (column, others) => {
    const at = lines.length;
    const first = h("select", { id: `${name}-${at}`, "aria-label": "Column" }, h("option", { value: "" }, "choose a column"), options(column === null ? [] : [column]));
    const rest = h("select", { id: `${name}-${at}-above`, multiple: true, size: Math.min(4, facts.columns.length), "aria-label": "Columns that must be asked above it" }, options(others));
    lines.push({ first, rest });
    place.append(h("div", { class: "after" }, first, h("span", { class: "muted" }, "only below one of"), rest));
  };
  Object.entries(value).forEach(([column, others]) => add(Number(column), others));
  const read = () => Object.fromEntries(lines.filter(({ first }) => first.value !== "")
    .map(({ first, rest }) => [first.value, [...rest.selectedOptions].map((option) => Number(option.value))]));
  return { name, read, element: h("details", { open: lines.length > 0 }, h("summary", null, label), place,
    h("button", { type: "button", id: `${name}-add`, onclick: () => add(null, []) }, "Add a column")) };
}

/** A list of columns, folded; ticked ones belong to it. */
function columnsField({ name, label, value }) {
  const boxes = facts.columns.map((column, j) => h("input", { type: "checkbox", id: `${name}-${j}`, checked: value.includes(j) }));
  const count = () => boxes.filter((box) => box.checked).length;
  const title = h("summary", null, `${label} …`);
  const show = () => put(title, count() === 0 ? `${label} …` : `${label} ${plural(count(), "column")}`);
  const element = h("details", { open: value.length > 0, onchange: show }, title,
    h("div", { class: "ticks" }, facts.columns.map((column, j) => h("label", { title: column.name }, boxes[j], shorten(column.name, 40)))));
  show();
  return { name, read: () => boxes.map((box, j) => (box.checked ? j : -1)).filter((j) => j >= 0), element };
}

/** A direction for each ordered column. */
function directionFields({ name, label, value }) {
  const fields = facts.columns.map((column, j) => ({ column, j })).filter(({ column }) => column.kind !== "categories")
    .map(({ column, j }) => {
      const id = `direction-${j}`;
      const choice = h("select", { id }, [[0, "any"], [1, "increasing"], [-1, "decreasing"]].map(([direction, text]) =>
        h("option", { value: direction, selected: (value[j] ?? 0) === direction }, text)));
      return { j, choice, element: h("div", { class: "field" }, h("label", { for: id, title: column.name }, shorten(column.name, 40)), choice) };
    });
  const read = () => Object.fromEntries(fields.filter(({ choice }) => choice.value !== "0").map(({ j, choice }) => [j, Number(choice.value)]));
  const isOpen = Object.keys(value).length > 0;
  return { name, read, element: h("details", { open: isOpen }, h("summary", null, label),
    h("p", { class: "note" }, facts.numbers ? "What the tree predicts must not decrease, or increase, along a column." : "The position of the predicted class must not decrease, or increase, along a column; needs two classes, or classes that are numbers."),
    fields.map(({ element }) => element)) };
}
