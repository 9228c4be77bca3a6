"""The best binary gain of a node, computed in plain NumPy from its rows.

Every binary option of a built-in family is listed as the count vectors of its two sides, and the
index is evaluated for all sides at once. Counts are integer units, with the number of rows as one
more column, so that limits on rows or weight are simple comparisons.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from polytomy._types import MISSING, TIE, AnyArray, FloatArray
from polytomy.certify.record import Rules
from polytomy.encode import ColumnSpec, NominalColumn, OrderedColumn, Schema
from polytomy.index import Index
from polytomy.table import Ordered

from .recount import Recount, Sample, numbers_of

_EXHAUSTIVE = 8  # with three or more classes, up to this many categories all groupings are tried


@dataclass(frozen=True, slots=True)
class GainRange:
    """Bounds on the best binary gain; None if no binary option is known, or possible."""

    lower: float | None
    upper: float | None

    @property
    def exact(self) -> bool:
        """Whether both bounds are equal."""
        return self.lower == self.upper


class Histograms:
    """Histograms of every column at every node: units by class, and the number of rows last."""

    def __init__(
        self, schema: Schema, sample: Sample, counted: Recount, codes: Sequence[AnyArray]
    ) -> None:
        self._classes, self._counted = sample.n_classes, counted
        self._units = None if sample.units is None else sample.units[counted.order]
        self._n_codes = [spec.n_values + 1 for spec in schema]  # the last code is for missing cells
        labels = sample.labels[counted.order]
        self._terms = None if sample.terms is None else sample.terms[counted.order]
        classes = 1 if sample.terms is not None else self._classes
        self._keys = [
            _keys(of_row[counted.order], labels, n, classes)
            for of_row, n in zip(codes, self._n_codes, strict=True)
        ]

    def of(self, node: int, column: int) -> FloatArray:
        """Return the histogram of a column at a node, of shape (codes, classes + 1)."""
        span = slice(self._counted.start[node], self._counted.stop[node])
        if self._terms is not None:
            codes, n = self._keys[column][span], self._n_codes[column]
            terms = [np.bincount(codes, term, n) for term in self._terms[span].T]
            return np.column_stack((*terms, np.bincount(codes, minlength=n)))
        keys, shape = self._keys[column][span], (self._n_codes[column], self._classes)
        size = shape[0] * shape[1]
        rows = np.bincount(keys, minlength=size).reshape(shape)
        counts: AnyArray = rows
        if self._units is not None:
            counts = np.bincount(keys, self._units[span], size).reshape(shape)
        return np.column_stack((counts, rows.sum(axis=1))).astype(np.float64)

    def rows(self, node: int, column: int) -> AnyArray:
        """Return the number of rows with each code; those without a value come last."""
        return self.of(node, column)[:, -1]


class BinarySearch:
    """Finds the best binary gain of a node under the rules of the run."""

    def __init__(
        self, schema: Schema, sample: Sample, histograms: Histograms, rules: Rules
    ) -> None:
        self._histograms = histograms
        self._schema, self._rules, self._unit = schema, rules, sample.unit
        self._is_numeric = sample.terms is not None
        total = sample.n_rows if sample.units is None else sample.units.sum()
        if sample.terms is not None:
            total = sample.terms[:, 0].sum()
        # A child must reach the limit up to the tie tolerance, as in the grower.
        self._lightest = float(rules.min_weight_fraction_leaf) * float(total) * (1 - TIE)

    def best(self, node: int, index: Index, columns: Sequence[int] | None = None) -> GainRange:
        """Return the best binary gain of a node on some columns, by default all, or bounds."""
        listed: list[FloatArray] = []
        finest: list[FloatArray] = []  # columns without a full list: one child per code
        whole = np.zeros(0)
        for j, spec in enumerate(self._schema):
            histogram = self._histograms.of(node, j)
            whole = histogram.sum(axis=0)
            if columns is not None and j not in columns:
                continue
            sides = self._sides(spec, histogram)
            if sides is None:
                finest.append(histogram[histogram[:, -1] > 0, :-1])
            else:
                listed.append(sides)
        if not whole.any():  # the node has no rows
            return GainRange(None, None)
        weight = float(index.value(whole[:-1]))
        lower = self._best_listed(listed, index, weight, self._lightest_at(whole))
        upper = -1.0 if lower is None else lower
        for codes in finest:
            upper = max(upper, _gain(weight, float(index.value(codes).sum())))
        if self._rules.own_families:  # at best, a split into pure children
            upper = max(upper, weight)
        if self._hides_splits():  # a better split may not be allowed, or cost more
            lower = None
        return GainRange(*(None if g is None or g < 0 else g * self._unit for g in (lower, upper)))

    def _sides(self, spec: ColumnSpec, histogram: FloatArray) -> FloatArray | None:
        """Return a column's binary options, (option, side, counts); None if they are too many."""
        families = self._rules.families
        if isinstance(spec, OrderedColumn):
            return _interval_sides(histogram) if "intervals" in families else _no_sides(histogram)
        sides = _value_sides(histogram) if "values" in families else _no_sides(histogram)
        if "groups" not in families:
            return sides
        grouped = _mean_sides(histogram) if self._is_numeric else _group_sides(histogram)
        return None if grouped is None else np.concatenate((sides, grouped))

    def _hides_splits(self) -> bool:
        held = self._rules.constraints
        return bool(self._rules.monotonic or held.costs or held.min_difference)

    def _lightest_at(self, whole: FloatArray) -> float:
        """Return the least weight of a child of a node with these counts."""
        weight = float(whole[0] if self._is_numeric else whole[:-1].sum())
        return max(self._lightest, self._rules.constraints.min_child_share * weight * (1 - TIE))

    def _best_listed(
        self, listed: list[FloatArray], index: Index, weight: float, lightest: float
    ) -> float | None:
        sides = np.concatenate(listed) if listed else np.zeros((0, 2, 1))
        enough = sides[..., -1] >= self._rules.min_samples_leaf
        weight_of = sides[..., 0] if self._is_numeric else sides[..., :-1].sum(axis=-1)
        enough &= weight_of >= lightest
        sides = sides[enough.all(axis=1)]
        if not len(sides):
            return None
        return _gain(weight, float(index.value(sides[..., :-1]).sum(axis=1).min()))


