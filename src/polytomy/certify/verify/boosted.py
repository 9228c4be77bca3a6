"""Verifying a boosted model: every round is recomputed from the rows and the votes of the trees.

Rows are sent down each tree in plain NumPy. From the votes before a round follow the weights D_t of
the rows, and from those the weights at the nodes of the round's trees, the votes of their leaves,
and the figures of the round. All are compared with the stated ones. Nothing here imports the code
that boosts, grows or predicts.
"""

from dataclasses import dataclass
from math import inf

import numpy as np

from polytomy._errors import FamilyError, TargetError, TreeError
from polytomy._types import FloatArray, IntArray
from polytomy.certify.record import BoostedCertificate, RoundRecord
from polytomy.encode import Schema
from polytomy.tree import Tree

from .binary_gain import column_codes
from .boosted_formulas import (
    RULES,
    BoostedRun,
    Member,
    Rows,
    Rule,
    Votes,
    bounded_exp,
)
from .check_tree import CodesOfRows, check_node_splits, check_shape
from .recount import Recount
from .report import TOLERANCE, Ledger, Report

_QUANTUM = 2.0**-40  # votes are multiples of this
_UNIT = 2.0**-52  # the unit of weights in growing; every row weighs at least one
_TWO_CLASSES = ("adaboost", "adaboost-real")


def verify_boosted(
    run: BoostedRun,
    certificate: BoostedCertificate,
    schema: Schema,
    training: Rows,
    held_out: Rows | None = None,
) -> Report:
    """Check a boosted model, its rounds and its certificate against its training rows.

    Parameters
    ----------
    run : BoostedRun
        The model and its record.
    certificate : BoostedCertificate
        The certificate of the rounds that vote.
    schema : Schema
        The columns of the model.
    training : tuple
        The table, the class numbers (-1 for unknown classes) and the weights of the training rows.
    held_out : tuple or None, default=None
        The same for the held-out rows. Without them, errors and losses on held-out rows are not
        checked.

    Returns
    -------
    Report
        The discrepancies, if any.
    """
    ledger = Ledger()
    sample = _checked_sample(ledger, run, schema, training)
    if sample is None or not _check_structure(ledger, run):
        return ledger.report()
    held = None if held_out is None else Votes(run, schema, held_out)
    rule = RULES[run.algorithm](run, sample)
    _check_start(ledger, run, rule)
    found = _replay(ledger, run, rule, held, schema)
    if found is not None:
        _check_certificate(ledger, rule, certificate, found)
    ledger.note("The choice of the splits is not checked: any tree makes a valid round.")
    if held is None and any(r.validation_error is not None for r in run.rounds):
        ledger.note("The errors on held-out rows are not checked: the rows are not at hand.")
    return ledger.report()


@dataclass(frozen=True, slots=True)
class _Figures:
    """The recomputed figures of a round."""

    bound: float | None
    exponential_bound: float | None
    error: float


def _checked_sample(
    ledger: Ledger, run: BoostedRun, schema: Schema, training: Rows
) -> Votes | None:
    """Return the training rows, or None if they cannot be those of the fit."""
    table, labels, _ = training
    if len(labels) != table.n_rows:
        raise TargetError(f"the table has {table.n_rows} rows but there are {len(labels)} labels")
    ledger.begin("sample: rows and classes")
    unknown = int((labels < 0).sum())
    known = ledger.holds(
        unknown == 0, "sample", f"{unknown} rows have a class that the model does not know"
    )
    if run.members:
        ledger.same(int(run.members[0][0].rows[0]), table.n_rows, "sample", "the number of rows")
    return Votes(run, schema, training) if known and table.n_rows else None


