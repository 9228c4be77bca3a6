"""The test of one branch as a condition in SQL; never true of a row that does not take it."""

import sys
from collections.abc import Sequence
from math import inf
from typing import Any

from polytomy._errors import TreeError
from polytomy.encode import ColumnSpec, OrderedColumn
from polytomy.table import Times

from .branch_test import OneOf, is_yes_no, plain_value, values_of
from .sql_dialect import Dialect
from .words import Range

_LARGEST = sys.float_info.max
_NEVER, _ALWAYS = "1 = 0", "1 = 1"


def sql_test(dialect: Dialect, column: ColumnSpec, test: Range | OneOf) -> str:
    """Return a condition that is true of the rows that take a branch.

    Of others it is false or unknown; CASE takes both for no.
    """
    name = dialect.identifier(column.name)
    if isinstance(test, OneOf):
        return _set_test(dialect, column, test)
    assert isinstance(column, OrderedColumn)
    if isinstance(column.scale, Times):
        held = _time_test(dialect, column, test)
    elif is_yes_no(column) and dialect.has_booleans:
        held = _yes_no_test(name, test)
    else:
        return _number_test(dialect, name, test)
    return _or_missing(held, f"{name} IS NULL", test)


def _or_missing(held: str, gone: str, test: Range) -> str:
    if not test.missing:
        return held if test.present else _NEVER
    if not test.present:
        return gone
    return f"({held} OR {gone})"


def _number_test(dialect: Dialect, name: str, test: Range) -> str:
    """Compare numbers as float64; NaN is missing wherever it sorts."""
    x = name
    if dialect.name == "sqlite":
        x = f"CAST({name} AS REAL)"  # whole numbers would be compared beyond 2^53
    above_all = test.high is None and test.low is not None
    nan_passes = above_all and dialect.nan is not None  # it sorts above every bound
    parts = _bounds(dialect, x, test)
    if nan_passes and not test.missing:
        parts.append(f"{x} <= {dialect.infinity}")
    elif not parts:
        parts.append(_known(dialect, name))
    held = " AND ".join(parts)
    if len(parts) > 1 and test.missing:
        held = f"({held})"
    gone = f"{name} IS NULL"
    if not nan_passes or not test.missing:
        gone += _or_nan(dialect, name)
    return _or_missing(held, gone, test)


def _bounds(dialect: Dialect, x: str, test: Range) -> list[str]:
    """Return the comparisons with the ends; without a literal for it, -inf is below the lowest."""
    parts = []
    for bound, operator, without in ((test.low, ">", ">="), (test.high, "<=", "<")):
        if bound == -inf and dialect.infinity is None:
            parts.append(f"{x} {without} {dialect.number(-_LARGEST)}")
        elif bound == -inf:
            parts.append(f"{x} {operator} {dialect.minus_infinity}")
        elif bound is not None:
            parts.append(f"{x} {operator} {dialect.number(bound)}")
    return parts


def _known(dialect: Dialect, name: str) -> str:
    if dialect.name == "sqlite":
        return f"{name} IS NOT NULL"
    return f"{name} = {name}" if dialect.nan is None else f"{name} <= {dialect.infinity}"


def _or_nan(dialect: Dialect, name: str) -> str:
    if dialect.name == "sqlite":  # it stores NaN as NULL
        return ""
    return f" OR {name} <> {name}" if dialect.nan is None else f" OR {name} = {dialect.nan}"


def _time_test(dialect: Dialect, column: OrderedColumn, test: Range) -> str:
    name = dialect.identifier(column.name)
    x = f"replace({name}, 'T', ' ')" if dialect.name == "sqlite" else name
    parts = []
    if test.low is not None:
        parts.append(f"{x} >= {dialect.time(test.low, column)}")
    if test.high is not None:
        parts.append(f"{x} < {dialect.time(test.high, column)}")
    if not parts:
        return f"{name} IS NOT NULL"
    return parts[0] if len(parts) == 1 else f"({' AND '.join(parts)})"


def _yes_no_test(name: str, test: Range) -> str:
    low = -inf if test.low is None else test.low
    high = inf if test.high is None else test.high
    no, yes = (low < x <= high for x in (0, 1))
    if no and yes:
        return f"{name} IS NOT NULL"
    if not no and not yes:
        return _NEVER
    return f"{name} IS {'TRUE' if yes else 'FALSE'}"


def _set_test(dialect: Dialect, column: ColumnSpec, test: OneOf) -> str:
    name, values = dialect.identifier(column.name), list(map(plain_value, test.values))
    what = f"column {column.name!r}"
    if len(values) == 1:
        held = f"{name} {'=' if test.inside else '<>'} {dialect.value(values[0], what)}"
    elif values:
        listed = ", ".join(dialect.value(v, what) for v in values)
        held = f"{name} {'IN' if test.inside else 'NOT IN'} ({listed})"
    else:
        held = _NEVER if test.inside else f"{name} IS NOT NULL"
    gone = f"{name} IS NULL"
    if dialect.nan is not None and any(isinstance(v, float) for v in values_of(column)):
        gone = f"{gone} OR {name} = {dialect.nan}"
        held = held if test.inside else f"{held} AND {name} <> {dialect.nan}"
    if not test.missing:
        return held
    if held == _NEVER:
        return gone
    return f"({held} OR {gone})"


def check_one_type(values: Sequence[Any], what: str) -> None:
    """Refuse categories of several types: a column in SQL has one."""
    types = {type(plain_value(v)) for v in values}
    if len(types) > 1 and types != {int, float}:
        named = " and ".join(sorted(t.__name__ for t in types))
        raise TreeError(
            f"{what} mixes {named}, which a column in SQL cannot; turn them into text before "
            "growing the tree"
        )
