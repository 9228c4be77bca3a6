// The keys of the tree, as the ARIA tree pattern has them.

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

/** What a key does at a node, or null. */
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
  tell("open");
}

/** Zooming by keys keeps the node that has the focus in sight. */
function zoomKey(view, key, node) {
  const now = view.drawing.zoom;
  const zoom = { "+": 1.2 * now, "=": 1.2 * now, "-": now / 1.2, 0: 1 }[key];
  if (!zoom) return null;
  return () => {
    zoomTo(view, zoom);
    showNode(view, node);
  };
}
