"""
Why splitting the heaviest leaf works
=====================================

Hatano's game with several players and adversaries.

A player picks a leaf, and an adversary gives it k children. The adversary chooses k and the weights
of the children, but must give up gamma ceil(log2 k) of the leaf's weight. Against any adversary, a
player who always picks the heaviest leaf ends with at most phi(s), and so below s^-gamma.
"""

from math import ceil, log, log2

import matplotlib.pyplot as plt
import numpy as np

from polytomy.theory import WeightDistributionGame, e, g, phi
from polytomy.theory.weight_game import ADVERSARIES, PLAYERS

GAMMA = 0.2
SIZE = 32
GAMES = 200  # against random players or adversaries


def decoy(game: WeightDistributionGame, leaf: int) -> tuple[int, list[float]]:
    """Keep the weight in one leaf, and fill the tree with leaves of weight 0."""
    k = 2 if game.weights[leaf] > 0 else game.arities[-1]
    return k, [1.0] + [0.0] * (k - 1)


def final_weight(player, adversary, s=SIZE, seed=None) -> float:
    """Play one game from a weight of 1."""
    return WeightDistributionGame(1.0, s, GAMMA).play(player, adversary, random_state=seed)


def players_and_adversaries() -> None:
    """Print the largest final weight of every player against every adversary."""
    adversaries = {**{name: name for name in ADVERSARIES}, "decoy": decoy}
    print(f"Largest final weight for {SIZE} leaves, gamma = {GAMMA}, {GAMES} random games")
    print(f"{'player':<15}" + "".join(f"{name:>14}" for name in adversaries))
    above, below = [], []
    for player in PLAYERS:
        row = []
        for adversary in adversaries.values():
            games = GAMES if "random" in (player, adversary) else 1
            row.append(max(final_weight(player, adversary, seed=i) for i in range(games)))
        print(f"{player:<15}" + "".join(f"{weight:14.4f}" for weight in row))
        (above if max(row) > phi(SIZE, GAMMA) * (1 + 1e-9) else below).append(player)
    print(f"phi({SIZE}) = {phi(SIZE, GAMMA):.4f}, {SIZE}^-gamma = {SIZE**-GAMMA:.4f}")
    print(f"never above phi here: {', '.join(below)}; above it at least once: {', '.join(above)}\n")


def worst_cases() -> None:
    """Print the worst cases found by an exhaustive search of the adversary's moves."""
    print("Worst case over all numbers of children and all distributions in eighths")
    print(f"{'s':<3}{'heaviest':>10}{'phi(s)':>10}{'found':>10}   moves")
    for s in range(2, 9):
        worst = WeightDistributionGame(1.0, s, GAMMA).worst_case("heaviest", grid=8)
        moves = {(move.k, move.distribution) for move in worst.moves}
        halves = "always halves" if moves == {(2, (0.5, 0.5))} else str(moves)
        same = "= phi" if abs(worst.value - phi(s, GAMMA)) < 1e-12 else "is not phi"
        print(f"{s:<3}{worst.value:10.4f}{phi(s, GAMMA):10.4f}{same:>10}   {halves}")
    game = WeightDistributionGame(1.0, 9, GAMMA)
    worst = game.worst_case("breadth-first", grid=2)
    print(
        f"Picking the leaf nearest to the root is not enough: at s = 9 it can end with "
        f"{worst.value:.4f},\nabove phi(9) = {game.bound:.4f}, "
        "because leaves of weight 0 near the root come before heavy ones.\n"
    )


def wide_roots(s: int = 16, draws: int = 400) -> None:
    """Print Lemma 9: halving leaves more weight than a wide root with any shares."""
    rng = np.random.default_rng(0)
    print(f"A root with k children and any shares, then halves ({draws} draws, s = {s})")
    print(f"{'k':<4}{'equal shares':>14}{'worst draw':>12}{'phi(s)':>10}")
    for k in (2, 3, 4, 5, 8, 16):
        ends = []
        for shares in [np.full(k, 1 / k), *rng.dirichlet(np.full(k, 5.0), size=draws)]:
            game = WeightDistributionGame(1.0, s, GAMMA)
            game.step(0, k, shares)
            ends.append(game.play("heaviest", "binary-equal"))
        print(f"{k:<4}{ends[0]:14.4f}{max(ends[1:]):12.4f}{phi(s, GAMMA):10.4f}")
    print()


