"""Growing a tree and choosing which part of it to keep: pruned, overgrown or cross-validated."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import starmap
from math import ceil, fsum
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from polytomy._errors import ParameterError
from polytomy._numbers import is_integer, is_real
from polytomy._resample import assign_folds
from polytomy._types import TIE, BranchArray, FloatArray, IntArray, RowArray
from polytomy.certify import Retired, Rules, Run, Split, Weighting
from polytomy.encode import Coded, NumericTarget, Schema, encode
from polytomy.estimators.base.parameters import CV_LEAVES, check_not_negative
from polytomy.estimators.base.rows import LabelledRows, NumericRows
from polytomy.grow import GrowParams, Growth, grow
from polytomy.honesty import Honesty
from polytomy.model import Model, Pruning, to_cases
from polytomy.predict import apply
from polytomy.priced import RemoteSample, Sample, TwoPrices, grow_priced, leaves_to_grow
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
    resolve,
)
from polytomy.theory import Prices
from polytomy.tree import Tree, pruned, subtree_sums

from .constraints import contracts
from .cross_fitting import CrossFit, cross_fit
from .effort import means_of
from .size_selection import PLAIN, check_scoring

_MAY_OVERGROW = ("priced", "per-leaf", "kearns-mansour", "id3", "gain-ratio")


@dataclass(frozen=True, slots=True)
class Plan:
    """How many leaves to grow, and how to prune them.

    Parameters
    ----------
    max_leaves : int or None
        The maximum number of leaves of the run. ``GrowParams`` checks it.
    pruner : Pruner or None, default=None
        The pruner of the grown tree.
    name : str or None, default=None
        The name of the pruning in certificates.
    overgrown : int or None, default=None
        The user's ``max_leaves``, if the run grows more leaves than that.
    two_prices : TwoPrices or None, default=None
        The prices of leaves and questions, if they choose the tree.
    scoring : str, callable or None, default=None
        What cross-validation chooses the number of leaves by, if it does so before growing.
    """

    max_leaves: Any
    pruner: Pruner | None = None
    name: str | None = None
    overgrown: int | None = None
    two_prices: TwoPrices | None = None
    scoring: Any = None

    @property
    def held_fraction(self) -> float | None:
        """The fraction of the rows to hold out for the pruner, or None."""
        return None if self.pruner is None else self.pruner.held_fraction


def plan_growth(clf: Any) -> Plan:
    """Return the plan that a tree's parameters describe, or raise an error if they conflict."""
    max_leaves, overgrow, pruner = clf.max_leaves, clf.overgrow, clf.pruner
    check_scoring(clf.scoring, is_numeric=clf._is_numeric)
    check_not_negative("branch_price", clf.branch_price)
    _check_overgrow(overgrow)
    by_cv = isinstance(max_leaves, str) and max_leaves == "cv"
    if isinstance(max_leaves, str) and not by_cv:
        raise ParameterError(
            f"max_leaves must be an integer of at least 1, None or 'cv', got {max_leaves!r}"
        )
    if sum((by_cv, overgrow != 1, pruner is not None)) > 1:
        raise ParameterError(
            "max_leaves='cv', overgrow and pruner each choose a pruning; set only one of them"
        )
    teaches = means_of(clf, by_name=True).teacher is not None
    if by_cv and (clf.procedure == "priced" or clf.scoring not in PLAIN or teaches):
        return Plan(CV_LEAVES, name="cross-validation", scoring=clf.scoring)
    if by_cv:
        return Plan(CV_LEAVES, ErrorBudget(select="cv"), "cross-validation")
    if overgrow != 1:
        return _plan_overgrowing(clf, max_leaves, float(overgrow))
    if pruner is None and clf.procedure == "priced" and max_leaves is not None:
        return plan_prices(clf, max_leaves)
    if pruner is None:
        return Plan(max_leaves)
    has_costs = getattr(clf, "cost_matrix", None) is not None
    chosen = checked_pruner(
        pruner, is_numeric=clf._is_numeric, teaches=teaches, has_costs=has_costs
    )
    return Plan(max_leaves, chosen, chosen.name)


def checked_pruner(
    pruner: Any, *, is_numeric: bool, teaches: bool, has_costs: bool = False
) -> Pruner:
    """Return a pruner by name; raise an error if it does not suit the target or a teacher."""
    chosen = resolve(pruner)
    if is_numeric:
        chosen.check_numbers()
    if has_costs:
        chosen.check_costs()
    if teaches and isinstance(chosen, ErrorBudget | CostComplexity) and chosen.cross_validates:
        raise ParameterError(
            "this pruner grows further trees by cross-validation, without the teacher; use "
            "max_leaves='cv', which asks the teacher in every fold"
        )
    return chosen


