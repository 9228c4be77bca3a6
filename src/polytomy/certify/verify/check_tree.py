"""Check the schema and the tree: every node against its training rows."""

from bisect import bisect_left
from collections.abc import Sequence
from math import inf
from typing import NamedTuple, Protocol

import numpy as np

from polytomy._cancellation import check
from polytomy._errors import TreeError
from polytomy._types import MISSING, TIE, UNSEEN, AnyArray, FloatArray, IntArray
from polytomy.encode import OrderedColumn, Schema
from polytomy.table import Ordered
from polytomy.tree import OWN, CategorySplit, IntervalSplit, Tree, check_tree

from .recount import Recount, Sample, is_unknown, numbers_of
from .report import TOLERANCE, Ledger


class HowFound(NamedTuple):
    """What a split may be, beside what growth makes.

    Parameters
    ----------
    found : bool
        Whether the tree was not grown. Its thresholds may lie between any values of the training
        table, not only those of the node: synthetic rows may have been there.
    joined : bool
        Whether a split may be joined from several. It sends new values to the heaviest branch of
        each, which need not be its own heaviest.
    edited : bool
        Whether people chose splits. Their thresholds may lie anywhere, and they may place
        categories and missing cells that no training row of the node has.
    """

    found: bool
    joined: bool
    edited: bool


GROWN = HowFound(found=False, joined=False, edited=False)


class CellCounts(Protocol):
    """The number of training rows of a node with each value of a column."""

    def rows(self, node: int, column: int) -> AnyArray:
        """Return the number of rows with each code; those without a value come last."""


class CodesOfRows:
    """The cells of some of a table's rows, by the nodes of a tree.

    Parameters
    ----------
    schema : Schema
        The columns.
    codes : sequence of arrays
        The code of every cell, by column; ``n_values`` if it is missing.
    counted : Recount
        The rows of every node.
    inside : ndarray of bool or None, default=None
        Which rows count; None for all.
    """

    def __init__(
        self,
        schema: Schema,
        codes: Sequence[AnyArray],
        counted: Recount,
        inside: AnyArray | None = None,
    ) -> None:
        self._schema, self._codes, self._counted, self._inside = schema, codes, counted, inside

    def rows(self, node: int, column: int) -> IntArray:
        """Return the number of rows with each code; those without a value come last."""
        at = self._counted.rows_of(node)
        at = at if self._inside is None else at[self._inside[at]]
        n_codes = self._schema[column].n_values + 1
        return np.bincount(self._codes[column][at], minlength=n_codes)


def check_shape(ledger: Ledger, tree: Tree, what: str = "tree", fewest_rows: int = 1) -> None:
    """Check the invariants of the tree; ``fewest_rows`` are those of a leaf."""
    ledger.begin(f"{what}: edges, branches, sums")
    custom = np.flatnonzero(tree.kind == OWN).tolist()
    if not ledger.same(custom, sorted(tree.own), what, "the nodes with a user-defined split"):
        return
    try:
        check_tree(tree, fewest_rows)
    except TreeError as broken:
        ledger.holds(False, what, str(broken))
    else:
        ledger.count(1)


def check_counts(ledger: Ledger, tree: Tree, counted: Recount, what: str = "tree") -> None:
    """Check the class weights and the number of rows of every node."""
    several = "moments" if tree.is_numeric else "class weights"
    name = several if tree.n_classes > 1 else "weights"
    ledger.begin(f"{what}: {name} and rows of every node")
    for node in range(tree.n_nodes):
        where = f"{what}, node {node}"
        ledger.same(int(tree.rows[node]), int(counted.rows[node]), where, "the number of rows")
        off = np.abs(tree.counts[node] - counted.counts[node])
        ledger.holds(
            bool((off <= TOLERANCE * counted.scale[node]).all()),
            where,
            f"the {name} are stated as {_counts_text(tree.counts[node])}, "
            f"found {_counts_text(counted.counts[node])}",
        )


def check_schema(ledger: Ledger, schema: Schema, sample: Sample, codes: Sequence[AnyArray]) -> None:
    """Check that the columns have exactly the values of the schema."""
    ledger.begin("schema: bins and categories")
    for spec, column, coded in zip(schema, sample.columns, codes, strict=True):
        where = f"column {spec.name!r}"
        if isinstance(spec, OrderedColumn) and isinstance(column, Ordered):
            strange, absent = _strange_numbers(column, spec, coded)
            what = "bin ends"
        else:
            strange = int((np.asarray(column) < MISSING).sum())
            absent = int((np.bincount(coded, minlength=spec.n_values)[: spec.n_values] == 0).sum())
            what = "categories"
        ledger.holds(
            strange == 0, where, f"{strange} cells have values that the training table did not have"
        )
        ledger.holds(absent == 0, where, f"{absent} {what} of the training table do not occur")
        missing = bool((coded == spec.n_values).any())
        ledger.same(spec.has_missing, missing, where, "whether cells are missing")


