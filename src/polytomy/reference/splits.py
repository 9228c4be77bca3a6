"""Splits: all ways to divide the rows of a node by one column.

A split gives a **branch** (0, 1, ..., k - 1) to each distinct value that the node's rows have in
the column; k is its **arity**. The values are listed in ascending order, missing last, so a split
is a tuple of branches, one for each value listed. Three **families** (the papers' H) define which
tuples are allowed:

    intervals   numbers: k consecutive ranges
    values      categories: one branch for each (ID3)
    groups      categories: any k groups

Missing is a value: it can join any branch or have one of its own. The **menu** of a node is its
best split of each arity, over all columns and families.

Every function here enumerates. The order in which splits are listed is the order in which ties
are decided: lower column, then family as given, then lower cuts, then missing in a lower branch.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise
from math import isnan, log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .index import TIE, Index, first_largest, gain

Branches = tuple[int, ...]
FAMILIES = ("intervals", "values", "groups")
"""The families by name."""
MOST_CATEGORIES = 8
"""The largest number of categories for which all groupings are enumerated."""


@dataclass(frozen=True)
class Column:
    """One column of the sample.

    A column of numbers is ordered. All others have categories.

    Attributes
    ----------
    name : str
        The name.
    cells : tuple
        The cell of each row; None for missing.
    """

    name: str
    cells: tuple[Any, ...]

    @classmethod
    def of(cls, name: str, cells: Any) -> "Column":
        """Return a column from any sequence of cells.

        Parameters
        ----------
        name : str
            The name.
        cells : sequence
            The cell of each row; None or NaN for missing.

        Returns
        -------
        Column
            The column.

        Examples
        --------
        >>> Column.of("x", np.array([1.5, np.nan])).cells
        (1.5, None)
        """
        return cls(name, tuple(map(none_if_nan, np.asarray(cells, dtype=object).tolist())))

    @cached_property
    def ordered(self) -> bool:
        """Whether the cells are numbers; a column without any known cell counts as numbers."""
        return not any(isinstance(c, str | bool) for c in self.cells)

    @cached_property
    def values(self) -> list[Any]:
        """The distinct cells of the sample in ascending order, missing left out."""
        return sorted({c for c in self.cells if c is not None})


def none_if_nan(cell: Any) -> Any:
    """Return a cell with None for NaN.

    >>> none_if_nan(float("nan")), none_if_nan("a"), none_if_nan(None)
    (None, 'a', None)
    """
    return None if isinstance(cell, float) and isnan(cell) else cell


@dataclass(frozen=True)
class Histogram:
    """The counts of each value that a node's rows have in one column.

    Attributes
    ----------
    values : list
        The distinct values in ascending order; None at the end if a cell is missing.
    counts : ndarray of shape (values, classes)
        The count vector of each value.
    rows : ndarray of int
        The number of rows with each value.
    """

    values: list[Any]
    counts: NDArray[Any]
    rows: NDArray[np.int64]

    @property
    def has_missing(self) -> bool:
        """Whether a cell is missing."""
        return bool(self.values) and self.values[-1] is None

    @property
    def n_known(self) -> int:
        """The number of values that are not missing."""
        return len(self.values) - self.has_missing


def histogram(column: Column, rows: Sequence[int], counts: NDArray[Any]) -> Histogram:
    """Return the counts of each value that a node's rows have in one column.

    Parameters
    ----------
    column : Column
        The column.
    rows : sequence of int
        The rows of the node.
    counts : ndarray of shape (sample, classes)
        The count vector of each row of the sample: its weight at the place of its class.

    Returns
    -------
    Histogram
        The counts.

    Examples
    --------
    >>> counts = np.array([[1, 0], [0, 1], [0, 1], [1, 0]])
    >>> hist = histogram(Column("x", (7, 5, None, 7)), [0, 1, 2, 3], counts)
    >>> hist.values, hist.counts.tolist()
    ([5, 7, None], [[0, 1], [2, 0], [0, 1]])
    """
    cells = [column.cells[r] for r in rows]
    present = [v for v in column.values if v in cells] + [None] * (None in cells)
    having = [[r for r, cell in zip(rows, cells, strict=True) if cell == v] for v in present]
    return Histogram(
        present,
        np.array([counts[r].sum(axis=0) for r in having]),
        np.array([len(r) for r in having]),
    )


# ---- families: the tuples of branches that a column allows ------------------------------------


def intervals(hist: Histogram, max_arity: int) -> Iterator[Branches]:
    """Yield every division of the values into 2 to ``max_arity`` consecutive ranges.

    ``ends`` are the places of the first values of the second, third, ... range. If cells are
    missing, they join each of the ranges in turn; an end behind the last value leaves the last
    range to them alone.

    Source: section 1 of Mansour and McAllester (1999): k = 2 is C4.5's threshold test.

    >>> hist = Histogram([5, 7, 8], np.ones((3, 2)), np.ones(3, int))
    >>> list(intervals(hist, 3))
    [(0, 1, 1), (0, 0, 1), (0, 1, 2)]
    >>> hist = Histogram([5, 7, None], np.ones((3, 2)), np.ones(3, int))
    >>> list(intervals(hist, 2))
    [(0, 1, 0), (0, 1, 1), (0, 0, 1)]
    """
    n = hist.n_known
    for k in range(2, max_arity + 1):
        for ends in combinations(range(1, n + hist.has_missing), k - 1):
            known = tuple(sum(place >= end for end in ends) for place in range(n))
            if not hist.has_missing:
                yield known
            elif ends[-1] == n:
                yield (*known, k - 1)
            else:
                yield from ((*known, missing) for missing in range(k))


def values(hist: Histogram, _max_arity: int) -> Iterator[Branches]:
    """Yield one branch for each category; missing cells join each of them in turn, or stay alone.

    Source: ID3's split, as in section 1 of Mansour and McAllester (1999).

    >>> hist = Histogram(["a", "b", None], np.ones((3, 2)), np.ones(3, int))
    >>> list(values(hist, 2))
    [(0, 1, 0), (0, 1, 1), (0, 1, 2)]
    """
    n = hist.n_known
    known = tuple(range(n))
    for one in [(*known, branch) for branch in range(n + 1)] if hist.has_missing else [known]:
        if len(set(one)) >= 2:
            yield one


def groups(hist: Histogram, max_arity: int) -> Iterator[Branches]:
    """Yield divisions of the categories, missing among them, into 2 to ``max_arity`` groups.

    With two classes, some best grouping consists of runs in the order of the share of one class
    (Breiman and others, 1984, theorem 4.5), so only those are listed. With more classes, all
    groupings are. Groups are numbered by their first category.

    >>> hist = Histogram(["a", "b", "c"], np.array([[1, 3], [3, 1], [1, 2]]), np.ones(3, int))
    >>> list(groups(hist, 3))  # by the share of the second class: b, c, a
    [(0, 1, 0), (0, 1, 1), (0, 1, 2)]
    >>> hist = Histogram(["a", "b", "c"], np.eye(3), np.ones(3, int))
    >>> list(groups(hist, 2))
    [(0, 0, 1), (0, 1, 0), (0, 1, 1)]
    """
    present = np.flatnonzero(hist.counts.sum(axis=0))
    if len(present) <= 2:
        order = by_share(hist.counts[:, present[-1]] / hist.counts.sum(axis=1))
        for k in range(2, max_arity + 1):
            for ends in combinations(range(1, len(order)), k - 1):
                run = {item: sum(at >= end for end in ends) for at, item in enumerate(order)}
                yield by_first([run[item] for item in range(len(order))])
        return
    if len(hist.values) > MOST_CATEGORIES:
        raise ValueError(
            f"with more than two classes at most {MOST_CATEGORIES} categories can be grouped in "
            f"every way, and a node has {len(hist.values)}: leave 'groups' out of the families"
        )
    for one in set_partitions(len(hist.values)):
        if 2 <= len(set(one)) <= max_arity:
            yield one


def by_share(share: NDArray[np.float64]) -> list[int]:
    """Return the places of ascending numbers; those within ``TIE`` of the least keep their order.

    >>> by_share(np.array([0.75, 0.25, 0.75 - 1e-16, 0.5]))
    [1, 3, 0, 2]
    """
    order: list[int] = []
    left = list(range(len(share)))
    while left:
        least = min(share[i] for i in left)
        order += [i for i in left if share[i] <= least + TIE]
        left = [i for i in left if i not in order]
    return order


def by_first(blocks: list[int]) -> Branches:
    """Return the blocks renumbered in the order of their first members.

    >>> by_first([2, 0, 2, 1])
    (0, 1, 0, 2)
    """
    names: dict[int, int] = {}
    return tuple(names.setdefault(block, len(names)) for block in blocks)


def set_partitions(n_items: int) -> Iterator[Branches]:
    """Yield every division of a set into groups, in lexicographic order.

    >>> list(set_partitions(3))
    [(0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 1, 1), (0, 1, 2)]
    """
    if n_items == 0:
        yield ()
        return
    for head in set_partitions(n_items - 1):
        for block in range(max(head, default=-1) + 2):
            yield (*head, block)


_ENUMERATORS: dict[str, tuple[bool, Callable[[Histogram, int], Iterator[Branches]]]] = {
    "intervals": (True, intervals),  # for ordered columns
    "values": (False, values),
    "groups": (False, groups),
}


def grouping_charge(n: int, k: int, value: float, cases: float, classes: int) -> float:
    """Return 2 min(k - 1, C - 1) ln((2^(n-1) - 1) / (n - 1)) F / (cases (C - 1)), the charge.

    If the column says nothing about the class, cases (C - 1) gain / F of a split is about a
    chi-square variable, and the largest of M such variables exceeds a single one by about 2 ln M.
    Of n categories, 2^(n-1) - 1 binary groupings can be made, but an ordered column of n values has
    only n - 1 cuts, which are free. Binary groups follow chance in one direction of the class
    shares; k groups follow it in k - 1 directions, as far as there are as many.

    Parameters
    ----------
    n : int
        The number of categories at the node, missing among them; at least 2.
    k : int
        The number of groups.
    value : float
        F of the node.
    cases : float
        The number of cases of the node: its weight, or its rows if the weights are no case counts.
    classes : int
        The number of classes C at the node; at least 2.

    Returns
    -------
    float
        The charge, in units of the gain.

    Examples
    --------
    >>> [round(grouping_charge(n, 2, value=10, cases=20, classes=2), 3) for n in (2, 3, 4, 10)]
    [0.0, 0.405, 0.847, 4.039]
    """
    of_one = 2 * log((2 ** (n - 1) - 1) / (n - 1)) * value / (cases * (classes - 1))
    return of_one * min(k - 1, classes - 1)


# ---- splits and menus --------------------------------------------------------------------------


@dataclass(frozen=True)
class Split:
    """A k-way split of one node by one column: the papers' branching function h.

    Attributes
    ----------
    column : int
        The number of the column, from 0.
    name : str
        The name of the column.
    family : str
        The family of the split.
    hist : Histogram
        The values of the node's rows.
    branches : tuple of int
        The branch of each of ``hist.values``.
    children : ndarray of shape (children, classes)
        The count vector of each child.
    gain : float
        The gain.
    order : tuple of int
        Decides ties between splits of different leaves.
    charge : float
        What the procedure ``priced`` charges for a grouping; 0 otherwise.
    merit : float
        What ``gain-ratio`` compares the splits of a leaf by; 0 otherwise.
    """

    column: int
    name: str
    family: str
    hist: Histogram
    branches: Branches
    children: NDArray[Any]
    gain: float
    order: tuple[int, ...]
    charge: float = 0.0
    merit: float = 0.0

    @property
    def worth(self) -> float:
        """The gain less the charge, by which splits are compared."""
        return self.gain - self.charge

    @property
    def arity(self) -> int:
        """The number of branches k."""
        return len(self.children)

    @property
    def default(self) -> int:
        """The branch for a value that no row of the node had: the first child of largest weight."""
        return first_largest(self.children.sum(axis=1))

    @property
    def thresholds(self) -> list[float]:
        """The cuts of an ``intervals`` split, half-way between neighbouring values present."""
        known = list(zip(self.hist.values, self.branches, strict=True))[: self.hist.n_known]
        return [(a + b) / 2 for (a, left), (b, right) in pairwise(known) if left != right]

    def branch(self, cell: Any) -> int:
        """Return the branch of a cell.

        Parameters
        ----------
        cell : object
            The cell; None for missing.

        Returns
        -------
        int
            The number of the branch, from 0.

        Examples
        --------
        >>> from polytomy.reference import gini
        >>> split = next(splits([Column("x", (1, 2, 4))], [0, 1, 2], np.eye(3), Limits(gini)))
        >>> [split.branch(x) for x in (1, 1.5, 1.6, 9, None)]
        [0, 0, 1, 1, 1]
        """
        if cell in self.hist.values:
            return self.branches[self.hist.values.index(cell)]
        if cell is not None and self.family == "intervals":
            return sum(cell > t for t in self.thresholds)
        return self.default

    def describe(self, branch: int) -> str:
        """Return the condition of a branch in words.

        Parameters
        ----------
        branch : int
            The number of the branch, from 0.

        Returns
        -------
        str
            The condition.

        Examples
        --------
        >>> from polytomy.reference import gini
        >>> columns = [Column("town", ("a", "b", None, "c"))]
        >>> *_, last = splits(columns, [0, 1, 2, 3], np.eye(4), Limits(gini))
        >>> [last.describe(j) for j in range(last.arity)]
        ['town is a', 'town is b', 'town is c', 'town is missing']
        """
        pairs = zip(self.hist.values, self.branches, strict=True)
        values_here = [v for v, b in pairs if b == branch]
        known = [v for v in values_here if v is not None]
        words = ["missing"] if None in values_here else []
        if known and self.family == "intervals":
            edges = [None, *self.thresholds, None]
            low, high = edges[branch : branch + 2]
            below = "" if low is None else f"{low:g} < "
            above = "" if high is None else f" <= {high:g}"
            return " or ".join([f"{below}{self.name}{above}", *words])
        return f"{self.name} is {' or '.join([*map(str, known), *words])}"


@dataclass(frozen=True)
class Limits:
    """The limits on the splits of a node.

    Parameters
    ----------
    index : callable
        The index function F.
    families : tuple of str, default=("intervals", "values", "groups")
        The families of splits.
    max_arity : int, default=8
        The most branches of intervals and groups.
    min_rows : int, default=1
        The fewest rows of a child.
    min_weight : float, default=0.0
        The smallest weight of a child.
    cases_per_weight : float or None, default=None
        The cases that a unit of weight stands for, if groupings of categories are charged.
    """

    index: Index
    families: tuple[str, ...] = FAMILIES
    max_arity: int = 8
    min_rows: int = 1
    min_weight: float = 0.0
    cases_per_weight: float | None = None


def splits(
    columns: Sequence[Column], rows: Sequence[int], counts: NDArray[Any], limits: Limits
) -> Iterator[Split]:
    """Yield every split of a node's rows within the limits, in the order in which ties are decided.

    Parameters
    ----------
    columns : sequence of Column
        The columns of the sample.
    rows : sequence of int
        The rows of the node.
    counts : ndarray of shape (sample, classes)
        The count vector of each row of the sample: its weight at the place of its class.
    limits : Limits
        The limits.

    Yields
    ------
    Split
        The next split.

    Examples
    --------
    >>> from polytomy.reference import gini
    >>> columns = [Column("x", (1, 2, 3)), Column("town", ("a", "b", "b"))]
    >>> counts = np.array([[1, 0], [0, 1], [0, 1]])
    >>> for split in splits(columns, [0, 1, 2], counts, Limits(gini)):
    ...     print(split.family, split.branches, round(split.gain, 2))
    intervals (0, 1, 1) 2.67
    intervals (0, 0, 1) 0.67
    intervals (0, 1, 2) 2.67
    values (0, 1) 2.67
    groups (0, 1) 2.67
    """
    node = counts[list(rows)].sum(axis=0)
    value, n_classes = float(limits.index(node)), int(np.count_nonzero(node))
    for j, column in enumerate(columns):
        hist = histogram(column, rows, counts)
        codes = {v: code for code, v in enumerate(column.values)}
        for family in limits.families:
            ordered, enumerate_branches = _ENUMERATORS[family]
            if ordered != column.ordered:
                continue
            n, factor = len(hist.values), limits.cases_per_weight
            charged = factor is not None and family == "groups" and min(n, n_classes) > 1
            cases = float(node.sum()) * (factor or 1.0)
            for branches in enumerate_branches(hist, limits.max_arity):
                at = np.array(branches)
                k = range(at.max() + 1)
                children = np.array([hist.counts[at == b].sum(axis=0) for b in k])
                n_rows = min(hist.rows[at == b].sum() for b in k)
                if n_rows < limits.min_rows or children.sum(axis=1).min() < limits.min_weight:
                    continue
                order = _cuts(hist, branches, codes) if ordered else branches
                found = gain(limits.index, children)
                charge = grouping_charge(n, len(k), value, cases, n_classes) if charged else 0.0
                yield Split(j, column.name, family, hist, branches, children, found, order, charge)


def _cuts(hist: Histogram, branches: Branches, codes: dict[Any, int]) -> tuple[int, ...]:
    """Return the place of the value left of each cut, in the whole sample, and missing's branch."""
    n = hist.n_known
    cuts = [codes[hist.values[i]] for i in range(n - 1) if branches[i] != branches[i + 1]]
    return (*cuts, branches[-1] if hist.has_missing else -1)


