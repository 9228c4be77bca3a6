// Moving through the tree: clicks, keys, focus, zoom and dragging.

/** Makes the drawing and its event listeners. */
function makeView(area) {
  const drawing = makeDrawing(area);
  const view = { drawing, budget: MOST_NODES };
  // On the area, not on the drawing: browsers let Tab stop at an SVG that has focus listeners.
  area.addEventListener("click", (event) => clicked(view, event));
  area.addEventListener("dblclick", (event) => {
    const node = nodeOf(event.target);
    if (node !== null && isInner(node) && !event.target.closest(".toggle")) toggle(view, node);
  });
  view.back = h("button", { type: "button", class: "back-to-root", hidden: true, onclick: () => icicleFrom(view, 0) }, "‹ Back to all rows");
  area.before(view.back);
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

/** Expands or collapses a node; in the icicle, shows the part of the tree below it, or more of the tree. */
function toggle(view, node) {
  rove(view, node);
  if (view.drawing.icicle) {
    icicleFrom(view, node === view.drawing.top ? parentOf(node) : node);
    return;
  }
  setOpen(node, !view.drawing.open.has(node));
}

/** Draws the icicle of the part of the tree below a node. */
function icicleFrom(view, node) {
  const { drawing } = view;
  drawing.top = Math.max(0, node);
  redrawAround(view, drawing.top);
  view.back.hidden = drawing.top === 0;
  drawing.drawn.get(drawing.focus)?.group.focus({ preventScroll: true });
}

/** Switches between the tree and the icicle. */
function setIcicle(view, icicle) {
  const { drawing } = view;
  if (drawing.icicle === icicle) return;
  Object.assign(drawing, { icicle, top: 0 });
  view.back.hidden = true;
  redraw(drawing, view.budget);
  paint(drawing);
  notify("view");
}

/** Redraws the tree and keeps a node at its place on the screen. */
function redrawAround(view, node) {
  const { drawing } = view;
  const before = drawing.plan?.places.get(node);
  redraw(drawing, view.budget);
  const after = drawing.plan.places.get(node);
  if (before && after && !drawing.icicle) {
    drawing.area.scrollTop += (after.y - before.y) * drawing.zoom;
    drawing.area.scrollLeft += (after.x - before.x) * drawing.zoom;
  }
  paint(drawing);
}

/** Makes a node the one that Tab moves to. */
function rove(view, node) {
  const { drawing } = view;
  const old = drawing.drawn.get(drawing.focus);
  old?.group.setAttribute("tabindex", -1);
  drawing.focus = node;
  drawing.drawn.get(node)?.group.setAttribute("tabindex", 0);
}

/** Moves the focus to a visible node and scrolls to it. */
function focusNode(view, node) {
  rove(view, node);
  showNode(view, node);
  view.drawing.drawn.get(node)?.group.focus({ preventScroll: true });
}

/** Scrolls the area to a visible node. */
function showNode(view, node) {
  const { area, plan, zoom, icicle } = view.drawing;
  const place = plan.places.get(node);
  if (!place || icicle) return;
  const [x, y] = [(place.x + MARGIN) * zoom, (place.y + MARGIN - BOX.answer) * zoom];
  const before = [area.scrollLeft, area.scrollTop];
  const [wide, high] = [(BOX.width + 24) * zoom, (place.height + BOX.answer) * zoom];
  if (x < area.scrollLeft) area.scrollLeft = x - 12;
  else if (x + wide > area.scrollLeft + area.clientWidth) area.scrollLeft = x + wide - area.clientWidth + 12;
  if (y < area.scrollTop) area.scrollTop = y - 12;
  else if (y + high > area.scrollTop + area.clientHeight) area.scrollTop = y + high - area.clientHeight + 12;
  if (before[0] !== area.scrollLeft || before[1] !== area.scrollTop) paint(view.drawing);
}

/** Scrolls so that a node is vertically centred. */
function centreNode(view, node) {
  const { area, plan, zoom, icicle } = view.drawing;
  const place = plan.places.get(node);
  if (!place || icicle) return;
  area.scrollTop = (place.y + MARGIN + place.height / 2) * zoom - area.clientHeight / 2;
  showNode(view, node);
  paint(view.drawing);
}

/** Expands every node, or collapses all but the root. A tree that is then too large to read becomes an icicle. */
function openAll(view, open) {
  setIcicle(view, false);
  chosen.opened.clear();
  if (open) for (let node = 0; node < nodes.length; node += 1) if (nodes[node].children) chosen.opened.set(node, true);
  if (!open) for (const child of [0, ...below(0).children]) chosen.opened.set(child, child === 0);
  notify("open");
  if (!open || fitZoom(view.drawing) < FAR_TOO_LARGE) {
    fit(view);
    return;
  }
  view.drawing.zoom = Math.max(READABLE, fitZoom(view.drawing));
  redraw(view.drawing, view.budget);
  centreNode(view, nearestVisible(view.drawing, chosen.selected));
  paint(view.drawing);
}

function addKeys(view) {
  view.drawing.area.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const node = nodeOf(event.target);
    const action = node === null ? null : keyAction(view, event.key, node);
    if (!action) return;
    event.preventDefault();
    action();
  });
}

