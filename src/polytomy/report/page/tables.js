// Tables.

/**
 * A table that scrolls by itself where it is too wide.
 * @param {string} label its name for the ear
 * @param {(string|Node)[]} head
 * @param {Array[]} rows cells of each; the first is its heading
 * @param {?{words: ?number[], class: ?string}} looks columns of words, and a class
 */
function plainTable(label, head, rows, { words = [], class: name = null } = {}) {
  const side = (i) => (words.includes(i) ? "words" : null);
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": label },
    h("table", { class: name },
      h("thead", null, h("tr", null, head.map((cell, i) => h("th", { scope: "col", class: side(i) }, cell)))),
      h("tbody", null, rows.map((row) =>
        h("tr", null, row.map((cell, i) =>
          i === 0 ? h("th", { scope: "row" }, cell) : h("td", { class: side(i) }, cell)))))));
}

/** A button that looks like a link and selects a node. */
function nodeLink(node, text) {
  return h("button", { type: "button", class: "link", dataset: { goto: node }, onclick: () => select(node) }, text);
}
