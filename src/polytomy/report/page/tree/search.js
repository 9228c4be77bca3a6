// Searching for the nodes that split on a column.

/** The search field, with buttons that step through the matches. */
function makeSearch(view) {
  const state = { hits: [], at: -1 };
  const names = [...new Set(nodes.filter((n) => n.children).map((n) => n.asks))].sort();
  const list = h("datalist", { id: "split-columns" }, names.map((name) => h("option", { value: name })));
  const status = h("output", { for: "find-column" });
  const step = (by) => {
    if (state.hits.length === 0) return;
    state.at = (state.at + by + state.hits.length) % state.hits.length;
    visit(view, state.hits[state.at]);
    status.textContent = `${state.at + 1} of ${state.hits.length}`;
  };
  const search = () => {
    Object.assign(state, { hits: matching(input.value), at: -1 });
    chosen.found = new Set(state.hits);
    status.textContent = input.value.trim() ? plural(state.hits.length, "node") : "";
    notify("found");
  };
  const keyed = (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    step(event.shiftKey ? -1 : 1);
  };
  const input = h("input", { type: "search", id: "find-column", list: "split-columns", placeholder: "Find a column", autocomplete: "off", oninput: search, onkeydown: keyed });
  on("tree", () => input.value.trim() && search());
  return h("div", { class: "find", role: "search" },
    h("label", { for: "find-column", class: "hidden-text" }, "Find nodes that split on a column"),
    input, list,
    h("button", { type: "button", "aria-label": "Previous match", onclick: () => step(-1) }, "‹"),
    h("button", { type: "button", "aria-label": "Next match", onclick: () => step(1) }, "›"),
    status);
}

/** The drawn nodes whose split contains a text, from top to bottom; only exact matches if there are any. */
function matching(text) {
  const wanted = text.trim().toLowerCase();
  if (!wanted) return [];
  const inner = drawnInner();
  const exact = inner.filter((node) => nodes[node].asks.toLowerCase() === wanted);
  return exact.length > 0 ? exact : inner.filter((node) => nodes[node].asks.toLowerCase().includes(wanted));
}

/** The drawn inner nodes, from top to bottom. */
function drawnInner() {
  const out = [];
  const pending = [0];
  while (pending.length > 0) {
    const node = pending.pop();
    if (!isInner(node)) continue;
    out.push(node);
    pending.push(...below(node).children.reverse());
  }
  return out;
}

/** Expands the path to a node, selects it and scrolls to it. */
function visit(view, node) {
  reveal([node]);
  select(node);
  rove(view, node);
  showNode(view, node);
}
