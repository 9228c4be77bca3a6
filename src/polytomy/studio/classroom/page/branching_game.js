// Mansour and McAllester's branching game.

const BRANCHING_WORDS = {
  title: "The branching game",
  about: [
    "In each turn the adversary offers every leaf some splits. At least one of them is binary and removes γ of the leaf's weight: the weak tree-growth hypothesis. The learner takes a leaf and one of its splits, until the tree has s leaves.",
    "A split with more children may remove more, but it uses up the budget of leaves. How much more should it remove? The theorems say: about the logarithm of its number of children. (Mansour and McAllester 1999)",
  ],
  roles: { learner: "the learner, who takes splits", adversary: "the adversary, who offers them" },
};

function branchingPage() {
  return gamePage("branching", BRANCHING_WORDS, (game, draw) => (game.role === "learner" ? learnerForm(game, draw) : offersForm(game)));
}

function learnerForm(game, draw) {
  const start = game.size === 1 ? offerTable(game, 0) : h("p", { class: "note" }, "Choose a leaf to see what the adversary offers.");
  const options = h("div", { class: "options" }, start);
  const onLeaf = (leaf) => {
    draw(leaf);
    put(options, offerTable(game, leaf));
  };
  const send = (fields) => act("branching_move", { leaf: Number(fields.get("leaf")), option: Number(fields.get("option")) }, "#board-title", sayBranching);
  return sendForm({ class: "turn" }, send, h("div", { class: "turn-grid" }, leafBars(game, onLeaf), options),
    h("div", { class: "actions" }, h("button", { type: "submit", class: "primary" }, "Take this split")));
}

/** The splits that a leaf is offered, with what they remove, and that for each price. */
function offerTable(game, leaf) {
  const offers = game.turn.offers[leaf];
  const first = offers.findIndex((offer) => offer.fits);
  const rows = offers.map((offer, i) => [
    h("label", { class: "pick" },
      h("input", { type: "radio", name: "option", value: i, required: true, checked: i === first, disabled: !offer.fits }),
      plural(offer.branches, "child", "children"), offer.fits ? (offer.acceptable ? "" : h("span", { class: "muted" }, "k > s/leaves")) : h("span", { class: "muted" }, "too many")),
    percent(offer.removed, 1), percent(offer.log_price, 0), percent(offer.linear_price, 0),
  ]);
  return h("fieldset", null, h("legend", null, `Splits of leaf ${leaf}`),
    plainTable(`Splits of leaf ${leaf}`, ["Split", "Removes", "γ⌈log₂ k⌉", "γ(k − 1)"], rows, { class: "offers" }));
}

const MOST_OFFERS = 4;

function offersForm(game) {
  const leaf = game.nodes[game.turn.leaf];
  const list = h("div", { class: "offer-rows" });
  const add = () => {
    list.append(offerRow(game, list.children.length));
    more.disabled = list.children.length >= MOST_OFFERS;
    list.lastChild.querySelector("input").focus();
  };
  const more = h("button", { type: "button", onclick: add, disabled: game.turn.most < 3 }, "Add a split");
  const send = (fields) => {
    const offers = fields.getAll("branches").map((branches, i) => ({
      branches: Number(branches), removed: Number(fields.getAll("removed")[i]) / 100, shape: fields.getAll("shape")[i],
    }));
    return act("branching_move", { offers }, "#board-title", sayBranching);
  };
  return sendForm({ class: "turn" }, send,
    h("p", null, "The learner looks at ", h("b", null, `leaf ${leaf.id}`), ` of weight ${formatNumber(leaf.weight)}, the heaviest. You must offer equal halves that remove ${percent(game.gamma, 0)}. What else?`),
    list,
    h("div", { class: "actions" }, h("button", { type: "submit", class: "primary" }, "Offer"), more));
}

function offerRow(game, i) {
  const name = `Split ${i + 2}`;
  return h("fieldset", { class: "fields offer-row" }, h("legend", null, name),
    inputField("Children", "branches", { type: "number", min: 2, max: game.turn.most, value: Math.min(4, game.turn.most), required: true }),
    inputField("Removes, in %", "removed", { type: "number", min: 0, max: 100, step: "any", value: Math.round(200 * game.gamma), required: true }),
    selectField("The weight goes to", "shape", [["even", "all children equally"], ["one", "one child only"]], "even"));
}

function sayBranching() {
  return `The weight is now ${three(room.branching.weight)}, with ${plural(room.branching.size, "leaf", "leaves")}.`;
}
