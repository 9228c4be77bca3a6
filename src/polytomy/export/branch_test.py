"""What a row must hold to take a branch, as code asks it: a range, or one of some values."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from polytomy._errors import TreeError
from polytomy._types import UNSEEN
from polytomy.encode import ColumnSpec, NominalColumn, OrderedColumn
from polytomy.model import Model
from polytomy.table import Ranks
from polytomy.tree import CodeQuestion, IntervalQuestion

from .words import Range, branch_range


@dataclass(frozen=True, slots=True)
class OneOf:
    """A value is (``inside``) or is not one of ``values``; ``missing``: or there is none.

    ``codes`` are the places of the values among the column's categories or labels.
    """

    codes: tuple[int, ...]
    values: tuple[Any, ...]
    inside: bool
    missing: bool


def branch_test(model: Model, node: int, branch: int) -> Range | OneOf:
    """Return what takes a row from a node along a branch.

    Labels in order are asked for by name, as categories are: what they are compared with is a set.
    New values, which no set names, are in the complement of what the other branches name.
    """
    question = model.tree.question(node)
    assert isinstance(question, IntervalQuestion | CodeQuestion)
    column = model.schema[question.feature]
    if isinstance(question, IntervalQuestion) and not is_labelled(column):
        return branch_range(question, branch)
    default, own = question.default_branch, question.missing_branch
    missing = branch == (default if own == UNSEEN else own)
    taken = _branches_of_values(question, column)
    taken = np.where(taken == UNSEEN, default, taken)
    inside = branch != default
    codes = np.flatnonzero((taken == branch) == inside).tolist()
    values = values_of(column)
    return OneOf(tuple(codes), tuple(values[c] for c in codes), inside, missing)


def is_labelled(column: ColumnSpec) -> bool:
    """Say whether a column holds categories, or labels in order that are not no and yes."""
    return isinstance(column, NominalColumn) or (
        isinstance(column.scale, Ranks) and not is_yes_no(column)
    )


def is_yes_no(column: ColumnSpec) -> bool:
    """Say whether a column holds booleans, which are read as the numbers 0 and 1."""
    scale = column.scale if isinstance(column, OrderedColumn) else None
    return isinstance(scale, Ranks) and all(isinstance(x, bool | np.bool_) for x in scale.labels)


def values_of(column: ColumnSpec) -> tuple[Any, ...]:
    """Return the categories, or the labels in order, of a column that has them."""
    if isinstance(column, NominalColumn):
        return column.categories
    assert isinstance(column.scale, Ranks)
    return column.scale.labels


def asked_columns(model: Model) -> list[int]:
    """Return the columns a tree asks about, in the order of the table."""
    return sorted({int(j) for j in model.tree.feature if j >= 0})


def refuse_own_questions(model: Model, target: str) -> None:
    """Refuse a tree with a user's own question, which only that question itself can answer."""
    for branching in model.tree.own.values():
        raise TreeError(
            f"{target} cannot ask a question of your own kind ({branching.kind!r}); grow the tree "
            "without that family to export it"
        )


def plain_value(value: Any) -> Any:
    """Return a category or class as a plain Python value, without NumPy's types.

    >>> plain_value(np.str_("a")), plain_value(np.float32(0.5))
    ('a', 0.5)
    """
    if isinstance(value, str):
        return str(value)
    if isinstance(value, np.generic) and not isinstance(value, np.datetime64 | np.timedelta64):
        return value.item()
    return value


def _branches_of_values(question: IntervalQuestion | CodeQuestion, column: ColumnSpec) -> Any:
    n = len(values_of(column))
    if isinstance(question, IntervalQuestion):
        return np.searchsorted(question.thresholds, np.arange(n), side="left")
    taken = np.full(n, UNSEEN)
    taken[: len(question.code_to_branch)] = question.code_to_branch
    return taken