/** The action of a key at a node, or null; follows the ARIA tree pattern. */
function keyAction(view, key, node) {
  const { plan, open } = view.drawing;
  const place = plan.places.get(node);
  const at = plan.order.indexOf(node);
  const go = (to) => (to === undefined || to < 0 ? () => {} : () => focusNode(view, to));
  switch (key) {
    case "ArrowDown": return go(plan.order[at + 1]);
    case "ArrowUp": return go(plan.order[at - 1]);
    case "Home": return go(plan.order[0]);
    case "End": return go(plan.order[plan.order.length - 1]);
    case "ArrowLeft": return open.has(node) ? () => toggle(view, node) : go(place.parent);
    case "ArrowRight":
      if (!isInner(node)) return go(undefined);
      return open.has(node) ? go(place.children[0]) : () => toggle(view, node);
    case "Enter": return () => select(node);
    case " ": return isInner(node) ? () => toggle(view, node) : () => select(node);
    case "*": return () => openSiblings(place);
    default: return zoomKey(view, key, node);
  }
}

function openSiblings(place) {
  const parent = place.parent;
  const family = parent < 0 ? [place.node] : below(parent).children;
  for (const node of family) if (isInner(node)) chosen.opened.set(node, true);
  notify("open");
}

/** Zooming by keys keeps the focused node visible. */
function zoomKey(view, key, node) {
  const now = view.drawing.icicle ? SMALL : view.drawing.zoom;
  const zoom = { "+": 1.2 * now, "=": 1.2 * now, "-": now / 1.2, 0: 1 }[key];
  if (!zoom) return null;
  return () => {
    zoomTo(view, zoom);
    showNode(view, node);
  };
}

const ZOOM = { most: 2.5, filling: 1.3 }; // at most, and at most to fill the area

const READABLE = NARROW ? 0.8 : 0.74; // the least zoom at first

const FAR_TOO_LARGE = 0.25; // a tree that fits only at a smaller zoom is easier to read as an icicle than to scroll

const FEWEST_NODES = 14; // at first, however small the area

const MOST_NODES = NARROW ? 14 : 26; // at first, however large the area

const TALLEST = 0.85; // of the window: the area of a tree whose root has many branches

/** Zooms around a point of the area, by default its middle; a tree too small to read becomes an icicle, and back. */
function zoomTo(view, zoom, point = null) {
  const { drawing } = view;
  if (drawing.icicle) {
    if (zoom <= SMALL) return;
    setIcicle(view, false);
  } else if (zoom < SMALL) {
    setIcicle(view, true);
    return;
  }
  const { area } = drawing;
  const at = point ?? [area.clientWidth / 2, area.clientHeight / 2];
  const old = drawing.zoom;
  const corner = [area.scrollLeft, area.scrollTop].map((s, i) => (s + at[i]) / old);
  drawing.zoom = Math.min(ZOOM.most, zoom);
  resize(drawing);
  area.scrollLeft = corner[0] * drawing.zoom - at[0];
  area.scrollTop = corner[1] * drawing.zoom - at[1];
  paint(drawing);
}

/** Zooms by a factor; out of the icicle to the focused node. */
function zoomBy(view, factor, point) {
  const { drawing } = view;
  const before = drawing.icicle;
  zoomTo(view, (before ? SMALL : drawing.zoom) * factor, point);
  if (!before || drawing.icicle) return;
  reveal([drawing.focus]);
  showNode(view, drawing.focus);
}

