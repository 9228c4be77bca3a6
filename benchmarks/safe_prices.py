"""Are the price ceil(log2 k) and the limit k <= s/T necessary? A search for other safe rules.

A *rule* gives every arity a price p(k), with p(2) = 1, and says when k branches are acceptable in
a tree of T leaves out of s. In a game the learner splits the heaviest leaf, and an adversary picks
an acceptable k and the children, whose weights add up to 1 - gamma p(k) times the leaf's: the
least that a step of a gamma-boosting run removes. A rule is *safe* for a rate f if no adversary can
end with more than f(s) times the first weight. Hatano proves that ceil(log2 k) with k <= s/T is
safe for phi; Mansour and McAllester that g(k) is safe for e, with a limit that rules out wide
splits in small trees.

The search tries every arity, with equal children and with all children in multiples of 1/grid of
the rest, in exact arithmetic. docs/evidence/theorems.md has the theorems that it checks.

    python benchmarks/safe_prices.py [prices|rules|arities|shares ...] [--quick]
"""

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from math import ceil, lcm, log
from typing import NamedTuple

import numpy as np

PARTS = ("prices", "rules", "arities", "shares")
GAMMAS = (Fraction(1, 20), Fraction(1, 5), Fraction(1, 2))
CHEAPER = Fraction(99, 100)  # of a price that is just safe

Rate = Callable[[int, Fraction], Fraction]
Price = Callable[[int, Fraction], Fraction]


@cache
def phi(n: int, gamma: Fraction) -> Fraction:
    """Return ``theory.phi`` exactly."""
    i = n.bit_length() - 1
    return (1 - gamma) ** i * (1 - gamma * (Fraction(n, 2**i) - 1))


@cache
def e(n: int, gamma: Fraction) -> Fraction:
    """Return ``theory.e`` exactly."""
    return Fraction(1) if n == 1 else e(n - 1, gamma) * (1 - gamma / (n - 1))


def power(n: int, gamma: Fraction) -> Fraction:
    """Return n^-gamma as a float's exact value."""
    return Fraction(n ** -float(gamma))


def equal_leaves(rate: Rate, k: int, n: int, gamma: Fraction) -> Fraction:
    """Return the mean rate of k equal leaves that are grown to n leaves together.

    This is the linear interpolation of the rate at n/k.
    """
    each, more = divmod(n, k)
    return Fraction(k - more, k) * rate(each, gamma) + Fraction(more, k) * rate(each + 1, gamma)


def height(k: int, _gamma: Fraction) -> Fraction:
    """Return ceil(log2 k), Hatano's price: the height of a balanced binary tree of k leaves."""
    return Fraction((k - 1).bit_length())


def mean_depth(k: int, _gamma: Fraction) -> Fraction:
    """Return the mean depth of the leaves of a balanced binary tree of k leaves."""
    j = (k - 1).bit_length()
    return j + 1 - Fraction(2**j, k)


def least_for_phi(k: int, gamma: Fraction) -> Fraction:
    """Return the cheapest price that is safe for phi at every s, with k <= s/T."""
    j = (k - 1).bit_length()
    return (1 - (1 - gamma) ** j / (1 - gamma * (Fraction(2**j, k) - 1))) / gamma


def least_for_e(k: int, gamma: Fraction) -> Fraction:
    """Return g(k), the cheapest price that is safe for e at every s, with k <= s/T."""
    return (1 - e(k, gamma)) / gamma


def harmonic(k: int, _gamma: Fraction) -> Fraction:
    """Return 1 + 1/2 + ... + 1/(k-1), the limit of g(k) for a small gamma."""
    return sum((Fraction(1, i) for i in range(1, k)), Fraction(0))


def least_for_power(k: int, gamma: Fraction) -> Fraction:
    """Return (1 - k^-gamma)/gamma, at most ln k, rounded up to six digits; 1 for two branches."""
    if k == 2:
        return Fraction(1)
    return Fraction(ceil((1 - power(k, gamma)) / gamma * 10**6), 10**6)


