"""Conservative pruning against the best pruning, where the distribution is known.

The pruning lecture (8.2.4) bounds error(T_srm) - error(T_opt): T_srm is what conservative pruning
leaves of a grown tree, T_opt the pruning of that tree with the least error on new rows. Here the
columns are Boolean and the probability of each of the 2^n cells and of class 1 in it is known, so
the true error of every pruning is a sum. A sample is the number of rows in each cell and class, so
a billion rows cost no more than a thousand.

``random``: a new distribution for every draw, a tree of random splits whose leaves have random
class shares, a third of them coins. ``hardest``: class shares 1/2 + a or 1/2 - a by one column or
by the majority of three; for each number of rows the a that makes the mean gap largest.
``scales``: the random distributions again, with smaller and larger penalties.

    python benchmarks/srm_simulation.py [random|hardest|scales ...] [--quick]
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from math import log, sqrt

import numpy as np

from polytomy.encode import Target, encode
from polytomy.grow import GrowParams, grow
from polytomy.predict import apply
from polytomy.prune import Conservative, Evidence, PruningPath
from polytomy.prune.conservative import PROVEN_SCALE
from polytomy.table import Table
from polytomy.tree import Tree

PARTS = ("random", "hardest", "scales")
COLUMNS = 8
CELLS = (np.arange(2**COLUMNS)[:, None] >> np.arange(COLUMNS) & 1).astype(np.float64)
TABLE = Table.of(CELLS, [f"x{j}" for j in range(COLUMNS)])
CODED = encode(TABLE)
DELTA = 0.1
PROVEN, LECTURE = Conservative(DELTA, PROVEN_SCALE), Conservative(DELTA, 1.0)
SAME = 1e-12  # errors that differ by less are equal


def random_truth(rng: np.random.Generator, depth: int = 3) -> np.ndarray:
    """Return the probability of each cell and class, by a tree of random splits."""
    shares = rng.uniform(0.3, 0.7, COLUMNS)
    weight = np.where(CELLS == 1, shares, 1 - shares).prod(axis=1)
    chance = np.empty(len(CELLS))

    def fill(cells: np.ndarray, columns: np.ndarray, left: int) -> None:
        if left == 0:
            chance[cells] = rng.choice([rng.random(), rng.random(), 0.5])
            return
        column, *rest = rng.permutation(columns)
        for value in (0, 1):
            fill(cells[CELLS[cells, column] == value], np.array(rest), left - 1)

    fill(np.arange(len(CELLS)), np.arange(COLUMNS), depth)
    return np.column_stack([weight * (1 - chance), weight * chance])


def margin_truth(signal: np.ndarray, a: float) -> np.ndarray:
    """Return uniform cells in which class 1 has the share 1/2 + a or 1/2 - a."""
    chance = np.where(signal, 0.5 + a, 0.5 - a)
    return np.column_stack([1 - chance, chance]) / len(CELLS)


SIGNALS = {"one column": CELLS[:, 0] == 1, "majority of three": CELLS[:, :3].sum(axis=1) > 1}


@dataclass(frozen=True, eq=False)
class Trial:
    """A tree grown on m rows of a known distribution until nothing can be split."""

    m: int
    tree: Tree
    errors: np.ndarray  # true error of each node as a leaf with its training label

    @classmethod
    def of(cls, rng: np.random.Generator, truth: np.ndarray, m: int) -> "Trial":
        """Draw a sample and grow a tree."""
        counts = rng.multinomial(m, truth.ravel()).reshape(truth.shape)
        cell, label = np.nonzero(counts)
        target = Target.of(label, 2, counts[cell, label].astype(np.float64))
        params = GrowParams(max_leaves=None, families=("intervals",), max_arity=2)
        tree = grow(CODED.take(cell), target, params).tree
        mass = np.zeros((tree.n_nodes, 2))
        np.add.at(mass, apply(tree, CODED.schema, TABLE), truth)
        for node in range(tree.n_nodes - 1, 0, -1):  # children have larger numbers
            mass[tree.parent[node]] += mass[node]
        wrong = 1 - tree.counts.argmax(axis=1)
        return cls(m, tree, mass[np.arange(tree.n_nodes), wrong])

    def best(self, largest: bool) -> set[int]:
        """Return the leaves of T_opt, the largest or the smallest of the best prunings."""
        least, pruned = self.errors.copy(), np.zeros(self.tree.n_nodes, dtype=bool)
        for node in range(self.tree.n_nodes - 1, -1, -1):
            if not self.tree.is_leaf(node):
                below = least[self.tree.children(node)].sum()
                pruned[node] = self.errors[node] < below + (-SAME if largest else SAME)
                least[node] = min(below, self.errors[node])
        return self.leaves(np.flatnonzero(pruned))

    def leaves(self, cut: np.ndarray) -> set[int]:
        """Return the leaves of the pruning in which some nodes become leaves."""
        ends, leaves, stack = set(cut.tolist()), set(), [0]
        while stack:
            node = stack.pop()
            if node in ends or self.tree.is_leaf(node):
                leaves.add(node)
            else:
                stack += self.tree.children(node).tolist()
        return leaves

    def pruned(self, pruner: Conservative) -> set[int]:
        """Return the leaves of T_srm."""
        return self.leaves(pruner.cut(self.tree, Evidence(schema=CODED.schema)))

    def penalised_path(self) -> set[int]:
        """Return the leaves of the pruning with the least training error + sqrt(leaves/m)."""
        path = PruningPath(self.tree)
        return self.leaves(path.nodes_at(path.select("srm")))

    def error(self, leaves: set[int]) -> float:
        """Return the true error of a pruning."""
        return float(self.errors[list(leaves)].sum())

    def gap(self, leaves: set[int], best: set[int]) -> float:
        """Return by how much the true error of a pruning exceeds that of the best."""
        gap = self.error(leaves) - self.error(best)
        return gap if gap > SAME else 0.0

    def bound(self, leaves: set[int]) -> float:
        """Return the theorem's bound if T_opt has these leaves."""
        height = int(self.tree.depth[list(leaves)].max())
        return PROVEN.gap_bound(len(leaves), height, self.m, COLUMNS)

    def is_part(self, leaves: set[int], of: set[int]) -> bool:
        """Return whether the first pruning has no split that the second lacks."""
        return not (self._inner(leaves) - self._inner(of))

    def _inner(self, leaves: set[int]) -> set[int]:
        inner: set[int] = set()
        for leaf in leaves:
            node = int(self.tree.parent[leaf])
            while node >= 0 and node not in inner:
                inner.add(node)
                node = int(self.tree.parent[node])
        return inner


