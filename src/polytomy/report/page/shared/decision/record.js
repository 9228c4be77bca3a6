// The record of the model: its data, column by column, and the model card.

const KIND_NAMES = { numbers: "numbers", times: "times", labels: "ordered labels", categories: "categories" };

function dataSection() {
  const { overview } = facts;
  const rows = overview.columns.map((column) => {
    const own = facts.columns[column.column];
    return [
      breakable(own.name), KIND_NAMES[own.kind], column.missing > 0 ? percent(column.missing) : "none",
      column.ends ? column.ends.map((end) => shorten(end, 24)).join(" · ") : column.distinct === undefined ? "–" : plural(column.distinct, "category", "categories"),
      column.labels ? sparkHistogram(column.labels, column.weights, column.new) : "–",
    ];
  });
  const rest = facts.columns.length - rows.length;
  const sampled = overview.sampled ? ` counted on ${formatNumber(overview.sampled)} evenly spaced rows of` : "";
  return section("data", "Data",
    h("p", { class: "note" }, `${plural(facts.columns.length, "column")}${sampled ? `,${sampled}` : " of"} ${plural(overview.n, `${overview.rows} row`)}. Numbers: lowest, middle and highest.`,
      overview.columns.some((column) => column.new) ? " Outlines: the other table." : ""),
    h("div", { class: "tall-table" }, scrollAreaOf(rows)),
    rest > 0 ? h("p", { class: "note" }, `and ${plural(rest, "column")} of less importance`) : null);
}

function scrollAreaOf(rows) {
  const head = ["Column", "Kind", "Missing", "Values", "Distribution"];
  const area = plainTable("Columns of the data", head, rows, { words: [1, 3, 4], class: "data-columns stacked" });
  area.classList.add("tall");
  return area;
}

/** What the model is, its fingerprints and parameters. */
function cardSection() {
  const { figures, changed, defaults, fingerprints } = facts.card;
  const list = (pairs, name) => h("dl", { class: name }, pairs.map(([term, value]) => [h("dt", null, term), h("dd", null, value)]));
  return section("card", "Model card",
    h("div", { class: "columns" },
      h("div", null, list([...figures, ...performance()], "card-list"), list(fingerprints, "card-list prints")),
      h("div", null,
        h("h3", { style: { "margin-top": 0 } }, "Parameters"),
        changed.length > 0 ? list(changed, "card-list code") : h("p", null, "All parameters have their defaults."),
        h("details", null, h("summary", null, `${plural(defaults.length, "parameter")} with default values`), list(defaults, "card-list code")))));
}

/** The main figures of the other sections. */
function performance() {
  const out = [];
  if (facts.decision) {
    const { rows, n, log_loss: loss, brier, classes } = facts.decision;
    out.push(["Judged on", `${plural(n, "row")} (${ROWS_OF[rows][0].toLowerCase()})`]);
    if (facts.classes.length === 2 && classes[0].auc) out.push(["Area under ROC", areaText(classes[0].auc)]);
    out.push(["Log loss", loss.toFixed(4)], ["Brier score", brier.toFixed(4)]);
  }
  if (facts.drift) out.push(["Stability index", stabilityText(facts.drift)]);
  return out;
}
