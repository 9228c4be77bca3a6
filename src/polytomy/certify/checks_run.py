"""Checks of the record of a run: every step against the data and the rules."""

from collections.abc import Callable
from math import inf

import numpy as np

from polytomy import theory
from polytomy._types import TIE
from polytomy.index import INDICES, Index
from polytomy.tree import Tree

from .binary import Range
from .recount import Recount
from .replay import Replay, largest_leaves
from .report import TOLERANCE, Ledger
from .run import Rules, Run

_EMPTY_MENU = "no acceptable option"


def check_rules(ledger: Ledger, rules: Rules) -> bool:
    """Check that the rules are those of a procedure; without that nothing else means anything."""
    ledger.begin("run: procedure, order, gamma")
    known = ledger.holds(
        rules.procedure in theory.PROCEDURES, "rules", f"no procedure is called {rules.procedure!r}"
    )
    orders = {"per-leaf": ("steepest",), "kearns-mansour": ("heaviest", "steepest")}
    fits = rules.order in orders.get(rules.procedure, ("heaviest",))
    ledger.holds(fits, "rules", f"{rules.procedure} has no order {rules.order!r}")
    needs = rules.procedure == "mansour-mcallester"
    right = (rules.gamma is not None and 0 < rules.gamma < 1) if needs else rules.gamma is None
    return (
        ledger.holds(right, "rules", f"{rules.procedure} cannot have gamma = {rules.gamma}")
        and known
        and fits
    )


def check_index(ledger: Ledger, index: Index) -> None:
    """Check that what goes by the name of a built-in index is that index."""
    ledger.begin("run: index")
    known = INDICES.get(index.name)
    ledger.holds(
        known is None or known.function is index.function or index.number is None,
        "run",
        f"the index is called {index.name} but is another",
    )


def check_finished(ledger: Ledger, run: Run, tree: Tree, played: Replay) -> None:
    """Check that a run that ended below its budget had no leaf left that it had not given up."""
    ledger.begin("run: nothing left to split, where the budget is not spent")
    limit, size = run.rules.max_leaves, int(played.leaves[-1])
    if run.stopped is not None or (limit is not None and size >= limit):
        return
    given_up = {retired.leaf for retired in run.retired}
    for leaf in tree.leaves().tolist():
        done = played.misses[leaf] <= 0 or leaf in given_up
        ledger.holds(done, f"leaf {leaf}", "it could be split, and nothing says why it was not")


def check_splits(ledger: Ledger, run: Run, played: Replay) -> None:
    """Check leaf, children, weight, gain and price of every step, in order."""
    ledger.begin("run: leaf, children, size, weight, gain, price")
    ledger.same(len(run.splits), len(played.nodes), "run", "the number of steps")
    made = 1
    for step, split in enumerate(run.splits[: len(played.nodes)]):
        where, node, children = place(step, played), played.nodes[step], played.children[step]
        numbered = children == list(range(made, made + len(children)))
        ledger.holds(numbered, where, f"its children are not numbered from {made} on: {children}")
        made += len(children)
        ledger.same(split.leaf, node, where, "the leaf")
        ledger.same(split.children, tuple(children), where, "children")
        ledger.same(split.leaves_before, int(played.leaves[step]), where, "leaves_before")
        weight = float(played.values[node])
        ledger.close(split.weight, weight, where, "the leaf's weight")
        ledger.close(split.gain, float(played.gains[step]), where, "gain", weight)
        price = theory.price(run.rules.procedure, len(children), run.rules.gamma)
        ledger.close(split.price, price, where, "price")


def check_binary(ledger: Ledger, run: Run, played: Replay, ranges: list[Range]) -> None:
    """Check every step's best binary gain, and that no binary option had a better score."""
    ledger.begin("run: best binary gain, and none with a better score")
    open_ended = 0
    for step, (split, found) in enumerate(zip(run.splits, ranges, strict=False)):
        where, weight = place(step, played), float(played.values[played.nodes[step]])
        open_ended += not found.exact
        ledger.holds(
            _within(split.best_binary_gain, found, TOLERANCE * weight),
            where,
            f"best_binary_gain is {split.best_binary_gain}, {_told(found)}",
        )
        score = _score(run.rules, played, step)
        best = 0.0 if found.lower is None else found.lower
        ledger.holds(
            score >= best - TOLERANCE * weight,
            where,
            f"its gain over its price is {score:.10g}, but a binary option gains {best:.10g}",
        )
    if open_ended:
        ledger.note(
            f"the best binary gain of {open_ended} steps rests on the grower's word, within bounds:"
            " a family of your own, or more than 8 categories with 3 or more classes."
        )


