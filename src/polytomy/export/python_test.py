"""The test of one branch as a Python expression. A missing number or time is nan, else None."""

from collections.abc import Callable
from math import inf
from typing import Any

from polytomy.encode import ColumnSpec, OrderedColumn
from polytomy.table import Times

from .branch_test import OneOf
from .instants import first_nanosecond_after, is_duration, iso
from .words import Range

Literal = Callable[[Any, str], str]


def python_test(x: str, column: ColumnSpec, test: Range | OneOf, literal: Literal) -> str:
    """Return an expression that is true of the rows that take a branch; ``x`` is the variable."""
    if isinstance(test, OneOf):
        return _set_test(x, column, test, literal)
    assert isinstance(column, OrderedColumn)
    if not test.present:
        return f"isnan({x})" if test.missing else "False"
    low, high = test.low, test.high
    if isinstance(column.scale, Times):
        held = _between(x, _start(low, column), "<=", _start(high, column), "<")
    else:
        held = _between(x, _number(low), "<", _number(high), "<=")
    return f"{held} or isnan({x})" if test.missing else held


def note(column: ColumnSpec, test: Range | OneOf) -> str:
    """Return a comment that says which times the numbers of a test are."""
    if isinstance(test, OneOf) or not isinstance(column, OrderedColumn):
        return ""
    if not isinstance(column.scale, Times) or is_duration(column) or not test.present:
        return ""
    ends = [first_nanosecond_after(t, column) for t in (test.low, test.high) if t is not None]
    zone = " UTC" if column.scale.zone else ""
    return f"  # {' to '.join(iso(at, column) + zone for at in ends)}" if ends else ""


def _between(x: str, low: str | None, above: str, high: str | None, below: str) -> str:
    if low is None and high is None:
        return f"not isnan({x})"
    if low is None:
        return f"{x} {below} {high}"
    if high is None:
        return f"{x} {'>' if above == '<' else '>='} {low}"
    return f"{low} {above} {x} {below} {high}"


def _start(threshold: float | None, column: OrderedColumn) -> str | None:
    return None if threshold is None else f"{first_nanosecond_after(threshold, column)}"


def _number(x: float | None) -> str | None:
    if x is None:
        return None
    return "-inf" if x == -inf else repr(x)


def _set_test(x: str, column: ColumnSpec, test: OneOf, literal: Literal) -> str:
    listed = [literal(v, f"column {column.name!r}") for v in test.values]
    if len(listed) == 1:
        inside, outside = f"{x} == {listed[0]}", f"{x} != {listed[0]}"
    elif listed:
        among = "{" + ", ".join(listed) + "}"
        inside, outside = f"{x} in {among}", f"{x} not in {among}"
    else:
        inside, outside = "False", "True"
    # None, for a missing cell, equals no value.
    if test.inside:
        if not test.missing:
            return inside
        return f"{x} is None" if not test.values else f"{x} is None or {inside}"
    if test.missing:
        return outside
    return f"{x} is not None" if not test.values else f"{x} is not None and {outside}"