@dataclass(frozen=True)
class Outcome:
    """What is measured in one trial."""

    gap: float
    bound: float  # with the largest T_opt, as in the theorem
    smaller_bound: float  # with the smallest T_opt
    part: bool
    best_leaves: int  # of the smallest T_opt
    leaves: int
    lecture_gap: float
    lecture_part: bool
    path_gap: float

    @classmethod
    def of(cls, trial: Trial) -> "Outcome":
        """Prune and compare."""
        largest, smallest = trial.best(largest=True), trial.best(largest=False)
        proven, lecture = trial.pruned(PROVEN), trial.pruned(LECTURE)
        return cls(
            gap=trial.gap(proven, smallest),
            bound=trial.bound(largest),
            smaller_bound=trial.bound(smallest),
            part=trial.is_part(proven, largest),
            best_leaves=len(smallest),
            leaves=len(proven),
            lecture_gap=trial.gap(lecture, smallest),
            lecture_part=trial.is_part(lecture, largest),
            path_gap=trial.gap(trial.penalised_path(), smallest),
        )


def slope(sizes: Sequence[int], gaps: Sequence[float]) -> float:
    """Return the exponent of the mean gap in m, by least squares where it is above 0."""
    points = [(log(m), log(gap)) for m, gap in zip(sizes, gaps, strict=True) if gap > 0]
    return float(np.polyfit(*zip(*points, strict=True), 1)[0]) if len(points) > 1 else float("nan")


def print_random(quick: bool) -> None:
    """Print gaps and bounds over random distributions."""
    sizes, draws = ((10**5, 10**6), 10) if quick else (tuple(10**i for i in range(3, 10)), 500)
    print(f"{draws} random distributions for each m, {COLUMNS} columns, delta = {DELTA}\n")
    print(
        "| m | leaves of T_opt, T_srm | bound, largest T_opt | smallest T_opt | bound holds "
        "| T_srm part of T_opt | mean gap | largest gap | largest gap/bound "
        "| scale 1: part | mean gap | error + sqrt(s/m): mean gap |"
    )
    print("|---" * 12 + "|")
    rng = np.random.default_rng(0)
    means = []
    for m in sizes:
        found = [Outcome.of(Trial.of(rng, random_truth(rng), m)) for _ in range(draws)]
        mean = {
            name: np.mean([getattr(o, name) for o in found]) for name in Outcome.__annotations__
        }
        gaps = np.array([o.gap for o in found])
        bounds = np.array([[o.bound, o.smaller_bound] for o in found])
        middle = np.median(bounds, axis=0)
        means.append([mean["gap"], mean["lecture_gap"], mean["path_gap"]])
        print(
            f"| {power_of_ten(m)} | {mean['best_leaves']:.1f}, {mean['leaves']:.1f} "
            f"| {middle[0]:.3g} | {middle[1]:.3g} "
            f"| {np.mean((gaps[:, None] <= bounds).all(axis=1)):.1%} | {mean['part']:.1%} "
            f"| {mean['gap']:.2g} | {gaps.max():.2g} | {ratio(gaps, bounds[:, 1]):.3f} "
            f"| {mean['lecture_part']:.1%} | {mean['lecture_gap']:.2g} | {mean['path_gap']:.2g} |",
            flush=True,
        )
    large = [i for i, m in enumerate(sizes) if m >= 10**5]
    fitted = [slope([sizes[i] for i in large], [means[i][j] for i in large]) for j in range(3)]
    print(
        f"\nExponent of the mean gap in m, from 10^5 rows on: {fitted[0]:.2f}; with scale 1 "
        f"{fitted[1]:.2f}; with error + sqrt(s/m) {fitted[2]:.2f}\n"
    )


