// Confusion matrices; with many classes, a list of the most frequent confusions.

const MANY_CLASSES = 12;
const MOST_CONFUSIONS = 20;

/** The sentence that explains a matrix; null if lists are shown instead. */
function confusionNote() {
  if (facts.classes.length > MANY_CLASSES) return null;
  return h("p", { class: "note" }, "Rows: actual class. Columns: predicted class.");
}

/**
 * A confusion matrix with its error rate.
 * @param {number[][]} matrix weights by actual and predicted class
 * @param {string} title such as "Training rows"
 * @param {string} id of the element
 */
function confusionMatrix(matrix, title, id) {
  const whole = total(matrix.flat()) || 1;
  const wrong = whole - total(matrix.map((row, i) => row[i]));
  const heading = `${title}: ${formatCount(wrong)} of ${formatCount(whole)} misclassified, ${percent(wrong / whole)}`;
  const table = facts.classes.length > MANY_CLASSES ? confusionList(matrix, title) : confusionTable(matrix, title);
  return h("div", { id }, h("h3", { style: { "margin-top": 0 } }, heading), table);
}

function confusionTable(matrix, title) {
  const head = facts.classes.map((_, i) => h("th", { scope: "col", title: className(i) }, classBadge(i), h("br"), shortName(i, 20)));
  const body = matrix.map((row, actual) => {
    const sum = total(row);
    return h("tr", null, h("th", { scope: "row", title: className(actual) }, shortName(actual, 28), " ", classBadge(actual)),
      row.map((c, predicted) => h("td", {
        class: c === 0 ? null : actual === predicted ? "right" : "wrong",
        title: `${className(actual)} predicted as ${className(predicted)}: ${formatCount(c)}, ${percent(c / (sum || 1))} of the class`,
        style: { "--depth": `${c === 0 ? 0 : (40 + 60 * Math.sqrt(c / sum)).toFixed(0)}%` },
      }, formatCount(c))),
      h("td", { class: "error" }, sum > 0 ? percent(1 - row[actual] / sum) : "–"));
  });
  return scrollArea(`Confusion matrix: ${title}`,
    h("table", { class: "matrix" },
      h("thead", null, h("tr", null, h("td"), head, h("th", { scope: "col" }, "error"))), h("tbody", null, body)));
}

/** A class's name, unlike that of any other class. */
function shortName(i, length) {
  const names = facts.classes.map((_, k) => className(k));
  return breakable(distinctNames(names, (name) => shortenMiddle(name, length))[i]);
}

function confusionList(matrix, title) {
  const pairs = [];
  matrix.forEach((row, actual) => row.forEach((c, predicted) => {
    if (c > 0 && actual !== predicted) pairs.push([c, actual, predicted, total(row)]);
  }));
  pairs.sort((a, b) => b[0] - a[0]);
  if (pairs.length === 0) return h("p", null, "No row is misclassified.");
  const rows = pairs.slice(0, MOST_CONFUSIONS).map(([c, actual, predicted, sum]) =>
    [classLabel(actual), classLabel(predicted), formatCount(c), percent(c / sum)]);
  const head = ["Actual", "Predicted", facts.weighted ? "Weight" : "Rows", "Share of the class"];
  return plainTable(`Most frequent confusions: ${title}`, head, rows, { words: [1] });
}

/** The section with the matrices of an ensemble, by the name of their rows. */
function confusionSection() {
  const matrices = Object.entries(facts.confusion).map(([which, matrix]) =>
    confusionMatrix(matrix, `${capitalized(which)} rows`, `confusion-${which}`));
  return section("confusion", "Confusion matrix", confusionNote(), h("div", { class: "columns" }, matrices));
}
