"""The best binary gain of a node, found again in plain NumPy from the rows it holds.

Every binary option of a built-in family is listed as the two sides' count vectors, and the index of
all sides is taken at once. Counts are in units, whole numbers, with a node's rows as one more
column, so that a limit on rows or weight is a comparison.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from polytomy._types import MISSING, TIE, AnyArray, FloatArray
from polytomy.encode import ColumnSpec, NominalColumn, OrderedColumn, Schema
from polytomy.index import Index
from polytomy.table import Ordered

from .recount import Recount, Sample, numbers_of
from .run import Rules

_EXHAUSTIVE = 8  # categories up to which all groupings are looked at, with three or more classes


@dataclass(frozen=True, slots=True)
class Range:
    """Between what the best binary gain lies; None where no binary option is known, or possible."""

    lower: float | None
    upper: float | None

    @property
    def exact(self) -> bool:
        """Whether there is only one such number."""
        return self.lower == self.upper


class Histograms:
    """What every code of every column holds at any node: units by class, and rows, the last."""

    def __init__(
        self, schema: Schema, sample: Sample, held: Recount, codes: Sequence[AnyArray]
    ) -> None:
        self._classes, self._held = sample.n_classes, held
        self._units = None if sample.units is None else sample.units[held.order]
        self._n_codes = [spec.n_values + 1 for spec in schema]  # the last is a missing cell's
        labels = sample.labels[held.order]
        self._keys = [
            _keys(of_row[held.order], labels, n, self._classes)
            for of_row, n in zip(codes, self._n_codes, strict=True)
        ]

    def of(self, node: int, column: int) -> FloatArray:
        """Return the histogram of a column at a node, of shape (codes, classes + 1)."""
        span = slice(self._held.start[node], self._held.stop[node])
        keys, shape = self._keys[column][span], (self._n_codes[column], self._classes)
        size = shape[0] * shape[1]
        rows = np.bincount(keys, minlength=size).reshape(shape)
        counts: AnyArray = rows
        if self._units is not None:
            counts = np.bincount(keys, self._units[span], size).reshape(shape)
        return np.column_stack((counts, rows.sum(axis=1))).astype(np.float64)


class BinarySearch:
    """Finds the best binary gain of any node, within the run's rules."""

    def __init__(
        self, schema: Schema, sample: Sample, histograms: Histograms, rules: Rules
    ) -> None:
        self._histograms = histograms
        self._schema, self._rules, self._unit = schema, rules, sample.unit
        total = sample.n_rows if sample.units is None else sample.units.sum()
        # A child must reach the limit up to the tie tolerance, as the grower has it.
        self._lightest = float(rules.min_weight_fraction_leaf) * float(total) * (1 - TIE)

    def best(self, node: int, index: Index) -> Range:
        """Return the best binary gain of a node, or bounds on it."""
        listed: list[FloatArray] = []
        finest: list[FloatArray] = []  # per column without a full list: its codes, each alone
        whole = np.zeros(0)
        for j, spec in enumerate(self._schema):
            histogram = self._histograms.of(node, j)
            whole = histogram.sum(axis=0)
            sides = self._sides(spec, histogram)
            if sides is None:
                finest.append(histogram[histogram[:, -1] > 0, :-1])
            else:
                listed.append(sides)
        if not whole.any():  # no row came here, so there is nothing to ask
            return Range(None, None)
        weight = float(index.value(whole[:-1]))
        lower = self._best_listed(listed, index, weight)
        upper = -1.0 if lower is None else lower
        for codes in finest:
            upper = max(upper, _gain(weight, float(index.value(codes).sum())))
        if self._rules.own_families:  # at best, a question that leaves nothing
            upper = max(upper, weight)
        return Range(*(None if g is None or g < 0 else g * self._unit for g in (lower, upper)))

    def _sides(self, spec: ColumnSpec, histogram: FloatArray) -> FloatArray | None:
        """List a column's binary options as (option, side, counts); None where that cannot be."""
        families = self._rules.families
        if isinstance(spec, OrderedColumn):
            return _interval_sides(histogram) if "intervals" in families else _nothing(histogram)
        sides = _value_sides(histogram) if "values" in families else _nothing(histogram)
        if "groups" not in families:
            return sides
        grouped = _group_sides(histogram)
        return None if grouped is None else np.concatenate((sides, grouped))

    def _best_listed(self, listed: list[FloatArray], index: Index, weight: float) -> float | None:
        sides = np.concatenate(listed) if listed else np.zeros((0, 2, 1))
        enough = sides[..., -1] >= self._rules.min_samples_leaf
        enough &= sides[..., :-1].sum(axis=-1) >= self._lightest
        sides = sides[enough.all(axis=1)]
        if not len(sides):
            return None
        return _gain(weight, float(index.value(sides[..., :-1]).sum(axis=1).min()))


