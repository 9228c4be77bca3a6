"""Numbers as a page holds them: plain, finite and short."""

from collections.abc import Iterable
from math import isfinite
from typing import Any


def plain(value: Any, digits: int = 10) -> int | float:
    """Return a number with so many significant digits; a whole one as an int.

    >>> plain(3.0), plain(1 / 3, 4)
    (3, 0.3333)
    """
    number = float(value)
    if number.is_integer() and abs(number) < 2**53:
        return int(number)
    return float(f"{number:.{digits}g}")


def plain_list(values: Iterable[Any], digits: int = 10) -> list[int | float]:
    """Return numbers as ``plain`` gives them."""
    return [plain(value, digits) for value in values]


def exact(value: float) -> int | float | str:
    """Return a number as it is; an infinite one as text, which JSON can hold.

    >>> exact(2.5), exact(-float("inf"))
    (2.5, '-inf')
    """
    if not isfinite(value):
        return "inf" if value > 0 else "-inf"
    return int(value) if value.is_integer() and abs(value) < 2**53 else value
