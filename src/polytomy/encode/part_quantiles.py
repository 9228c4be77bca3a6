"""The bins of ordered columns of a table that comes in parts, exactly those of the whole table.

The parts are asked questions whose answers are small and can be merged in any order. A sample gives
a grid of values; the weight in each of its cells shows in which cells bins end; the parts then keep
the values of these cells only, sorted, and further questions narrow each end down to a few values,
which are listed. No rows leave a part, and neither the number of parts, their order nor the sample
can change the bins. Values are compared as float64, as the kernels do.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np

from polytomy import kernels
from polytomy._types import AnyArray, FloatArray, IntArray
from polytomy.table import Ordered, Table

from .align import reading_of
from .encoder import missing_cells

_PROBES = 16  # values of a sample that narrow down the end of one bin, at least
_LISTED = 1 << 16  # values of all parts and columns that are listed to find the ends of bins
_MOST_ROUNDS = 12  # of narrowing down; each leaves a small fraction of the values

Answer = TypeVar("Answer")


class Kept(NamedTuple):
    """The distinct values of a column in some cells, ascending, and the weight up to each."""

    values: FloatArray
    weights: IntArray  # sums: entry i is the weight of the first i values


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Some rows of a table, and what former steps found of their columns.

    Parameters
    ----------
    table : Table
        The rows.
    units : int64 array or None
        Their integer weights, at least 1; None if all are 1.
    cells : mapping from int to array
        The cell of the grid of each row, for columns with a grid.
    kept : mapping from int to Kept
        The values in the cells in which bins end.
    """

    table: Table
    units: IntArray | None = None
    cells: Mapping[int, AnyArray] = ()  # type: ignore[assignment]
    kept: Mapping[int, Kept] = ()  # type: ignore[assignment]

    def ordered(self, column: int) -> Ordered:
        """Return an ordered column; one of missing cells only is ordered, whatever its type."""
        found = self.table.columns[column]
        if isinstance(found, Ordered):
            return found
        return Ordered(found.name, np.full(self.table.n_rows, np.nan))


class Question(Protocol[Answer]):
    """A question to every part, whose answers can be merged in any order."""

    def answer(self, part: Part) -> Answer:
        """Return what one part knows."""

    def merge(self, first: Answer, second: Answer) -> Answer:
        """Return the answer of two sets of parts together."""


class Parts(Protocol):
    """The parts of a table, wherever they are."""

    def ask(self, question: Question[Answer]) -> Answer:
        """Return the merged answer of all parts."""

    def change(self, step: Any) -> None:
        """Replace every part by ``step(part)``."""


class LocalParts:
    """Parts in this process.

    Parameters
    ----------
    parts : iterable of Part
        The parts.
    """

    def __init__(self, parts: Any) -> None:
        self.parts: list[Any] = list(parts)

    def ask(self, question: Question[Answer]) -> Answer:
        """Return the merged answer of all parts."""
        return reduce(question.merge, [question.answer(part) for part in self.parts])

    def change(self, step: Any) -> None:
        """Replace every part by ``step(part)``."""
        self.parts = [step(part) for part in self.parts]


class Limits(NamedTuple):
    """How many bins a column may have: see ``kernels.find_cuts``."""

    max_values: int
    max_bins: int


class Bins(NamedTuple):
    """The first and the last value of each bin of a column, and whether cells are missing."""

    low: FloatArray
    high: FloatArray
    has_missing: bool


def find_bins(parts: Parts, samples: Mapping[int, FloatArray], limits: Limits) -> dict[int, Bins]:
    """Return the bins of ordered columns.

    Parameters
    ----------
    parts : Parts
        The parts of the table.
    samples : mapping from int to float64 array
        Some values of each column, ascending and distinct. They affect the time only.
    limits : Limits
        The limits on the number of bins.

    Returns
    -------
    dict from int to Bins
        The bins of each column of ``samples``.
    """
    few = {j for j, sample in samples.items() if len(sample) <= limits.max_values}
    bins: dict[int, Bins] = {}
    if few:
        for j, (values, has_missing) in parts.ask(Values(tuple(few), limits.max_values)).items():
            if values is not None:
                bins[j] = Bins(values, values, has_missing)
    many = {j: sample if len(sample) else np.zeros(1) for j, sample in samples.items()}
    many = {j: sample for j, sample in many.items() if j not in bins}
    return bins | (_by_quantiles(parts, many, limits) if many else {})


