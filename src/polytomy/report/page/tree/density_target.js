// What the page of a density tree says instead of a target: shares of the rows, and densities.

/** The logarithm of a node's density; -Infinity if its box is empty and nothing was smoothed. */
function logDensity(node) {
  return thresholdNumber(nodes[node].log_density);
}

/** A density as text: three digits, with an exponent if it is long. */
function formatDensity(x) {
  const value = thresholdNumber(x);
  return formatTick(Number.isFinite(value) ? Number(value.toPrecision(3)) : value);
}

/** The density of a node as a multiple of the mean: "2.24 times the mean". */
function timesTheMean(node) {
  return `${formatDensity(nodes[node].relative)} times the mean`;
}

/** The colour of a node's density on the logarithmic scale from the lowest to the highest leaf. */
function densityColour(node) {
  return rampColour(positionOn(facts.densities, logDensity(node)));
}

/** The share of the rows as a bar. */
function shareBar(node, x, y, width) {
  return [
    svg("rect", { class: "gauge", x, y: y + 1, width, height: 8, rx: 3 }),
    svg("rect", { x, y: y + 1, width: Math.max(2, width * nodes[node].share).toFixed(2), height: 8, rx: 3, style: { fill: densityColour(node) } }),
  ];
}

/** The density of the boxes of a tree without a target; see `classTarget` for the members. */
const densityTarget = {
  doubt: "",
  weight: (node) => nodes[node].weight,
  testWeight: () => 0,
  name: (node) => `density ${formatDensity(nodes[node].density)}`,
  text: (node) => `${percent(nodes[node].share, 2)} of rows, density ${formatDensity(nodes[node].density)} (${timesTheMean(node)})`,

  legend() {
    const { low, high } = facts.densities;
    return high > low ? colourKey("densities", formatDensity(Math.exp(low)), formatDensity(Math.exp(high)), "density (log scale)") : null;
  },
  legendNote: () => "",

  errorText: (which, error) => `${which} log-density ${formatNumber(-error)}`,
  formatError: formatTick,
  formatErrorTick: formatTick,
  errorName: "negative log-density",
  errorAxis: "mean negative log-density",
  formatGain: formatNumber,
  gainNote: () => "nats of mean log-likelihood",

  summaryFigures() {
    const { summary } = facts;
    const figure = (name, rows, value) => (rows === undefined ? null : { name, value: formatNumber(thresholdNumber(value)), title: `of ${plural(rows, "row")}: the mean logarithm of their density` });
    return [
      { name: "Empty boxes", value: formatNumber(summary.empty), title: "Boxes without training rows" },
      figure("Training log-density", summary.train_rows, summary.train_log_density),
      figure("Test log-density", summary.test_rows, summary.test_log_density),
    ].filter(Boolean);
  },

  leafColumns: () => ({
    value: ["Density", logDensity],
    relative: ["Times the mean", (leaf) => thresholdNumber(nodes[leaf].relative)],
    share: ["Share of rows", (leaf) => nodes[leaf].share],
  }),
  leafCells: (leaf) => ({
    value: [swatch(densityColour(leaf)), formatDensity(nodes[leaf].density)],
    relative: formatDensity(nodes[leaf].relative),
    share: percent(nodes[leaf].share, 2),
  }),

  tip(node) {
    const lines = [["share of rows", percent(nodes[node].share, 2)], ["density", formatDensity(nodes[node].density)], ["times the mean", formatDensity(nodes[node].relative)]];
    return h("table", null, h("tbody", null, lines.map(([name, value]) => h("tr", null, h("td", null, name), h("td", null, value)))));
  },

  leafText: (node) => [
    svg("rect", { class: "swatch", x: 10, y: 6, width: 14, height: 15, rx: 4, style: { fill: densityColour(node) } }),
    leafLine(node, 29, formatDensity(nodes[node].density), NARROW ? "" : `${percent(nodes[node].share)} of rows`),
  ],
  bar: shareBar,
  tint: (node) => `color-mix(in oklab, ${densityColour(node)} 62%, var(--card))`,
  certainty: (node) => ` (${percent(nodes[node].share)} of rows)`,

  verdict: (node) => [swatch(densityColour(node)), h("b", null, formatDensity(nodes[node].density)), ` density, ${timesTheMean(node)}; ${percent(nodes[node].share, 2)} of rows, from ${rowsText(node)}`],

  /** The share and the density of the node and of its parent. */
  table(node) {
    const parent = parentOf(node);
    const row = (name, of) => [name, formatCount(nodes[of].weight), percent(nodes[of].share, 2), formatDensity(nodes[of].density)];
    const rows = [row("Node", node), ...(parent >= 0 ? [row("Parent", parent)] : [])];
    return plainTable("Density of this node", ["", facts.weighted ? "Weight" : "Rows", "Share", "Density"], rows);
  },

  outcome: (leaf) => [
    [swatch(densityColour(leaf)), h("span", { class: "value" }, `density ${formatDensity(nodes[leaf].density)}`)],
    `${timesTheMean(leaf)}, from ${rowsText(leaf)}. This holds inside the box; a row with a missing cell, a new category or a value beyond the range of training has another density. `,
  ],

  evaluation: null,
};
