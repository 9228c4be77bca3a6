// Finding the nodes that ask about a column.

/** The search field, with buttons that step through what it finds. */
function makeFind(view) {
  const state = { hits: [], at: -1 };
  const names = [...new Set(nodes.filter((n) => n.children).map((n) => n.asks))].sort();
  const list = h("datalist", { id: "asked-names" }, names.map((name) => h("option", { value: name })));
  const said = h("output", { for: "find-column" });
  const step = (by) => {
    if (state.hits.length === 0) return;
    state.at = (state.at + by + state.hits.length) % state.hits.length;
    visit(view, state.hits[state.at]);
    said.textContent = `${state.at + 1} of ${state.hits.length}`;
  };
  const search = () => {
    Object.assign(state, { hits: matching(input.value), at: -1 });
    chosen.found = new Set(state.hits);
    said.textContent = input.value.trim() ? plural(state.hits.length, "node") : "";
    tell("found");
  };
  const keyed = (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    step(event.shiftKey ? -1 : 1);
  };
  const input = h("input", { type: "search", id: "find-column", list: "asked-names", placeholder: "Find a column", autocomplete: "off", oninput: search, onkeydown: keyed });
  on("tree", () => input.value.trim() && search());
  return h("div", { class: "find", role: "search" },
    h("label", { for: "find-column", class: "hidden-text" }, "Find nodes that ask about a column"),
    input, list,
    h("button", { type: "button", "aria-label": "Previous match", onclick: () => step(-1) }, "‹"),
    h("button", { type: "button", "aria-label": "Next match", onclick: () => step(1) }, "›"),
    said);
}

/** The shown nodes whose question has a text in it, from top to bottom; the exact name wins. */
function matching(text) {
  const wanted = text.trim().toLowerCase();
  if (!wanted) return [];
  const asking = shownInner();
  const exact = asking.filter((node) => nodes[node].asks.toLowerCase() === wanted);
  return exact.length > 0 ? exact : asking.filter((node) => nodes[node].asks.toLowerCase().includes(wanted));
}

/** Every shown node that asks something, from top to bottom. */
function shownInner() {
  const out = [];
  const waiting = [0];
  while (waiting.length > 0) {
    const node = waiting.pop();
    if (!isInner(node)) continue;
    out.push(node);
    waiting.push(...below(node).children.reverse());
  }
  return out;
}

/** Opens the way to a node, selects it and brings it into sight. */
function visit(view, node) {
  reveal([node]);
  select(node);
  rove(view, node);
  showNode(view, node);
}
