"""Path conditions: the range or the categories of a column that reach a node."""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from polytomy._text import one_line
from polytomy._types import IntArray
from polytomy.encode import ColumnSpec, NominalColumn, OrderedColumn
from polytomy.tree import CategorySplit, IntervalSplit

from .categories import SET_WIDTH, describe_categories
from .ranges import Range, branch_range, describe_range


@dataclass(frozen=True, slots=True, eq=False)
class CategorySubset:
    """The categories that reach a node, and whether missing cells and new categories do."""

    codes: IntArray
    missing: bool
    unseen: bool


PathCondition: TypeAlias = Range | CategorySubset
"""The condition that a path puts on an ordered column, or on a column of categories."""


def conditions_after(
    split: IntervalSplit | CategorySplit,
    column: ColumnSpec,
    before: PathCondition | None = None,
) -> list[PathCondition]:
    """Return the condition on a column in each branch of a split on it.

    Parameters
    ----------
    split : IntervalSplit or CategorySplit
        The split.
    column : ColumnSpec
        The column it is on.
    before : PathCondition, optional
        The condition at the node itself; None if no node above it splits on the column.
    """
    if isinstance(split, IntervalSplit):
        ranges = [branch_range(split, b) for b in range(split.arity)]
        return [r.intersect(before) if isinstance(before, Range) else r for r in ranges]
    earlier = before if isinstance(before, CategorySubset) else None
    codes = np.arange(column.n_values) if earlier is None else earlier.codes
    taken = split.branch_of_codes(column.n_values)
    missing, unseen = (True, True) if earlier is None else (earlier.missing, earlier.unseen)
    return [
        CategorySubset(
            part, missing and b == split.branch_of_missing, unseen and b == split.default_branch
        )
        for b, part in enumerate(_partition(codes, taken[codes], split.arity))
    ]


def _partition(codes: IntArray, branches: IntArray, arity: int) -> list[IntArray]:
    """Return the codes of each branch, in order."""
    order = np.argsort(branches, kind="stable")
    sizes = np.bincount(branches, minlength=arity)
    return np.split(codes[order], np.cumsum(sizes)[:-1])


def describe_condition(
    condition: PathCondition,
    column: ColumnSpec,
    width: int = SET_WIDTH,
    *,
    missing: bool | None = None,
    named: bool = True,
) -> str:
    """Return a path condition in words.

    Parameters
    ----------
    condition : PathCondition
        The condition.
    column : ColumnSpec
        The column it is on.
    width : int, default=48
        Characters of a set of categories.
    missing : bool, optional
        Whether to mention missing cells if they meet the condition. By default they are mentioned
        if the column had some in training.
    named : bool, default=True
        Whether to include the column's name.
    """
    mentioned = column.has_missing if missing is None else missing
    if isinstance(condition, CategorySubset):
        assert isinstance(column, NominalColumn)
        names = [one_line(column.categories[code]) for code in condition.codes.tolist()]
        return describe_categories(
            column.name if named else None,
            names,
            missing=condition.missing and mentioned,
            unseen=condition.unseen,
            width=width,
        )
    assert isinstance(column, OrderedColumn)
    return describe_range(condition, column, missing=mentioned, named=named)
