// Hatano's Weight Distribution Game.

const WEIGHT_WORDS = {
  title: "The Weight Distribution Game",
  about: [
    "A tree starts as one leaf of weight 1. In each turn the player picks a leaf, and the adversary gives it k children, k = 2 or k ≤ s/leaves. The children get 1 − γ⌈log₂ k⌉ of the leaf's weight, shared as the adversary likes.",
    "When the tree has s leaves, the game ends. The player wants a small weight, because it bounds the training error; the adversary wants a large one. (Hatano 2004)",
  ],
  roles: { player: "the player, who picks leaves", adversary: "the adversary, who splits them" },
};

function weightPage() {
  return gamePage("weight", WEIGHT_WORDS, (game, draw) => (game.role === "player" ? playerForm(game, draw) : adversaryForm(game)));
}

function playerForm(game, draw) {
  return sendForm({ class: "turn" }, (fields) => act("weight_move", { leaf: Number(fields.get("leaf")) }, "#board-title", sayWeight),
    leafBars(game, draw),
    h("div", { class: "actions" }, h("button", { type: "submit", class: "primary" }, "Pick this leaf")));
}

function adversaryForm(game) {
  const arities = game.turn.arities.map(({ branches, removed }) => [String(branches), `${branches} children, together lose ${percent(removed, 0)}`]);
  const leaf = game.nodes[game.turn.leaf];
  const send = (fields) => {
    const text = fields.get("shares").trim();
    const given = { branches: Number(fields.get("branches")) };
    if (text) {
      given.shares = numbersIn(text);
      if (given.shares === null) return complain(`“${text}” is not a list of numbers. Write the shares of the children such as 3, 1.`);
    }
    return act("weight_move", given, "#board-title", sayWeight);
  };
  return sendForm({ class: "turn fields" }, send,
    h("p", { class: "wide" }, "The player picks ", h("b", null, `leaf ${leaf.id}`), ` of weight ${formatNumber(leaf.weight)}. How do you split it?`),
    selectField("Children", "branches", arities, "2"),
    inputField("Shares of the children", "shares", { placeholder: "equal, or such as 3, 1" }),
    h("button", { type: "submit", class: "primary" }, "Split the leaf"));
}

function sayWeight() {
  return `The weight is now ${three(room.weight.weight)}, with ${plural(room.weight.size, "leaf", "leaves")}.`;
}
