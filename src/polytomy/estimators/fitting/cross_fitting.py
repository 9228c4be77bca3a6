"""Cross-fitting: what the leaves of trees grown without a fold say about the rows of that fold.

The trees are grown and pruned like the one they stand for, but neither taught, searched nor
polished. On large tables a sample of the rows is enough, because only two numbers are learned.
"""

from dataclasses import replace
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
from sklearn.utils import check_random_state

from polytomy._threads import ThreadPool
from polytomy._types import AnyArray, BranchArray, FloatArray
from polytomy.encode import NumericTarget, decoded
from polytomy.estimators.base.rows import LabelledRows, NumericRows
from polytomy.grow import FoldCounts, Folds, Grower, GrowParams, Tuning, resolved
from polytomy.honesty import FoldLeaves, Honesty, learn_honest_means, learn_honesty
from polytomy.model import Model
from polytomy.predict import apply
from polytomy.priced import (
    RemoteSample,
    Sample,
    TwoPrices,
    in_units,
    pruned_tree,
    run_candidate,
    sample_of,
    without_columns,
)
from polytomy.prune import CostComplexity, ErrorBudget, node_counts
from polytomy.theory import Prices, cases_per_weight
from polytomy.tree import Tree, contract

from .growing import Growing, prune_tree
from .plan import Plan

FOLDS = 5
MOST_ROWS = 8_000
FEWEST_ROWS = 100  # with fewer, the prior says more than they can
_FEWEST_CELLS = 8_000  # with fewer, threads take longer to start than they save


class CrossFit(NamedTuple):
    """How the trees of the folds are grown.

    ``params`` and ``prices`` are those of the run that was kept. ``prune`` returns the tree that is
    kept of a grown one, given the rows it was grown on.
    """

    params: GrowParams
    two_prices: TwoPrices | None
    prices: Prices | None
    prune: Any
    contract: bool
    threads: int


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


def cross_fit(
    how: CrossFit, rows: Sample | RemoteSample, factors: FloatArray | None, random_state: Any
) -> Honesty:
    """Return what cross-fitting learns about the leaves of a tree.

    Parameters
    ----------
    how : CrossFit
        How the tree was grown and pruned.
    rows : Sample or RemoteSample
        Its training rows.
    factors : ndarray or None
        The weights of the classes, which shares must not contain.
    random_state : int, RandomState or None
        The seed of the folds; None for a fixed one.

    Returns
    -------
    Honesty
        The prior, ``Honesty()``, if there are fewer than 100 rows or only one class.
    """
    # A generator of the default kind takes a tenth of the time to set up.
    fixed = random_state is None
    random = np.random.default_rng(0) if fixed else check_random_state(random_state)
    is_priced = how.two_prices is not None
    sample = sample_of(without_columns(rows, how.params) if is_priced else rows, MOST_ROWS)
    target = sample.target
    labels = target.values if isinstance(target, NumericTarget) else target.labels
    if len(labels) < FEWEST_ROWS or labels.min() == labels.max():
        return Honesty()
    # Stratified folds would hide how much the shares of new rows vary.
    fold = (random.permutation(len(labels)) % FOLDS).astype(np.int32)
    # The kernel knows mistakes of one cost only.
    own_families = not all(isinstance(f, str) for f in how.params.families)
    if is_priced and not own_families and target.costs is None:
        found = priced_leaves(how, sample, fold)
    else:
        found = tree_leaves(how, sample, fold)
    if isinstance(target, NumericTarget):
        learned = learn_honest_means([_moments_in_cases(leaves, len(labels)) for leaves in found])
    else:
        learned = learn_honesty([_in_cases(leaves, factors, len(labels)) for leaves in found])
    return replace(learned, mark=crc32(labels.astype(np.float64).tobytes()))


