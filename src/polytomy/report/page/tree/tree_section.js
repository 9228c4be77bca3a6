// The section of the tree: controls, the drawing, and the panel of the selected node next to it.

/** Makes the section, with a panel next to the drawing; call `start` after it has been added to the document. */
function makeTreeSection(sizing, panel = makeNodePanel()) {
  const area = h("div", { class: "tree-area" });
  const controls = h("div", { class: "controls" });
  const element = section("tree", "Tree", sizing,
    h("div", { class: "tree-grid" },
      h("div", null, area, selectedLine(), h("div", { class: "tree-foot" }, target.legend(), keysHelp()), predictionsNote()),
      panel));
  const heading = element.querySelector("h2");
  element.prepend(h("div", { class: "tree-head" }, heading, controls));
  const start = () => {
    const view = makeView(area);
    addZoomAndDrag(view);
    addTooltips(view.drawing);
    controls.append(makeSearch(view), h("span", { class: "spring" }), ...treeButtons(view));
    redraw(view.drawing, view.budget);
    firstView(view);
    notify("select");
    return view;
  };
  return { element, start };
}

/** What the shares or means at leaves are, if they are not simply those of the training rows. */
function predictionsNote() {
  if (!isForecast) return null;
  return h("p", { class: "note", id: "shares-note" },
    `${target.legendNote()} ${facts.honesty} `,
    nodes.some(({ doubtful }) => doubtful) ? ["Where the two disagree, a leaf is marked ", h("span", { class: "doubt" }, "!"), "."] : null);
}

function treeButtons(view) {
  const button = (name, label, onclick) => h("button", { type: "button", "aria-label": label === name ? null : label, title: label, onclick }, name);
  return [
    h("div", { class: "group", role: "group", "aria-label": "Branches" },
      button("Expand all", "Expand all", () => openAll(view, true)),
      button("Collapse", "Collapse", () => openAll(view, false))),
    h("div", { class: "group", role: "group", "aria-label": "Zoom" },
      button("−", "Zoom out", () => zoomBy(view, 1 / 1.25)),
      button("+", "Zoom in", () => zoomBy(view, 1.25)),
      button("Fit", "Fit the tree to the view", () => fit(view))),
  ];
}

function keysHelp() {
  return h("details", { class: "note" }, h("summary", null, "Keyboard shortcuts"),
    h("p", null, "The arrow keys move through the tree: right expands a node or moves to its first child, left collapses it or moves to its parent. ",
      "Space expands or collapses, Enter shows the details, * expands all siblings, Home and End move to the first and last node, ",
      "+ and − zoom, 0 resets the zoom. Ctrl and the mouse wheel also zoom; drag or scroll to move the drawing."));
}
