// What the page says about numbers: means, deviations, and predictions beside what the rows have.

/** A mean with its interval: "199,000 [186,000, 212,000]". */
function meanWithin({ expected, interval }) {
  return `${formatValue(expected)} [${interval.map(formatValue).join(", ")}]`;
}

/** The test rows of a node: weight, mean, and the sums of the squared and absolute errors of the expected mean. */
function testOf(node) {
  const [weight, mean, squared, absolute] = nodes[node].test;
  return { weight, mean, squared, absolute };
}

/** The training rows of a node in the same form; `absolute` is undefined if it is not known. */
function trainingOf(node) {
  const { weight, mean, deviation, expected, absolute } = nodes[node];
  return { weight, mean, squared: weight * (deviation ** 2 + (mean - expected) ** 2), absolute };
}

/** The standard deviation of the rows of a node, given in this form. */
function deviationOf({ weight, mean, squared }, node) {
  return weight > 0 ? Math.sqrt(Math.max(0, squared / weight - (mean - nodes[node].expected) ** 2)) : 0;
}

/** The key of the colours. */
function meanScale() {
  if (!(numbers.high > numbers.low)) return null;
  return colourKey("means", formatValue(numbers.low), formatValue(numbers.high), `mean${facts.target ? ` of ${shorten(facts.target, 40)}` : ""}`);
}

/** The key of a scale of colours, from the text of its lowest to that of its highest value. */
function colourKey(what, low, high, name) {
  return h("div", { class: "mean-scale", role: "img", "aria-label": `Colours: ${what} from ${low} to ${high}` },
    h("span", null, low), h("span", { class: "ramp" }), h("span", null, high), h("span", { class: "muted" }, name));
}

/** The target if it is a number; see `classTarget` for the members. */
const numberTarget = {
  doubt: "The expected and the training mean are at least a fifth of the target's standard deviation apart",
  weight: (node) => nodes[node].weight,
  testWeight: (node) => nodes[node].test[0],
  name: (node) => `mean ${formatValue(nodes[node].expected)}`,

  /** "mean 199,000 [186,000, 212,000] expected, 198,000 in training" */
  text(node) {
    const text = `mean ${meanWithin(nodes[node])}`;
    return isForecast ? `${text} expected, ${formatValue(nodes[node].mean)} in training` : text;
  },

  legend: meanScale,
  legendNote: () => "A leaf shows the mean to expect of new rows, with its bar and 95 % interval between the lowest and the highest leaf"
    + `${NARROW ? "" : ", and beside them the mean of its training rows"}.`,

  errorText: (which, error) => `${which} mean squared error ${formatSquared(error)}`,
  formatError: formatTick,
  formatErrorTick: formatTick,
  errorName: "mean squared error",
  errorAxis: "mean squared error",
  formatGain: (gain) => percent(gain / facts.growth.index[0]),
  gainNote: () => `of the ${facts.growth.index_name === "poisson" ? "deviance" : "squared error"} of all rows`,

  summaryFigures() {
    const { summary } = facts;
    const r2 = (value) => (value === undefined ? "–" : signed(value.toFixed(3)));
    const about = (rows, error) => `of ${plural(rows, "row")}: the fraction of their variance that is explained. Mean squared error ${formatSquared(error)}`;
    const figures = [{ name: "Training R²", value: r2(summary.train_r2), title: about(summary.train_rows, summary.train_error) }];
    if (!hasTest) return figures;
    return [
      ...figures,
      { name: testName("Test R²"), value: r2(summary.test_r2), title: about(summary.test_rows, summary.test_error) },
      { name: testName("Test root mean squared error"), value: formatValue(Math.sqrt(summary.test_error)) },
    ];
  },

  leafColumns: () => ({
    value: [isForecast ? "Expected mean [95 %]" : "Mean [95 %]", (leaf) => nodes[leaf].expected],
    training: ["Training mean", (leaf) => nodes[leaf].mean],
    deviation: ["Deviation", (leaf) => nodes[leaf].deviation],
    test: ["Test mean", (leaf) => (testOf(leaf).weight > 0 ? testOf(leaf).mean : -Infinity)],
  }),
  leafCells: (leaf) => ({
    value: [meanSwatch(leaf), meanWithin(nodes[leaf])],
    training: formatValue(nodes[leaf].mean),
    deviation: formatValue(nodes[leaf].deviation),
    test: hasTest && testOf(leaf).weight > 0 ? formatValue(testOf(leaf).mean) : "–",
  }),

  tip(node) {
    const { mean, deviation, expected } = nodes[node];
    const lines = [...(isForecast ? [["expected mean", expected]] : []), [isForecast ? "training mean" : "mean", mean], ["standard deviation", deviation]];
    return h("table", null, h("tbody", null, lines.map(([name, value]) => h("tr", null, h("td", null, name), h("td", null, formatValue(value))))));
  },

  leafText(node) {
    const rows = NARROW || isForecast ? "" : plural(nodes[node].weight, "row");
    return [
      svg("rect", { class: "swatch", x: 10, y: 6, width: 14, height: 15, rx: 4, style: { fill: meanColour(nodes[node].expected) } }),
      leafLine(node, 29, formatValue(nodes[node].expected), `${nodes[node].doubtful ? "! " : ""}${rows}`),
    ];
  },

  bar(node, x, y, width) {
    if (isInner(node) || !isForecast || NARROW) return meanBar(node, x, y, width);
    return [meanBar(node, x, y, Math.max(20, width - 6 - 6.1 * longestTraining())), barText(trainingMean(node))];
  },
  tint: (node) => `color-mix(in oklab, ${meanColour(nodes[node].expected)} 62%, var(--card))`,
  certainty: (node) => ` (${rowsText(node)})`,

  verdict(node) {
    const { expected, mean, interval } = nodes[node];
    const within = h("span", { class: "muted nowrap" }, `95 % interval ${interval.map(formatValue).join(" to ")}`);
    const value = [meanSwatch(node), h("b", null, formatValue(expected))];
    if (!isForecast) return [value, ` mean of ${rowsText(node)}, `, within];
    return [value, " mean to expect of new rows, ", within, `; in training ${formatValue(mean)} of ${rowsText(node)}`];
  },

  /** The mean and deviation at the node, at its parent and of its test rows. */
  table(node) {
    const parent = parentOf(node);
    const row = (name, rows, of) => [name, formatCount(rows.weight), rows.weight > 0 ? formatValue(rows.mean) : "–",
      rows.weight > 0 ? formatValue(deviationOf(rows, of)) : "–"];
    const rows = [row("Node", trainingOf(node), node)];
    if (parent >= 0) rows.push(row("Parent", trainingOf(parent), parent));
    if (hasTest) rows.push(row("Test rows", testOf(node), node));
    return plainTable("Numbers at this node", ["", facts.weighted ? "Weight" : "Rows", "Mean", "Deviation"], rows);
  },

  /** The bars of a distribution in the colours of their means, and the means as a line. */
  distribution: (spread) => ({
    stacks: [{ name: facts.weighted ? "weight" : "rows", values: spread.here, colours: spread.means.map((mean) => (mean === null ? "none" : meanColour(mean))) }],
    line: { name: `mean${facts.target ? ` of ${facts.target}` : ""}`, values: spread.means, format: formatValue },
  }),

  outcome(leaf) {
    const { expected, mean, interval } = nodes[leaf];
    const from = isForecast ? `; in training ${formatValue(mean)}, the mean of ${rowsText(leaf)}` : `, from ${rowsText(leaf)}`;
    return [[meanSwatch(leaf), h("span", { class: "value" }, formatValue(expected))], `95 % interval of the mean ${interval.map(formatValue).join(" to ")}${from}. `];
  },

  evaluation: {
    id: "evaluation",
    title: "Predicted and actual",
    note: () => h("p", { class: "note" }, "Each dot is a leaf: the mean it predicts, and the mean that its rows have. Its area shows how many rows these are, "
      + "the bar two standard errors of their mean. On the line, both are equal."),
    parts(leaves) {
      return [
        leafOutcomes(leaves, trainingOf, "Training rows", "evaluation-training"),
        hasTest ? leafOutcomes(leaves, testOf, "Test rows", "evaluation-test") : null,
      ];
    },
  },
};

