"""Growing a tree and pruning it as planned, and the rows of a tree at its nodes."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from polytomy._errors import ParameterError
from polytomy._resample import assign_folds
from polytomy._text import count
from polytomy._types import TIE, BranchArray, FloatArray, IntArray, RowArray
from polytomy.encode import Coded, NumericTarget, Schema, encode
from polytomy.estimators.base.rows import LabelledRows
from polytomy.grow import GrowParams, Growth, grow, resolved
from polytomy.model import TWO_PRICES, Model, Pruning, to_cases
from polytomy.predict import apply
from polytomy.priced import RemoteSample, Sample, grow_priced
from polytomy.prune import (
    ChiSquare,
    CostComplexity,
    CostPath,
    ErrorBudget,
    Evidence,
    Pruner,
    PruningPath,
    Rows,
    node_counts,
    one_standard_error,
)
from polytomy.tree import Tree, pruned, subtree_sums

from .plan import Plan
from .records import run_of
from .refining import may_refine, refined


def split_rows(
    given: LabelledRows, fraction: float | None, random_state: Any
) -> tuple[LabelledRows, LabelledRows | None, IntArray | None]:
    """Return the training rows, the rows held out for a pruner, and the numbers of the latter."""
    if fraction is None:
        return given.with_weight()[0], None, None
    training, held_out, numbers = given.hold_out(fraction, random_state)
    if not len(numbers):
        raise ParameterError(
            f"a fraction of {fraction:g} of {count(len(training.labels), 'row')} leaves no row to "
            "hold out; use a larger fraction or more rows, or pass X_val and y_val to prune()"
        )
    return training, held_out, numbers


@dataclass(frozen=True, slots=True)
class Growing:
    """The growth parameters and the number of threads."""

    params: GrowParams
    threads: int

    def encode(self, rows: LabelledRows, max_bins: int | str) -> Coded:
        """Encode rows; without a limit on the leaves, "auto" separates rows that differ."""
        exact = self.params.max_leaves is None
        return encode(rows.table, rows.case_units, max_bins, self.threads, separate_rows=exact)

    def grow(self, coded: Coded, rows: LabelledRows, on_step: Any = None) -> Growth:
        """Grow a tree on encoded rows."""
        return grow(coded, rows.target, self.params, rows.table, self.threads, on_step)

    def grow_priced(
        self, sample: Sample | RemoteSample, plan: Plan, on_step: Any = None
    ) -> tuple[Growth, Pruning]:
        """Grow a tree at two prices on encoded rows; return its run and its best pruning.

        The tree is refined if that is allowed (see ``may_refine``).
        """
        wanted = plan.two_prices
        assert wanted is not None
        index = resolved(self.params.index, sample.target.n_classes)
        if plan.name is None and may_refine(sample, self.params, index):
            here = sample if isinstance(sample, Sample) else sample.take(None)
            return refined(here, self.params, plan, self.threads, on_step)
        found = grow_priced(sample, self.params, wanted, self.threads, on_step)
        name = plan.name or TWO_PRICES
        return found.growth, Pruning(found.tree, name, wanted.max_leaves, found.prices)


def carry_out(
    plan: Plan,
    model: Model,
    growing: Growing,
    rows: tuple[Coded, LabelledRows, LabelledRows | None],
    random_state: Any,
) -> Model:
    """Return the model with the pruning of the plan.

    ``rows`` are the encoded training rows, the training rows and the held-out rows.
    """
    if plan.pruner is None or plan.name is None:
        return model
    coded, training, held_out = rows
    pruner = cross_validate(plan.pruner, model, growing, (coded, training), random_state)
    tree = prune_model(model, pruner, training, held_out, growing.threads)
    if plan.overgrown is not None:
        params = replace(growing.params, max_leaves=plan.overgrown)
        stopped = Growing(params, growing.threads).grow(coded, training)
        if _errors(stopped.tree) < _errors(tree) - TIE * _scale(tree):
            # A split with too many branches for the smaller run made the larger run differ.
            run = run_of(stopped, model.run.weighting)
            return replace(model, grown=stopped.tree, run=run)
    return replace(model, pruning=Pruning(tree, plan.name, plan.overgrown))


def prune_model(
    model: Model,
    pruner: Pruner,
    training: LabelledRows | None,
    held_out: LabelledRows | None,
    threads: int,
) -> Tree:
    """Return the pruned tree of a model. Pruners that do not need rows accept None for them."""
    return prune_tree(model.grown, model, pruner, training, held_out, threads)


def prune_tree(
    grown: Tree,
    model: Model,
    pruner: Pruner,
    training: LabelledRows | None,
    held_out: LabelledRows | None,
    threads: int,
) -> Tree:
    """Return the pruned form of a tree that was grown like that of a model."""
    schema = model.schema
    held_rows = None if held_out is None else _routable(held_out, schema, threads)
    evidence = Evidence(
        schema=schema,
        index=model.run.index,
        held=None if held_out is None else weights_at_nodes(grown, schema, held_out, threads),
        training_rows=None if training is None else _routable(training, schema, threads),
        held_rows=held_rows,
    )
    if model.costs is not None and isinstance(pruner, ChiSquare):
        # Its test counts cases, whatever their mistakes cost.
        assert model.class_factors is not None
        cases = to_cases(grown.counts, model.class_factors, grown.rows)
        return pruned(grown, pruner.cut(replace(grown, counts=cases), evidence))[0]
    return pruner.prune(grown, evidence)[0]


def weights_at_nodes(tree: Tree, schema: Schema, rows: LabelledRows, threads: int) -> FloatArray:
    """Return the weight of each class at each node, (nodes, classes), of rows sent down a tree.

    For a numeric target these are moments.
    """
    leaf, target = apply(tree, schema, rows.table, threads), rows.target
    if isinstance(target, NumericTarget):
        return subtree_sums(tree, target.moments(leaf, tree.n_nodes, tree.centre))
    units, _ = node_counts(tree, leaf, target)
    return np.asarray(units * target.unit, dtype=np.float64)


def _routable(rows: LabelledRows, schema: Schema, threads: int) -> Rows:
    """Return rows in the form that pruners send down a tree."""

    def route(tree: Tree, numbers: RowArray | None) -> BranchArray:
        table = rows.table if numbers is None else rows.table.take(numbers)
        return apply(tree, schema, table, threads)

    return Rows(rows.target, route)


def _errors(tree: Tree) -> float:
    """Return the weight of the misclassified training rows, or the squared error."""
    return float(tree.errors[tree.leaves()].sum())


def _scale(tree: Tree) -> float:
    return float(tree.errors[0] if tree.is_numeric else tree.weight[0])


def cross_validate(
    pruner: Pruner,
    model: Model,
    growing: Growing,
    rows: tuple[Coded, LabelledRows],
    random_state: Any,
) -> Pruner:
    """Return a pruner whose size or price is chosen by cross-validation, if it asks for that.

    Each fold grows its own tree on the codes of all rows. The error of a candidate is the error of
    the fold's best pruning of that size, or at that price.
    """
    if isinstance(pruner, ErrorBudget) and pruner.cross_validates:
        sizes = PruningPath(model.grown, pruner.max_size, size=pruner.size).sizes
        errors = []
        for fold_tree, held, weight in _fold_trees(pruner.folds, growing, rows, random_state):
            path = PruningPath(fold_tree, int(sizes[-1]), held, pruner.size)
            assert path.validation_errors is not None
            at = np.searchsorted(path.sizes, sizes, side="right") - 1
            errors.append(path.validation_errors[at] / weight)
        size = int(sizes[one_standard_error(np.array(errors))])
        return replace(pruner, select=size, max_size=None)
    if isinstance(pruner, CostComplexity) and pruner.cross_validates:
        cost = model.run.index if pruner.cost == "index" else None
        alphas = CostPath(model.grown, cost).alphas
        # Geometric means, as in CART; the root is best for every price above its own.
        between = np.append(np.sqrt(alphas[:-1] * alphas[1:]), np.inf)
        errors = []
        for fold_tree, held, weight in _fold_trees(pruner.folds, growing, rows, random_state):
            costs = CostPath(fold_tree, cost, held)
            assert costs.validation_errors is not None
            at = np.searchsorted(costs.alphas, between * (1 + TIE), side="right") - 1
            errors.append(costs.validation_errors[at] / weight)
        small_first = np.array(errors)[:, ::-1]
        return replace(pruner, alpha=float(alphas[::-1][one_standard_error(small_first)]))
    return pruner


def fold_rows(
    folds: int, labelled: LabelledRows, random_state: Any
) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield the rows outside and inside each fold."""
    if len(labelled.labels) < folds:
        raise ParameterError(
            f"{folds} folds need at least {folds} rows, got {len(labelled.labels)}; set the size "
            "or the price yourself, or use fewer folds"
        )
    fold = assign_folds(labelled.strata, folds, check_random_state(random_state))
    for f in range(folds):
        yield np.flatnonzero(fold != f), np.flatnonzero(fold == f)


def _fold_trees(
    folds: int, growing: Growing, rows: tuple[Coded, LabelledRows], random_state: Any
) -> Iterator[tuple[Tree, FloatArray, float]]:
    """Yield the tree of each fold, the weights of its held-out rows by node, and their sum."""
    coded, labelled = rows
    for inside, outside in fold_rows(folds, labelled, random_state):
        training, held_out = labelled.take(inside), labelled.take(outside)
        tree = growing.grow(coded.take(inside), training).tree
        held = weights_at_nodes(tree, coded.schema, held_out, growing.threads)
        yield tree, held, held_out.total_weight
