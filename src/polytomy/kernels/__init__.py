"""The only door to the compiled kernels: one typed, documented function each.

The functions here take arrays of exactly the dtypes of ``polytomy._types`` and change nothing
about them on the way: a wrong dtype is a ``TypeError``, never a silent copy.
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from polytomy import _types as t

from . import _core

CodeTable: TypeAlias = _core.CodeTable
ValueTable: TypeAlias = _core.ValueTable
TreeArrays: TypeAlias = _core.TreeArrays
Prunings: TypeAlias = _core.Prunings
Lookups: TypeAlias = _core.Lookups
GrowthRules: TypeAlias = _core.GrowthRules
GrowthRun: TypeAlias = _core.GrowthRun
AlternativesRun: TypeAlias = _core.AlternativesRun

PROCEDURES: tuple[str, ...] = _core.PROCEDURES
"""The procedures, in the order of their numbers in the engine."""

FAMILIES: tuple[str, ...] = _core.FAMILIES
"""The families, in the order of their numbers in the engine."""

SORT_BELOW = 1 << 15  # up to here sorting a column beats counting it

KernelIndex = int | Callable[[t.FloatArray], t.FloatArray]
"""A built-in index by its number, or a function from (n, classes) counts to n values."""

if (_core.MISSING, _core.UNKNOWN, _core.UNSEEN, _core.TIE) != (
    t.MISSING,
    t.UNKNOWN,
    t.UNSEEN,
    t.TIE,
) or tuple(np.dtype(d).itemsize for d in (t.Row, t.Weight, t.Label, t.Branch)) != _core.ITEM_SIZES:
    raise ImportError("polytomy's compiled kernels are older than its Python code; reinstall it")


PLAIN, TIMES, RANKS = range(3)


def value_table(columns: Sequence[t.AnyArray], readings: Sequence[int], n_rows: int) -> ValueTable:
    """Wrap raw 1-D columns (any stride, read-only or not) without copying them.

    ``readings[j]`` says how to read column j: PLAIN numbers; TIMES, an int64 whose least value
    means missing; or RANKS, an int32 with MISSING and UNKNOWN.
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
) -> list[tuple[t.FloatArray, t.FloatArray, bool]]:
    """Return, per column, the least and greatest value of each bin, and whether cells are missing.

    At most ``max_bins`` distinct values get a bin each; otherwise the bins end at exact quantiles
    of the weight.
    """
    return _core.find_cuts(table, units, max_bins, sort_below, threads)


def encode(
    table: ValueTable, highs: Sequence[t.FloatArray], sinks: Sequence[t.AnyArray], threads: int
) -> None:
    """Write each cell's code into ``sinks``: the number of bins that end below it.

    A missing cell gets the code ``len(highs[j])``.
    """
    _core.encode(table, list(highs), list(sinks), threads)


def occurring(codes: t.BranchArray, n_categories: int, threads: int) -> tuple[t.ByteArray, bool]:
    """Return which of the categories occur among codes, as 0 and 1, and whether cells are missing.

    A negative code is a missing cell.
    """
    seen = np.zeros(n_categories + 1, dtype=np.uint8)
    _core.occurring(codes, seen, threads)
    return seen[:-1], bool(seen[-1])


def recode(codes: t.BranchArray, new_code: t.RowArray, out: t.AnyArray, threads: int) -> None:
    """Write ``new_code[c]`` for each code c, and its last entry for missing cells, into ``out``."""
    _core.recode(codes, new_code, out, threads)


def accumulate(
    table: CodeTable,
    which: t.BranchArray,
    members: t.RowArray | None,
    target: tuple[t.LabelArray, t.IntArray | None, *tuple[tuple[t.LabelArray, t.IntArray], ...]],
    code_start: t.IntArray,
    out: tuple[t.IntArray, t.IntArray | None],
    threads: int,
) -> None:
    """Add the weights of ``members`` (None: all rows) to class histograms of the columns ``which``.

    ``target`` is (labels, weights or None), and then any number of layers: labels and weights that
    each row counts for besides. ``out`` is (counts of shape (codes, classes), rows or None), where
    column j's codes begin at ``code_start[j]``.
    """
    labels, units, *more = target
    counts, rows = out
    _core.accumulate(table, which, members, labels, units, more, code_start, counts, rows, threads)


def scatter(
    members: t.RowArray,
    table: CodeTable,
    column: int,
    branch_of_code: t.BranchArray,
    scratch: t.RowArray,
    branches: int,
    threads: int,
) -> t.IntArray:
    """Partition ``members`` in place, stably, by branch; return how many rows each branch got."""
    return _core.scatter(members, table, column, branch_of_code, scratch, branches, threads)


