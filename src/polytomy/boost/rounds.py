"""The record of every round."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any, overload

import numpy as np

from polytomy._types import FloatArray


@dataclass(frozen=True, slots=True)
class Round:
    """What one round did. What an algorithm does not define is None.

    Parameters
    ----------
    epsilon : float or None
        The weighted error of the round's tree on D_t; for ``adaboost-mh`` over pairs of rows and
        classes; None for ``logitboost``.
    alpha : float
        What the tree's vote counts; the learning rate where confidences carry it.
    z : float
        By what factor the round changed the loss, which for AdaBoost is the normaliser Z_t.
    bound : float or None
        What the training error is at most: for two classes the product of all Z so far, for
        ``adaboost-mh`` C/2 times that, for ``logitboost`` the log loss in bits. None for ``samme``.
    exponential_bound : float or None
        exp(-2 sum (1/2 - eps_t)^2); for ``adaboost`` with a learning rate of 1.
    training_error, validation_error : float or None
        Weighted errors of the ensemble so far, on the training and on held-out rows.
    validation_loss : float or None
        The algorithm's loss on held-out rows.
    leaves : int
        Of the round's trees together.
    trees : int
        How many trees the round added.
    """

    epsilon: float | None
    alpha: float
    z: float
    bound: float | None
    exponential_bound: float | None
    training_error: float
    validation_error: float | None
    validation_loss: float | None
    leaves: int
    trees: int


class Rounds(Sequence[Round]):
    """All rounds, in order; each field is also an array over the rounds.

    >>> one = Round(0.2, 0.7, 0.8, 0.8, 0.84, 0.2, None, None, 2, 1)
    >>> rounds = Rounds([one, one])
    >>> rounds[0].alpha, rounds["epsilon"].tolist(), rounds.validation_error.tolist()
    (0.7, [0.2, 0.2], [nan, nan])
    """

    def __init__(self, rounds: Iterable[Round] = ()) -> None:
        self._rounds = tuple(rounds)

    def __len__(self) -> int:
        return len(self._rounds)

    def __iter__(self) -> Iterator[Round]:
        return iter(self._rounds)

    @overload
    def __getitem__(self, at: int) -> Round: ...
    @overload
    def __getitem__(self, at: slice) -> "Rounds": ...
    @overload
    def __getitem__(self, at: str) -> FloatArray: ...
    def __getitem__(self, at: int | slice | str) -> "Round | Rounds | FloatArray":
        """Return a round by its place, some by a slice, or one field of all by its name."""
        if isinstance(at, str):
            if at not in Round.__dataclass_fields__:
                raise KeyError(f"rounds have {', '.join(Round.__dataclass_fields__)}; not {at!r}")
            return self.array(at)
        return Rounds(self._rounds[at]) if isinstance(at, slice) else self._rounds[at]

    def __eq__(self, other: object) -> bool:
        """Equal in every figure."""
        return isinstance(other, Rounds) and self._rounds == other._rounds

    def __hash__(self) -> int:
        return hash(self._rounds)

    def __repr__(self) -> str:
        return f"<{len(self)} rounds>"

    def array(self, name: str) -> FloatArray:
        """Return one field of all rounds; nan where it is None."""
        values = [getattr(r, name) for r in self._rounds]
        return np.array([np.nan if v is None else v for v in values], dtype=np.float64)

    def columns(self) -> dict[str, list[Any]]:
        """Return all fields, each a list over the rounds, with the number of the round."""
        numbers: dict[str, list[Any]] = {"round": list(range(1, len(self) + 1))}
        return numbers | {f.name: [getattr(r, f.name) for r in self] for f in fields(Round)}

    @property
    def epsilon(self) -> FloatArray:
        """The weighted error of each round's tree."""
        return self.array("epsilon")

    @property
    def alpha(self) -> FloatArray:
        """What each round's vote counts."""
        return self.array("alpha")

    @property
    def z(self) -> FloatArray:
        """The normaliser Z of each round."""
        return self.array("z")

    @property
    def bound(self) -> FloatArray:
        """The running bound on the training error."""
        return self.array("bound")

    @property
    def exponential_bound(self) -> FloatArray:
        """The running exp(-2 sum (1/2 - eps)^2)."""
        return self.array("exponential_bound")

    @property
    def training_error(self) -> FloatArray:
        """The ensemble's training error after each round."""
        return self.array("training_error")

    @property
    def validation_error(self) -> FloatArray:
        """The ensemble's error on held-out rows after each round."""
        return self.array("validation_error")

    @property
    def validation_loss(self) -> FloatArray:
        """The ensemble's loss on held-out rows after each round."""
        return self.array("validation_loss")
