"""The target: a class and a weight for every row, the weights as exact integers.

Weights become integers once. Whole weights stay what they are; others are scaled by a power of two
to fixed point with a sum of about 2^52. From there on every sum is exact and no order of adding
matters: a pure node is exactly pure, and threads or row order cannot change a tree.
"""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from polytomy._errors import TargetError
from polytomy._types import AnyArray, FloatArray, IntArray, LabelArray, RowArray

_CHUNK = 1 << 16
_EXACT = 2**52  # sums up to twice this are exact in float64 too

Layer: TypeAlias = tuple[LabelArray, IntArray]
"""A class and a weight of every row."""


@dataclass(frozen=True, slots=True, eq=False)
class Target:
    """Classes 0..n_classes-1 and weights, row by row.

    A row weighs ``units[i] * unit``; ``units`` is None when all rows weigh ``unit``. A row may
    count for several classes: each layer of ``more`` is one more class, and weight in the same
    units, for every row.
    """

    labels: LabelArray
    units: IntArray | None
    unit: float
    n_classes: int
    more: tuple[Layer, ...] = ()

    @classmethod
    def of(
        cls, labels: ArrayLike, n_classes: int | None = None, weights: ArrayLike | None = None
    ) -> "Target":
        """Make a target of class numbers and, optionally, positive weights.

        >>> Target.of([0, 1, 1], weights=[1, 2, 0.5]).unit
        8.881784197001252e-16
        """
        most = np.iinfo(np.uint16).max + 1
        if n_classes is not None and not (isinstance(n_classes, int) and 1 <= n_classes <= most):
            raise TargetError(f"n_classes must be an integer from 1 to {most}, got {n_classes!r}")
        classes = _checked_labels(np.asarray(labels), most if n_classes is None else n_classes)
        top = int(classes.max()) + 1 if n_classes is None else n_classes
        units, unit = (None, 1.0) if weights is None else fixed_point(weights, len(classes))
        if units is not None and (units == 0).any():
            raise TargetError("rows of weight 0 must be dropped first; see weighing_rows")
        return cls(classes.astype(np.uint16, copy=False), units, unit, top)

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.labels)

    @property
    def layers(self) -> tuple[tuple[LabelArray, IntArray | None], ...]:
        """All layers: the first, and those of ``more``."""
        return ((self.labels, self.units), *self.more)

    def total(self) -> IntArray:
        """Return the units of each class over all rows."""
        out = np.zeros(self.n_classes, dtype=np.int64)
        for labels, units in self.layers:
            for start in range(0, self.n_rows, _CHUNK):  # bincount would copy all labels to int64
                part = labels[start : start + _CHUNK]
                if units is None:
                    out += np.bincount(part, minlength=self.n_classes)
                else:
                    np.add.at(out, part, units[start : start + _CHUNK])
        return out


def fixed_point(weights: ArrayLike, n_rows: int) -> tuple[IntArray | None, float]:
    """Return weights as integers and the weight of one unit; None when all are equal."""
    w = _checked_weights(weights, n_rows)
    if (w == w[0]).all():
        return None, float(w[0])
    total = float(w.sum())
    if total <= 2 * _EXACT and (w == np.rint(w)).all():
        return w.astype(np.int64), 1.0
    exponent = int(np.floor(np.log2(_EXACT) - np.log2(total)))
    return np.rint(np.ldexp(w, exponent)).astype(np.int64), float(np.ldexp(1.0, -exponent))


def weighing_rows(weights: ArrayLike, n_rows: int) -> RowArray | None:
    """Return the rows whose weight counts, or None when all do.

    A row weighs nothing if its weight is 0, or too small beside the sum to make one fixed-point
    unit (about 2e-16 of it).
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


def _checked_weights(weights: ArrayLike, n_rows: int) -> FloatArray:
    w = np.asarray(weights, dtype=np.float64)
    if w.shape != (n_rows,):
        raise TargetError(f"weights must have shape ({n_rows},), got {w.shape}")
    if not np.isfinite(w).all():
        raise TargetError(f"weights must be finite; row {int(np.argmin(np.isfinite(w)))} has not")
    if (w < 0).any():
        raise TargetError(f"weights must not be negative; row {int(np.argmin(w))} has {w.min():g}")
    if not (w > 0).any():
        raise TargetError("all weights are zero: nothing to learn from")
    with np.errstate(over="ignore"):
        total = float(w.sum())
    if not 1e-140 < total < 1e140:  # certificates have squares of weights in them
        raise TargetError(f"weights add up to {total:g}; scale them to a sum nearer 1")
    return w