def prices() -> None:
    """Print the prices of k branches: Hatano's, and Mansour and McAllester's."""
    arities = (2, 3, 4, 5, 8, 9, 16, 64, 256)
    print("Price of k branches, in units of the price of two")
    print(f"{'k':<18}" + "".join(f"{k:>8}" for k in arities))
    print(f"{'ceil(log2 k)':<18}" + "".join(f"{ceil(log2(k)):>8}" for k in arities))
    for gamma in (0.01, GAMMA, 0.5):
        print(f"g(k), gamma {gamma:<6}" + "".join(f"{g(k, gamma):8.3f}" for k in arities))
    dearer = all(
        ceil(log2(k)) >= g(k, gamma) for k in range(2, 1000) for gamma in (0.01, GAMMA, 0.5)
    )
    print(f"ceil(log2 k) >= g(k) for every k below 1000 and these gammas: {dearer}\n")


def draw_games(axes) -> None:
    """Draw random games against the bounds."""
    sizes = [2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64]
    for s in sizes:
        ends = [final_weight("heaviest", "random", s, seed) for seed in range(60)]
        jitter = s * 2 ** np.random.default_rng(s).uniform(-0.12, 0.12, len(ends))
        axes.plot(jitter, ends, ".", color="0.65", markersize=3, zorder=1)
    axes.plot([], [], ".", color="0.65", label="random adversary, 60 games each")
    fine = range(2, 65)
    halves = [final_weight("heaviest", "binary-equal", s) for s in sizes]
    axes.plot(fine, [s**-GAMMA for s in fine], ":", color="black", label=r"$s^{-\gamma}$")
    axes.plot(fine, [e(s, GAMMA) for s in fine], "--", color="tab:green", label="e(s)")
    axes.plot(fine, [phi(s, GAMMA) for s in fine], color="tab:blue", label=r"$\varphi(s)$")
    axes.plot(sizes, halves, "o", color="tab:blue", markersize=4, label="halving adversary")
    axes.set_title("Picking the heaviest leaf\nnever ends above $\\varphi$")


def draw_decoy(axes) -> None:
    """Draw the players against the adversary with leaves of weight 0."""
    sizes = np.unique(np.geomspace(2, 128, 25).round().astype(int)).tolist()
    styles = {"breadth-first": ("tab:orange", "s-"), "heaviest": ("tab:purple", "o-")}
    for player, (colour, style) in styles.items():
        ends = [final_weight(player, decoy, s) for s in sizes]
        axes.plot(sizes, ends, style, color=colour, markersize=3.5, label=f"{player} player")
    axes.plot(sizes, [s**-GAMMA for s in sizes], ":", color="black", label=r"$s^{-\gamma}$")
    axes.plot(sizes, [phi(s, GAMMA) for s in sizes], color="tab:blue", label=r"$\varphi(s)$")
    axes.set_title("Against decoys of weight 0\nbreadth-first loses the guarantee")


def draw_prices(axes) -> None:
    """Draw the prices of k branches."""
    arities = range(2, 33)
    axes.plot(arities, [k - 1 for k in arities], ":", color="black", label="k - 1, linear")
    axes.step(
        arities, [ceil(log2(k)) for k in arities], color="tab:blue", label="ceil(log2 k), Hatano"
    )
    for gamma, style in ((0.01, "-"), (GAMMA, "--")):
        label = f"g(k), gamma = {gamma}"
        axes.plot(arities, [g(k, gamma) for k in arities], style, color="tab:red", label=label)
    axes.plot(arities, [log(k) for k in arities], color="0.6", linewidth=0.9, label="ln k")
    axes.set(ylim=(0, 8), xlabel="branches k", ylabel="price, in units of two branches")
    axes.set_xticks([2, 4, 8, 16, 32])
    axes.set_title("The price of k branches\nis about a logarithm")
    axes.legend(frameon=False, fontsize=8, loc="upper right")


def draw() -> None:
    """Draw the figure."""
    figure = plt.figure(figsize=(13, 4.4), layout="constrained")
    games, fooled, cost = figure.subplots(1, 3)
    draw_games(games)
    draw_decoy(fooled)
    for axes in (games, fooled):
        axes.set(xlabel="leaves s", ylabel=f"final weight, gamma = {GAMMA}", ylim=(0, 1))
        axes.set_xscale("log", base=2)
        axes.xaxis.set_major_formatter("{x:.0f}")
        axes.legend(frameon=False, fontsize=8, loc="upper right")
    draw_prices(cost)
    for axes in figure.axes:
        axes.spines[["top", "right"]].set_visible(False)
        axes.title.set_fontsize(11)
    plt.show()


# %%
# Players and adversaries
# -----------------------

draw()
players_and_adversaries()

# %%
# Worst cases
# -----------
# An exhaustive search of the adversary's moves finds them: halving, always.

worst_cases()
wide_roots()

# %%
# Prices
# ------

prices()
