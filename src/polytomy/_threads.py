"""Validation of the number of threads."""

from numbers import Integral
from typing import Any

from polytomy._errors import ParameterError

_MAX_THREADS = 256


def checked_threads(threads: Any) -> int:
    """Return the number of threads as an int, at most 256; raise an error if it is invalid."""
    if isinstance(threads, bool) or not isinstance(threads, Integral) or int(threads) < 1:
        raise ParameterError(f"threads must be an integer of at least 1, got {threads!r}")
    return min(int(threads), _MAX_THREADS)