def check_limits(ledger: Ledger, run: Run, tree: Tree, held: Recount, played: Replay) -> None:
    """Check that every step was acceptable and its children large enough."""
    ledger.begin("run: acceptable arities, limits on size")
    rules = run.rules
    most = inf if rules.max_leaves is None else rules.max_leaves
    ledger.holds(tree.n_leaves <= most, "tree", f"{tree.n_leaves} leaves, but max_leaves is {most}")
    weights = held.counts.sum(axis=1)
    lightest = rules.min_weight_fraction_leaf * weights[0] * (1 - 2 * TIE)
    for step, children in enumerate(played.children):
        where, k, size = place(step, played), len(children), int(played.leaves[step])
        fits = theory.acceptable(rules.procedure, k, size, rules.max_leaves, rules.gamma)
        ledger.holds(fits, where, f"{k} branches are not acceptable to {rules.procedure} here")
        enough = held.rows[children].min() >= rules.min_samples_leaf
        ledger.holds(bool(enough), where, f"a child has fewer than {rules.min_samples_leaf} rows")
        heavy = weights[children].min() >= lightest
        ledger.holds(bool(heavy), where, "a child weighs less than min_weight_fraction_leaf")


def check_order(ledger: Ledger, run: Run, played: Replay, ranges: list[Range]) -> None:
    """Check that no leaf was passed over: a heavier one, or one with a better step to take."""
    ledger.begin("run: order of the leaves, none passed over")
    until = {retired.leaf: retired.leaves for retired in run.retired}
    keys = played.values
    if run.rules.order == "steepest":  # a leaf that was split later had that to offer, at least
        keys = np.full(len(played.values), -inf)
        for node, found in zip(played.nodes, ranges, strict=True):
            keys[node] = 0.0 if found.lower is None else found.lower
    for step, leaf in enumerate(largest_leaves(played, keys, until)):
        node, where = played.nodes[step], place(step, played)
        open_still = until.get(node, inf) > played.leaves[step]
        ledger.holds(open_still, where, "the leaf had been given up")
        if leaf is None or leaf == node:
            continue
        own = float(keys[node])
        if run.rules.order == "steepest":
            own = _score(run.rules, played, step)
        ledger.holds(
            not is_heavier(float(keys[leaf]), own, float(played.values[0])),
            where,
            f"leaf {leaf} was passed over: {keys[leaf]:.10g} against {own:.10g}",
        )


def check_retired(
    ledger: Ledger, run: Run, tree: Tree, played: Replay, search: Callable[[int], Range]
) -> None:
    """Check that what was given up is a leaf, and had nothing to offer where that is the reason."""
    ledger.begin("run: leaves given up")
    made = played.made_at()
    named = [retired.leaf for retired in run.retired]
    ledger.holds(len(set(named)) == len(named), "run", "a leaf was given up twice")
    for retired in run.retired:
        where = f"leaf {retired.leaf}, given up"
        known = 0 <= retired.leaf < tree.n_nodes and tree.is_leaf(retired.leaf)
        if not ledger.holds(known, where, "the tree has no such leaf"):
            continue
        there = retired.leaves in played.leaves and made[retired.leaf] <= retired.leaves
        ledger.holds(there, where, f"it was not there in a tree of {retired.leaves} leaves")
        if retired.reason == _EMPTY_MENU:
            found = search(retired.leaf)
            ledger.holds(found.lower is None, where, f"it had a binary option, {_told(found)}")
    others = sum(retired.reason != _EMPTY_MENU for retired in run.retired)
    if others:
        ledger.note(
            f"{others} leaves were given up for a limit that is not checked here (max_depth, "
            "min_samples_split, min_gain)."
        )


def is_heavier(weight: float, than: float, root: float) -> bool:
    """Say whether a weight exceeds another by more than rounding and the tie tolerance."""
    return weight > than * (1 + TOLERANCE) + 2 * TIE * root


def place(step: int, played: Replay) -> str:
    """Return where a step is, in words."""
    return f"step {step + 1}, leaf {played.nodes[step]}"


def _score(rules: Rules, played: Replay, step: int) -> float:
    price = theory.price(rules.procedure, played.arity(step), rules.gamma)
    return float(played.gains[step]) / price


def _within(stated: float | None, found: Range, slack: float) -> bool:
    if stated is None or found.upper is None:
        return stated is None and found.lower is None
    return (found.lower or 0.0) - slack <= stated <= found.upper + slack


def _told(found: Range) -> str:
    if found.exact:
        return f"found {found.lower}"
    return f"which lies between {found.lower or 0.0} and {found.upper}"
