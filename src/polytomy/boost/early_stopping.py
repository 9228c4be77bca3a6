"""Early stopping: end a run when held-out rows no longer improve."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from polytomy._errors import ParameterError
from polytomy._numbers import is_integer, is_real

from .rounds import Round


@dataclass(frozen=True, kw_only=True, eq=False)
class EarlyStopping:
    """Stop a run when the held-out rows have not improved for ``patience`` rounds.

    The ensemble then consists of the rounds up to the best one.

    Parameters
    ----------
    fraction : float, default=0.1
        The fraction of each class's training rows to hold out, unless ``X_val`` is given.
    patience : int, default=10
        The number of rounds to wait for an improvement.
    min_delta : float, default=0.0
        The smallest decrease that counts as an improvement.
    monitor : {"error", "loss"}, default="error"
        The quantity to minimise: the held-out error, or the algorithm's own loss.
    X_val, y_val, sample_weight_val : optional, default=None
        Validation rows to use instead of a part of the training rows.
    """

    fraction: float = 0.1
    patience: int = 10
    min_delta: float = 0.0
    monitor: str = "error"
    X_val: Any = None
    y_val: Any = None
    sample_weight_val: Any = None

    def __post_init__(self) -> None:
        if not is_real(self.fraction) or not 0 < self.fraction < 1:
            raise ParameterError(f"fraction must lie between 0 and 1, got {self.fraction!r}")
        patience: Any = self.patience
        if not is_integer(patience) or patience < 1:
            raise ParameterError(
                f"patience must be an integer of at least 1, got {self.patience!r}"
            )
        if not is_real(self.min_delta) or not 0 <= self.min_delta < np.inf:
            raise ParameterError(
                f"min_delta must be a number of at least 0, got {self.min_delta!r}"
            )
        if self.monitor not in ("error", "loss"):
            raise ParameterError(f"monitor must be 'error' or 'loss', got {self.monitor!r}")
        if (self.X_val is None) != (self.y_val is None):
            raise ParameterError("X_val and y_val belong together: pass both or neither")
        if self.X_val is None and self.sample_weight_val is not None:
            raise ParameterError("sample_weight_val needs X_val and y_val")

    @classmethod
    def of(cls, given: Any) -> "EarlyStopping | None":
        """Return the settings from any of the values that ``early_stopping=`` accepts.

        Parameters
        ----------
        given : None, mapping or EarlyStopping
            The settings, or the parameters by name.

        Returns
        -------
        EarlyStopping or None
            The settings; None if ``given`` is None.
        """
        if given is None or isinstance(given, cls):
            return given
        if isinstance(given, Mapping):
            unknown = set(given) - set(cls.__dataclass_fields__)
            if not unknown:
                return cls(**given)
            raise ParameterError(
                f"early_stopping has no setting {', '.join(map(repr, sorted(map(str, unknown))))}; "
                f"the settings are {', '.join(cls.__dataclass_fields__)}"
            )
        raise ParameterError(
            "early_stopping must be None, a dict such as {'fraction': 0.1, 'patience': 10}, or an "
            f"EarlyStopping; got {given!r}"
        )

    def best(self, rounds: Iterable[Round]) -> int:
        """Return the number of the best round.

        Parameters
        ----------
        rounds : iterable of Round
            The records of the rounds so far.

        Returns
        -------
        int
            A number from 1, the first one on ties; 0 if there are no rounds.
        """
        return StoppingMonitor(self, rounds).best

    def is_over(self, rounds: Iterable[Round]) -> bool:
        """Return whether the last ``patience`` rounds brought no improvement.

        Parameters
        ----------
        rounds : iterable of Round
            The records of the rounds so far.

        Returns
        -------
        bool
            Whether the run should stop.
        """
        return StoppingMonitor(self, rounds).is_over


class StoppingMonitor:
    """Follows a run: finds the best round so far and whether the run should stop.

    Parameters
    ----------
    stopping : EarlyStopping
        The settings.
    rounds : iterable of Round, default=()
        The records of rounds that are already done.

    Attributes
    ----------
    best : int
        The number of the best round so far, from 1; 0 if there is none.
    """

    def __init__(self, stopping: EarlyStopping, rounds: Iterable[Round] = ()) -> None:
        self._stopping = stopping
        self._seen, self._least = 0, np.inf
        self.best = 0
        for record in rounds:
            self.see(record)

    @property
    def is_over(self) -> bool:
        """Whether the last ``patience`` rounds brought no improvement."""
        return self._seen - self.best >= self._stopping.patience

    def see(self, record: Round) -> None:
        """Add the record of the next round.

        Parameters
        ----------
        record : Round
            The record.
        """
        self._seen += 1
        by_error = self._stopping.monitor == "error"
        value = record.validation_error if by_error else record.validation_loss
        if value is None:
            return
        # The first round is the best so far even if its loss is infinite.
        if not self.best or value < self._least - self._stopping.min_delta:
            self.best, self._least = self._seen, value
