"""What should k branches cost? The log price against the linear one, in a game.

Mansour and McAllester see growing a tree as a game: an adversary offers every leaf some branches,
one of them binary with an advantage of at least gamma, and the learner takes one until the tree has
s leaves. They prove that a branch may be taken for a gain of about the logarithm of its arity;
naively it should gain in proportion to the leaves it spends. ``hatano`` asks for ceil(log2 k),
``per-leaf`` for k - 1. Neither is always better: it depends on where the weight goes.

Each price comes with its procedure: ``hatano`` grows the heaviest leaf and takes k branches only
while k <= s/leaves; ``per-leaf`` takes the best offer of all leaves while k branches fit.
"""

from typing import NamedTuple

import numpy as np

from polytomy.theory import BranchingGame, phi
from polytomy.theory.branching_game import ADVERSARIES

LOG, LINEAR, BINARY = "hatano", "per-leaf", "kearns-mansour"
COLUMNS = {LOG: "log price", LINEAR: "linear price", BINARY: "binary only"}
GAMES = 30  # against the adversary who draws lots

OFFERS = {
    "binary": "halves, nothing else",
    "log-price": "also equal children at a hair above the log price",
    "linear-price": "also equal children at a hair below the linear price",
    "peeling": "as log-price, but one child keeps all the weight",
    "generous": "8 children for 9/10 of the weight, at every fourth leaf",
    "random": f"anything up to twice the log price (mean of {GAMES} games)",
}


class End(NamedTuple):
    """How a procedure fared against an adversary."""

    weight: float  # the mean, of several games
    widest: int
    wide: int  # branches of more than two


def fare(adversary: str, procedure: str, s: int, gamma: float) -> End:
    """Play one game, or several where lots are drawn."""
    outcomes = [
        BranchingGame(1.0, s, gamma, adversary=adversary, random_state=seed).play(procedure)
        for seed in range(GAMES if adversary == "random" else 1)
    ]
    arities = [move.arity for outcome in outcomes for move in outcome.moves]
    weight = float(np.mean([outcome.weight for outcome in outcomes]))
    return End(weight, max(arities), sum(k > 2 for k in arities))


def winner(log: End, linear: End) -> str:
    """Name the price that leaves less weight, if they differ at all."""
    if abs(log.weight - linear.weight) <= 1e-9:
        return "neither"
    return "log" if log.weight < linear.weight else "linear"


def compare(s: int, gamma: float) -> dict[str, dict[str, End]]:
    """Print the weight each procedure leaves, and the widest branch it took."""
    print(f"Weight left in {s} leaves, gamma = {gamma}, and (the widest branch taken)")
    header = "".join(f"{name:>17}" for name in COLUMNS.values())
    print(f"{'adversary':<14}{header}   better price")
    table = {}
    for adversary in ADVERSARIES:
        ends = {procedure: fare(adversary, procedure, s, gamma) for procedure in COLUMNS}
        cells = "".join(f"{end.weight:12.4f} ({end.widest:>2})" for end in ends.values())
        print(f"{adversary:<14}{cells}   {winner(ends[LOG], ends[LINEAR])}")
        table[adversary] = ends
    print(f"phi({s}) = {phi(s, gamma):.4f}: the most that hatano can be left with\n")
    return table


def verdict(log: End, linear: End) -> str:
    """Say which price did better, and by how much."""
    better = winner(log, linear)
    if better == "neither":
        return f"both end with {log.weight:.4f}"
    least, most = sorted((log.weight, linear.weight))
    return f"the {better} price leaves {least / most:.0%} of what the other leaves"


def in_words(table: dict[str, dict[str, End]]) -> None:
    """Say of each adversary what it offered and who made more of it."""
    for adversary, ends in table.items():
        log, linear = ends[LOG], ends[LINEAR]
        print(f"- {adversary}: {OFFERS[adversary]};\n  {verdict(log, linear)}")
        if adversary == "generous" and linear.wide > log.wide:
            print(
                f"  (not by its price: hatano took {log.wide} wide, since k <= s/leaves forbids"
                f" more; per-leaf took {linear.wide})"
            )
    print(
        "\nThe log price is right where the weight spreads over the children: a binary tree would"
        "\nspend as many leaves to take about gamma log2 k of it. Where it stays in one child"
        "\n(peeling), k - 1 binary steps would have taken gamma of it each: the rest is waste.\n"
    )


def generosity(s: int) -> None:
    """Show that the linear price refuses a bargain once gamma is large enough."""
    bargain = 0.9 / 7
    print(f"8 children for 0.9 of the weight: 0.9/7 = {bargain:.3f} a leaf, 0.9/3 = 0.3 a bit")
    print(f"{'gamma':<8}{'log price':>12}{'linear price':>14}   the linear price")
    for gamma in (0.05, 0.1, 0.12, 0.14, 0.2, 0.28):
        log, linear = (fare("generous", procedure, s, gamma) for procedure in (LOG, LINEAR))
        took = "takes it" if linear.widest > 2 else "prefers two branches"
        print(f"{gamma:<8}{log.weight:12.4f}{linear.weight:14.4f}   {took}")
    print()


def large_budget(s: int, gamma: float) -> None:
    """Show Mansour and McAllester's own procedure, which needs a large budget to go wide."""
    names = (LOG, "mansour-mcallester", LINEAR)
    print(f"With {s} leaves, gamma = {gamma}, Mansour and McAllester's own rule goes wide too")
    print(f"{'adversary':<14}" + "".join(f"{name:>25}" for name in names))
    for adversary in ("log-price", "linear-price"):
        ends = [fare(adversary, procedure, s, gamma) for procedure in names]
        cells = "".join(f"{end.weight:20.4f} ({end.widest:>2})" for end in ends)
        print(f"{adversary:<14}{cells}")


def main() -> None:
    """Print the comparisons."""
    in_words(compare(s=32, gamma=0.1))
    generosity(s=32)
    large_budget(s=256, gamma=0.2)


if __name__ == "__main__":
    main()