def power_of_ten(m: int) -> str:
    """Return 10^i for a power of ten."""
    return f"10^{len(str(m)) - 1}"


def ratio(gaps: np.ndarray, bounds: np.ndarray) -> float:
    """Return the largest gap relative to its bound, which is 0 if T_opt is the root."""
    return float(np.max(gaps[bounds > 0] / bounds[bounds > 0], initial=0.0))


def print_scales(quick: bool) -> None:
    """Print how often T_srm is a part of T_opt, and the mean gap, by the scale of the penalty."""
    sizes, draws = ((10**4,), 5) if quick else ((10**3, 10**5, 10**7), 300)
    scales = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 2**0.5, PROVEN_SCALE)
    print(f"T_srm is a part of T_opt; mean gap: by scale, {draws} random distributions\n")
    print("| m | " + " | ".join(f"{scale:.3g}" for scale in scales) + " |")
    print("|---" * (1 + len(scales)) + "|")
    for m in sizes:
        rng = np.random.default_rng(2)
        trials = [Trial.of(rng, random_truth(rng), m) for _ in range(draws)]
        best = [trial.best(largest=True) for trial in trials]
        cells = []
        for scale in scales:
            pruned = [trial.pruned(Conservative(DELTA, scale)) for trial in trials]
            each = list(zip(trials, pruned, best, strict=True))
            parts = np.mean([t.is_part(leaves, of) for t, leaves, of in each])
            gap = np.mean([t.gap(leaves, of) for t, leaves, of in each])
            cells.append(f"{parts:.1%}; {gap:.2g}")
        print(f"| {power_of_ten(m)} | " + " | ".join(cells) + " |", flush=True)
    print()


def print_hardest(quick: bool) -> None:
    """Print the mean gap at the margin that makes it largest, for each number of rows."""
    sizes, draws = ((10**4, 10**6), 3) if quick else ((10**4, 10**5, 10**6, 10**7, 10**8), 20)
    grid = np.arange(2.0, 40.0, 8.0 if quick else 1.0)
    print(f"Shares 1/2 + a and 1/2 - a, a = c/sqrt(m), {draws} draws for each c: the hardest c\n")
    print("| class by | m | c | a | mean gap | gap sqrt(m) | bound, smallest T_opt | gap/bound |")
    print("|---" * 8 + "|")
    for name, signal in SIGNALS.items():
        rng = np.random.default_rng(1)
        means = []
        for m in sizes:
            found = []
            for c in grid[grid < 0.5 * sqrt(m)]:
                truth = margin_truth(signal, float(c) / sqrt(m))
                trials = [Trial.of(rng, truth, m) for _ in range(draws)]
                best = [trial.best(largest=False) for trial in trials]
                pairs = list(zip(trials, best, strict=True))
                gap = np.mean([t.gap(t.pruned(PROVEN), b) for t, b in pairs])
                found.append(
                    (float(gap), float(c), float(np.median([t.bound(b) for t, b in pairs])))
                )
            gap, c, bound = max(found)
            means.append(gap)
            print(
                f"| {name} | {power_of_ten(m)} | {c:g} | {c / sqrt(m):.2g} | {gap:.2g} "
                f"| {gap * sqrt(m):.1f} | {bound:.2g} | {gap / bound:.3f} |",
                flush=True,
            )
        print(f"| {name} | exponent in m | | | {slope(sizes, means):.2f} | | | |")
    print()


def main(arguments: Sequence[str] | None = None) -> int:
    """Parse the command line and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", help=f"what to simulate: {', '.join(PARTS)} (all)")
    parser.add_argument("--quick", action="store_true", help="few draws, in seconds")
    given = parser.parse_args(arguments)
    shown = {"random": print_random, "hardest": print_hardest, "scales": print_scales}
    for part in given.parts or PARTS:
        shown[part](given.quick)
    return 0


if __name__ == "__main__":
    sys.exit(main())
