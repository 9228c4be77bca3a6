"""The words of a drawn tree, short: the node names the column, so its answers need not."""

import sys
from math import floor, inf, isinf

import numpy as np

from polytomy._text import one_line
from polytomy._types import UNSEEN
from polytomy.encode import NominalColumn, OrderedColumn, Schema
from polytomy.export.moments import say_moment, say_threshold
from polytomy.export.words import Range, branch_range, short_number
from polytomy.table import Ranks, Times
from polytomy.tree import CodeQuestion, IntervalQuestion, OwnQuestion, Question

from .names import cut, shown

ANSWER = 32  # characters an answer may take
_NAME = 18  # and a category in it
_MOMENTS = 20  # characters: a longer range of times is on two lines
_DASH = " \N{EN DASH} "
_LARGEST = sys.float_info.max  # the threshold below infinity


def short_answers(question: Question, schema: Schema) -> list[str]:
    """Return an answer for each branch, without the column's name: ``<= 2.45``, ``{a, b}``.

    Ranges of times may have two lines.
    """
    if isinstance(question, OwnQuestion):
        words = question.branching.describe(schema.names)[1]
        return [cut(one_line(answer), ANSWER) for answer in words]
    column = schema[question.feature]
    if isinstance(question, CodeQuestion):
        assert isinstance(column, NominalColumn)
        return _categories(question, column)
    assert isinstance(column, OrderedColumn)
    return [_range(question, branch, column) for branch in range(question.arity)]


def asked(question: Question, schema: Schema) -> str:
    """Return what a question asks; of times with their zone, which answers then need not say."""
    if isinstance(question, OwnQuestion):
        return one_line(question.branching.describe(schema.names)[0]).rstrip("?") + "?"
    column = schema[question.feature]
    name = shown(column.name)
    if isinstance(column, OrderedColumn) and isinstance(column.scale, Times) and column.scale.zone:
        name += f" ({say_moment(0, column.scale, column).rpartition(' ')[2]})"
    return f"{name}?"


def _categories(question: CodeQuestion, column: NominalColumn) -> list[str]:
    """Put sets into words; where all else is said in full, new ones included, it is "others"."""
    held = [
        [one_line(column.categories[code]) for code in np.flatnonzero(at).tolist()]
        for at in (question.code_to_branch == branch for branch in range(question.arity))
    ]
    said = [few_of(names) if names else "" for names in held]
    short = [b for b, words in enumerate(said) if words.endswith(" more}")]
    if short == [question.default_branch]:
        said[question.default_branch] = "others"
    if question.missing_branch != UNSEEN:
        words = said[question.missing_branch]
        said[question.missing_branch] = f"{words} or missing" if words else "missing"
    return said


def _range(question: IntervalQuestion, branch: int, column: OrderedColumn) -> str:
    known = branch_range(question, branch)
    if not known.present:
        return "missing"
    words = (
        _ranks(known, column.scale) if isinstance(column.scale, Ranks) else _between(known, column)
    )
    seen = question.missing_branch != UNSEEN
    return f"{words} or missing" if seen and known.missing else words


def _ranks(known: Range, scale: Ranks) -> str:
    first = 0 if known.low is None else floor(known.low) + 1
    last = len(scale.labels) if known.high is None else floor(known.high) + 1
    held = [cut(one_line(label), _NAME) for label in scale.labels[first:last]]
    return held[0] if len(held) == 1 else f"{held[0]}{_DASH}{held[-1]}"


def _between(known: Range, column: OrderedColumn) -> str:
    low, high = known.low, known.high
    if low is None and high is None:
        return "known"
    if high == -inf:
        return "-inf"
    if low == _LARGEST:
        return "inf"
    if low is None:
        return "< inf" if high == _LARGEST else f"<= {_value(high, column)}"
    if high is None:
        return f"> {_value(low, column)}"
    return _joined(_value(low, column), "inf" if high == _LARGEST else _value(high, column), column)


def _joined(low: str, high: str, column: OrderedColumn) -> str:
    """Return a range; one of times, which are long, may have two lines."""
    if isinstance(column.scale, Times) and column.scale.dtype.startswith("datetime64"):
        high = _but_for(low, high)
        if len(low) + len(high) > _MOMENTS:
            return f"{low}{_DASH.rstrip()}\n{high}"
    return f"{low}{' to ' if high.startswith('-') else _DASH}{high}"


def _value(x: float | None, column: OrderedColumn) -> str:
    assert x is not None
    if isinf(x):
        return "-inf"
    if isinstance(column.scale, Times):
        words = say_threshold(x, column.scale, column)
        return words if column.scale.zone is None else words.rpartition(" ")[0]
    return short_number(x, column, 4)


def _but_for(first: str, second: str) -> str:
    """Return the second of two moments without the year, or the day, that it shares with the first.

    >>> _but_for("2020-04-09", "2020-07-18"), _but_for("2020-04-09 12:00", "2020-04-09 13:30")
    ('07-18', '13:30')
    """
    day, _, clock = second.partition(" ")
    if clock and first.startswith(f"{day} "):
        return clock
    year = day[: day.find("-", 1) + 1]  # years before our era begin with a dash
    return second.removeprefix(year) if first.startswith(year) else second


def few_of(names: list[str], width: int = ANSWER) -> str:
    """Return ``a`` or ``{a, b, +3 more}``, in about so many characters.

    >>> few_of([f"n{i}" for i in range(40)])
    '{n0, n1, n2, n3, n4, +35 more}'
    >>> few_of(["a"]), few_of(["a", "b"])
    ('a', '{a, b}')
    """
    names = [cut(name, _NAME) for name in names]
    if len(names) == 1:
        return names[0]
    whole = "{" + ", ".join(names) + "}"
    if len(whole) <= width:
        return whole
    if len(names) == 2:  # "+1 more" would be no shorter
        return "{" + ", ".join(cut(name, width // 2 - 2) for name in names) + "}"
    kept, room = 1, width - len(names[0]) - len("{, +10 more}")
    while kept < len(names) and len(names[kept]) + 2 <= room:
        room -= len(names[kept]) + 2
        kept += 1
    return "{" + ", ".join([*names[:kept], f"+{len(names) - kept} more"]) + "}"
