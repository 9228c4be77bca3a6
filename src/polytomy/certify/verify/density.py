"""Verify a density tree against its training rows.

Rows are routed and counted as for other trees. The bins of gaps, the lengths of cells, the boxes,
the shares and the densities are computed again from their definitions. Nothing here imports the
code that computes the densities.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import floor, log, log1p

import numpy as np

from polytomy._types import UNSEEN, AnyArray, FloatArray
from polytomy.encode import ColumnSpec, NominalColumn, OrderedColumn, Schema
from polytomy.table import Ranks, Table
from polytomy.theory import cases_per_weight
from polytomy.tree import CategorySplit, IntervalSplit, Tree

from .binary_gain import column_codes
from .check_tree import (
    HowFound,
    check_counts,
    check_defaulted,
    check_node_splits,
    check_schema,
    check_shape,
)
from .recount import Recount, Sample, try_recount
from .report import TOLERANCE, Ledger, Report

_LARGEST = float(np.finfo(np.float64).max)
_SMALLEST = float(np.finfo(np.float64).tiny)
_WIDE = 4.0  # a gap is this many times as wide as the median distance of bins
_CONTRACTED = HowFound(found=False, joined=True, edited=False)


@dataclass(frozen=True, slots=True, eq=False)
class StatedDensity:
    """What a density tree states.

    Parameters
    ----------
    tree : Tree
        The tree, contracted. Its counts have one component, the weight of the rows.
    schema : Schema
        The columns, with bins for gaps.
    missing_odds : sequence of float
        For each column, the weight of the missing cells divided by that of the others.
    smoothing : float
        The rows that are spread evenly over the box of each node.
    log_density : ndarray of float
        The log-density inside the box of each node.
    scores : ndarray of float
        The log-density of each training row.
    """

    tree: Tree
    schema: Schema
    missing_odds: Sequence[float]
    smoothing: float
    log_density: FloatArray
    scores: FloatArray


def verify_density(stated: StatedDensity, table: Table, weights: AnyArray | None = None) -> Report:
    """Check a density tree against its training rows.

    Parameters
    ----------
    stated : StatedDensity
        The tree and its densities.
    table : Table
        The training rows, with the column names of the schema.
    weights : float array or None, default=None
        The weights of the rows, all above 0; None means 1 each.

    Returns
    -------
    Report
        The comparisons and the discrepancies.
    """
    ledger, tree, schema = Ledger(), stated.tree, stated.schema
    ledger.begin("sample: rows")
    ledger.same(int(tree.rows[0]), table.n_rows, "sample", "the number of rows")
    check_shape(ledger, tree, fewest_rows=0)
    sample = Sample.of(table, schema, np.zeros(table.n_rows, dtype=np.intp), weights, 1)
    counted = try_recount(ledger, tree, sample)
    if counted is None:
        return ledger.report()
    check_counts(ledger, tree, counted)
    check_defaulted(ledger, tree, counted)
    codes = [column_codes(c, spec) for c, spec in zip(sample.columns, schema, strict=True)]
    _check_bins(ledger, schema, sample, codes)
    _check_odds(ledger, stated, sample, codes)
    boxes = _boxes(ledger, tree, schema)
    check_node_splits(ledger, tree, schema, counted.weight, boxes, _CONTRACTED)
    if ledger.ok:  # densities follow from all of this
        _check_densities(ledger, stated, boxes, counted, codes)
    return ledger.report()


def _check_bins(ledger: Ledger, schema: Schema, sample: Sample, codes: Sequence[AnyArray]) -> None:
    """Check the bins that hold rows against the rows, and the others against the wide gaps."""
    filled: list[ColumnSpec] = []
    own: list[AnyArray] = []
    for spec, coded in zip(schema, codes, strict=True):
        held = np.bincount(coded, minlength=spec.n_values)[: spec.n_values] > 0
        if isinstance(spec, OrderedColumn) and not isinstance(spec.scale, Ranks):
            filled.append(replace(spec, low=spec.low[held], high=spec.high[held]))
            own.append(np.append(np.cumsum(held) - 1, held.sum())[coded])
        else:
            filled.append(spec)
            own.append(coded)
    check_schema(ledger, Schema(tuple(filled)), sample, own)
    ledger.begin("schema: bins of gaps")
    for spec, bare in zip(schema, filled, strict=True):
        if isinstance(spec, OrderedColumn) and isinstance(bare, OrderedColumn):
            ends = list(zip(spec.low.tolist(), spec.high.tolist(), strict=True))
            what = "its bins without rows are not the wide gaps between its values"
            ledger.holds(ends == _with_gaps(bare), f"column {spec.name!r}", what)


def _with_gaps(spec: OrderedColumn) -> list[tuple[float, float]]:
    """Return the ends of the bins of a column, with a bin in each wide gap."""
    ends = list(zip(spec.low.tolist(), spec.high.tolist(), strict=True))
    if isinstance(spec.scale, Ranks) or len(ends) < 3:
        return ends
    pairs = list(pairwise(ends))
    halves = [after[0] / 2 - before[1] / 2 for before, after in pairs]
    step, found = float(np.median(halves)), ends[:1]
    for (before, after), half in zip(pairs, halves, strict=True):
        first, last = before[1] + 2 * step, after[0] - 2 * step
        is_wide = step > 0 and half > _WIDE * step
        if is_wide and before[1] < first <= last < after[0]:
            found.append((first, last))
        found.append(after)
    return found


def _check_odds(
    ledger: Ledger, stated: StatedDensity, sample: Sample, codes: Sequence[AnyArray]
) -> None:
    ledger.begin("missing cells: their odds")
    weights = np.ones(sample.n_rows) if sample.units is None else sample.units
    for spec, odds, coded in zip(stated.schema, stated.missing_odds, codes, strict=True):
        missing = float(weights[coded == spec.n_values].sum())
        others = float(weights.sum()) - missing
        found = missing / others if others > 0 else 1.0
        ledger.close(odds, found, f"column {spec.name!r}", "the odds of missing cells")


class _Boxes:
    """The codes inside the box of each node, and whether new values lead to it, by column."""

    def __init__(self, inside: list[list[AnyArray]], new: list[list[bool]]) -> None:
        self.inside, self.new = inside, new

    def rows(self, node: int, column: int) -> AnyArray:
        """Return 1 for each code in the box of a node, and at last for missing cells."""
        return self.inside[node][column]


def _boxes(ledger: Ledger, tree: Tree, schema: Schema) -> _Boxes:
    """Return the boxes; the last entry of a column is that of missing cells, 0 without any."""
    ledger.begin("boxes: no threshold divides a bin")
    whole = [np.append(np.ones(s.n_values, dtype=int), int(s.has_missing)) for s in schema]
    inside, new = [whole] * tree.n_nodes, [[True] * len(schema)] * tree.n_nodes
    for node in range(tree.n_nodes):  # parents come first
        split = tree.split(node)
        if not isinstance(split, IntervalSplit | CategorySplit):
            continue
        j, spec = split.feature, schema[split.feature]
        if isinstance(split, IntervalSplit) and isinstance(spec, OrderedColumn):
            cuts = split.thresholds
            branches = [int((cuts < low).sum()) for low in spec.low.tolist()]
            high = [int((cuts < high).sum()) for high in spec.high.tolist()]
            ledger.holds(branches == high, f"tree, node {node}", "a threshold lies within a bin")
        else:
            assert isinstance(split, CategorySplit)
            sent = split.code_to_branch.tolist()
            sent += [UNSEEN] * (spec.n_values - len(sent))
            branches = [split.default_branch if b == UNSEEN else b for b in sent]
        branches.append(split.branch_of_missing)
        for branch, child in enumerate(tree.children(node).tolist()):
            part = inside[node][j] * (np.array(branches) == branch)
            inside[child] = [*inside[node][:j], part, *inside[node][j + 1 :]]
            to = new[node][j] and branch == split.default_branch
            new[child] = [*new[node][:j], to, *new[node][j + 1 :]]
    return _Boxes(inside, new)


def _check_densities(
    ledger: Ledger,
    stated: StatedDensity,
    boxes: _Boxes,
    counted: Recount,
    codes: Sequence[AnyArray],
) -> None:
    tree, schema = stated.tree, stated.schema
    lengths = [_lengths(*pair) for pair in zip(schema, stated.missing_odds, strict=True)]
    logs = np.array([_log_lengths(lengths, box) for box in boxes.inside])
    cases = counted.weight * cases_per_weight(int(counted.rows[0]), float(counted.weight[0]))
    share = _shares(tree, cases, logs.sum(axis=1), stated.smoothing)
    seen = np.array([_seen(schema, boxes, node, float(cases[0])) for node in range(tree.n_nodes)])
    with np.errstate(divide="ignore"):  # an empty box without smoothing
        density = np.log(share) - logs.sum(axis=1) + np.log(seen)
    ledger.begin("densities: of every node")
    for node in range(tree.n_nodes):
        what = "the log-density of its box"
        where = f"tree, node {node}"
        ledger.close(float(stated.log_density[node]), float(density[node]), where, what, 1.0)
    ledger.begin("densities: integral over all boxes")
    leaves = tree.leaves()
    total = (np.exp(stated.log_density + logs.sum(axis=1)) / seen)[leaves].sum()
    ledger.close(1.0, float(total), "densities", "the integral")
    ledger.begin("log-density of the training rows")
    found = np.empty(len(stated.scores))
    for leaf in leaves.tolist():
        found[counted.rows_of(leaf)] = density[leaf]
    for spec, coded, length in zip(schema, codes, lengths, strict=True):
        if spec.has_missing:  # a missing cell is a category of that length
            found[coded == spec.n_values] += log(length[-1])
    off = np.abs(stated.scores - found) > TOLERANCE * np.maximum(np.abs(found), 1.0)
    ledger.count(len(off) - 1)
    what = f"{int(off.sum())} training rows have another log-density; the first is row "
    ledger.holds(not off.any(), "densities", f"{what}{int(np.argmax(off))}")


def _lengths(spec: ColumnSpec, odds: float) -> FloatArray:
    """Return the length of each code of a column; that of missing cells is the last, if any."""
    if isinstance(spec, NominalColumn) or not spec.n_values:
        lengths = np.ones(spec.n_values)
    elif isinstance(spec.scale, Ranks):  # the number of labels
        last = [floor(spec.threshold(i, i + 1)) for i in range(spec.n_values - 1)]
        lengths = np.diff([-1.0, *last, len(spec.scale.labels) - 1.0])
    elif spec.n_values == 1 and spec.low[0] == spec.high[0]:
        lengths = np.ones(1)
    else:
        edges = _edges(spec)
        with np.errstate(over="ignore"):
            lengths = np.minimum(np.diff(edges), _LARGEST / 4 / len(edges))
        lengths = np.maximum(lengths, _SMALLEST)
    if not spec.has_missing:
        return lengths
    missing = min(odds * float(lengths.sum()), _LARGEST / 4) if len(lengths) else 1.0
    return np.append(lengths, missing)


def _edges(spec: OrderedColumn) -> list[float]:
    """Return where cells meet, and where the first begins and the last ends."""
    low, high, n = spec.low.tolist(), spec.high.tolist(), spec.n_values
    first, last = low[0], high[-1]
    if n > 1:
        most = (last / 2 - first / 2) / (n - 1)  # half of the mean distance
        if low[0] == high[0]:
            first = max(low[0] - min(low[1] / 2 - low[0] / 2, most), -_LARGEST)
        if low[-1] == high[-1]:
            last = min(high[-1] + min(high[-1] / 2 - high[-2] / 2, most), _LARGEST)
    return [first, *(spec.threshold(i, i + 1) for i in range(n - 1)), last]


def _log_lengths(lengths: Sequence[FloatArray], box: Sequence[AnyArray]) -> list[float]:
    """Return the logarithm of the length of a box along each column."""
    found = []
    for length, inside in zip(lengths, box, strict=True):
        here = length[inside[: len(length)] > 0]
        most = float(here.max())
        found.append(log(most) + log(float((here / most).sum())))
    return found


def _shares(tree: Tree, cases: FloatArray, log_volume: FloatArray, smoothing: float) -> FloatArray:
    """Return the share of each node: (n + s v)/(n_parent + s) of its parent's."""
    share = np.ones(tree.n_nodes)
    for node in range(1, tree.n_nodes):
        parent = int(tree.parent[node])
        part = float(np.exp(log_volume[node] - log_volume[parent]))
        above = cases[parent] + smoothing
        share[node] = share[parent] * ((cases[node] + smoothing * part) / above if above else 0.0)
    return share


def _seen(schema: Schema, boxes: _Boxes, node: int, cases: float) -> float:
    """Return the probability that training showed all cells of a row in the box of a node."""
    total = 0.0
    for j, spec in enumerate(schema):
        if not spec.n_values:
            continue
        has_tails = isinstance(spec, OrderedColumn) and not isinstance(spec.scale, Ranks)
        outcomes = (2 if has_tails else 1) + (not spec.has_missing)
        new, inside = boxes.new[node][j], boxes.inside[node][j]
        here = int(new and not spec.has_missing)
        here += int(inside[0] + inside[spec.n_values - 1]) if has_tails else int(new)
        total += log1p(-here / (cases + 1 + outcomes))
    return float(np.exp(total))
