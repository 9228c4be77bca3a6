"""The compiled kernels: one typed, documented function for each. No other module imports them.

Arrays must have exactly the dtypes of ``polytomy._types``. A wrong dtype is a ``TypeError``, never
a silent copy.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from polytomy import _types as t

from . import _core

CodeTable: TypeAlias = _core.CodeTable
ValueTable: TypeAlias = _core.ValueTable
RowCells: TypeAlias = _core.RowCells
TreeArrays: TypeAlias = _core.TreeArrays
Prunings: TypeAlias = _core.Prunings
MergedPrunings: TypeAlias = _core.MergedPrunings
Lookups: TypeAlias = _core.Lookups
GrowthRules: TypeAlias = _core.GrowthRules
GrowthRun: TypeAlias = _core.GrowthRun
AlternativesRun: TypeAlias = _core.AlternativesRun
OptimalSearch: TypeAlias = _core.OptimalSearch
ExactSum: TypeAlias = _core.ExactSum
RowSums: TypeAlias = _core.RowSums

can_throw = _core.can_throw
"""Return whether this thread has the memory to raise errors of the kernels; it then keeps it."""

fold_leaves = _core.fold_leaves
"""Grow and prune a tree without one fold; see ``polytomy.grow.Folds``."""

PROCEDURES: tuple[str, ...] = _core.PROCEDURES
"""The procedures, in the order of their numbers in the engine."""

FAMILIES: tuple[str, ...] = _core.FAMILIES
"""The families, in the order of their numbers in the engine."""

TRENDS: tuple[str, ...] = _core.TRENDS
"""The trends of the rates of bins, in the order of their numbers in the kernels."""

SORT_BELOW = 1 << 15  # up to this many rows, sorting a column is faster than counting

KernelIndex = int | Callable[[t.FloatArray], t.FloatArray]
"""The number of a built-in index, or a function from counts (n, classes) to n values."""

if (_core.MISSING, _core.UNKNOWN, _core.UNSEEN, _core.TIE) != (
    t.MISSING,
    t.UNKNOWN,
    t.UNSEEN,
    t.TIE,
) or tuple(np.dtype(d).itemsize for d in (t.Row, t.Weight, t.Label, t.Branch)) != _core.ITEM_SIZES:
    raise ImportError("polytomy's compiled kernels are older than its Python code; reinstall it")


PLAIN, TIMES, RANKS = range(3)


def value_table(columns: Sequence[t.AnyArray], readings: Sequence[int], n_rows: int) -> ValueTable:
    """Wrap raw 1-D columns (of any stride, also read-only) without copying them.

    ``readings[j]`` is the meaning of column j: PLAIN for numbers, TIMES for int64 whose smallest
    value means missing, or RANKS for int32 with MISSING and UNKNOWN.
    """
    return ValueTable(list(columns), list(readings), n_rows)


def code_table(columns: Sequence[t.AnyArray], n_codes: Sequence[int]) -> CodeTable:
    """Wrap contiguous columns of uint8, uint16 or uint32 codes without copying them."""
    return CodeTable(list(columns), list(n_codes))


def find_cuts(
    table: ValueTable,
    units: t.IntArray | None,
    max_bins: int,
    threads: int,
    sort_below: int = SORT_BELOW,
    max_values: int = 0,
    row_cells: RowCells | None = None,
) -> list[tuple[t.FloatArray, t.FloatArray, bool]]:
    """Return for each column the first and last value of each bin, and whether cells are missing.

    If there are at most ``max_values`` distinct values (or ``max_bins``, if that is larger), each
    gets a bin. Otherwise there are ``max_bins`` bins, which end at exact quantiles of the weight.
    ``row_cells`` keeps what ``encode`` can use: two bytes for each row and column.
    """
    most = max(max_values, max_bins)
    return _core.find_cuts(table, units, most, max_bins, sort_below, threads, row_cells)


def cell_ends(sample: t.FloatArray) -> t.FloatArray:
    """Return the largest value of each cell of the grid of a sample; the last one is inf.

    The sample must be ascending and not empty. The first cell lies below it; its end is nan if no
    number is that small.
    """
    return _core.cell_ends(sample)


def find_cells(
    table: ValueTable, samples: Sequence[t.FloatArray], sinks: Sequence[t.LabelArray]
) -> None:
    """Write the cell of each value, in the grid of its column's sample, into ``sinks``.

    The number of cells stands for a missing cell. Values are compared as float64.
    """
    _core.find_cells(table, list(samples), list(sinks))


def keep_cells(
    table: ValueTable,
    column: int,
    cells: t.LabelArray,
    wanted: t.ByteArray,
    units: t.IntArray | None,
) -> tuple[t.FloatArray, t.IntArray]:
    """Return the distinct values of a column in wanted cells, ascending, and sums of weights.

    Entry i of the sums is the weight of the first i values. ``wanted`` has an entry for each cell,
    and one for missing cells, which must be 0.
    """
    return _core.keep_cells(table, column, cells, wanted, units)


def encode(
    table: ValueTable,
    highs: Sequence[t.FloatArray],
    sinks: Sequence[t.AnyArray],
    n_codes: Sequence[int],
    threads: int,
    row_cells: RowCells | None = None,
) -> None:
    """Write each cell's code into ``sinks``: the number of bins that end below it.

    A missing cell gets the code ``len(highs[j])``. All codes are below ``n_codes[j]``, even if
    cells have changed since the bins were found. ``row_cells`` are those that ``find_cuts`` kept
    when it found these bins in the same table.
    """
    _core.encode(table, list(highs), list(sinks), list(n_codes), threads, row_cells)


def occurring(codes: t.BranchArray, n_categories: int, threads: int) -> tuple[t.ByteArray, bool]:
    """Return 1 for each category that occurs among codes, and whether cells are missing.

    A negative code is a missing cell.
    """
    seen = np.zeros(n_categories + 1, dtype=np.uint8)
    _core.occurring(codes, seen, threads)
    return seen[:-1], bool(seen[-1])


def recode(
    codes: t.BranchArray, new_code: t.RowArray, out: t.AnyArray, n_codes: int, threads: int
) -> None:
    """Write ``new_code[c]`` to ``out`` for each code c; the last entry is for missing cells.

    All codes are below ``n_codes``, even if cells have changed since the categories were counted.
    """
    _core.recode(codes, new_code, out, n_codes, threads)


def group_sums(
    group: t.BranchArray,
    terms: list[t.FloatArray],
    anchors: t.FloatArray,
    sums: t.FloatArray,
) -> None:
    """Add the terms of each row to the sums of its group, in any order with the same result.

    ``anchors`` has the shape (terms, 3): the large numbers that split a term into multiples of
    three powers of two. ``sums`` has the shape (groups, 3 * terms).
    """
    _core.group_sums(group, terms, anchors, sums)


def group_moments(
    group: t.BranchArray,
    numbers: tuple[t.FloatArray, t.FloatArray | None],
    further: t.FloatArray | None,
    rows: t.RowArray | None,
    about: tuple[float, t.FloatArray],
    out: t.FloatArray,
    threads: int,
) -> None:
    """Write the moments of groups of rows, of shape (groups, terms), to ``out``.

    ``numbers`` are the numbers and weights (None if all are 1) of all rows, ``rows`` the rows in
    question (None for all), and ``group`` the group of each of these. The terms of a row are its
    weight w, w d and w d^2 for the distance d from a centre, and w times ``further``, unless that
    is None. ``about`` are the centre and the anchors, which are those of ``group_sums``.
    """
    _core.group_moments(group, *numbers, further, rows, *about, out, threads)


def number_units(
    numbers: tuple[t.FloatArray, t.FloatArray | None],
    scale: tuple[float, float, float, float],
    out: tuple[t.IntArray, t.IntArray, t.IntArray],
    threads: int,
) -> None:
    """Write what each number counts for both components, and its residue, to ``out``.

    ``numbers`` are the numbers and weights (None if all are 1), and ``scale`` the least number, the
    range, the units of a weight of 1, and the units of residues in one unit.
    """
    _core.number_units(*numbers, scale, *out, threads)


def add_up_subtrees(parent: t.BranchArray, numbers: t.FloatArray) -> None:
    """Add to the numbers of each node those of its subtree, in the order of the node numbers.

    ``numbers`` has a row for each node, and the root, whose parent is -1, comes first.
    """
    _core.add_up_subtrees(parent, numbers)


def accumulate(
    table: CodeTable,
    which: t.BranchArray,
    members: t.RowArray | None,
    target: tuple[t.LabelArray, t.IntArray | None, *tuple[tuple[t.LabelArray, t.IntArray], ...]],
    code_start: t.IntArray,
    out: tuple[t.IntArray, t.IntArray | None],
    threads: int,
) -> None:
    """Add the weights of some rows (all if ``members`` is None) to histograms of some columns.

    ``which`` are the columns. ``target`` has labels, weights or None, and any number of further
    layers, each with another label and weight of every row. ``out`` has the counts, of shape
    (codes, classes), and the number of rows of each code, or None; the codes of column j begin at
    ``code_start[j]``.
    """
    labels, units, *more = target
    counts, rows = out
    _core.accumulate(table, which, members, labels, units, more, code_start, counts, rows, threads)


def scatter(
    members: t.RowArray,
    table: CodeTable,
    column: int,
    branch_of_code: t.BranchArray,
    out: t.RowArray,
    branches: int,
    threads: int,
) -> t.IntArray:
    """Write ``members`` to ``out``, sorted stably by branch; return the rows of each branch."""
    return _core.scatter(members, table, column, branch_of_code, out, branches, threads)


def best_intervals(
    counts: t.IntArray,
    rows: t.IntArray,
    index: KernelIndex,
    impurity: float,
    least: tuple[int, int],
    prices: t.FloatArray,
    floor: float,
) -> list[tuple[list[int], list[int]]]:
    """Return the best cuts of one ordered column, for each arity that may win.

    ``counts`` has shape (codes, classes), and ``rows`` is the number of rows of each code.
    ``least`` has the fewest rows and the least weight of a child, ``prices`` the prices of 2, 3,
    ... branches, and ``floor`` is a binary gain that is already known. Each cut lies between a code
    of the first list and the code at the same position of the second.
    """
    return _core.best_intervals(counts, rows, index, impurity, least, prices, floor)


class BinRules(NamedTuple):
    """The constraints on the bins of a column.

    A bin has at least ``min_rows`` rows and ``min_weight`` weight, unless it is the only one. The
    rate of a bin is the share of class ``rate_class`` (-1 for none); the rates of neighbouring bins
    differ by at least ``min_difference``.
    """

    max_bins: int
    min_rows: int
    min_weight: int
    min_difference: float
    rate_class: int


class BestBins(NamedTuple):
    """The best bins of a column: bin r has the items from ``ends[r - 1]`` to ``ends[r] - 1``.

    ``cost`` is the sum of F over the bins, or the negative sum of their information values; it is
    infinite if no partition is feasible, and then there is one bin. ``trend`` is a number of
    ``TRENDS``.
    """

    ends: t.RowArray
    cost: float
    trend: int


def best_bins(
    items: tuple[t.IntArray, t.IntArray],
    item_start: t.IntArray,
    objective: int | tuple[float, float, float],
    rules: BinRules,
    trends: Sequence[int],
    threads: int,
) -> list[BestBins]:
    """Return the best partition of each column's items into bins of consecutive items.

    ``items`` has the counts, of shape (items, classes), and the rows of each item; the items of
    column j begin at ``item_start[j]``. ``objective`` is the number of an index, whose sum over the
    bins is minimised, or has the total weights of class 0 and class 1 and the smoothing, for
    maximum information value. The best of the ``trends`` is taken, the first of equals.
    """
    counts, rows = items
    found = _core.best_bins(counts, rows, item_start, objective, rules, list(trends), threads)
    return [BestBins(*bins) for bins in found]


def value_counts(
    table: ValueTable, first: t.IntArray, second: t.IntArray
) -> tuple[t.FloatArray, t.IntArray, t.IntArray, t.IntArray]:
    """Return the distinct values of a column in ascending order, and the totals below each.

    ``table`` has one column; ``first`` and ``second`` are two components of each row. The totals
    are rows, first and second components, with one entry more for all cells that are not missing.
    """
    return _core.value_counts(table, first, second)


def greedy_cuts(first: t.IntArray, second: t.IntArray, leaves: int, least: int) -> t.IntArray:
    """Return where a greedy tree would cut values with these totals, in the order of its growth.

    Until there are ``leaves``, the leaf with the largest gini gain is cut into two of at least the
    weight ``least``. A cut i lies below value i.
    """
    return _core.greedy_cuts(first, second, leaves, least)


def add_scores(leaf: t.BranchArray, scores: t.FloatArray, votes: t.FloatArray) -> None:
    """Add the scores, of shape (nodes, outputs), of each row's leaf to its votes."""
    _core.add_scores(leaf, scores, votes)


