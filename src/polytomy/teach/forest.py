"""A forest as a teacher: what it says about a row comes from the trees grown without that row."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from polytomy._types import FloatArray
from polytomy.ensemble import mean_shares
from polytomy.forest import ForestParams, ForestSample, OutOfBag, grow_forest
from polytomy.grow import GrowParams
from polytomy.predict import RoutedTable

from .soft import Forecasts
from .synthetic import Mixture

LEAST_ROWS = 3
"""The rows that a leaf of the forest needs: its shares are forecasts, not only votes."""
_MOST_ROWS = 20_000  # that a tree of the forest is grown on


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


def _forecast(voted: FloatArray, sample: ForestSample, n_trees: int) -> FloatArray:
    return mean_shares(voted) if sample.scale is None else sample.scale.mean(voted, n_trees)
