"""Searching beyond the greedy choice: several splits of the first nodes, each completed greedily.

At a searched node the best few splits are kept, at most two of a column. Each is completed by the
runs of ``grow_priced``, and pruned to the least cost for every number of leaves. Below the root,
the children of every kept split are searched in the same way: their least costs are joined by
number of leaves (min-plus), and of all ways to get a size the cheapest one is kept, the node as a
leaf and the greedy completions among them. The tree of ``grow_priced`` always competes, so that the
result never costs more.

A *quick* search is part of the default fit: candidates are completed by the kind of run that the
plain tree comes from, and an interrupt ends the fit.
"""

from typing import Any, NamedTuple

from polytomy._errors import ParameterError
from polytomy._numbers import is_real
from polytomy.grow import GrowParams, Growth, resolved
from polytomy.index import Index
from polytomy.theory import Prices, tree_cost
from polytomy.tree import Tree, merged_pruning

from .growing import (
    LARGE,
    OnStep,
    PricedTree,
    Sample,
    TwoPrices,
    cheapest,
    in_weights,
    plain_runs,
    pruned_tree,
    sample_of,
)
from .levels import Levels, OnProgress, Search, Top, Workers

_CASES = 3.0  # the cases by which a searched tree must be cheaper than the plain one


class SearchedTree(NamedTuple):
    """The cheapest tree that a search found.

    Parameters
    ----------
    growth : Growth
        The plain run that was kept; the tree is one of its prunings only if it is ``plain.tree``.
    tree : Tree
        The tree, pruned, and contracted if that was wanted.
    prices : Prices
        The prices of the plain run, in units of weight (or of the squared target).
    cost : float
        The cost of the tree at these prices.
    plain : PricedTree
        What ``grow_priced`` returns.
    candidates : int
        The number of splits that were completed.
    stopped : bool
        Whether the time limit or an interrupt ended the search before every candidate.
    run_stopped : bool
        Whether a callback stopped a plain run, so that there was no search.
    """

    growth: Growth
    tree: Tree
    prices: Prices
    cost: float
    plain: PricedTree
    candidates: int
    stopped: bool
    run_stopped: bool = False


