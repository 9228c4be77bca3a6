// The section of the tree: controls above, the drawing, the panel of the selected node beside it.

/** Makes the section; call `start` once it is in the document. */
function makeTreeSection(sizing) {
  const area = h("div", { class: "tree-area" });
  const panel = makeDetails();
  const controls = h("div", { class: "controls" });
  const element = section("tree", "Tree", sizing,
    h("div", { class: "tree-grid" },
      h("div", null, area, chosenLine(), h("div", { class: "tree-foot" }, classKey(), keysHelp())),
      panel));
  const heading = element.querySelector("h2");
  element.prepend(h("div", { class: "tree-head" }, heading, controls));
  const start = () => {
    const view = makeView(area);
    addCamera(view);
    addTips(view.drawing);
    controls.append(makeFind(view), h("span", { class: "spring" }), ...treeButtons(view));
    redraw(view.drawing, view.budget);
    firstLook(view);
    tell("select");
    return view;
  };
  return { element, start };
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
      button("Fit", "Fit the tree into its area", () => fit(view))),
  ];
}

function keysHelp() {
  return h("details", { class: "note" }, h("summary", null, "Keys"),
    h("p", null, "Arrow keys walk the tree: right opens and goes down, left closes and goes up. Space opens or closes, ",
      "Enter shows the details, * opens all siblings, Home and End go to the first and last node, ",
      "+ and − zoom, 0 is full size. Ctrl and the wheel zoom too; drag or scroll to move."));
}
