"""What the cells of a CSV column are: whole numbers, numbers, yes and no, times, or text.

A column is the first of these that all its cells are; cells that are empty or say that they are
missing fit any.
"""

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any, Literal

import numpy as np

from polytomy._types import AnyArray

Kind = Literal["integer", "boolean", "number", "time", "zoned time", "text"]

_MISSING_WORDS = "NA N/A n/a na NaN nan NULL Null null None <NA> #N/A ?"
MISSING_CELLS = frozenset(["", *_MISSING_WORDS.split()])
_BOOLEANS = {w: w.lower() == "true" for w in ("true", "True", "TRUE", "false", "False", "FALSE")}
_TIME = re.compile(
    r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,6})?)?(?P<zone>Z|[+-]\d\d:?\d\d)?)?", re.ASCII
)


def is_missing_cell(cell: str) -> bool:
    """Say whether a cell holds nothing."""
    return cell.strip() in MISSING_CELLS


def as_integers(cells: Sequence[str]) -> AnyArray | None:
    """Return whole numbers; as floats, NaN where missing, if any cell is."""
    return _plain(cells, int, np.int64)


def as_numbers(cells: Sequence[str]) -> AnyArray | None:
    """Return floats, NaN where missing."""
    return _plain(cells, float, np.float64)


def _plain(cells: Sequence[str], parse: Callable[[str], Any], dtype: Any) -> AnyArray | None:
    together = "".join(cells)  # one look for what Python would read as digits and others would not
    if "_" in together or not together.isascii():
        return None
    try:
        return np.array(list(map(parse, cells)), dtype=dtype)
    except (ValueError, OverflowError):
        pass
    try:
        held = [np.nan if is_missing_cell(c) else parse(c) for c in cells]
        return np.array(held, dtype=np.float64)
    except (ValueError, OverflowError):
        return None


def as_booleans(cells: Sequence[str]) -> AnyArray | None:
    """Return booleans; as objects, None where missing, if any cell is."""
    held: list[bool | None] = []
    for cell in cells:
        known = _BOOLEANS.get(cell.strip())
        if known is None and not is_missing_cell(cell):
            return None
        held.append(known)
    return np.array(held, dtype=object if None in held else np.bool_)


def as_times(cells: Sequence[str]) -> AnyArray | None:
    """Return ISO dates and times without a zone, NaT where missing."""
    held = _times(cells, zoned=False)
    try:
        return None if held is None else np.array(held, dtype="datetime64[us]")
    except ValueError:  # a 13th month
        return None


def as_zoned_times(cells: Sequence[str]) -> AnyArray | None:
    """Return ISO times with a zone, in UTC and with it; None where missing."""
    held = _times(cells, zoned=True)
    if held is None:
        return None
    try:
        times = [None if t is None else datetime.fromisoformat(t).astimezone(UTC) for t in held]
    except (ValueError, OverflowError):
        return None
    return np.array([*times, None], dtype=object)[:-1]


def _times(cells: Sequence[str], zoned: bool) -> list[str | None] | None:
    """Return cells that are times, all with a zone or all without: others have no common order."""
    held: list[str | None] = []
    for cell in cells:
        found = _TIME.fullmatch(cell.strip())
        if found is not None and (found["zone"] is not None) == zoned:
            held.append(found[0])
        elif found is None and is_missing_cell(cell):
            held.append(None)
        else:
            return None
    return held


def as_text(cells: Sequence[str], pool: dict[str, str]) -> AnyArray:
    """Return text without blanks around it, None where missing; equal cells share one string."""
    held = [None if (s := c.strip()) in MISSING_CELLS else pool.setdefault(s, s) for c in cells]
    return np.array([*held, None], dtype=object)[:-1]  # the None keeps NumPy from looking closer


READERS: dict[Kind, Callable[[Sequence[str]], AnyArray | None]] = {
    "integer": as_integers,
    "boolean": as_booleans,
    "number": as_numbers,
    "time": as_times,
    "zoned time": as_zoned_times,
}

# What a column may turn out to be once cells of one kind have come.
NEXT: dict[Kind | None, tuple[Kind, ...]] = {
    None: ("integer", "boolean", "number", "time", "zoned time", "text"),
    "integer": ("integer", "number", "text"),
    "number": ("number", "text"),
    "boolean": ("boolean", "text"),
    "time": ("time", "text"),
    "zoned time": ("zoned time", "text"),
    "text": ("text",),
}
WORDS: dict[Kind, str] = {
    "integer": "a whole number",
    "boolean": "true or false",
    "number": "a number",
    "time": "a date or a time without a zone, such as 2026-01-31 or 2026-01-31T12:00",
    "zoned time": "a time with its zone, such as 2026-01-31T12:00Z",
    "text": "text",
}
