// Small parts that all of the classroom uses: acting on the server, bars of classes, messages, forms.

/** What the page shows; each answer of the server replaces it. */
let room = facts;

/** The line for errors, and the one that screen readers hear after each action. */
const alertLine = h("p", { class: "message", role: "alert", hidden: true });
const statusLine = h("p", { class: "hidden-text", role: "status" });

function complain(text) {
  alertLine.textContent = text;
  alertLine.hidden = text === "";
  if (text) alertLine.scrollIntoView({ block: "nearest" });
}

/**
 * Calls the server, and shows the room as it is then.
 * @param {string} name of the function
 * @param {Object} given what it is called with
 * @param {?string} focus selector of the element that gets the focus
 * @param {?function(): string} say what a screen reader hears
 */
async function act(name, given = {}, focus = null, say = null) {
  complain("");
  document.body.classList.add("busy");
  try {
    room = await call(name, { version: room.version, ...given });
    show(focus);
    statusLine.textContent = say ? say() : "";
  } catch (error) {
    if (error.isStale) {
      room = await call("state");
      show(focus);
    }
    complain(error.message);
  } finally {
    document.body.classList.remove("busy");
  }
}

/** A button that acts on the server. */
function actButton(text, name, given = {}, { focus = null, kind = "", say = null, disabled = false } = {}) {
  return h("button", { type: "button", class: kind, disabled, onclick: () => act(name, given, focus, say) }, text);
}

/** A form whose fields are sent when Enter is pressed or its button is used. */
function sendForm(attributes, onSend, ...children) {
  return h("form", {
    ...attributes,
    onsubmit: (event) => {
      event.preventDefault();
      onSend(new FormData(event.currentTarget));
    },
  }, children);
}

let fieldNumber = 0;

/** A control with its label above it. */
function field(label, control) {
  fieldNumber += 1;
  control.id = `field-${fieldNumber}`;
  return h("div", { class: "field" }, h("label", { for: control.id }, label), control);
}

/** A labelled choice among names. */
function selectField(label, name, options, chosen) {
  return field(label, h("select", { name }, options.map(([value, text]) => h("option", { value, selected: value === chosen }, text))));
}

/** A labelled field for a number or a text. */
function inputField(label, name, attributes) {
  return field(label, h("input", { name, type: "text", autocomplete: "off", ...attributes }));
}

/** Numbers in a text, separated by spaces, commas or semicolons; null if one of them is not a number. */
function numbersIn(text) {
  const parts = text.replaceAll("−", "-").split(/[\s;,]+/).filter((part) => part !== "");
  const found = parts.map(Number);
  return found.every(Number.isFinite) ? found : null;
}

/**
 * The rows of each class as one bar.
 * @param {number[]} counts rows of each class
 * @param {?number} most rows of a bar of full length; those of the counts if absent
 */
function classBar(counts, most = total(counts)) {
  const rows = total(counts);
  const words = counts.map((n, i) => (n > 0 ? `${formatCount(n)} ${className(i)}` : "")).filter(Boolean).join(", ");
  const number = (n) => h("b", { class: `digits-${Math.min(formatCount(n).length, 6)}` }, formatCount(n)); // hidden if it does not fit
  const parts = counts.map((n, i) => (n > 0
    ? h("span", { style: { "flex-grow": n, background: classColour(i), color: classInk(i) } }, number(n))
    : null));
  return h("span", { class: "class-bar", role: "img", "aria-label": words || "no rows", title: words,
    style: { width: `${((100 * rows) / Math.max(most, 1)).toFixed(2)}%` } }, parts);
}

/** A number with three decimals, as in the formulas. */
function three(x) {
  return signed(x.toFixed(3));
}

/** A bar with a value after it, on a scale up to `most`. */
function valueBar(value, most, colour = "var(--accent)") {
  const length = most > 0 ? Math.max(0, Math.min(100, (100 * value) / most)) : 0;
  return h("span", { class: "value-bar", "aria-hidden": true }, h("span", { style: { width: `${length.toFixed(2)}%`, background: colour } }));
}

/** The name of a column, visible even if it is blank. */
function columnName(name) {
  return name.trim() === "" ? NO_NAME : name;
}

/** Facts under each other: name and value. */
function figureList(figures) {
  return h("dl", { class: "figures small" }, figures.map(([name, value]) => h("div", null, h("dt", null, name), h("dd", null, value))));
}
