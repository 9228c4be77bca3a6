// The frame of a page: header, sections, tables, footer, and the choice of light or dark colours.

/** A stored choice of the reader, or null if the browser does not allow storage. */
function remembered(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function remember(key, value) {
  try {
    localStorage.setItem(key, value);
  } catch {
    // A page opened from a file may not be allowed to; the choice then lasts while it is open.
  }
}

/** The button that switches between light and dark colours. */
function themeButton() {
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : dark.matches);
  const button = h("button", { type: "button", class: "quiet theme", onclick: toggleTheme });
  const label = () => {
    button.textContent = isDark() ? "Light" : "Dark";
    button.setAttribute("aria-label", isDark() ? "Switch to light colours" : "Switch to dark colours");
  };
  function toggleTheme() {
    root.dataset.theme = isDark() ? "light" : "dark";
    remember("polytomy-theme", root.dataset.theme);
    label();
  }
  const before = remembered("polytomy-theme");
  if (before === "light" || before === "dark") root.dataset.theme = before;
  dark.addEventListener("change", label);
  label();
  return button;
}

/**
 * Builds the page: header with summary figures and contents, the sections, and the footer.
 * @param {{name: string, value: string, title: ?string}[]} figures
 * @param {HTMLElement[]} sections
 * @param {?string} note a sentence above the sections
 */
function buildPage(figures, sections, note = null) {
  const list = figures.map(({ name, value, title }) => h("div", { title }, h("dt", null, name), h("dd", null, value)));
  const links = sections.map((one) => h("li", null, h("a", { href: `#${one.id}` }, one.querySelector("h2").textContent)));
  put(
    document.getElementById("top"),
    h("div", { class: "title-row" }, h("h1", null, facts.title), themeButton()),
    h("div", { class: "title-row low" },
      h("dl", { class: "figures" }, list),
      h("nav", { "aria-label": "Contents" }, h("ul", { class: "contents" }, links))),
  );
  const main = document.getElementById("main");
  put(main, note ? h("p", { class: "note" }, note) : null, sections);
  main.after(h("footer", { class: "foot" },
    `Made by polytomy ${facts.version ?? ""}. This page contains counts and summaries, but no rows of the data.`));
}

/** A section with a heading, which is also its accessible name. */
function section(id, title, ...children) {
  return h(
    "section",
    { id, "aria-labelledby": `${id}-title`, class: "card" },
    h("h2", { id: `${id}-title` }, title),
    children,
  );
}

/** A frame that scrolls if its content is too wide. */
function scrollArea(label, content, { tall = false } = {}) {
  return h("div", { class: tall ? "scroll tall" : "scroll", tabindex: 0, role: "region", "aria-label": label }, content);
}

/**
 * A table that scrolls if it is too wide.
 * @param {string} label its accessible name
 * @param {(string|Node)[]} head
 * @param {Array[]} rows the cells of each row; the first one is its heading
 * @param {?{words: ?number[], class: ?string}} looks columns of text, and a class; on narrow screens, a table of the class
 *   "stacked" has the cells of a row below each other, each with its heading
 */
function plainTable(label, head, rows, { words = [], class: name = null } = {}) {
  const side = (i) => (words.includes(i) ? "words" : null);
  return scrollArea(label,
    h("table", { class: name },
      h("thead", null, h("tr", null, head.map((cell, i) => h("th", { scope: "col", class: side(i) }, cell)))),
      h("tbody", null, rows.map((row) =>
        h("tr", null, row.map((cell, i) =>
          i === 0 ? h("th", { scope: "row" }, cell) : h("td", { class: side(i), dataset: { label: head[i] } }, cell)))))));
}

/** The certificate's full text, folded. */
function certificateText() {
  return h("details", null, h("summary", null, "Full text of the certificate"), h("pre", { tabindex: 0 }, facts.certificate.text));
}

function capitalized(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
