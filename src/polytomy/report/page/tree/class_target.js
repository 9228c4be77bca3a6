// What the page says about classes: shares, class bars, confusion matrices.

/** The class that a node predicts. */
function classOf(node) {
  return className(nodes[node].label);
}

/** The share of a node's class among its training rows; `share` of a node is that to expect of new rows, if learned. */
function trainingShare(node) {
  const { counts, label } = nodes[node];
  return counts[label] / (total(counts) || 1);
}

/** The share of a node's class among its test rows; 0 without test rows. */
function testShare(node) {
  const { test, label } = nodes[node];
  return test[label] / (total(test) || Infinity);
}

/** The target if it is a class. `numberTarget` has the same members. */
const classTarget = {
  doubt: "The expected and the training share are 20 or more points apart, or new rows favour another class",
  weight: (node) => total(nodes[node].counts),
  testWeight: (node) => total(nodes[node].test),

  /** The prediction of a node without its certainty, for headings. */
  name: classOf,

  /** A node's prediction: "USA 88 % [69–96]", and the training share if that is another: "expected, 92 % in training". */
  text(node) {
    const text = `${classBefore(nodes[node].label)} ${shareWithin(nodes[node].share, nodes[node].interval)}`;
    return isForecast ? `${text} expected, ${percent(trainingShare(node), 0)} in training` : text;
  },

  legend: classKey,
  legendNote: () => `A leaf shows the share of its class to expect of new rows; ${NARROW ? "its bar shows" : "beside its bar is that of"} its training rows.`,

  /** An error of "training" or "test" rows as text. */
  errorText: (which, error) => `${percent(error)} ${which} error`,
  formatError: (error) => percent(error),
  formatErrorTick: (error) => percent(error, error < 0.1 && error > 0 ? 1 : 0),
  errorName: "error",
  errorAxis: "error rate",
  formatGain: formatNumber,
  gainNote: () => `(index ${facts.growth?.index_name ?? facts.summary.index})`,

  summaryFigures() {
    const { summary } = facts;
    const figures = [{ name: "Training error", value: percent(summary.train_error), title: `of ${plural(summary.train_rows, "row")}` }];
    if (summary.train_cost !== undefined) figures.push({ name: "Training cost", value: formatNumber(summary.train_cost), title: "mean of a row" });
    if (summary.test_error === undefined) return figures;
    figures.push({ name: testName("Test error"), value: percent(summary.test_error), title: `of ${plural(summary.test_rows, "row")}` });
    if (summary.test_cost !== undefined) figures.push({ name: testName("Test cost"), value: formatNumber(summary.test_cost), title: "mean of a row" });
    return figures;
  },

  /** The columns of the table of leaves after the rule and the rows: key, heading, and the value to sort by. */
  leafColumns: () => ({
    prediction: ["Prediction", (leaf) => nodes[leaf].label],
    value: [isForecast ? "Expected [95 %]" : "Share [95 %]", (leaf) => nodes[leaf].share],
    training: ["Training", trainingShare],
    test: ["Test share", testShare],
  }),
  leafCells: (leaf) => ({
    prediction: classLabel(nodes[leaf].label),
    value: shareWithin(nodes[leaf].share, nodes[leaf].interval),
    training: percent(trainingShare(leaf), 0),
    test: hasTest && total(nodes[leaf].test) > 0 ? percent(testShare(leaf), 0) : "–",
  }),

  /** The lines of a tooltip. */
  tip(node) {
    const { counts } = nodes[node];
    const whole = total(counts) || 1;
    const heavy = counts.map((c, i) => [c, i]).filter(([c]) => c > 0).sort((a, b) => b[0] - a[0]);
    const rows = heavy.slice(0, 6).map(([c, i]) =>
      h("tr", null, h("td", null, classLabel(i)), h("td", null, formatCount(c)), h("td", null, percent(c / whole))));
    return [
      h("table", null, h("tbody", null, rows)),
      heavy.length > 6 ? h("div", null, `and ${plural(heavy.length - 6, "more class", "more classes")}`) : null,
    ];
  },

  /** The first line of a leaf's box: colour, name and certainty. */
  leafText(node) {
    const { label, share, counts, doubtful } = nodes[node];
    const rows = NARROW || isForecast ? "" : ` of ${formatCount(total(counts))}`;
    const text = `${percentNumber(share, 0)} %${doubtful ? " !" : ""}${rows}`;
    return [
      svg("rect", { x: 10, y: 7, width: 13, height: 13, rx: 3.5, style: { fill: classColour(label) } }),
      leafLine(node, 29, classOf(node), text),
    ];
  },

  /** The bar of a box: class shares; that of a leaf with the share of its class among the training rows after it. */
  bar(node, x, y, width) {
    if (isInner(node) || !isForecast || NARROW) return classBar(nodes[node].counts, x, y, width);
    const text = `${percentNumber(trainingShare(node), 0)} % of ${formatCount(total(nodes[node].counts))}`;
    return [classBar(nodes[node].counts, x, y, width - 6 - 6.1 * text.length), barText(text)];
  },

  /** The colour of a node in the icicle: that of its class, the larger the share, the stronger. */
  tint(node) {
    const chance = 1 / facts.classes.length;
    const strength = facts.classes.length > 1 ? Math.max(0, nodes[node].share - chance) / (1 - chance) : 1;
    return `color-mix(in oklab, ${classColour(nodes[node].label)} ${(8 + 52 * strength).toFixed(0)}%, var(--card))`;
  },

  /** What follows the name of a prediction in the icicle. */
  certainty: (node) => `${/\d$/.test(classOf(node)) ? ":" : ""} ${percent(nodes[node].share, 0)} of ${formatCount(total(nodes[node].counts))}`,

  verdict(node) {
    const { label, share, interval } = nodes[node];
    const within = h("span", { class: "muted nowrap" }, `95 % interval ${percentNumber(interval[0], 1)} to ${percent(interval[1])}`);
    if (!isForecast) return [classLabel(label, classBefore(label)), ` ${percent(share)} of ${rowsText(node)}, `, within];
    return [classLabel(label, classBefore(label)), ` ${percent(share)} expected of new rows, `, within, `; in training ${percent(trainingShare(node))} of ${rowsText(node)}`];
  },

  /** The class shares at the node (thick bars) and at its parent (thin bars). */
  table(node) {
    const { counts, test } = nodes[node];
    const parent = parentOf(node);
    const before = parent < 0 ? null : nodes[parent].counts;
    const order = counts.map((_, i) => i).filter((i) => counts[i] > 0 || before?.[i] > 0 || test?.[i] > 0)
      .sort((a, b) => counts[b] - counts[a]);
    const kept = order.slice(0, 12);
    const head = ["Class", "", "Node", before ? "Parent" : null, hasTest ? "Test rows" : null].filter((x) => x !== null);
    const rows = kept.map((i) => [
      classLabel(i), shareBars(i, counts, before), shareAndCount(counts, i),
      ...(before ? [percent(before[i] / (total(before) || 1), 0)] : []), ...(hasTest ? [shareAndCount(test, i)] : []),
    ]);
    const table = plainTable("Classes at this node", head, rows, { class: "shares" });
    for (const cell of table.querySelectorAll("td:nth-child(2)")) cell.className = "track";
    return [table, order.length > 12 ? h("p", { class: "note" }, `and ${order.length - 12} more classes`) : null];
  },

  /** The bars of a distribution: one for each class, if there are few. */
  distribution: (spread) => ({
    stacks: spread.by_class
      ? spread.by_class.map((values, i) => ({ name: className(i), values, colour: classColour(i) }))
      : [{ name: "node", values: spread.here, colour: "var(--accent)" }],
  }),

  /** The prediction for a row in a leaf. */
  outcome(leaf) {
    const { label, share, interval } = nodes[leaf];
    const from = isForecast ? `; in training ${percent(trainingShare(leaf))} of ${rowsText(leaf)}` : `, from ${rowsText(leaf)}`;
    return [[classLabel(label, classBefore(label)), ` ${percent(share)}`], `95 % interval ${percent(interval[0])} to ${percent(interval[1])}${from}. `];
  },

  /** The confusion matrices of the current tree. */
  evaluation: {
    id: "confusion",
    title: "Confusion matrix",
    note: confusionNote,
    parts(leaves) {
      return [
        confusionMatrix(confusions(leaves, "counts"), "Training rows", "confusion-training"),
        hasTest ? confusionMatrix(confusions(leaves, "test"), "Test rows", "confusion-test") : null,
      ];
    },
  },
};