def exact_sum(terms: t.FloatArray) -> float:
    """Return the sum of terms of at least 0 in any order; NaN if any term is NaN."""
    return _core.exact_sum(terms.reshape(-1))


def weigh_exponential(
    sample: tuple[t.LabelArray, t.FloatArray | None],
    votes: t.FloatArray,
    leaves: tuple[t.BranchArray, t.FloatArray] | None,
    worst: float,
    units: t.IntArray,
    threads: int,
) -> tuple[float, float, float, float]:
    """Add scores to the votes of rows of two classes and compute the weights share * exp(-y f).

    ``sample`` has the labels and shares of the rows (None for equal shares), ``votes`` is f, of
    shape (rows, 1), and ``leaves`` has the leaf of each row and the scores of all nodes; None
    leaves the votes unchanged. ``worst`` is the largest -y f before the call, or inf if it is not
    known. The weights are written to ``units`` as integers of at least 1 with a sum of about 2^52.

    Return the logarithm of the loss, the total share of the rows in error, the largest -y f, and
    the sum of the weights, which the kernel scales by a power of two.
    """
    return _core.weigh_exponential(sample, votes, leaves, worst, units, threads)


def weigh_logistic(
    sample: tuple[t.LabelArray, t.FloatArray | None],
    votes: t.FloatArray,
    leaves: tuple[t.BranchArray, t.FloatArray] | None,
    response: tuple[float, float],
    out: tuple[t.IntArray, t.IntArray],
    threads: int,
) -> tuple[float, float, float, float]:
    """Add scores to the votes of rows of two classes and compute the weights for least squares.

    The arguments are those of ``weigh_exponential``, except that ``response`` has the largest
    working response Z and the smallest weight. ``out`` receives the weights of each row for its own
    class and for the other, share * w (1 + |z|/Z)/2 and share * w (1 - |z|/Z)/2, in units of 2^-52
    of their sum. The loss is in bits, and the last value returned is that sum.
    """
    own, other = out
    return _core.weigh_logistic(sample, votes, leaves, response, own, other, threads)


