"""When to stop: held-out rows have not become better for a while."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np

from polytomy._errors import ParameterError

from .rounds import Round


@dataclass(frozen=True, kw_only=True, eq=False)
class EarlyStopping:
    """Stop when held-out rows have not become better for ``patience`` rounds.

    The ensemble is then that of the best round.

    Parameters
    ----------
    fraction : float
        The share of the training rows to hold out, of each class; unless ``X_val`` is given.
    patience : int
        How many rounds to wait for a better one.
    min_delta : float
        By how much a better round must be better.
    monitor : {"error", "loss"}
        What is to become less: the held-out error, or the algorithm's own loss.
    X_val, y_val, sample_weight_val
        Rows to hold against, instead of a part of the training rows.
    """

    fraction: float = 0.1
    patience: int = 10
    min_delta: float = 0.0
    monitor: str = "error"
    X_val: Any = None
    y_val: Any = None
    sample_weight_val: Any = None

    def __post_init__(self) -> None:
        if not _is_real(self.fraction) or not 0 < self.fraction < 1:
            raise ParameterError(f"fraction must lie between 0 and 1, got {self.fraction!r}")
        patience: Any = self.patience
        whole = isinstance(patience, Integral) and not isinstance(patience, bool)
        if not whole or patience < 1:
            raise ParameterError(
                f"patience must be an integer of at least 1, got {self.patience!r}"
            )
        if not _is_real(self.min_delta) or not 0 <= self.min_delta < np.inf:
            raise ParameterError(
                f"min_delta must be a number of at least 0, got {self.min_delta!r}"
            )
        if self.monitor not in ("error", "loss"):
            raise ParameterError(f"monitor must be 'error' or 'loss', got {self.monitor!r}")
        if (self.X_val is None) != (self.y_val is None):
            raise ParameterError("X_val and y_val come together: pass both or neither")
        if self.X_val is None and self.sample_weight_val is not None:
            raise ParameterError("sample_weight_val weighs the rows of X_val: pass X_val and y_val")

    @classmethod
    def of(cls, given: Any) -> "EarlyStopping | None":
        """Return what a user passed, a mapping or an object, as an object."""
        if given is None or isinstance(given, cls):
            return given
        if isinstance(given, Mapping):
            unknown = set(given) - set(cls.__dataclass_fields__)
            if not unknown:
                return cls(**given)
            raise ParameterError(
                f"early_stopping knows {', '.join(cls.__dataclass_fields__)}; "
                f"not {', '.join(map(repr, sorted(map(str, unknown))))}"
            )
        raise ParameterError(
            "early_stopping must be None, a dict such as {'fraction': 0.1, 'patience': 10}, or an "
            f"EarlyStopping; got {given!r}"
        )

    def best(self, rounds: Iterable[Round]) -> int:
        """Return the number of the best round, the first of equals; 0 before any."""
        return Watch(self, rounds).best

    def is_over(self, rounds: Iterable[Round]) -> bool:
        """Say whether the best round is too long ago."""
        return Watch(self, rounds).is_over


class Watch:
    """Follows a run: which round was the best so far, and whether it is too long ago."""

    def __init__(self, stopping: EarlyStopping, rounds: Iterable[Round] = ()) -> None:
        self._stopping = stopping
        self._seen, self._least = 0, np.inf
        self.best = 0
        for record in rounds:
            self.see(record)

    @property
    def is_over(self) -> bool:
        """Whether the best round is too long ago."""
        return self._seen - self.best >= self._stopping.patience

    def see(self, record: Round) -> None:
        """Take note of the next round."""
        self._seen += 1
        by_error = self._stopping.monitor == "error"
        value = record.validation_error if by_error else record.validation_loss
        if value is None:
            return
        # The first round is the best so far, even if its loss is infinite
        if not self.best or value < self._least - self._stopping.min_delta:
            self.best, self._least = self._seen, value


def _is_real(value: Any) -> bool:
    return type(value) is not bool and isinstance(value, Real)
