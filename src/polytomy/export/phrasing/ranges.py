"""Ranges of ordered columns: the range of each branch, and its wording."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context
from functools import partial
from math import floor, inf, isinf
from typing import Any

import numpy as np

from polytomy._text import one_line
from polytomy.encode import OrderedColumn
from polytomy.table import Ranks, Times
from polytomy.tree import IntervalSplit

from .categories import describe_categories
from .times import format_time_threshold

_LARGEST = sys.float_info.max  # the threshold between the finite numbers and infinity
_PLAIN = 1e9  # smaller numbers are written without an exponent
_TOLERANCE = 1e-3  # of a bin's width


@dataclass(frozen=True, slots=True)
class Range:
    """A range ``low < x <= high`` of an ordered column, with or without missing cells.

    A bound of None is no bound; an infinite bound is one. ``present`` is False if the range holds
    missing cells only.
    """

    low: float | None = None
    high: float | None = None
    present: bool = True
    missing: bool = True

    def intersect(self, other: "Range") -> "Range":
        """Return the range of the values that lie in both ranges."""
        lows = [x for x in (self.low, other.low) if x is not None]
        highs = [x for x in (self.high, other.high) if x is not None]
        return Range(
            max(lows, default=None),
            min(highs, default=None),
            self.present and other.present,
            self.missing and other.missing,
        )


def branch_range(split: IntervalSplit, branch: int) -> Range:
    """Return the range of values that take a branch."""
    thresholds = split.thresholds.tolist()
    missing = branch == split.branch_of_missing
    if branch > len(thresholds):
        return Range(missing=True, present=False)
    low = thresholds[branch - 1] if branch > 0 else None
    high = thresholds[branch] if branch < len(thresholds) else None
    return Range(low, high, True, missing)


def describe_range(
    values: Range, column: OrderedColumn, *, missing: bool = True, named: bool = True
) -> str:
    """Return a range in words, such as ``age <= 30 (or missing)``.

    Parameters
    ----------
    values : Range
        The range.
    column : OrderedColumn
        The column, which determines how bounds are written: as numbers, times or labels.
    missing : bool, default=True
        Whether to mention missing cells if the range holds them.
    named : bool, default=True
        Whether to include the column's name. Without it, ranges read ``<= 30``, ``20 to 30``.
    """
    name = one_line(column.name) if named else None
    if not values.present:
        return describe_categories(name, [], missing=True)
    if isinstance(column.scale, Ranks):
        labels = [one_line(label) for label in labels_in_range(values, column.scale)]
        words = describe_categories(name, labels)
    else:
        words = phrase_bounds(values, partial(format_threshold, column=column), name)
    return f"{words} (or missing)" if missing and values.missing else words


def phrase_bounds(
    values: Range,
    bound: Callable[[float], str],
    name: str | None = None,
    between: Callable[[str, str], str] = "{} to {}".format,
) -> str:
    """Return the bounds of a range in words; missing cells are not mentioned.

    Parameters
    ----------
    values : Range
        The range; it must be ``present``.
    bound : callable
        Formats one bound.
    name : str, optional
        The column's name. Without it, the words stand alone: ``<= 30`` instead of ``age <= 30``.
    between : callable, default="{} to {}".format
        Joins the two bounds of a range without a name.

    Examples
    --------
    >>> phrase_bounds(Range(2.0, 3.5), str, "x"), phrase_bounds(Range(2.0, 3.5), str)
    ('2.0 < x <= 3.5', '2.0 to 3.5')
    >>> phrase_bounds(Range(None, 3.5), str, "x"), phrase_bounds(Range(None, 3.5), str)
    ('x <= 3.5', '<= 3.5')
    """
    low, high = values.low, values.high
    exact = None
    if low is None and high is None:
        exact = "known"
    elif high == -inf:
        exact = "-inf"
    elif low == _LARGEST:
        exact = "inf"
    if exact is not None:
        return exact if name is None else f"{name} is {exact}"
    below, upper = ("<", "inf") if high == _LARGEST else ("<=", "" if high is None else bound(high))
    if low is not None and high is not None:
        lower = bound(low)
        return between(lower, upper) if name is None else f"{lower} < {name} {below} {upper}"
    words = f"{below} {upper}" if low is None else f"> {bound(low)}"
    return words if name is None else f"{name} {words}"


def labels_in_range(values: Range, scale: Ranks) -> tuple[Any, ...]:
    """Return the labels of an ordered categorical column that lie in a range."""
    first = 0 if values.low is None else floor(values.low) + 1
    last = len(scale.labels) if values.high is None else floor(values.high) + 1
    return scale.labels[first:last]


def format_threshold(x: float, column: OrderedColumn, digits: int = 6) -> str:
    """Return a threshold as a number or a time with as few digits as separate the same bins."""
    if isinf(x):
        return "-inf"
    if isinstance(column.scale, Times):
        return format_time_threshold(x, column.scale, column)
    return format_number(x, column, digits)


def format_number(x: float, column: OrderedColumn, digits: int = 6) -> str:
    """Return a threshold with the fewest digits, at least ``digits``, that separate the same bins.

    A threshold may equal the largest value below it, so it is rounded up as well as to nearest. A
    threshold inside a bin is written to a thousandth of the bin's width.
    """
    at = int(np.searchsorted(column.high, x, side="right"))
    below = column.high[at - 1] if at > 0 else -inf
    above = column.low[at] if at < len(column.low) else inf
    if above <= x:
        near = _TOLERANCE * (column.high[at] - above)
        below, above = x - near, x + near
    whole = len(str(int(abs(x)))) if abs(x) < _PLAIN else 0  # avoids an exponent
    for precision in range(max(digits, whole), 18):
        up = Context(prec=precision, rounding=ROUND_CEILING).create_decimal_from_float(x)
        for text in (f"{x:.{precision}g}", f"{float(up):.{precision}g}"):
            if below <= float(text) < above:
                return text
    return repr(x)
