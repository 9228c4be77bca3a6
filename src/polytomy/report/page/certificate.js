// The certificate in plain words, and the importances.

function makeCertificateSection() {
  const { certificate } = facts;
  if (!certificate) return null;
  const { covered, theorem, why_not: why, figures = [], generalization = [] } = certificate;
  return section("certificate", "Certificate",
    h("p", { class: "verdict-line" },
      h("span", { class: covered ? "pill" : "pill warm" }, covered ? "Covered" : "Not covered"),
      covered ? `by ${theorem}` : why ?? theorem),
    certificate.in_short ? h("p", null, inShort(certificate.in_short, generalization.length > 0)) : null,
    h("div", { class: "columns" },
      figures.length > 0 ? h("div", null, h("h3", null, "Figures"), plainTable("Figures of the certificate", ["", "Value", "What it means"], figures, { words: [2], class: "named" })) : null,
      generalization.length > 0 ? h("div", null, h("h3", null, "For new rows"), plainTable("Bounds for new rows", ["", "Value", "What it assumes"], generalization, { words: [2], class: "named" })) : null),
    h("details", null, h("summary", null, "The certificate in full"), h("pre", { tabindex: 0 }, certificate.text)));
}

/** The certificate's sentence; where it points at a method, the page has a table. */
function inShort(text, hasTable) {
  return capital(text).replace("For new rows see certificate.generalization().", hasTable ? "What holds for new rows is in the table “For new rows”." : "").trim();
}

function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function makeImportances() {
  const bars = facts.columns.map(({ name, importance }) => ({ name, value: importance }))
    .filter(({ value }) => value > 0).sort((a, b) => b.value - a.value);
  if (bars.length === 0) return null;
  const silent = facts.columns.length - bars.length;
  return section("importances", "Importances",
    h("div", { class: "columns" }, barChart({ title: "Share of the tree's gain by column", bars, valueSay: (x) => percent(x), show: 20 })),
    silent > 0 ? h("p", { class: "note" }, `The tree does not ask about ${plural(silent, "other column")}.`) : null);
}
