// What both games share: the rules, the board, the curve with its bounds, the verdict and the moves.

/**
 * The page of a game.
 * @param {string} part "weight" or "branching"
 * @param {Object} words `title`, `about` (paragraphs) and `roles` (names of the roles)
 * @param {function(Object, function(number)): Node} turnForm the form of the student's turn
 */
function gamePage(part, words, turnForm) {
  const game = room[part];
  return [
    section(`${part}-rules`, words.title, h("div", { class: "columns" }, words.about.map((text) => h("p", null, text))), newGame(part, game, words)),
    h("div", { class: "game-grid" }, boardSection(part, game, turnForm), curveSection(part, game)),
  ];
}

/** The form of a new game. The strategies depend on the role. */
function newGame(part, game, words) {
  const sides = room.choices[part];
  const strategies = h("div", { class: "contents-only" });
  const showStrategies = (role, chosen) => put(strategies, selectField(
    role === "adversary" ? "The library's strategy" : "The adversary", "opponent",
    Object.entries(sides[role]).map(([name, text]) => [name, `${name}: ${text}`]), chosen));
  const roles = selectField("You are", "role", Object.entries(words.roles), game.role);
  roles.querySelector("select").addEventListener("change", (event) => showStrategies(event.target.value, null));
  showStrategies(game.role, game.opponent);
  const send = (fields) => {
    document.querySelector(".new-game").open = false;
    act(`${part}_begin`, {
      role: fields.get("role"), opponent: fields.get("opponent"), gamma: Number(fields.get("gamma")), s: Number(fields.get("s")), seed: Number(fields.get("seed")),
    }, "#board-title");
  };
  const rules = `You are ${words.roles[game.role].split(",")[0]} against ${game.opponent} · γ = ${game.gamma} · s = ${game.s}`;
  return h("details", { class: "new-game" }, h("summary", null, h("span", null, rules), h("span", { class: "change" }, "New game")),
    sendForm({ class: "fields" }, send, roles, strategies,
      inputField("γ, what a binary split removes", "gamma", { type: "number", min: 0.01, max: 0.5, step: 0.01, value: game.gamma, required: true }),
      inputField("s, the number of leaves", "s", { type: "number", min: 2, max: 128, value: game.s, required: true }),
      inputField("Random seed", "seed", { type: "number", min: 0, max: 2147483647, value: game.seed, required: true }),
      h("button", { type: "submit", class: "primary" }, "Begin")));
}

function boardSection(part, game, turnForm) {
  const board = h("div");
  const draw = (chosen) => put(board, icicle(game.nodes, { chosen, onPick: game.turn?.leaf === null ? choose : null }));
  let form = null;
  function choose(leaf) {
    draw(leaf);
    const radio = form?.querySelector(`input[name="leaf"][value="${leaf}"]`);
    if (radio && !radio.checked) {
      radio.checked = true;
      radio.dispatchEvent(new Event("change", { bubbles: true }));
    }
  }
  draw(game.turn?.leaf ?? null);
  form = game.finished ? null : turnForm(game, draw);
  const title = section("board", game.finished ? "The end" : `Move ${game.moves.length + 1}: ${formatNumber(game.size)} of ${formatNumber(game.s)} leaves`,
    h("p", { class: "note" }, "Each bar is a node, as wide as its weight; the leaves are numbered. What a split removes stays empty."),
    board, lastMove(game), form, game.finished ? endWords(game) : null, gameButtons(part, game));
  title.querySelector("h2").setAttribute("tabindex", "-1");
  return title;
}

/** What happened in the last move. */
function lastMove(game) {
  const move = game.moves.at(-1);
  if (!move) return null;
  const words = `Leaf ${move.leaf} got ${plural(move.branches, "child", "children")}; the tree lost ${formatNumber(move.removed)} of its weight.`;
  return h("p", { class: "last-move" }, words);
}

function gameButtons(part, game) {
  const focus = "#board-title";
  const say = () => `The weight is now ${three(room[part].weight)}, with ${plural(room[part].size, "leaf", "leaves")}.`;
  return h("div", { class: "actions small" },
    actButton("Let the library move", `${part}_library`, {}, { focus, say, disabled: game.finished }),
    actButton("Let it play to the end", `${part}_library`, { to_end: true }, { focus, say, disabled: game.finished }),
    actButton("Undo", `${part}_undo`, {}, { focus, say, kind: "quiet", disabled: game.moves.length === 0 }));
}