/** The errors of the current tree on rows, and their means by leaf; `rowsOf` is `trainingOf` or `testOf`. */
function leafOutcomes(leaves, rowsOf, title, id) {
  const held = leaves.map((leaf) => ({ leaf, ...rowsOf(leaf) }));
  const sum = (key) => total(held.map((rows) => rows[key]));
  const weight = sum("weight") || 1;
  const all = rowsOf(0);
  const variance = deviationOf(all, 0) ** 2;
  const error = sum("squared") / weight;
  const errors = {
    error,
    r2: variance > 0 ? 1 - error / variance : undefined,
    absolute: all.absolute === undefined ? undefined : sum("absolute") / weight,
  };
  const points = held.filter((rows) => rows.weight > 0).map((rows) => ({
    x: nodes[rows.leaf].expected,
    y: rows.mean,
    size: rows.weight,
    reach: (2 * deviationOf(rows, rows.leaf)) / Math.sqrt(rows.weight),
    name: ruleOf(rows.leaf),
  }));
  return predictedAndActual(title, id, errors, { title: "Mean of each leaf", points });
}

/** The mean of a leaf's training rows: "198,000 of 107". */
function trainingMean(node) {
  return `${formatValue(nodes[node].mean)} of ${formatCount(nodes[node].weight)}`;
}

let longest = null;

/** The length of the longest of these texts: all bars have the same length, so that they can be compared. */
function longestTraining() {
  longest ??= maxOf(nodes.map((_, node) => trainingMean(node).length));
  return longest;
}

/** A small square in the colour of a node's mean. */
function meanSwatch(node) {
  return swatch(meanColour(nodes[node].expected));
}

/** A small square in a colour. */
function swatch(colour) {
  return h("span", { class: "badge swatch", "aria-hidden": true, style: { background: colour } });
}

/** The mean as a bar between the lowest and the highest leaf; the interval of a leaf's mean as a line. */
function meanBar(node, x, y, width) {
  const { expected, interval } = nodes[node];
  const at = (mean) => x + width * positionOf(mean);
  return [
    svg("rect", { class: "gauge", x, y: y + 1, width, height: 8, rx: 3 }),
    svg("rect", { x, y: y + 1, width: Math.max(2, at(expected) - x).toFixed(2), height: 8, rx: 3, style: { fill: meanColour(expected) } }),
    isInner(node) ? null : svg("line", { class: "whisker", x1: at(interval[0]).toFixed(2), x2: at(interval[1]).toFixed(2), y1: y + 5, y2: y + 5 }),
  ];
}
