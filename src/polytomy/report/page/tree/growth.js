// Growth: replaying the steps that grew the tree, and the chart of the run with its bound.

/** Controls that show the tree after each step; null if the steps are not known. */
function makeReplay() {
  const order = growthOrder();
  if (!order) return null;
  let timer = null;
  const status = h("output", { for: "step" });
  const slider = h("input", { type: "range", id: "step", min: 0, max: order.length, value: 0, oninput: () => { stop(); showSteps(order, Number(slider.value)); } });
  const button = h("button", { type: "button", onclick: () => (timer ? stop() : play()) }, "Play");
  function stop() {
    clearInterval(timer);
    timer = null;
    button.textContent = "Play";
  }
  function play() {
    let n = chosen.steps === null || chosen.steps >= order.length ? 0 : chosen.steps;
    button.textContent = "Pause";
    showSteps(order, n);
    timer = setInterval(() => {
      n += 1;
      if (n > order.length) stop();
      else showSteps(order, n);
    }, Math.max(60, Math.min(700, 12000 / order.length)));
  }
  on("tree", () => {
    if (chosen.steps === null) {
      stop();
      status.textContent = "";
      return;
    }
    slider.value = chosen.steps;
    status.textContent = stepText(order, chosen.steps);
    slider.setAttribute("aria-valuetext", status.textContent);
  });
  slider.setAttribute("aria-valuetext", stepText(order, 0));
  const element = h("div", { class: "sizing", id: "replay", hidden: true },
    h("div", null, h("div", { class: "line" }, h("label", { for: "step" }, "Growth steps"), status), slider),
    h("div", { class: "group" }, button));
  element.start = () => (matchMedia("(prefers-reduced-motion: reduce)").matches ? showSteps(order, 0) : play());
  return element;
}

/** Why the growth of the tree cannot be replayed, in one line. */
function noReplayNote() {
  const reason = facts.edits ? "it was edited by hand"
    : facts.origin && !facts.summary?.pruned_by ? "it was not grown step by step"
    : facts.densities ? "the steps of density trees are not recorded"
    : "branches were merged or moved after it was grown";
  return h("p", { class: "note", id: "no-replay" }, `The growth of this tree cannot be replayed: ${reason}.`);
}

/** The button that replays the growth from its beginning, and shows the controls of the replay. */
function replayButton(replay) {
  const button = h("button", { type: "button", "aria-expanded": false, "aria-controls": "replay", onclick: toggleReplay }, "Watch it grow");
  function toggleReplay() {
    replay.hidden = !replay.hidden;
    button.setAttribute("aria-expanded", String(!replay.hidden));
    if (!replay.hidden) replay.start();
    else if (chosen.steps !== null) showSize(path.sizes.length - 1);
  }
  return button;
}

function stepText(order, n) {
  const leaves = 1 + total(order.slice(0, n).map((node) => nodes[node].children.length - 1));
  const last = n > 0 ? `, last split on ${shortenMiddle(nodes[order[n - 1]].asks, 40)}` : "";
  return `${plural(n, "step")}: ${plural(leaves, "leaf", "leaves")}${last}`;
}

/** The names of the indices of numbers, which are errors themselves. */
const GROWTH_INDEX = { squared_error: "mean squared error", poisson: "mean half deviance" };

/** The index and error of the growing tree, with the bound. */
function makeGrowth() {
  const { growth } = facts;
  if (!growth || growth.leaves.length < 2) return null;
  const name = growth.error ? `index ${growth.index_name}` : GROWTH_INDEX[growth.index_name];
  const series = [{ name, x: growth.leaves, y: growth.index }];
  if (growth.error) series.push({ name: "training error", x: growth.leaves, y: growth.error });
  if (growth.bound) series.push({ name: growth.bound_label, x: growth.leaves, y: growth.bound });
  const note = growth.bound_holds ? null : h("p", { class: "note" }, "No theorem covers this run, so the bound is not guaranteed.");
  return h("div", null, lineChart({ title: growth.title, series, xLabel: "leaves", yLabel: growth.error ? "index and error" : name, formatY: growth.error ? formatNumber : formatTick, logX: growth.leaves.length > 60 }), growth.bound ? note : null);
}
