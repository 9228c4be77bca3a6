"""
The price of a wide split
=========================

A game compares the logarithmic price of a k-way split with the linear one.

Mansour and McAllester describe growing a tree as a game. An adversary offers splits for every leaf,
one of them binary with an advantage of at least gamma, and the learner takes one at a time until
the tree has s leaves. They prove that a k-way split may be taken for a gain of about log k; naively
its gain should be proportional to the number of added leaves. The price is ceil(log2 k) in
``hatano`` and k - 1 in ``per-leaf``. Neither is always better: it depends on how the weight is
distributed over the children.

Each price belongs to a procedure: ``hatano`` splits the heaviest leaf and accepts k branches only
if k <= s/leaves; ``per-leaf`` takes the best option of all leaves if k branches fit the budget.
"""

from typing import NamedTuple

import matplotlib.pyplot as plt
import numpy as np

from polytomy.theory import BranchingGame, phi
from polytomy.theory.branching_game import ADVERSARIES

LOG, LINEAR, BINARY = "hatano", "per-leaf", "kearns-mansour"
COLUMNS = {LOG: "log price", LINEAR: "linear price", BINARY: "binary only"}
GAMES = 30  # against the random adversary

OFFERS = {
    "binary": "equal halves only",
    "log-price": "also equal children slightly above the log price",
    "linear-price": "also equal children slightly below the linear price",
    "peeling": "like log-price, but one child keeps all the weight",
    "generous": "8 children that remove 9/10 of the weight, at every fourth leaf",
    "random": f"random options up to twice the log price (mean of {GAMES} games)",
}


class Result(NamedTuple):
    """The result of a procedure against an adversary."""

    weight: float  # mean over the games
    widest: int
    wide: int  # number of steps with more than two branches


def play(adversary: str, procedure: str, s: int, gamma: float) -> Result:
    """Play one game, or several against the random adversary."""
    outcomes = [
        BranchingGame(1.0, s, gamma, adversary=adversary, random_state=seed).play(procedure)
        for seed in range(GAMES if adversary == "random" else 1)
    ]
    arities = [move.arity for outcome in outcomes for move in outcome.moves]
    weight = float(np.mean([outcome.weight for outcome in outcomes]))
    return Result(weight, max(arities), sum(k > 2 for k in arities))


def winner(log: Result, linear: Result) -> str:
    """Return the price that leaves less weight, or "neither"."""
    if abs(log.weight - linear.weight) <= 1e-9:
        return "neither"
    return "log" if log.weight < linear.weight else "linear"


def compare(s: int, gamma: float) -> dict[str, dict[str, Result]]:
    """Print the weight that each procedure leaves, and the widest split it took."""
    print(f"Weight left in {s} leaves, gamma = {gamma}, and (the largest arity taken)")
    header = "".join(f"{name:>17}" for name in COLUMNS.values())
    print(f"{'adversary':<14}{header}   better price")
    table = {}
    for adversary in ADVERSARIES:
        results = {procedure: play(adversary, procedure, s, gamma) for procedure in COLUMNS}
        cells = "".join(
            f"{result.weight:12.4f} ({result.widest:>2})" for result in results.values()
        )
        print(f"{adversary:<14}{cells}   {winner(results[LOG], results[LINEAR])}")
        table[adversary] = results
    print(f"phi({s}) = {phi(s, gamma):.4f}: the largest weight that hatano can end with\n")
    return table


def verdict(log: Result, linear: Result) -> str:
    """Return which price did better, and by how much."""
    better = winner(log, linear)
    if better == "neither":
        return f"both end with {log.weight:.4f}"
    least, most = sorted((log.weight, linear.weight))
    return f"the {better} price leaves {least / most:.0%} of the weight that the other leaves"


def explain(table: dict[str, dict[str, Result]]) -> None:
    """Print the offers of each adversary and the better price."""
    for adversary, results in table.items():
        log, linear = results[LOG], results[LINEAR]
        print(f"- {adversary}: {OFFERS[adversary]};\n  {verdict(log, linear)}")
        if adversary == "generous" and linear.wide > log.wide:
            print(
                f"  (not because of its price: k <= s/leaves allows hatano {log.wide} wide split,"
                f" while per-leaf took {linear.wide})"
            )
    print(
        "\nThe log price is right if the weight spreads over the children: a binary tree would need"
        "\nas many leaves to remove about gamma log2 k of it. If the weight stays in one child"
        "\n(peeling), k - 1 binary steps would each have removed gamma of it.\n"
    )


def generous_offers(s: int) -> None:
    """Show that the linear price rejects a very good split if gamma is large enough."""
    per_leaf = 0.9 / 7
    print(f"8 children that remove 0.9 of the weight: {per_leaf:.3f} per leaf, 0.9/3 = 0.3 per bit")
    print(f"{'gamma':<8}{'log price':>12}{'linear price':>14}   the linear price")
    for gamma in (0.05, 0.1, 0.12, 0.14, 0.2, 0.28):
        log, linear = (play("generous", procedure, s, gamma) for procedure in (LOG, LINEAR))
        took = "takes it" if linear.widest > 2 else "prefers binary splits"
        print(f"{gamma:<8}{log.weight:12.4f}{linear.weight:14.4f}   {took}")
    print()


def large_budget(s: int, gamma: float) -> None:
    """Show Mansour and McAllester's procedure, which needs a large budget for wide splits."""
    names = (LOG, "mansour-mcallester", LINEAR)
    print(f"With {s} leaves, gamma = {gamma}, mansour-mcallester takes wide splits, too")
    print(f"{'adversary':<14}" + "".join(f"{name:>25}" for name in names))
    for adversary in ("log-price", "linear-price"):
        results = [play(adversary, procedure, s, gamma) for procedure in names]
        cells = "".join(f"{result.weight:20.4f} ({result.widest:>2})" for result in results)
        print(f"{adversary:<14}{cells}")


def draw(table: dict[str, dict[str, Result]]) -> None:
    """Draw the weight that each price leaves, for each adversary."""
    axes = plt.figure(figsize=(8, 3.6), layout="constrained").subplots()
    for i, (procedure, name) in enumerate(COLUMNS.items()):
        places = np.arange(len(table)) + 0.27 * (i - 1)
        weights = [results[procedure].weight for results in table.values()]
        axes.bar(places, weights, width=0.25, label=name)
    axes.set_xticks(range(len(table)), list(table))
    axes.set(xlabel="adversary", ylabel="weight left in 32 leaves")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)
    plt.show()


# %%
# Both prices against every adversary
# -----------------------------------

results = compare(s=32, gamma=0.1)
draw(results)

# %%

explain(results)

# %%
# When the linear price rejects a very good split
# -----------------------------------------------

generous_offers(s=32)

# %%
# A large budget
# --------------

large_budget(s=256, gamma=0.2)
