"""What every contender is asked to do."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from tables import Given


@dataclass(frozen=True)
class Job:
    """The trees that are wanted, and the threads they may take."""

    leaves: int | None = 64  # of each tree; None: until every leaf is pure
    rounds: int = 1  # trees that vote
    threads: int = 2

    def most_leaves(self, rows: int) -> int:
        """Return the leaves as a number, for those who need one."""
        return rows if self.leaves is None else self.leaves


class Contender:
    """One library, as the suite calls it; each overrides what it can do.

    ``fit`` goes from the raw table to a model, ``encode`` from the raw table to the library's own
    form of it, ``grow`` from there to a model, ``predict`` from a model and a raw table to class
    numbers.
    """

    name = "contender"
    package = "the distribution whose version is noted"
    asked = "what it is asked, in words"

    def cannot(self, given: Given, job: Job) -> str | None:  # noqa: ARG002
        """Return why it cannot do a job at all, if so."""
        return None

    def fit(self, given: Given, job: Job) -> Any:
        """Go from the raw table to a model."""
        return self.grow(self.encode(given, job), job)

    def encode(self, given: Given, job: Job) -> Any:
        """Go from the raw table to the library's own form of it."""
        raise NotImplementedError(f"{self.name} has no encoded form of its own")

    def grow(self, encoded: Any, job: Job) -> Any:
        """Go from the library's own form of the table to a model."""
        raise NotImplementedError(f"{self.name} has no encoded form of its own")

    def predict(self, model: Any, given: Given, job: Job) -> np.ndarray:
        """Return the class numbers of a raw table."""
        raise NotImplementedError

    def leaves(self, model: Any) -> int:
        """Return the leaves of all trees of a model."""
        raise NotImplementedError


def labels_by(scores: np.ndarray) -> np.ndarray:
    """Return the class numbers of probabilities: a column a class, or that of the second alone."""
    return scores.argmax(axis=1) if scores.ndim == 2 else (scores > 0.5).astype(np.int64)