/** The zoom at which the whole tree is visible, if its nodes are as close together as possible. */
function fitZoom({ area, open }) {
  const plan = layout(open);
  const wide = area.clientWidth / (plan.width + 2 * MARGIN + 24);
  const high = area.clientHeight / (plan.height + 2 * MARGIN + 4);
  return Math.min(wide, high, ZOOM.filling);
}

/** Shows the whole tree, as large as possible; one that is too large to read as an icicle. */
function fit(view) {
  const { drawing } = view;
  if (drawing.icicle) {
    icicleFrom(view, 0);
    return;
  }
  const charts = shape.charts;
  if (fitZoom(drawing) < SMALL) shape.charts = false;
  const zoom = fitZoom(drawing);
  if (zoom < SMALL) {
    shape.charts = charts;
    setIcicle(view, true);
    return;
  }
  drawing.zoom = zoom;
  redraw(drawing, view.budget);
  centreNode(view, 0);
  paint(drawing);
}

/** The first view: as many nodes as fit at a readable size, at least the root and its children. */
function firstView(view) {
  const { drawing } = view;
  setIcicle(view, false);
  view.budget = MOST_NODES;
  redraw(drawing, view.budget);
  while (!NARROW && view.budget > FEWEST_NODES && fitZoom(drawing) < READABLE) {
    view.budget -= 2;
    redraw(drawing, view.budget);
  }
  shape.charts = !NARROW;
  shape.charts = shape.charts && (layout(drawing.open).height + 2 * MARGIN + 4) * READABLE <= drawing.area.clientHeight;
  if (!NARROW && below(0).children.length >= FEWEST_NODES && fitZoom(drawing) < READABLE) {
    drawing.area.style.height = `${TALLEST * innerHeight}px`;
    fit(view);
    return;
  }
  drawing.zoom = Math.max(READABLE, fitZoom(drawing));
  redraw(drawing, view.budget);
  centreNode(view, 0);
}

/** Scrolls to the path of a row, and zooms out if it does not fit. */
function showPath(view, path) {
  const { drawing } = view;
  if (drawing.icicle) return;
  const { area } = drawing;
  const ends = () => {
    const places = path.map((node) => drawing.plan.places.get(node)).filter(Boolean);
    return [minOf(places.map(({ x }) => x)), minOf(places.map(({ y }) => y - BOX.answer)),
      maxOf(places.map(({ x, width }) => x + width)), maxOf(places.map(({ y, height }) => y + height))];
  };
  let [left, top, right, bottom] = ends();
  const room = Math.min(area.clientWidth / (right - left + 2 * MARGIN), area.clientHeight / (bottom - top + 2 * MARGIN));
  if (room < drawing.zoom) {
    drawing.zoom = Math.max(NARROW ? 0.75 : SMALL, room);
    redraw(drawing, view.budget);
    [left, top, right, bottom] = ends();
  }
  area.scrollLeft = Math.max((left + right) / 2 * drawing.zoom, right * drawing.zoom - area.clientWidth / 2 + MARGIN) + MARGIN - area.clientWidth / 2; // at least the leaf
  area.scrollTop = ((top + bottom) / 2 + MARGIN) * drawing.zoom - area.clientHeight / 2;
  paint(drawing);
}

/** Zooms with Ctrl and the wheel (or a pinch on a touchpad), moves by dragging. */
function addZoomAndDrag(view) {
  const { area } = view.drawing;
  area.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const box = area.getBoundingClientRect();
    zoomBy(view, Math.exp(-event.deltaY / 300), [event.clientX - box.left, event.clientY - box.top]);
  }, { passive: false });
  addDragging(area);
}

function addDragging(area) {
  let start = null;
  area.addEventListener("pointerdown", (event) => {
    area.classList.remove("dragged");
    if (event.pointerType !== "mouse" || event.button !== 0) return;
    start = { x: event.clientX, y: event.clientY, left: area.scrollLeft, top: area.scrollTop };
  });
  addEventListener("pointermove", (event) => {
    if (!start) return;
    const [dx, dy] = [event.clientX - start.x, event.clientY - start.y];
    if (Math.hypot(dx, dy) < 5 && !area.classList.contains("dragged")) return;
    area.classList.add("dragging", "dragged");
    area.scrollLeft = start.left - dx;
    area.scrollTop = start.top - dy;
  });
  addEventListener("pointerup", () => {
    start = null;
    area.classList.remove("dragging");
  });
}
