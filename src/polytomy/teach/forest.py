"""A forest as a teacher: what it says about a row comes from the trees grown without that row."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polytomy._types import TIE, FloatArray, IntArray
from polytomy.ensemble import mean_shares
from polytomy.forest import (
    ForestParams,
    ForestSample,
    OutOfBag,
    amount_of,
    grow_forest,
    row_keys,
)
from polytomy.grow import GrowParams
from polytomy.predict import RoutedTable

from .soft import Forecasts, known_rows
from .synthetic import Mixture

LEAST_ROWS = 3
"""The rows that a leaf of the forest needs: its shares are forecasts, not only votes."""
_MOST_ROWS = 20_000  # that a tree of the forest is grown on
_QUICK_TREES = 40  # of a quick forest
_SINGLE_TREES = 8  # that a quick forest is compared with
_HALF = 0.5  # the share of the cases that each of these trees is grown on
_LEAST_CASES = 3  # in a leaf of a quick forest


@dataclass(frozen=True, slots=True, eq=False)
class TaughtForest:
    """The forecasts of a forest, and its error.

    Parameters
    ----------
    forecasts : Forecasts
        Out of bag for the real rows.
    error : float
        The out-of-bag error: the share of the weight that is classified wrongly, or the mean
        squared error.
    n_trees : int
        The number of trees.
    """

    forecasts: Forecasts
    error: float
    n_trees: int


def forest_forecasts(
    sample: ForestSample,
    mixture: Mixture | None,
    n_trees: int,
    index: str,
    *,
    seed: int = 0,
    threads: int = 1,
    on_tree: Callable[[int], Any] | None = None,
) -> TaughtForest:
    """Grow a forest and return its forecasts.

    Every tree is grown on as many rows as there are, drawn with replacement, but on 20,000 at most:
    a small tree has nothing to learn from a forest that knows more.

    Parameters
    ----------
    sample : ForestSample
        The real rows.
    mixture : Mixture or None
        The synthetic rows.
    n_trees : int
        The number of trees.
    index : str
        The index function, or the criterion of a numeric target.
    seed : int, default=0
        The random seed.
    threads : int, default=1
        The number of threads.
    on_tree : callable or None, default=None
        Called with the number of trees so far.

    Returns
    -------
    TaughtForest
        The forecasts and the error.
    """
    grow = GrowParams(
        procedure="per-leaf",
        index=index,
        max_leaves=None,
        max_arity=2,
        min_samples_leaf=LEAST_ROWS,
    )
    target = sample.target
    most = None if target.n_rows <= _MOST_ROWS else _MOST_ROWS
    params = ForestParams(grow=grow, max_samples=most)
    out_of_bag, routed, synthetic = OutOfBag.of(target), None, None
    if mixture is not None:
        routed = RoutedTable.of(mixture.of_table(sample.table), sample.coded.schema)
        votes = np.zeros((mixture.n_rows, out_of_bag.votes.shape[1]))
    for number, grown in enumerate(
        grow_forest(sample, params, range(n_trees), seed, threads=threads), start=1
    ):
        out_of_bag.add(grown, number)
        if routed is not None:  # one tree for all rows: a forest of deep trees exceeds the cache
            votes += grown.member.scores[routed.leaves(grown.member.tree, threads)]
        if on_tree is not None:
            on_tree(number)
    if routed is not None:
        synthetic = _forecast(votes, sample, n_trees)
    forecasts = Forecasts(out_of_bag.forecast, mixture, synthetic)
    return TaughtForest(forecasts, out_of_bag.error, n_trees)


def quick_forecasts(
    sample: ForestSample, index: str, max_leaves: int, threads: int = 1
) -> FloatArray | None:
    """Return the class shares that a small forest forecasts, if it knows more than a single tree.

    Each of 40 trees is grown on half of the cases, with at least 3 of them in a leaf, and forecasts
    the others. Equal rows of the same class have the same forecast, the mean over all of their
    cases. So it depends neither on the order of the rows, nor on whether equal rows are repeated or
    have a weight.

    Parameters
    ----------
    sample : ForestSample
        The rows; their target is a class.
    index : str
        The index function.
    max_leaves : int
        The largest number of leaves of the single trees. Eight of them are grown greedily on the
        halves of the first eight trees of the forest.
    threads : int, default=1
        The number of threads. The forecasts do not depend on it.

    Returns
    -------
    ndarray of shape (n_rows, n_classes) or None
        The shares; nan for rows that are in every half. None if the forest errs on as many cases
        as the single trees do on average.

    Examples
    --------
    >>> from polytomy.encode import Target, encode
    >>> from polytomy.table import Table
    >>> X = np.random.default_rng(0).normal(size=(300, 4))
    >>> sums = Table.of(X), Target.of((X.sum(axis=1) > 0).astype(int))
    >>> sharp = Table.of(X), Target.of((X[:, 0] > 0).astype(int))
    >>> for table, target in (sums, sharp):
    ...     shares = quick_forecasts(ForestSample(encode(table), target, table), "gini", 8)
    ...     print(None if shares is None else shares.shape)
    (300, 2)
    None
    """
    target = sample.target
    units, unit = target.case_units
    # Of cases, not of rows: rows with weights must give the same trees as repeated ones.
    weight = unit * (target.n_rows if units is None else float(units.sum()))
    least = min(0.5, _LEAST_CASES / (_HALF * max(weight, target.n_rows)))
    grow = GrowParams(procedure="per-leaf", index=index, max_leaves=None, max_arity=2)
    if units is None and unit == 1.0:  # the same limit, which is faster
        drawn = amount_of(_HALF, target.n_rows)
        grow = replace(grow, min_samples_leaf=max(1, ceil(least * drawn * (1 - TIE))))
    else:
        grow = replace(grow, min_weight_fraction_leaf=least)
    params = ForestParams(grow=grow, bootstrap=False, max_samples=_HALF)
    out_of_bag = OutOfBag.of(target)
    trees = grow_forest(sample, params, range(_QUICK_TREES), threads=threads, by_case=True)
    for number, grown in enumerate(trees, start=1):
        out_of_bag.add(grown, number)
    forecast = _of_equal_rows(out_of_bag.votes, row_keys(sample.coded, target), units)
    known = known_rows(forecast)
    weights = np.ones(target.n_rows) if units is None else units.astype(np.float64)
    is_wrong = forecast[known].argmax(axis=1) != target.labels[known]
    error = float(weights[known] @ is_wrong / weights[known].sum()) if known.any() else 1.0
    return forecast if error < _single_error(sample, index, max_leaves, threads) else None


def _of_equal_rows(
    votes: FloatArray, keys: NDArray[np.uint64], units: IntArray | None
) -> FloatArray:
    """Return the shares of the votes for each row and those equal to it."""
    _, first, group = np.unique(keys, return_index=True, return_inverse=True)
    if len(first) == len(keys):
        return mean_shares(votes)
    pooled = np.zeros((len(first), votes.shape[1]))
    # The order of the rows must not change the rounding of the sums.
    order = np.lexsort((keys,) if units is None else (units, keys))
    np.add.at(pooled, group[order], votes[order])
    return mean_shares(pooled)[group]


def _single_error(sample: ForestSample, index: str, max_leaves: int, threads: int) -> float:
    """Return the error of single trees on the weight that they were not grown on."""
    grow = GrowParams(procedure="per-leaf", index=index, max_leaves=max_leaves, max_arity=2)
    params = ForestParams(grow=grow, max_features=None, bootstrap=False, max_samples=_HALF)
    wrong = weight = 0.0
    for grown in grow_forest(sample, params, range(_SINGLE_TREES), threads=threads, by_case=True):
        if grown.outside is None or grown.scores is None:
            continue
        is_outside = grown.outside > 0
        outside = grown.outside[is_outside].astype(np.float64)
        is_wrong = grown.scores.argmax(axis=1) != sample.target.labels[is_outside]
        wrong, weight = wrong + float(outside @ is_wrong), weight + float(outside.sum())
    return wrong / weight if weight else 0.0


def _forecast(voted: FloatArray, sample: ForestSample, n_trees: int) -> FloatArray:
    return mean_shares(voted) if sample.scale is None else sample.scale.mean(voted, n_trees)
