"""Route the rows of a sample through a tree and count them at every node, in plain NumPy.

This is the verifier's own routing. It shares no code with the kernels that grow the tree or predict
with it. Branch b gets ``thresholds[b-1] < x <= thresholds[b]``, with numbers compared as float64.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from polytomy._cancellation import check
from polytomy._errors import FamilyError, TreeError
from polytomy._types import MISSING, UNKNOWN, UNSEEN, AnyArray, BranchArray, FloatArray, IntArray
from polytomy.encode import Schema, aligned, fixed_point
from polytomy.table import Ordered, Ranks, Table, Times
from polytomy.tree import CODES, INTERVALS, LEAF, OWN, Tree, checked_route

from .report import Ledger

_NO_TIME = np.iinfo(np.int64).min


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """Rows aligned with a schema, with their classes and exact weights.

    The weight of row i is ``units[i] * unit``; ``units`` are integers, or None if all are 1.
    """

    table: Table
    columns: list[Ordered | BranchArray]
    labels: AnyArray
    units: FloatArray | None
    unit: float
    n_classes: int
    terms: FloatArray | None = None  # of a numeric target: what each row adds to the moments

    @classmethod
    def of(
        cls, table: Table, schema: Schema, labels: AnyArray, weights: AnyArray | None, classes: int
    ) -> "Sample":
        """Align a table with the schema and convert its weights to integer units."""
        units, unit = (None, 1.0) if weights is None else fixed_point(weights, table.n_rows)
        exact = None if units is None else units.astype(np.float64)  # their sum is at most 2^53
        return cls(table, aligned(table, schema), np.asarray(labels, np.intp), exact, unit, classes)

    @classmethod
    def of_numbers(
        cls, table: Table, schema: Schema, numbers: FloatArray, weights: AnyArray | None, tree: Tree
    ) -> "Sample":
        """Align a table with the schema; its target are numbers, as that of a tree."""
        assert tree.centre is not None
        w = np.ones(len(numbers)) if weights is None else np.asarray(weights, dtype=np.float64)
        far = np.asarray(numbers, dtype=np.float64) - tree.centre
        terms = [w, w * far, w * far * far]
        if tree.counts.shape[1] == 4:
            terms.append(w * far * np.log(np.where(far > 0, far, 1.0)))
        columns, none = aligned(table, schema), np.zeros(len(numbers), dtype=np.intp)
        return cls(table, columns, none, None, 1.0, len(terms), np.column_stack(terms))

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.labels)


@dataclass(frozen=True, slots=True, eq=False)
class Recount:
    """The rows and class weights of a sample at every node of a tree.

    The rows of node v are ``order[start[v]:stop[v]]``; those of a child lie within its parent's.
    """

    counts: FloatArray  # weight of each class, by node; or the moments of a numeric target
    weight: FloatArray
    scale: FloatArray  # of rounding errors, like counts
    rows: IntArray
    order: IntArray
    start: IntArray
    stop: IntArray
    defaulted: IntArray  # number of rows that took the default branch, by node

    def rows_of(self, node: int) -> IntArray:
        """Return the rows of a node."""
        return self.order[self.start[node] : self.stop[node]]


def recount(tree: Tree, sample: Sample) -> Recount:
    """Route a sample through a tree and count the rows of every node.

    Raises ``TreeError`` if the tree cannot be followed.

    Parameters
    ----------
    tree : Tree
        The tree.
    sample : Sample
        The rows.

    Returns
    -------
    Recount
        The rows and class weights of every node.
    """
    order = np.arange(sample.n_rows)
    start = np.zeros(tree.n_nodes, dtype=np.int64)
    stop = np.zeros(tree.n_nodes, dtype=np.int64)
    defaulted = np.zeros(tree.n_nodes, dtype=np.int64)
    stop[0] = sample.n_rows
    reached = {0}
    for node in range(tree.n_nodes):  # parents come first
        check()
        if node not in reached:
            raise TreeError(f"node {node} is not a child of an earlier node")
        if tree.kind[node] == LEAF:
            continue
        children = _checked_children(tree, node, reached)
        span = slice(start[node], stop[node])
        branches, defaulted[node] = _branches(tree, node, sample, order[span])
        sizes = np.bincount(branches, minlength=len(children))
        if len(sizes) > len(children):
            raise TreeError(f"node {node} has {len(children)} children but uses {len(sizes)}")
        narrow = branches.astype(np.min_scalar_type(len(children)))  # NumPy sorts 16 bits by radix
        order[span] = order[span][np.argsort(narrow, kind="stable")]
        stop[children] = start[node] + np.cumsum(sizes)
        start[children] = stop[children] - sizes
    counts = _counted(sample, order, start, stop)
    weight = counts.sum(axis=1) if sample.terms is None else counts[:, 0]
    scale = np.repeat(weight[:, None], counts.shape[1], axis=1)
    if sample.terms is not None:
        whole = np.abs(sample.terms).sum(axis=0)
        scale = whole * (weight / max(weight[0], np.finfo(float).tiny))[:, None] + np.abs(counts)
    return Recount(counts, weight, scale, stop - start, order, start, stop, defaulted)


def try_recount(ledger: Ledger, tree: Tree, sample: Sample, what: str = "tree") -> Recount | None:
    """Return ``recount``, or None and a finding if the tree cannot be followed."""
    ledger.begin(f"{what}: rows routed")
    try:
        counted = recount(tree, sample)
    except (FamilyError, TreeError) as broken:
        ledger.holds(False, what, f"rows cannot be routed: {broken}")
        return None
    ledger.count(sample.n_rows)
    return counted


def _checked_children(tree: Tree, node: int, reached: set[int]) -> BranchArray:
    children = tree.children(node)
    new = set(children.tolist())
    beyond = not all(node < child < tree.n_nodes for child in new)
    if len(new) < 2 or len(new) < len(children) or beyond or not reached.isdisjoint(new):
        raise TreeError(f"node {node} has invalid children {children.tolist()}")
    reached |= new
    return children


def _counted(sample: Sample, order: IntArray, start: IntArray, stop: IntArray) -> FloatArray:
    """Sum the class weights of each node's rows; the units are integers, so sums are exact."""
    if sample.terms is not None:
        terms = sample.terms[order]
        spans = zip(start.tolist(), stop.tolist(), strict=True)
        return np.array([terms[first:last].sum(axis=0) for first, last in spans])
    labels = sample.labels[order]
    units = None if sample.units is None else sample.units[order]
    counts = np.empty((len(start), sample.n_classes))
    for node, (first, last) in enumerate(zip(start.tolist(), stop.tolist(), strict=True)):
        weights = None if units is None else units[first:last]
        counts[node] = np.bincount(labels[first:last], weights, sample.n_classes)
    return counts * sample.unit