def search_priced(  # noqa: PLR0913
    sample: Sample,
    params: GrowParams,
    wanted: TwoPrices,
    plan: Search,
    threads: int = 1,
    *,
    time_limit: float | None = None,
    on_progress: OnProgress | None = None,
    on_step: OnStep | None = None,
    prices: Prices | None = None,
) -> SearchedTree:
    """Grow the plain runs, search beyond their first splits, and return the cheapest tree.

    If there are more than 100,000 rows, a sample of 100,000 decides on the columns and arities of
    the first splits, and only these are completed on all rows: a search that ends before that
    returns the plain tree.

    Parameters
    ----------
    sample : Sample
        The training rows.
    params : GrowParams
        How to grow, with ``procedure="priced"``; its budget is replaced. Users' own families are
        refused.
    wanted : TwoPrices
        The budget and the prices.
    plan : Search
        How many splits to keep at each level.
    threads : int, default=1
        The number of threads; the tree does not depend on it.
    time_limit : float, default=None
        Seconds after which no further candidate is begun; None for no limit. The plain runs are
        always grown.
    on_progress : callable, default=None
        Called as ``on_progress(done, total, best_cost)`` whenever a candidate is completed. The
        total grows when a deeper level is reached; the cost is that of the best tree so far.
    on_step : callable, default=None
        Called with every expansion of the plain runs; if it returns True, the run stops, and there
        is no search.
    prices : Prices, default=None
        Prices in units of weight, for the price of a question, if another fit has set it; None
        takes it from what the plain run removes.

    Returns
    -------
    SearchedTree
        The tree, which never costs more than that of ``grow_priced``. An interrupt (Ctrl-C) during
        the search ends it, unless it is quick; the best tree so far is returned.

    Examples
    --------
    The class is whether two columns differ, and a third column says a little about it:

    >>> import numpy as np
    >>> from polytomy.encode import Target, encode
    >>> from polytomy.table import Table
    >>> rng = np.random.default_rng(0)
    >>> X = rng.integers(0, 2, (500, 3)).astype(float)
    >>> y = (X[:, 0] != X[:, 1]).astype(int)
    >>> X[:, 2] = np.where(rng.random(500) < 0.2, y, X[:, 2])
    >>> table = Table.of(X)
    >>> sample = Sample(encode(table), Target.of(y), table)
    >>> wanted = TwoPrices(max_leaves=4, grown=24, question=0.02, branch=2.0, contract=True)
    >>> found = search_priced(sample, GrowParams(procedure="priced"), wanted, Search.of(2))
    >>> int(found.plain.tree.feature[0]), sorted(set(found.tree.feature.tolist()))
    (2, [-1, 0, 1])
    """
    if not all(isinstance(family, str) for family in params.families):
        raise ParameterError("search needs built-in families")
    workers = Workers(
        threads, _checked_seconds(time_limit), on_progress, keeps_best=not plan.is_quick
    )
    index = resolved(params.index, sample.target.n_classes)
    runs = plain_runs(sample, params, index, wanted, threads, on_step, prices)
    best = cheapest(runs)
    plain = pruned_tree(best, wanted)
    prices = in_weights(plain.prices, sample.target)
    plain = plain._replace(prices=prices)
    tree, cost = plain.tree, tree_cost(plain.tree, index, prices)
    workers.cost = cost
    run_stopped = any(run.stopped for run in runs)
    if run_stopped or not plan.widths:
        return SearchedTree(plain.growth, tree, prices, cost, plain, 0, run_stopped, run_stopped)
    kinds, top = [best.params] if plan.is_quick else [run.params for run in runs], None
    if sample.target.n_rows > LARGE:
        kinds, top = _top_of_sample(sample, params, wanted, plan, workers)
    if sample.target.n_rows <= LARGE or top is not None:
        # The engine's costs differ by a factor and, for a numeric target, a constant.
        unit, least = sample.target.impurity_unit, cost
        workers.cost_of = lambda found: least + (found - best.cost) * unit
        levels = Levels(sample, index, wanted, best, kinds, plan, workers)
        if (piece := levels.cheapest(top)) is not None:
            path = levels.path(piece, wanted.max_leaves)
            nodes = path.nodes_at(path.best_size())
            tree = merged_pruning(piece.tree, nodes.state, nodes.branch, contract=wanted.contract)
            cost = tree_cost(tree, index, prices)
    return SearchedTree(plain.growth, tree, prices, cost, plain, workers.done, workers.stopped)


def worth_it(searched: SearchedTree, wanted: TwoPrices, index: Index) -> tuple[Tree, bool]:
    """Return the searched tree if it saves enough, else the plain one, and whether it does.

    The best of many candidates is better by chance alone, so it must save as much as three cases.

    Parameters
    ----------
    searched : SearchedTree
        What a search found.
    wanted : TwoPrices
        The budget and the prices of the search.
    index : Index
        The index function.

    Returns
    -------
    tuple of Tree and bool
        The tree, and whether it is the searched one.
    """
    plain = searched.plain.tree
    case = searched.prices.leaf / wanted.leaf
    saved = tree_cost(plain, index, searched.prices) - searched.cost
    is_worth_it = saved > 0 and saved >= _CASES * case
    return (searched.tree if is_worth_it else plain), is_worth_it


def _top_of_sample(
    sample: Sample,
    params: GrowParams,
    wanted: TwoPrices,
    plan: Search,
    workers: Workers,
) -> tuple[list[GrowParams], Top | None]:
    """Search on a sample of the rows; return its runs, and the first splits of the cheapest tree.

    None: that is a leaf.
    """
    part = sample_of(sample, LARGE)
    index = resolved(params.index, part.target.n_classes)
    runs = plain_runs(part, params, index, wanted, workers.threads)
    kinds = [run.params for run in runs]
    best = cheapest(runs)
    piece = Levels(part, index, wanted, best, kinds, plan, workers).cheapest()
    tree = best.grower.tree() if piece is None else piece.tree
    return kinds, Top.of(tree, 0, len(plan.widths))


def _checked_seconds(time_limit: Any) -> float | None:
    if time_limit is None:
        return None
    if not is_real(time_limit) or not time_limit >= 0:
        raise ParameterError(f"time_limit must be None or at least 0 seconds, got {time_limit!r}")
    return float(time_limit)
