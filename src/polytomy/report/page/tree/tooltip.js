// The tooltip of a node: its class counts or mean, shown on hover and on focus.

/** Shows tooltips for the nodes of a drawing. */
function addTooltips(drawing) {
  const tip = h("div", { class: "tip", role: "tooltip", id: "node-tip", hidden: true });
  document.body.append(tip);
  const { area } = drawing;
  const hide = () => {
    tip.hidden = true;
    area.querySelector("[aria-describedby]")?.removeAttribute("aria-describedby");
  };
  const show = (event) => {
    const group = event.target.closest?.("[data-node]");
    hide();
    if (!group || (event.type === "focusin" && !group.matches(":focus-visible"))) return;
    put(tip, tipOf(Number(group.dataset.node)));
    tip.hidden = false;
    group.setAttribute("aria-describedby", "node-tip");
    placeTip(tip, group.querySelector(".box").getBoundingClientRect());
  };
  area.addEventListener("pointerover", (event) => event.pointerType !== "touch" && show(event));
  area.addEventListener("pointerleave", hide);
  area.addEventListener("focusin", show);
  area.addEventListener("focusout", hide);
  area.addEventListener("scroll", hide, { passive: true });
  addEventListener("keydown", (event) => event.key === "Escape" && hide());
}

function placeTip(tip, box) {
  const { width, height } = tip.getBoundingClientRect();
  const room = document.documentElement.clientWidth - width - 12;
  const under = box.bottom + 8 + height < innerHeight;
  tip.style.left = `${Math.max(12, Math.min(box.left, room))}px`;
  tip.style.top = `${under ? box.bottom + 8 : Math.max(8, box.top - height - 8)}px`;
}

function tipOf(node) {
  return [
    h("b", null, nodes[node].answer ?? "All rows"),
    h("div", null, `${rowsText(node)}, ${isInner(node) ? `split on ${nodes[node].asks}` : "leaf"}`),
    target.tip(node),
  ];
}
