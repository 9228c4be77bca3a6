"""A numeric target, in the form in which the engine grows trees for it.

A number scaled to u in [0, 1] is a row that counts u for one component and 1 - u for another. Then
gini, 4 a b / (a + b), differs from four times the sum of squares only by what each row contributes
by itself, its residue; so do the Poisson deviance and -a ln(a / (a + b)). Every split has the gain
that it has for the numbers, up to a factor.
"""

from dataclasses import dataclass, field, replace
from functools import reduce
from math import floor, frexp, isfinite, ldexp, log, log2
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from polytomy import kernels
from polytomy._errors import TargetError
from polytomy._types import AnyArray, FloatArray, IntArray

from .exact_sums import GroupSums, TermBound, group_sums
from .target import Residues, Target, checked_weights, fixed_point

_SUM = 52  # log2 of the sum of the units
_FINER = 256.0  # units of residues in one unit: no residue exceeds the units of its row
RESIDUE_UNIT = 1 / _FINER
"""The unit of residues, in units of the target."""
_CHUNK = 1 << 14
_PART = 1 << 16
_LEAST, _MOST = 1e-140, 1e140  # of the range, so that squares neither over- nor underflow


@dataclass(frozen=True)
class NumberScale:
    """How the numbers of all rows become components; parts of the rows share it.

    Parameters
    ----------
    criterion : {"squared_error", "poisson"}
        The criterion.
    low, span : float
        The least number and the range; for Poisson 0 and the largest number.
    centre : float
        A number near their mean, about which moments are taken; 0 for the Poisson criterion.
    weight : float
        The weight of all rows.
    n_rows : int
        The number of all rows.
    """

    criterion: str
    low: float
    span: float
    centre: float
    weight: float
    n_rows: int

    @classmethod
    def of(
        cls, criterion: str, ends: tuple[float, float], mean: float, weight: float, n_rows: int
    ) -> Self:
        """Return the scale of numbers.

        Parameters
        ----------
        criterion : {"squared_error", "poisson"}
            The criterion.
        ends : tuple of float
            The least and the largest number.
        mean, weight : float
            The mean of the numbers, which does not matter if they are equal, and the weight of all
            rows.
        n_rows : int
            The number of all rows.
        """
        is_poisson = criterion == "poisson"
        # -0.0 becomes 0.0, since the order of the rows decides which zero is the least.
        least, most = (end + 0.0 for end in ends)
        low, span = _range(least, most, is_poisson=is_poisson)
        # If all numbers are equal, the mean of huge ones would differ by rounding, and the square
        # of that difference would overflow.
        centre = 0.0 if is_poisson else least
        if not is_poisson and span > 0:
            centre = _near(mean, span)
        return cls(criterion, low, span, centre, weight, n_rows)

    @property
    def exponent(self) -> int:
        """The power of two by which weights are multiplied to become integers."""
        return floor(_SUM - log2(self.weight))

    def bounds(self, reach: float | None = None) -> list[TermBound]:
        """Return the bounds of w, w d, w d^2 and w d ln d for distances d from the centre.

        Parameters
        ----------
        reach : float, default=None
            The largest distance; None for a bound on those of all rows.
        """
        if reach is None:
            reach = self.span if self.criterion == "poisson" else 2 * self.span
        most_log = max(1.0, reach * abs(log(reach))) if reach > 0 else 1.0
        factors = 1.0, reach, reach * reach, most_log
        return [TermBound(self.weight * factor, self.n_rows) for factor in factors]


_UNIT_SCALE = NumberScale("squared_error", 0.0, 1.0, 0.0, 1.0, 1)


