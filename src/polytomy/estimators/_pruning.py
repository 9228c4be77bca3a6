"""From a grown tree to the one that is kept: by a pruner, overgrown, or by cross-validation."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import ceil
from numbers import Integral, Real
from typing import Any

import numpy as np

from polytomy._errors import ParameterError
from polytomy._types import TIE, BranchArray, FloatArray, RowArray
from polytomy.encode import Coded, Schema
from polytomy.grow import GrowParams, Growth, grow
from polytomy.index import Index
from polytomy.model import Model, Pruning
from polytomy.predict import apply
from polytomy.prune import (
    CostComplexity,
    CostPath,
    ErrorBudget,
    Evidence,
    Pruner,
    PruningPath,
    Rows,
    node_counts,
    one_standard_error,
    resolve,
)
from polytomy.tree import Tree

from ._record import run_of
from ._sample import Sample, folds_of

CV_LEAVES = 1024  # max_leaves="cv" grows to so many and chooses among the prunings
_MAY_OVERGROW = ("per-leaf", "kearns-mansour")


@dataclass(frozen=True, slots=True)
class Plan:
    """What to grow and how to prune it."""

    max_leaves: Any  # the budget of the run; the grower's parameters check it
    pruner: Pruner | None = None
    by: str | None = None  # in words, what pruned
    overgrown: int | None = None  # the budget the user gave, where the run had a larger one

    @property
    def held_fraction(self) -> float | None:
        """The share of the rows to keep back from growing, if any."""
        return None if self.pruner is None else self.pruner.held_fraction


def plan_of(max_leaves: Any, overgrow: Any, pruner: Any, procedure: str) -> Plan:
    """Return what the three parameters ask for, or say which of them do not go together."""
    is_number = type(overgrow) is not bool and isinstance(overgrow, Real)
    if not is_number or not 1 <= float(overgrow) < np.inf:
        raise ParameterError(f"overgrow must be a number of at least 1, got {overgrow!r}")
    by_cv = isinstance(max_leaves, str) and max_leaves == "cv"
    if isinstance(max_leaves, str) and not by_cv:
        raise ParameterError(
            f"max_leaves must be an integer of at least 1, None or 'cv', got {max_leaves!r}"
        )
    if sum((by_cv, overgrow != 1, pruner is not None)) > 1:
        raise ParameterError(
            "max_leaves='cv', overgrow and pruner each choose a pruning: give one of them"
        )
    if by_cv:
        return Plan(CV_LEAVES, ErrorBudget(select="cv"), "cross-validation")
    if overgrow != 1:
        return _overgrown(max_leaves, float(overgrow), procedure)
    if pruner is None:
        return Plan(max_leaves)
    chosen = resolve(pruner)
    return Plan(max_leaves, chosen, chosen.name)


def _overgrown(max_leaves: Any, overgrow: float, procedure: str) -> Plan:
    if type(max_leaves) is bool or not isinstance(max_leaves, Integral):
        raise ParameterError(f"overgrow needs a number for max_leaves, got {max_leaves!r}")
    if procedure not in _MAY_OVERGROW:
        raise ParameterError(
            f"overgrow does not go with {procedure!r}, whose promise is for a run that stops at "
            f"its budget; it goes with {' and '.join(_MAY_OVERGROW)}"
        )
    size = int(max_leaves)
    by = f"overgrowing {overgrow:g} times"
    return Plan(ceil(overgrow * size), ErrorBudget(select=max(size, 1)), by, size)


@dataclass(frozen=True, slots=True)
class Growing:
    """How trees are grown: the parameters, and how many threads."""

    params: GrowParams
    threads: int

    def on(self, coded: Coded, sample: Sample, on_step: Any = None) -> Growth:
        """Grow a tree on encoded rows."""
        return grow(coded, sample.target, self.params, sample.table, self.threads, on_step)


def rows_of(sample: Sample, schema: Schema, threads: int) -> Rows:
    """Return rows that pruners can send down a tree."""

    def route(tree: Tree, rows: RowArray | None) -> BranchArray:
        table = sample.table if rows is None else sample.table.take(rows)
        return apply(tree, schema, table, threads)

    return Rows(sample.target, route)


def held_weights(tree: Tree, rows: Rows) -> FloatArray:
    """Return the weight of held-out rows of each class at each node."""
    units, _ = node_counts(tree, rows.route(tree, None), rows.target)
    return np.asarray(units * rows.target.unit, dtype=np.float64)


def evidence_of(
    tree: Tree, schema: Schema, index: Index, training: Rows | None, held: Rows | None
) -> Evidence:
    """Return all that pruners may look at."""
    weights = None if held is None else held_weights(tree, held)
    return Evidence(
        schema=schema, index=index, held=weights, training_rows=training, held_rows=held
    )


def kept_by(
    plan: Plan,
    model: Model,
    growing: Growing,
    rows: tuple[Coded, Sample, Sample | None],
    random_state: Any,
) -> Model:
    """Return the model with the tree that a plan keeps of the grown one."""
    if plan.pruner is None or plan.by is None:
        return model
    coded, sample, held = rows
    grown, schema, index = model.grown, model.schema, model.run.index
    pruner = settled(plan.pruner, (grown, index), growing, (coded, sample), random_state)
    training = rows_of(sample, schema, growing.threads)
    apart = None if held is None else rows_of(held, schema, growing.threads)
    tree, _ = pruner.prune(grown, evidence_of(grown, schema, index, training, apart))
    if plan.overgrown is not None:
        params = replace(growing.params, max_leaves=plan.overgrown)
        stopped = Growing(params, growing.threads).on(coded, sample)
        if errors_of(stopped.tree) < errors_of(tree) - TIE * float(tree.counts[0].sum()):
            # A question too wide for the budget led the larger run elsewhere.
            run = run_of(stopped, model.run.weighting)
            return replace(model, grown=stopped.tree, run=run)
    return replace(model, pruning=Pruning(tree, plan.by, plan.overgrown))


def errors_of(tree: Tree) -> float:
    """Return the weight of the training rows that a tree gets wrong."""
    counts = tree.counts[tree.leaves()]
    return float((counts.sum(axis=1) - counts.max(axis=1)).sum())


def settled(
    pruner: Pruner,
    growth: tuple[Tree, Index],
    growing: Growing,
    rows: tuple[Coded, Sample],
    random_state: Any,
) -> Pruner:
    """Return a pruner with the size or the price that cross-validation chooses, if it asks for one.

    Every fold grows its own tree on the codes of all rows; a candidate's error is that of the
    fold's own best pruning of that size, or at that price.
    """
    tree, index = growth
    if isinstance(pruner, ErrorBudget) and pruner.cross_validates:
        sizes = PruningPath(tree, pruner.max_size).sizes
        errors = []
        for fold_tree, held, weight in _folds(pruner.folds, growing, rows, random_state):
            path = PruningPath(fold_tree, int(sizes[-1]), held)
            assert path.validation_errors is not None
            at = np.searchsorted(path.sizes, sizes, side="right") - 1
            errors.append(path.validation_errors[at] / weight)
        size = int(sizes[one_standard_error(np.array(errors))])
        return replace(pruner, select=size, max_size=None)
    if isinstance(pruner, CostComplexity) and pruner.cross_validates:
        cost = index if pruner.cost == "index" else None
        alphas = CostPath(tree, cost).alphas
        # As CART does; the root stands for all prices from its own on.
        between = np.append(np.sqrt(alphas[:-1] * alphas[1:]), np.inf)
        errors = []
        for fold_tree, held, weight in _folds(pruner.folds, growing, rows, random_state):
            costs = CostPath(fold_tree, cost, held)
            assert costs.validation_errors is not None
            at = np.searchsorted(costs.alphas, between * (1 + TIE), side="right") - 1
            errors.append(costs.validation_errors[at] / weight)
        small_first = np.array(errors)[:, ::-1]
        return replace(pruner, alpha=float(alphas[::-1][one_standard_error(small_first)]))
    return pruner


def _folds(
    folds: int, growing: Growing, rows: tuple[Coded, Sample], random_state: Any
) -> Iterator[tuple[Tree, FloatArray, float]]:
    """Yield each fold's tree, the weights of its held-out rows at its nodes, and their sum."""
    coded, sample = rows
    if len(sample.labels) < folds:
        raise ParameterError(
            f"{len(sample.labels)} rows cannot make {folds} folds to choose by: give the size or "
            "the price yourself, or fewer folds"
        )
    fold = folds_of(sample.labels, folds, random_state)
    for f in range(folds):
        inside, outside = np.flatnonzero(fold != f), np.flatnonzero(fold == f)
        part, held = sample.take(inside), sample.take(outside)
        tree = growing.on(coded.take(inside), part).tree
        counted = held_weights(tree, rows_of(held, coded.schema, growing.threads))
        yield tree, counted, held.weight
