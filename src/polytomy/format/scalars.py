"""Single values that JSON has no word for, to plain data and back: dates, bytes, decimals, ..."""

import re
from collections.abc import Callable
from datetime import date, datetime, time, timedelta, timezone, tzinfo
from decimal import Decimal, InvalidOperation
from pathlib import Path, PosixPath, PurePath, WindowsPath
from typing import Any
from zoneinfo import ZoneInfo

from .errors import refusal, refuse, shown
from .node import Node, plain_number

_DIGITS = re.compile(r"-?[0-9]{1,4000}")
_DECIMAL = re.compile(r"-?[0-9]{1,1000}(\.[0-9]{1,1000})?(E[+-][0-9]{1,6})?")
_MICROSECOND = timedelta(microseconds=1)
_DAY = 86_400_000_000  # in microseconds


def to_scalar(value: Any, place: str) -> dict[str, Any] | None:
    """Return a value as an object with its type; None if it is none of these."""
    write = _WRITERS.get(type(value))
    return None if write is None else write(value, place)


def from_scalar(kind: str, node: Node) -> Any:
    """Return the value that ``to_scalar`` wrote."""
    return READERS[kind](node)


def _int(value: int, place: str) -> dict[str, Any]:
    if abs(value) >= 10**4000:
        refuse(place, "whole numbers of more than 4,000 digits do not go into a model file")
    return {"type": "int", "value": str(value)}


def _decimal(value: Decimal, place: str) -> dict[str, Any]:
    text = str(value)
    if not _DECIMAL.fullmatch(text):
        refuse(place, f"the decimal {shown(value)} does not go into a model file")
    return {"type": "decimal", "value": text}


def _datetime(value: datetime, place: str) -> dict[str, Any]:
    return {
        "type": "datetime",
        "value": value.replace(tzinfo=None, fold=0).isoformat(),
        "fold": value.fold,
        "zone": _zone(value.tzinfo, place),
    }


def _zone(zone: tzinfo | None, place: str) -> str | int | None:
    """Return a zone by its name, a fixed one by its microseconds from UTC."""
    if zone is None:
        return None
    if isinstance(zone, ZoneInfo) and zone.key is not None:
        return zone.key
    if type(zone) is timezone:
        return zone.utcoffset(None) // _MICROSECOND
    raise refusal(place, f"a time zone of type {type(zone).__name__} does not go into a model file")


def _time(value: time, place: str) -> dict[str, Any]:
    if value.tzinfo is not None or value.fold:
        refuse(place, "times of day with a time zone do not go into a model file")
    return {"type": "time", "value": value.isoformat()}


def _read_int(node: Node) -> int:
    text = node.member("value").text()
    if not _DIGITS.fullmatch(text):
        node.fail("must be a whole number of at most 4,000 digits")
    return int(text)


def _read_float(node: Node) -> float:
    return node.member("value").number(infinite=True)


def _read_bytes(node: Node) -> bytes:
    try:
        return bytes.fromhex(node.member("value").text())
    except ValueError:
        node.fail("must be bytes in hexadecimal digits")


def _read_decimal(node: Node) -> Decimal:
    text = node.member("value").text()
    if not _DECIMAL.fullmatch(text):
        node.fail("must be a decimal number")
    try:
        return Decimal(text)
    except InvalidOperation:
        node.fail("must be a decimal number")


def _read_iso(node: Node, kind: type[Any]) -> Any:
    """Return a date or time, written as Python itself would write it."""
    text = node.member("value").text()
    try:
        found = kind.fromisoformat(text)
        if found.isoformat() == text and getattr(found, "tzinfo", None) is None:
            return found
    except ValueError:
        pass
    raise refusal(node.place, f"{shown(text)} is no {kind.__name__} in ISO format")


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
        node.fail(f"{shown(name)} is no time zone known here")


def _read_timedelta(node: Node) -> timedelta:
    ticks = node.member("value").whole(-(10**21), 10**21)
    try:
        return ticks * _MICROSECOND
    except OverflowError:
        node.fail("is too long a time")


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
"""By the type that is written."""
