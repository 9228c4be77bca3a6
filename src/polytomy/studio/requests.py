"""Reading the fields of a request, with errors that a reader of the page understands."""

from collections.abc import Collection, Mapping
from typing import Any

from polytomy._errors import ParameterError
from polytomy._numbers import is_finite, is_integer


def choice(given: Mapping[str, Any], name: str, known: Collection[str], default: str) -> str:
    """Return a field that is one of some names; raise an error for another value."""
    value = given.get(name, default)
    if not isinstance(value, str) or value not in known:
        raise ParameterError(f"{name} must be one of {', '.join(known)}; got {value!r}")
    return value


def whole(given: Mapping[str, Any], name: str, least: int, most: int, default: Any = None) -> int:
    """Return a field that is an integer within limits; raise an error for another value."""
    value = given.get(name, default)
    if not is_integer(value) or not least <= value <= most:
        raise ParameterError(f"{name} must be a whole number from {least} to {most}, got {value!r}")
    return int(value)


def number(given: Mapping[str, Any], name: str, least: float, most: float, default: Any) -> float:
    """Return a field that is a number within limits; raise an error for another value."""
    value = given.get(name, default)
    if not is_finite(value) or not least <= value <= most:
        raise ParameterError(f"{name} must be a number from {least:g} to {most:g}, got {value!r}")
    return float(value)


def numbers(given: Mapping[str, Any], name: str) -> list[float] | None:
    """Return a field that is a list of numbers, or None if it is absent."""
    value: Any = given.get(name)
    if value is None:
        return None
    if not isinstance(value, list) or not value or not all(map(is_finite, value)):
        raise ParameterError(f"{name} must be a list of numbers, got {value!r}")
    return [float(x) for x in value]


def member(given: Mapping[str, Any], name: str, known: Collection[int]) -> int:
    """Return a field that is one of some integers; raise an error for another value."""
    value: Any = given.get(name)
    if not is_integer(value) or value not in known:
        raise ParameterError(f"choose a {name}; {value!r} is not one of {sorted(known)}")
    return int(value)


def integer(given: Mapping[str, Any], name: str) -> int:
    """Return a field that is an integer; raise an error for another value."""
    value: Any = given.get(name)
    if not is_integer(value):
        raise ParameterError(f"{name} must be an integer, got {value!r}")
    return int(value)


def text(given: Mapping[str, Any], name: str, default: str | None = None) -> str:
    """Return a field that is text; raise an error for another value."""
    value = given.get(name, default)
    if not isinstance(value, str):
        raise ParameterError(f"{name} must be text, got {value!r}")
    return value
