"""Numbers and text in the form in which the facts of a report hold them."""

import json
from collections.abc import Iterable
from math import isfinite
from typing import Any

import numpy as np

from polytomy._types import IntArray


def log_spaced(first: int, last: int, most: int) -> IntArray:
    """Return at most ``most`` integers from first to last, about evenly spaced in logarithm.

    >>> log_spaced(1, 1000, 4).tolist()
    [1, 10, 100, 1000]
    """
    return np.unique(np.rint(np.geomspace(first, last, most)).astype(np.int64))


def rounded(value: Any, digits: int = 10) -> int | float:
    """Return a number rounded to significant digits; a whole number as an int.

    >>> rounded(3.0), rounded(1 / 3, 4)
    (3, 0.3333)
    """
    number = float(value)
    if number.is_integer() and abs(number) < 2**53:
        return int(number)
    return float(f"{number:.{digits}g}")


def rounded_list(values: Iterable[Any], digits: int = 10) -> list[int | float]:
    """Return numbers rounded to significant digits."""
    return [rounded(value, digits) for value in values]


def unrounded(value: float) -> int | float | str:
    """Return a number as it is; an infinite one as text, because JSON has no infinity.

    >>> unrounded(2.5), unrounded(-float("inf"))
    (2.5, '-inf')
    """
    if not isfinite(value):
        return "inf" if value > 0 else "-inf"
    return int(value) if value.is_integer() and abs(value) < 2**53 else value


def json_size(facts: Any) -> int:
    """Return how many bytes facts take as JSON in the page."""
    return len(json.dumps(facts, ensure_ascii=False, separators=(",", ":")).encode())
