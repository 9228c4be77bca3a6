// The error rates of groups of rows.

function groupsSection() {
  const { name, rows, groups, classes } = facts.groups;
  const place = h("div");
  const choose = (i) => put(place, groupTable(classes[i]));
  choose(0);
  const hidden = groups.some((one) => one.unseen)
    ? h("p", { class: "note" }, "Groups marked “unseen” had no rows in training.") : null;
  return section("groups", `Groups by ${shorten(name.trim() === "" ? NO_NAME : name, 60)}`,
    rowsLine(rows, total(groups.map((one) => one.rows))),
    choiceOfClass("groups-class", classes, choose), place,
    h("p", { class: "note" }, "The rates of the model's own predictions, with Wilson's 95 % interval for each group by itself: of many groups, some differ by chance. "
      + "The line in each drawing is the rate of all rows."), hidden);
}

function groupTable(one) {
  const { groups } = facts.groups;
  const [own] = sides(one.class);
  const name = shorten(own, 24);
  const columns = [
    ["Error", groups.map((group) => group.error)],
    [`Are ${name}`, one.base],
    [`Predicted ${name}`, one.selected],
    ["False positives", one.false_positive],
    ["False negatives", one.false_negative],
  ];
  const most = columns.map(([, rates]) => Math.min(1, maxOf(rates.filter(Boolean).map((rate) => rate[2])) || 1));
  const overall = columns.map(([, rates]) => overallRate(rates));
  const body = groups.map((group, i) => h("tr", null,
    h("th", { scope: "row" }, visibleGroup(group)),
    h("td", null, formatCount(group.weight)),
    columns.map(([, rates], c) => h("td", { title: rates[i] ? `${plural(rates[i][3], "row")}` : "no rows" },
      whisker(rates[i], most[c], overall[c]), h("div", null, rateText(rates[i]))))));
  const all = h("tr", { class: "all-rows" }, h("th", { scope: "row" }, "All rows"),
    h("td", null, formatCount(total(groups.map((group) => group.weight)))),
    overall.map((rate) => h("td", null, percent(rate))));
  const head = ["Group", facts.decision?.weighted ? "Weight" : "Rows", ...columns.map(([title]) => title)];
  return scrollArea("Error rates of groups", h("table", { class: "groups" },
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
