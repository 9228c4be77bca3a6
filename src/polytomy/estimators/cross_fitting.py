"""Cross-fitting: what the leaves of trees grown without a fold say about the rows of that fold.

The trees are grown and pruned like the one they stand for. On large tables a sample of the rows is
enough, because only two numbers are learned.
"""

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from polytomy._resample import hold_out
from polytomy._types import AnyArray, FloatArray
from polytomy.encode import Target
from polytomy.grow import Grower, GrowParams, Tuning
from polytomy.honesty import FoldLeaves, Honesty, learn_honesty
from polytomy.index import resolve
from polytomy.predict import apply
from polytomy.tree import contract

from .priced import Sample, TwoPrices, built, run_candidate

FOLDS = 5
MOST_ROWS = 20_000
FEWEST_ROWS = 20


class CrossFit(NamedTuple):
    """How the trees of the folds are grown.

    ``params`` are those of the run that was kept. ``prune`` returns the tree that is kept of a
    grown one, given the rows it was grown on.
    """

    params: GrowParams
    two_prices: TwoPrices | None
    prune: Any
    contract: bool
    threads: int


def cross_fit(
    how: CrossFit, sample: Sample, factors: FloatArray | None, random_state: Any
) -> Honesty:
    """Return what cross-fitting learns about the leaves of a tree.

    Parameters
    ----------
    how : CrossFit
        How the tree was grown and pruned.
    sample : Sample
        Its training rows.
    factors : ndarray or None
        The weights of the classes, which shares must not contain.
    random_state : int, RandomState or None
        The seed of the folds; None for a fixed one.

    Returns
    -------
    Honesty
        The prior, ``Honesty()``, if there are fewer than 20 rows or only one class.
    """
    random = check_random_state(0 if random_state is None else random_state)
    labels = sample.target.labels
    if len(labels) > MOST_ROWS:
        _, chosen = hold_out(labels, MOST_ROWS / len(labels), random)
        sample = _take(sample, chosen)
        labels = sample.target.labels
    if len(labels) < FEWEST_ROWS or labels.min() == labels.max():
        return Honesty()
    # Stratified folds would hide how much the shares of new rows vary.
    fold = random.permutation(len(labels)) % FOLDS
    native = all(isinstance(family, str) for family in how.params.families)
    leaves = []
    for f in range(FOLDS):
        inside, outside = np.flatnonzero(fold != f), np.flatnonzero(fold == f)
        if native and how.two_prices is not None:
            found = _priced_leaves(how, sample, inside, outside)
        else:
            found = _tree_leaves(how, _take(sample, inside), _take(sample, outside))
        leaves.append(_without_factors(found, factors))
    return learn_honesty(leaves)


def _take(sample: Sample, rows: AnyArray) -> Sample:
    table = None if sample.table is None else sample.table.take(rows)
    return Sample(sample.coded.take(rows), sample.target.take(rows), table)


def _priced_leaves(
    how: CrossFit, sample: Sample, inside: AnyArray, outside: AnyArray
) -> FoldLeaves:
    """Return the leaves of a fold's tree without building it."""
    assert how.two_prices is not None
    target = sample.target
    index = resolve(how.params.index, target.n_classes)
    training = Sample(sample.coded.take(inside), target.take(inside), None)
    best = run_candidate(training, how.params, index, how.two_prices, how.threads)
    nodes = best.path.nodes_at(best.size)
    held = nodes.state != 0
    counts = np.zeros((len(nodes.parent), target.n_classes))
    np.add.at(counts, nodes.number[held], best.shape.counts[held])
    leaf = nodes.number[best.grower.route(sample.coded.take(outside))]
    at_leaves = _class_weights(leaf, target.take(outside), len(counts))
    is_leaf = np.ones(len(counts), dtype=bool)
    is_leaf[nodes.parent[1:]] = False
    leaves = np.flatnonzero(is_leaf)
    return FoldLeaves(counts * target.unit, nodes.parent, leaves, at_leaves[leaves])


def _tree_leaves(how: CrossFit, training: Sample, held_out: Sample) -> FoldLeaves:
    """Return the leaves of a fold's tree, for any procedure, family and pruner."""
    if how.two_prices is not None:
        index = resolve(how.params.index, training.target.n_classes)
        best = run_candidate(training, how.params, index, how.two_prices, how.threads)
        tree = built(best, training, how.two_prices).tree
    else:
        tuning = Tuning(threads=how.threads, apart=None)
        grower = Grower(
            training.coded, training.target, how.params, table=training.table, tuning=tuning
        )
        tree = how.prune(grower.finish(), training)
        tree = contract(tree) if how.contract else tree
    assert held_out.table is not None
    leaf = apply(tree, training.coded.schema, held_out.table, how.threads)
    leaves = tree.leaves()
    at_leaves = _class_weights(leaf, held_out.target, tree.n_nodes)
    return FoldLeaves(tree.counts, tree.parent, leaves, at_leaves[leaves])


def _class_weights(leaf: AnyArray, target: Target, n_nodes: int) -> FloatArray:
    """Return the weight of each class at each node, from the node of each row."""
    cell = leaf.astype(np.int64) * target.n_classes + target.labels
    sums = np.bincount(cell, weights=target.units, minlength=n_nodes * target.n_classes)
    return np.asarray(sums.reshape(n_nodes, -1) * target.unit)


def _without_factors(found: FoldLeaves, factors: FloatArray | None) -> FoldLeaves:
    if factors is None:
        return found
    scale = np.where(factors > 0, factors, 1.0)
    return found._replace(counts=found.counts / scale, held_out=found.held_out / scale)