def _by_quantiles(
    parts: Parts, samples: Mapping[int, FloatArray], limits: Limits
) -> dict[int, Bins]:
    grids = {j: kernels.cell_ends(sample) for j, sample in samples.items()}
    parts.change(FindCells(samples))
    weights = parts.ask(CellWeights({j: len(edges) for j, edges in grids.items()}))
    ends = {j: _Ends.of(weights[j][:-1], grids[j], limits.max_bins) for j in grids}
    parts.change(Keep({j: found.wanted for j, found in ends.items()}))
    for _ in range(_MOST_ROUNDS):
        if sum(int(found.held.sum()) for found in ends.values()) <= _LISTED:
            break
        brackets = {j: (found.low, found.high) for j, found in ends.items()}
        shares = {j: _PROBES / np.maximum(found.held, 1) for j, found in ends.items()}
        probes = parts.ask(Drawn(brackets, shares))
        up_to = {j: _sorted_probes(*probes[j], found.high) for j, found in ends.items()}
        counts = parts.ask(Weigh({j: (ends[j].low, *up_to[j]) for j in ends}))
        ends = {j: found.narrowed(*up_to[j], *counts[j]) for j, found in ends.items()}
    listed = parts.ask(Listed({j: (found.low, found.high) for j, found in ends.items()}))
    missing = {j: bool(weights[j][-1]) for j in ends}
    return {j: Bins(*found.bins(listed[j]), missing[j]) for j, found in ends.items()}


def bin_end(total: int, b: int, max_bins: int) -> int:
    """Return the weight at which bin b of max_bins ends, as the kernels define it."""
    exact = total // max_bins * (b + 1) + -(-(total % max_bins * (b + 1)) // max_bins)
    return max(1, exact - (total >> 40))


@dataclass(frozen=True, slots=True, eq=False)
class _Ends:
    """The ends of the bins of a column: each is a value above ``low`` and at most ``high``.

    ``target`` is the weight at which a bin ends, and ``base`` the weight of the values up to
    ``low``. ``held`` is at least the number of values, in all parts, that the end is one of.
    """

    target: IntArray
    low: FloatArray
    high: FloatArray
    base: IntArray
    held: IntArray
    wanted: AnyArray  # of cells of the grid: whether their values are kept

    @classmethod
    def of(cls, weights: IntArray, edges: FloatArray, max_bins: int) -> "_Ends":
        """Return the ends, given the weights of the cells and the largest value of each."""
        up_to = np.cumsum(weights)
        total = int(up_to[-1])
        target = np.array([bin_end(total, b, max_bins) for b in range(max_bins - 1)], np.int64)
        cell = np.searchsorted(up_to, target)
        filled = np.flatnonzero(weights)
        after = filled[np.minimum(np.searchsorted(filled, cell, "right"), len(filled) - 1)]
        wanted = np.zeros(len(weights) + 1, dtype=bool)  # the last one is for missing cells
        wanted[np.concatenate((cell, after, filled[:1], filled[-1:]))] = True
        before = np.concatenate(([np.nan], edges[:-1]))  # nan: no lower bound
        base = up_to[cell] - weights[cell]
        return cls(target, before[cell], edges[cell], base, weights[cell], wanted)

    def narrowed(
        self, bracket: IntArray, probe: FloatArray, weights: IntArray, held: IntArray
    ) -> "_Ends":
        """Return the ends with narrower bounds.

        ``weights`` and ``held`` are the weight and the number of values above ``low`` and up to
        each probe. Probes are sorted by bracket and value; the last of a bracket is ``high``.
        """
        low, high = self.low.copy(), self.high.copy()
        base, left = self.base.copy(), self.held.copy()
        weights, held = weights.astype(np.int64), held.astype(np.int64)
        start = np.searchsorted(bracket, np.arange(len(low) + 1))
        for b, (first, end) in enumerate(zip(start[:-1].tolist(), start[1:].tolist(), strict=True)):
            at = first + int(np.searchsorted(weights[first:end], self.target[b] - self.base[b]))
            high[b], left[b] = probe[at], held[at]
            if at > first:
                low[b], base[b] = probe[at - 1], self.base[b] + weights[at - 1]
                left[b] -= held[at - 1]
        return _Ends(self.target, low, high, base, left, self.wanted)

    def bins(self, listed: "ListedValues") -> tuple[FloatArray, FloatArray]:
        """Return the first and the last value of each bin."""
        order = np.lexsort((listed.value, listed.bracket))
        bracket, value, weight = (a[order] for a in listed[:3])
        up_to = np.cumsum(weight)
        ends, after = np.empty(len(self.target)), np.empty(len(self.target))
        start = np.searchsorted(bracket, np.arange(len(ends) + 1))
        for b, (first, end) in enumerate(zip(start[:-1].tolist(), start[1:].tolist(), strict=True)):
            wanted = self.target[b] - self.base[b] + (up_to[first - 1] if first else 0)
            at = first + int(np.searchsorted(up_to[first:end], wanted))
            later = first + int(np.searchsorted(value[first:end], value[at], "right"))
            ends[b] = value[at]
            after[b] = value[later] if later < end else listed.after[b]
        high, where = np.unique(ends, return_index=True)
        low = np.concatenate(([listed.least], after[where]))
        if high[-1] == listed.most:
            return low[:-1], high
        return low, np.append(high, listed.most)


