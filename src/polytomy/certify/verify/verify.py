"""Verify the record and the certificate of a run against the training data.

Every row is routed through the tree and every node is counted again in plain NumPy. Steps, gammas,
bounds and conditions are derived from those counts alone and compared with the stated values.
Nothing here imports the grower, the kernels or the code that issues certificates.
"""

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from polytomy._errors import TargetError
from polytomy._types import AnyArray
from polytomy.certify.certificate import Certificate
from polytomy.certify.origin import Origin
from polytomy.certify.record import Run
from polytomy.encode import Schema
from polytomy.table import Table
from polytomy.theory import Prices
from polytomy.tree import Tree

from .binary_gain import BinarySearch, GainRange, Histograms, column_codes
from .check_certificate import (
    check_bounds,
    check_covered,
    check_curves,
    check_gammas,
    check_origin,
    check_steps,
    check_vw_tree,
    gammas_of,
    steps_of,
)
from .check_edits import check_edits
from .check_pruning import check_allowance, check_derivation, check_prices, check_raised
from .check_run import (
    check_binary,
    check_finished,
    check_first,
    check_found,
    check_index,
    check_limits,
    check_order,
    check_retired,
    check_rules,
    check_splits,
)
from .check_tree import (
    HowFound,
    check_counts,
    check_defaulted,
    check_node_splits,
    check_schema,
    check_shape,
)
from .constraints import columns_to_search
from .recount import Recount, Sample, try_recount
from .replay import Replay, misses, replay, rounding_errors
from .report import TOLERANCE, Ledger, Report


def verify_run(
    run: Run,
    certificate: Certificate,
    tree: Tree,
    schema: Schema,
    table: Table,
    labels: AnyArray,
    weights: AnyArray | None = None,
) -> Report:
    """Check a run, its tree and its certificate against the training rows.

    Parameters
    ----------
    run : Run
        The record of the run.
    certificate : Certificate
        Its certificate.
    tree : Tree
        The tree as grown.
    schema : Schema
        The columns of the tree.
    table : Table
        The training rows, with the column names of the schema.
    labels : int array
        The class numbers of the rows; -1 for a class that the tree does not have.
    weights : float array or None, default=None
        The weights of the rows, all above 0; None means 1 each.

    Returns
    -------
    Report
        The comparisons and the discrepancies.
    """
    ledger = Ledger()
    sample = _sample(ledger, tree, schema, (table, labels, weights))
    check_shape(ledger, tree)
    counted = None if sample is None else try_recount(ledger, tree, sample)
    if sample is None or counted is None or not check_rules(ledger, run.rules):
        return ledger.report()
    check_counts(ledger, tree, counted)
    codes = [column_codes(c, spec) for c, spec in zip(sample.columns, schema, strict=True)]
    check_schema(ledger, schema, sample, codes)
    played = replay(tree, counted, run.index, run.found)
    facts = _Facts(tree, schema, counted, played)
    histograms = Histograms(schema, sample, counted, codes)
    check_defaulted(ledger, tree, counted)
    how = _how_found(run, certificate)
    check_node_splits(ledger, tree, schema, counted.weight, histograms, how)
    best = BinarySearch(schema, sample, histograms, run.rules).best
    if run.rules.constraints.first and _is_by_labels(certificate.origin):
        check_first(ledger, run, tree, played, schema, partial(best, index=run.index))
    if run.found:
        check_index(ledger, run.index)
        check_splits(ledger, run, played)
        check_found(ledger, run, tree, counted, played)
    else:

        def search(node: int) -> GainRange:
            columns = columns_to_search(tree, len(schema), run.rules, node)
            return best(node, run.index, columns)

        facts = replace(facts, ranges=[search(node) for node in played.nodes])
        _check_run(ledger, run, facts)
        check_retired(ledger, run, tree, played, search)
        check_finished(ledger, run, tree, played)
    check_origin(ledger, run, certificate)
    check_edits(ledger, run, certificate, sample)
    _check_certificate(ledger, run, certificate, facts)
    return ledger.report()


