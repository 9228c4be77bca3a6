"""One contender on all folds of a sample: how it errs, how large it is, how long it takes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from polytomy._types import AnyArray, IntArray

    from .sample import Sample


@dataclass(frozen=True, slots=True)
class Fitted:
    """A tree that was fitted, whoever fitted it; ``questions`` is what it asks a training row."""

    predict: "Callable[[Sample], AnyArray]"
    seconds: float
    leaves: int
    questions: float


@dataclass(frozen=True, slots=True)
class Contender:
    """A way to fit a tree."""

    name: str
    budget: str
    fit: "Callable[[Sample], Fitted]"


@dataclass(frozen=True, slots=True)
class Result:
    """Means over folds; ``spread`` is the standard deviation of the error."""

    name: str
    budget: str
    error: float
    spread: float
    leaves: float
    questions: float
    seconds: float


def folds_of(labels: "AnyArray", folds: int, seed: int) -> "list[IntArray] | None":
    """Return the rows of each fold, classes spread evenly; None where there cannot be so many."""
    if not 2 <= folds <= len(labels):
        return None
    random = np.random.default_rng(seed)
    shuffled = random.permutation(len(labels))
    by_class = shuffled[np.argsort(labels[shuffled], kind="stable")]
    return [np.sort(by_class[fold::folds]) for fold in range(folds)]  # dealt out like cards


def contest(
    contender: Contender, sample: "Sample", folds: "Sequence[IntArray]", step: Callable[[], None]
) -> Result:
    """Fit on all folds but one and predict that one, for each."""
    rows = np.arange(len(sample.labels))
    errors, fits = [], []
    for fold in folds:
        held = sample.take(fold)
        fitted = contender.fit(sample.take(np.delete(rows, fold)))
        wrong = fitted.predict(held) != held.labels
        errors.append(float(np.average(wrong, weights=held.weights)))
        fits.append(fitted)
        step()
    return Result(
        contender.name,
        contender.budget,
        float(np.mean(errors)),
        float(np.std(errors, ddof=1)),
        float(np.mean([f.leaves for f in fits])),
        float(np.mean([f.questions for f in fits])),
        float(np.mean([f.seconds for f in fits])),
    )


class Stopwatch:
    """Measures how long its block takes."""

    def __enter__(self) -> "Stopwatch":
        self._begin = perf_counter()
        self.seconds = 0.0
        return self

    def __exit__(self, *_: object) -> None:
        self.seconds = perf_counter() - self._begin
