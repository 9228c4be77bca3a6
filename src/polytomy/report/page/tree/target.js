// The target of the tree: a class, a number, or none. What depends on it is a member of `target`.

const isForecast = facts.honesty !== undefined;
const target = facts.densities ? densityTarget : facts.numbers ? numberTarget : classTarget;

const hasTest = Boolean(nodes[0].test) && target.testWeight(0) > 0;