def _check_structure(ledger: Ledger, run: BoostedRun) -> bool:
    """Check that trees, votes and rounds fit together; return whether they can be followed."""
    ledger.begin("rounds: trees, leaves and votes")
    where = "rounds"
    if not ledger.holds(run.algorithm in RULES, where, f"unknown algorithm {run.algorithm!r}"):
        return False
    if run.algorithm in _TWO_CLASSES and not ledger.same(run.n_classes, 2, where, "n_classes"):
        return False
    outputs = len(run.start)
    one = run.algorithm in _TWO_CLASSES or (run.algorithm == "logitboost" and run.n_classes == 2)
    sound = ledger.same(outputs, 1 if one else run.n_classes, where, "the number of outputs")
    per_round = run.n_classes if run.algorithm == "logitboost" and not one else 1
    for t, r in enumerate(run.rounds, start=1):
        sound &= ledger.same(r.trees, per_round, f"round {t}", "the number of trees")
    n_trees = sum(r.trees for r in run.rounds)
    sound &= ledger.same(n_trees, len(run.members), where, "the number of trees")
    for t, (tree, votes) in enumerate(run.members):
        name = f"tree {t}"
        shape = (tree.n_nodes, outputs)
        sound &= ledger.same(votes.shape, shape, name, "the shape of the votes")
        multiples = np.asarray(votes) / _QUANTUM
        ledger.holds(
            bool((multiples == np.rint(multiples)).all()), name, "votes are not multiples of 2^-40"
        )
    ledger.holds(0 <= run.n_rounds <= len(run.rounds), where, f"{run.n_rounds} rounds cannot vote")
    first = run.members[: sum(r.trees for r in run.rounds[: run.n_rounds])]
    same = len(first) == len(run.voting) and all(
        a[0] == b[0] and np.array_equal(a[1], b[1]) for a, b in zip(first, run.voting, strict=True)
    )
    ledger.holds(
        same, where, f"the trees that vote are not those of the first {run.n_rounds} rounds"
    )
    return sound


def _check_start(ledger: Ledger, run: BoostedRun, rule: Rule) -> None:
    """Check the votes before any tree; without rounds they predict the class shares."""
    ledger.begin("start: votes before any tree")
    expected = rule.start if run.rounds else rule.prior
    for j, (stated, own) in enumerate(zip(run.start.tolist(), expected.tolist(), strict=True)):
        ledger.close(stated, own, "start", f"the vote for output {j}", scale=1.0)


def _replay(
    ledger: Ledger, run: BoostedRun, rule: Rule, held: Votes | None, schema: Schema
) -> list[_Figures] | None:
    """Recompute all rounds; None if a tree cannot be followed."""
    loss, chained, found = rule.log_loss(rule.rows), 1.0, []
    cells = zip(rule.rows.sample.columns, schema, strict=True)
    codes = [column_codes(column, spec) for column, spec in cells]
    members = iter(enumerate(run.members))
    for t, record in enumerate(run.rounds, start=1):
        where, epsilon, moves = f"round {t}", None, []
        n_leaves = 0
        for which in range(record.trees):
            number, (tree, votes) = next(members)
            check_shape(ledger, tree, "trees")
            try:
                leaf, counted = rule.rows.leaves(tree)
            except (FamilyError, TreeError) as broken:
                ledger.holds(False, f"tree {number}", f"it cannot be followed: {broken}")
                return None
            _check_counts(ledger, rule.columns(which), tree, counted, f"tree {number}")
            here = CodesOfRows(schema, codes, counted)
            check_node_splits(ledger, tree, schema, tree.weight, here, what=f"tree {number}")
            epsilon = _check_votes(ledger, rule, (tree, votes), which, record, number)
            moves.append((leaf, tree, votes))
            n_leaves += tree.n_leaves
        for leaf, tree, votes in moves:
            rule.rows.votes += votes[leaf]
            if held is not None:
                held.votes += votes[held.leaves(tree)[0]]
        before, loss = loss, rule.log_loss(rule.rows)
        z = bounded_exp(loss - before) if before > -inf else 0.0
        chain = rule.chain(record.epsilon, chained)
        chained = chain if chain is not None else 0.0
        found.append(_Figures(rule.bound(loss), chain, rule.rows.error()))
        _check_figures(ledger, rule, record, found[-1], where)
        ledger.same(record.leaves, n_leaves, where, "the number of leaves")
        _optional_close(ledger, record.epsilon, epsilon, where, "epsilon", 1e-12)
        slack = 0.0  # Z is a ratio of losses: their absolute error counts relative to the loss
        if rule.rounding and before > -inf:
            slack = rule.rounding * (1 + z) * bounded_exp(-before)
        ledger.close(record.z, z, where, "Z", scale=z + slack / TOLERANCE)
        _check_held(ledger, record, rule, held, where)
    return found


def _check_counts(
    ledger: Ledger,
    weighted: tuple[IntArray, FloatArray],
    tree: Tree,
    counted: Recount,
    where: str,
) -> None:
    """Check the rows and the weights at every node of a tree."""
    ledger.begin("trees: rows and weights of every node")
    columns, weights = weighted
    total = float(weights.sum())
    if tree.counts.shape[1] <= int(columns.max()):
        ledger.holds(False, where, f"it has {tree.counts.shape[1]} counts for each node")
        return
    # Weights are rounded to units in growing, and no row weighs less than one unit.
    slack = TOLERANCE * total + 2 * _UNIT * total * len(columns.T)
    for node in range(tree.n_nodes):
        at = counted.rows_of(node)
        place = f"{where}, node {node}"
        ledger.same(int(tree.rows[node]), len(at), place, "the number of rows")
        own = np.bincount(
            columns[:, at].ravel(), weights[:, at].ravel(), tree.counts.shape[1]
        ).astype(np.float64)
        off = float(np.abs(tree.counts[node] - own).max())
        ledger.holds(off <= slack, place, f"the weights are off by {off:.3g}")