def codes_of(column: Ordered | AnyArray, spec: ColumnSpec) -> AnyArray:
    """Return the code of every cell: its bin or category, and the one after the last if missing.

    A number outside every bin goes to the next; an unknown category counts as missing. Neither is
    in the sample a schema was made of.
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
    """Join code and class in one small number, so that one count gives the whole histogram."""
    keys = codes.astype(np.intp) * classes + labels
    return keys.astype(np.min_scalar_type(n_codes * classes))


def _gain(weight: float, left: float) -> float:
    gain = weight - left
    return gain if gain > TIE * weight else 0.0


def _nothing(histogram: FloatArray) -> FloatArray:
    return np.zeros((0, 2, histogram.shape[1]))


def _pairs(left: FloatArray, right: FloatArray) -> FloatArray:
    return np.stack((left, right), axis=1)


def _interval_sides(histogram: FloatArray) -> FloatArray:
    """Cut between neighbouring bins the node holds; missing cells left, right, or alone."""
    held = histogram[:-1][histogram[:-1, -1] > 0]
    if not len(held):
        return _nothing(histogram)
    below = np.cumsum(held, axis=0)
    total, left = below[-1:], below[:-1]
    missing = histogram[-1:]
    if missing[0, -1] == 0:
        return _pairs(left, total - left)
    with_left = _pairs(left + missing, total - left)
    with_right = _pairs(left, total - left + missing)
    return np.concatenate((with_left, with_right, _pairs(total, missing)))


def _value_sides(histogram: FloatArray) -> FloatArray:
    """List one child a category, where that makes two: missing cells alone, or with either."""
    held = histogram[histogram[:, -1] > 0]
    if len(held) == 2:
        return held[np.newaxis]
    if len(held) == 3 and histogram[-1, -1] > 0:
        a, b, missing = held
        return np.array([[a + missing, b], [a, b + missing]])
    return _nothing(histogram)


def _group_sides(histogram: FloatArray) -> FloatArray | None:
    """Put categories, missing cells as one more, into two groups; None if they are too many.

    With two classes, the groups are runs in the order of the class share, of which the best is the
    best of all groupings where no limit forbids it; with more, all groupings are looked at.
    """
    held = histogram[histogram[:, -1] > 0]
    if len(held) < 2:
        return _nothing(histogram)
    total = held.sum(axis=0, keepdims=True)
    classes = np.flatnonzero(total[0, :-1])
    if len(classes) <= 2:
        left = np.cumsum(held[_by_share(held, int(classes[-1]))], axis=0)[:-1]
        return _pairs(left, total - left)
    if len(held) > _EXHAUSTIVE:
        return None
    subsets = np.arange(1, 2 ** (len(held) - 1))  # the last category stays on the right
    inside = (subsets[:, np.newaxis] >> np.arange(len(held))) & 1
    left = inside @ held
    return _pairs(left, total - left)


def _by_share(held: FloatArray, of_class: int) -> AnyArray:
    """Order categories by the share of a class; those within the tie tolerance, as they stand."""
    share = held[:, of_class] / held[:, :-1].sum(axis=1)
    order = np.argsort(share, kind="stable")
    ascending = share[order]
    first = 0
    while first < len(order):
        last = int(np.searchsorted(ascending, ascending[first] + TIE, side="right"))
        order[first:last].sort()
        first = last
    return order
