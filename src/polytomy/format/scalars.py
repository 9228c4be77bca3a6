"""Single values that JSON does not have, as JSON objects: dates, bytes, decimals, pandas types.

pandas is imported only to read or write one of its own types.
"""

import re
from collections.abc import Callable
from datetime import date, datetime, time, timedelta, timezone, tzinfo
from decimal import Decimal, InvalidOperation
from pathlib import Path, PosixPath, PurePath, WindowsPath
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np

from .node import Node, format_error, plain_number, refuse, shown

_DIGITS = re.compile(r"-?[0-9]{1,4000}")
_DECIMAL = re.compile(r"-?[0-9]{1,1000}(\.[0-9]{1,1000})?(E[+-][0-9]{1,6})?")
_MICROSECOND = timedelta(microseconds=1)
_DAY = 86_400_000_000  # in microseconds


def to_scalar(value: Any, place: str) -> dict[str, Any] | None:
    """Return a value as a JSON object with its type, or None if its type is not one of these."""
    write = _WRITERS.get(type(value))
    return None if write is None else write(value, place)


def from_scalar(kind: str, node: Node) -> Any:
    """Return the value that ``to_scalar`` wrote."""
    return READERS[kind](node)


def _int(value: int, place: str) -> dict[str, Any]:
    if abs(value) >= 10**4000:
        refuse(place, "model files cannot store integers of more than 4,000 digits")
    return {"type": "int", "value": str(value)}


def _decimal(value: Decimal, place: str) -> dict[str, Any]:
    text = str(value)
    if not _DECIMAL.fullmatch(text):
        refuse(place, f"model files cannot store the decimal {shown(value)}")
    return {"type": "decimal", "value": text}


def _datetime(value: datetime, place: str) -> dict[str, Any]:
    return {
        "type": "datetime",
        "value": value.replace(tzinfo=None, fold=0).isoformat(),
        "fold": value.fold,
        "zone": _zone(value.tzinfo, place),
    }


def _zone(zone: tzinfo | None, place: str) -> str | int | None:
    """Return a time zone as its name, or a fixed offset as microseconds from UTC."""
    if zone is None:
        return None
    if isinstance(zone, ZoneInfo) and zone.key is not None:
        return zone.key
    if type(zone) is timezone:
        return zone.utcoffset(None) // _MICROSECOND
    raise format_error(place, f"model files cannot store a time zone of type {type(zone).__name__}")


def _time(value: time, place: str) -> dict[str, Any]:
    if value.tzinfo is not None or value.fold:
        refuse(place, "model files cannot store times of day with a time zone")
    return {"type": "time", "value": value.isoformat()}


def _read_int(node: Node) -> int:
    text = node.member("value").text()
    if not _DIGITS.fullmatch(text):
        node.fail("must be an integer of at most 4,000 digits")
    return int(text)


def _read_float(node: Node) -> float:
    return node.member("value").number(infinite=True)


def _read_bytes(node: Node) -> bytes:
    try:
        return bytes.fromhex(node.member("value").text())
    except ValueError:
        node.fail("must be hexadecimal digits")


def _read_decimal(node: Node) -> Decimal:
    text = node.member("value").text()
    if not _DECIMAL.fullmatch(text):
        node.fail("must be a decimal number")
    try:
        return Decimal(text)
    except InvalidOperation:
        node.fail("must be a decimal number")


def _read_iso(node: Node, kind: type[Any]) -> Any:
    """Return a date or time in exactly the form that Python writes."""
    text = node.member("value").text()
    try:
        found = kind.fromisoformat(text)
        if found.isoformat() == text and getattr(found, "tzinfo", None) is None:
            return found
    except ValueError:
        pass
    raise format_error(node.place, f"{shown(text)} is not a {kind.__name__} in ISO format")


def _read_datetime(node: Node) -> datetime:
    _, _, fold, zone = node.fields("type", "value", "fold", "zone")
    found: datetime = _read_iso(node, datetime)
    return found.replace(fold=fold.whole(0, 1), tzinfo=_read_zone(zone))


def _read_zone(node: Node) -> tzinfo | None:
    if node.value is None:
        return None
    if type(node.value) is int:
        return timezone(node.whole(1 - _DAY, _DAY - 1) * _MICROSECOND)
    name = node.text()
    try:
        return ZoneInfo(name)
    except (ValueError, OSError, LookupError):
        node.fail(f"{shown(name)} is not a known time zone")