PartSample: TypeAlias = tuple[t.LabelArray, t.FloatArray | None, int]
"""The labels and shares of some rows (None for equal shares), and the number of all rows."""


def sum_exponential(
    sample: PartSample,
    votes: t.FloatArray,
    leaves: tuple[t.BranchArray, t.FloatArray] | None,
    shift: float,
    weights: t.IntArray | None,
    threads: int,
) -> RowSums:
    """Add scores to the votes of some rows, and return sums over them: see ``weigh_exponential``.

    ``weights`` receives the bits of the weights times 2^-shift, which ``write_units`` converts. If
    it is None, the sums have only the errors and the largest -y f.
    """
    return _core.sum_exponential(sample, votes, leaves, shift, weights, threads)


def weighed_exponential(
    sums: RowSums, shift: float, n_rows: int, *, equal: bool
) -> tuple[float, float, float, float]:
    """Return what ``weigh_exponential`` returns, from the sums of all rows.

    ``equal`` is whether all rows have the same share.
    """
    return _core.weighed_exponential(sums, shift, n_rows, equal)


def sum_logistic(
    sample: PartSample,
    votes: t.FloatArray,
    leaves: tuple[t.BranchArray, t.FloatArray] | None,
    response: tuple[float, float],
    out: tuple[t.IntArray, t.IntArray],
    threads: int,
) -> RowSums:
    """Add scores to the votes of some rows, and return sums over them: see ``weigh_logistic``.

    ``out`` receives the bits of the weights, which ``write_units`` converts.
    """
    own, other = out
    return _core.sum_logistic(sample, votes, leaves, response, own, other, threads)


