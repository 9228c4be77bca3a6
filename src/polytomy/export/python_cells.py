"""How exported Python reads the cells of a row: helpers, and a variable for each column."""

import re
from collections.abc import Sequence
from keyword import iskeyword, issoftkeyword

from polytomy.encode import ColumnSpec, OrderedColumn, Schema
from polytomy.model import Model
from polytomy.table import Times

from .branch_test import is_labelled
from .instants import is_duration

_CELL = '''
def _cell(row, name):
    """Return a cell of a row; None where there is none, or NaN, NaT or NA."""
    value = row.get(name)
    if value is None or type(value).__name__ in ("NAType", "NaTType") or value != value:
        return None
    return value
'''

_NUMBER = '''
def _number(row, name):
    """Return a cell as a number; nan where it is missing."""
    value = _cell(row, name)
    if value is None:
        return nan
    if isinstance(value, (str, bytes)):
        raise TypeError(f"column {name!r} must hold numbers, not {value!r}")
    return float(value)
'''

_TIME = '''
def _time(row, name, zoned):
    """Return a date or time as nanoseconds since 1970, in UTC; nan where it is missing."""
    value = _cell(row, name)
    if value is None:
        return nan
    if not isinstance(value, date):
        raise TypeError(f"column {name!r} must hold dates or datetimes, not {value!r}")
    offset = value.utcoffset() if isinstance(value, datetime) else None
    if (offset is not None) != zoned:
        raise TypeError(f"column {name!r} must hold times {'with' if zoned else 'without'} a zone")
    at = (value.toordinal() - 719163) * 86400 * 10**9
    if isinstance(value, datetime):
        at += _clock(value)
    return at if offset is None else at - _span(offset)
'''

_CLOCK = '''
def _clock(value):
    """Return the time of day as nanoseconds since midnight."""
    seconds = (value.hour * 60 + value.minute) * 60 + value.second
    return seconds * 10**9 + value.microsecond * 1000 + getattr(value, "nanosecond", 0)


def _span(value):
    """Return a timedelta as nanoseconds."""
    seconds = value.days * 86400 + value.seconds
    return seconds * 10**9 + value.microseconds * 1000 + getattr(value, "nanoseconds", 0)
'''

_DURATION = '''
def _duration(row, name):
    """Return a duration, or a time of day, as nanoseconds; nan where it is missing."""
    value = _cell(row, name)
    if value is None:
        return nan
    if isinstance(value, time):
        return _clock(value)
    if not isinstance(value, timedelta):
        raise TypeError(f"column {name!r} must hold timedeltas, not {value!r}")
    return _span(value)
'''

_TAKEN = {"row", "nan", "isnan", "inf", "date", "datetime", "time", "timedelta", "predict"}


def helpers(model: Model, columns: Sequence[int]) -> list[str]:
    """Return the imports and functions that reading some columns takes."""
    kinds = {_kind(model.schema[j]) for j in columns}
    imports, functions = [], []
    if {"_time", "_duration"} & kinds:
        imports.append("from datetime import date, datetime, time, timedelta")
        functions.append(_CLOCK)
    if kinds - {"_cell"}:
        imports.append("from math import inf, isnan, nan")
    if kinds:
        functions.append(_CELL)
    functions += [
        text
        for kind, text in (("_number", _NUMBER), ("_time", _TIME), ("_duration", _DURATION))
        if kind in kinds
    ]
    head = ["\n".join(imports)] if imports else []
    return head + [text.strip("\n") for text in functions]


def reading(column: ColumnSpec) -> str:
    """Return the call that reads a column's cell."""
    kind = _kind(column)
    zoned = ""
    if kind == "_time" and isinstance(column, OrderedColumn) and isinstance(column.scale, Times):
        zoned = f", {column.scale.zone is not None}"
    return f"{kind}(row, {str(column.name)!r}{zoned})"


def variables(schema: Schema, columns: Sequence[int]) -> dict[int, str]:
    """Return a readable name for each column, no two alike."""
    named: dict[int, str] = {}
    used = set(_TAKEN)
    for j in columns:
        name = re.sub(r"[^A-Za-z0-9]+", "_", schema[j].name).strip("_")[:40]
        if not name or name[0].isdigit() or iskeyword(name) or issoftkeyword(name):
            name = f"x_{name}".rstrip("_")
        while name in used:
            name = f"{name}_{j}"
        used.add(name)
        named[j] = name
    return named


def _kind(column: ColumnSpec) -> str:
    if is_labelled(column) or not isinstance(column, OrderedColumn):
        return "_cell"
    if not isinstance(column.scale, Times):
        return "_number"
    return "_duration" if is_duration(column) else "_time"
