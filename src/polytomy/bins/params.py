"""The constraints on the bins of a column."""

from dataclasses import dataclass
from typing import Any

from polytomy._errors import ParameterError
from polytomy._numbers import is_finite, is_integer
from polytomy.encode import checked_max_bins

MONOTONIC = ("auto", "ascending", "descending", "peak", "valley")
"""The trends of rates from bin to bin that can be asked for."""

OBJECTIVES = ("auto", "iv", "entropy", "gini")
"""What is maximised: the information value, or the gain of an index."""

MAX_PREBINS = 2000
"""The search takes time and memory that grow with the square of the number of prebins."""


@dataclass(frozen=True, slots=True)
class BinParams:
    """The constraints on the bins of a column, checked; see ``polytomy.Binning``."""

    max_bins: int = 6
    monotonic: str | None = "auto"
    min_bin_share: float = 0.05
    min_bin_count: int = 1
    min_difference: float = 0.0
    min_category_share: float = 0.01
    objective: str = "auto"
    smoothing: float = 0.5
    prebins: int | str = "auto"

    def __post_init__(self) -> None:
        """Check every parameter."""
        _check_integer("max_bins", self.max_bins, 1)
        _check_integer("min_bin_count", self.min_bin_count, 1)
        _check_number("min_bin_share", self.min_bin_share, 0.5)
        _check_number("min_category_share", self.min_category_share, 1.0)
        _check_number("min_difference", self.min_difference)
        _check_number("smoothing", self.smoothing)
        if self.monotonic is not None:
            _check_choice("monotonic", self.monotonic, MONOTONIC, " or None")
        _check_choice("objective", self.objective, OBJECTIVES)
        if self.prebins != "auto":
            _check_integer("prebins", self.prebins, 2, " or 'auto'")
            if checked_max_bins(self.prebins) > MAX_PREBINS:  # type: ignore[operator]
                raise ParameterError(f"prebins must be at most {MAX_PREBINS}, got {self.prebins}")


def _check_integer(name: str, value: Any, least: int, other: str = "") -> None:
    if not is_integer(value) or value < least:
        raise ParameterError(f"{name} must be an integer of at least {least}{other}, got {value!r}")


def _check_number(name: str, value: Any, most: float | None = None) -> None:
    if not is_finite(value) or value < 0 or (most is not None and value > most):
        limits = "at least 0" if most is None else f"from 0 to {most:g}"
        raise ParameterError(f"{name} must be a number {limits}, got {value!r}")


def _check_choice(name: str, value: Any, known: tuple[str, ...], other: str = "") -> None:
    if not isinstance(value, str) or value not in known:
        raise ParameterError(f"{name} must be one of {', '.join(known)}{other}, got {value!r}")
