// The frame of a page: its header, its sections, and the choice of light or dark.

/** What the reader chose before, where the browser lets a page remember. */
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
    // A page opened from a file may not be allowed to; then the choice lasts while it is open.
  }
}

/** The button that switches between light and dark. */
function themeButton() {
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : dark.matches);
  const button = h("button", { type: "button", class: "quiet theme", onclick: turn });
  const name = () => {
    button.textContent = isDark() ? "Light" : "Dark";
    button.setAttribute("aria-label", isDark() ? "Switch to light colours" : "Switch to dark colours");
  };
  function turn() {
    root.dataset.theme = isDark() ? "light" : "dark";
    remember("polytomy-theme", root.dataset.theme);
    name();
  }
  const before = remembered("polytomy-theme");
  if (before === "light" || before === "dark") root.dataset.theme = before;
  dark.addEventListener("change", name);
  name();
  return button;
}

/**
 * Fills the header: title, figures, contents and the theme button.
 * @param {string} title
 * @param {{name: string, value: string, title: ?string}[]} figures
 * @param {{id: string, name: string}[]} contents sections to link to
 */
function pageHeader(title, figures, contents) {
  const list = figures.map(({ name, value, title: more }) =>
    h("div", { title: more }, h("dt", null, name), h("dd", null, value)));
  const links = contents.map(({ id, name }) => h("li", null, h("a", { href: `#${id}` }, name)));
  put(
    document.getElementById("top"),
    h("div", { class: "title-row" }, h("h1", null, title), themeButton()),
    h("div", { class: "title-row low" },
      h("dl", { class: "figures" }, list),
      h("nav", { "aria-label": "Contents" }, h("ul", { class: "contents" }, links))),
  );
}

/** Makes a section with a heading; its name is the heading's. */
function section(id, title, ...children) {
  return h(
    "section",
    { id, "aria-labelledby": `${id}-title`, class: "card" },
    h("h2", { id: `${id}-title` }, title),
    children,
  );
}

/** A line that says who made the page. */
function pageFooter() {
  return h("footer", { class: "foot" }, `Made by polytomy ${facts.version ?? ""}. This page holds counts, never rows of the data.`);
}