def _read_timedelta(node: Node) -> timedelta:
    ticks = node.member("value").whole(-(10**21), 10**21)
    try:
        return ticks * _MICROSECOND
    except OverflowError:
        node.fail("time span too long")


_WRITERS: dict[type[Any], Callable[[Any, str], dict[str, Any]]] = {
    int: _int,
    float: lambda v, _: {"type": "float", "value": plain_number(v)},
    bytes: lambda v, _: {"type": "bytes", "value": v.hex()},
    Decimal: _decimal,
    datetime: _datetime,
    date: lambda v, _: {"type": "date", "value": v.isoformat()},
    time: _time,
    timedelta: lambda v, _: {"type": "timedelta", "value": v // _MICROSECOND},
    PosixPath: lambda v, _: {"type": "path", "value": str(v)},
    WindowsPath: lambda v, _: {"type": "path", "value": str(v)},
}
READERS: dict[str, Callable[[Node], Any]] = {
    "int": _read_int,
    "float": _read_float,
    "bytes": _read_bytes,
    "decimal": _read_decimal,
    "datetime": _read_datetime,
    "date": lambda node: _read_iso(node, date),
    "time": lambda node: _read_iso(node, time),
    "timedelta": _read_timedelta,
    "path": lambda node: Path(PurePath(node.member("value").text())),
}
"""Readers by the ``type`` member."""


# ---- pandas --------------------------------------------------------------------------------------

_PANDAS = ("Timestamp", "Timedelta", "Interval")
PANDAS_KINDS = tuple(f"pandas.{name}" for name in _PANDAS)


def is_pandas(value: Any) -> bool:
    """Return whether a value has a pandas type that can be written."""
    kind = type(value)
    return kind.__module__.split(".")[0] == "pandas" and kind.__name__ in _PANDAS


def to_pandas(value: Any, ends: Any, place: str) -> dict[str, Any]:
    """Return a pandas value as a JSON object with its type; ``ends`` writes an interval's ends.

    A time zone that its name does not identify is an error.
    """
    name = type(value).__name__
    if name == "Interval":
        return {
            "type": "pandas.Interval",
            "left": ends(value.left, f"{place}.left"),
            "right": ends(value.right, f"{place}.right"),
            "closed": value.closed,
        }
    ticks = {"type": f"pandas.{name}", "unit": value.unit, "value": int(value.asm8.view("i8"))}
    if name == "Timedelta":
        return ticks
    written = {**ticks, "zone": None if value.tz is None else str(value.tz)}
    try:
        same = _timestamp(Node(written, place))
        known = same == value and str(same.tz) == str(value.tz)
    except ValueError:
        known = False
    if not known:
        refuse(place, f"model files cannot store the time zone {shown(str(value.tz))}")
    return written


def from_pandas(kind: str, node: Node, ends: Any) -> Any:
    """Return the value that ``to_pandas`` wrote."""
    pd = _pandas(node)
    try:
        if kind == "pandas.Timestamp":
            return _timestamp(node)
        if kind == "pandas.Timedelta":
            _, unit, value = node.fields("type", "unit", "value")
            return pd.Timedelta(np.timedelta64(value.whole(1 - 2**63), _unit(unit)))
        _, left, right, closed = node.fields("type", "left", "right", "closed")
        side: Any = closed.word(("left", "right", "both", "neither"))
        return pd.Interval(ends(left), ends(right), side)
    except (TypeError, OverflowError) as error:
        node.fail(f"not a {kind} ({error})")


def _pandas(node: Node) -> Any:
    try:
        import pandas as pd  # type: ignore[import-untyped]  # noqa: PLC0415
    except ImportError:
        node.fail("this is a pandas type: install pandas to load the model")
    return pd


def _timestamp(node: Node) -> Any:
    pd = _pandas(node)
    _, unit, value, zone = node.fields("type", "unit", "value", "zone")
    at = pd.Timestamp(np.datetime64(value.whole(1 - 2**63), _unit(unit)))
    if zone.value is None:
        return at
    name = zone.text()
    try:
        return at.tz_localize("UTC").tz_convert(name)
    except (ValueError, LookupError, TypeError, OSError):
        zone.fail(f"{shown(name)} is not a known time zone")


def _unit(node: Node) -> Any:
    return node.word(("s", "ms", "us", "ns"))