def weighed_logistic(
    sums: RowSums, n_rows: int, *, equal: bool
) -> tuple[float, float, float, float]:
    """Return what ``weigh_logistic`` returns, from the sums of all rows."""
    return _core.weighed_logistic(sums, n_rows, equal)


def write_units(weights: t.IntArray, total: float, threads: int) -> None:
    """Replace the bits of weights by integers of at least 1, in units of 2^-52 of a total."""
    _core.write_units(weights, total, threads)


def route(tree: TreeArrays, table: ValueTable, node: t.BranchArray, threads: int) -> None:
    """Replace each ``node[i]`` by the leaf, or user-defined split, that row i reaches from it."""
    _core.route(tree, table, node, threads)


def prunings(
    child_start: t.IntArray,
    child: t.BranchArray,
    errors: t.IntArray,
    carried: t.IntArray | None,
    cap: int,
) -> Prunings:
    """Return the best pruning of at most k leaves for every k up to ``cap``.

    ``errors[v]`` are the errors of node v as a leaf, in integer units, so that ties are exact. The
    best pruning has the fewest errors, then the fewest leaves, then the smallest sum of the depths
    of its leaves, then the fewest leaves below the first branch, the second, and so on. ``carried``
    does not affect the prunings; it is summed over the leaves, for example held-out errors.

    The result has ``sizes`` in ascending order, ``errors`` in descending order, ``carried``, and
    ``leaves(i)``, the leaves of pruning i.
    """
    return Prunings(child_start, child, errors, carried, cap)


