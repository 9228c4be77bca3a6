// The drawing of the tree. Only nodes in or near the visible part are in the document.

const MARGIN = 24;
const AHEAD = 300; // pixels drawn beyond the visible part
const SMALL = NARROW ? 0.3 : 0.5; // below this zoom, text is too small to read: the whole tree is then drawn as an icicle

/** Makes the drawing of the tree; `area` is the element it scrolls in. */
function makeDrawing(area) {
  const edges = svg("g", { "aria-hidden": true });
  const boxes = svg("g", { role: "presentation" });
  const inside = svg("g", { role: "presentation", transform: `translate(${MARGIN} ${MARGIN})` }, edges, boxes);
  const root = svg("svg", { role: "tree", "aria-label": "Decision tree", "aria-multiselectable": false }, inside);
  area.append(root);
  const drawing = { area, root, edges, boxes, inside, zoom: 1, drawn: new Map(), open: new Set(), plan: null, focus: 0, all: false, icicle: false, top: 0 };
  area.addEventListener("scroll", () => paintSoon(drawing), { passive: true });
  new ResizeObserver(() => paintSoon(drawing)).observe(area);
  addEventListener("beforeprint", () => drawEverything(drawing, true));
  addEventListener("afterprint", () => drawEverything(drawing, false));
  return drawing;
}

function paintSoon(drawing) {
  drawing.frame ??= requestAnimationFrame(() => {
    drawing.frame = null;
    paint(drawing);
  });
}

function drawEverything(drawing, all) {
  drawing.all = all;
  paint(drawing);
}

/** Computes a new layout that fills the area; `paint` then shows it. */
function redraw(drawing, budget) {
  const { clientWidth, clientHeight } = drawing.area;
  if (drawing.icicle) {
    if (!isInTree(drawing.top) || !isInner(drawing.top)) drawing.top = 0;
    drawing.plan = icicleLayout(drawing.top, clientWidth, clientHeight);
    drawing.open = new Set(drawing.plan.order.filter(isInner));
  } else {
    drawing.open = openNodes(budget);
    const beside = 2 * MARGIN + 24; // also the number of hidden leaves at the right
    drawing.plan = layout(drawing.open, { width: clientWidth / drawing.zoom - beside, height: clientHeight / drawing.zoom - 2 * MARGIN - 4 });
  }
  if (!drawing.plan.places.has(drawing.focus)) drawing.focus = nearestVisible(drawing, drawing.focus);
  resize(drawing);
}

function nearestVisible(drawing, node) {
  let here = isInTree(node) ? ownerOf(node) : nearestInTree(node);
  while (here >= 0 && !drawing.plan.places.has(here)) here = parentOf(here);
  return here < 0 ? drawing.plan.order[0] : here;
}

/** Sets the size of the drawing at the current zoom. */
function resize(drawing) {
  const { plan, root, inside, icicle } = drawing;
  const zoom = icicle ? 1 : drawing.zoom;
  const margin = icicle ? ICICLE.margin : MARGIN;
  const [width, height] = [plan.width + 2 * margin + (icicle ? 0 : 20), plan.height + 2 * margin];
  inside.setAttribute("transform", `translate(${margin} ${margin})`);
  root.setAttribute("viewBox", `0 0 ${width} ${height}`);
  root.setAttribute("width", Math.round(width * zoom));
  root.setAttribute("height", Math.round(height * zoom));
}

/** The visible part of the layout, with a margin. */
function windowOf({ area, root, zoom, all, icicle }) {
  if (all || icicle) return { left: -Infinity, right: Infinity, top: -Infinity, bottom: Infinity };
  const a = area.getBoundingClientRect();
  const r = root.getBoundingClientRect();
  const left = (a.left - r.left - AHEAD) / zoom - MARGIN;
  const top = (a.top - r.top - AHEAD) / zoom - MARGIN;
  return { left, top, right: left + (a.width + 2 * AHEAD) / zoom, bottom: top + (a.height + 2 * AHEAD) / zoom };
}