def check_node_splits(
    ledger: Ledger,
    tree: Tree,
    schema: Schema,
    weight: FloatArray,
    cells: CellCounts,
    how: HowFound = GROWN,
    what: str = "tree",
) -> None:
    """Check that every split fits its training rows: thresholds, seen values, default branch.

    ``weight`` is that of every node, and ``what`` the name of the tree in findings.
    """
    ledger.begin(f"{'tree' if what == 'tree' else 'trees'}: thresholds, seen and unseen values")
    for node in range(tree.n_nodes):
        check()
        split, where = tree.split(node), f"{what}, node {node}"
        if not isinstance(split, IntervalSplit | CategorySplit):
            stated = (tree.feature[node], tree.missing_branch[node], tree.default_branch[node])
            ledger.same([*map(int, stated)], [UNSEEN] * 3, where, "its column and branches")
            continue
        if not how.joined:
            heaviest = _heaviest(weight[tree.children(node)])
            ledger.same(split.default_branch, heaviest, where, "default_branch")
        rows = cells.rows(node, split.feature)
        seen = bool(rows[-1] > 0)
        has_branch = split.missing_branch != UNSEEN
        ledger.holds(
            has_branch == seen or (how.edited and has_branch),
            where,
            f"the node has {'' if seen else 'no '}missing cells, but missing_branch is "
            f"{split.missing_branch}",
        )
        spec = schema[split.feature]
        if isinstance(split, CategorySplit):
            present = np.flatnonzero(rows[:-1]).tolist()
            _check_codes(ledger, where, split, present, edited=how.edited)
        elif isinstance(spec, OrderedColumn) and how.found:
            if not how.edited:
                _check_any_cuts(ledger, where, split, spec)
        elif isinstance(spec, OrderedColumn):
            _check_cuts(ledger, where, split, spec, np.flatnonzero(rows[:-1]).tolist())


def check_defaulted(ledger: Ledger, tree: Tree, counted: Recount) -> None:
    """Check that no training row takes the branch for values that were not seen."""
    ledger.begin("tree: branches of seen values")
    for node in range(tree.n_nodes):
        n = int(counted.defaulted[node])
        what = f"{n} training rows take the default branch"
        ledger.holds(n == 0, f"tree, node {node}", what)


def _check_codes(
    ledger: Ledger, where: str, split: CategorySplit, present: list[int], *, edited: bool
) -> None:
    sent = np.flatnonzero(split.code_to_branch != UNSEEN).tolist()
    if edited:
        sent = [code for code in sent if code in present]
    ledger.same(sent, present, where, "the list of categories with a branch")


def _check_cuts(
    ledger: Ledger, where: str, split: IntervalSplit, spec: OrderedColumn, present: list[int]
) -> None:
    """Check that each threshold lies half-way between neighbouring bins of the node."""
    high = spec.high[present]
    for cut in split.thresholds.tolist():
        below = int(np.searchsorted(high, cut, side="right"))  # bins left of the threshold
        if ledger.holds(
            0 < below < len(present),
            where,
            f"threshold {cut!r} does not separate any values of the node",
        ):
            halfway = spec.threshold(present[below - 1], present[below])
            ledger.same(cut, halfway, where, "a threshold")


def _check_any_cuts(ledger: Ledger, where: str, split: IntervalSplit, spec: OrderedColumn) -> None:
    """Check that each threshold lies half-way between two bins of the training table."""
    for at, cut in enumerate(split.thresholds.tolist()):
        known = _is_halfway(spec, cut) or (at == 0 and cut == -inf)
        what = f"threshold {cut!r} does not lie half-way between two training values"
        ledger.holds(known, where, what)


def _is_halfway(spec: OrderedColumn, cut: float) -> bool:
    """Return whether a threshold lies half-way between any bin below it and any above it."""
    below = int(np.searchsorted(spec.high, cut, side="right"))
    above = range(int(np.searchsorted(spec.low, cut, side="right")), spec.n_values)
    for left in reversed(range(below)):
        at = bisect_left(above, cut, key=lambda right: spec.threshold(left, right))
        if at < len(above) and spec.threshold(left, above[at]) == cut:
            return True
    return False


def _heaviest(weights: FloatArray) -> int:
    """Return the first branch of largest weight, up to the tie tolerance."""
    return int(np.argmax(weights >= weights.max() - TIE * weights.sum()))


def _strange_numbers(column: Ordered, spec: OrderedColumn, codes: AnyArray) -> tuple[int, int]:
    """Count the values outside all bins, and the bin ends that do not occur."""
    numbers = numbers_of(column)
    low, high = (np.append(ends, np.nan)[codes] for ends in (spec.low, spec.high))
    strange = int((~((low <= numbers) & (numbers <= high)) & ~np.isnan(numbers)).sum())
    absent = 0
    for ends in (low, high):
        found = np.bincount(codes[numbers == ends], minlength=spec.n_values)
        absent += int((found[: spec.n_values] == 0).sum())
    return strange + int(is_unknown(column).sum()), absent


def _counts_text(counts: FloatArray) -> str:
    shown = ", ".join(f"{c:.10g}" for c in counts[:8])
    return f"[{shown}{', ...' if len(counts) > 8 else ''}]"
