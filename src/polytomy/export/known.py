"""What a path knows of a column: the range or the categories that are left of it, and in words."""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from polytomy._text import one_line
from polytomy._types import UNSEEN, IntArray
from polytomy.encode import ColumnSpec, NominalColumn, OrderedColumn
from polytomy.tree import CodeQuestion, IntervalQuestion

from .words import Range, branch_range, say_range, say_set


@dataclass(frozen=True, slots=True, eq=False)
class Reaching:
    """Which categories take a path, whether missing cells do, and whether new categories do."""

    codes: IntArray
    missing: bool
    other: bool


Known: TypeAlias = Range | Reaching
"""What is known of an ordered column, or of one of categories."""


def knows(
    question: IntervalQuestion | CodeQuestion, column: ColumnSpec, before: Known | None = None
) -> list[Known]:
    """Return what is known after each answer to a question, given what was known before."""
    if isinstance(question, IntervalQuestion):
        ranges = [branch_range(question, b) for b in range(question.arity)]
        return [r.within(before) if isinstance(before, Range) else r for r in ranges]
    earlier = before if isinstance(before, Reaching) else None
    codes = np.arange(column.n_values) if earlier is None else earlier.codes
    default, own = question.default_branch, question.missing_branch
    taken = np.full(column.n_values, default, dtype=np.int64)
    seen = np.flatnonzero(question.code_to_branch != UNSEEN)
    taken[seen] = question.code_to_branch[seen]
    missing = default if own == UNSEEN else own
    may_miss, may_be_new = (True, True) if earlier is None else (earlier.missing, earlier.other)
    parts = _parted(codes, taken[codes], question.arity)
    return [
        Reaching(part, may_miss and b == missing, may_be_new and b == default)
        for b, part in enumerate(parts)
    ]


def _parted(codes: IntArray, branches: IntArray, arity: int) -> list[IntArray]:
    """Return the codes of each branch, in order."""
    order = np.argsort(branches, kind="stable")
    sizes = np.bincount(branches, minlength=arity)
    return np.split(codes[order], np.cumsum(sizes)[:-1])


def say_known(known: Known, column: ColumnSpec) -> str:
    """Put what is known into words, as rules say it."""
    return said(known, column, missing=column.has_missing)


def said(known: Known, column: ColumnSpec, *, missing: bool) -> str:
    """Put what is known into words; missing cells are spoken of where there may be some."""
    if isinstance(known, Reaching):
        assert isinstance(column, NominalColumn)
        held = [one_line(column.categories[code]) for code in known.codes.tolist()]
        return say_set(column.name, held, known.missing and missing, known.other)
    assert isinstance(column, OrderedColumn)
    return say_range(known, column, missing=missing)