def logarithm(k: int, _gamma: Fraction) -> Fraction:
    """Return ln k, rounded up to six digits; 1 for two branches."""
    return Fraction(1) if k == 2 else Fraction(ceil(log(k) * 10**6), 10**6)


def linear(k: int, _gamma: Fraction) -> Fraction:
    """Return k - 1."""
    return Fraction(k - 1)


def within_share(k: int, leaves: int, s: int) -> bool:
    """Return whether k <= s/T, Hatano's limit."""
    return k * leaves <= s


def any_arity(_k: int, _leaves: int, _s: int) -> bool:
    """Accept every arity that fits the budget."""
    return True


@dataclass(frozen=True)
class Rule:
    """A price, the acceptable arities, and the rate that the rule should be safe for."""

    price: Price
    accepts: Callable[[int, int, int], bool]
    rate: Rate
    any_leaf: bool = False  # steepest order: any leaf, but priced by the heaviest


class Move(NamedTuple):
    """A move of the adversary: the weights of the leaf and of its children, the root's being 1."""

    leaves: int  # before the move
    leaf: Fraction
    children: tuple[Fraction, ...]

    def __str__(self) -> str:
        shown = ", ".join(f"{float(child):.4g}" for child in self.children)
        return f"T = {self.leaves}: {float(self.leaf):.4g} -> {shown}"


