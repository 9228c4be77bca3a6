// What a node could have asked: the menu of arities, and the rivals from other columns.

function optionsOf(node, known) {
  if (!known) return null;
  return [menuTable(known.menu ?? []), rivalsTable(node, known.rivals ?? [])];
}

/** The best question of each arity; the one that was taken is marked. */
function menuTable(menu) {
  if (menu.length === 0) return null;
  const head = ["Answers", "Gain", "Score"].map((name) => h("th", { scope: "col" }, name));
  const body = menu.map((option) => h("tbody", { class: option.chosen ? "chosen" : null },
    h("tr", null, h("th", { scope: "row" }, say(option.arity), option.chosen ? h("span", { class: "pill" }, "asked") : null),
      h("td", null, say(option.gain)), h("td", null, say(option.score))),
    h("tr", null, h("td", { class: "words question", colspan: 3, title: option.question }, columnWords(option), option.question))));
  return [
    h("h4", null, "The menu: the best question of each number of answers"),
    h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Menu of questions" },
      h("table", { class: "menu" }, h("thead", null, h("tr", null, head)), body)),
  ];
}

function columnWords({ column, question }) {
  const name = facts.columns[column]?.name;
  return name === undefined || question.includes(name) ? null : h("b", null, `${name} `);
}

function rivalsTable(node, rivals) {
  if (rivals.length === 0) return null;
  const own = nodes[node].gain;
  const rows = rivals.map((rival) => [
    h("span", { title: facts.columns[rival.column].name }, shorten(facts.columns[rival.column].name, 60)), say(rival.arity), say(rival.gain),
    own > 0 ? percent(rival.gain / own, 0) : "–",
  ]);
  return [
    h("h4", null, "What else it could have asked"),
    plainTable("Rivals", ["Column", "Answers", "Gain", "Of its own"], rows, { class: "rivals" }),
  ];
}
