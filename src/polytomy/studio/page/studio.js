// The page of the studio: header, the tree with its panel, its leaves and its certificate.

function makeLiveCertificate() {
  const place = h("div");
  const show = () => {
    const { in_short: conclusion, figures = [], generalization = [] } = facts.certificate;
    const table = (title, label, head, rows) => (rows.length === 0 ? null
      : h("div", null, h("h3", null, title), plainTable(label, ["", "Value", head], rows, { words: [2], class: "named stacked" })));
    put(place, conclusion ? h("p", null, capitalized(conclusion)) : null,
      h("div", { class: "columns" },
        table("Training rows", "Values of the certificate", "Meaning", figures),
        table("New rows", "Bounds for new rows", "Assumptions", generalization)),
      certificateText());
  };
  on("state", show);
  show();
  return section("certificate", "Certificate", place);
}

function studioPage() {
  cutToSize(0);
  makeHeader();
  const panel = makeTabs([
    { id: "node", name: () => "Node", element: makeNodeTab() },
    { id: "constraints", name: () => "Constraints", element: makeConstraintsTab() },
    { id: "edits", name: () => `Edits (${formatNumber(facts.log.length)})`, element: makeEditsTab() },
  ]);
  const tree = makeTreeSection(null, null, panel);
  const main = document.getElementById("main");
  put(main, tree.element, makeLeavesSection(() => live.view), makeLiveCertificate());
  main.after(h("footer", { class: "foot" }, `Served by polytomy ${facts.library} on this machine. Nothing leaves it.`));
  live.view = tree.start();
  startHeartbeat();
}

studioPage();
