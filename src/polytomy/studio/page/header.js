// The header: the figures of the tree with the change by the last edit, undo, files, and the held-out error.

/** A training or held-out error as text: a share, or the mean loss of numbers. */
function formatError(error) {
  return facts.numbers ? formatSquared(error) : percent(error);
}

/** The figures: name, value, what it means, and a function of its text. */
const FIGURES = [
  { key: "leaves", name: "Leaves", text: formatNumber },
  { key: "questions", name: "Questions per row", text: (x) => x.toFixed(2), title: "Mean number of splits that a training row passes" },
  { key: "error", name: facts.numbers ? "Training loss" : "Training error", text: formatError, lowIsGood: true },
  { key: "cost", name: "Training cost", text: formatNumber, title: "Mean cost of a training row", lowIsGood: true },
  { key: "index", name: "Index I(T)", text: formatNumber, title: "Impurity of the leaves, divided by the weight of all rows", lowIsGood: true },
  { key: "bound", name: "Certified bound on I(T)", text: formatNumber, title: "I(T) is at most this: what the certificate guarantees", lowIsGood: true },
];

function makeHeader() {
  const figures = h("dl", { class: "figures live" });
  const price = h("p", { class: "price", role: "status", "aria-live": "polite" });
  const undo = h("button", { type: "button", title: "Undo (Ctrl+Z)", onclick: () => change("undo") }, "Undo");
  const redo = h("button", { type: "button", title: "Redo (Ctrl+Shift+Z)", onclick: () => change("redo") }, "Redo");
  const show = () => {
    put(figures, FIGURES.filter(({ key }) => key in facts.figures).map(figureOf), heldOutFigure());
    put(price, live.done ? priceText(live.done) : null);
    undo.disabled = !facts.can_undo;
    redo.disabled = !facts.can_redo;
    if (facts.autosave_error) showNotice(capitalized(facts.autosave_error));
  };
  on("state", show);
  show();
  addUndoKeys();
  put(document.getElementById("top"),
    h("div", { class: "title-row" }, h("h1", null, facts.title),
      h("div", { class: "tools" }, h("div", { class: "group", role: "group", "aria-label": "History" }, undo, redo), fileButtons(), themeButton())),
    h("div", { class: "scoreboard" }, figures, price),
    notice.lost, notice.element);
}

function figureOf({ key, name, text, title, lowIsGood }) {
  const { [key]: value } = facts.figures;
  const before = live.done?.before[key];
  const moved = before !== undefined && text(before) !== text(value);
  const isBetter = moved && lowIsGood && value < before;
  return h("div", { title }, h("dt", null, name),
    h("dd", null, text(value), moved ? h("span", { class: isBetter ? "delta better" : lowIsGood ? "delta worse" : "delta" }, ` from ${text(before)}`) : null));
}

/** The held-out error is kept back until it is asked for: choosing trees by it makes it too small. */
function heldOutFigure() {
  const { rows, asked, error } = facts.held_out;
  if (rows === 0) return null;
  const times = asked === 0 ? "not asked yet" : `asked ${asked === 1 ? "once" : `${formatNumber(asked)} times`}`;
  const value = error === null
    ? h("button", { type: "button", id: "held-out", onclick: () => change("held_out"), title: "Every tree chosen by this error makes it less honest, so the page counts how often you ask" }, "Ask")
    : formatError(error);
  return h("div", { class: "held-out" }, h("dt", null, `${facts.numbers ? "Held-out loss" : "Held-out error"} of ${plural(rows, "row")}`),
    h("dd", null, value, h("span", { class: "delta", id: "held-out-asked" }, ` ${times}`)));
}

/** "split node 0: ...: gain forgone 0.07" */
function priceText({ text, forgone }) {
  const cost = forgone > 0 ? `gain forgone ${formatNumber(forgone)}` : "no gain forgone";
  return [h("b", null, capitalized(text)), ` · ${cost}`];
}

function addUndoKeys() {
  addEventListener("keydown", (event) => {
    const key = event.key.toLowerCase();
    const isText = event.target.closest?.("input, textarea, select");
    if (!(event.ctrlKey || event.metaKey) || isText || (key !== "z" && key !== "y")) return;
    event.preventDefault();
    const isRedo = key === "y" || event.shiftKey;
    if (isRedo ? facts.can_redo : facts.can_undo) change(isRedo ? "redo" : "undo");
  });
}