def _sorted_probes(
    bracket: IntArray, value: FloatArray, high: FloatArray
) -> tuple[IntArray, FloatArray]:
    """Return the distinct probes and the upper bound of each bracket, sorted."""
    bracket = np.concatenate((bracket, _numbers(len(high))))
    value = np.concatenate((value, high))
    order = np.lexsort((value, bracket))
    bracket, value = bracket[order], value[order]
    is_new = np.ones(len(value), dtype=bool)
    is_new[1:] = (bracket[1:] != bracket[:-1]) | (value[1:] != value[:-1])
    return bracket[is_new], value[is_new]


@dataclass(frozen=True, slots=True)
class Values:
    """Asks for the distinct values of columns; None if there are more than ``most``."""

    columns: tuple[int, ...]
    most: int

    def answer(self, part: Part) -> dict[int, tuple[FloatArray | None, bool]]:
        """Return the values of each column, and whether cells are missing."""
        chosen = [part.ordered(j) for j in self.columns]
        readings = [reading_of(c) for c in chosen]
        values = kernels.value_table([c.values for c in chosen], readings, part.table.n_rows)
        cuts = kernels.find_cuts(values, None, 2, 1, max_values=self.most)
        return {
            j: (low if np.array_equal(low, high) else None, bool(has_missing))
            for j, (low, high, has_missing) in zip(self.columns, cuts, strict=True)
        }

    def merge(
        self,
        first: dict[int, tuple[FloatArray | None, bool]],
        second: dict[int, tuple[FloatArray | None, bool]],
    ) -> dict[int, tuple[FloatArray | None, bool]]:
        """Return the values of both."""
        merged: dict[int, tuple[FloatArray | None, bool]] = {}
        for j, (values, has_missing) in first.items():
            others, too = second[j]
            both = None if values is None or others is None else np.union1d(values, others)
            if both is not None and len(both) > self.most:
                both = None
            merged[j] = both, has_missing or too
        return merged


@dataclass(frozen=True, slots=True, eq=False)
class FindCells:
    """A step that finds the cell of each row in the grids of samples."""

    samples: Mapping[int, FloatArray]

    def __call__(self, part: Part) -> Part:
        """Return the part with the cells of its rows."""
        n_rows = part.table.n_rows
        cells = {j: np.empty(n_rows, dtype=np.uint16) for j in self.samples}
        columns = [part.ordered(j) for j in self.samples]
        readings = [reading_of(c) for c in columns]
        table = kernels.value_table([c.values for c in columns], readings, n_rows)
        kernels.find_cells(table, list(self.samples.values()), list(cells.values()))
        return Part(part.table, part.units, cells)


