"""Times in words: days as days, clock times where there are some, in the column's own zone."""

from datetime import UTC, datetime, timedelta, timezone, tzinfo
from math import floor
from zoneinfo import ZoneInfo

import numpy as np

from polytomy.encode import OrderedColumn
from polytomy.table import Times

_DAY = timedelta(days=1)


def say_moment(ticks: int, scale: Times, column: OrderedColumn) -> str:
    """Return a time as a reader would write it; a column of whole days shows days."""
    if scale.dtype.startswith("timedelta64"):
        return str(timedelta(microseconds=_microseconds(ticks, scale)))
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=_microseconds(ticks, scale))
    zone, name = _zone(scale.zone)
    local = moment.astimezone(zone)
    if scale.zone is None and _whole_days(column):
        return local.strftime("%Y-%m-%d")
    clock = "%H:%M" if (local.second, local.microsecond) == (0, 0) else "%H:%M:%S"
    text = local.strftime(f"%Y-%m-%d {clock}")
    if local.microsecond:
        text += f".{local.microsecond:06d}"
    return f"{text} {name}".rstrip()


def say_threshold(x: float, scale: Times, column: OrderedColumn) -> str:
    """Return the coarsest moment that parts the same bins as a threshold, as ``<=`` reads it."""
    ticks = floor(x)
    at = int(np.searchsorted(column.high, x, side="right"))
    below = column.high[at - 1] if at > 0 else -np.inf
    for unit in (_DAY, timedelta(hours=1), timedelta(minutes=1), timedelta(seconds=1)):
        step = _ticks_in(unit, scale)
        coarse = ticks // step * step
        if coarse >= below:
            return say_moment(coarse, scale, column)
    return say_moment(ticks, scale, column)


def _ticks_in(unit: timedelta, scale: Times) -> int:
    """Return how many ticks a unit has; 1 where a tick is longer."""
    return max(1, round(unit / timedelta(microseconds=1) / _microseconds(1, scale)))


def _microseconds(ticks: int, scale: Times) -> float:
    unit, count = np.datetime_data(np.dtype(scale.dtype))
    per = {"W": 6048e8, "D": 864e8, "h": 36e8, "m": 6e7, "s": 1e6, "ms": 1e3, "us": 1, "ns": 1e-3}
    if unit not in per:  # months and years have no fixed length: NumPy counts them
        return float(scale.at(ticks).astype("datetime64[us]").astype(np.int64))
    micro = per[unit] * count
    return ticks * int(micro) if micro >= 1 else ticks / round(1 / micro)


def _zone(name: str | None) -> tuple[tzinfo, str]:
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
    """Say whether a column's training values, on its own scale, are all at midnight."""
    if not isinstance(column.scale, Times):
        return False
    ends = np.concatenate((column.low, column.high))
    return bool((np.mod(ends, _ticks_in(_DAY, column.scale)) == 0).all())