@dataclass(frozen=True, slots=True, eq=False)
class NumericTarget(Target):
    """Numbers and weights as a target of two components.

    Parameters
    ----------
    values : float64 array
        The numbers.
    weights : float64 array or None
        Their weights; None if all are 1.
    scale : NumberScale
        How numbers become components.
    """

    values: FloatArray = field(default_factory=lambda: np.empty(0))
    weights: FloatArray | None = None
    scale: NumberScale = field(default_factory=lambda: _UNIT_SCALE)

    @classmethod
    def of_numbers(
        cls,
        values: ArrayLike,
        weights: ArrayLike | None = None,
        criterion: str = "squared_error",
        *,
        copy: bool = True,
        threads: int = 1,
    ) -> "NumericTarget":
        """Return a target from numbers and optional positive weights.

        Parameters
        ----------
        values : array-like of float
            The numbers.
        weights : array-like of float, default=None
            Their weights; None if all are 1.
        criterion : {"squared_error", "poisson"}, default="squared_error"
            The criterion.
        copy : bool, default=True
            Whether to copy the numbers. Without a copy, the caller must not change them later.
        threads : int, default=1
            The number of threads.

        Examples
        --------
        >>> target = NumericTarget.of_numbers([1.0, 2.0, 4.0])
        >>> target.centre, target.moments(np.array([0, 0, 1]), 2)[0].tolist()
        (2.333984375, [2.0, -1.66796875, 1.8910598754882812])
        """
        read = np.array if copy else np.asarray  # it must not change after the checks
        y = read(values, dtype=np.float64)
        if y.ndim != 1 or len(y) == 0:
            raise TargetError(f"y must be a non-empty 1-D array, got shape {y.shape}")
        w = None if weights is None else checked_weights(weights, len(y))
        ends = ends_of(y, criterion)
        # The mean of huge numbers, all equal, would overflow.
        is_needed = criterion != "poisson" and ends[0] < ends[1]
        mean = float(np.average(y, weights=w)) if is_needed else ends[0]
        weight = float(len(y) if w is None else w.sum())
        return cls.on_scale(NumberScale.of(criterion, ends, mean, weight, len(y)), y, w, threads)

    @classmethod
    def on_scale(
        cls, scale: NumberScale, y: FloatArray, w: FloatArray | None, threads: int = 1
    ) -> "NumericTarget":
        """Return the target of some rows on the scale of all rows.

        Parameters
        ----------
        scale : NumberScale
            The scale of all rows.
        y : float64 array
            The numbers of these rows.
        w : float64 array or None
            Their positive weights; None if all are 1.
        threads : int, default=1
            The number of threads.
        """
        above, below, residues = _components(y, w, scale, threads)
        return cls(
            labels=np.zeros(len(y), dtype=np.uint16),
            units=above,
            unit=ldexp(1.0, -scale.exponent),
            n_classes=2,
            more=((np.ones(len(y), dtype=np.uint16), below),),
            residues=Residues(residues, RESIDUE_UNIT, y),
            values=y,
            weights=w,
            scale=scale,
        )

    @property
    def criterion(self) -> str:
        """The criterion."""
        return self.scale.criterion

    @property
    def centre(self) -> float:
        """A number near the mean, about which moments are taken; 0 for the Poisson criterion."""
        return self.scale.centre

    @property
    def impurity_unit(self) -> float:
        """The impurity that one unit of it in the kernels stands for."""
        span = self.scale.span
        return self.unit * (span if self.criterion == "poisson" else span * span / 4)

    @property
    def keys(self) -> NDArray[np.uint64]:
        """An integer for each row, equal for rows with equal numbers: the rank of its number."""
        return np.unique(self.values, return_inverse=True)[1].astype(np.uint64)

    @property
    def case_units(self) -> tuple[IntArray | None, float]:
        """The weights as integers (None if all are equal), and the weight of one unit."""
        return (None, 1.0) if self.weights is None else fixed_point(self.weights, self.n_rows)

    def single_cases(self, most: int) -> "NumericTarget":
        """Return the target of the same rows, each as one case of weight 1.

        Parameters
        ----------
        most : int
            The number of cases that ``repeated`` may give to all rows together.
        """
        return self.on_scale(replace(self.scale, weight=float(most)), self.values, None)

    def repeated(self, cases: IntArray, unit: float) -> "NumericTarget":
        """Return a target of single cases with several cases for each row.

        Parameters
        ----------
        cases : int64 array
            The number of cases of each row; it may be 0.
        unit : float
            The weight of one case.
        """
        assert self.units is not None
        assert self.residues is not None
        return replace(
            self,
            units=self.units * cases,
            unit=self.unit * unit,
            more=tuple((labels, layer * cases) for labels, layer in self.more),
            residues=self.residues._replace(amounts=self.residues.amounts * cases),
            weights=cases.astype(np.float64) * unit,
            scale=replace(self.scale, weight=float(cases.sum()) * unit),
        )

    def take(self, rows: AnyArray) -> "NumericTarget":
        """Return the target of these rows only, in the same units."""
        part = super(NumericTarget, self).take(rows)
        assert isinstance(part, NumericTarget)
        weights = None if self.weights is None else self.weights[rows]
        return replace(part, values=self.values[rows], weights=weights)

    def total(self) -> IntArray:
        """Return the units of both components over all rows."""
        return np.array([layer.sum() for _, layer in self.layers if layer is not None])

    def moments(
        self,
        group: AnyArray,
        n_groups: int,
        centre: float | None = None,
        rows: AnyArray | None = None,
        threads: int = 1,
    ) -> FloatArray:
        """Return the moments of groups of rows.

        Parameters
        ----------
        group : int array
            The group of each row.
        n_groups : int
            The number of groups.
        centre : float or None, default=None
            The number that they are about; None for the target's own.
        rows : int array or None, default=None
            The rows that ``group`` is about; None for all rows.
        threads : int, default=1
            The number of threads.

        Returns
        -------
        ndarray of shape (n_groups, 3)
            The weight w, and the sums of w (y - centre) and w (y - centre)^2. The Poisson criterion
            has a fourth column, the sum of w y ln y.
        """
        about, bounds = self._about(centre, rows)
        weights, further = self.weights, None
        if self.criterion == "poisson":
            further = _entropy_terms((self.values if rows is None else self.values[rows]) - about)
        out = np.empty((n_groups, len(bounds)))
        kernels.group_moments(
            np.ascontiguousarray(group, dtype=np.int32),
            (np.ascontiguousarray(self.values), weights),
            further,
            None if rows is None else np.ascontiguousarray(rows, dtype=np.uint32),
            (about, np.array([bound.anchors() for bound in bounds])),
            out,
            threads,
        )
        return out

    def moment_sums(
        self,
        group: AnyArray,
        n_groups: int,
        centre: float | None = None,
        rows: AnyArray | None = None,
    ) -> GroupSums:
        """Return what ``moments`` does as sums that can be added to those of other rows.

        About the target's own centre, the sums of parts add up to those of all rows, bit for bit.
        """
        chosen = slice(None) if rows is None else rows
        values = self.values[chosen]
        weights = np.ones(len(values)) if self.weights is None else self.weights[chosen]
        about, bounds = self._about(centre, rows)

        def sums_of(part: slice) -> GroupSums:
            far, case = values[part] - about, weights[part]
            terms = [far, far * far]
            if self.criterion == "poisson":
                terms.append(_entropy_terms(far))
            terms = [case, *(term * case for term in terms)]
            return group_sums(group[part], n_groups, terms, bounds)

        # In parts, whose terms stay in the cache: half the time for a million rows.
        step = max(_PART, n_groups)
        parts = [slice(start, start + step) for start in range(0, max(len(values), 1), step)]
        return reduce(GroupSums.__add__, map(sums_of, parts))

    def _about(self, centre: float | None, rows: AnyArray | None) -> tuple[float, list[TermBound]]:
        """Return the number that moments are about, and the bounds of their terms."""
        if centre is None:
            about, reach = self.centre, None
        else:
            values = self.values if rows is None else self.values[rows]
            about, reach = centre, None
            if len(values):
                reach = float(max(abs(values.min() - about), abs(values.max() - about)))
        return about, self.scale.bounds(reach)[: 4 if self.criterion == "poisson" else 3]


