// Composing a split: its thresholds or groups over the distribution of the column, and its price before it is made.

/**
 * Makes the composer of a split.
 * @param {Object} found the options of the column at the node, its distribution, and `own`, the split that the node has
 * @param {number} arity of the split to begin with, if the node has no split on this column
 */
function makeComposer(found, arity) {
  const { node, column, options, own } = found;
  const price = h("p", { class: "draft-price", role: "status" });
  const split = h("button", { type: "button", class: "primary", onclick: () => edit("split", { node, column, ...parts.read() }) }, isInner(node) ? "Split here instead" : "Split here");
  const parts = (found.edges ? makeCuts : makeGroups)(found, () => askPrice());
  const arities = h("select", { "aria-label": "Branches", onchange: () => begin(options.find((option) => option.arity === Number(arities.value))) },
    h("option", { value: "" }, "custom"), options.map((option) => h("option", { value: option.arity }, `best ${option.arity}-way`)));
  const askPrice = makePriceAsker(found, parts, price, split, arities);
  const begin = (option) => option && (parts.write(option), askPrice());
  begin(own ?? options.find((option) => option.arity === arity) ?? options[0]);
  return [
    parts.element,
    price,
    h("div", { class: "actions" }, split, arities,
      h("button", { type: "button", class: "quiet", title: `Never ask about ${facts.columns[column].name} below this node; nodes that do are grown again`, onclick: () => edit("ban", { node, column }) }, node === 0 ? "Ban this column" : "Ban it below")),
  ];
}

/** Returns a function that asks for the price of the draft: one request at a time, the latest draft last. */
function makePriceAsker({ node, column, options, own }, parts, place, button, arities) {
  let waiting = false;
  let again = false;
  const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
  const stated = ({ thresholds, groups, missing }) => (groups ? { groups } : { thresholds, missing: missing ?? null });
  return async function ask() {
    if (waiting) {
      again = true;
      return;
    }
    waiting = true;
    const draft = parts.read();
    const fitting = options.find((option) => same(stated(option), stated(draft)));
    arities.value = fitting ? String(fitting.arity) : "";
    button.disabled = Boolean(own && same(stated(own), stated(draft)));
    button.title = button.disabled ? "The node has this split" : "";
    let answer = null;
    let refusal = null;
    try {
      answer = await call("price", { version: facts.version, node, column, ...draft }, live.inquiries.signal);
    } catch (error) {
      if (error instanceof Refusal && !error.isStale && error.status === 400) refusal = error.message;
      else await explain(error);
    }
    waiting = false;
    if (again) {
      again = false;
      ask();
      return;
    }
    button.disabled ||= refusal !== null;
    put(place, refusal ?? (answer ? draftPrice(answer) : null));
    place.classList.toggle("refused", refusal !== null);
  };
}

/** "gain 0.335, 0.042 less than the best 3-way split; training error 32.7 %" */
function draftPrice({ arity, gain, forgone, error }) {
  const whole = gain + forgone;
  return [
    h("span", { class: "price-bar", "aria-hidden": true }, h("span", { style: { "--length": `${whole > 0 ? (100 * gain / whole).toFixed(1) : 0}%` } })),
    "Gain ", h("b", null, target.formatGain(gain)),
    forgone > 1e-9 * whole ? [", ", h("span", { class: "forgone" }, `${target.formatGain(forgone)} forgone`), ` against the best ${arity}-way split`] : `, as large as any ${arity}-way split`,
    `; ${facts.numbers ? "training loss" : "training error"} `, h("b", null, formatError(error)),
    error === facts.figures.error ? null : ` (now ${formatError(facts.figures.error)})`, ".",
  ];
}