def _check_overgrow(overgrow: Any) -> None:
    if not is_real(overgrow) or not 1 <= float(overgrow) < np.inf:
        raise ParameterError(f"overgrow must be a number of at least 1, got {overgrow!r}")


def plan_prices(clf: Any, max_leaves: Any) -> Plan:
    """Return the plan of a tree that prices choose, with this budget of leaves."""
    GrowParams(max_leaves=max_leaves)  # raises an error for a bad number
    budget, means = int(max_leaves), means_of(clf, by_name=True)
    wanted = TwoPrices(
        budget,
        leaves_to_grow(budget) if clf.overgrow == 1 else ceil(clf.overgrow * budget),
        means.question_price,
        float(clf.branch_price),
        contracts(clf),
        means.leaf_price,
        not clf.min_difference,
    )
    return Plan(budget, two_prices=wanted)


def _plan_overgrowing(clf: Any, max_leaves: Any, overgrow: float) -> Plan:
    if not is_integer(max_leaves):
        raise ParameterError(f"overgrow needs a number for max_leaves, got {max_leaves!r}")
    if clf.procedure == "priced":
        return plan_prices(clf, max_leaves)
    if clf.procedure not in _MAY_OVERGROW:
        raise ParameterError(
            f"overgrow cannot be combined with {clf.procedure!r}, whose bound holds only for a run "
            f"that stops at max_leaves; use it with {' or '.join(_MAY_OVERGROW)}"
        )
    if not means_of(clf, by_name=True).is_plain:
        raise ParameterError("overgrow with a teacher or more effort needs procedure='priced'")
    size = int(max_leaves)
    name = f"overgrowing {overgrow:g} times"
    return Plan(ceil(overgrow * size), ErrorBudget(select=max(size, 1)), name, size)


def split_rows(
    given: LabelledRows, fraction: float | None, random_state: Any
) -> tuple[LabelledRows, LabelledRows | None, IntArray | None]:
    """Return the training rows, the rows held out for a pruner, and the numbers of the latter."""
    if fraction is None:
        return given.with_weight()[0], None, None
    training, held_out, numbers = given.hold_out(fraction, random_state)
    if not len(numbers):
        raise ParameterError(
            f"a fraction of {fraction:g} of {len(training.labels)} rows leaves no row to hold out; "
            "use a larger fraction or more rows, or pass X_val and y_val to prune()"
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
        """Grow a tree at two prices on encoded rows; return its run and its best pruning."""
        wanted = plan.two_prices
        assert wanted is not None
        found = grow_priced(sample, self.params, wanted, self.threads, on_step)
        name = plan.name or "two prices"
        pruning = Pruning(found.tree, name, wanted.max_leaves, found.prices)
        return found.growth, pruning


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


def learn_from_folds(
    plan: Plan,
    model: Model,
    growing: Growing,
    rows: tuple[Sample | RemoteSample, LabelledRows | None],
    run: tuple[GrowParams, Prices | None],
    random_state: Any,
) -> Honesty:
    """Return what cross-fitting learns about the leaves of a model.

    ``rows`` are the training rows and the held-out rows, and ``run`` the parameters and the prices
    of the run that was kept. The trees of the folds are grown on the labels, without a teacher or a
    search.
    """
    training, held_out = rows
    pruner = plan.pruner
    if model.pruning is None:
        pruner = None
    elif isinstance(pruner, ErrorBudget | CostComplexity) and pruner.cross_validates:
        by_nodes = isinstance(pruner, ErrorBudget) and pruner.size == "nodes"
        kept = model.kept.n_nodes if by_nodes else model.kept.n_leaves
        pruner = ErrorBudget(select=kept, size="nodes" if by_nodes else "leaves")

    def prune(tree: Tree, sample: Sample) -> Tree:
        if pruner is None:
            return tree
        return prune_tree(tree, model, pruner, _labelled(sample), held_out, growing.threads)

    params, prices = run
    how = CrossFit(params, plan.two_prices, prices, prune, model.contracted, growing.threads)
    return cross_fit(how, training, model.class_factors, random_state)


def _labelled(sample: Sample) -> LabelledRows:
    """Return a sample with class numbers or numbers, and weights."""
    target, table = sample.target, sample.table
    assert table is not None
    if isinstance(target, NumericTarget):
        criterion = target.criterion
        return NumericRows(table, target.values, target.weights, 0, criterion=criterion)
    weights = None if target.units is None else np.asarray(target.units * target.unit)
    return LabelledRows(table, target.labels, weights, target.n_classes)


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
            f"{len(labelled.labels)} rows are too few for {folds} folds; set the size or the price "
            "yourself, or use fewer folds"
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