def column_codes(column: Ordered | AnyArray, spec: ColumnSpec) -> AnyArray:
    """Return the code of every cell: its bin or category, or n_values if it is missing.

    A number between bins belongs to the next one; an unknown category counts as missing. Neither
    occurs in the training table.
    """
    small = np.min_scalar_type(spec.n_values)
    if not isinstance(column, Ordered) or isinstance(spec, NominalColumn):
        codes = np.asarray(column)
        return np.where(codes <= MISSING, spec.n_values, codes).astype(small)
    numbers = numbers_of(column)
    codes = np.minimum(np.searchsorted(spec.high, numbers), max(spec.n_values - 1, 0))
    codes[np.isnan(numbers)] = spec.n_values
    return codes.astype(small)


def _keys(codes: AnyArray, labels: AnyArray, n_codes: int, classes: int) -> AnyArray:
    """Combine code and class in one integer, so that one bincount gives the whole histogram."""
    keys = codes.astype(np.intp) * classes + labels
    return keys.astype(np.min_scalar_type(n_codes * classes))


def _gain(weight: float, left: float) -> float:
    gain = weight - left
    return gain if gain > TIE * weight else 0.0


def _no_sides(histogram: FloatArray) -> FloatArray:
    return np.zeros((0, 2, histogram.shape[1]))


def _pairs(left: FloatArray, right: FloatArray) -> FloatArray:
    return np.stack((left, right), axis=1)


def _interval_sides(histogram: FloatArray) -> FloatArray:
    """Return the cuts between neighbouring bins, with missing cells left, right or alone."""
    present = histogram[:-1][histogram[:-1, -1] > 0]
    if not len(present):
        return _no_sides(histogram)
    below = np.cumsum(present, axis=0)
    total, left = below[-1:], below[:-1]
    missing = histogram[-1:]
    if missing[0, -1] == 0:
        return _pairs(left, total - left)
    with_left = _pairs(left + missing, total - left)
    with_right = _pairs(left, total - left + missing)
    return np.concatenate((with_left, with_right, _pairs(total, missing)))


def _value_sides(histogram: FloatArray) -> FloatArray:
    """Return the splits with one child per category that are binary."""
    present = histogram[histogram[:, -1] > 0]
    if len(present) == 2:
        return present[np.newaxis]
    if len(present) == 3 and histogram[-1, -1] > 0:
        a, b, missing = present
        return np.array([[a + missing, b], [a, b + missing]])
    return _no_sides(histogram)


def _group_sides(histogram: FloatArray) -> FloatArray | None:
    """Return the groupings of the categories into two groups; None if they are too many.

    Missing cells count as one more category. With two classes, the groups are contiguous in the
    order of class shares, which includes the best grouping unless a limit excludes it. With more
    classes, all groupings are tried.
    """
    present = histogram[histogram[:, -1] > 0]
    if len(present) < 2:
        return _no_sides(histogram)
    total = present.sum(axis=0, keepdims=True)
    classes = np.flatnonzero(total[0, :-1])
    if len(classes) <= 2:
        left = np.cumsum(present[_by_share(present, int(classes[-1]))], axis=0)[:-1]
        return _pairs(left, total - left)
    if len(present) > _EXHAUSTIVE:
        return None
    subsets = np.arange(1, 2 ** (len(present) - 1))  # the last category stays on the right
    inside = (subsets[:, np.newaxis] >> np.arange(len(present))) & 1
    left = inside @ present
    return _pairs(left, total - left)


def _mean_sides(histogram: FloatArray) -> FloatArray:
    """Return the groupings of the categories into two groups for a numeric target.

    The best one is contiguous in the order of means, unless a limit excludes it. Then the order of
    categories with the same mean matters: as in the grower, the largest mean comes first.
    """
    present = histogram[histogram[:, -1] > 0]
    if len(present) < 2:
        return _no_sides(histogram)
    total = present.sum(axis=0, keepdims=True)
    mean = present[:, 1] / present[:, 0]
    largest = float(np.abs(mean).max()) or 1.0
    left = np.cumsum(present[_in_order(-mean / largest)], axis=0)[:-1]
    return _pairs(left, total - left)


def _by_share(present: FloatArray, of_class: int) -> AnyArray:
    """Sort categories by the share of a class; those tied keep their order."""
    return _in_order(present[:, of_class] / present[:, :-1].sum(axis=1))


def _in_order(score: FloatArray) -> AnyArray:
    """Return the positions of scores of the order of 1, ascending; those tied keep their order."""
    order = np.argsort(score, kind="stable")
    ascending = score[order]
    first = 0
    while first < len(order):
        last = int(np.searchsorted(ascending, ascending[first] + TIE, side="right"))
        order[first:last].sort()
        first = last
    return order
