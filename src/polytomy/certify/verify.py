"""Verifying: a run's record and certificate against the data, by code that grew nothing.

Every row is sent down the tree and every node counted afresh in plain NumPy; steps, gammas, bounds
and conditions follow from those counts alone and are compared with what is stated. Nothing here
imports the grower, the kernels or the code that issues certificates.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np

from polytomy._errors import FamilyError, TargetError, TreeError
from polytomy._types import AnyArray
from polytomy.encode import Schema
from polytomy.table import Table
from polytomy.tree import Tree

from .binary import BinarySearch, Histograms, Range, codes_of
from .certificate import Certificate
from .checks_bounds import check_bounds, check_curves, check_gammas, gammas_of
from .checks_covered import check_covered, check_steps, steps_of
from .checks_run import (
    check_binary,
    check_finished,
    check_index,
    check_limits,
    check_order,
    check_retired,
    check_rules,
    check_splits,
)
from .checks_tree import check_counts, check_questions, check_schema, check_shape
from .checks_vw import check_vw_tree
from .recount import Recount, Sample, recount
from .replay import Replay, replay
from .report import TOLERANCE, Ledger, Report
from .run import Run


def verify_run(
    run: Run,
    certificate: Certificate,
    tree: Tree,
    schema: Schema,
    table: Table,
    labels: AnyArray,
    weights: AnyArray | None = None,
) -> Report:
    """Check a run, its tree and its certificate against the rows they were made of.

    Parameters
    ----------
    run : Run
        The record.
    certificate : Certificate
        What was issued for it.
    tree : Tree
        The tree as grown.
    schema : Schema
        Its columns.
    table : Table
        The training rows, under the schema's names.
    labels : int array
        Their class numbers; -1 for a class the tree does not know.
    weights : float array, optional
        Their weights; 1 each by default. None may be 0.
    """
    ledger = Ledger()
    sample = _sample(ledger, tree, schema, (table, labels, weights))
    check_shape(ledger, tree)
    held = None if sample is None else _recounted(ledger, tree, sample)
    if sample is None or held is None or not check_rules(ledger, run.rules):
        return ledger.report()
    check_counts(ledger, tree, held)
    codes = [codes_of(c, spec) for c, spec in zip(sample.columns, schema, strict=True)]
    check_schema(ledger, schema, sample, codes)
    histograms = Histograms(schema, sample, held, codes)
    check_questions(ledger, tree, schema, held, histograms)
    search = partial(BinarySearch(schema, sample, histograms, run.rules).best, index=run.index)
    played = replay(tree, held, run.index)
    facts = _Facts(tree, schema, held, played, [search(node) for node in played.nodes])
    _check_run(ledger, run, facts)
    check_retired(ledger, run, tree, played, search)
    check_finished(ledger, run, tree, played)
    _check_certificate(ledger, run, certificate, facts)
    return ledger.report()


def verify_kept(
    tree: Tree,
    expected: Tree,
    certificate: Certificate,
    schema: Schema,
    rows: tuple[Table, AnyArray, AnyArray | None],
) -> Report:
    """Check the tree that predicts where it is not the grown one: its counts, and that it is it.

    Parameters
    ----------
    tree : Tree
        The tree that predicts.
    expected : Tree
        What it is to be: the tree that was kept, contracted or not.
    certificate : Certificate
        What it says of a pruned tree is compared too.
    schema : Schema
        The columns.
    rows : tuple
        The table, the class numbers and the weights of ``verify_run``.
    """
    ledger = Ledger()
    where = "tree that predicts"
    sample = _sample(Ledger(), expected, schema, rows)  # its findings are known
    check_shape(ledger, tree, where)
    held = None if sample is None else _recounted(ledger, tree, sample, where)
    if held is not None:
        check_counts(ledger, tree, held, where)
        ledger.holds(tree == expected, where, "it is not what was kept of the grown tree")
    if held is not None and certificate.pruned is not None:
        _check_pruned(ledger, certificate, tree, held)
    return ledger.report()


def _check_pruned(ledger: Ledger, certificate: Certificate, tree: Tree, held: Recount) -> None:
    """Check what is said of a pruned tree, and that an overgrown one keeps the bound on errors."""
    ledger.begin("certificate: the pruned tree")
    pruned, counts = certificate.pruned, held.counts[tree.leaves()]
    if pruned is None:
        return
    error = float(1.0 - counts.max(axis=1).sum() / counts.sum())
    ledger.close(pruned.training_error, error, "certificate", "the pruned tree's training error")
    if pruned.keeps_error_bound:
        ledger.holds(
            error <= certificate.training_error + TOLERANCE,
            "certificate",
            "the overgrown tree errs more than the run's own of its size",
        )
    if pruned.keeps_error_bound and certificate.covered:
        ledger.holds(
            error <= certificate.error_bound + TOLERANCE,
            "certificate",
            f"the pruned tree's training error, {error:.12g}, is above the bound",
        )


@dataclass(frozen=True, slots=True)
class _Facts:
    """What was found from the data alone."""

    tree: Tree
    schema: Schema
    held: Recount
    played: Replay
    ranges: list[Range]


def _sample(
    ledger: Ledger,
    tree: Tree,
    schema: Schema,
    given: tuple[Table, AnyArray, AnyArray | None],
) -> Sample | None:
    """Return the rows whose class the tree knows; None where there are none."""
    table, labels, weights = given
    if len(labels) != table.n_rows:
        raise TargetError(f"the table has {table.n_rows} rows but there are {len(labels)} labels")
    ledger.begin("sample: rows, classes, weights as whole numbers")
    ledger.same(int(tree.rows[0]), table.n_rows, "sample", "the number of rows")
    unknown = (labels < 0) | (labels >= tree.n_classes)
    n, first = int(unknown.sum()), int(np.argmax(unknown))
    ledger.holds(
        n == 0,
        "sample",
        f"{n} rows are of a class the tree does not know, the first is row {first}",
    )
    if n == table.n_rows:
        return None
    if n:
        kept = np.flatnonzero(~unknown)
        table, labels = table.take(kept), labels[kept]
        weights = None if weights is None else weights[kept]
    sample = Sample.of(table, schema, labels, weights, tree.n_classes)
    if weights is not None:
        whole = 1.0 if sample.units is None else sample.units
        off = float(np.abs(whole * sample.unit - weights).max())
        near = off <= TOLERANCE * float(weights.sum())
        ledger.holds(near, "sample", f"whole weights are off by up to {off:.3g}")
    return sample


def _recounted(ledger: Ledger, tree: Tree, sample: Sample, what: str = "tree") -> Recount | None:
    ledger.begin(f"{what}: rows sent down")
    try:
        held = recount(tree, sample)
    except (FamilyError, TreeError) as broken:
        ledger.holds(False, what, f"it cannot be followed: {broken}")
        return None
    ledger.count(sample.n_rows)
    return held


def _check_run(ledger: Ledger, run: Run, facts: _Facts) -> None:
    check_index(ledger, run.index)
    check_splits(ledger, run, facts.played)
    check_binary(ledger, run, facts.played, facts.ranges)
    check_limits(ledger, run, facts.tree, facts.held, facts.played)
    check_order(ledger, run, facts.played, facts.ranges)


def _check_certificate(ledger: Ledger, run: Run, certificate: Certificate, facts: _Facts) -> None:
    tree, held, played = facts.tree, facts.held, facts.played
    ledger.begin("certificate: of this run and this tree")
    ledger.holds(certificate.run == run, "certificate", "it speaks of another run")
    ledger.holds(certificate.tree == tree, "certificate", "it speaks of another tree")
    ledger.holds(
        certificate.schema is facts.schema, "certificate", "it speaks of another table's columns"
    )
    own = gammas_of(run, played, facts.ranges)
    check_gammas(ledger, certificate, own)
    check_bounds(ledger, run.rules, certificate, played, own.whole)
    check_curves(ledger, run.rules, certificate, played, own.whole)
    steps = steps_of(run.rules, tree, facts.schema, held, played, own)
    check_steps(ledger, certificate, steps, played)
    check_covered(ledger, run, certificate, held, played, own)
    check_vw_tree(ledger, certificate, tree, played, own.whole)
