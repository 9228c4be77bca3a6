// Zooming and moving over the drawing. The area scrolls by itself; this adds dragging and zoom.

const ZOOM = { least: 0.25, most: 2.5 }; // the least, unless the whole of a large tree needs less

const FEWEST = 14; // nodes to open with, however small the area

/** Zooms and keeps a point of the area (its middle if none) where it is. */
function zoomTo(view, zoom, point = null) {
  const { drawing } = view;
  const { area } = drawing;
  const at = point ?? [area.clientWidth / 2, area.clientHeight / 2];
  const old = drawing.zoom;
  const corner = [area.scrollLeft, area.scrollTop].map((s, i) => (s + at[i]) / old);
  drawing.zoom = Math.min(ZOOM.most, Math.max(Math.min(ZOOM.least, fitZoom(drawing)), zoom));
  resize(drawing);
  area.scrollLeft = corner[0] * drawing.zoom - at[0];
  area.scrollTop = corner[1] * drawing.zoom - at[1];
  paint(drawing);
}

function zoomBy(view, factor, point) {
  zoomTo(view, view.drawing.zoom * factor, point);
}

/** The zoom at which the whole drawing can be seen. */
function fitZoom({ area, plan }) {
  const wide = area.clientWidth / (plan.width + 2 * MARGIN + 24);
  const high = area.clientHeight / (plan.height + 2 * MARGIN + 4);
  return Math.min(wide, high, 1.15);
}

function fit(view) {
  zoomTo(view, fitZoom(view.drawing));
  centreNode(view, 0);
}

/** A first look: as many nodes as fit while they stay readable, else the root and what hangs on it. */
function firstLook(view) {
  const { drawing } = view;
  const readable = NARROW ? 0.8 : 0.74;
  while (!NARROW && view.budget > FEWEST && fitZoom(drawing) < readable) {
    view.budget -= 2;
    redraw(drawing, view.budget);
  }
  zoomTo(view, Math.max(readable, Math.min(1, fitZoom(drawing))));
  centreNode(view, 0);
}

/** Zoom by wheel with Ctrl (a pinch on a touchpad), move by dragging. */
function addCamera(view) {
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
