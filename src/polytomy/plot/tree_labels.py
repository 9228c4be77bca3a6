"""The words of a drawn tree, short: the node names the column, so its answers need not."""

import sys
from math import floor, inf, isinf

import numpy as np

from polytomy._text import one_line
from polytomy._types import UNSEEN
from polytomy.encode import NominalColumn, OrderedColumn, Schema
from polytomy.export.moments import say_threshold
from polytomy.export.words import Range, branch_range, short_number
from polytomy.table import Ranks, Times
from polytomy.tree import CodeQuestion, IntervalQuestion, OwnQuestion, Question

ANSWER = 32  # characters an answer may take
_NAME = 18  # and a category in it
_DASH = " \N{EN DASH} "
_LARGEST = sys.float_info.max  # the threshold below infinity


def short_answers(question: Question, schema: Schema) -> list[str]:
    """Return an answer for each branch, without the column's name: ``<= 2.45``, ``{a, b}``."""
    if isinstance(question, OwnQuestion):
        words = question.branching.describe(schema.names)[1]
        return [cut(one_line(answer), ANSWER) for answer in words]
    column = schema[question.feature]
    if isinstance(question, CodeQuestion):
        assert isinstance(column, NominalColumn)
        return _categories(question, column)
    assert isinstance(column, OrderedColumn)
    return [_range(question, branch, column) for branch in range(question.arity)]


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
    ends = [_value(low, column), "inf" if high == _LARGEST else _value(high, column)]
    return (" to " if ends[1].startswith("-") else _DASH).join(ends)


def _value(x: float | None, column: OrderedColumn) -> str:
    assert x is not None
    if isinf(x):
        return "-inf"
    if isinstance(column.scale, Times):
        return say_threshold(x, column.scale, column)
    return short_number(x, column, 4)


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


def cut(text: str, width: int) -> str:
    """Return text, its middle left out where it is longer than the width: ends tell more apart.

    >>> cut("the very long name of a column", 12)
    'the ve…olumn'
    """
    if len(text) <= width:
        return text
    tail = (width - 1) // 2
    return f"{text[: width - 1 - tail]}…{text[len(text) - tail :]}"


def wrapped(text: str, width: int, most: int) -> list[str]:
    """Return text on at most so many lines, the last cut; lines end at blanks where there are some.

    >>> wrapped("mean concave points of all nuclei", 16, 2)
    ['mean concave', 'points o… nuclei']
    """
    lines: list[str] = []
    while len(text) > width and len(lines) < most - 1:
        blank = text.rfind(" ", width // 2, width + 1)
        end = blank if blank > 0 else width
        lines.append(text[:end].rstrip())
        text = text[end:].lstrip()
    return [*lines, cut(text, width)]
