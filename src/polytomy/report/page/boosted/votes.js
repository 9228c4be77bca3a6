// The votes of boosted stumps: the sum of one score for each cell, bit for bit as in Python.

const OUTPUTS = facts.votes.outputs;

/** The position of the range that contains x: of the first threshold that is at least x. */
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
 * The scores that a column adds for a cell.
 * @param {Object} one a score function of the facts
 * @param {Object} cell as `cellField` reads it
 * @returns {{scores: number[], words: string}}
 */
function scoreOf(one, cell) {
  const name = facts.columns[one.column].name;
  if (cell.missing) return { scores: one.missing, words: `${name} is ${MISSING}` };
  if (cell.unseen) return { scores: one.unseen, words: `${name} is ${ANOTHER}, not seen in training` };
  const place = one.place ? one.place[cell.value] : rangeOf(one.thresholds.map(thresholdNumber), cell.value);
  return { scores: one.scores[place], words: one.words[place] };
}

/** The sum of the start value and some scores. */
function votesOf(start, scores) {
  const sum = [...start];
  for (const added of scores) added.forEach((x, k) => { sum[k] += x; });
  return sum;
}

/** The predicted class; the first one on a tie. */
function predictedClass(votes) {
  if (OUTPUTS === 1) return votes[0] > 0 ? 1 : 0;
  return votes.indexOf(maxOf(votes));
}

/** The probability of each class. */
function probabilitiesOf(votes) {
  if (OUTPUTS === 1) {
    const second = 1 / (1 + Math.exp(-2 * votes[0]));
    return [1 / (1 + Math.exp(2 * votes[0])), second];
  }
  const logs = facts.votes.link === "each" ? votes.map((f) => -softplus(-2 * f)) : votes;
  const top = maxOf(logs);
  const powers = logs.map((f) => Math.exp(f - top));
  return powers.map((p) => p / total(powers));
}

/** log(1 + exp(x)), without overflow. */
function softplus(x) {
  return x > 30 ? x : Math.log1p(Math.exp(x));
}

/** A score with its sign: "+1.204". */
function formatVotes(x) {
  return x === 0 ? "0" : (x > 0 ? "+" : "") + signed(x.toFixed(3));
}

/** The class of each output: the second of two classes, or every class. */
const OUTPUT_CLASSES = OUTPUTS === 1 ? [1] : facts.classes.map((_, i) => i);