def _entropy_terms(far: FloatArray) -> FloatArray:
    """Return x ln x for distances x, and 0 for those that are not positive."""
    return np.asarray(far * np.log(np.where(far > 0, far, 1.0)))


def ends_of(y: FloatArray, criterion: str) -> tuple[float, float]:
    """Return the least and the largest number; raise an error if any is not allowed."""
    low, high = float(y.min()), float(y.max())
    if not (isfinite(low) and isfinite(high)):
        at = int(np.argmin(np.isfinite(y)))
        raise TargetError(f"y must be finite; row {at} has {y[at]:g}")
    if criterion == "poisson" and low < 0:
        raise TargetError(
            f"criterion='poisson' is for counts and other numbers of at least 0; row "
            f"{int(np.argmin(y))} has {low:g}"
        )
    return low, high


def _range(low: float, high: float, *, is_poisson: bool) -> tuple[float, float]:
    """Return the least number and the range; for Poisson 0 and the largest number."""
    low = 0.0 if is_poisson else low
    span = high - low
    if span > 0 and not _LEAST < span < _MOST:
        raise TargetError(
            f"y ranges from {low:g} to {high:g}, and the squares of such numbers cannot be "
            "represented; rescale y, for example with y / abs(y).max()"
        )
    return low, span


def _near(mean: float, span: float) -> float:
    """Return a number with few digits near the mean, so that differences from it are exact."""
    step = frexp(span)[1] - 11
    return ldexp(round(ldexp(mean, -step)), step)


def _components(
    y: FloatArray, w: FloatArray | None, scale: NumberScale, threads: int
) -> tuple[IntArray, IntArray, IntArray]:
    """Return what each row counts for both components, and its residue."""
    above, below, residues = (np.empty(len(y), dtype=np.int64) for _ in range(3))
    low, span, units = scale.low, scale.span or 1.0, 2.0**scale.exponent
    if scale.criterion != "poisson":
        y = np.ascontiguousarray(y)
        w = None if w is None else np.ascontiguousarray(w)
        kernels.number_units((y, w), (low, span, units, _FINER), (above, below, residues), threads)
        return above, below, residues
    # In chunks, whose intermediate results stay in the cache.
    for start in range(0, len(y), _CHUNK):
        part = slice(start, start + _CHUNK)
        whole = units if w is None else np.rint(w[part] * units)
        first = np.rint((y[part] - low) / span * whole)
        second = whole - first
        alone = first * np.log1p(second / np.where(first > 0, first, 1.0))
        above[part], below[part], residues[part] = first, second, np.rint(alone * _FINER)
    return above, below, residues