@dataclass(frozen=True, slots=True)
class CellWeights:
    """Asks for the weight in each cell of the grid; the last entry is for missing cells."""

    n_cells: Mapping[int, int]

    def answer(self, part: Part) -> dict[int, IntArray]:
        """Return the weights by column."""
        sizes = [n + 1 for n in self.n_cells.values()]
        start = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
        table = kernels.code_table([part.cells[j] for j in self.n_cells], sizes)
        counts = np.zeros((int(start[-1]), 1), dtype=np.int64)
        rows = None if part.units is None else np.zeros(len(counts), dtype=np.int64)
        labels = np.zeros(part.table.n_rows, dtype=np.uint16)
        every = np.arange(len(sizes), dtype=np.int32)
        kernels.accumulate(table, every, None, (labels, part.units), start, (counts, rows), 1)
        by_column = np.split(counts[:, 0], start[1:-1])
        return dict(zip(self.n_cells, by_column, strict=True))

    def merge(self, first: dict[int, IntArray], second: dict[int, IntArray]) -> dict[int, IntArray]:
        """Return the sums."""
        return {j: first[j] + second[j] for j in first}


@dataclass(frozen=True, slots=True, eq=False)
class Keep:
    """A step that keeps the values of some cells; ``wanted`` says which, by column."""

    wanted: Mapping[int, AnyArray]

    def __call__(self, part: Part) -> Part:
        """Return the part with the values of these cells, sorted."""
        kept = {j: _kept(part, j, wanted) for j, wanted in self.wanted.items()}
        return Part(part.table, part.units, kept=kept)


def _kept(part: Part, column: int, wanted: AnyArray) -> Kept:
    held = part.ordered(column)
    table = kernels.value_table([held.values], [reading_of(held)], part.table.n_rows)
    which = np.ascontiguousarray(wanted, dtype=np.uint8)
    return Kept(*kernels.keep_cells(table, 0, part.cells[column], which, part.units))


def _numbers(n: int) -> AnyArray:
    """Return the numbers up to n in the narrowest type: messages hold many of them."""
    return np.arange(n, dtype=np.min_scalar_type(n))


def narrowed(array: IntArray) -> AnyArray:
    """Return integers of at least 0 in the narrowest type."""
    return array.astype(np.min_scalar_type(int(array.max(initial=0))))


def _added(one: AnyArray, other: AnyArray) -> AnyArray:
    return narrowed(one.astype(np.int64) + other)


def _places(kept: Kept, bound: FloatArray) -> IntArray:
    """Return the number of kept values up to each bound."""
    return np.searchsorted(kept.values, bound, "right").astype(np.int64)


Brackets = Mapping[int, tuple[FloatArray, FloatArray]]
"""By column, bounds of values: each above the first array's entry and at most the second's."""


def _first_places(kept: Kept, low: FloatArray) -> IntArray:
    """Return the number of kept values up to lower bounds; nan stands for no bound."""
    return np.where(np.isnan(low), 0, _places(kept, low))


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """Asks for a share of the values in brackets, and at least one, evenly spaced."""

    brackets: Brackets
    shares: Mapping[int, FloatArray]

    def answer(self, part: Part) -> dict[int, tuple[IntArray, FloatArray]]:
        """Return the brackets and the values drawn from them, by column."""
        drawn = {}
        for j, (low, high) in self.brackets.items():
            kept = part.kept[j]
            first, end = _first_places(kept, low), _places(kept, high)
            held = np.maximum(end - first, 0)
            n_drawn = np.minimum(np.ceil(held * self.shares[j]).astype(np.int64), held)
            bracket = np.repeat(_numbers(len(low)), n_drawn)
            number = np.arange(len(bracket)) - np.repeat(np.cumsum(n_drawn) - n_drawn, n_drawn)
            step = ((2 * number + 1) * held[bracket] - 1) // (2 * n_drawn[bracket])
            drawn[j] = bracket, kept.values[first[bracket] + step]
        return drawn

    def merge(
        self,
        first: dict[int, tuple[IntArray, FloatArray]],
        second: dict[int, tuple[IntArray, FloatArray]],
    ) -> dict[int, tuple[IntArray, FloatArray]]:
        """Return the values of both."""
        return {
            j: (
                np.concatenate((bracket, second[j][0])),
                np.concatenate((values, second[j][1])),
            )
            for j, (bracket, values) in first.items()
        }


