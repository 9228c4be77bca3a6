"""The bags of a forest: which rows each tree is grown on.

Weights are case counts: a row of weight 3 is three cases, each of which is drawn on its own. Cases
are numbered in an order that depends on the cells and the target of their rows alone. So neither
the order of the rows, nor whether equal rows are repeated or have a weight, can change a forest.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polytomy._errors import ParameterError
from polytomy._types import AnyArray, IntArray, RowArray
from polytomy.encode import Coded, Target

from .params import ForestParams, amount_of

_MOST_CASES = 1 << 22  # beyond, weights are no longer read as that many cases to draw
_MOST_HALVED = 1 << 15  # the same if cases of a row may be on both sides, which takes longer
_LARGEST_WEIGHT = float(1 << 20)  # of a row, if all are equal, beyond which it is one case
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, slots=True, eq=False)
class Bag:
    """The rows of one tree, and the seed of its draws of columns.

    Parameters
    ----------
    target : Target
        The target of all rows, with their weights in this bag; those of other rows mean nothing.
    rows : uint32 array or None
        The rows in the bag; None if it has all of them.
    seed : int
        The seed of the tree's draws of columns.
    """

    target: Target
    rows: RowArray | None
    seed: int

    @property
    def outside(self) -> NDArray[np.bool_] | None:
        """Whether each row is out of bag; None if none is."""
        if self.rows is None:
            return None
        out = np.ones(self.target.n_rows, dtype=bool)
        out[self.rows] = False
        return out


class RowSampler:
    """Draws the bag of each tree.

    Parameters
    ----------
    coded : Coded
        The codes of the rows.
    target : Target
        Their target and weights.
    params : ForestParams
        Whether and how many rows are drawn.
    seed : int
        The random seed of the forest.
    by_case : bool, default=False
        Whether the weight outside a bag is wanted, by case. Then fewer cases are counted.

    Examples
    --------
    >>> from polytomy.encode import encode
    >>> from polytomy.table import Table
    >>> coded = encode(Table.of({"x": np.arange(6.0)}))
    >>> sampler = RowSampler(coded, Target.of([0, 0, 1, 1, 0, 0]), ForestParams(), seed=0)
    >>> bag = sampler.bag(0)
    >>> int(bag.target.units.sum()), np.array_equal(bag.target.units > 0, ~bag.outside)
    (6, True)
    """

    def __init__(
        self,
        coded: Coded,
        target: Target,
        params: ForestParams,
        seed: int,
        *,
        by_case: bool = False,
    ) -> None:
        self._target, self._seed, self._replace = target, seed, params.bootstrap
        self._draws_rows = params.bootstrap or params.max_samples is not None
        if not self._draws_rows:
            return
        self._units, self._unit = _case_units_of(target)
        keys = row_keys(coded, target)
        # Equal rows may have weights that are no counts: these decide, not the order of the rows.
        tied = (keys,) if self._units is None else (self._units, keys)
        self._order = np.lexsort(tied)
        most = _MOST_HALVED if by_case else _MOST_CASES
        # The row of each case; None if rows are drawn in proportion to their weights instead.
        self._row_of_case: IntArray | None = None
        if self._units is None:
            self._row_of_case = self._order
        elif self._unit == 1.0 and int(self._units.sum()) <= max(most, target.n_rows):
            self._row_of_case = np.repeat(self._order, self._units[self._order])
        else:
            self._ends = np.cumsum(self._units[self._order])
        self._n_cases = target.n_rows if self._row_of_case is None else len(self._row_of_case)
        self._n_drawn = self._checked_amount(params.max_samples)
        self._single = target.single_cases(self._n_drawn)

    def _checked_amount(self, amount: Any) -> int:
        n_cases = self._n_cases
        drawn = n_cases if amount is None else amount_of(amount, n_cases)
        if drawn > n_cases:
            raise ParameterError(
                f"max_samples={amount!r} is more than the {n_cases:,} rows of positive weight"
            )
        return drawn

    def bag(self, tree: int) -> Bag:
        """Return the bag of a tree, which depends on the seed and the number of the tree only.

        Parameters
        ----------
        tree : int
            The number of the tree, from 0.

        Returns
        -------
        Bag
            The rows and the seed of the tree.
        """
        random = np.random.default_rng([tree, self._seed])
        seed = int(random.integers(0, 2**63))
        if not self._draws_rows:
            return Bag(self._target, None, seed)
        if self._row_of_case is None and not self._replace:  # rows come with all their weight
            drawn = self._order[random.permutation(self._target.n_rows)[: self._n_drawn]]
            return Bag(self._target, np.sort(drawn).astype(np.uint32), seed)
        cases, unit = self._draw(random)
        rows = np.flatnonzero(cases).astype(np.uint32)
        return Bag(self._single.repeated(cases, unit), rows, seed)

    def weight_outside(self, bag: Bag) -> AnyArray | None:
        """Return how much of each row is out of a bag that was drawn without replacement.

        Parameters
        ----------
        bag : Bag
            The bag.

        Returns
        -------
        array or None
            The weight that is not in the bag, as an integer; as a bool if all weights are equal.
            None if every row is in the bag.

        Examples
        --------
        >>> from polytomy.encode import encode
        >>> from polytomy.table import Table
        >>> coded = encode(Table.of({"x": np.arange(3.0)}))
        >>> target = Target.of([0, 0, 1], weights=[1, 2, 5])
        >>> params = ForestParams(bootstrap=False, max_samples=0.5)
        >>> sampler = RowSampler(coded, target, params, seed=0)
        >>> int(sampler.weight_outside(sampler.bag(0)).sum())
        4
        """
        if self._replace:
            raise ParameterError("a bag that is drawn with replacement has no weight outside")
        outside = bag.outside
        if outside is None or bag.rows is None or self._units is None:
            return outside
        if self._row_of_case is None:  # rows come with all their weight
            return np.where(outside, self._units, 0)
        drawn = bag.target.case_units[0]
        assert drawn is not None
        left = self._units.copy()
        left[bag.rows] -= drawn[bag.rows]
        return left

    def _draw(self, random: np.random.Generator) -> tuple[IntArray, float]:
        """Return the number of cases of each row in a bag, and the weight of a case."""
        n_rows, n_drawn = self._target.n_rows, self._n_drawn
        if self._row_of_case is not None:
            cases, n_cases = self._row_of_case, self._n_cases
            drawn = (
                random.integers(0, n_cases, n_drawn)
                if self._replace
                else random.permutation(n_cases)[:n_drawn]
            )
            return np.bincount(cases[drawn], minlength=n_rows), self._unit
        total = int(self._ends[-1])
        places = np.searchsorted(self._ends, random.integers(0, total, n_drawn), side="right")
        counts = np.bincount(self._order[places], minlength=n_rows)
        return counts, total * self._unit / n_drawn


def _case_units_of(target: Target) -> tuple[IntArray | None, float]:
    """Return integer weights and their unit; None if every row is one case.

    That is so, too, if all weights are equal and too large to count cases.
    """
    units, unit = target.case_units
    if units is None and 1.0 < unit <= _LARGEST_WEIGHT and unit.is_integer():
        return np.full(target.n_rows, int(unit), dtype=np.int64), 1.0
    return units, unit


def row_keys(coded: Coded, target: Target) -> NDArray[np.uint64]:
    """Return a hash of the codes and the target of each row; equal rows have equal keys.

    Parameters
    ----------
    coded : Coded
        The codes.
    target : Target
        The target.

    Returns
    -------
    uint64 array
        The keys.
    """
    key = target.keys
    for column in coded.columns:
        key *= _MULTIPLIER
        key ^= key >> np.uint64(32)
        key ^= column
    key *= _MULTIPLIER
    key ^= key >> np.uint64(32)
    return key
