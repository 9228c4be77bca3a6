"""Times in words: days for columns of whole days, else clock times, in the column's time zone."""

from datetime import UTC, datetime, timedelta, timezone, tzinfo
from math import floor
from zoneinfo import ZoneInfo

import numpy as np

from polytomy.encode import OrderedColumn
from polytomy.table import Times

NANOSECONDS = {
    "W": 604_800_000_000_000,
    "D": 86_400_000_000_000,
    "h": 3_600_000_000_000,
    "m": 60_000_000_000,
    "s": 1_000_000_000,
    "ms": 1_000_000,
    "us": 1_000,
    "ns": 1,
}
"""The length of NumPy's time units; months and years have no fixed length."""

_FINER = {"ps": 1e-6, "fs": 1e-9, "as": 1e-12}  # units in microseconds
_DAY = timedelta(days=1)


def is_duration(column: OrderedColumn) -> bool:
    """Return whether a column holds durations (``timedelta64``)."""
    return isinstance(column.scale, Times) and column.scale.dtype.startswith("timedelta64")


def format_time(ticks: int, scale: Times, column: OrderedColumn) -> str:
    """Return a time as text; times of a column of whole days are written as days.

    Parameters
    ----------
    ticks : int
        The time, in units of the scale.
    scale : Times
        The unit and the time zone.
    column : OrderedColumn
        The column whose training values determine whether days suffice.
    """
    since = _microseconds(ticks, scale)
    zone, name = _zone(scale.zone)
    try:
        if since != round(since):  # only NumPy writes parts of a microsecond
            raise OverflowError
        span = timedelta(microseconds=since)
        if scale.dtype.startswith("timedelta64"):
            return str(span)
        local = (datetime(1970, 1, 1, tzinfo=UTC) + span).astimezone(zone)
    except OverflowError:  # nor do Python's times reach beyond the years 1 to 9999
        return f"{scale.at(ticks)}".replace("T", " ") + (" UTC" if scale.zone is not None else "")
    if scale.zone is None and _whole_days(column):
        return local.date().isoformat()
    clock = "%H:%M" if (local.second, local.microsecond) == (0, 0) else "%H:%M:%S"
    text = f"{local.date().isoformat()} {local.strftime(clock)}"
    if local.microsecond:
        text += f".{local.microsecond:06d}"
    return f"{text} {name}".rstrip()


def format_time_threshold(x: float, scale: Times, column: OrderedColumn) -> str:
    """Return the coarsest time that, after ``<=``, separates the same bins as a threshold."""
    ticks = floor(x)
    at = int(np.searchsorted(column.high, x, side="right"))
    below = column.high[at - 1] if at > 0 else -np.inf
    for unit in (_DAY, timedelta(hours=1), timedelta(minutes=1), timedelta(seconds=1)):
        step = _ticks_in(unit, scale)
        coarse = ticks // step * step
        if coarse >= below:
            return format_time(coarse, scale, column)
    return format_time(ticks, scale, column)


def _ticks_in(unit: timedelta, scale: Times) -> int:
    """Return the number of ticks in a unit, at least 1."""
    return max(1, round(unit / timedelta(microseconds=1) / _microseconds(1, scale)))


def _microseconds(ticks: int, scale: Times) -> float:
    unit, count = np.datetime_data(np.dtype(scale.dtype))
    if unit in _FINER:
        return ticks * count * _FINER[unit]
    if unit not in NANOSECONDS:  # NumPy converts months and years
        return float(scale.at(ticks).astype("datetime64[us]").astype(np.int64))
    nanoseconds = NANOSECONDS[unit] * count
    if nanoseconds >= 1000:
        return ticks * (nanoseconds // 1000)
    return ticks / round(1000 / nanoseconds)


def _zone(name: str | None) -> tuple[tzinfo, str]:
    """Return a time zone and its name; an unknown zone is replaced by UTC."""
    if name is None:
        return UTC, ""
    try:
        return ZoneInfo(name), name
    except (KeyError, ValueError, OSError):
        pass
    try:
        offset = datetime.strptime(name.removeprefix("UTC"), "%z").utcoffset()
    except ValueError:
        return UTC, "UTC"
    return timezone(offset or timedelta(0)), name


def _whole_days(column: OrderedColumn) -> bool:
    """Return whether all training values of a column are at midnight, on the column's own scale."""
    if not isinstance(column.scale, Times):
        return False
    ends = np.concatenate((column.low, column.high))
    return bool((np.mod(ends, _ticks_in(_DAY, column.scale)) == 0).all())
