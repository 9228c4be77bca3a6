"""Kinds of CSV columns (integer, boolean, number, time, text) and the parsing of their cells.

A column has the first kind that all its cells can be parsed as. A missing cell, either empty or one
of the usual words such as ``NA``, fits every kind.
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
_CODE = re.compile(r"\n *0[0-9]+ *(?=\n|$)")
_BOOLEANS = {w: w.lower() == "true" for w in ("true", "True", "TRUE", "false", "False", "FALSE")}
_TIME = re.compile(
    r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,6})?)?(?P<zone>Z|[+-]\d\d:?\d\d)?)?", re.ASCII
)


def is_missing_cell(cell: str) -> bool:
    """Return whether a CSV cell is missing."""
    return cell.strip() in MISSING_CELLS


def parse_integers(cells: Sequence[str]) -> AnyArray | None:
    """Return cells as int64, or as float64 with NaN if some are missing; None if they are not."""
    return _parse_numbers(cells, int, np.int64)


def parse_numbers(cells: Sequence[str]) -> AnyArray | None:
    """Return cells as float64 with NaN for missing ones, or None if a cell is not a number."""
    return _parse_numbers(cells, float, np.float64)


def _parse_numbers(
    cells: Sequence[str], parse: Callable[[str], Any], dtype: Any
) -> AnyArray | None:
    # Python also parses "1_000" and digits of other scripts. Other CSV readers do not.
    joined = "".join(cells)
    if "_" in joined or not joined.isascii():
        return None
    try:
        return np.array(list(map(parse, cells)), dtype=dtype)
    except (ValueError, OverflowError):
        pass
    try:
        values = [np.nan if is_missing_cell(c) else parse(c) for c in cells]
        return np.array(values, dtype=np.float64)
    except (ValueError, OverflowError):
        return None


def has_leading_zeros(cells: Sequence[str]) -> bool:
    """Return whether a cell of digits begins with a zero and has more digits: it is a code."""
    joined = "\n" + "\n".join(cells)
    return ("\n0" in joined or "\n " in joined) and _CODE.search(joined) is not None


def parse_booleans(cells: Sequence[str]) -> AnyArray | None:
    """Return cells as bool, or as objects with None if some are missing; None if they are not."""
    values: list[bool | None] = []
    for cell in cells:
        value = _BOOLEANS.get(cell.strip())
        if value is None and not is_missing_cell(cell):
            return None
        values.append(value)
    return np.array(values, dtype=object if None in values else np.bool_)


def parse_times(cells: Sequence[str]) -> AnyArray | None:
    """Return ISO dates and times without a time zone as datetime64, NaT for missing ones."""
    texts = _time_texts(cells, zoned=False)
    try:
        return None if texts is None else np.array(texts, dtype="datetime64[us]")
    except ValueError:  # such as a month 13
        return None


def parse_zoned_times(cells: Sequence[str]) -> AnyArray | None:
    """Return ISO times with a time zone as UTC datetimes, None for missing ones."""
    texts = _time_texts(cells, zoned=True)
    if texts is None:
        return None
    try:
        times = [None if t is None else datetime.fromisoformat(t).astimezone(UTC) for t in texts]
    except (ValueError, OverflowError):
        return None
    return _object_array(times)


def _time_texts(cells: Sequence[str], *, zoned: bool) -> list[str | None] | None:
    """Return the texts of times, or None unless all have a time zone or all have none."""
    texts: list[str | None] = []
    for cell in cells:
        match = _TIME.fullmatch(cell.strip())
        if match is not None and (match["zone"] is not None) == zoned:
            texts.append(match[0])
        elif match is None and is_missing_cell(cell):
            texts.append(None)
        else:
            return None
    return texts


def parse_text(cells: Sequence[str], pool: dict[str, str]) -> AnyArray:
    """Return stripped text, None for missing cells; equal cells share one string in ``pool``."""
    texts = [None if (s := c.strip()) in MISSING_CELLS else pool.setdefault(s, s) for c in cells]
    return _object_array(texts)


def _object_array(values: list[Any]) -> AnyArray:
    """Return an object array; the extra None keeps NumPy from inferring another type."""
    return np.array([*values, None], dtype=object)[:-1]


PARSERS: dict[Kind, Callable[[Sequence[str]], AnyArray | None]] = {
    "integer": parse_integers,
    "boolean": parse_booleans,
    "number": parse_numbers,
    "time": parse_times,
    "zoned time": parse_zoned_times,
}

# The kinds to try for the next cells of a column, given its kind so far.
NEXT_KINDS: dict[Kind | None, tuple[Kind, ...]] = {
    None: ("integer", "boolean", "number", "time", "zoned time", "text"),
    "integer": ("integer", "number", "text"),
    "number": ("number", "text"),
    "boolean": ("boolean", "text"),
    "time": ("time", "text"),
    "zoned time": ("zoned time", "text"),
    "text": ("text",),
}
DESCRIPTIONS: dict[Kind, str] = {
    "integer": "an integer",
    "boolean": "true or false",
    "number": "a number",
    "time": "a date or time without a time zone, such as 2026-01-31 or 2026-01-31T12:00",
    "zoned time": "a time with a time zone, such as 2026-01-31T12:00Z",
    "text": "text",
}
