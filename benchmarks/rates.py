"""How fast the index falls with the number of leaves, on tables with planted advantages.

The columns of a planted table are independent given the class. With the index ``sqrt`` a column
whose values have the probabilities p and q in the two classes then has the same advantage at
*every* node where it is unused: 1 - sum of sqrt(p_j q_j), whatever the class shares of the node.
So the menu of every leaf is known before a tree is grown: binary splits of advantage gamma, and
k-way splits of another. With equal children the binary splits are the worst case of the
theorems, and I(T)/I(root) is phi(s) itself.

``certificates`` compares two bounds for ``per-leaf`` on real tables.

    python benchmarks/rates.py [gammas|shares|widths|indices|certificates ...] [--quick]

The columns are categorical and the only family is ``values``, so a k-way column is one split of
arity k. The probabilities are rounded to integer case counts, 2^52 in each class.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import ceil, log, log2, sqrt
from typing import NamedTuple

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

from polytomy.encode import Coded, Target, encode
from polytomy.grow import GrowParams, Growth, grow
from polytomy.grow.record import Fact
from polytomy.table import Table
from polytomy.theory import e, phi

PROCEDURES = ("kearns-mansour", "hatano", "mansour-mcallester", "per-leaf", "id3")
PARTS = ("gammas", "shares", "widths", "indices", "certificates")
REAL = {"wdbc": load_breast_cancer, "wine": load_wine, "iris": load_iris, "digits": load_digits}
GAMMA = 0.2


class PlantedColumn(NamedTuple):
    """A column: the probability of each value in the two classes."""

    p: tuple[float, ...]
    q: tuple[float, ...]

    @property
    def advantage(self) -> float:
        """The advantage at every node, for the index ``sqrt``."""
        return 1 - sum(sqrt(a * b) for a, b in zip(self.p, self.q, strict=True))


def binary(gamma: float, share: float = 0.5) -> PlantedColumn:
    """Return a binary column whose first child keeps ``share`` of the remaining weight.

    The probabilities of the first value solve p q = c^2 and (1-p)(1-q) = d^2, where c and d are
    the weights of the children, c + d = 1 - gamma.
    """
    c, d = share * (1 - gamma), (1 - share) * (1 - gamma)
    total = 1 + c * c - d * d
    apart = sqrt(max(0.0, total * total - 4 * c * c))
    p, q = (total + apart) / 2, (total - apart) / 2
    return PlantedColumn((p, 1 - p), (q, 1 - q))


def wide(k: int, advantage: float) -> PlantedColumn:
    """Return a k-way column, k even, whose children all have the same weight.

    One half of the values speaks for each class, with the same odds: it says as much as a binary
    column of that advantage, spread over k children.
    """
    half = binary(advantage)
    p, q = (tuple(x / (k / 2) for x in side for _ in range(k // 2)) for side in half)
    return PlantedColumn(p, q)


@dataclass(frozen=True)
class Planted:
    """All combinations of the columns' values in both classes, weighted by their probability."""

    columns: tuple[PlantedColumn, ...]

    @cached_property
    def data(self) -> tuple[Coded, Target]:
        """The encoded table and the target."""
        arities = [len(column.p) for column in self.columns]
        values = np.array(list(product(*map(range, arities))), dtype=np.uint8)
        shares = np.ones((2, len(values)))  # of each row in each class
        for j, column in enumerate(self.columns):
            shares *= np.array([column.p, column.q])[:, values[:, j]]
        cases = np.rint(shares * 2.0**52)
        classes, rows = np.nonzero(cases)
        names = np.array([f"v{code:02}" for code in range(max(arities))], dtype=object)
        table = Table.of({f"c{j}": names[values[rows, j]] for j in range(len(arities))})
        return encode(table), Target.of(classes, weights=cases[classes, rows], n_classes=2)


class Run(NamedTuple):
    """The curve of a run: leaves and I(T)/I(root), and the steps."""

    leaves: np.ndarray
    curve: np.ndarray
    arities: tuple[int, ...]
    gamma: float  # the smallest advantage per price of a step

    @property
    def exponent(self) -> float:
        """The slope of -ln I(T) against ln s, by least squares from 4 leaves on."""
        fit = (self.leaves >= 4) & (self.curve > 1e-12)
        return -float(np.polyfit(np.log(self.leaves[fit]), np.log(self.curve[fit]), 1)[0])

    @property
    def size(self) -> int:
        """The number of leaves at the end."""
        return int(self.leaves[-1])

    def at(self, leaves: int) -> float:
        """Return I(T)/I(root) at the largest size up to a number of leaves."""
        return float(self.curve[np.searchsorted(self.leaves, leaves, side="right") - 1])

    def splits(self) -> str:
        """Return how often each arity was used, such as 85x4 1x2."""
        return " ".join(f"{self.arities.count(k)}x{k}" for k in sorted(set(self.arities)))


