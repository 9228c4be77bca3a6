// The constraints: fields for the parameters that limit suggestions and growth.

function makeConstraintsTab() {
  const place = h("div");
  const show = () => put(place, constraintsForm());
  on("state", show);
  show();
  return place;
}

function constraintsForm() {
  const kinds = { integer: numberField, number: numberField, columns: columnsField, directions: directionFields };
  const fields = facts.constraints.map((one) => kinds[one.kind](one));
  const read = () => Object.fromEntries(fields.map(({ name, read: value }) => [name, value()]));
  const run = (name, more = {}) => () => change(name, { constraints: read(), ...more });
  return h("form", { class: "constraints", onsubmit: (event) => event.preventDefault() },
    fields.map(({ element }) => element),
    h("p", { class: "note" }, `“Keep the tree” uses only these, for suggestions and regrowing: ${liveLabels()}. The other constraints need a new tree. `,
      "Splits that you state may break constraints, except directions."),
    h("div", { class: "actions" },
      h("button", { type: "button", class: "primary", onclick: run("grow") }, "Grow a tree"),
      h("button", { type: "button", onclick: run("grow", { by_hand: true }) }, "Start over by hand"),
      h("button", { type: "button", onclick: run("limit"), title: "Keep the tree; suggest and regrow with these limits" }, "Keep the tree")));
}

/** The constraints that can change while the tree stays, as a list in words. */
function liveLabels() {
  return facts.constraints.filter((one) => one.live).map(({ label }) => label.toLowerCase()).join(", ");
}

function numberField({ name, label, kind, least, optional, value, help }) {
  const id = `constraint-${name}`;
  const input = h("input", { type: "number", id, min: least, step: kind === "integer" ? 1 : "any", value: value ?? "", placeholder: optional ? "no limit" : null });
  const read = () => (input.value === "" ? null : Number(input.value));
  return { name, read, element: h("div", { class: "field" }, h("label", { for: id, title: help || null }, label), input) };
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