def menu(
    columns: Sequence[Column],
    rows: Sequence[int],
    counts: NDArray[Any],
    limits: Limits,
    which: Sequence[int] | None = None,
) -> dict[int, Split]:
    """Return the best split of each arity: the one with the largest worth.

    Worths within ``TIE`` of the node's F are equal; of these splits the first is the best.

    Parameters
    ----------
    columns : sequence of Column
        The columns of the sample.
    rows : sequence of int
        The rows of the node.
    counts : ndarray of shape (sample, classes)
        The count vector of each row of the sample: its weight at the place of its class.
    limits : Limits
        The limits.
    which : sequence of int, default=None
        The positions of the columns that may be split on; None for all of them.

    Returns
    -------
    dict from int to Split
        The splits by arity, in ascending order.

    Examples
    --------
    >>> from polytomy.reference import gini
    >>> columns = [Column("x", (1, 2, 3)), Column("town", ("a", "b", "b"))]
    >>> best = menu(columns, [0, 1, 2], np.array([[1, 0], [0, 1], [0, 1]]), Limits(gini))
    >>> {k: (split.name, split.branches) for k, split in best.items()}
    {2: ('x', (0, 1, 1)), 3: ('x', (0, 1, 2))}
    """
    by_arity: dict[int, list[Split]] = {}
    for split in splits(columns, rows, counts, limits):
        if which is None or split.column in which:
            by_arity.setdefault(split.arity, []).append(split)
    slack = TIE * max(float(limits.index(counts[list(rows)].sum(axis=0))), 0.0)
    best = {}
    for k in sorted(by_arity):
        most = max(split.worth for split in by_arity[k])
        best[k] = next(split for split in by_arity[k] if split.worth >= most - slack)
    return best