function endWords(game) {
  const gap = game.weight - game.library_weight;
  const compared = Math.abs(gap) < 1e-9 ? "The library would have ended with the same weight in your place."
    : `In your place the library would have ended with ${formatNumber(game.library_weight)}.`;
  return h("p", { class: "verdict-line" }, "The tree ends with the weight ", h("b", null, formatNumber(game.weight)), `. ${compared}`);
}

/** The leaves as bars of weight to choose from, the heaviest first. */
function leafBars(game, onChange) {
  const leaves = game.nodes.filter((node) => node.leaf).sort((a, b) => b.weight - a.weight || a.id - b.id);
  const most = maxOf(leaves.map((leaf) => leaf.weight));
  return h("fieldset", { class: "leaf-bars" }, h("legend", null, "Choose a leaf"),
    leaves.map((leaf) => h("label", { class: leaf.heaviest ? "leaf-bar heaviest" : "leaf-bar" },
      h("input", { type: "radio", name: "leaf", value: leaf.id, required: true, checked: leaves.length === 1, onchange: () => onChange(leaf.id) }),
      h("span", { class: "leaf-name" }, `leaf ${leaf.id}`),
      valueBar(leaf.weight, most, leaf.heaviest ? "var(--accent)" : "var(--branch)"),
      h("span", { class: "value" }, formatNumber(leaf.weight)))));
}

function curveSection(part, game) {
  const { bounds, curve } = game;
  const line = (name, y, more) => ({ name, x: bounds.sizes, y, ...more });
  const chart = lineChart({
    title: "Weight of the tree", xLabel: "leaves", yLabel: "weight", height: 300, fromZero: true,
    series: [
      line("s⁻ᵞ", bounds.power, { colour: "var(--line-4)", dash: "2 3" }),
      line("e(s)", bounds.e, { colour: "var(--line-2)", dash: "7 4" }),
      line("φ(s)", bounds.phi, { colour: "var(--line-0)", dash: "" }),
      { name: "this game", x: curve.sizes, y: curve.weights, colour: "var(--line-1)", dash: "" },
    ],
  });
  const at = (values) => formatNumber(values.at(-1));
  const figures = figureList([["weight now", formatNumber(game.weight)], [`φ(${game.s})`, at(bounds.phi)], [`e(${game.s})`, at(bounds.e)], [`${game.s}⁻ᵞ`, at(bounds.power)]]);
  return section(`${part}-curve`, "The bounds", verdictWords(game), figures, chart, movesTable(game));
}

/** Which bound applies, and whether it was kept. */
function verdictWords(game) {
  const { name, reason, bound, kept, weight } = game.verdict;
  const value = formatNumber(bound);
  let result = `The theorem is about the end, at ${formatNumber(game.s)} leaves.`;
  if (name !== null && kept !== null) result = kept ? `The bound ${value} was kept: the weight is ${formatNumber(weight)}.` : `The bound ${value} was broken: the weight is ${formatNumber(weight)}.`;
  if (name === null) result = kept === null ? "" : `The weight ${formatNumber(weight)} is ${kept ? "not above" : "above"} φ(s) = ${value}.`;
  return h("div", { class: name === null ? "outcome stopped" : "outcome" },
    h("b", null, name === null ? "No theorem applies" : `${name} applies: at most ${value}`),
    h("span", { class: "note" }, reason), result ? h("span", { class: "note" }, result) : null);
}

function movesTable(game) {
  if (game.moves.length === 0) return null;
  const rows = game.moves.map((move, i) => [`${i + 1}${move.by_library ? " (library)" : ""}`, String(move.leaf), formatNumber(move.branches), formatNumber(move.removed), formatNumber(move.weight)]);
  return h("details", { class: "moves", open: game.moves.length <= 8 && innerWidth > 700 }, h("summary", null, plural(rows.length, "move")),
    plainTable("Moves", ["Move", "Leaf", "Branches", "Removed", "Weight"], rows));
}
