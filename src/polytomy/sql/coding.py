"""SQL expressions for codes: the bin or the category of a cell."""

from bisect import bisect_right
from collections.abc import Sequence
from math import inf
from sys import float_info
from typing import Any

from polytomy.encode import ColumnSpec, OrderedColumn

from .bins import Column
from .database import SQL, Database

_FAN_OUT = 8  # branches of a CASE; with 2, coding takes nearly twice as long


def code_expression(database: Database, column: Column, spec: ColumnSpec) -> str:
    """Return an expression for the code of a column's cell.

    Parameters
    ----------
    database : Database
        The database.
    column : Column
        The column.
    spec : ColumnSpec
        Its bins or categories.

    Returns
    -------
    str
        The expression.
    """
    what = f"column {column.name!r}"
    if spec.n_values == 0:
        return "0"
    if isinstance(spec, OrderedColumn):
        ends = [spec.threshold(b, b + 1) for b in range(spec.n_values - 1)]
        present = _search([_at_most(column.x, end) for end in ends])
    else:
        present = position(database, column.x, column.type.kind, spec.categories, what)
    if not spec.has_missing:
        return present
    return f"CASE WHEN {column.x} IS NULL THEN {spec.n_values} ELSE {present} END"


def position(database: Database, x: str, kind: str, values: Sequence[Any], what: str) -> str:
    """Return an expression for the position of a value among sorted ones, of which it is one.

    Parameters
    ----------
    database : Database
        The database.
    x : str
        The name of the value in SQL.
    kind : str
        What the value is; see ``CellType``.
    values : sequence
        The values.
    what : str
        What has these values, for messages.

    Returns
    -------
    str
        The expression.
    """
    if len(values) == 1:
        return "0"
    if kind == "text":
        return database.code_of_text(x, values, what)
    if kind == "boolean":
        return f"CASE WHEN {x} THEN 1 ELSE 0 END"
    if kind == "float":
        return _search([_at_most(x, float(v)) for v in values[:-1]])
    return _search([f"{x} <= {SQL.value(v, what)}" for v in values[:-1]])


def _at_most(x: str, end: float) -> str:
    if end == -inf:  # not every engine has a literal for it
        return f"{x} < {SQL.number(-float_info.max)}"
    return f"{x} <= {SQL.number(end)}"


def _search(conditions: Sequence[str], first: int = 0) -> str:
    """Return an expression for the number of the first condition that holds, in nested CASEs.

    If one condition holds, so do all after it; if none holds, the number is that after the last.
    """
    n = len(conditions) + 1  # numbers to choose from
    if n == 1:
        return str(first)
    step = 1
    while step * _FAN_OUT < n:
        step *= _FAN_OUT
    cases = []
    start = 0
    for end in range(step, n, step):
        inner = _search(conditions[start : end - 1], first + start)
        cases.append(f"WHEN {conditions[end - 1]} THEN {inner}")
        start = end
    rest = _search(conditions[start:], first + start)
    return f"CASE {' '.join(cases)} ELSE {rest} END"


def type_of_codes(n_codes: int) -> str:
    """Return the smallest SQL type for the codes of a column."""
    types = ("UTINYINT", "USMALLINT", "UINTEGER")
    return types[bisect_right((1 << 8, 1 << 16), n_codes - 1)]
