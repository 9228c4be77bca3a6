"""Questions and answers in words: ranges, dates, labels and sets of categories."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context
from math import floor, inf, isinf
from typing import Any

import numpy as np

from polytomy._text import one_line
from polytomy._types import UNSEEN
from polytomy.encode import NominalColumn, OrderedColumn, Schema
from polytomy.table import Ranks, Times
from polytomy.tree import CodeQuestion, IntervalQuestion, OwnQuestion, Question

from .moments import say_threshold

_LARGEST = sys.float_info.max  # the threshold below infinity
_PLAIN = 1e9  # smaller numbers are written out
_CLOSE = 1e-3  # of a bin
SET_WIDTH = 48  # characters a set of categories may take before it is shortened


@dataclass(frozen=True, slots=True)
class Range:
    """What is known of an ordered column on a path: low < x <= high, and whether it may be missing.

    None is no bound (an infinite one is a bound); ``present`` is False where only missing cells go.
    """

    low: float | None = None
    high: float | None = None
    present: bool = True
    missing: bool = True

    def within(self, other: "Range") -> "Range":
        """Return what is known when both are."""
        lows = [x for x in (self.low, other.low) if x is not None]
        highs = [x for x in (self.high, other.high) if x is not None]
        return Range(
            max(lows, default=None),
            min(highs, default=None),
            self.present and other.present,
            self.missing and other.missing,
        )


def branch_range(question: IntervalQuestion, branch: int) -> Range:
    """Return what taking a branch says about its column."""
    cuts = question.thresholds.tolist()
    own = question.missing_branch
    missing = branch == (question.default_branch if own == UNSEEN else own)
    if branch > len(cuts):
        return Range(missing=True, present=False)
    low = cuts[branch - 1] if branch > 0 else None
    return Range(low, cuts[branch] if branch < len(cuts) else None, True, missing)


def say_range(known: Range, column: OrderedColumn, *, missing: bool = True) -> str:
    """Put a range into words, in the column's own terms."""
    name = one_line(column.name)
    if not known.present:
        return f"{name} is missing"
    if isinstance(column.scale, Ranks):
        words = _labels(name, known, column.scale.labels)
    else:
        words = _numbers(name, known, column)
    return f"{words} (or missing)" if missing and known.missing else words


def _numbers(name: str, known: Range, column: OrderedColumn) -> str:
    low, high = known.low, known.high
    if low is None and high is None:
        return f"{name} is known"
    if high == -inf:
        return f"{name} is -inf"
    if low == _LARGEST:
        return f"{name} is inf"
    if high == _LARGEST:
        return f"{name} < inf" if low is None else f"{_value(low, column)} < {name} < inf"
    if low is None or high is None:
        return (
            f"{name} > {_value(low, column)}"
            if high is None
            else f"{name} <= {_value(high, column)}"
        )
    return f"{_value(low, column)} < {name} <= {_value(high, column)}"


def _value(x: float | None, column: OrderedColumn) -> str:
    assert x is not None
    if isinf(x):
        return "-inf"
    if isinstance(column.scale, Times):
        return say_threshold(x, column.scale, column)
    return short_number(x, column)


def short_number(x: float, column: OrderedColumn, least: int = 6) -> str:
    """Return the fewest digits, from ``least`` on, that still part the bins a threshold parts.

    A threshold may be the largest value below it, so what is a little larger is tried too. One
    inside a bin is written to a thousandth of the bin.
    """
    at = int(np.searchsorted(column.high, x, side="right"))
    below = column.high[at - 1] if at > 0 else -inf
    above = column.low[at] if at < len(column.low) else inf
    if above <= x:
        near = _CLOSE * (column.high[at] - above)
        below, above = x - near, x + near
    whole = len(str(int(abs(x)))) if abs(x) < _PLAIN else 0  # no powers of ten below
    for digits in range(max(least, whole), 18):
        up = Context(prec=digits, rounding=ROUND_CEILING).create_decimal_from_float(x)
        for text in (f"{x:.{digits}g}", f"{float(up):.{digits}g}"):
            if below <= float(text) < above:
                return text
    return repr(x)


def _labels(name: str, known: Range, labels: tuple[Any, ...]) -> str:
    first = 0 if known.low is None else floor(known.low) + 1
    last = len(labels) if known.high is None else floor(known.high) + 1
    held = [one_line(label) for label in labels[first:last]]
    return f"{name} is {held[0]}" if len(held) == 1 else f"{name} in {short_set(held)}"


def say_codes(
    question: CodeQuestion, branch: int, column: NominalColumn, width: int = SET_WIDTH
) -> str:
    """Put the categories of a branch into words; ``other`` marks where unseen ones go."""
    codes = np.flatnonzero(question.code_to_branch == branch)
    held = [one_line(column.categories[code]) for code in codes.tolist()]
    missing = branch == question.missing_branch
    return say_set(column.name, held, missing, branch == question.default_branch, width)


def say_set(name: str, held: list[str], missing: bool, other: bool, width: int = SET_WIDTH) -> str:
    """Return ``name in {a, b} or missing or other``; only the categories are shortened."""
    name = one_line(name)
    more = [word for word, there in (("missing", missing), ("other", other)) if there]
    if not held:
        return f"{name} is {' or '.join(more)}"
    words = f"{name} is {held[0]}" if len(held) == 1 else f"{name} in {short_set(held, width)}"
    return f"{words} (or {' or '.join(more)})" if more else words


def short_set(names: Sequence[str], width: int = SET_WIDTH) -> str:
    """Return ``{a, b, c}``, shortened in the middle to ``{a, b, +17 more, z}``.

    >>> short_set([f"n{i}" for i in range(40)], 30)
    '{n0, n1, n2, +36 more, n39}'
    """
    if len(names) <= 3 or sum(map(len, names)) + 2 * len(names) <= width:
        return "{" + ", ".join(names) + "}"
    room = width - len(f"{{+{len(names)} more, {names[-1]}}}")
    kept = 0
    while kept < len(names) - 2 and len(names[kept]) + 2 <= room:
        room -= len(names[kept]) + 2
        kept += 1
    kept = max(kept, 1)
    shown = [*names[:kept], f"+{len(names) - kept - 1} more", names[-1]]
    return "{" + ", ".join(shown) + "}"


def answers(question: Question, schema: Schema, width: int = SET_WIDTH) -> list[str]:
    """Return one answer in words for each branch of a question."""
    if isinstance(question, OwnQuestion):
        asked, own = question.branching.describe(schema.names)
        return [f"{asked} {answer}" for answer in own]
    branches = range(question.arity)
    column = schema[question.feature]
    if isinstance(question, CodeQuestion) and isinstance(column, NominalColumn):
        return [say_codes(question, b, column, width) for b in branches]
    assert isinstance(question, IntervalQuestion)
    assert isinstance(column, OrderedColumn)
    seen = question.missing_branch != UNSEEN
    return [say_range(branch_range(question, b), column, missing=seen) for b in branches]
