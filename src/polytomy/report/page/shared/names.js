// Names and categories that are blank, or look like a missing cell, get a visible form.

const NO_NAME = "(no name)";
const MISSING = "(missing)";
const ANOTHER = "(another value)";

/** A category as text: in quotes if it is blank or equals one of the texts for other cells. */
function visibleName(name) {
  return name.trim() === "" || name === MISSING || name === ANOTHER ? `“${name}”` : name;
}

/** A condition on a column without a name, with a visible name instead. */
function withName(words, name) {
  if (words.startsWith(`${name} `)) return NO_NAME + words.slice(name.length);
  return words.replace(` < ${name} <`, ` < ${NO_NAME} <`);
}

/** Gives columns without a name a visible one in all facts that mention them. */
function nameColumns() {
  const blank = new Map();
  (facts.columns ?? []).forEach((column, j) => {
    if (column.name.trim() !== "") return;
    blank.set(j, column.name);
    column.name = NO_NAME;
  });
  if (blank.size === 0) return;
  const about = (node) => (node && !node.own ? blank.get(node.column) : undefined);
  for (const node of facts.nodes ?? []) {
    const name = about(facts.nodes[node.parent]);
    if (name !== undefined) for (const key of ["answer", "known"]) if (node[key]) node[key] = withName(node[key], name);
  }
  for (const node of facts.nodes ?? []) if (about(node) !== undefined) node.asks = NO_NAME;
  for (const one of facts.scores?.functions ?? []) {
    const name = blank.get(one.column);
    if (name !== undefined) one.words = one.words.map((words) => withName(words, name));
  }
}

nameColumns();
