"""The number of threads, checked."""

from numbers import Integral
from typing import Any

from polytomy._errors import ParameterError

_MOST = 256  # more would wait for each other


def checked_threads(threads: Any) -> int:
    """Return a number of threads as an int, or refuse it."""
    if isinstance(threads, bool) or not isinstance(threads, Integral) or int(threads) < 1:
        raise ParameterError(f"threads must be an integer of at least 1, got {threads!r}")
    return min(int(threads), _MOST)