def run(planted: Planted, procedure: str, leaves: int, index: str = "sqrt") -> Run:
    """Grow a tree; the curve ends if the heaviest leaf has no unused column left."""
    gamma = GAMMA if procedure == "mansour-mcallester" else None
    params = GrowParams(
        max_leaves=leaves, procedure=procedure, gamma=gamma, index=index, families=("values",)
    )
    growth = grow(*planted.data, params)
    facts = list(covered(growth))
    sizes = np.cumsum([1, *(len(fact.children) - 1 for fact in facts)])
    gains = np.cumsum([0.0, *(fact.gain for fact in facts)])
    least = min(fact.gain / fact.impurity / fact.price for fact in facts)
    arities = tuple(len(fact.children) for fact in facts)
    return Run(sizes, 1 - gains / growth.root_impurity, arities, least)


def covered(growth: Growth) -> Iterator[Fact]:
    """Yield the steps until the heaviest leaf has used up the planted columns."""
    weight = growth.index.value(growth.tree.counts)
    finished = {retired.leaf for retired in growth.retirements}
    for fact, leaves in steps(growth):
        if max(leaves, key=weight.__getitem__) in finished:
            return
        yield fact


def steps(growth: Growth) -> Iterator[tuple[Fact, frozenset[int]]]:
    """Yield each step and the leaves before it."""
    leaves = frozenset([0])
    for fact in growth.facts():
        yield fact, leaves
        leaves = leaves - {fact.leaf} | set(fact.children)


def print_gammas(quick: bool) -> None:
    """Print the rate for binary columns with equal children, which is phi exactly."""
    depth = 5 if quick else 9
    s = 2**depth
    print(f"Binary columns of advantage gamma with equal children, {s} leaves\n")
    print("| gamma | s^-gamma | e(s) | phi(s) | I(T) | fitted exponent | log2(1/(1-gamma)) |")
    print("|---|---|---|---|---|---|---|")
    for gamma in (0.05, 0.1, 0.2, 0.3, 0.4):
        planted = Planted((binary(gamma),) * depth)
        runs = [run(planted, procedure, s) for procedure in PROCEDURES]
        formula = [phi(int(n), gamma) for n in runs[0].leaves]
        same = all(np.allclose(made.curve, formula, rtol=1e-8) for made in runs)
        assert same, "every procedure meets the worst case"
        print(
            f"| {gamma} | {s**-gamma:.4f} | {e(s, gamma):.4f} | {phi(s, gamma):.4f} "
            f"| {runs[0].at(s):.4f} | {runs[0].exponent:.3f} | {-log2(1 - gamma):.3f} |"
        )
    print()


def print_shares(quick: bool) -> None:
    """Print the rate for binary columns whose children are unequal."""
    depth, s = (8, 16) if quick else (15, 32)
    print(f"Binary columns of advantage {GAMMA}, one child keeps a share of the rest\n")
    print("| share | leaves | I(T) | phi | I/phi | fitted exponent |")
    print("|---|---|---|---|---|---|")
    for share in (0.5, 0.6, 0.7, 0.8, 0.9, 1.0):
        made = run(Planted((binary(GAMMA, share),) * depth), "kearns-mansour", s)
        size, bound = made.size, phi(made.size, GAMMA)
        numbers = f"{made.at(size):.4f} | {bound:.4f} | {made.at(size) / bound:.3f}"
        print(f"| {share} | {size} | {numbers} | {made.exponent:.3f} |")
    print()


def worths(k: int) -> dict[str, float]:
    """Return the advantages that are planted for a k-way column."""
    levels = log2(k)
    planned = {
        "1.05 gamma": 1.05 * GAMMA,
        "binary tree of k leaves": 1 - (1 - GAMMA) ** levels,
        "1.05 log2(k) gamma": 1.05 * levels * GAMMA,
        "1.05 (k - 1) gamma": 1.05 * (k - 1) * GAMMA,
    }
    return {name: worth for name, worth in planned.items() if worth < 1}


