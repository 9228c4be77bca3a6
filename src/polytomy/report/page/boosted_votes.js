// How stumps vote: a score for each cell, added up. The same sums, bit for bit, as in Python.

const OUTPUTS = facts.votes.outputs;

/** Thresholds as numbers: infinite ones come as text. */
function numbersOf(thresholds) {
  return thresholds.map((t) => (t === "-inf" ? -Infinity : t === "inf" ? Infinity : t));
}

/** The place of the first threshold that is at least x: the range x lies in. */
function rangeOf(thresholds, x) {
  let [low, high] = [0, thresholds.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (thresholds[middle] < x) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * What a column adds for a cell.
 * @param {Object} one a score function of the facts
 * @param {{missing: ?boolean, unseen: ?boolean, value: ?number}} cell `value` is a number, ticks of a
 *   time, the place of a label or the code of a category
 * @returns {{place: number, scores: number[], words: string}} `place` is -1 where no row is that of the cell
 */
function scoreOf(one, cell) {
  const name = facts.columns[one.column].name;
  if (cell.missing) return { place: -1, scores: one.missing, words: `${name} is ${MISSING}` };
  if (cell.unseen) return { place: -1, scores: one.unseen, words: `${name} is ${ANOTHER}, not seen in training` };
  const place = one.place ? one.place[cell.value] : rangeOf(numbersOf(one.thresholds), cell.value);
  return { place, scores: one.scores[place], words: one.words[place] };
}

/** The start and some scores, added up. */
function votesOf(start, scores) {
  const sum = [...start];
  for (const added of scores) added.forEach((x, k) => { sum[k] += x; });
  return sum;
}

/** The class that votes are for; the lower one on a tie. */
function winnerOf(votes) {
  if (OUTPUTS === 1) return votes[0] > 0 ? 1 : 0;
  return votes.indexOf(most(votes));
}

/** The probability of each class. */
function chancesOf(votes) {
  if (OUTPUTS === 1) {
    const second = 1 / (1 + Math.exp(-2 * votes[0]));
    return [1 / (1 + Math.exp(2 * votes[0])), second];
  }
  const logs = facts.votes.link === "each" ? votes.map((f) => -softplus(-2 * f)) : votes;
  const top = most(logs);
  const powers = logs.map((f) => Math.exp(f - top));
  return powers.map((p) => p / total(powers));
}

/** log(1 + exp(x)), without overflow. */
function softplus(x) {
  return x > 30 ? x : Math.log1p(Math.exp(x));
}

/** A score with its sign: "+1.204". */
function sayVotes(x) {
  return x === 0 ? "0" : (x > 0 ? "+" : "") + signed(x.toFixed(3));
}

/** What the outputs are called: the second of two classes, or every class. */
const OUTPUT_CLASSES = OUTPUTS === 1 ? [1] : facts.classes.map((_, i) => i);

/** A sentence on what votes are. */
function votesInWords() {
  return `${facts.votes.wins} ${facts.votes.means}`;
}