def _is_by_labels(origin: Origin | None) -> bool:
    """Return whether neither a teacher's targets nor people chose splits."""
    return origin is None or (origin.lesson is None and origin.edits is None)


def _how_found(run: Run, certificate: Certificate) -> HowFound:
    origin = certificate.origin
    is_edited = run.found and origin is not None and origin.edits is not None
    is_joined = run.found and (origin is None or origin.lesson is None or is_edited)
    return HowFound(run.found, is_joined, is_edited)


@dataclass(frozen=True, slots=True, eq=False)
class Derivation:
    """The trees from which the tree that predicts was derived.

    Parameters
    ----------
    grown : Tree
        The whole tree as grown.
    own : Tree
        The run's own tree within the budget, contracted if the model contracts.
    prices : Prices or None
        The prices, if they chose the tree.
    raised : Tree or None, default=None
        The tree that was kept, not contracted, if subtrees of it may have been raised.
    is_refined : bool, default=False
        Whether a search or polishing chose splits of the tree again. Then it is no pruning of the
        grown tree, but still costs no more than ``own``.
    may_cost_more : bool, default=False
        Whether the tree may cost more than ``own``, because a teacher had a say. Then the
        certificate must allow for the difference.
    """

    grown: Tree
    own: Tree
    prices: Prices | None
    raised: Tree | None = None
    is_refined: bool = False
    may_cost_more: bool = False


def verify_kept(
    tree: Tree,
    expected: Tree,
    certificate: Certificate,
    schema: Schema,
    rows: tuple[Table, AnyArray, AnyArray | None],
    derivation: Derivation,
) -> Report:
    """Check the tree that predicts, if it is not the grown one: its counts and its shape.

    Parameters
    ----------
    tree : Tree
        The tree that predicts.
    expected : Tree
        The tree that was kept, contracted if the model contracts.
    certificate : Certificate
        The certificate; its statements about a pruned tree are compared, too.
    schema : Schema
        The columns.
    rows : tuple
        The table, the class numbers and the weights, as in ``verify_run``.
    derivation : Derivation
        The trees that it was derived from, to check that it follows from them.

    Returns
    -------
    Report
        The comparisons and the discrepancies.
    """
    ledger = Ledger()
    where = "tree that predicts"
    sample = _sample(
        Ledger(), expected, schema, rows
    )  # its findings are in the report of verify_run
    check_shape(ledger, tree, where)
    counted = None if sample is None else try_recount(ledger, tree, sample, where)
    if counted is not None:
        check_counts(ledger, tree, counted, where)
        ledger.holds(tree == expected, where, "it is not the tree that was kept")
    if counted is not None and certificate.pruned is not None:
        _check_pruned(ledger, certificate, tree, counted)
    if counted is not None and derivation.raised is not None:
        check_raised(ledger, derivation.raised, derivation.grown)
    elif counted is not None:
        if not derivation.is_refined:
            check_derivation(ledger, tree, derivation.grown)
        if derivation.prices is not None:
            index = certificate.run.index
            if not derivation.may_cost_more:
                check_prices(ledger, tree, derivation.own, index, derivation.prices)
            if certificate.pruned is not None and certificate.pruned.allowance is not None:
                check_allowance(
                    ledger,
                    tree,
                    derivation.own,
                    index,
                    derivation.prices,
                    certificate.pruned.allowance,
                    may_cost_more=derivation.may_cost_more,
                )
    return ledger.report()