def priced_leaves(how: CrossFit, sample: Sample, fold: BranchArray) -> list[FoldLeaves]:
    """Return the leaves of the trees of the folds, without building the trees."""
    wanted, target = how.two_prices, sample.target
    assert wanted is not None
    index, prices = resolved(how.params.index, target.n_classes), how.prices
    assert prices is not None
    prices = in_units(prices, target)
    folds = Folds(sample.coded, target, fold, how.params, index)

    def leaves_of(f: int) -> FoldLeaves:
        found = folds.without(
            f, prices, wanted.max_leaves, contract=wanted.contract, merge=wanted.merge
        )
        if isinstance(target, NumericTarget):
            return _leaves_with_moments(found, target, fold == f)
        counts = found.counts.astype(np.float64) * target.unit
        held_out = found.held_out.astype(np.float64) * target.unit
        return FoldLeaves(counts, found.parent, found.leaves, held_out)

    is_small = target.n_rows * len(sample.schema) < _FEWEST_CELLS
    is_user_defined = index.number is None  # then only one thread at a time can evaluate it
    if how.threads == 1 or is_small or is_user_defined:
        return [leaves_of(f) for f in range(FOLDS)]
    with ThreadPool(min(how.threads, FOLDS)) as pool:
        return list(pool.map(leaves_of, range(FOLDS)))


def tree_leaves(how: CrossFit, sample: Sample, fold: BranchArray) -> list[FoldLeaves]:
    """Return the leaves of the trees of the folds, for any procedure, family and pruner."""
    parts = [(np.flatnonzero(fold != f), np.flatnonzero(fold == f)) for f in range(FOLDS)]
    return [_tree_leaves(how, sample.take(i), sample.take(o)) for i, o in parts]


def _tree_leaves(how: CrossFit, training: Sample, held_out: Sample) -> FoldLeaves:
    if how.two_prices is not None:
        index = resolved(how.params.index, training.target.n_classes)
        assert how.prices is not None
        question = in_units(how.prices, training.target)
        best = run_candidate(training, how.params, index, how.two_prices, question, how.threads)
        tree = pruned_tree(best, how.two_prices).tree
    else:
        tuning = Tuning(threads=how.threads, apart=None)
        grower = Grower(
            training.coded, training.target, how.params, table=training.table, tuning=tuning
        )
        tree = how.prune(grower.finish(), training)
        tree = contract(tree) if how.contract else tree
    # Rows that are elsewhere have no raw columns, and their trees must not differ.
    table = held_out.table if tree.own else decoded(held_out.coded)
    assert table is not None
    leaf = apply(tree, training.coded.schema, table, how.threads)
    leaves = tree.leaves()
    if isinstance(held_out.target, NumericTarget):
        moments = held_out.target.moments(leaf, tree.n_nodes)[leaves]
        return FoldLeaves(tree.counts, tree.parent, leaves, moments)
    units, _ = node_counts(tree, leaf, held_out.target)
    at_leaves = units[leaves].astype(np.float64) * held_out.target.unit
    return FoldLeaves(tree.counts, tree.parent, leaves, at_leaves)


def _leaves_with_moments(
    found: FoldCounts, target: NumericTarget, is_held_out: AnyArray
) -> FoldLeaves:
    """Return the leaves of a fold's tree with the moments of a numeric target."""
    n_nodes, parent = len(found.parent), found.parent
    inside, outside = np.flatnonzero(~is_held_out), np.flatnonzero(is_held_out)
    moments = target.take(inside).moments(found.leaf_of_row[inside], n_nodes)
    for node in range(n_nodes - 1, 0, -1):  # parents come first
        moments[parent[node]] += moments[node]
    held_out = target.take(outside).moments(found.leaf_of_row[outside], n_nodes)
    return FoldLeaves(moments, parent, found.leaves, held_out[found.leaves])


def _moments_in_cases(found: FoldLeaves, rows: int) -> FoldLeaves:
    """Return leaves with numbers of cases for weights, given the rows of all folds together."""
    weight = float(found.counts[0, 0] + found.held_out[:, 0].sum())
    scale = cases_per_weight(rows, weight)
    return found._replace(
        counts=found.counts[:, :3] * scale, held_out=found.held_out[:, :3] * scale
    )


def _in_cases(found: FoldLeaves, factors: FloatArray | None, rows: int) -> FoldLeaves:
    """Return leaves with numbers of cases for weights, given the rows of all folds together."""
    scale = np.ones(found.counts.shape[1])
    if factors is not None:
        scale = 1 / np.where(factors > 0, factors, 1.0)
    weight = float((found.counts[0] + found.held_out.sum(axis=0)) @ scale)
    scale *= cases_per_weight(rows, weight)
    return found._replace(counts=found.counts * scale, held_out=found.held_out * scale)
