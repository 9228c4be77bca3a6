// Groups of categories: each category of the node has the number of its branch.

const MISSING_CODE = -1;

/** Makes the list of the categories with their branches; like `makeCuts`. */
function makeGroups(found, onchange) {
  const branch = new Map(); // of each code
  const rows = found.codes.map((code, i) => ({ code, name: visibleName(found.names[i]), counts: found.counts[i], mean: found.means?.[i] }));
  if (found.missing > 0) rows.push({ code: MISSING_CODE, name: MISSING, counts: [found.missing] });
  const hasOthers = found.others > 0;
  const place = h("div", { class: "groups" });
  const unlisted = new Map(); // the branches of categories that are not listed, as suggested
  let others = null; // or the branch of all of them
  const most = maxOf(rows.map(({ counts }) => total(counts))) || 1;
  const nBranches = () => 1 + maxOf([0, ...branch.values(), ...(others === null ? unlisted.values() : [others])]);
  const choice = (value, label, choose, first = null) => h("select", { "aria-label": label, onchange: (event) => { choose(event.target.value === "" ? null : Number(event.target.value)); show(); onchange(); } },
    first ? h("option", { value: "", selected: value === null }, first) : null,
    Array.from({ length: Math.min(nBranches() + 1, rows.length + 1) }, (_, i) => h("option", { value: i, selected: i === value }, `branch ${i + 1}`)));
  const show = () => {
    const at = place.contains(document.activeElement) ? [...place.querySelectorAll("select")].indexOf(document.activeElement) : -1;
    put(place, h("table", null, h("tbody", null,
      rows.map(({ code, name, counts, mean }) => h("tr", null,
        h("th", { scope: "row", title: name }, name), h("td", { class: "track", "aria-hidden": true }, groupBar(counts, mean, most)),
        h("td", null, formatCount(total(counts))), h("td", null, choice(branch.get(code) ?? 0, `Branch of ${name}`, (value) => branch.set(code, value))))),
      hasOthers ? h("tr", null, h("th", { scope: "row" }, `${plural(found.others, "other category", "other categories")}`), h("td"), h("td"), h("td", null, choice(others, "Branch of the other categories", (value) => { others = value; }, "as suggested"))) : null)));
    if (at >= 0) place.querySelectorAll("select")[at]?.focus();
  };
  return {
    element: place,
    read() {
      const groups = Array.from({ length: nBranches() }, () => []);
      for (const { code } of rows) groups[branch.get(code) ?? 0].push(code);
      if (others === null) for (const [code, i] of unlisted) groups[i].push(code);
      const filled = groups.map((group) => group.sort((a, b) => (a === MISSING_CODE) - (b === MISSING_CODE) || a - b));
      return hasOthers ? { groups: filled, others: others ?? 0 } : { groups: filled };
    },
    write({ groups }) {
      branch.clear();
      unlisted.clear();
      others = null;
      const listed = new Set(rows.map(({ code }) => code));
      groups.forEach((codes, i) => codes.forEach((code) => (listed.has(code) ? branch : unlisted).set(code, i)));
      show();
    },
  };
}

/** The rows of a category: stacked by class, or in the colour of their mean. */
function groupBar(counts, mean, most) {
  const whole = total(counts);
  const parts = counts.length > MOST_STACKS || counts.length === 1 ? [[whole, mean === undefined || mean === null ? "var(--accent)" : meanColour(mean)]] : counts.map((count, k) => [count, classColour(k)]);
  return h("span", { class: "stack", style: { "--length": `${((100 * whole) / most).toFixed(1)}%` } },
    parts.filter(([count]) => count > 0).map(([count, colour]) => h("span", { style: { "flex-grow": String(count), background: colour } })));
}