def _branches(tree: Tree, node: int, sample: Sample, rows: IntArray) -> tuple[AnyArray, int]:
    """Return the branch of each row, and the number of rows that took the default branch."""
    if tree.kind[node] == OWN and node in tree.own:
        return checked_route(tree.own[node], sample.table.take(rows)), 0
    feature = int(tree.feature[node])
    column = sample.columns[feature] if 0 <= feature < len(sample.columns) else None
    missing, default = int(tree.missing_branch[node]), int(tree.default_branch[node])
    if tree.kind[node] == INTERVALS and isinstance(column, Ordered):
        cuts = tree.threshold[tree.threshold_start[node] : tree.threshold_start[node + 1]]
        branches = _ranges(cuts, column.take(rows), missing)
    elif tree.kind[node] == CODES and isinstance(column, np.ndarray):
        start, stop = tree.code_to_branch_start[node : node + 2]
        branches = _groups(tree.code_to_branch[start:stop], column[rows], missing)
    else:
        raise TreeError(f"the split of node {node} does not fit column {feature}")
    unseen = branches == UNSEEN
    branches[unseen] = default
    if len(branches) and branches.min() < 0:
        raise TreeError(f"node {node} routes rows to branch {branches.min()}")
    return branches, int(unseen.sum())


def _ranges(cuts: FloatArray, column: Ordered, missing: int) -> AnyArray:
    numbers = numbers_of(column)
    branches = np.searchsorted(cuts, numbers, side="left")  # number of thresholds below
    branches[np.isnan(numbers)] = missing
    branches[is_unknown(column)] = UNSEEN
    return branches


def _groups(code_to_branch: BranchArray, codes: BranchArray, missing: int) -> AnyArray:
    """Look up codes in a table with two more entries, for -2 (unknown) and -1 (missing)."""
    n = len(code_to_branch)
    assert (UNKNOWN, MISSING) == (-2, -1)
    branch = np.concatenate((code_to_branch, [UNSEEN, missing])).astype(np.intp)
    return np.asarray(branch[np.minimum(codes, n)])  # larger codes are unknown, too: entry n


def numbers_of(column: Ordered) -> FloatArray:
    """Return an ordered column as float64, with NaN for missing cells."""
    values = column.values
    numbers: FloatArray = values.astype(np.float64)
    if isinstance(column.scale, Times):
        numbers[values == _NO_TIME] = np.nan
    elif _is_ranked(column):
        numbers[values < 0] = np.nan
    return numbers


def is_unknown(column: Ordered) -> Any:
    """Return which cells hold a label that the training table did not have."""
    return column.values == UNKNOWN if _is_ranked(column) else np.zeros(len(column.values), bool)


def _is_ranked(column: Ordered) -> bool:
    return isinstance(column.scale, Ranks) and column.values.dtype == np.int32
