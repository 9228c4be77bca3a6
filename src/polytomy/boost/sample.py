"""The rows that boosting trains on and those it is evaluated on."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from polytomy._errors import TargetError
from polytomy._types import FloatArray, IntArray, LabelArray
from polytomy.encode import Coded, Schema
from polytomy.kernels import ExactSum, exact_sum
from polytomy.table import Table

from .sums import Largest, Sums


@dataclass(frozen=True, eq=False)
class SampleFacts:
    """What an algorithm must know of all training rows.

    Attributes
    ----------
    n_rows : int
        The number of rows.
    lightest, heaviest : float
        The smallest and the largest share of any row.
    class_shares : ndarray of float
        The share of each class.
    """

    n_rows: int
    lightest: float
    heaviest: float
    class_shares: FloatArray


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
    whole : SampleFacts or None, default=None
        The facts of all rows, if these are a part of them; ``shares`` and ``size`` then refer to
        all rows too.
    """

    coded: Coded
    labels: LabelArray
    shares: FloatArray
    size: float
    n_classes: int
    whole: SampleFacts | None = None

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
        check_present(np.bincount(y, minlength=n_classes))
        shares, total = shares_of(weights, len(y))
        return cls(coded, y, shares, size_of(total, len(y)), n_classes)

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.labels)

    @classmethod
    def without_rows(cls, schema: Schema, whole: SampleFacts, size: float) -> "BoostingSample":
        """Return a sample without rows that knows the facts of all rows.

        Parameters
        ----------
        schema : Schema
            The columns.
        whole : SampleFacts
            The facts.
        size : float
            The size of the sample.

        Returns
        -------
        BoostingSample
            The sample.
        """
        coded = Coded(schema, tuple(np.empty(0, dtype=np.uint8) for _ in schema), 0)
        labels, n_classes = np.empty(0, dtype=np.uint16), len(whole.class_shares)
        return cls(coded, labels, np.empty(0), size, n_classes, whole)

    @property
    def n_all(self) -> int:
        """The number of all rows, if these are a part of them."""
        return self.n_rows if self.whole is None else self.whole.n_rows

    @cached_property
    def unequal_shares(self) -> FloatArray | None:
        """The shares; None if all rows have the same."""
        heaviest = self.shares.max() if self.whole is None else self.whole.heaviest
        return None if self.lightest == heaviest else self.shares

    @cached_property
    def lightest(self) -> float:
        """The smallest share of any row."""
        return float(self.shares.min()) if self.whole is None else self.whole.lightest

    @cached_property
    def class_shares(self) -> FloatArray:
        """The share of each class."""
        if self.whole is not None:
            return self.whole.class_shares
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


def fact_sums(sample: BoostingSample) -> Sums:
    """Return the sums over some rows that their facts follow from.

    Parameters
    ----------
    sample : BoostingSample
        The rows, with their shares of the weight of all rows.

    Returns
    -------
    tuple
        The sums, for ``facts_from``.
    """
    labels, shares = sample.labels, sample.shares
    n_rows = np.bincount(labels, minlength=sample.n_classes)
    by_class = [ExactSum.of(shares[labels == k]) for k in range(sample.n_classes)]
    return n_rows, Largest(-shares.min()), Largest(shares.max()), *by_class


def facts_from(sums: Sums) -> SampleFacts:
    """Return the facts of all rows.

    Parameters
    ----------
    sums : tuple
        What ``fact_sums`` returns for all parts, added.

    Returns
    -------
    SampleFacts
        The facts.
    """
    n_rows, least, most, *by_class = sums
    check_present(n_rows)
    values = np.array([total.value() for total in by_class])
    return SampleFacts(int(n_rows.sum()), -float(least), float(most), values)


def sum_of(weights: FloatArray) -> ExactSum:
    """Return the sum of some weights, to which those of other rows can be added.

    Parameters
    ----------
    weights : ndarray of float
        The weights, at least 0.

    Returns
    -------
    ExactSum
        The sum.
    """
    return ExactSum.of(weights)


def check_present(n_rows: IntArray) -> None:
    """Raise an error unless there are rows of at least two classes."""
    if np.count_nonzero(n_rows) < 2:
        raise TargetError(
            "boosting needs rows of at least two classes, but all rows of positive weight "
            "are of one class"
        )


def size_of(total: float, n_rows: int) -> float:
    """Return m of the formulas; see ``BoostingSample``.

    Parameters
    ----------
    total : float
        The sum of the weights of all rows.
    n_rows : int
        The number of all rows.

    Returns
    -------
    float
        The size of the sample.
    """
    return max(total, float(n_rows))


def shares_of(weights: ArrayLike | None, n_rows: int) -> tuple[FloatArray, float]:
    """Return weights divided by their sum, and the sum."""
    if weights is None:
        return np.full(n_rows, 1.0 / n_rows), float(n_rows)
    w = np.asarray(weights, dtype=np.float64)
    total = exact_sum(w)
    return w / total, total
