"""Synthetic rows: copies of real rows in which some cells come from other rows.

Cells are exchanged within columns, so every cell is a real one, and bins come from real rows only.
"""

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from polytomy._types import AnyArray, IntArray
from polytomy.encode import Coded
from polytomy.table import Table, native_cells

SWAPPED = 0.2
"""The share of the cells that come from other rows."""
_EXPECTED = 10.0  # real rows that would have a pair of categories if columns were independent
_PAIRS = 1 << 20  # pairs of categories of two columns, beyond which they are not compared
_TRIES = 4


@dataclass(frozen=True, slots=True, eq=False)
class Mixture:
    """Synthetic rows, as the real row that each cell comes from.

    Parameters
    ----------
    source : int array of shape (n_columns, n_rows)
        The real row of each cell.
    """

    source: IntArray

    @property
    def n_rows(self) -> int:
        """The number of synthetic rows."""
        return int(self.source.shape[1])

    def of_codes(self, coded: Coded) -> Coded:
        """Return the codes of the synthetic rows, given those of the real rows."""
        columns = tuple(c[rows] for c, rows in zip(coded.columns, self.source, strict=True))
        return Coded(coded.schema, columns, self.n_rows)

    def of_table(self, table: Table) -> Table:
        """Return the raw cells of the synthetic rows, given those of the real rows."""
        mixed: Table = native_cells(table, self.source)
        return mixed


def mix_rows(coded: Coded, n_rows: int, seed: int, weights: AnyArray | None = None) -> Mixture:
    """Draw synthetic rows.

    A row is a copy of a real one, in which each cell is replaced with a probability of 0.2 by that
    of another row. Rows with a pair of categories that no real row has, though ten or more would
    have it if the two columns were independent, are drawn again, and after some attempts left as
    they were copied.

    Parameters
    ----------
    coded : Coded
        The codes of the real rows.
    n_rows : int
        The number of synthetic rows.
    seed : int
        The random seed.
    weights : array or None, default=None
        The weights of the real rows, by which they are drawn; None if all are equal.

    Returns
    -------
    Mixture
        The rows.

    Examples
    --------
    >>> from polytomy.encode import encode
    >>> coded = encode(Table.of({"x": np.arange(5.0), "y": np.arange(5.0)}))
    >>> mix_rows(coded, 3, seed=0).source.shape
    (2, 3)
    """
    random = np.random.default_rng(seed)
    ends = None if weights is None else np.cumsum(np.asarray(weights, dtype=np.float64))

    def draw(size: int) -> IntArray:
        if ends is None:
            return random.integers(0, coded.n_rows, size)
        places = np.searchsorted(ends, random.random(size) * ends[-1], side="right")
        return np.asarray(np.minimum(places, coded.n_rows - 1))

    copied = draw(n_rows)
    source = np.tile(copied, (len(coded.columns), 1))
    pairs = _impossible_pairs(coded)
    wrong = np.arange(n_rows)
    for _ in range(_TRIES):
        for rows in source:
            rows[wrong] = copied[wrong]
            swapped = wrong[random.random(len(wrong)) < SWAPPED]
            rows[swapped] = draw(len(swapped))
        wrong = wrong[_has_any(coded, source[:, wrong], pairs)]
        if not len(wrong):
            break
    source[:, wrong] = copied[wrong]
    return Mixture(source)


Pair = tuple[int, int, AnyArray]
"""Two columns, and a matrix of the pairs of their codes: True for those that are impossible."""


def _impossible_pairs(coded: Coded) -> list[Pair]:
    """Return the pairs of categories that no row has, though several should."""
    sizes = coded.schema.n_codes()
    found = []
    for a, b in combinations(coded.schema.of_kind("nominal"), 2):
        n_pairs = sizes[a] * sizes[b]
        if n_pairs > _PAIRS:
            continue
        joint = coded.columns[a].astype(np.int64) * sizes[b] + coded.columns[b]
        seen = np.bincount(joint, minlength=n_pairs).reshape(sizes[a], sizes[b])
        expected = np.outer(seen.sum(axis=1), seen.sum(axis=0)) / coded.n_rows
        impossible = (seen == 0) & (expected >= _EXPECTED)
        if impossible.any():
            found.append((a, b, impossible))
    return found


def _has_any(coded: Coded, source: IntArray, pairs: list[Pair]) -> AnyArray:
    """Return whether each synthetic row has an impossible pair."""
    found = np.zeros(source.shape[1], dtype=bool)
    for a, b, impossible in pairs:
        found |= impossible[coded.columns[a][source[a]], coded.columns[b][source[b]]]
    return found
