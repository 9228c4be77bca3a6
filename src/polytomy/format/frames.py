"""Cells of pandas' own types to plain data and back. pandas is imported only where one comes."""

from typing import Any

import numpy as np

from .errors import refuse, shown
from .node import Node

_TYPES = ("Timestamp", "Timedelta", "Interval")
KINDS = tuple(f"pandas.{name}" for name in _TYPES)


def is_pandas(value: Any) -> bool:
    """Say whether a value is of a pandas type that can be written."""
    kind = type(value)
    return kind.__module__.split(".")[0] == "pandas" and kind.__name__ in _TYPES


def to_pandas(value: Any, ends: Any, place: str) -> dict[str, Any]:
    """Return a time or an interval as an object with its type; ``ends`` writes an interval's ends.

    A zone that is not known by its name alone is refused.
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
        refuse(place, f"the time zone {shown(str(value.tz))} does not go into a model file")
    return written


def from_pandas(kind: str, node: Node, ends: Any) -> Any:
    """Return the cell that ``to_pandas`` wrote."""
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
        node.fail(f"is no {kind} ({error})")


def _pandas(node: Node) -> Any:
    try:
        import pandas as pd  # type: ignore[import-untyped]  # noqa: PLC0415  # only where needed
    except ImportError:
        node.fail("is of a pandas type: install pandas to load this model")
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
        zone.fail(f"{shown(name)} is no time zone known here")


def _unit(node: Node) -> Any:
    return node.word(("s", "ms", "us", "ns"))
