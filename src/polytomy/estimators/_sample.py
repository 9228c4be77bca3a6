"""Rows to learn from, and parts of them: held out, or in folds."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from polytomy._errors import ParameterError
from polytomy._resample import assign_folds, hold_out
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
    """Return the rows to grow on and the held-out rows, stratified by class."""
    inside, outside = hold_out(labels, fraction, check_random_state(random_state))
    if len(outside) == 0:
        raise ParameterError(
            f"a fraction of {fraction:g} of {len(labels)} rows holds out none; "
            "give a larger fraction, more rows, or X_val and y_val to prune()"
        )
    return inside, outside


def folds_of(labels: AnyArray, folds: int, random_state: Any) -> IntArray:
    """Return the fold of each row, stratified by class."""
    return assign_folds(labels, folds, check_random_state(random_state))