/** The weights by actual and predicted class; `key` is "counts" or "test". */
function confusions(leaves, key) {
  const matrix = facts.classes.map(() => new Array(facts.classes.length).fill(0));
  for (const leaf of leaves) {
    nodes[leaf][key].forEach((c, actual) => {
      matrix[actual][nodes[leaf].label] += c;
    });
  }
  return matrix;
}

function shareBars(i, counts, before) {
  const bar = (values, name) => values[i] > 0 && h("span", { class: name, style: {
    "--length": `${((100 * values[i]) / (total(values) || 1)).toFixed(2)}%`, background: classColour(i) } });
  return h("span", { "aria-hidden": true }, bar(counts, "bar"), before ? bar(before, "bar before") : null);
}

function shareAndCount(counts, i) {
  const whole = total(counts);
  return h("span", { title: `${formatCount(counts[i])} of ${formatCount(whole)}` }, whole > 0 ? percent(counts[i] / whole, 0) : "–",
    h("span", { class: "muted" }, ` ${formatCount(counts[i])}`));
}

/** A stacked bar of class shares; parts that are wide enough show the name of their class, or how it begins. */
function classBar(counts, x, y, width) {
  return classParts(counts, x, width).map(({ i, from, wide }) => {
    const names = [className(i), classInitials(i)].filter((name) => name?.trim());
    const mark = names.find((name) => wide > 6 + 5.6 * Array.from(name).length);
    return [
      classRect(i, from, y, wide, 10),
      mark && svg("text", { class: "letter", x: (from + wide / 2).toFixed(1), y: y + 5.3, style: { fill: classInk(i) } }, mark),
    ];
  });
}

/** The start and width of each class's part of a bar, without parts too thin to see. */
function classParts(counts, x, width) {
  const whole = total(counts) || 1;
  let from = x;
  const parts = counts.map((c, i) => {
    const wide = (width * c) / whole;
    from += wide;
    return { i, from: from - wide, wide };
  });
  return parts.filter(({ wide }) => wide >= 0.3);
}

function classRect(i, x, y, wide, height) {
  return svg("rect", { x: x.toFixed(2), y, width: Math.max(0.5, wide - 0.8).toFixed(2), height, style: { fill: classColour(i) } });
}
