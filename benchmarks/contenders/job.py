"""The job that is timed, and the interface of the libraries."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from tables import Data


@dataclass(frozen=True)
class Job:
    """The size and number of the trees to grow, and the number of threads."""

    leaves: int | None = 64  # of each tree; None grows until every leaf is pure
    rounds: int = 1  # trees that vote
    threads: int = 2

    def most_leaves(self, rows: int) -> int:
        """Return the number of leaves, for libraries that need one."""
        return rows if self.leaves is None else self.leaves


class Contender:
    """A library as the suite calls it; subclasses override what the library can do.

    ``fit`` goes from the raw table to a model, ``encode`` from the raw table to the library's own
    form of it, ``grow`` from there to a model, ``predict`` from a model and a raw table to class
    numbers.
    """

    name = "contender"
    package = "the distribution, whose version is reported"
    call = "the call and its parameters"

    def cannot(self, data: Data, job: Job) -> str | None:  # noqa: ARG002
        """Return why the library cannot do a job, or None."""
        return None

    def fit(self, data: Data, job: Job) -> Any:
        """Go from the raw table to a model."""
        return self.grow(self.encode(data, job), job)

    def encode(self, data: Data, job: Job) -> Any:
        """Go from the raw table to the library's own form of it."""
        raise NotImplementedError(f"{self.name} has no encoded form of its own")

    def grow(self, encoded: Any, job: Job) -> Any:
        """Go from the library's own form of the table to a model."""
        raise NotImplementedError(f"{self.name} has no encoded form of its own")

    def predict(self, model: Any, data: Data, job: Job) -> np.ndarray:
        """Return the class numbers of a raw table."""
        raise NotImplementedError

    def leaves(self, model: Any) -> int:
        """Return the number of leaves of all trees of a model."""
        raise NotImplementedError


def labels_by(scores: np.ndarray) -> np.ndarray:
    """Return class numbers from the probabilities of all classes, or of the second one only."""
    return scores.argmax(axis=1) if scores.ndim == 2 else (scores > 0.5).astype(np.int64)
