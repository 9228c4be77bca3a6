"""Check the record of a run: every step against the data and the rules."""

from collections.abc import Callable
from math import inf

import numpy as np

from polytomy import theory
from polytomy._types import TIE
from polytomy.certify.record import Rules, Run
from polytomy.encode import Schema
from polytomy.index import INDICES, NUMERIC, Index
from polytomy.tree import Tree

from .binary_gain import GainRange
from .constraints import passed_over
from .recount import Recount
from .replay import Replay, largest_leaves
from .report import TOLERANCE, Ledger

_NO_OPTION = "no acceptable option"
_CHOICES_UNCHECKED = {
    "priced": "groupings of categories and further branches have prices of their own",
    "gain-ratio": "splits are compared by their gain ratio",
}
"""The procedures that compare more than gain / price(k), and what they compare."""


def check_rules(ledger: Ledger, rules: Rules) -> bool:
    """Check that the rules belong to a procedure; return whether the other checks make sense."""
    ledger.begin("run: procedure, order, gamma")
    known = ledger.holds(
        rules.procedure in theory.PROCEDURES, "rules", f"unknown procedure {rules.procedure!r}"
    )
    fits = rules.order in theory.LEAF_ORDERS.get(rules.procedure, ("heaviest",))
    ledger.holds(fits, "rules", f"{rules.procedure} has no leaf order {rules.order!r}")
    needs = rules.procedure == "mansour-mcallester"
    right = (rules.gamma is not None and 0 < rules.gamma < 1) if needs else rules.gamma is None
    return (
        ledger.holds(right, "rules", f"{rules.procedure} cannot have gamma = {rules.gamma}")
        and known
        and fits
    )


def check_index(ledger: Ledger, index: Index) -> None:
    """Check that an index with the name of a built-in one is that index."""
    ledger.begin("run: index")
    known = (NUMERIC if index.is_numeric else INDICES).get(index.name)
    ledger.holds(
        known is None or known.function is index.function or index.number is None,
        "run",
        f"the index is named {index.name} but is a different function",
    )


def check_finished(ledger: Ledger, run: Run, tree: Tree, played: Replay) -> None:
    """Check that a run that ended below its budget had given up every impure leaf."""
    ledger.begin("run: no leaf left to split below the budget")
    limit, size = run.rules.max_leaves, int(played.leaves[-1])
    if run.stopped is not None or (limit is not None and size >= limit):
        return
    given_up = {retired.leaf for retired in run.retired}
    for leaf in tree.leaves().tolist():
        done = played.outside[leaf] <= 0 or leaf in given_up
        ledger.holds(done, f"leaf {leaf}", "it is impure, and the record does not give it up")


def check_splits(ledger: Ledger, run: Run, played: Replay) -> None:
    """Check leaf, children, impurity, gain and price of every step, in order."""
    ledger.begin("run: leaf, children, size, impurity, gain, price")
    ledger.same(len(run.splits), len(played.nodes), "run", "the number of steps")
    made = 1
    for step, split in enumerate(run.splits[: len(played.nodes)]):
        where, node, children = place(step, played), played.nodes[step], played.children[step]
        numbered = children == list(range(made, made + len(children)))
        ledger.holds(
            numbered or run.found,
            where,
            f"its children are not numbered consecutively from {made}: {children}",
        )
        made += len(children)
        ledger.same(split.leaf, node, where, "the leaf")
        ledger.same(split.children, tuple(children), where, "children")
        ledger.same(split.leaves_before, int(played.leaves[step]), where, "leaves_before")
        impurity = float(played.values[node])
        scale = float(played.slack[node]) / TOLERANCE
        ledger.close(split.weight, impurity, where, "the leaf's impurity", scale)
        ledger.close(split.gain, float(played.gains[step]), where, "gain", scale)
        price = theory.price(run.judged_by.procedure, len(children), run.judged_by.gamma)
        ledger.close(split.price, price, where, "price")


