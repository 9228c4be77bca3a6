"""Find the best bins of every column of a table."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import ceil
from typing import Any

import numpy as np

from polytomy import kernels
from polytomy._text import one_line
from polytomy._threads import ThreadPool
from polytomy._types import AnyArray, FloatArray, IntArray
from polytomy.encode import Coded, NominalColumn, OrderedColumn, Target, code_dtype, encode
from polytomy.encode.encoder import AUTO_VALUES
from polytomy.export.phrasing import Range, describe_categories, describe_range
from polytomy.table import Ordered, Table

from .columns import NO_BIN, ColumnBins
from .params import BinParams
from .refine import merges_values, refined, row_components
from .special import SpecialValues
from .statistics import TargetStatistics, order_of

_SLACK = 1 - 1e-12  # 5% of 60 rows are 3 rows, whatever rounding says


def find_bins(
    table: Table,
    target: Target,
    statistics: TargetStatistics,
    params: BinParams,
    special: SpecialValues,
    threads: int,
) -> tuple[ColumnBins, ...]:
    """Return the best bins of every column.

    Parameters
    ----------
    table : Table
        The rows, all of positive weight.
    target : Target
        The target of the rows.
    statistics : TargetStatistics
        The kind of target.
    params : BinParams
        The constraints.
    special : SpecialValues
        The values that have a bin of their own.
    threads : int
        The number of threads. The bins do not depend on it.

    Returns
    -------
    tuple of ColumnBins
        The bins, in the order of the columns.
    """
    search = _Search.of(target, statistics, params, threads)
    special.check_names(table.names)
    table, cells = special.without(table)
    coded, n_codes = _with_special_codes(
        encode(table, target.case_units[0], params.prebins, threads), cells
    )
    counts, rows, start = _histograms(coded, n_codes, target, threads)
    values = [[value for value, _ in cells.get(j, [])] for j in range(len(n_codes))]
    columns = [
        _Items.of(spec, counts[first:last], rows[first:last], statistics.rate_class, params)
        for spec, first, last in zip(coded.schema, start, start[1:], strict=False)
    ]
    found = search.best(columns)
    search.refine(table, target, columns, found)
    return tuple(
        _described(items, best, values[j], target.unit)
        for j, (items, best) in enumerate(zip(columns, found, strict=True))
    )


def _with_special_codes(
    coded: Coded, cells: dict[int, list[tuple[Any, AnyArray]]]
) -> tuple[Coded, list[int]]:
    """Give each special value a code of its own, after that of missing cells."""
    columns, n_codes = list(coded.columns), coded.schema.n_codes()
    for j, held in cells.items():
        n_codes[j] += len(held)
        codes = columns[j].astype(code_dtype(n_codes[j]))
        first = coded.schema[j].n_values + 1  # special cells were missing, so there is such a code
        for number, (_, rows) in enumerate(held):
            codes[rows] = first + number
        columns[j] = codes
    return replace(coded, columns=tuple(columns)), n_codes


def _histograms(
    coded: Coded, n_codes: list[int], target: Target, threads: int
) -> tuple[IntArray, IntArray, IntArray]:
    """Return the components and the rows of all codes, and where those of each column begin."""
    start = np.concatenate(([0], np.cumsum(n_codes))).astype(np.int64)
    held = target
    counts = np.zeros((start[-1], held.n_classes), dtype=np.int64)
    rows = np.zeros(start[-1], dtype=np.int64) if held.units is not None else None
    kernels.accumulate(
        kernels.code_table(coded.columns, n_codes),
        np.arange(len(n_codes), dtype=np.int32),
        None,
        (held.labels, held.units, *held.more),
        start,
        (counts, rows),
        threads,
    )
    return counts, counts.sum(axis=1) if rows is None else rows, start


@dataclass(frozen=True, slots=True, eq=False)
class _Items:
    """The codes of a column, and the items that the search sees: each a set of codes, in order.

    ``item_of_code`` is the item of each value or category, and ``rare`` says which categories are
    pooled. ``counts`` and ``rows`` are those of all codes.
    """

    spec: OrderedColumn | NominalColumn
    counts: IntArray
    rows: IntArray
    item_of_code: IntArray
    rare: AnyArray

    @classmethod
    def of(
        cls,
        spec: OrderedColumn | NominalColumn,
        counts: IntArray,
        rows: IntArray,
        rate_class: int,
        params: BinParams,
    ) -> "_Items":
        n = spec.n_values
        rare = np.zeros(n, dtype=bool)
        if isinstance(spec, OrderedColumn):
            return cls(spec, counts, rows, np.arange(n), rare)
        weight = counts[:n].sum(axis=1)
        rare = weight < params.min_category_share * counts.sum() * _SLACK
        # All rare categories are one item, which comes after the others until they are sorted.
        place = np.where(rare, n, np.arange(n))
        known, item = np.unique(place, return_inverse=True)
        sums = _summed(counts[:n], item, len(known))
        order = order_of(sums, rate_class)
        if params.monotonic == "descending":
            order = order[::-1]
        limit = AUTO_VALUES if params.prebins == "auto" else int(params.prebins)
        packs = _packed(sums[order].sum(axis=1), limit)
        item_of_place = np.empty(len(known), dtype=np.int64)
        item_of_place[order] = packs
        return cls(spec, counts, rows, item_of_place[item], rare)

    @property
    def n_items(self) -> int:
        return int(self.item_of_code.max(initial=-1)) + 1

    def with_values(self, spec: OrderedColumn, counts: IntArray, rows: IntArray) -> "_Items":
        """Return the items of an ordered column with other values; further codes stay."""
        n = self.spec.n_values
        return _Items(
            spec,
            np.concatenate((counts, self.counts[n:])),
            np.concatenate((rows, self.rows[n:])),
            np.arange(spec.n_values),
            np.zeros(spec.n_values, dtype=bool),
        )

    def sums(self) -> tuple[IntArray, IntArray]:
        """Return the components and the rows of the items."""
        n = self.spec.n_values
        if isinstance(self.spec, OrderedColumn):
            return self.counts[:n], self.rows[:n]
        rows = self.rows[:n, None]
        return (
            _summed(self.counts[:n], self.item_of_code, self.n_items),
            _summed(rows, self.item_of_code, self.n_items)[:, 0],
        )


def _summed(counts: IntArray, group: IntArray, n_groups: int) -> IntArray:
    """Return the sums of the rows of ``counts`` by group."""
    out = np.zeros((n_groups, counts.shape[1]), dtype=np.int64)
    np.add.at(out, group, counts)
    return out


def _packed(weight: IntArray, most: int) -> IntArray:
    """Return the pack of each item: the item itself, or one of about ``most`` of equal weight."""
    if len(weight) <= most:
        return np.arange(len(weight))
    before = np.cumsum(weight) - weight
    packs = (before / weight.sum() * most).astype(np.int64)
    return np.unique(packs, return_inverse=True)[1].astype(np.int64)


@dataclass(frozen=True, slots=True)
class _Search:
    """The search for bins, with the objective and the constraints."""

    objective: int | tuple[float, float, float]
    rules: kernels.BinRules
    params: BinParams
    threads: int

    @classmethod
    def of(
        cls, target: Target, statistics: TargetStatistics, params: BinParams, threads: int
    ) -> "_Search":
        statistics.check_monotonic(params.monotonic, params.min_difference)
        rules = kernels.BinRules(
            int(params.max_bins),
            int(params.min_bin_count),
            ceil(params.min_bin_share * int(target.total().sum()) * _SLACK),
            float(params.min_difference) / statistics.rate_unit(),
            statistics.rate_class,
        )
        objective = statistics.objective(params.objective, target.unit)
        return cls(objective, rules, params, threads)

    def best(self, columns: list[_Items]) -> list[kernels.BestBins]:
        """Return the best bins of every column."""
        found: dict[int, kernels.BestBins] = {}
        for kind, trends in (
            ("ordered", self._trends()),
            ("nominal", self._trends_of_categories()),
        ):
            which = [j for j, items in enumerate(columns) if items.spec.kind == kind]
            sums = [columns[j].sums() for j in which]
            if not sums:
                continue
            items = np.concatenate([c for c, _ in sums]), np.concatenate([r for _, r in sums])
            start = np.concatenate(([0], np.cumsum([len(r) for _, r in sums]))).astype(np.int64)
            numbers = [kernels.TRENDS.index(name) for name in trends]
            best = kernels.best_bins(
                items, start, self.objective, self.rules, numbers, self.threads
            )
            found |= dict(zip(which, best, strict=True))
        return [found[j] for j in range(len(columns))]

    def one(self, counts: IntArray, rows: IntArray, trends: Sequence[int]) -> kernels.BestBins:
        """Return the best bins of one column's items."""
        start = np.array([0, len(rows)], dtype=np.int64)
        return kernels.best_bins((counts, rows), start, self.objective, self.rules, trends, 1)[0]

    def refine(
        self, table: Table, target: Target, columns: list[_Items], found: list[kernels.BestBins]
    ) -> None:
        """Move the cuts of columns with many values to single values, in both lists."""
        which = [
            j
            for j, items in enumerate(columns)
            if isinstance(items.spec, OrderedColumn) and merges_values(items.spec)
        ]
        if not which or self.rules.rate_class < 0:
            return
        components = row_components(target)
        trends = [kernels.TRENDS.index(name) for name in self._trends()]

        def refine_one(j: int) -> None:
            column, items = table.columns[j], columns[j]
            assert isinstance(column, Ordered)
            assert isinstance(items.spec, OrderedColumn)
            spec, counts, rows, found[j] = refined(
                column, items.spec, components, found[j], self.one, trends, self.rules.min_weight
            )
            columns[j] = items.with_values(spec, counts, rows)

        with ThreadPool(self.threads) as pool:
            list(pool.map(refine_one, which))

    def _trends(self) -> list[str]:
        monotonic = self.params.monotonic
        if monotonic is None or self.rules.rate_class < 0:
            return ["any"]
        return ["ascending", "descending"] if monotonic == "auto" else [monotonic]

    def _trends_of_categories(self) -> list[str]:
        if self.rules.rate_class < 0:
            return ["any"]
        return ["descending" if self.params.monotonic == "descending" else "ascending"]


