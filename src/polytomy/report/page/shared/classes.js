// The classes: each has a colour (Okabe and Ito's palette, then more) and a mark, for readers who cannot distinguish colours.

const OKABE_ITO = 7;

/** The colour of class i, as CSS. The first seven are variables of the style sheet. */
function classColour(i) {
  if (i < OKABE_ITO) return `var(--class-${i})`;
  const hue = (47 + 137.508 * i) % 360;
  const light = [46, 60, 36][i % 3];
  return `hsl(${hue.toFixed(0)} 48% ${light}%)`;
}

/** The text colour that is readable on that colour. */
function classInk(i) {
  if (i < OKABE_ITO) return `var(--class-ink-${i})`;
  return [46, 60, 36][i % 3] > 50 ? "#111" : "#fff";
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