def check_binary(ledger: Ledger, run: Run, played: Replay, ranges: list[GainRange]) -> None:
    """Check the best binary gain of every step, and that no binary option had a better score."""
    ledger.begin("run: best binary gain, no better binary option")
    open_ended = 0
    for step, (split, found) in enumerate(zip(run.splits, ranges, strict=False)):
        where, slack = place(step, played), float(played.slack[played.nodes[step]])
        open_ended += not found.exact
        ledger.holds(
            _within(split.best_binary_gain, found, slack),
            where,
            f"best_binary_gain is {split.best_binary_gain}, {_range_text(found)}",
        )
        if run.rules.procedure in _CHOICES_UNCHECKED:
            continue
        score = _score(run.rules, played, step)
        best = 0.0 if found.lower is None else found.lower
        ledger.holds(
            score >= best - slack,
            where,
            f"its gain / price is {score:.10g}, but a binary option has {best:.10g}",
        )
    if open_ended:
        ledger.note(
            f"The best binary gain of {open_ended} steps could only be bounded, because of a "
            "user-defined family, a constraint on values or costs, or more than 8 categories with "
            "3 or more classes."
        )


def check_found(ledger: Ledger, run: Run, tree: Tree, counted: Recount, played: Replay) -> None:
    """Check the record of a tree that was found: its sizes, and that it claims nothing of a run."""
    ledger.begin("run: size limits, nothing claimed of a run")
    _check_sizes(ledger, run.rules, tree, counted, played)
    claims = [s.leaf for s in run.splits if s.best_binary_gain is not None]
    claims += [retired.leaf for retired in run.retired]
    ledger.holds(not claims, "run", f"it states options of nodes {claims}, which are not known")
    ledger.holds(run.stopped is None, "run", f"it states that growth was stopped by {run.stopped}")
    ledger.note(
        "The choice of the splits and the order of the leaves are not checked: the tree was found "
        "in another way than by a growth procedure."
    )


def _check_sizes(
    ledger: Ledger, rules: Rules, tree: Tree, counted: Recount, played: Replay
) -> None:
    """Check the number of leaves, and that the children of every split were large enough."""
    most = inf if rules.max_leaves is None else rules.max_leaves
    ledger.holds(tree.n_leaves <= most, "tree", f"{tree.n_leaves} leaves, but max_leaves is {most}")
    weights = counted.weight
    lightest = rules.min_weight_fraction_leaf * weights[0] * (1 - 2 * TIE)
    for step, children in enumerate(played.children):
        where = place(step, played)
        enough = counted.rows[children].min() >= rules.min_samples_leaf
        ledger.holds(bool(enough), where, f"a child has fewer than {rules.min_samples_leaf} rows")
        heavy = weights[children].min() >= lightest
        ledger.holds(bool(heavy), where, "the weight of a child is below min_weight_fraction_leaf")


def check_limits(ledger: Ledger, run: Run, tree: Tree, counted: Recount, played: Replay) -> None:
    """Check that every step was acceptable and its children were large enough."""
    ledger.begin("run: acceptable arities, size limits")
    rules = run.rules
    _check_sizes(ledger, rules, tree, counted, played)
    for step, children in enumerate(played.children):
        where, k, size = place(step, played), len(children), int(played.leaves[step])
        fits = theory.acceptable(rules.procedure, k, size, rules.max_leaves, rules.gamma)
        ledger.holds(fits, where, f"{k} branches are not acceptable to {rules.procedure} here")


