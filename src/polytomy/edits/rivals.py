"""The best splits of a node, and subtrees grown on its rows, without banned columns."""

from collections.abc import Set
from dataclasses import dataclass, replace

import numpy as np

from polytomy._types import FloatArray, IntArray
from polytomy.encode import Coded, NumericTarget, Schema
from polytomy.grow import GrowParams, alternatives, branch_of_codes, grow
from polytomy.index import Index
from polytomy.priced import Sample, TwoPrices, grow_priced
from polytomy.tree import CategorySplit, IntervalSplit, Tree, TreeBuilder

from .rows import EditRows


@dataclass(frozen=True, slots=True, eq=False)
class Rival:
    """The best split of one arity on one column.

    Parameters
    ----------
    split : IntervalSplit or CategorySplit
        The split; its branch for new values is not chosen.
    gain : float
        What it gains, in units of the weight (or of the loss of a numeric target).
    counts : ndarray or None
        The weight of each class in each branch; None for a numeric target.
    """

    split: IntervalSplit | CategorySplit
    gain: float
    counts: FloatArray | None


def best_rivals(
    edited: EditRows,
    rows: IntArray,
    params: GrowParams,
    index: Index,
    banned: Set[int] = frozenset(),
    threads: int = 1,
) -> list[Rival]:
    """Return the best split of each arity on each column for some rows.

    Parameters
    ----------
    edited : EditRows
        The rows of the session.
    rows : ndarray of int
        The rows of a node.
    params : GrowParams
        The families, the largest arity and the least sizes.
    index : Index
        The index function.
    banned : set of int, default=frozenset()
        The columns to leave out.
    threads : int, default=1
        The number of threads.

    Returns
    -------
    list of Rival
        Column by column, the smallest arity first. Those that gain nothing are left out.
    """
    coded, target = edited.part(rows)
    coded, columns = _without(coded, banned)
    if not columns:
        return []
    whole = target.total() * target.unit
    leaf = TreeBuilder(np.asarray(whole, dtype=np.float64), coded.n_rows).finish()
    wide = replace(_on_columns(params, columns), max_leaves=None)
    at = np.zeros(coded.n_rows, dtype=np.int32)
    found = next(
        alternatives(coded, target, leaf, wide, leaf_of_row=at, index=index, threads=threads)
    )
    rivals = []
    for option in found.options:
        column = columns[option.feature]
        split = option.cut.split(option.feature, coded.schema, 0)
        assert isinstance(split, IntervalSplit | CategorySplit)
        counts = None
        if not isinstance(target, NumericTarget):
            units = found.column_counts(option.feature)
            counts = np.zeros((split.arity, target.n_classes))
            branch = branch_of_codes(split, coded.schema)
            np.add.at(counts, branch[: len(units)], units * target.unit)
        gain = option.gain * target.impurity_unit
        rivals.append(Rival(replace(split, feature=column), gain, counts))
    return rivals


def regrown(
    edited: EditRows,
    rows: IntArray,
    params: GrowParams,
    two_prices: TwoPrices | None,
    banned: Set[int] = frozenset(),
    threads: int = 1,
) -> Tree:
    """Return a tree grown on some rows.

    Parameters
    ----------
    edited : EditRows
        The rows of the session.
    rows : ndarray of int
        The rows of a node.
    params : GrowParams
        How to grow, with the maximum number of leaves.
    two_prices : TwoPrices or None
        The prices, if they choose the tree.
    banned : set of int, default=frozenset()
        The columns to leave out.
    threads : int, default=1
        The number of threads.

    Returns
    -------
    Tree
        The tree.
    """
    coded, target = edited.part(rows)
    coded, columns = _without(coded, banned)
    params = _on_columns(params, columns)
    if not columns or params.max_leaves == 1:
        whole = np.asarray(target.total() * target.unit)
        return TreeBuilder(whole, coded.n_rows, costs=target.costs).finish()
    if two_prices is not None:
        tree = grow_priced(Sample(coded, target, None), params, two_prices, threads).tree
    else:
        tree = grow(coded, target, params, None, threads).tree
    feature = np.array([*columns, -1], dtype=np.int32)[tree.feature]  # -1 stays -1
    return replace(tree, feature=feature)


def _on_columns(params: GrowParams, columns: list[int]) -> GrowParams:
    """Return parameters for a table that has only some of the columns."""
    directions = tuple(params.monotonic[j] for j in columns) if params.monotonic else ()
    return replace(
        params,
        monotonic=directions if any(directions) else (),
        constraints=params.constraints.on_columns(columns),
    )


def _without(coded: Coded, banned: Set[int]) -> tuple[Coded, list[int]]:
    """Return the codes of the columns that are not banned, and their numbers."""
    columns = [j for j in range(len(coded.schema)) if j not in banned]
    if len(columns) == len(coded.schema):
        return coded, columns
    schema = Schema(tuple(coded.schema[j] for j in columns))
    return Coded(schema, tuple(coded.columns[j] for j in columns), coded.n_rows), columns
