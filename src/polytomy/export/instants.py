"""Thresholds between times as exact instants, so that code can compare whole numbers or dates.

A tree compares ticks as float64 with its thresholds. That is the same as comparing whole ticks with
the last one that a threshold lets pass; and, as coarser units hold a time rounded down, the same as
asking whether a time of any unit lies before the tick that follows.
"""

from datetime import UTC, datetime, timedelta
from math import floor

import numpy as np

from polytomy._errors import TreeError
from polytomy.encode import OrderedColumn
from polytomy.table import Times

_NANOSECONDS = {
    "W": 604_800_000_000_000,
    "D": 86_400_000_000_000,
    "h": 3_600_000_000_000,
    "m": 60_000_000_000,
    "s": 1_000_000_000,
    "ms": 1_000_000,
    "us": 1_000,
    "ns": 1,
}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def last_tick(threshold: float) -> int:
    """Return the last whole number that, as float64, is at most a threshold.

    Above 2^53 that is more than the threshold: numbers round down to it.

    >>> last_tick(2.5), last_tick(2.0**53)
    (2, 9007199254740993)
    """
    if abs(threshold) < 2.0**53:
        return floor(threshold)
    above = np.nextafter(threshold, np.inf)
    last = (int(threshold) + int(above)) // 2
    while float(last) > threshold:
        last -= 1
    return last


def first_nanosecond_after(threshold: float, column: OrderedColumn) -> int:
    """Return the nanosecond (since 1970, or of a duration) at which the tick after begins."""
    assert isinstance(column.scale, Times)
    unit, count = np.datetime_data(np.dtype(column.scale.dtype))
    tick = last_tick(threshold) + 1
    if unit in _NANOSECONDS:
        return tick * count * _NANOSECONDS[unit]
    if unit in ("Y", "M") and not is_duration(column):
        second = np.array(tick, dtype=np.int64).view(column.scale.dtype).astype("datetime64[s]")
        return int(second.astype(np.int64)) * 1_000_000_000
    raise TreeError(
        f"column {column.name!r} counts time in {column.scale.dtype}, which cannot be exported; "
        "grow the tree on times in nanoseconds or a coarser unit"
    )


def is_duration(column: OrderedColumn) -> bool:
    """Say whether a column of times holds durations rather than dates."""
    return isinstance(column.scale, Times) and column.scale.dtype.startswith("timedelta64")


def moment(nanosecond: int, column: OrderedColumn) -> tuple[datetime, int]:
    """Return an instant as a date and time in UTC and the nanoseconds left, or refuse it."""
    try:
        whole = _EPOCH + timedelta(microseconds=nanosecond // 1000)
    except OverflowError:
        raise TreeError(
            f"column {column.name!r} is asked about a time beyond the years 1 to 9999, which "
            "cannot be exported; clip such times before growing the tree"
        ) from None
    return whole, nanosecond % 1000


def iso(nanosecond: int, column: OrderedColumn) -> str:
    """Return an instant as ``2024-06-01 12:30:00``, with as many decimals as it needs.

    >>> iso(1_500, OrderedColumn("t", np.empty(0), np.empty(0), False, Times("datetime64[ns]")))
    '1970-01-01 00:00:00.0000015'
    """
    whole, rest = moment(nanosecond, column)
    text = whole.replace(tzinfo=None).isoformat(" ", "seconds")
    fraction = f"{whole.microsecond:06d}{rest:03d}".rstrip("0")
    return f"{text}.{fraction}" if fraction else text