def _described(
    items: _Items, best: kernels.BestBins, special: list[Any], unit: float
) -> ColumnBins:
    """Return the bins of a column in words and with their counts."""
    spec, n = items.spec, items.spec.n_values
    n_regular = len(best.ends)
    of_code = np.full(len(items.counts), NO_BIN, dtype=np.int64)
    of_code[:n] = np.searchsorted(best.ends, items.item_of_code, side="right")
    n_bins = n_regular
    first = n + 1 if special else len(of_code)
    held = []
    for code, value in zip(range(first, len(of_code)), special, strict=True):
        of_code[code] = n_bins
        held.append((value, n_bins))
        n_bins += 1
    has_missing = len(of_code) > n and bool(items.rows[n] > 0)
    if has_missing:
        of_code[n] = n_bins
        n_bins += 1
    used = of_code != NO_BIN
    thresholds, labels = _in_words(items, best, of_code)
    labels += [f"special: {one_line(value)}" for value, _ in held]
    labels += ["missing"] * has_missing
    return ColumnBins(
        spec=spec,
        labels=tuple(labels),
        thresholds=thresholds,
        bin_of_category=of_code[:n],
        other_bin=int(of_code[:n][items.rare][0]) if items.rare.any() else NO_BIN,
        missing_bin=n_bins - 1 if has_missing else NO_BIN,
        special=tuple(held),
        components=_summed(items.counts[used], of_code[used], n_bins).astype(np.float64) * unit,
        rows=_summed(items.rows[used, None], of_code[used], n_bins)[:, 0],
        n_regular=n_regular,
        trend=kernels.TRENDS[best.trend] if n_regular > 1 else "",
    )


def _in_words(
    items: _Items, best: kernels.BestBins, of_code: IntArray
) -> tuple[FloatArray, list[str]]:
    """Return the thresholds of an ordered column, and the words of all ranges or groups."""
    spec = items.spec
    if len(best.ends) == 0:  # all cells are missing or special
        return np.empty(0), []
    if isinstance(spec, OrderedColumn):
        cuts = best.ends[:-1].tolist()
        edges = [None, *(spec.threshold(cut - 1, cut) for cut in cuts), None]
        ranges = [Range(low, high, missing=False) for low, high in pairwise(edges)]
        words = [describe_range(held, spec, named=False) for held in ranges]
        return np.array(edges[1:-1], dtype=np.float64), words
    words = []
    for b in range(len(best.ends)):
        inside = np.flatnonzero((of_code[: spec.n_values] == b) & ~items.rare)
        names = [one_line(spec.categories[code]) for code in inside.tolist()]
        has_rare = bool((of_code[: spec.n_values][items.rare] == b).any())
        words.append(describe_categories(None, names, other=has_rare))
    return np.empty(0), words
