// Names and categories that cannot be seen, or look like something else, get words that can.

const NO_NAME = "(no name)";
const MISSING = "(missing)";
const ANOTHER = "(another value)";

/** A category as it is shown: of blanks alone, or like one of the words for other cells, in quotes. */
function shownName(name) {
  return name.trim() === "" || name === MISSING || name === ANOTHER ? `“${name}”` : name;
}

/** A sentence about a column without a name, as one about a column called so. */
function withName(words, name) {
  if (words.startsWith(`${name} `)) return NO_NAME + words.slice(name.length);
  return words.replace(` < ${name} <`, ` < ${NO_NAME} <`);
}

/** Gives columns without a name one that can be read, wherever the facts speak of them. */
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
  for (const name of blank.values()) { // of deep trees a list: "columns: a 9, b 6"
    facts.members = facts.members?.map((line) => line.replace(`columns: ${name} `, `columns: ${NO_NAME} `).replace(`, ${name} `, `, ${NO_NAME} `));
  }
  for (const one of facts.scores?.functions ?? []) {
    const name = blank.get(one.column);
    if (name !== undefined) one.words = one.words.map((words) => withName(words, name));
  }
}

nameColumns();
