"""The bins of one column: what they contain, and the bin of each cell."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from polytomy._types import MISSING, AnyArray, BranchArray, FloatArray, IntArray
from polytomy.encode import ColumnSpec, missing_cells
from polytomy.table import Column, Ordered, Ranks

from .special import SpecialValues

NO_BIN = -1
"""The bin of a cell unlike all training cells."""


@dataclass(frozen=True, slots=True, eq=False)
class ColumnBins:
    """The bins of one column: ranges or groups in order, then special values, then missing cells.

    Parameters
    ----------
    spec : ColumnSpec
        The column.
    labels : tuple of str
        The bins in words.
    thresholds : float64 array
        Bin b of an ordered column holds ``thresholds[b - 1] < x <= thresholds[b]``.
    bin_of_category : int64 array
        The bin of each category of a nominal column.
    other_bin : int
        The bin of rare and new categories; NO_BIN if no category was rare.
    missing_bin : int
        The bin of missing cells; NO_BIN if there were none.
    special : tuple of (value, int)
        The special values and their bins.
    components : float64 array of shape (n_bins, n_components)
        The weights of the classes in each bin, or the components of a numeric target.
    rows : int64 array
        The number of rows of each bin.
    n_regular : int
        The number of ranges or groups.
    trend : str
        How rates go along these bins: ``"ascending"``, ``"descending"``, ``"peak"``, ``"valley"``,
        ``"any"`` or ``""`` for a single bin.
    """

    spec: ColumnSpec
    labels: tuple[str, ...]
    thresholds: FloatArray
    bin_of_category: IntArray
    other_bin: int
    missing_bin: int
    special: tuple[tuple[Any, int], ...]
    components: FloatArray
    rows: IntArray
    n_regular: int
    trend: str

    @property
    def name(self) -> str:
        """The name of the column."""
        return self.spec.name

    @property
    def shares(self) -> FloatArray:
        """The share of each bin in the weight of all rows."""
        weight = self.components.sum(axis=1)
        return np.asarray(weight / weight.sum())

    def bins(self, raw: Column, cells: Ordered | BranchArray) -> IntArray:
        """Return the bin of each cell, NO_BIN if it has none.

        Parameters
        ----------
        raw : Column
            The cells as the user passes them, for special values.
        cells : Ordered or int32 array
            The same cells on the scale of the training table, as ``encode.aligned`` returns them.
        """
        if isinstance(cells, Ordered):
            found = np.searchsorted(self.thresholds, cells.values.astype(np.float64))
            found[_unusable(cells)] = self.missing_bin
        else:
            # MISSING is -1 and UNKNOWN -2: the last entries.
            places = np.append(self.bin_of_category, [self.other_bin, self.missing_bin])
            assert MISSING == -1
            found = places[cells]
        values = SpecialValues(tuple(value for value, _ in self.special))
        numbers = dict(self.special)
        for value, rows in values.cells(raw):
            found[rows] = numbers[value]
        return found


def _unusable(cells: Ordered) -> AnyArray:
    """Return which cells are missing or have labels that are not known."""
    if isinstance(cells.scale, Ranks) and cells.values.dtype == np.int32:
        return np.asarray(cells.values < 0)
    return missing_cells(cells)
