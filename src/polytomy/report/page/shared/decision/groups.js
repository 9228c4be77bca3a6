// The error rates of groups of rows: of the model's own predictions, or at the threshold of the section on decisions.

/** Shows the groups at a threshold of a class; set by the section on groups, if there is one. */
let showGroupsAt = () => {};

function groupsSection() {
  const { name, rows, groups, classes } = facts.groups;
  const place = h("div");
  const said = h("p", { class: "rows-line", id: "groups-by", role: "status" });
  const choice = choiceOfClass("groups-class", classes, (i) => choose(i));
  const choose = (i) => {
    put(said, "The model’s own predictions.");
    put(place, groupTable(classes[i], null));
  };
  choose(0);
  showGroupsAt = (curve, at) => {
    const i = classes.findIndex((one) => one.class === curve.class && one.at);
    if (i < 0) return;
    if (choice) choice.querySelector("select").value = i;
    if (at === curve.own) {
      choose(i);
      return;
    }
    const { at: known } = classes[i];
    const nearest = known.reduce((best, one, j) => (Math.abs(one - at) < Math.abs(known[best] - at) ? j : best), 0);
    put(said, `At the threshold of the section `, h("a", { href: "#decision" }, "Decisions"), `: ${thresholdText(curve, known[nearest])}.`);
    put(place, groupTable(classes[i], nearest));
  };
  const hidden = groups.some((one) => one.unseen)
    ? h("p", { class: "note" }, "Groups marked “unseen” had no rows in training.") : null;
  return section("groups", `Groups by ${shorten(name.trim() === "" ? NO_NAME : name, 60)}`,
    rowsLine(rows, total(groups.map((one) => one.rows))),
    choice, said, place,
    h("p", { class: "note" }, "The rates have Wilson's 95 % interval for each group by itself: of many groups, some differ by chance. "
      + "The line in each drawing is the rate of all rows."), hidden);
}

/** The rates of each group at one of its thresholds, in the form of those of the model's own predictions. */
function ratesAt(one, j) {
  const { groups } = facts.groups;
  const of = (part, all, n) => (all > 0 ? [part / all, ...wilsonInterval(part / all, n), n] : null);
  const rates = groups.map((group, g) => {
    const [positives, negatives] = [one.right[g][one.right[g].length - 1], one.wrong[g][one.wrong[g].length - 1]];
    const all = positives + negatives;
    const [right, wrong] = [one.right[g][j], one.wrong[g][j]];
    const per = all > 0 ? group.rows / all : 0; // rows for a unit of weight
    return {
      error: of(wrong + positives - right, all, all * per), selected: of(right + wrong, all, all * per),
      false_positive: of(wrong, negatives, negatives * per), false_negative: of(positives - right, positives, positives * per),
    };
  });
  return Object.fromEntries(["error", "selected", "false_positive", "false_negative"].map((key) => [key, rates.map((rate) => rate[key])]));
}

/** Wilson's 95 % interval of a share of n rows. */
function wilsonInterval(share, n) {
  const z = 1.959963984540054;
  const middle = (share + (z * z) / (2 * n)) / (1 + (z * z) / n);
  const half = (z / (1 + (z * z) / n)) * Math.sqrt((share * (1 - share)) / n + (z * z) / (4 * n * n));
  return [Math.max(0, middle - half), Math.min(1, middle + half)];
}

function groupTable(one, at) {
  const { groups } = facts.groups;
  const rated = at === null ? { ...one, error: groups.map((group) => group.error) } : ratesAt(one, at);
  const name = shortenMiddle(className(one.class), 24);
  const columns = [
    ["Error", rated.error],
    [`Are ${name}`, one.base],
    [`Predicted ${name}`, rated.selected],
    ["False positives", rated.false_positive],
    ["False negatives", rated.false_negative],
  ];
  const head = ["Group", facts.decision?.weighted ? "Weight" : "Rows", ...columns.map(([title]) => title)];
  const most = columns.map(([, rates]) => Math.min(1, maxOf(rates.filter(Boolean).map((rate) => rate[2])) || 1));
  const overall = columns.map(([, rates]) => overallRate(rates));
  const body = groups.map((group, i) => h("tr", null,
    h("th", { scope: "row" }, visibleGroup(group)),
    h("td", { dataset: { label: head[1] } }, formatCount(group.weight)),
    columns.map(([title, rates], c) => h("td", { dataset: { label: title }, title: rates[i] ? `${plural(rates[i][3], "row")}` : "no rows" },
      whisker(rates[i], most[c], overall[c]), h("div", null, rateText(rates[i]))))));
  const all = h("tr", { class: "all-rows" }, h("th", { scope: "row" }, "All rows"),
    h("td", { dataset: { label: head[1] } }, formatCount(total(groups.map((group) => group.weight)))),
    overall.map((rate, c) => h("td", { dataset: { label: columns[c][0] } }, percent(rate))));
  return scrollArea("Error rates of groups", h("table", { class: "groups stacked" },
    h("thead", null, h("tr", null, head.map((cell) => h("th", { scope: "col" }, cell)))), h("tbody", null, body), h("tfoot", null, all)), { tall: true });
}

function visibleGroup(group) {
  const name = group.name.trim() === "" ? visibleName(group.name) : group.name;
  return group.unseen ? [name, " ", h("span", { class: "pill warm" }, "unseen")] : name;
}

/** The rate of all rows together; each rate counts as often as it has rows. */
function overallRate(rates) {
  const known = rates.filter(Boolean);
  return total(known.map((rate) => rate[0] * rate[3])) / total(known.map((rate) => rate[3]));
}