@dataclass(frozen=True, slots=True, eq=False)
class Weigh:
    """Asks for the weight and the number of values above a lower bound and up to each probe.

    ``probes`` has, by column, the lower bounds of the brackets, the bracket of each probe, and the
    probes.
    """

    probes: Mapping[int, tuple[FloatArray, IntArray, FloatArray]]

    def answer(self, part: Part) -> dict[int, tuple[IntArray, IntArray]]:
        """Return the weights and the numbers of values, by column."""
        found = {}
        for j, (low, bracket, probe) in self.probes.items():
            kept = part.kept[j]
            first = _first_places(kept, low)[bracket]
            end = _places(kept, probe)
            weights = kept.weights[end] - kept.weights[first]
            found[j] = narrowed(weights), narrowed(end - first)
        return found

    def merge(
        self,
        first: dict[int, tuple[IntArray, IntArray]],
        second: dict[int, tuple[IntArray, IntArray]],
    ) -> dict[int, tuple[IntArray, IntArray]]:
        """Return the sums."""
        return {
            j: (_added(weights, second[j][0]), _added(held, second[j][1]))
            for j, (weights, held) in first.items()
        }


class ListedValues(NamedTuple):
    """The values of brackets with their weights.

    ``after`` is the smallest value above each bracket (inf if there is none), ``least`` and
    ``most`` are the smallest and the largest value of the column.
    """

    bracket: IntArray
    value: FloatArray
    weight: IntArray
    after: FloatArray
    least: float
    most: float


@dataclass(frozen=True, slots=True, eq=False)
class Listed:
    """Asks for the values that lie in brackets, and their weights."""

    brackets: Brackets

    def answer(self, part: Part) -> dict[int, ListedValues]:
        """Return the values by column."""
        return {j: _listed(part.kept[j], *bounds) for j, bounds in self.brackets.items()}

    def merge(
        self, first: dict[int, ListedValues], second: dict[int, ListedValues]
    ) -> dict[int, ListedValues]:
        """Return the values of both."""
        return {j: _merged(mine, second[j]) for j, mine in first.items()}


def _listed(kept: Kept, low: FloatArray, high: FloatArray) -> ListedValues:
    first, end = _first_places(kept, low), _places(kept, high)
    held = np.maximum(end - first, 0)
    bracket = np.repeat(_numbers(len(low)), held)
    at = np.arange(len(bracket)) - np.repeat(np.cumsum(held) - held, held) + first[bracket]
    after = np.append(kept.values, np.inf)[end]
    ends = (kept.values[0], kept.values[-1]) if len(kept.values) else (np.inf, -np.inf)
    weight = kept.weights[at + 1] - kept.weights[at]
    return ListedValues(bracket, kept.values[at], weight, after, float(ends[0]), float(ends[1]))


def _merged(one: ListedValues, other: ListedValues) -> ListedValues:
    pairs = zip(one[:3], other[:3], strict=True)
    bracket, value, weight = (np.concatenate(pair) for pair in pairs)
    after = np.minimum(one.after, other.after)
    least, most = min(one.least, other.least), max(one.most, other.most)
    return ListedValues(bracket, value, weight, after, least, most)


def exact_for(column: Ordered, ends: FloatArray) -> Ordered:
    """Return a column in a type that can hold ``ends``, as the encoding kernel needs it."""
    values: AnyArray = column.values
    if values.dtype.kind in "iuf" and values.dtype.itemsize == 8:
        return column  # compared as float64
    with np.errstate(all="ignore"):
        held = ends.astype(values.dtype).astype(np.float64)
    if np.array_equal(held, ends):
        return column
    wide = values.astype(np.float64)
    wide[missing_cells(column)] = np.nan
    return Ordered(column.name, wide)
