// Names and categories: visible if they are blank, short but different, and broken at capitals and underscores.

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

/** Text cut to a number of characters, with an ellipsis in its middle if something is missing: names often differ at the end. */
function shortenMiddle(text, length) {
  const letters = Array.from(text);
  if (letters.length <= length) return text;
  const tail = (length - 1) >> 1;
  return withoutPart(letters, length - 1 - tail, tail);
}

/** The first and the last letters of a text, with an ellipsis between them. */
function withoutPart(letters, head, tail) {
  return `${letters.slice(0, head).join("")}…${tail > 0 ? letters.slice(-tail).join("") : ""}`;
}

/**
 * Shortens names so that different names stay different: those that would look alike lose another part than their middle,
 * and if that does not help, they get their positions.
 * @param {string[]} names
 * @param {function(string): string} shorten leaves out the middle of a name that is too long
 * @returns {string[]}
 */
function distinctNames(names, shorten) {
  const short = names.map(shorten);
  const alike = new Map();
  short.forEach((text, i) => alike.set(text, [...(alike.get(text) ?? []), i]));
  const taken = new Set(short);
  for (const [text, group] of alike) {
    if (new Set(group.map((i) => names[i])).size < 2) continue;
    const shown = toldApart(group.map((i) => names[i]), Array.from(text).length - 1, taken);
    group.forEach((i, k) => { short[i] = shown ? shown[k] : `${shortenMiddle(names[i], Math.max(3, Array.from(text).length - 4))}#${i + 1}`; });
  }
  return short;
}

/** Names with the same part left out of all of them that stay different, or null. */
function toldApart(names, length, taken) {
  const letters = names.map((name) => Array.from(name));
  const many = new Set(names).size;
  const heads = Array.from({ length: length + 1 }, (_, head) => head).sort((a, b) => Math.abs(a - length / 2) - Math.abs(b - length / 2));
  for (const head of heads) {
    const shown = letters.map((one) => withoutPart(one, head, length - head));
    if (new Set(shown).size === many && shown.every((text) => !taken.has(text))) return shown;
  }
  return null;
}

const SHORT_COLUMNS = new Map();

/** The name of a column in at most about this many characters, unlike that of any other column. */
function shortColumn(j, length = 60) {
  if (!SHORT_COLUMNS.has(length)) SHORT_COLUMNS.set(length, distinctNames(facts.columns.map(({ name }) => name), (name) => shortenMiddle(name, length)));
  return SHORT_COLUMNS.get(length)[j];
}

/** Text that may be broken before capitals and after underscores, slashes and dashes in words; for text with long words. */
function breakable(text) {
  const parts = String(text).split(/(?<=[_/])(?=[^\s_/])|(?<=\p{L}-)(?=\p{L})|(?<=\p{Ll}|\p{Nd})(?=\p{Lu})/u);
  return parts.flatMap((part, i) => (i === 0 ? [part] : [h("wbr"), part]));
}
