// The section of the tree: controls, the drawing, and the panel of the selected node next to it.

/**
 * Makes the section; call `start` after it has been added to the document. `row` is the panel in which a row is followed,
 * `panel` that of the selected node.
 */
function makeTreeSection(sizing, row = null, panel = makeNodePanel()) {
  const area = h("div", { class: "tree-area" });
  const side = makeSide(panel, row);
  const controls = h("div", { class: "controls" });
  const element = section("tree", "Tree", sizing,
    h("div", { class: "tree-grid" },
      h("div", null, area, selectedLine(), h("div", { class: "tree-foot" }, target.legend(), keysHelp()), predictionsNote(), collapsedNote()),
      side.element));
  const heading = element.querySelector("h2");
  element.prepend(h("div", { class: "tree-head" }, heading, controls));
  const start = () => {
    const view = makeView(area);
    addZoomAndDrag(view);
    addTooltips(view.drawing);
    controls.append(makeSearch(view), h("span", { class: "spring" }), ...treeButtons(view));
    redraw(view.drawing, view.budget);
    firstView(view);
    notify("view");
    notify("select");
    side.start();
    return view;
  };
  return { element, start };
}

/** The panels beside the tree: the selected node, and a row to follow; one of them is visible. */
function makeSide(panel, row) {
  if (!row) return { element: h("div", { class: "side" }, panel), start: () => {} };
  const names = ["Selected node", "Follow a row"];
  const panels = [panel, row];
  const buttons = names.map((name, i) => h("button", { type: "button", "aria-controls": panels[i].id, onclick: () => show(i) }, name));
  const show = (shown) => panels.forEach((one, i) => {
    one.hidden = i !== shown;
    buttons[i].setAttribute("aria-pressed", String(i === shown));
  });
  show(0);
  const element = h("div", { class: "side" }, h("div", { class: "tabs", role: "group", "aria-label": "Beside the tree" }, buttons), panels);
  return { element, start: () => on("select", () => show(0)) };
}

/** What a printed drawing leaves out; for print only. */
function collapsedNote() {
  const note = h("p", { class: "note in-print" });
  addEventListener("beforeprint", () => {
    const drawn = [...document.querySelectorAll(".node .toggle.closed")].map((knob) => nodeOf(knob));
    const hidden = total(drawn.map((node) => leavesBelow(node).length));
    put(note, drawn.length === 0 ? null : `${plural(drawn.length, "node is", "nodes are")} collapsed in this drawing: ${formatNumber(hidden)} of ${plural(leavesBelow(0).length, "leaf", "leaves")} are not drawn; the number beside a node says how many it hides. The table of leaves follows.`);
  });
  return note;
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
  const charts = button("Distributions", "Distributions", () => { shape.charts = !shape.charts; setIcicle(view, false); redrawAround(view, 0); notify("view"); });
  const icicle = button("Overview", "Overview", () => (view.drawing.icicle ? firstView(view) : setIcicle(view, true)));
  charts.title = "The distribution of each split's column at its node, with a line at each cut";
  icicle.title = "The whole tree as an icicle: a node is as high as its share of the rows";
  on("view", () => {
    charts.setAttribute("aria-pressed", String(shape.charts && !view.drawing.icicle));
    icicle.setAttribute("aria-pressed", String(view.drawing.icicle));
  });
  return [
    h("div", { class: "group", role: "group", "aria-label": "Form of the drawing" }, nodes.some((_, node) => hasChart(node)) ? charts : null, icicle),
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
      "+ and − zoom, 0 resets the zoom. Ctrl and the mouse wheel also zoom; drag or scroll to move the drawing. ",
      "Overview draws the whole tree as an icicle; there, Space or a double click shows the part below a node, and again what is above it."));
}
