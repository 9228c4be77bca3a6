"""Refining the tree of a default fit: a quick teacher, a search and polishing.

If a small forest knows more than single trees, it softens the labels. A run on the labels, which
the certificate is about, sets the prices; then the tree is grown, searched and polished on the
softened labels, and filled with the labels again. Else it is searched and polished on the labels.
"""

from dataclasses import replace
from typing import Any

from polytomy.encode import decoded
from polytomy.forest import ForestSample
from polytomy.grow import GrowParams, Growth, resolved
from polytomy.index import Index
from polytomy.model import TWO_PRICES, Pruning, priced_name
from polytomy.priced import (
    NO_SEARCH,
    RemoteSample,
    Sample,
    polish,
    search_priced,
    worth_it,
)
from polytomy.teach import Blend, Forecasts, quick_forecasts, refilled, soft_sample
from polytomy.theory import Prices
from polytomy.tree import Tree, contract

from .effort import TAUGHT_LEAF
from .plan import Plan
from .teacher import Teacher, index_of_forest

MOST_REFINED = 8_000
"""The largest number of rows on which trees that are grown on the labels are refined."""
FEWEST_REFINED = 200
MANY_COLUMNS = 6
"""A tree is refined if its table has at least this many rows, or at least this many columns."""
FEWEST_SPLITS = 3
"""The number of splits from which on they are polished: fewer have little to adjust to."""
_BLEND = Blend(mix=Teacher().mix, weight=0.0)  # of labels and forecasts; no synthetic rows
_ALL_FAMILIES = GrowParams(procedure="priced").families


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


def refined(
    sample: Sample, params: GrowParams, plan: Plan, threads: int, on_step: Any = None
) -> tuple[Growth, Pruning]:
    """Grow a tree at two prices and refine it; return the run on the labels and the refined tree.

    Parameters
    ----------
    sample : Sample
        The training rows, for which ``may_refine`` is true.
    params : GrowParams
        How to grow.
    plan : Plan
        The prices, and whether there are a quick teacher and a search.
    threads : int
        The number of threads; the tree does not depend on it.
    on_step : callable, default=None
        Called with every expansion of the runs on the labels, after the quick teacher; if it
        returns True, the run stops, and its tree is not refined.

    Returns
    -------
    tuple of Growth and Pruning
        The run and the tree.
    """
    soft = None
    wanted = plan.taught_prices
    if wanted is not None and wanted.max_leaves > 1 and may_teach(sample, params):
        soft = _softened(sample, params, wanted.max_leaves, threads)
    if soft is not None:
        return _taught(sample, soft, params, plan, threads, on_step)
    return _on_labels(sample, params, plan, threads, on_step)


def may_teach(sample: Sample, params: GrowParams) -> bool:
    """Return whether a quick teacher may soften the labels of a tree that is refined.

    The teacher's trees look at all columns and know no costs of mistakes, so there is none if
    columns are forbidden or ordered, or mistakes have costs.

    Parameters
    ----------
    sample : Sample
        The training rows.
    params : GrowParams
        How to grow.

    Returns
    -------
    bool
        Whether it may.
    """
    return params.constraints.is_empty and sample.target.costs is None


def _softened(sample: Sample, params: GrowParams, max_leaves: int, threads: int) -> Sample | None:
    """Return rows with labels that a quick teacher has softened; None if it knows too little."""
    # Rows that are elsewhere have no raw columns, and their forecasts must not differ.
    forest = ForestSample(sample.coded, sample.target, decoded(sample.coded))
    shares = quick_forecasts(forest, index_of_forest(params.index), max_leaves, threads)
    if shares is None:
        return None
    return Sample(*soft_sample(sample.coded, sample.target, Forecasts(shares), _BLEND), None)


def _taught(
    sample: Sample, soft: Sample, params: GrowParams, plan: Plan, threads: int, on_step: Any
) -> tuple[Growth, Pruning]:
    """Return the run on the labels, and a tree found on softened ones."""
    wanted = plan.taught_prices
    assert wanted is not None
    run = search_priced(sample, params, wanted, NO_SEARCH, threads, on_step=on_step)
    growth, prices, size = run.growth, run.prices, wanted.max_leaves
    if run.run_stopped:
        return growth, Pruning(run.tree, TWO_PRICES, size, prices)
    softly = replace(wanted, leaf=TAUGHT_LEAF)
    found = search_priced(
        soft, params, softly, plan.search, threads, time_limit=plan.time_limit, prices=prices
    )
    index = resolved(params.index, sample.target.n_classes)
    tree, is_searched = worth_it(found, softly, index)
    tree, is_polished = _polished(tree, soft, params, index, found.prices, threads)
    tree = refilled(tree, sample.coded, sample.target, *_least(params, tree), params.constraints)
    if wanted.contract:  # nodes on the same column may follow each other
        tree = contract(tree)
    name = priced_name(is_taught=True, is_searched=is_searched, is_polished=is_polished)
    return growth, Pruning(tree, name, size, prices)


def _on_labels(
    sample: Sample, params: GrowParams, plan: Plan, threads: int, on_step: Any
) -> tuple[Growth, Pruning]:
    """Return the run on the labels, and the tree that search and polishing find on them."""
    wanted = plan.searched_prices
    assert wanted is not None
    index = resolved(params.index, sample.target.n_classes)
    found = search_priced(
        sample, params, wanted, plan.search, threads, time_limit=plan.time_limit, on_step=on_step
    )
    tree, is_searched = worth_it(found, wanted, index)
    is_polished = False
    if not found.run_stopped:
        tree, is_polished = _polished(tree, sample, params, index, found.prices, threads)
        if is_polished and wanted.contract:  # nodes on the same column may follow each other
            tree = contract(tree)
    name = priced_name(is_searched=is_searched, is_polished=is_polished)
    return found.growth, Pruning(tree, name, wanted.max_leaves, found.prices)


def _polished(
    tree: Tree, sample: Sample, params: GrowParams, index: Index, prices: Prices, threads: int
) -> tuple[Tree, bool]:
    """Return a tree with its splits chosen again, and whether any of them changed."""
    if tree.n_nodes - tree.n_leaves < FEWEST_SPLITS:
        return tree, False
    least_rows, least_weight = _least(params, tree)
    polished = polish(
        tree,
        sample,
        index,
        prices,
        min_rows=least_rows,
        min_weight=least_weight,
        threads=threads,
        constraints=params.constraints,
    )
    return (polished.tree, True) if polished.passes > 0 else (tree, False)


def _least(params: GrowParams, tree: Tree) -> tuple[int, float]:
    """Return the rows and the weight that a leaf needs."""
    weight = float(params.min_weight_fraction_leaf) * float(tree.weight[0])
    return int(params.min_samples_leaf), weight * (1 - 1e-9)
