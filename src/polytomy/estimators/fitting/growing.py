"""Growing a tree and pruning it as planned, and the rows of a tree at its nodes."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import starmap
from math import fsum
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from polytomy._errors import ParameterError
from polytomy._resample import assign_folds
from polytomy._text import count
from polytomy._types import TIE, BranchArray, FloatArray, IntArray, RowArray
from polytomy.certify import Retired, Rules, Run, Split, Weighting
from polytomy.encode import Coded, NumericTarget, Schema, encode
from polytomy.estimators.base.rows import LabelledRows
from polytomy.grow import GrowParams, Growth, grow, resolved
from polytomy.index import Index
from polytomy.model import TWO_PRICES, Model, Pruning, priced_name, to_cases
from polytomy.predict import apply
from polytomy.priced import RemoteSample, Sample, grow_priced, polish, search_priced, worth_it
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
from polytomy.tree import Tree, contract, pruned, subtree_sums

from .plan import Plan

MOST_REFINED = 8_000
"""The largest number of rows on which trees that are grown on the labels are refined."""
FEWEST_REFINED = 200
MANY_COLUMNS = 6
"""A tree is refined if its table has at least this many rows, or at least this many columns."""
FEWEST_SPLITS = 3
"""The number of splits from which on they are polished: fewer have little to adjust to."""
_ALL_FAMILIES = GrowParams(procedure="priced").families


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
            return self._refined(here, plan, index, on_step)
        found = grow_priced(sample, self.params, wanted, self.threads, on_step)
        name = plan.name or TWO_PRICES
        return found.growth, Pruning(found.tree, name, wanted.max_leaves, found.prices)

    def _refined(
        self, sample: Sample, plan: Plan, index: Index, on_step: Any
    ) -> tuple[Growth, Pruning]:
        """Grow a tree at two prices, look beyond its first split, and polish its splits."""
        wanted, params = plan.searched_prices, self.params
        assert wanted is not None
        found = search_priced(
            sample,
            params,
            wanted,
            plan.search,
            self.threads,
            time_limit=plan.time_limit,
            on_step=on_step,
        )
        tree, is_searched = worth_it(found, wanted, index)
        is_polished = False
        if not found.run_stopped and tree.n_nodes - tree.n_leaves >= FEWEST_SPLITS:
            weight = float(params.min_weight_fraction_leaf) * float(tree.weight[0])
            polished = polish(
                tree,
                sample,
                index,
                found.prices,
                min_rows=int(params.min_samples_leaf),
                min_weight=weight * (1 - 1e-9),
                threads=self.threads,
                constraints=params.constraints,
            )
            is_polished = polished.passes > 0
            if is_polished:
                # Nodes on the same column may now follow each other.
                tree = contract(polished.tree) if wanted.contract else polished.tree
        name = priced_name(is_searched=is_searched, is_polished=is_polished)
        return found.growth, Pruning(tree, name, wanted.max_leaves, found.prices)


def may_refine(sample: Sample | RemoteSample, params: GrowParams, index: Index) -> bool:
    """Return whether a tree that is grown at two prices on the labels is refined.

    A refined tree is found by a search beyond its first split, and then polished. Tables of more
    than 8,000 rows are left out because refining takes too long, and those of fewer than 200 rows
    and six columns because they have few trees to choose from. Search and polishing look at all
    columns of the table and all ranges or groups, and cannot observe directions, costs of columns
    and limits on branches.

    Parameters
    ----------
    sample : Sample or RemoteSample
        The training rows.
    params : GrowParams
        How to grow.
    index : Index
        The index function.

    Returns
    -------
    bool
        Whether it is.
    """
    held, n_rows = params.constraints, sample.target.n_rows
    is_free = not (params.monotonic or held.costs or held.on_branches or params.columns_per_node)
    return (
        not index.is_numeric
        and index.number is not None  # a user's function would be slow
        and n_rows <= MOST_REFINED
        and (n_rows >= FEWEST_REFINED or len(sample.schema) >= MANY_COLUMNS)
        and len(params.families) == len(_ALL_FAMILIES)
        and all(family in params.families for family in _ALL_FAMILIES)
        and params.min_samples_split == 2
        and params.min_gain == 0
        and is_free
    )


def run_of(growth: Growth, weighting: Weighting = "none") -> Run:
    """Return the record of a growth in the form that certificates use.

    Parameters
    ----------
    growth : Growth
        A finished growth.
    weighting : {"none", "rows", "classes", "costs"}, default="none"
        How the rows were weighted: equally, by case counts, by class weights, or by costs.

    Returns
    -------
    Run
        The record.
    """
    splits = tuple(starmap(Split, growth.facts()))
    if growth.index.is_numeric:
        splits = _by_moments(splits, growth.index.value(growth.tree.counts))
    retired = tuple(Retired(r.leaf, r.reason, r.leaves) for r in growth.retirements)
    rules, stopped = rules_of(growth.params), "callback" if growth.stopped else None
    return Run(rules, growth.index, splits, retired, weighting, stopped)


def rules_of(params: GrowParams) -> Rules:
    """Return growth parameters in the form that certificates use."""
    built_in = tuple(family for family in params.families if isinstance(family, str))
    return Rules(
        procedure=params.procedure,
        order=params.order,
        gamma=None if params.gamma is None else float(params.gamma),
        max_leaves=params.max_leaves,
        families=built_in,
        own_families=len(built_in) < len(params.families),
        min_samples_leaf=params.min_samples_leaf,
        min_weight_fraction_leaf=float(params.min_weight_fraction_leaf),
        monotonic=params.monotonic,
        constraints=params.constraints,
    )


def _by_moments(splits: tuple[Split, ...], impurity: FloatArray) -> tuple[Split, ...]:
    """Return the splits with impurities and gains from the moments of the nodes.

    The engine subtracts residues from sums that may be much larger, so its own are less accurate.
    """
    exact = []
    for split in splits:
        whole = float(impurity[split.leaf])
        gain = whole - fsum(impurity[list(split.children)])
        gain = gain if gain > TIE * whole else 0.0
        binary = split.best_binary_gain
        if binary is not None:
            binary = gain if split.arity == 2 and binary == split.gain else min(binary, whole)
        exact.append(replace(split, weight=whole, gain=gain, best_binary_gain=binary))
    return tuple(exact)


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
