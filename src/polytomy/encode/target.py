"""The target: a class and an integer weight for every row.

Integer weights are used as they are; others are scaled once, by a power of two, to fixed point with
a sum of about 2^52. All later sums are exact in any order of addition: a pure node is exactly pure,
and neither threads nor the row order can change a tree.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polytomy._errors import TargetError
from polytomy._types import AnyArray, FloatArray, IntArray, LabelArray, RowArray

_CHUNK = 1 << 16
_LAYERS = 4  # classes that a row of a soft target counts for
_EXACT = 2**52  # sums up to twice this are exact in float64 too

Layer: TypeAlias = tuple[LabelArray, IntArray]
"""A class and an integer weight for every row."""


class Residues(NamedTuple):
    """The impurity of each row by itself, which no split can remove.

    Parameters
    ----------
    amounts : int64 array
        The impurity of each row, in a unit of its own.
    unit : float
        That unit, in units of the counts.
    values : float64 array
        Numbers that are equal for rows that are alike: a node with only such rows is pure.
    """

    amounts: IntArray
    unit: float
    values: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Target:
    """The class, from 0 to n_classes - 1, and the weight of every row.

    The weight of row i is ``units[i] * unit``; ``units`` is None if all weights are ``unit``. A row
    may count for several classes: each layer of ``more`` is another class and weight, in the same
    units, for every row. If some rows are synthetic, ``n_real`` is the number of the others, which
    come first. ``costs[i, j]``, from 0 to 1, is the cost of a unit of class i with label j; None if
    every mistake costs 1.
    """

    labels: LabelArray
    units: IntArray | None
    unit: float
    n_classes: int
    more: tuple[Layer, ...] = ()
    residues: Residues | None = None
    n_real: int | None = None
    costs: FloatArray | None = None

    @classmethod
    def of(
        cls,
        labels: ArrayLike,
        n_classes: int | None = None,
        weights: ArrayLike | None = None,
        *,
        copy: bool = True,
    ) -> "Target":
        """Return a target from class numbers and optional positive weights.

        Kernels use labels as indices without checking them again. With ``copy=False``, which saves
        memory, an array of labels must therefore never change afterwards.

        >>> Target.of([0, 1, 1], weights=[1, 2, 0.5]).unit
        8.881784197001252e-16
        """
        most = np.iinfo(np.uint16).max + 1
        if n_classes is not None and not (isinstance(n_classes, int) and 1 <= n_classes <= most):
            raise TargetError(f"n_classes must be an integer from 1 to {most}, got {n_classes!r}")
        given = np.array(labels) if copy else np.asarray(labels)
        classes = _checked_labels(given, most if n_classes is None else n_classes)
        top = int(classes.max()) + 1 if n_classes is None else n_classes
        units, unit = (None, 1.0) if weights is None else fixed_point(weights, len(classes))
        if units is not None and (units == 0).any():
            raise TargetError("rows of weight 0 must be dropped first; see weighing_rows")
        return cls(classes.astype(np.uint16, copy=False), units, unit, top)

    @classmethod
    def soft(
        cls, shares: ArrayLike, weights: ArrayLike | None = None, n_real: int | None = None
    ) -> "Target":
        """Return a target of rows that count for several classes.

        Of more than four classes, a row counts for the four with its largest shares only, so that
        the time does not grow with the number of classes.

        Parameters
        ----------
        shares : array of shape (n_rows, n_classes)
            The share of each class in each row, at least 0. Those of a row add up to 1.
        weights : array of shape (n_rows,), default=None
            The weights of the rows; None if all are 1.
        n_real : int, default=None
            The number of rows, the first ones, that are not synthetic; None for all.

        >>> target = Target.soft([[0.75, 0.25], [0.5, 0.5]])
        >>> (target.total() * target.unit).tolist()
        [1.25, 0.75]
        """
        p = np.array(shares, dtype=np.float64)  # a copy: it must not change after the check
        if p.ndim != 2 or 0 in p.shape:
            raise TargetError(f"shares must be a non-empty 2-D array, got shape {p.shape}")
        if not (p >= 0).all() or not np.allclose(p.sum(axis=1), 1.0):
            raise TargetError("the shares of each row must be at least 0 and add up to 1")
        n_rows, n_classes = p.shape
        n_layers = min(n_classes, _LAYERS)
        classes = np.tile(np.arange(n_classes), (n_rows, 1))
        if n_layers < n_classes:
            classes = np.argsort(-p, axis=1, kind="stable")[:, :n_layers]
            p = np.take_along_axis(p, classes, axis=1)
            p = p / p.sum(axis=1, keepdims=True)
        w = np.ones(n_rows) if weights is None else checked_weights(weights, n_rows)
        exponent = unit_exponent(float(w.sum()))
        units = np.rint(np.ldexp(p * w[:, None], exponent)).astype(np.int64)
        layers = [
            (classes[:, i].astype(np.uint16), np.ascontiguousarray(units[:, i]))
            for i in range(n_layers)
        ]
        (labels, first), *more = layers
        unit = float(np.ldexp(1.0, -exponent))
        return cls(labels, first, unit, n_classes, tuple(more), n_real=n_real)

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.labels)

    @property
    def n_cases(self) -> int:
        """The number of rows that are not synthetic."""
        return self.n_rows if self.n_real is None else self.n_real

    @property
    def impurity_unit(self) -> float:
        """The impurity that one unit of it in the kernels stands for."""
        return self.unit

    @property
    def layers(self) -> tuple[tuple[LabelArray, IntArray | None], ...]:
        """All layers: the first one and those of ``more``."""
        return ((self.labels, self.units), *self.more)

    def take(self, rows: AnyArray) -> "Target":
        """Return the target of these rows only, in the same units."""
        units = None if self.units is None else self.units[rows]
        more = tuple((labels[rows], layer[rows]) for labels, layer in self.more)
        held = self.residues
        if held is not None:
            held = held._replace(amounts=held.amounts[rows], values=held.values[rows])
        n_real = self.n_real
        if n_real is not None:
            is_real = (np.arange(self.n_rows) < n_real)[rows]
            n_real = int(is_real.sum())
            if not is_real[:n_real].all():
                raise TargetError("real rows must come before synthetic ones")
        labels = self.labels[rows]
        return replace(self, labels=labels, units=units, more=more, residues=held, n_real=n_real)

    @property
    def keys(self) -> NDArray[np.uint64]:
        """An integer for each row, equal for rows with equal classes."""
        return self.labels.astype(np.uint64)

    @property
    def case_units(self) -> tuple[IntArray | None, float]:
        """The weights as integers (None if all are equal), and the weight of one unit."""
        return self.units, self.unit

    def single_cases(self, most: int) -> "Target":  # noqa: ARG002
        """Return the target of the same rows, each as one case of weight 1.

        Parameters
        ----------
        most : int
            The number of cases that ``repeated`` may give to all rows together.
        """
        return replace(self, units=None, unit=1.0)

    def repeated(self, cases: IntArray, unit: float) -> "Target":
        """Return a target of single cases with several cases for each row.

        Parameters
        ----------
        cases : int64 array
            The number of cases of each row; it may be 0.
        unit : float
            The weight of one case.
        """
        return replace(self, units=cases, unit=unit)

    def total(self) -> IntArray:
        """Return the units of each class over all rows."""
        out = np.zeros(self.n_classes, dtype=np.int64)
        for labels, units in self.layers:
            for start in range(0, self.n_rows, _CHUNK):  # bincount copies labels to int64
                part = labels[start : start + _CHUNK]
                if units is None:
                    out += np.bincount(part, minlength=self.n_classes)
                else:
                    np.add.at(out, part, units[start : start + _CHUNK])
        return out


class WeightFacts(NamedTuple):
    """What must be known of all weights to make integers of some of them.

    Parameters
    ----------
    total : float
        Their sum.
    first : float
        One of them.
    are_equal, are_whole : bool
        Whether all are equal, and whether all are integers.
    """

    total: float
    first: float
    are_equal: bool
    are_whole: bool

    @classmethod
    def of(cls, w: FloatArray) -> "WeightFacts":
        """Return the facts about weights, at least one."""
        are_whole = bool((w == np.rint(w)).all())
        return cls(float(w.sum()), float(w[0]), bool((w == w[0]).all()), are_whole)

    def __add__(self, other: "WeightFacts") -> "WeightFacts":  # type: ignore[override]
        """Return the facts about both sets of weights together."""
        are_equal = self.are_equal and other.are_equal and self.first == other.first
        total, are_whole = self.total + other.total, self.are_whole and other.are_whole
        return WeightFacts(total, self.first, are_equal, are_whole)

    @property
    def exponent(self) -> int:
        """The power of two by which weights are multiplied to become integers."""
        return unit_exponent(self.total, whole=self.are_whole)

    @property
    def unit(self) -> float:
        """The weight of one unit."""
        return self.first if self.are_equal else float(np.ldexp(1.0, -self.exponent))

    def units(self, w: FloatArray) -> IntArray | None:
        """Return some of the weights as integers; None if all weights are equal."""
        if self.are_equal:
            return None
        return np.rint(np.ldexp(w, self.exponent)).astype(np.int64)


def fixed_point(weights: ArrayLike, n_rows: int) -> tuple[IntArray | None, float]:
    """Return weights as integers and the weight of one unit; None if all weights are equal."""
    w = checked_weights(weights, n_rows)
    facts = WeightFacts.of(w)
    return facts.units(w), facts.unit


def unit_exponent(total: float, *, whole: bool = False) -> int:
    """Return the power of two by which weights are multiplied to become integers.

    Parameters
    ----------
    total : float
        The sum of the weights.
    whole : bool, default=False
        Whether all of them are integers. Then it is 0, unless their sum is too large.
    """
    if whole and total <= 2 * _EXACT:
        return 0
    return int(np.floor(np.log2(_EXACT) - np.log2(total)))


def weighing_rows(weights: ArrayLike, n_rows: int) -> RowArray | None:
    """Return the rows of positive fixed-point weight, or None if all rows are.

    A row is left out if its weight is 0 or below one fixed-point unit (about 2e-16 of the sum).
    """
    units, _ = fixed_point(weights, n_rows)
    if units is None or (units > 0).all():
        return None
    return np.flatnonzero(units).astype(np.uint32)


def _checked_labels(classes: AnyArray, most: int) -> AnyArray:
    if classes.ndim != 1 or len(classes) == 0:
        raise TargetError(f"labels must be a non-empty 1-D array, got shape {classes.shape}")
    if classes.dtype.kind not in "iub":
        raise TargetError(f"labels must be class numbers, got dtype {classes.dtype}")
    if classes.min() < 0 or classes.max() >= most:
        raise TargetError(f"labels must lie in 0..{most - 1}, got {classes.min()}..{classes.max()}")
    return classes


def checked_weights(weights: ArrayLike, n_rows: int) -> FloatArray:
    """Return weights as floats; raise an error if they are not finite, negative or all zero."""
    w = checked_some_weights(weights, n_rows)
    with np.errstate(over="ignore"):
        check_total_weight(float(w.sum()))
    return w


def checked_some_weights(weights: ArrayLike, n_rows: int) -> FloatArray:
    """Return a copy of the weights of a part of the rows as floats, finite and not negative."""
    w = np.array(weights, dtype=np.float64)
    if w.shape != (n_rows,):
        raise TargetError(f"weights must have shape ({n_rows},), got {w.shape}")
    if not np.isfinite(w).all():
        at = int(np.argmin(np.isfinite(w)))
        raise TargetError(f"weights must be finite; row {at} has {w[at]:g}")
    if (w < 0).any():
        raise TargetError(f"weights must not be negative; row {int(np.argmin(w))} has {w.min():g}")
    return w


def check_total_weight(total: float) -> None:
    """Raise an error if the sum of all weights is 0, or too large or small to compute with."""
    if total == 0:
        raise TargetError("all weights are zero")
    if not 1e-140 < total < 1e140:  # certificates use squares of weights
        raise TargetError(f"weights add up to {total:g}; rescale them to a sum nearer 1")
