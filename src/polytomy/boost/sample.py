"""The rows that boosting trains on and those it is evaluated on."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from polytomy._errors import TargetError
from polytomy._types import FloatArray, LabelArray
from polytomy.encode import Coded
from polytomy.kernels import exact_sum
from polytomy.table import Table


@dataclass(frozen=True, eq=False)
class BoostingSample:
    """The encoded training rows, shared by all rounds.

    Attributes
    ----------
    coded : Coded
        The encoded columns.
    labels : ndarray of int
        The class number of each row.
    shares : ndarray of float
        The weights of the rows divided by their sum: the distribution D_1.
    size : float
        m of the formulas: the sum of the weights, read as case counts, but at least the number of
        rows.
    n_classes : int
        The number of classes.
    """

    coded: Coded
    labels: LabelArray
    shares: FloatArray
    size: float
    n_classes: int

    @classmethod
    def of(
        cls, coded: Coded, labels: ArrayLike, n_classes: int, weights: ArrayLike | None = None
    ) -> "BoostingSample":
        """Return a sample from class numbers and weights.

        Parameters
        ----------
        coded : Coded
            The encoded columns.
        labels : array of int
            The class number of each row.
        n_classes : int
            The number of classes.
        weights : array of float, optional
            Positive weights; None for equal weights.

        Returns
        -------
        BoostingSample
            The sample.
        """
        y = np.asarray(labels).astype(np.uint16)
        if len(y) != coded.n_rows:
            raise TargetError(f"{coded.n_rows} rows but {len(y)} labels")
        present = np.flatnonzero(np.bincount(y, minlength=n_classes))
        if len(present) < 2:
            raise TargetError(
                "boosting needs rows of at least two classes, but all rows of positive weight "
                "are of one class"
            )
        shares, total = shares_of(weights, len(y))
        return cls(coded, y, shares, max(total, float(len(y))), n_classes)

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.labels)

    @cached_property
    def unequal_shares(self) -> FloatArray | None:
        """The shares; None if all rows have the same."""
        return None if self.lightest == self.shares.max() else self.shares

    @cached_property
    def lightest(self) -> float:
        """The smallest share of any row."""
        return float(self.shares.min())

    @cached_property
    def class_shares(self) -> FloatArray:
        """The share of each class."""
        return np.array([exact_sum(self.shares[self.labels == k]) for k in range(self.n_classes)])


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Held-out rows, used for evaluation only.

    Attributes
    ----------
    table : Table
        The columns.
    labels : ndarray of int
        The class number of each row.
    shares : ndarray of float
        The weights of the rows divided by their sum.
    """

    table: Table
    labels: LabelArray
    shares: FloatArray

    @classmethod
    def of(cls, table: Table, labels: ArrayLike, weights: ArrayLike | None = None) -> "HeldOut":
        """Return held-out rows from class numbers and weights.

        Parameters
        ----------
        table : Table
            The columns.
        labels : array of int
            The class number of each row.
        weights : array of float, optional
            Weights; None for equal weights.

        Returns
        -------
        HeldOut
            The rows.
        """
        y = np.asarray(labels).astype(np.uint16)
        return cls(table, y, shares_of(weights, len(y))[0])


def shares_of(weights: ArrayLike | None, n_rows: int) -> tuple[FloatArray, float]:
    """Return weights divided by their sum, and the sum."""
    if weights is None:
        return np.full(n_rows, 1.0 / n_rows), float(n_rows)
    w = np.asarray(weights, dtype=np.float64)
    total = exact_sum(w)
    return w / total, total
