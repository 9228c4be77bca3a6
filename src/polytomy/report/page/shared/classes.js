// The classes: each has a colour and a mark, for readers who cannot distinguish colours.

const LIGHTNESS = [46, 60, 36]; // of classes without a variable, in turn

/** The colour of class i, as CSS. The style sheet has variables for the first classes: the palette of all diagrams. */
function classColour(i) {
  const hue = (185 + 137.508 * i) % 360;
  return `var(--class-${i}, hsl(${hue.toFixed(0)} 48% ${LIGHTNESS[i % 3]}%))`;
}

/** The text colour that is readable on that colour. */
function classInk(i) {
  return `var(--class-ink-${i}, ${LIGHTNESS[i % 3] > 50 ? "#000" : "#fff"})`;
}

const SHORT_NAMES = facts.classes?.every((name) => Array.from(name).length <= 2) ?? false;

/** The mark of class i: its name if all names are short, otherwise A, B, ..., Z, AA, AB, ... */
function classMark(i) {
  if (SHORT_NAMES) return facts.classes[i];
  const letter = String.fromCharCode(65 + (i % 26));
  return i < 26 ? letter : classMark(Math.floor(i / 26) - 1) + letter;
}

/** A small square in the colour of a class, with its mark. */
function classBadge(i) {
  return h(
    "span",
    { class: "badge", "aria-hidden": true, style: { background: classColour(i), color: classInk(i) } },
    classMark(i),
  );
}

/** Badge and name of a class. */
function classLabel(i) {
  return h("span", { class: "class-label" }, classBadge(i), h("span", { class: SHORT_NAMES ? "hidden-text" : null, title: facts.classes[i] }, facts.classes[i]));
}

/** The key of all classes. */
function classKey() {
  const items = facts.classes.map((_, i) => h("li", null, classLabel(i)));
  return h("ul", { class: "key", "aria-label": "Classes" }, items);
}
