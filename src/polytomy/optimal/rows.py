"""The distinct rows of a table: what a search for the best tree works on."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from polytomy._types import AnyArray, ByteArray, IntArray, LabelArray, RowArray
from polytomy.encode import Coded, Target


@dataclass(frozen=True, slots=True, eq=False)
class DistinctRows:
    """Rows with different codes, and what their classes cost beyond the unavoidable.

    Rows with equal codes end in one leaf of any tree, so they are one row here. Its leaf's class
    leaves some of its weight uncovered; what the best class leaves uncovered is counted in
    ``unavoidable``, once for all trees. A weight that all classes of a row have in common makes no
    difference either. What remains costs nothing under the best class of the row; rows of which
    nothing remains are dropped.

    Parameters
    ----------
    codes : uint32 array of shape (columns, rows)
        The codes of each distinct row, in the columns that splits may use.
    n_codes : uint32 array
        The number of codes of each column.
    is_nominal, has_missing : uint8 array
        Whether the codes of each column are categories, and whether its last code stands for
        missing cells.
    start : int64 array
        The entries of row i are those from ``start[i]`` up to ``start[i + 1]``.
    labels : uint16 array
        The class of each entry.
    weights : int64 array
        The weight of each entry, in units of the target.
    n_classes : int
        The number of classes.
    unavoidable : int
        The cost that no tree can avoid.
    """

    codes: RowArray
    n_codes: RowArray
    is_nominal: ByteArray
    has_missing: ByteArray
    start: IntArray
    labels: LabelArray
    weights: IntArray
    n_classes: int
    unavoidable: int

    @classmethod
    def of(cls, coded: Coded, target: Target, kinds: tuple[str, ...]) -> Self:
        """Return the distinct rows of a table.

        Parameters
        ----------
        coded : Coded
            The rows.
        target : Target
            Their classes and weights. Further layers are ignored.
        kinds : tuple of str
            The kinds of columns that splits may use: ``"ordered"``, ``"nominal"``.

        Returns
        -------
        DistinctRows
            The rows.

        Examples
        --------
        >>> from polytomy.encode import encode
        >>> from polytomy.table import Table
        >>> coded = encode(Table.of({"x": np.array([1.0, 1.0, 2.0, 1.0])}))
        >>> rows = DistinctRows.of(coded, Target.of([0, 1, 1, 0]), ("ordered",))
        >>> rows.codes.tolist(), rows.labels.tolist(), rows.weights.tolist(), rows.unavoidable
        ([[0, 1]], [0, 1], [1, 1], 1)
        """
        schema = coded.schema
        used = [
            j
            for j, spec in enumerate(schema)
            if spec.kind in kinds and spec.n_values + spec.has_missing > 1
        ]
        codes = np.empty((len(used), coded.n_rows), dtype=np.uint32)
        for i, j in enumerate(used):
            codes[i] = coded.columns[j]
        first, group = _group(codes)
        start, labels, weights = _class_weights(group, len(first), target)
        most = np.maximum.reduceat(weights, start[:-1])
        unavoidable = int(weights.sum() - most.sum())
        common = np.minimum.reduceat(weights, start[:-1])
        common[np.diff(start) < target.n_classes] = 0  # a class that is not there has weight 0
        start, labels, weights, kept = _without(start, labels, weights, common)
        return cls(
            np.ascontiguousarray(codes[:, first[kept]]),
            np.array([schema.n_codes()[j] for j in used], dtype=np.uint32),
            np.array([schema[j].kind == "nominal" for j in used], dtype=np.uint8),
            np.array([schema[j].has_missing for j in used], dtype=np.uint8),
            start,
            labels,
            weights,
            target.n_classes,
            unavoidable,
        )

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.start) - 1


def _group(codes: RowArray) -> tuple[IntArray, IntArray]:
    """Return the first row of each group of equal rows, and the group of every row."""
    n_rows = codes.shape[1]
    if not len(codes):
        return np.zeros(1, dtype=np.int64), np.zeros(n_rows, dtype=np.int64)
    order = np.lexsort(codes[::-1])
    is_new = np.ones(n_rows, dtype=bool)
    is_new[1:] = False
    for column in codes:
        is_new[1:] |= column[order[1:]] != column[order[:-1]]
    group = np.empty(n_rows, dtype=np.int64)
    group[order] = np.cumsum(is_new) - 1
    return order[is_new], group


def _class_weights(
    group: IntArray, n_groups: int, target: Target
) -> tuple[IntArray, LabelArray, IntArray]:
    """Return the weight of each class in each group: starts of the groups, classes and weights."""
    cells, cell = np.unique(group * target.n_classes + target.labels, return_inverse=True)
    weights = np.zeros(len(cells), dtype=np.int64)
    np.add.at(weights, cell, 1 if target.units is None else target.units)
    of_group, labels = np.divmod(cells, target.n_classes)
    start = np.searchsorted(of_group, np.arange(n_groups + 1))
    return start.astype(np.int64), labels.astype(np.uint16), weights


def _without(
    start: IntArray, labels: LabelArray, weights: IntArray, common: IntArray
) -> tuple[IntArray, LabelArray, IntArray, AnyArray]:
    """Subtract a weight from all entries of each group, and drop what has no weight left.

    Return the starts, classes and weights that remain, and whether each group does.
    """
    group = np.repeat(np.arange(len(common)), np.diff(start))
    left = weights - common[group]
    held = left > 0
    sizes = np.bincount(group[held], minlength=len(common))
    kept = sizes > 0
    new_start = np.concatenate(([0], np.cumsum(sizes[kept]))).astype(np.int64)
    return new_start, labels[held], left[held], kept
