"""Checks of the schema and the tree: every node against the rows it holds."""

from collections.abc import Sequence

import numpy as np

from polytomy._errors import TreeError
from polytomy._types import MISSING, TIE, UNSEEN, AnyArray, FloatArray
from polytomy.encode import OrderedColumn, Schema
from polytomy.table import Ordered
from polytomy.tree import OWN, CodeQuestion, IntervalQuestion, Tree, check_tree

from .binary import Histograms
from .recount import Recount, Sample, is_unknown, numbers_of
from .report import TOLERANCE, Ledger


def check_shape(ledger: Ledger, tree: Tree, what: str = "tree") -> None:
    """Check the tree's own invariants."""
    ledger.begin(f"{what}: edges, branches, sums")
    own = np.flatnonzero(tree.kind == OWN).tolist()
    if not ledger.same(own, sorted(tree.own), what, "the nodes with a user's own question"):
        return
    try:
        check_tree(tree)
    except TreeError as broken:
        ledger.holds(False, what, str(broken))
    else:
        ledger.count(1)


def check_counts(ledger: Ledger, tree: Tree, held: Recount, what: str = "tree") -> None:
    """Check what every node is said to hold."""
    ledger.begin(f"{what}: class weights and rows of every node")
    for node in range(tree.n_nodes):
        where = f"{what}, node {node}"
        ledger.same(int(tree.rows[node]), int(held.rows[node]), where, "the number of rows")
        off = np.abs(tree.counts[node] - held.counts[node])
        ledger.holds(
            bool((off <= TOLERANCE * held.counts[node].sum()).all()),
            where,
            f"the class weights are stated as {_told(tree.counts[node])}, "
            f"found {_told(held.counts[node])}",
        )


def check_schema(ledger: Ledger, schema: Schema, sample: Sample, codes: Sequence[AnyArray]) -> None:
    """Check that the columns have the values the schema was made of, and no others."""
    ledger.begin("schema: bins and categories")
    for spec, column, coded in zip(schema, sample.columns, codes, strict=True):
        where = f"column {spec.name!r}"
        if isinstance(spec, OrderedColumn) and isinstance(column, Ordered):
            strange, absent = _strange_numbers(column, spec, coded)
            what = "ends of bins"
        else:
            strange = int((np.asarray(column) < MISSING).sum())
            absent = int((np.bincount(coded, minlength=spec.n_values)[: spec.n_values] == 0).sum())
            what = "categories"
        ledger.holds(strange == 0, where, f"{strange} cells hold values the tree was not grown on")
        ledger.holds(absent == 0, where, f"{absent} {what} the tree was grown on do not occur")
        missing = bool((coded == spec.n_values).any())
        ledger.same(spec.has_missing, missing, where, "whether cells are missing")


def check_questions(
    ledger: Ledger, tree: Tree, schema: Schema, held: Recount, histograms: Histograms
) -> None:
    """Check that every question is the one its training rows make: cuts, seen values, the rest."""
    ledger.begin("tree: thresholds, branches of seen and unseen values")
    for node in range(tree.n_nodes):
        question = tree.question(node)
        if not isinstance(question, IntervalQuestion | CodeQuestion):
            asked = (tree.feature[node], tree.missing_branch[node], tree.default_branch[node])
            ledger.same([*map(int, asked)], [UNSEEN] * 3, f"tree, node {node}", "what it asks")
            continue
        where, feature = f"tree, node {node}", question.feature
        ledger.holds(
            int(held.defaulted[node]) == 0,
            where,
            f"{held.defaulted[node]} training rows take the branch for values not seen",
        )
        ledger.same(question.default_branch, _heaviest(tree, node, held), where, "default_branch")
        rows = histograms.of(node, feature)[:, -1]
        seen = bool(rows[-1] > 0)
        ledger.holds(
            (question.missing_branch != UNSEEN) == seen,
            where,
            f"missing cells {'were' if seen else 'were not'} seen here, but missing_branch is "
            f"{question.missing_branch}",
        )
        spec = schema[feature]
        if isinstance(question, CodeQuestion):
            _check_codes(ledger, where, question, np.flatnonzero(rows[:-1]).tolist())
        elif isinstance(spec, OrderedColumn):
            _check_cuts(ledger, where, question, spec, np.flatnonzero(rows[:-1]).tolist())


def _check_codes(ledger: Ledger, where: str, question: CodeQuestion, present: list[int]) -> None:
    sent = np.flatnonzero(question.code_to_branch != UNSEEN).tolist()
    ledger.same(sent, present, where, "the codes of the categories with a branch")


def _check_cuts(
    ledger: Ledger, where: str, question: IntervalQuestion, spec: OrderedColumn, present: list[int]
) -> None:
    """Check that each threshold lies half-way between neighbouring bins the node holds."""
    high = spec.high[present]
    for cut in question.thresholds.tolist():
        below = int(np.searchsorted(high, cut, side="right"))  # bins that lie left of the cut
        if ledger.holds(
            0 < below < len(present), where, f"threshold {cut!r} parts no values of the node"
        ):
            own = spec.threshold(present[below - 1], present[below])
            ledger.same(cut, own, where, "a threshold")


def _heaviest(tree: Tree, node: int, held: Recount) -> int:
    """Return the first branch whose weight is the largest, up to the tie tolerance."""
    weights = held.counts[tree.children(node)].sum(axis=1)
    return int(np.argmax(weights >= weights.max() - TIE * weights.sum()))


def _strange_numbers(column: Ordered, spec: OrderedColumn, codes: AnyArray) -> tuple[int, int]:
    """Count the values that lie in no bin, and the ends of bins that are no value."""
    numbers = numbers_of(column)
    low, high = (np.append(ends, np.nan)[codes] for ends in (spec.low, spec.high))
    strange = int((~((low <= numbers) & (numbers <= high)) & ~np.isnan(numbers)).sum())
    absent = 0
    for ends in (low, high):
        found = np.bincount(codes[numbers == ends], minlength=spec.n_values)
        absent += int((found[: spec.n_values] == 0).sum())
    return strange + int(is_unknown(column).sum()), absent


def _told(counts: FloatArray) -> str:
    shown = ", ".join(f"{c:.10g}" for c in counts[:8])
    return f"[{shown}{', ...' if len(counts) > 8 else ''}]"
