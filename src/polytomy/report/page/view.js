// The tree a reader can open, close and select in.

/** Makes the tree and what it does when clicked. */
function makeView(area) {
  const drawing = makeDrawing(area);
  const view = { drawing, budget: NARROW ? 14 : 26 };
  // On the area, not on the drawing: a browser lets Tab stop at an SVG that listens for the focus.
  area.addEventListener("click", (event) => clicked(view, event));
  area.addEventListener("dblclick", (event) => {
    const node = nodeOf(event.target);
    if (node !== null && isInner(node) && !event.target.closest(".toggle")) toggle(view, node);
  });
  area.addEventListener("focusin", (event) => {
    const node = nodeOf(event.target);
    if (node !== null) rove(view, node);
  });
  addKeys(view);
  on("tree", () => redrawAround(view, 0));
  on("open", () => redrawAround(view, drawing.focus));
  for (const event of ["select", "path", "found"]) on(event, () => paint(drawing));
  return view;
}

/** The node an element belongs to, or null. */
function nodeOf(element) {
  const group = element.closest?.("[data-node]");
  return group ? Number(group.dataset.node) : null;
}

function clicked(view, event) {
  const node = nodeOf(event.target);
  if (node === null || view.drawing.area.classList.contains("dragged")) return;
  focusNode(view, node);
  if (event.target.closest(".toggle")) toggle(view, node);
  else select(node);
}

function toggle(view, node) {
  rove(view, node);
  setOpen(node, !view.drawing.open.has(node));
}

/** Lays out anew and keeps a node where the reader sees it. */
function redrawAround(view, node) {
  const { drawing } = view;
  const before = drawing.plan?.places.get(node);
  redraw(drawing, view.budget);
  const after = drawing.plan.places.get(node);
  if (before && after) {
    drawing.area.scrollTop += (after.y - before.y) * drawing.zoom;
    drawing.area.scrollLeft += (after.x - before.x) * drawing.zoom;
  }
  paint(drawing);
}

/** Makes a node the one that Tab reaches. */
function rove(view, node) {
  const { drawing } = view;
  const old = drawing.drawn.get(drawing.focus);
  old?.group.setAttribute("tabindex", -1);
  drawing.focus = node;
  drawing.drawn.get(node)?.group.setAttribute("tabindex", 0);
}

/** Moves the focus to a visible node and brings it into sight. */
function focusNode(view, node) {
  rove(view, node);
  showNode(view, node);
  view.drawing.drawn.get(node)?.group.focus({ preventScroll: true });
}

/** Scrolls the area so that a visible node can be seen. */
function showNode(view, node) {
  const { area, plan, zoom } = view.drawing;
  const place = plan.places.get(node);
  if (!place) return;
  const [x, y] = [(place.x + MARGIN) * zoom, (place.y + MARGIN - BOX.answer) * zoom];
  const before = [area.scrollLeft, area.scrollTop];
  const [wide, high] = [(BOX.width + 24) * zoom, (BOX.height + BOX.answer) * zoom];
  if (x < area.scrollLeft) area.scrollLeft = x - 12;
  else if (x + wide > area.scrollLeft + area.clientWidth) area.scrollLeft = x + wide - area.clientWidth + 12;
  if (y < area.scrollTop) area.scrollTop = y - 12;
  else if (y + high > area.scrollTop + area.clientHeight) area.scrollTop = y + high - area.clientHeight + 12;
  if (before[0] !== area.scrollLeft || before[1] !== area.scrollTop) paint(view.drawing);
}

/** Scrolls so that a node is in the middle, up and down. */
function centreNode(view, node) {
  const { area, plan, zoom } = view.drawing;
  const place = plan.places.get(node);
  if (!place) return;
  area.scrollTop = (place.y + MARGIN + BOX.height / 2) * zoom - area.clientHeight / 2;
  showNode(view, node);
  paint(view.drawing);
}

/** Opens every node, or closes all but what the page opens by itself. */
function openAll(view, open) {
  chosen.opened.clear();
  if (open) for (let node = 0; node < nodes.length; node += 1) if (nodes[node].children) chosen.opened.set(node, true);
  if (!open) for (const child of [0, ...below(0).children]) chosen.opened.set(child, child === 0);
  tell("open");
  const node = open ? nearestVisible(view.drawing, chosen.selected) : 0;
  centreNode(view, node);
  if (open) seeSome(view, node);
}

const SOME = 12; // nodes that are company enough

/** Zooms out from a node until some others can be seen: in a large tree they may be far away. */
function seeSome(view, node) {
  const { drawing } = view;
  const wanted = Math.min(SOME, drawing.plan.order.length);
  for (let i = 0; i < 20 && nodesInSight(drawing) < wanted; i += 1) {
    zoomBy(view, 1 / 1.25);
    centreNode(view, node);
  }
}

function nodesInSight({ area, plan, zoom }) {
  const left = area.scrollLeft / zoom - MARGIN;
  const top = area.scrollTop / zoom - MARGIN;
  const view = { left, top, right: left + area.clientWidth / zoom, bottom: top + area.clientHeight / zoom };
  return plan.order.filter((node) => inView(plan.places.get(node), view)).length;
}