def _check_votes(
    ledger: Ledger,
    rule: Rule,
    member: Member,
    which: int,
    record: RoundRecord,
    number: int,
) -> float | None:
    """Check the votes of a tree against the weights in its leaves; return the tree's error."""
    tree, votes = member
    ledger.begin("trees: votes of the leaves")
    leaves = tree.leaves()
    counts = tree.counts[leaves]
    where = f"tree {number}"
    if not ledger.holds(
        bool((counts >= 0).all() and (counts.sum(axis=1) > 0).all()), where, "weights below 0"
    ):
        return None
    if not ledger.holds(
        record.epsilon is None or 0 <= record.epsilon < 1, where, "its error is not in [0, 1)"
    ):
        return None
    epsilon, alpha, expected = rule.leaf_votes(counts, which, record)
    ledger.close(record.alpha, alpha, where, "alpha", scale=1.0)
    off = float(np.abs(votes[leaves] - expected).max())
    ledger.holds(
        off <= _QUANTUM + TOLERANCE * float(np.abs(expected).max()),
        where,
        f"the votes of its leaves are off by {off:.3g}",
    )
    inner = np.setdiff1d(np.arange(tree.n_nodes), leaves)
    ledger.holds(not votes[inner].any(), where, "nodes that are not leaves have votes")
    return epsilon


def _check_figures(
    ledger: Ledger, rule: Rule, record: RoundRecord, own: _Figures, where: str
) -> None:
    """Check the training error of a round and its bounds."""
    ledger.begin("rounds: errors, Z and bounds")
    _optional_close(ledger, record.bound, own.bound, where, "the bound", rule.rounding)
    stated, name = record.exponential_bound, "the exponential bound"
    _optional_close(ledger, stated, own.exponential_bound, where, name)
    ledger.close(record.training_error, own.error, where, "the training error", scale=1.0)
    if own.bound is not None:
        ledger.holds(
            own.error <= own.bound + TOLERANCE,
            where,
            f"the training error {own.error:.12g} is above the bound {own.bound:.12g}",
        )


def _check_held(
    ledger: Ledger, record: RoundRecord, rule: Rule, held: Votes | None, where: str
) -> None:
    """Check the error and the loss on the held-out rows."""
    if held is None:
        return
    ledger.begin("rounds: errors on held-out rows")
    _optional_close(
        ledger, record.validation_error, held.error(), where, "the held-out error", 1e-9
    )
    loss = bounded_exp(rule.log_loss(held))
    stated, name = record.validation_loss, "the held-out loss"
    _optional_close(ledger, stated, loss, where, name, rule.rounding)


def _check_certificate(
    ledger: Ledger, rule: Rule, certificate: BoostedCertificate, found: list[_Figures]
) -> None:
    """Check the statements of the certificate."""
    run = rule.run
    ledger.begin("certificate: bounds and training error")
    where = "certificate"
    ledger.same(certificate.algorithm, run.algorithm, where, "the algorithm")
    ledger.same(certificate.n_rounds, run.n_rounds, where, "the number of rounds")
    ledger.holds(not certificate.findings, where, f"it states {len(certificate.findings)} findings")
    last = found[run.n_rounds - 1] if 0 < run.n_rounds <= len(found) else None
    stated = certificate.bound, certificate.exponential_bound, certificate.training_error
    own = (None,) * 3 if last is None else (last.bound, last.exponential_bound, last.error)
    names = ("the bound", "the exponential bound", "the training error")
    for value, recomputed, name in zip(stated, own, names, strict=True):
        _optional_close(ledger, value, recomputed, where, name, rule.rounding)


def _optional_close(
    ledger: Ledger,
    stated: float | None,
    own: float | None,
    where: str,
    what: str,
    absolute: float = 0.0,
) -> None:
    """Compare a figure that may be None; ``absolute`` is a tolerance for figures near 0."""
    if own is None or stated is None:
        ledger.same(stated, own, where, what)
    else:
        ledger.close(stated, own, where, what, scale=absolute / TOLERANCE)