def optimal_search(
    columns: tuple[t.RowArray, t.RowArray, t.ByteArray, t.ByteArray],
    rows: tuple[t.IntArray, t.LabelArray, t.IntArray, int],
    max_leaves: int,
    max_depth: int | None,
) -> OptimalSearch:
    """Return a search for the binary tree of least cost.

    ``columns`` has the codes of all columns, of shape (columns, rows), and for each column the
    number of its codes, whether they are categories, and whether the last one is for missing cells.
    ``rows``, which must have different codes, has the first entry of each row, the classes and the
    weights of the entries, and the number of classes. A row costs its largest weight less that of
    the class of its leaf.

    ``prove(k, goal, seconds)`` raises ``lower(k)``, a bound on the cost of any tree with at most k
    leaves, to the goal or to ``upper(k)``, the cost of a known tree; it returns False if it cannot.
    """
    return OptimalSearch(*columns, *rows, max_leaves, max_depth)


def vote(
    trees: TreeArrays,
    root: t.BranchArray,
    scores: t.FloatArray,
    table: ValueTable,
    votes: t.FloatArray,
    threads: int,
) -> None:
    """Add to each row's ``votes`` the scores of its leaves in many trees.

    ``trees`` has the concatenated arrays of the trees, and ``root`` the first node of each.
    ``scores`` has a row for each node and a column for each output. A row that reaches a
    user-defined split ends there.
    """
    _core.vote(trees, root, scores, table, votes, threads)


def look_up(lookups: Lookups, table: ValueTable, votes: t.FloatArray, threads: int) -> None:
    """Add to each row's ``votes`` the scores of its places in some columns.

    The places of an ordered column are the ranges between its thresholds, those of a nominal column
    its codes. Two more places are for missing cells and for new values.
    """
    _core.look_up(lookups, table, votes, threads)


class PolishRules(NamedTuple):
    """What a kernel polishes for, and within which limits.

    The loss of a leaf is its errors times ``1 - impurity_share`` plus half its impurity times
    ``impurity_share``. The first ``observed`` rows count for ``least_rows`` of a leaf, all rows for
    its ``least_weight``. ``first_columns`` come first on every path; ``after_columns`` has, for
    each column, those of which one must be asked above it, or is empty. Groupings of categories pay
    for their description, with the cases that a unit of weight stands for.
    """

    impurity_share: float
    question_price: float
    observed: int
    least_rows: int
    least_weight: int
    passes: int
    threads: int
    first_columns: list[int]
    after_columns: list[list[int]]
    cases_per_unit: float


class PolishedArrays(NamedTuple):
    """A polished tree on codes.

    ``passes`` is the number of passes that changed a split. Node v splits on ``column[v]`` (-1 for
    a leaf), and code c goes to branch ``branch_of_code[code_start[v] + c]``, which is UNSEEN for
    codes that no row of the node has. ``changed`` is 1 if the split of the node, or of one above
    it, changed. ``counts`` (nodes times classes) and ``rows`` are those of the nodes, and ``leaf``
    is the leaf of each row.
    """

    passes: int
    column: t.BranchArray
    code_start: t.IntArray
    branch_of_code: t.BranchArray
    changed: t.ByteArray
    counts: t.IntArray
    rows: t.IntArray
    leaf: t.BranchArray


def polish(
    table: CodeTable,
    columns: tuple[t.ByteArray, t.ByteArray],
    target: tuple[t.LabelArray, t.IntArray | None, list[tuple[t.LabelArray, t.IntArray]], int],
    tree: tuple[t.IntArray, t.BranchArray, t.BranchArray, t.IntArray, t.BranchArray],
    index: KernelIndex,
    rules: PolishRules,
) -> PolishedArrays:
    """Return a tree of the same shape with better splits.

    ``columns`` has the use of each column (0 ordered, 1 nominal, 2 for splits that must not
    change), and whether its last code stands for missing cells. ``target`` has labels, weights or
    None, further layers and the number of classes. ``tree`` has ``child_start``, ``child``,
    ``column``, ``code_start`` and ``branch_of_code``, with a branch for every code.
    """
    use, has_missing = columns
    return PolishedArrays(*_core.polish(table, use, has_missing, target, tree, index, rules))


def index_values(index: int, counts: t.FloatArray) -> t.FloatArray:
    """Return the values of a built-in index for counts of shape (n, classes)."""
    return _core.index_values(index, counts)