def print_widths(quick: bool) -> None:
    """Print what k-way columns of several advantages buy, for every procedure."""
    s, widths = (64, (4,)) if quick else (256, (4, 8, 16))
    binaries = (binary(GAMMA),) * round(log2(s))
    alone = run(Planted(binaries), PROCEDURES[0], s)
    print(f"Binary columns of advantage {GAMMA} and k-way ones, equal children, {s} leaves:")
    print("I(T)/phi(s), the fitted exponent, and how often each arity was taken\n")
    print(f"Binary only: I(T) = {alone.at(s):.4f} = phi(s), exponent {alone.exponent:.3f}\n")
    print(f"| k | worth | A | log_k(1/(1-A)) | {' | '.join(PROCEDURES[1:])} |")
    print("|---" * (4 + len(PROCEDURES[1:])) + "|")
    for k in widths:
        for name, worth in worths(k).items():
            planted = Planted((wide(k, worth),) * ceil(log2(s) / log2(k)) + binaries)
            cells = []
            for procedure in PROCEDURES[1:]:
                made = run(planted, procedure, s)
                assert made.size == s, "there are enough columns"
                ratio = made.at(s) / phi(s, GAMMA)
                cells.append(f"{ratio:.3f}; {made.exponent:.3f}; {made.splits()}")
            reach = -log(1 - worth) / log(k)
            print(f"| {k} | {name} | {worth:.3f} | {reach:.3f} | {' | '.join(cells)} |", flush=True)
    print()


def print_indices(quick: bool) -> None:
    """Print the rate by other indices, whose advantage is not constant."""
    depth = 6 if quick else 9
    s = 2**depth
    print(f"The binary table of gamma = {GAMMA} for sqrt, grown by each index, {s} leaves\n")
    print("| index | smallest advantage g | I(T)/I(root) | phi_g(s) | fitted exponent |")
    print("|---|---|---|---|---|")
    planted = Planted((binary(GAMMA),) * depth)
    for index in ("sqrt", "entropy", "gini"):
        made = run(planted, "kearns-mansour", s, index)
        bound = phi(s, made.gamma)
        print(
            f"| {index} | {made.gamma:.4f} | {made.at(s):.4f} | {bound:.4f} | {made.exponent:.3f} |"
        )
    print()


def print_certificates(quick: bool) -> None:
    """Print two bounds on I(T)/I(root) for per-leaf: e by the mean leaf, phi by the heaviest."""
    s = 8 if quick else 16
    print(
        f"per-leaf on real tables, at most {s} leaves: gamma is the smallest gain per added leaf,"
    )
    print("relative to the mean weight of the leaves for e and to the heaviest for phi\n")
    print("| table | index | leaves | gamma, mean | e | gamma, heaviest | phi | I(T)/I(root) |")
    print("|---" * 8 + "|")
    for name, load in REAL.items():
        x, y = load(return_X_y=True)
        coded, target = encode(Table.of(x)), Target.of(y)
        for index in ("gini", "sqrt"):
            growth = grow(coded, target, GrowParams(max_leaves=s, index=index))
            weight, size = growth.index.value(growth.tree.counts), growth.tree.n_leaves
            per_leaf = [
                (fact.gain / (len(fact.children) - 1), weight[list(leaves)])
                for fact, leaves in steps(growth)
            ]
            mean = min(gain / leaves.mean() for gain, leaves in per_leaf)
            heaviest = min(gain / leaves.max() for gain, leaves in per_leaf)
            reached = weight[growth.tree.leaves()].sum() / weight[0]
            print(
                f"| {name} | {index} | {size} | {mean:.3f} | {e(size, min(1, mean)):.3f} "
                f"| {heaviest:.3f} | {phi(size, heaviest):.3f} | {reached:.3f} |"
            )
    print()


def main(arguments: Sequence[str] | None = None) -> int:
    """Parse the command line and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", help=f"what to print: {', '.join(PARTS)} (all)")
    parser.add_argument("--quick", action="store_true", help="smaller trees, in seconds")
    given = parser.parse_args(arguments)
    shown = {
        "gammas": print_gammas,
        "shares": print_shares,
        "widths": print_widths,
        "indices": print_indices,
        "certificates": print_certificates,
    }
    for part in given.parts or PARTS:
        shown[part](given.quick)
    return 0


if __name__ == "__main__":
    sys.exit(main())
