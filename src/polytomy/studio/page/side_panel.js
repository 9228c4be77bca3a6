// The panel next to the tree, with tabs: the selected node, the constraints, and the edits.

/** Makes the panel; `tabs` have an id, a function of their name, and an element. */
function makeTabs(tabs) {
  const buttons = tabs.map(({ id }, i) => h("button", {
    type: "button", role: "tab", id: `tab-${id}`, "aria-controls": `panel-${id}`, onclick: () => open(i), onkeydown: (event) => keyed(event, i),
  }));
  const bodies = tabs.map(({ id, element }) => h("div", { role: "tabpanel", id: `panel-${id}`, "aria-labelledby": `tab-${id}`, class: "tab-body", tabindex: -1 }, element));
  function open(at) {
    buttons.forEach((button, i) => {
      button.setAttribute("aria-selected", String(i === at));
      button.tabIndex = i === at ? 0 : -1;
      bodies[i].hidden = i !== at;
    });
  }
  function keyed(event, i) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const next = (i + step + tabs.length) % tabs.length;
    open(next);
    buttons[next].focus();
  }
  const name = () => tabs.forEach((tab, i) => put(buttons[i], tab.name()));
  on("state", name);
  name();
  open(0);
  return h("aside", { class: "panel studio-panel", id: "details", "aria-label": "Node, constraints and edits", tabindex: -1 },
    h("div", { role: "tablist", class: "studio-tabs", "aria-label": "Panels" }, buttons), bodies);
}

/** The edits so far, each with its price. */
function makeEditsTab() {
  const place = h("div");
  const show = () => {
    const { log } = facts;
    put(place, facts.origin && log.length > 0 ? h("p", { class: "note" }, facts.origin.join(" ")) : null,
      log.length === 0 ? h("p", { class: "muted" }, "No edits yet. Select a node and split it.")
        : h("ol", { class: "edit-log" }, log.map(editItem)));
  };
  on("state", show);
  show();
  return place;
}

function editItem({ text, forgone, before, after }) {
  const pair = (key, format) => (format(before[key]) === format(after[key]) ? null : `${format(before[key])} → ${format(after[key])}`);
  const changes = [["leaves", "leaves", formatNumber], ["questions", "questions", (x) => x.toFixed(2)], ["error", facts.numbers ? "training loss" : "training error", formatError], ["bound", "bound on I(T)", formatNumber]]
    .map(([key, name, format]) => [name, pair(key, format)]).filter(([, value]) => value !== null);
  return h("li", null, h("div", null, capitalized(text)),
    h("dl", { class: "small-facts" }, [["gain forgone", formatNumber(forgone)], ...changes].map(([name, value]) => [h("dt", null, name), h("dd", null, value)])));
}