def check_order(ledger: Ledger, run: Run, played: Replay, ranges: list[GainRange]) -> None:
    """Check that no step passed over a heavier leaf, or one with a better split."""
    ledger.begin("run: order of the leaves")
    if run.rules.procedure in _CHOICES_UNCHECKED:
        ledger.note(
            "The choice of each split and leaf is not checked: in this procedure "
            f"{_CHOICES_UNCHECKED[run.rules.procedure]}, and the bound follows from the gains "
            "alone."
        )
        return
    until = {retired.leaf: retired.leaves for retired in run.retired}
    keys = played.values
    if run.rules.order == "steepest":  # a leaf that was split later had at least this gain
        keys = np.full(len(played.values), -inf)
        for node, found in zip(played.nodes, ranges, strict=True):
            keys[node] = 0.0 if found.lower is None else found.lower
    for step, leaf in enumerate(largest_leaves(played, keys, until)):
        node, where = played.nodes[step], place(step, played)
        open_still = until.get(node, inf) > played.leaves[step]
        ledger.holds(open_still, where, "the leaf had been given up")
        if leaf is None or leaf == node:
            continue
        score = float(keys[node])
        if run.rules.order == "steepest":
            score = _score(run.rules, played, step)
        ledger.holds(
            not is_heavier(float(keys[leaf]), score, float(played.values[0])),
            where,
            f"leaf {leaf} was passed over, with {keys[leaf]:.10g} instead of {score:.10g}",
        )


def check_retired(
    ledger: Ledger, run: Run, tree: Tree, played: Replay, search: Callable[[int], GainRange]
) -> None:
    """Check that nodes that were given up are leaves, and had no option if that is the reason."""
    ledger.begin("run: leaves that were given up")
    made = played.made_at()
    named = [retired.leaf for retired in run.retired]
    ledger.holds(len(set(named)) == len(named), "run", "a leaf was given up twice")
    for retired in run.retired:
        where = f"leaf {retired.leaf}, given up"
        known = 0 <= retired.leaf < tree.n_nodes and tree.is_leaf(retired.leaf)
        if not ledger.holds(known, where, "the tree has no such leaf"):
            continue
        there = retired.leaves in played.leaves and made[retired.leaf] <= retired.leaves
        ledger.holds(there, where, f"it did not exist when the tree had {retired.leaves} leaves")
        if retired.reason == _NO_OPTION:
            found = search(retired.leaf)
            ledger.holds(
                found.lower is None, where, f"it had a binary option, {_range_text(found)}"
            )
    others = sum(retired.reason != _NO_OPTION for retired in run.retired)
    if others:
        ledger.note(
            f"{others} leaves were given up because of a limit that is not checked (max_depth, "
            "min_samples_split, min_gain)."
        )


def check_first(
    ledger: Ledger,
    run: Run,
    tree: Tree,
    played: Replay,
    schema: Schema,
    best: Callable[..., GainRange],
) -> None:
    """Check that no step passed over a column that comes first and has a split that gains.

    A split that gains as much as one that was made is not too small for ``min_gain``, which the
    record does not state. Groupings that are charged for their description may be worth nothing,
    so columns of categories are left out then.
    """
    ledger.begin("run: columns that come first")
    made = min((split.gain for split in run.splits), default=0.0)
    for step, node in enumerate(played.nodes):
        columns = passed_over(tree, len(schema), run.rules, node)
        if run.rules.procedure == "priced":
            columns = tuple(j for j in columns if schema[j].kind == "ordered")
        if not columns:
            continue
        gain = best(node, columns=columns).lower or 0.0
        slack = float(played.slack[node])
        ledger.holds(
            gain <= slack or gain < made - slack,
            place(step, played),
            f"a column that comes first gains {gain:.6g} there, but another was asked",
        )


def is_heavier(impurity: float, than: float, root: float) -> bool:
    """Return whether an impurity exceeds another by more than rounding and the tie tolerance."""
    return impurity > than * (1 + TOLERANCE) + 2 * TIE * root


def place(step: int, played: Replay) -> str:
    """Return the place of a step for a finding."""
    return f"step {step + 1}, leaf {played.nodes[step]}"


def _score(rules: Rules, played: Replay, step: int) -> float:
    price = theory.price(rules.procedure, played.arity(step), rules.gamma)
    return float(played.gains[step]) / price


def _within(stated: float | None, found: GainRange, slack: float) -> bool:
    if stated is None or found.upper is None:
        return stated is None and found.lower is None
    return (found.lower or 0.0) - slack <= stated <= found.upper + slack


def _range_text(found: GainRange) -> str:
    if found.exact:
        return f"found {found.lower}"
    return f"which lies between {found.lower or 0.0} and {found.upper}"