/** Adds visible nodes to the document and removes the others. */
function paint(drawing) {
  const { plan, drawn, boxes } = drawing;
  if (!plan) return;
  const view = windowOf(drawing);
  const wanted = plan.order.filter((node) => inView(plan.places.get(node), view) || node === drawing.focus);
  const keep = new Set(wanted);
  for (const [node, one] of drawn) {
    if (!keep.has(node)) {
      one.group.remove();
      drawn.delete(node);
    }
  }
  const groups = wanted.map((node) => updated(drawing, plan.places.get(node)));
  groups.forEach((group, i) => {
    if (boxes.children[i] !== group) boxes.insertBefore(group, boxes.children[i] ?? null);
  });
  paintEdges(drawing, view);
}

function inView(place, view) {
  return place.y + place.height >= view.top && place.y - BOX.answer <= view.bottom
    && place.x + place.width >= view.left && place.x <= view.right;
}

/** The up-to-date group of a node; redrawn only if its appearance has changed. */
function updated(drawing, place) {
  const { node, depth, parent, children } = place;
  const { drawn, open, plan } = drawing;
  const inner = isInner(node);
  const hidden = inner && (drawing.icicle ? children.length === 0 : !open.has(node)) ? leavesBelow(node).length : 0;
  const appearance = appearanceOf(place, open, hidden, drawing.icicle);
  let one = drawn.get(node);
  if (!one || one.appearance !== appearance) {
    const group = drawing.icicle ? drawCell(node, place) : drawBox(node, open.has(node), hidden);
    const hadFocus = one && document.activeElement === one.group;
    one?.group.replaceWith(group);
    one = { group, appearance };
    drawn.set(node, one);
    group.setAttribute("aria-label", accessibleName(node, hidden));
    if (inner) group.setAttribute("aria-expanded", String(children.length > 0));
    if (hadFocus) group.focus({ preventScroll: true });
  }
  const family = parent < 0 ? [node] : plan.places.get(parent).children;
  const { group } = one;
  group.setAttribute("transform", `translate(${place.x.toFixed(1)} ${place.y.toFixed(2)})`);
  group.setAttribute("aria-level", depth + 1);
  group.setAttribute("aria-setsize", family.length);
  group.setAttribute("aria-posinset", family.indexOf(node) + 1);
  const selected = ownerOf(chosen.selected) === node;
  group.setAttribute("aria-selected", String(selected));
  group.setAttribute("tabindex", drawing.focus === node ? 0 : -1);
  group.classList.toggle("selected", selected);
  group.classList.toggle("on-path", chosen.path.has(node));
  group.classList.toggle("found", chosen.found.has(node));
  return group;
}

/** The branches; their width grows with the square root of their share of the rows. */
function paintEdges({ plan, edges, zoom, icicle }, view) {
  if (icicle) {
    edges.replaceChildren();
    return;
  }
  const whole = target.weight(0) || 1;
  const drawn = [];
  for (const node of plan.order) {
    const to = plan.places.get(node);
    const from = plan.places.get(to.parent);
    if (!from || Math.max(from.y + from.height, to.y + to.height) < view.top || Math.min(from.y, to.y) > view.bottom) continue;
    if (to.x < view.left || from.x > view.right) continue;
    const [x0, x1] = [from.x + BOX.width, to.x];
    const [y0, y1] = [from, to].map((place) => (place.y + place.height / 2).toFixed(1));
    const middle = (x0 + x1) / 2 + 6;
    const wide = Math.max(1.2, 0.6 / zoom, 18 * Math.sqrt(target.weight(node) / whole));
    drawn.push(svg("path", {
      class: chosen.path.has(node) ? "edge on-path" : "edge",
      d: `M${x0} ${y0}C${middle} ${y0} ${middle} ${y1} ${x1} ${y1}`,
      "stroke-width": wide.toFixed(1),
    }));
  }
  drawn.sort((a, b) => a.classList.contains("on-path") - b.classList.contains("on-path"));
  edges.replaceChildren(...drawn);
}
