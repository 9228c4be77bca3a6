// The classes: each has a name and a colour, the same as in all figures and diagrams.

/** The colour of class i, as CSS. */
function classColour(i) {
  return `var(--class-${i})`;
}

/** The text colour that is readable on that colour. */
function classInk(i) {
  return `var(--class-ink-${i})`;
}

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** The name of class i as it reads beside numbers: "class 1" for the class 1. */
function className(i) {
  const name = facts.classes[i];
  return NUMBER.test(name) ? `class ${name}` : name.trim() === "" ? `“${name}”` : name;
}

/** The name of class i in front of a number: with a colon if it ends in a digit. */
function classBefore(i) {
  return /\d$/.test(className(i)) ? `${className(i)}:` : className(i);
}

/** The shortest beginning of the name of class i that no other class has, in at most three letters; else null. */
function classInitials(i) {
  const letters = Array.from(facts.classes[i]);
  for (let n = 1; n <= Math.min(3, letters.length); n += 1) {
    const start = letters.slice(0, n).join("");
    if (facts.classes.every((other, k) => k === i || !other.startsWith(start))) return start;
  }
  return letters.length <= 3 ? facts.classes[i] : null;
}

/** A small square in the colour of a class. */
function classBadge(i) {
  return h("span", { class: "badge", "aria-hidden": true, style: { background: classColour(i) } });
}

/** Colour and name of a class; `name` is another form of the name. */
function classLabel(i, name = className(i)) {
  return h("span", { class: "class-label" }, classBadge(i), h("span", { title: className(i) }, name));
}

/** The key of all classes. */
function classKey() {
  const items = facts.classes.map((_, i) => h("li", null, classLabel(i)));
  return h("ul", { class: "key", "aria-label": "Classes" }, items);
}