def best_intervals(
    counts: t.IntArray,
    rows: t.IntArray,
    index: KernelIndex,
    impurity: float,
    least: tuple[int, int],
    prices: t.FloatArray,
    floor: float,
) -> list[tuple[list[int], list[int]]]:
    """Return the best cuts of one ordered column, for each arity that could win.

    ``counts`` has shape (codes, classes) and ``rows`` the rows of each code; ``least`` is the rows
    and the weight that a child needs; ``prices`` are those of 2, 3, ... branches. Each cut lies
    between a code of the first list and the code at the same position of the second.
    """
    return _core.best_intervals(counts, rows, index, impurity, least, prices, floor)


def add_scores(leaf: t.BranchArray, scores: t.FloatArray, votes: t.FloatArray) -> None:
    """Add to each row's votes the scores, (nodes, outputs), of the leaf it is in."""
    _core.add_scores(leaf, scores, votes)


def weigh_exponential(
    sample: tuple[t.LabelArray, t.FloatArray],
    votes: t.FloatArray,
    leaves: tuple[t.BranchArray, t.FloatArray] | None,
    worst: float,
    units: t.IntArray,
    threads: int,
) -> tuple[float, float, float, float]:
    """Let leaves vote on rows of two classes; write the weights, shares times exp(-y f), in units.

    ``sample`` is the rows' labels and shares, ``votes`` is f, (rows, 1), and ``leaves`` is the leaf
    of each row with the scores of all nodes; None to leave the votes as they are. ``worst`` is the
    largest -y f before, inf where it is not known. Of the ``units`` there are 2^52 in all, and at
    least one a row.

    Return the logarithm of the loss, the share of rows in error, the largest -y f, and the sum of
    the weights in a scale of the kernel's own.
    """
    return _core.weigh_exponential(sample, votes, leaves, worst, units, threads)


def weigh_logistic(
    sample: tuple[t.LabelArray, t.FloatArray],
    votes: t.FloatArray,
    leaves: tuple[t.BranchArray, t.FloatArray] | None,
    response: tuple[float, float],
    out: tuple[t.IntArray, t.IntArray],
    threads: int,
) -> tuple[float, float, float, float]:
    """Let leaves vote on rows of two classes; write what least squares on the log loss need.

    As in ``weigh_exponential``; but ``response`` is (the largest working response Z, the least
    weight), and ``out`` gets what each row counts for its own class and for the other,
    share * w (1 + |z|/Z)/2 and share * w (1 - |z|/Z)/2, in units of 2^-52 of the sum of all. The
    loss is in bits, and the last number returned is that sum.
    """
    own, other = out
    return _core.weigh_logistic(sample, votes, leaves, response, own, other, threads)


def route(tree: TreeArrays, table: ValueTable, node: t.BranchArray, threads: int) -> None:
    """Move each row from ``node[i]`` down to a leaf, or to a node with a user's own question."""
    _core.route(tree, table, node, threads)


def prunings(
    child_start: t.IntArray,
    child: t.BranchArray,
    errors: t.IntArray,
    carried: t.IntArray | None,
    cap: int,
) -> Prunings:
    """Return the best pruning of at most k leaves for every k up to ``cap``.

    ``errors[v]`` is what node v errs as a leaf, in whole units, so that ties are exact: the best
    pruning has the fewest errors, then the fewest leaves, then its leaves closest to the root (the
    least sum of depths), then the fewest leaves below the first branch, the second, and so on.
    ``carried`` decides nothing; it is added up over the leaves, as held-out errors are.

    The result has ``sizes``, which ascend, ``errors``, which fall, ``carried``, and ``leaves(i)``,
    the nodes that are the leaves of pruning i.
    """
    return Prunings(child_start, child, errors, carried, cap)


def vote(
    trees: TreeArrays,
    root: t.BranchArray,
    scores: t.FloatArray,
    table: ValueTable,
    votes: t.FloatArray,
    threads: int,
) -> None:
    """Add to each row's ``votes`` the scores of the leaves it ends in.

    ``trees`` are the arrays of many trees end to end, the first node of each in ``root``;
    ``scores`` has a row for each of their nodes and a column for each output. A row that meets a
    user's own question ends there.
    """
    _core.vote(trees, root, scores, table, votes, threads)


def look_up(lookups: Lookups, table: ValueTable, votes: t.FloatArray, threads: int) -> None:
    """Add to each row's ``votes`` the scores of its place in every one of the columns looked up.

    The places of an ordered column are the ranges between its thresholds, those of categories
    their codes; then come one for missing cells and one for values that are new.
    """
    _core.look_up(lookups, table, votes, threads)


def index_values(index: int, counts: t.FloatArray) -> t.FloatArray:
    """Evaluate a built-in index on each row of an (n, classes) array, as the kernels do."""
    return _core.index_values(index, counts)
