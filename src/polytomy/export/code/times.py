"""Thresholds on times as exact instants, for comparisons of whole numbers or dates.

A tree compares ticks, converted to float64, with its thresholds. This is equivalent to comparing
whole ticks with the last tick at or below a threshold. Since coarser units round times down, it is
also equivalent to testing whether a time of any unit is before the following tick.
"""

from datetime import UTC, datetime, timedelta
from math import floor

import numpy as np

from polytomy._errors import TreeError
from polytomy.encode import OrderedColumn
from polytomy.export.phrasing.times import NANOSECONDS, is_duration
from polytomy.table import Times

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def last_tick(threshold: float) -> int:
    """Return the largest integer that, converted to float64, is at most a threshold.

    Above 2^53 it may exceed the threshold, because integers are rounded to it.

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
    """Return the nanosecond at which the first tick above a threshold begins.

    Nanoseconds count from 1970, or from 0 for a duration.
    """
    assert isinstance(column.scale, Times)
    unit, count = np.datetime_data(np.dtype(column.scale.dtype))
    tick = last_tick(threshold) + 1
    if unit in NANOSECONDS:
        return tick * count * NANOSECONDS[unit]
    if unit in ("Y", "M") and not is_duration(column):
        second = np.array(tick, dtype=np.int64).view(column.scale.dtype).astype("datetime64[s]")
        return int(second.astype(np.int64)) * 1_000_000_000
    raise TreeError(
        f"column {column.name!r} has times of type {column.scale.dtype}, which cannot be exported; "
        "grow the tree on times in nanoseconds or a coarser unit"
    )


def iso_time(nanosecond: int, column: OrderedColumn) -> str:
    """Return an instant as ``2024-06-01 12:30:00``, with decimals if needed.

    >>> column = OrderedColumn("t", np.empty(0), np.empty(0), False, Times("datetime64[ns]"))
    >>> iso_time(1_500, column)
    '1970-01-01 00:00:00.0000015'
    """
    try:
        whole = _EPOCH + timedelta(microseconds=nanosecond // 1000)
    except OverflowError:
        raise TreeError(
            f"column {column.name!r} is split at a time outside the years 1 to 9999, which cannot "
            "be exported; clip such times before growing the tree"
        ) from None
    text = whole.replace(tzinfo=None).isoformat(" ", "seconds")
    fraction = f"{whole.microsecond:06d}{nanosecond % 1000:03d}".rstrip("0")
    return f"{text}.{fraction}" if fraction else text
