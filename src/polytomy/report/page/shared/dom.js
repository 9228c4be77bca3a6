// Creating elements. Text is always inserted as text, never as markup: names may contain anything.

/** The facts of the report, computed in Python. */
const facts = JSON.parse(document.getElementById("facts").textContent);

const SVG_SPACE = "http://www.w3.org/2000/svg";

/**
 * Makes an HTML element.
 * @param {string} tag
 * @param {?Object} attributes `onclick` and the like are listeners, `dataset` and `style` objects;
 *   null, undefined and false omit an attribute; `aria-` attributes can be "false".
 * @param {...*} children elements, text, numbers or arrays of them; null and false are omitted
 */
function h(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** Makes an SVG element; like `h`. */
function svg(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG_SPACE, tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) setOne(element, name, value);
  element.append(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false));
  return element;
}

function setOne(element, name, value) {
  if (value === null || value === undefined) return;
  if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
  else if (name === "dataset") Object.assign(element.dataset, value);
  else if (name === "style") for (const [k, v] of Object.entries(value)) element.style.setProperty(k, v);
  else if (name.startsWith("aria-")) element.setAttribute(name, String(value));
  else if (value !== false) element.setAttribute(name, value === true ? "" : String(value));
}

/** Replaces the children of an element and returns it. */
function put(element, ...children) {
  element.replaceChildren();
  return fill(element, null, children);
}

/** Text cut to a number of characters, with an ellipsis if something is missing. */
function shorten(text, length) {
  const letters = Array.from(text);
  return letters.length <= length ? text : letters.slice(0, Math.max(1, length - 1)).join("").trimEnd() + "…";
}
