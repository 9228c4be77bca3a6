"""Rows to learn from, and parts of them: held out, or in folds."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from polytomy._errors import ParameterError
from polytomy._types import AnyArray, FloatArray, IntArray
from polytomy.encode import Target, weighing_rows
from polytomy.table import Table


@dataclass(frozen=True, eq=False)
class Sample:
    """A table, its class numbers and its weights; None where all rows weigh 1."""

    table: Table
    labels: AnyArray
    weights: FloatArray | None
    n_classes: int

    @cached_property
    def target(self) -> Target:
        """The classes and weights as the grower takes them."""
        return Target.of(self.labels, self.n_classes, self.weights)

    @property
    def weight(self) -> float:
        """The weight of all rows."""
        return float(len(self.labels) if self.weights is None else self.weights.sum())

    def take(self, rows: AnyArray) -> "Sample":
        """Return some of the rows."""
        weights = None if self.weights is None else self.weights[rows]
        return Sample(self.table.take(rows), self.labels[rows], weights, self.n_classes)

    def weighing(self) -> tuple["Sample", IntArray | None]:
        """Drop the rows that weigh nothing; return the rest, and which they were (None: all)."""
        n_rows = self.table.n_rows
        rows = None if self.weights is None else weighing_rows(self.weights, n_rows)
        return (self, None) if rows is None else (self.take(rows), rows.astype(np.int64))


def parted(
    given: Sample, fraction: float | None, random_state: Any
) -> tuple[Sample, Sample | None, IntArray | None]:
    """Return the rows to grow on, the rows held out, and which of those given these were.

    Rows that weigh nothing are dropped first.
    """
    sample, rows = given.weighing()
    if fraction is None:
        return sample, None, None
    inside, outside = held_out(sample.labels, fraction, random_state)
    return sample.take(inside), sample.take(outside), outside if rows is None else rows[outside]


def grown_on(given: Sample, held_out: IntArray | None, n_rows: int) -> Sample:
    """Return what ``parted`` left to grow on of the same rows, told by what it held out."""
    if held_out is not None and len(given.labels) == n_rows:
        given = given.take(np.delete(np.arange(n_rows), held_out))
    return given.weighing()[0]


def held_out(labels: AnyArray, fraction: float, random_state: Any) -> tuple[IntArray, IntArray]:
    """Return the rows to grow on and those held out: a share of each class, drawn at random.

    Of each class at least one row stays to grow on.
    """
    rank, _ = _ranks(labels, random_state)
    sizes = np.bincount(labels)
    wanted = fraction * sizes
    most = np.minimum(np.floor(wanted), np.maximum(sizes - 1, 0)).astype(np.int64)
    room = most < sizes - 1
    left = round(fraction * len(labels)) - int(most.sum())
    largest = np.argsort(-(wanted - most) * room, kind="stable")  # largest remainders first
    most[largest[: max(left, 0)]] += room[largest[: max(left, 0)]]
    held = rank < most[labels]
    if not held.any():
        raise ParameterError(
            f"a fraction of {fraction:g} of {len(labels)} rows holds out none; "
            "give a larger fraction, more rows, or X_val and y_val to prune()"
        )
    return np.flatnonzero(~held), np.flatnonzero(held)


def folds_of(labels: AnyArray, folds: int, random_state: Any) -> IntArray:
    """Return the fold of each row: the rows of a class are dealt out in turn, in random order."""
    rank, _ = _ranks(labels, random_state)
    first = np.concatenate(([0], np.cumsum(np.bincount(labels))))[labels]
    return np.asarray((rank + first) % folds)  # a class goes on where the one before it ended


def _ranks(labels: AnyArray, random_state: Any) -> tuple[IntArray, IntArray]:
    """Return each row's place in a random order of its class, and the size of its class."""
    order = check_random_state(random_state).permutation(len(labels))
    sizes = np.bincount(labels)
    by_class = order[np.argsort(labels[order], kind="stable")]
    starts = np.concatenate(([0], np.cumsum(sizes)[:-1]))
    rank = np.empty(len(labels), dtype=np.int64)
    rank[by_class] = np.arange(len(labels)) - np.repeat(starts, sizes)
    return rank, sizes[labels]
