// Confusions: which classes the shown tree takes for which.

const MANY_CLASSES = 12;

/** Weights by true class and predicted class of the shown tree. */
function confusions(leaves, key) {
  const matrix = facts.classes.map(() => new Array(facts.classes.length).fill(0));
  for (const leaf of leaves) {
    nodes[leaf][key].forEach((c, truth) => {
      matrix[truth][nodes[leaf].label] += c;
    });
  }
  return matrix;
}

function makeConfusionSection() {
  const place = h("div", { class: "columns" });
  const show = () => {
    const leaves = leavesBelow(0);
    put(place, confusionOf(leaves, "counts", "Training rows"), hasTest ? confusionOf(leaves, "test", "Test rows") : null);
  };
  onSoon(show);
  show();
  const note = facts.classes.length > MANY_CLASSES ? null : h("p", { class: "note" }, "Rows: what they are. Columns: what the tree says.");
  return section("confusion", ["Confusions", shownSize()], note, place);
}

function confusionOf(leaves, key, title) {
  const matrix = confusions(leaves, key);
  const whole = total(matrix.flat()) || 1;
  const wrong = whole - total(matrix.map((row, i) => row[i]));
  const said = `${title}: ${count(wrong)} of ${count(whole)} wrong, ${percent(wrong / whole)}`;
  const table = facts.classes.length > MANY_CLASSES ? confusionList(matrix, title) : confusionTable(matrix, title);
  return h("div", { id: `confusion-${key}` }, h("h3", { style: { "margin-top": 0 } }, said), table);
}

function confusionTable(matrix, title) {
  const head = facts.classes.map((name, i) => h("th", { scope: "col", title: name }, classBadge(i), h("br"), shortName(i, 14)));
  const body = matrix.map((row, truth) => {
    const sum = total(row) || 1;
    return h("tr", null, h("th", { scope: "row", title: facts.classes[truth] }, shortName(truth, 22), " ", classBadge(truth)),
      row.map((c, said) => h("td", {
        class: c === 0 ? null : truth === said ? "right" : "wrong",
        title: `${facts.classes[truth]} taken for ${facts.classes[said]}: ${count(c)}, ${percent(c / sum)} of its rows`,
        style: { "--depth": `${c === 0 ? 0 : (40 + 60 * Math.sqrt(c / sum)).toFixed(0)}%` },
      }, count(c))));
  });
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": `Confusion matrix: ${title}` },
    h("table", { class: "matrix" }, h("thead", null, h("tr", null, h("td"), head)), h("tbody", null, body)));
}

/** A class's name; for the ear alone where its badge says it already. */
function shortName(i, length) {
  return h("span", { class: SHORT_NAMES ? "hidden-text" : null }, shorten(facts.classes[i], length));
}

/** With many classes: the largest confusions, in words. */
function confusionList(matrix, title) {
  const pairs = [];
  matrix.forEach((row, truth) => row.forEach((c, said) => {
    if (c > 0 && truth !== said) pairs.push([c, truth, said, total(row)]);
  }));
  pairs.sort((a, b) => b[0] - a[0]);
  if (pairs.length === 0) return h("p", null, "Nothing is taken for something else.");
  const rows = pairs.slice(0, 20).map(([c, truth, said, whole]) => [classLabel(truth), classLabel(said), count(c), percent(c / whole)]);
  return plainTable(`Largest confusions: ${title}`, ["These", "are taken for", ROWS, "of all these"], rows, { words: [1] });
}