def _check_pruned(ledger: Ledger, certificate: Certificate, tree: Tree, counted: Recount) -> None:
    """Check the statements about a pruned tree, and the error bound of an overgrown one."""
    ledger.begin("certificate: pruned tree")
    pruned, counts = certificate.pruned, counted.counts[tree.leaves()]
    if pruned is None:
        return
    slack, scale = TOLERANCE, 0.0
    if tree.is_numeric:
        error = float(certificate.run.index.value(counts).sum() / counted.weight[0])
        rounding = float(rounding_errors(counted)[0] / counted.weight[0])
        slack = TOLERANCE * float(certificate.error_curve[0]) + rounding
        scale = rounding / TOLERANCE
    elif tree.costs is not None:
        error = float(misses(tree, counted)[tree.leaves()].sum() / counts.sum())
    else:
        error = float(1.0 - counts.max(axis=1).sum() / counts.sum())
    what = "the pruned tree's training error"
    ledger.close(pruned.training_error, error, "certificate", what, scale)
    if pruned.keeps_error_bound and pruned.allowance is None:
        ledger.holds(
            error <= certificate.training_error + slack,
            "certificate",
            "the pruned tree has more errors than the run's own tree of that size",
        )
    if pruned.keeps_error_bound and certificate.covered:
        ledger.holds(
            error <= certificate.error_bound + (pruned.allowance or 0.0) + slack,
            "certificate",
            f"the pruned tree's training error, {error:.12g}, is above the bound",
        )


@dataclass(frozen=True, slots=True)
class _Facts:
    """The facts derived from the data alone."""

    tree: Tree
    schema: Schema
    counted: Recount
    played: Replay
    ranges: list[GainRange] | None = None  # of the best binary gains; None if not known


def _sample(
    ledger: Ledger,
    tree: Tree,
    schema: Schema,
    given: tuple[Table, AnyArray, AnyArray | None],
) -> Sample | None:
    """Return the rows whose class the tree has, or None if there are none."""
    table, labels, weights = given
    if len(labels) != table.n_rows:
        raise TargetError(f"the table has {table.n_rows} rows, but there are {len(labels)} labels")
    ledger.begin("sample: rows, classes, weights as integer units")
    ledger.same(int(tree.rows[0]), table.n_rows, "sample", "the number of rows")
    if tree.is_numeric:
        return Sample.of_numbers(table, schema, labels, weights, tree)
    unknown = (labels < 0) | (labels >= tree.n_classes)
    n, first = int(unknown.sum()), int(np.argmax(unknown))
    ledger.holds(
        n == 0,
        "sample",
        f"{n} rows have a class that the tree does not have; the first is row {first}",
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
        ledger.holds(near, "sample", f"weights as integer units are off by up to {off:.3g}")
    return sample


def _check_run(ledger: Ledger, run: Run, facts: _Facts) -> None:
    check_index(ledger, run.index)
    assert facts.ranges is not None
    check_splits(ledger, run, facts.played)
    check_binary(ledger, run, facts.played, facts.ranges)
    check_limits(ledger, run, facts.tree, facts.counted, facts.played)
    check_order(ledger, run, facts.played, facts.ranges)


def _check_certificate(ledger: Ledger, run: Run, certificate: Certificate, facts: _Facts) -> None:
    tree, counted, played = facts.tree, facts.counted, facts.played
    ledger.begin("certificate: belongs to this run and tree")
    ledger.holds(certificate.run == run, "certificate", "it is the certificate of another run")
    ledger.holds(certificate.tree == tree, "certificate", "it is the certificate of another tree")
    ledger.holds(
        certificate.schema is facts.schema, "certificate", "it has the columns of another table"
    )
    gammas = gammas_of(run, played, facts.ranges)
    check_gammas(ledger, certificate, gammas)
    check_bounds(ledger, run.judged_by, certificate, played, gammas)
    check_curves(ledger, run.judged_by, certificate, played, gammas)
    steps = steps_of(run.judged_by, tree, facts.schema, counted, played, gammas)
    check_steps(ledger, certificate, steps, played)
    check_covered(ledger, run, certificate, counted, played, gammas)
    check_vw_tree(ledger, certificate, tree, played, gammas.whole)
