"""Questions and answers in words: ranges, dates, labels and sets of categories."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, inf, isinf
from typing import Any

import numpy as np

from polytomy._types import UNSEEN
from polytomy.encode import NominalColumn, OrderedColumn, Schema
from polytomy.table import Ranks, Times
from polytomy.tree import CodeQuestion, IntervalQuestion, OwnQuestion, Question

SET_WIDTH = 48  # characters a set of categories may take before it is shortened


@dataclass(frozen=True, slots=True)
class Range:
    """What is known of an ordered column on a path: low < x <= high, and whether it may be missing.

    ``present`` is False where only missing cells go.
    """

    low: float = -inf
    high: float = inf
    present: bool = True
    missing: bool = True

    def within(self, other: "Range") -> "Range":
        """Return what is known when both are."""
        return Range(
            max(self.low, other.low),
            min(self.high, other.high),
            self.present and other.present,
            self.missing and other.missing,
        )


def branch_range(question: IntervalQuestion, branch: int) -> Range:
    """Return what taking a branch says about its column."""
    ends = question.range_of(branch)
    own = question.missing_branch
    missing = branch == (question.default_branch if own == UNSEEN else own)
    return Range(missing=True, present=False) if ends is None else Range(*ends, True, missing)


def say_range(known: Range, column: OrderedColumn, *, missing: bool = True) -> str:
    """Put a range into words, in the column's own terms."""
    name = column.name
    if not known.present:
        return f"{name} is missing"
    if isinstance(column.scale, Ranks):
        words = _labels(name, known, column.scale.labels)
    else:
        words = _numbers(name, known, column)
    return f"{words} or missing" if missing and known.missing else words


def _numbers(name: str, known: Range, column: OrderedColumn) -> str:
    low, high = (_value(x, column) for x in (known.low, known.high))
    if isinf(known.low) and isinf(known.high) and known.low < known.high:
        return f"{name} is known"
    if known.low == -inf:
        return f"{name} <= {high}"
    return f"{name} > {low}" if known.high == inf else f"{low} < {name} <= {high}"


def _value(x: float, column: OrderedColumn) -> str:
    if isinf(x) or x == np.finfo(np.float64).max:
        return "finite" if x > 0 else "-inf"
    if isinstance(column.scale, Times):
        return _time(x, column.scale, column)
    return _number(x, column)


def _number(x: float, column: OrderedColumn) -> str:
    """Return the fewest digits, from six on, that still part the bins the threshold parts."""
    at = int(np.searchsorted(column.high, x, side="right"))
    below = column.high[at - 1] if at > 0 else -inf
    above = column.low[at] if at < len(column.low) else inf
    for digits in range(6, 18):
        text = f"{x:.{digits}g}"
        if below <= float(text) < above:
            return text
    return repr(x)


def _time(x: float, scale: Times, column: OrderedColumn) -> str:
    """Return the coarsest moment that still parts the bins the threshold parts."""
    moment = scale.at(floor(x))
    if not scale.dtype.startswith("datetime64"):
        return str(moment)
    at = int(np.searchsorted(column.high, x, side="right"))
    below = column.high[at - 1] if at > 0 else -inf
    for unit in ("D", "h", "m", "s"):
        coarse = moment.astype(f"datetime64[{unit}]")
        if below <= float(coarse.astype(scale.dtype).astype(np.int64)):
            moment = coarse
            break
    return str(moment).replace("T", " ") + (f" {scale.zone}" if scale.zone else "")


def _labels(name: str, known: Range, labels: tuple[Any, ...]) -> str:
    first = 0 if isinf(known.low) else floor(known.low) + 1
    last = len(labels) if isinf(known.high) else floor(known.high) + 1
    held = [str(label) for label in labels[first:last]]
    return f"{name} is {held[0]}" if len(held) == 1 else f"{name} in {short_set(held)}"


def say_codes(
    question: CodeQuestion, branch: int, column: NominalColumn, width: int = SET_WIDTH
) -> str:
    """Put the categories of a branch into words; ``or other`` marks where unseen ones go."""
    codes = np.flatnonzero(question.code_to_branch == branch)
    held = [str(column.categories[code]) for code in codes.tolist()]
    if branch == question.missing_branch:
        held.append("missing")
    if branch == question.default_branch:
        held.append("other")
    if len(held) == 1:
        return f"{column.name} is {held[0]}"
    return f"{column.name} in {short_set(held, width)}"


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