@dataclass
class Game:
    """The exhaustive search of the adversary's moves under a rule.

    Weights are integers in units of 1/scale**(s-1), so that every move divides exactly; a position
    is the weights of the leaves in descending order.
    """

    rule: Rule
    s: int
    gamma: Fraction
    grid: int
    best: dict[tuple[int, ...], tuple[int, tuple[int, tuple[int, ...]]]] = field(
        default_factory=dict
    )

    def __post_init__(self) -> None:
        removed = {k: self.gamma * self.rule.price(k, self.gamma) for k in range(2, self.s + 1)}
        self.removed = {k: share for k, share in removed.items() if share <= 1}
        denominators = (
            share.denominator * lcm(k, self.grid or 1) for k, share in self.removed.items()
        )
        self.unit = lcm(*denominators) ** (self.s - 1)

    def worst(self) -> Fraction:
        """Return the largest final weight."""
        return Fraction(self._value((self.unit,)), self.unit)

    @property
    def safe(self) -> bool:
        """Whether no final weight exceeds the rate."""
        return self.worst() <= self.rule.rate(self.s, self.gamma)

    def line(self) -> list[Move]:
        """Return the moves that reach ``worst``."""
        position, moves = (self.unit,), []
        while len(position) < self.s:
            self._value(position)
            at, children = self.best[position][1]
            scaled = [Fraction(weight, self.unit) for weight in (position[at], *children)]
            moves.append(Move(len(position), scaled[0], tuple(scaled[1:])))
            position = self._after(position, at, children)
        return moves

    def _value(self, position: tuple[int, ...]) -> int:
        if len(position) == self.s:
            return sum(position)
        if position not in self.best:
            found = (
                (self._value(self._after(position, at, children)), (at, children))
                for at, children in self._moves(position)
            )
            self.best[position] = max(found, key=lambda move: move[0])
        return self.best[position][0]

    def _moves(self, position: tuple[int, ...]) -> Iterator[tuple[int, tuple[int, ...]]]:
        size = len(position)
        leaves = range(size) if self.rule.any_leaf else (0,)
        for k, share in self.removed.items():
            ends = size + k - 1 - self.s
            if ends > 0 or (k > 2 and not self.rule.accepts(k, size, self.s)):
                continue
            gain = position[0] * share.numerator // share.denominator
            for at in leaves:
                if position[at] < gain or (at and position[at] == position[at - 1]):
                    continue
                parts = shares(k, self.grid)[: 1 if ends == 0 else None]  # equal is enough
                for part in parts:
                    total = sum(part)
                    yield at, tuple((position[at] - gain) * n // total for n in part)

    @staticmethod
    def _after(position: tuple[int, ...], at: int, children: tuple[int, ...]) -> tuple[int, ...]:
        rest = position[:at] + position[at + 1 :] + children
        return tuple(sorted(rest, reverse=True))


@cache
def shares(k: int, grid: int) -> list[tuple[int, ...]]:
    """Return equal parts, then the descending parts of ``grid`` that are not equal."""

    def descending(n: int, parts: int, most: int) -> Iterator[tuple[int, ...]]:
        if parts == 0:
            yield ()
            return
        for first in range(min(n, most), -1, -1):
            if n - first <= (parts - 1) * first:
                for rest in descending(n - first, parts - 1, first):
                    yield (first, *rest)

    uneven = [part for part in descending(grid, k, grid) if part[0] != part[-1]] if grid else []
    return [(1,) * k, *uneven]


def print_prices(quick: bool) -> None:
    """Print the cheapest safe prices, and check them against their definition."""
    arities = (2, 3, 4, 5, 6, 7, 8, 12, 16) if not quick else (2, 3, 4, 5)
    for k in arities:
        for gamma in GAMMAS:
            for rate, least in ((phi, least_for_phi), (e, least_for_e)):
                sizes = range(k, 8 * k)
                needed = [
                    (1 - rate(n, gamma) / equal_leaves(rate, k, n, gamma)) / gamma for n in sizes
                ]
                assert max(needed) == least(k, gamma), "the closed form is the largest need"
    print("Cheapest safe prices with k <= s/T, for three rates and three gammas\n")
    columns: dict[str, tuple[Price, Sequence[Fraction]]] = {
        "phi": (least_for_phi, GAMMAS),
        "phi, any gamma: mean depth": (mean_depth, GAMMAS[:1]),
        "e": (least_for_e, GAMMAS),
        "e, any gamma: H(k-1)": (harmonic, GAMMAS[:1]),
        "s^-gamma": (least_for_power, GAMMAS),
        "s^-gamma, any gamma: ln k": (logarithm, GAMMAS[:1]),
    }
    heads = [
        f"{name}, {float(gamma)}" if len(gammas) > 1 else name
        for name, (_, gammas) in columns.items()
        for gamma in gammas
    ]
    print(f"| k | ceil(log2 k) | {' | '.join(heads)} |")
    print("|---" * (2 + len(heads)) + "|")
    for k in arities:
        cells = [
            f"{float(price(k, gamma)):.3f}"
            for price, gammas in columns.values()
            for gamma in gammas
        ]
        print(f"| {k} | {height(k, GAMMAS[0])} | {' | '.join(cells)} |")
    print()


def cheaper(price: Price, only: int) -> Price:
    """Return a price that is slightly lower for one arity."""
    return lambda k, gamma: price(k, gamma) * (CHEAPER if k == only else 1)


RULES = {
    "ceil(log2 k), k <= s/T, phi (Hatano)": Rule(height, within_share, phi),
    "mean depth, k <= s/T, phi": Rule(mean_depth, within_share, phi),
    "least for phi, k <= s/T, phi": Rule(least_for_phi, within_share, phi),
    **{
        f"1 % below the least for phi at k = {k}, k <= s/T, phi": Rule(
            cheaper(least_for_phi, k), within_share, phi
        )
        for k in (3, 4, 5, 6)
    },
    "ceil(log2 k), any k, phi": Rule(height, any_arity, phi),
    "k - 1, any k, phi": Rule(linear, any_arity, phi),
    "k - 1, any k, any leaf, phi": Rule(linear, any_arity, phi, any_leaf=True),
    "g(k), k <= s/T, phi": Rule(least_for_e, within_share, phi),
    "g(k), k <= s/T, e": Rule(least_for_e, within_share, e),
    "H(k-1), k <= s/T, e": Rule(harmonic, within_share, e),
    **{
        f"1 % below g(k) at k = {k}, k <= s/T, e": Rule(cheaper(least_for_e, k), within_share, e)
        for k in (3, 4)
    },
    "g(k), any k, e": Rule(least_for_e, any_arity, e),
    "(1 - k^-gamma)/gamma, k <= s/T, s^-gamma": Rule(least_for_power, within_share, power),
    "ln k, k <= s/T, s^-gamma": Rule(logarithm, within_share, power),
    "1 % below (1 - k^-gamma)/gamma at k = 4, k <= s/T, s^-gamma": Rule(
        cheaper(least_for_power, 4), within_share, power
    ),
    "(1 - k^-gamma)/gamma, any k, s^-gamma": Rule(least_for_power, any_arity, power),
}


def print_rules(quick: bool) -> None:
    """Print for each rule whether the search finds a counterexample, and the smallest one."""
    largest, grid = (5, 2) if quick else (9, 6)
    listed = ", ".join(str(gamma) for gamma in GAMMAS)
    print(f"Every play, gamma = {listed}, children in multiples of 1/{grid} of the rest\n")
    print("| price, arities, rate | result | positions |\n|---|---|---|")
    examples = []
    for name, rule in RULES.items():
        positions, found = 0, None
        last = min(largest, 7) if rule.any_leaf else largest  # a choice of leaves multiplies them
        for s in range(2, last + 1):
            games = [Game(rule, s, gamma, grid) for gamma in GAMMAS]
            found = next((game for game in games if not game.safe), None)
            positions += sum(len(game.best) for game in games)
            if found:
                examples.append((name, found))
                break
        result = f"**broken** at s = {found.s}" if found else f"safe up to s = {last}"
        print(f"| {name} | {result} | {positions:,} |", flush=True)
    print("\nThe smallest counterexamples:\n")
    for name, game in examples:
        print(f"- {name}: s = {game.s}, gamma = {game.gamma}")
        for move in game.line():
            print(f"  - {move}")
        limit = game.rule.rate(game.s, game.gamma)
        print(f"  - ends with {float(game.worst()):.6f} > {float(limit):.6f}")
    print()


def wide_is_safe(k: int, leaves: int, s: int, gamma: Fraction) -> bool:
    """Return whether k branches at Hatano's price are safe in any tree of T leaves out of s.

    The worst tree has T equal leaves. The potential of a tree is the weight that halving the
    heaviest leaf would end with; the split must not raise it.
    """
    before = leaves * equal_leaves(phi, leaves, s, gamma)
    left = 1 - gamma * height(k, gamma)
    if leaves == 1:
        return left * equal_leaves(phi, k, s, gamma) <= before
    after = min(
        left * equal_leaves(phi, k, n, gamma)
        + (leaves - 1) * equal_leaves(phi, leaves - 1, s - n, gamma)
        for n in range(k, s - leaves + 2)
    )
    return after <= before


def print_arities(quick: bool) -> None:
    """Print the arities beyond s/T that are safe at Hatano's price, by criterion and by search."""
    gamma, largest, grid = Fraction(1, 20), 6 if quick else 9, 6
    print(f"Arities above s/T at the price ceil(log2 k), gamma = {gamma}: by the criterion for")
    print("equal leaves, and by the search of all plays of Hatano's rule with this one exception\n")
    print("| s | T | s/T | safe (both) | broken (both) | criterion fails, search finds nothing |")
    print("|---|---|---|---|---|---|")
    for s in range(4, largest + 1):
        for leaves in range(2, s - 1):
            kinds: dict[tuple[bool, bool], list[int]] = {}
            for k in range(max(3, s // leaves + 1), s - leaves + 2):
                extra = Rule(height, _with_exception(k, leaves), phi)
                sure = wide_is_safe(k, leaves, s, gamma)
                kinds.setdefault((sure, Game(extra, s, gamma, grid).safe), []).append(k)
            assert (True, False) not in kinds, "the criterion is sufficient"
            cells = (
                ", ".join(map(str, kinds.get(kind, []))) or "-"
                for kind in ((True, True), (False, False), (False, True))
            )
            print(f"| {s} | {leaves} | {s / leaves:.2f} | " + " | ".join(cells) + " |")
    print("\nThe widest arity up to which all are safe by the criterion, and (s/T)\n")
    sizes = (16, 32) if quick else (16, 32, 64, 128, 256)
    trees = (1, 2, 3, 4, 6, 8, 12, 16, 32)
    print("| s | " + " | ".join(f"T = {leaves}" for leaves in trees) + " |")
    print("|---" * (1 + len(trees)) + "|")
    for s in sizes:
        cells = [
            f"{_widest(leaves, s, gamma)} ({s // leaves})" if 2 * leaves <= s else ""
            for leaves in trees
        ]
        print(f"| {s} | " + " | ".join(cells) + " |")
    print()


def _with_exception(k: int, leaves: int) -> Callable[[int, int, int], bool]:
    return lambda arity, size, s: within_share(arity, size, s) or (arity, size) == (k, leaves)


def _widest(leaves: int, s: int, gamma: Fraction) -> int:
    k = 2
    while k < s - leaves + 1 and wide_is_safe(k + 1, leaves, s, gamma):
        k += 1
    return k


def price_of_shares(shares: np.ndarray, gamma: float) -> float:
    """Return the cheapest price for s^-gamma of a split with these shares of the remaining weight.

    It is (1 - k^-gamma)/gamma for k equal shares, and close to their entropy in nats for a small
    gamma.
    """
    return float(1 - (shares ** (1 / (1 + gamma))).sum() ** -(1 + gamma)) / gamma


def accepts_shares(shares: np.ndarray, gamma: float, n: float) -> bool:
    """Return whether every child deserves at least one of n leaves: k <= n for equal shares."""
    parts = shares ** (1 / (1 + gamma))
    return bool(n * parts.min() >= parts.sum())


def least_power(weights: np.ndarray, s: int, gamma: float) -> float:
    """Return the least sum of w n^-gamma over real n >= 1 that add up to s."""
    parts = np.sort(weights)[::-1] ** (1 / (1 + gamma))
    for free in range(len(parts), 0, -1):  # the heaviest leaves, which get more than 1
        leaves = parts[:free] / parts[:free].sum() * (s - len(parts) + free)
        if leaves[-1] >= 1:
            break
    total = (parts[:free] ** (1 + gamma) * leaves**-gamma).sum()
    return float(total + (parts[free:] ** (1 + gamma)).sum())


def print_shares(quick: bool) -> None:
    """Print the largest growth of the potential for s^-gamma over random positions and splits."""
    draws = 300 if quick else 30_000
    print(f"Price by the children's shares, rate s^-gamma: {draws:,} random positions and splits\n")
    print("| gamma | wide splits | largest potential after/before | binary splits | after/before |")
    print("|---|---|---|---|---|")
    rng = np.random.default_rng(0)
    for gamma in (0.05, 0.2, 0.5):
        worst: dict[bool, list[float]] = {True: [], False: []}
        for _ in range(draws):
            size = int(rng.integers(1, 20))
            s = size + int(rng.integers(1, 100))
            weights = np.sort(rng.dirichlet(np.full(size, rng.choice([0.5, 3.0, 1e6]))))[::-1]
            k = int(rng.integers(2, max(3, min(12, s - size + 2))))
            shares = rng.dirichlet(np.full(k, rng.choice([1.0, 10.0, 1e6])))
            if k > 2 and not accepts_shares(shares, gamma, s / size):
                continue
            price = 1.0 if k == 2 else price_of_shares(shares, gamma)
            after = np.concatenate([weights[1:], weights[0] * (1 - gamma * price) * shares])
            grown = least_power(after, s, gamma) / least_power(weights, s, gamma)
            assert grown <= 1 + 1e-9, "a safe step never raises the potential"
            worst[k > 2].append(grown)
        cells = " | ".join(
            f"{len(worst[wide]):,} | {max(worst[wide]):.9f}" for wide in (True, False)
        )
        print(f"| {gamma} | {cells} |", flush=True)
    print()


def main(arguments: Sequence[str] | None = None) -> int:
    """Parse the command line and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", help=f"what to print: {', '.join(PARTS)} (all)")
    parser.add_argument("--quick", action="store_true", help="small games, in seconds")
    given = parser.parse_args(arguments)
    shown = {
        "prices": print_prices,
        "rules": print_rules,
        "arities": print_arities,
        "shares": print_shares,
    }
    for part in given.parts or PARTS:
        shown[part](given.quick)
    return 0


if __name__ == "__main__":
    sys.exit(main())
