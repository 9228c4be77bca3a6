"""Verifying a boosted model: every round is recomputed from the rows and the votes of the trees.

Rows are sent down each tree in plain NumPy. From the votes before a round follow the weights D_t of
the rows, and from those the weights at the nodes of the round's trees, the votes of their leaves,
and the figures of the round. All are compared with the stated ones. Nothing here imports the code
that boosts, grows or predicts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, inf, log
from typing import Protocol, TypeAlias

import numpy as np

from polytomy._errors import FamilyError, TargetError, TreeError
from polytomy._types import AnyArray, FloatArray, IntArray
from polytomy.encode import Schema
from polytomy.table import Table
from polytomy.tree import LEAF, Tree

from .checks_tree import check_shape
from .recount import Recount, Sample, recount
from .report import TOLERANCE, Ledger, Report

_QUANTUM = 2.0**-40  # votes are multiples of this
_CAP = 34 * log(2)  # the largest vote of a leaf before the learning rate
_MAX_RESPONSE = 4.0  # the largest working response of LogitBoost
_MIN_WEIGHT = 2.0**-50  # the least weight of a row in LogitBoost, relative to its share
_UNIT = 2.0**-52  # the unit of weights in growing; every row weighs at least one
_TWO_CLASSES = ("adaboost", "adaboost-real")

Rows: TypeAlias = tuple[Table, AnyArray, AnyArray | None]
"""A table, class numbers and weights."""
Member: TypeAlias = tuple[Tree, FloatArray]
"""A tree and the votes of its nodes, (nodes, outputs)."""


class _Round(Protocol):
    """The stated figures of a round; None for figures that the algorithm does not define."""

    @property
    def epsilon(self) -> float | None: ...
    @property
    def alpha(self) -> float: ...
    @property
    def z(self) -> float: ...
    @property
    def bound(self) -> float | None: ...
    @property
    def exponential_bound(self) -> float | None: ...
    @property
    def training_error(self) -> float: ...
    @property
    def validation_error(self) -> float | None: ...
    @property
    def validation_loss(self) -> float | None: ...
    @property
    def leaves(self) -> int: ...
    @property
    def trees(self) -> int: ...


class _Certificate(Protocol):
    """The statements of a certificate of a boosted model."""

    @property
    def algorithm(self) -> str: ...
    @property
    def n_rounds(self) -> int: ...
    @property
    def bound(self) -> float | None: ...
    @property
    def exponential_bound(self) -> float | None: ...
    @property
    def training_error(self) -> float | None: ...
    @property
    def findings(self) -> tuple[str, ...]: ...


@dataclass(frozen=True, eq=False)
class BoostedRun:
    """A boosted model and its record as plain data.

    Parameters
    ----------
    algorithm : str
        ``adaboost``, ``adaboost-real``, ``adaboost-mh``, ``samme`` or ``logitboost``.
    n_classes : int
        The number of classes.
    start : array of shape (n_outputs,)
        The votes before any tree.
    members : sequence of (Tree, array)
        The trees of all rounds, with the votes of their nodes.
    voting : sequence of (Tree, array)
        The trees that vote: those of the first ``n_rounds`` rounds.
    rounds : sequence of round records
        The stated figures of every round.
    n_rounds : int
        The number of rounds that vote.
    learning_rate : float
        The factor of every vote.
    smoothing : float or None
        The weight added to each class of a leaf; None for the default of the algorithm.
    """

    algorithm: str
    n_classes: int
    start: FloatArray
    members: Sequence[Member]
    voting: Sequence[Member]
    rounds: Sequence[_Round]
    n_rounds: int
    learning_rate: float
    smoothing: float | None


def verify_boosted(
    run: BoostedRun,
    certificate: _Certificate,
    schema: Schema,
    training: Rows,
    held_out: Rows | None = None,
) -> Report:
    """Check a boosted model, its rounds and its certificate against its training rows.

    Parameters
    ----------
    run : BoostedRun
        The model and its record.
    certificate : BoostCertificate
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
    held = None if held_out is None else _Votes(run, schema, held_out)
    rule = _RULES[run.algorithm](run, sample)
    _check_start(ledger, run, rule)
    found = _replay(ledger, run, rule, held)
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


class _Votes:
    """Rows, their shares of the weight, and their votes so far."""

    def __init__(self, run: BoostedRun, schema: Schema, rows: Rows) -> None:
        table, labels, weights = rows
        self.sample = Sample.of(table, schema, labels, None, run.n_classes)
        self.labels: IntArray = np.asarray(labels, dtype=np.int64)
        given = np.ones(len(labels)) if weights is None else np.asarray(weights, dtype=np.float64)
        total = float(given.sum())
        self.shares: FloatArray = given / total
        self.size = max(total, float(len(labels)))  # m in the formulas
        self.votes: FloatArray = np.tile(run.start, (len(labels), 1))
        counted = np.bincount(self.labels, self.shares, run.n_classes)
        self.class_shares: FloatArray = counted.astype(np.float64)

    def leaves(self, tree: Tree) -> tuple[IntArray, Recount]:
        """Send the rows down a tree; return the leaf of each, and the rows of every node."""
        held = recount(tree, self.sample)
        leaf = np.empty(len(self.labels), dtype=np.int64)
        for node in np.flatnonzero(tree.kind == LEAF).tolist():
            leaf[held.rows_of(node)] = node
        return leaf, held

    def own(self) -> FloatArray:
        """Return the votes for the class of each row."""
        return np.asarray(self.votes[np.arange(len(self.labels)), self.labels])

    def error(self) -> float:
        """Return the weight share of the rows whose votes are for another class."""
        if self.votes.shape[1] == 1:
            winner = (self.votes[:, 0] > 0).astype(np.int64)
        else:
            winner = self.votes.argmax(axis=1)
        return float(self.shares[winner != self.labels].sum())


class _Rule:
    """An algorithm's formulas: loss, weights, votes of leaves, bounds."""

    one_output = False  # whether the votes are one number, positive for the second class
    rounding = 0.0  # the absolute error of a loss

    def __init__(self, run: BoostedRun, rows: _Votes) -> None:
        self.run, self.rows = run, rows
        self.rate, self.n_classes = run.learning_rate, run.n_classes

    @property
    def prior(self) -> FloatArray:
        """The votes that predict the class shares for every row."""
        shares = self.rows.class_shares
        if self.one_output:
            return _log_odds(shares[1:], shares[:1])
        with np.errstate(divide="ignore"):
            return np.maximum(np.log(shares), -_CAP)

    @property
    def start(self) -> FloatArray:
        """The votes before any tree, if at least one round follows."""
        return np.zeros(1 if self.one_output else self.n_classes)

    def log_loss(self, rows: _Votes) -> float:
        """Return the logarithm of the loss of the votes."""
        raise NotImplementedError

    def columns(self, which: int) -> tuple[IntArray, FloatArray]:
        """Return the count columns that each row adds to, and its weights there: (layers, rows)."""
        raise NotImplementedError

    def leaf_votes(
        self, counts: FloatArray, which: int, record: _Round
    ) -> tuple[float | None, float, FloatArray]:
        """Return the error of a tree, its alpha and the votes of its leaves, from their counts."""
        raise NotImplementedError

    def bound(self, log_loss: float) -> float | None:
        """Return the bound on the training error."""
        return _exp(log_loss)

    def chain(self, epsilon: float | None, before: float) -> float | None:
        """Return exp(-2 sum (1/2 - eps)^2), if the algorithm has it."""
        del epsilon, before
        return None


class _Exponential(_Rule):
    """AdaBoost for two classes: the mean of exp(-y f)."""

    one_output = True

    def log_loss(self, rows: _Votes) -> float:
        return _log_mean_exp(_signs(rows.labels) * -rows.votes[:, 0], rows.shares)

    def columns(self, which: int) -> tuple[IntArray, FloatArray]:
        del which
        rows = self.rows
        weights = _normalised(_signs(rows.labels) * -rows.votes[:, 0], rows.shares)
        return rows.labels[np.newaxis], weights[np.newaxis]


class _AdaBoost(_Exponential):
    def leaf_votes(
        self, counts: FloatArray, which: int, record: _Round
    ) -> tuple[float | None, float, FloatArray]:
        del which
        epsilon = float(counts.min(axis=1).sum() / counts.sum())
        odds = record.epsilon if record.epsilon else float(self.rows.shares.min()) / 2
        alpha = self.rate * 0.5 * log((1 - odds) / odds)
        if record.epsilon == 0:  # the tree overrules all votes before it
            alpha += max(0.0, float((_signs(self.rows.labels) * -self.rows.votes[:, 0]).max()))
        side = np.where(counts[:, 1:] > counts[:, :1], 1.0, -1.0)
        return epsilon, alpha, side * record.alpha

    def chain(self, epsilon: float | None, before: float) -> float | None:
        if epsilon is None or self.rate != 1:
            return None
        return before * exp(-2.0 * (0.5 - epsilon) ** 2)


class _RealAdaBoost(_Exponential):
    def leaf_votes(
        self, counts: FloatArray, which: int, record: _Round
    ) -> tuple[float | None, float, FloatArray]:
        del which, record
        against, favour = (counts / counts.sum()).T[:, :, np.newaxis]
        smoothing = self.run.smoothing
        added = 0.5 / self.rows.size if smoothing is None else smoothing
        votes = self.rate * _log_odds(favour + added, against + added)
        return float(counts.min(axis=1).sum() / counts.sum()), self.rate, votes


class _AdaBoostMH(_Rule):
    @property
    def prior(self) -> FloatArray:
        shares = self.rows.class_shares
        return _log_odds(shares, 1.0 - shares)

    def _exponents(self, rows: _Votes) -> FloatArray:
        own = rows.labels == np.arange(self.n_classes)[:, np.newaxis]
        return np.where(own, -1.0, 1.0) * rows.votes.T

    def log_loss(self, rows: _Votes) -> float:
        return _log_mean_exp(self._exponents(rows), rows.shares) - log(self.n_classes)

    def columns(self, which: int) -> tuple[IntArray, FloatArray]:
        del which
        classes = np.arange(self.n_classes)[:, np.newaxis]
        columns = 2 * classes + (self.rows.labels != classes)
        return columns, _normalised(self._exponents(self.rows), self.rows.shares)

    def leaf_votes(
        self, counts: FloatArray, which: int, record: _Round
    ) -> tuple[float | None, float, FloatArray]:
        del which, record
        share = counts / counts.sum()
        favour, against = share[:, 0::2], share[:, 1::2]
        smoothing = self.run.smoothing
        added = 0.5 / (self.rows.size * self.n_classes) if smoothing is None else smoothing
        votes = self.rate * _log_odds(favour + added, against + added)
        return float(np.minimum(favour, against).sum()), self.rate, votes

    def bound(self, log_loss: float) -> float | None:
        return _exp(log_loss) * self.n_classes / 2


class _Samme(_Rule):
    def log_loss(self, rows: _Votes) -> float:
        return _log_mean_exp(-rows.own(), rows.shares)

    def columns(self, which: int) -> tuple[IntArray, FloatArray]:
        del which
        weights = _normalised(-self.rows.own(), self.rows.shares)
        return self.rows.labels[np.newaxis], weights[np.newaxis]

    def leaf_votes(
        self, counts: FloatArray, which: int, record: _Round
    ) -> tuple[float | None, float, FloatArray]:
        del which
        heaviest = counts.argmax(axis=1)
        every = np.arange(len(counts))
        rest = counts.copy()
        rest[every, heaviest] = 0.0
        epsilon = float(rest.sum() / counts.sum())
        odds = record.epsilon if record.epsilon else float(self.rows.shares.min()) / 2
        alpha = self.rate * (log((1 - odds) / odds) + log(self.n_classes - 1))
        if record.epsilon == 0:  # the tree overrules all votes before it
            alpha += float((self.rows.votes.max(axis=1) - self.rows.own()).max())
        votes = np.zeros(counts.shape)
        votes[every, heaviest] = record.alpha
        return epsilon, alpha, votes

    def bound(self, log_loss: float) -> float | None:
        del log_loss
        return None


class _LogitBoost(_Rule):
    """The log loss in bits; trees are fitted to working responses by least squares."""

    rounding = 1e-15  # sums of logarithms near 0

    def __init__(self, run: BoostedRun, rows: _Votes) -> None:
        super().__init__(run, rows)
        self.one_output = len(run.start) == 1

    @property
    def start(self) -> FloatArray:
        return self.prior

    def _votes_by_class(self, rows: _Votes) -> FloatArray:
        votes = rows.votes
        return np.concatenate((-votes, votes), axis=1) if self.one_output else votes

    def log_loss(self, rows: _Votes) -> float:
        votes, every = self._votes_by_class(rows), np.arange(len(rows.labels))
        lead = votes - votes[every, rows.labels][:, np.newaxis]  # over the row's class
        most = np.maximum(lead.max(axis=1), 0.0)
        odds = np.exp(lead - most[:, np.newaxis])
        odds[every, rows.labels] = 0.0
        nats = most + np.log1p(np.expm1(-most) + odds.sum(axis=1))
        loss = float((nats * rows.shares).sum()) / log(2)
        return log(loss) if loss > 0 else -inf

    def columns(self, which: int) -> tuple[IntArray, FloatArray]:
        rows, votes = self.rows, self._votes_by_class(self.rows)
        which = 1 if self.one_output else which
        shares = np.exp(votes - votes.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        own, rest = shares[:, which], np.delete(shares, which, axis=1).sum(axis=1)
        side = (rows.labels == which).astype(np.int64)
        lack = np.where(side == 1, rest, own) / _MAX_RESPONSE
        spread = np.maximum(np.maximum(own * rest, lack), _MIN_WEIGHT)
        weights = 0.5 * rows.shares * np.stack((spread + lack, spread - lack))
        return np.stack((side, 1 - side)), weights

    def leaf_votes(
        self, counts: FloatArray, which: int, record: _Round
    ) -> tuple[float | None, float, FloatArray]:
        del record
        down, up = counts.T
        response = (_MAX_RESPONSE * (up - down) / (up + down))[:, np.newaxis]
        if self.one_output:
            return None, self.rate, 0.5 * self.rate * response
        n = self.n_classes
        factor = np.full(n, -1.0 / n)
        factor[which] += 1.0
        return None, self.rate, self.rate * (n - 1) / n * factor * response


_RULES: dict[str, type[_Rule]] = {
    "adaboost": _AdaBoost,
    "adaboost-real": _RealAdaBoost,
    "adaboost-mh": _AdaBoostMH,
    "samme": _Samme,
    "logitboost": _LogitBoost,
}


def _checked_sample(
    ledger: Ledger, run: BoostedRun, schema: Schema, training: Rows
) -> _Votes | None:
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
    return _Votes(run, schema, training) if known and table.n_rows else None


def _check_structure(ledger: Ledger, run: BoostedRun) -> bool:
    """Check that trees, votes and rounds fit together; return whether they can be followed."""
    ledger.begin("rounds: trees, leaves and votes")
    where = "rounds"
    if not ledger.holds(run.algorithm in _RULES, where, f"unknown algorithm {run.algorithm!r}"):
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


def _check_start(ledger: Ledger, run: BoostedRun, rule: _Rule) -> None:
    """Check the votes before any tree; without rounds they predict the class shares."""
    ledger.begin("start: votes before any tree")
    expected = rule.start if run.rounds else rule.prior
    for j, (stated, own) in enumerate(zip(run.start.tolist(), expected.tolist(), strict=True)):
        ledger.close(stated, own, "start", f"the vote for output {j}", scale=1.0)


def _replay(
    ledger: Ledger, run: BoostedRun, rule: _Rule, held: _Votes | None
) -> list[_Figures] | None:
    """Recompute all rounds; None if a tree cannot be followed."""
    loss, chained, found = rule.log_loss(rule.rows), 1.0, []
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
            epsilon = _check_votes(ledger, rule, (tree, votes), which, record, number)
            moves.append((leaf, tree, votes))
            n_leaves += tree.n_leaves
        for leaf, tree, votes in moves:
            rule.rows.votes += votes[leaf]
            if held is not None:
                held.votes += votes[held.leaves(tree)[0]]
        before, loss = loss, rule.log_loss(rule.rows)
        z = _exp(loss - before) if before > -inf else 0.0
        chain = rule.chain(record.epsilon, chained)
        chained = chain if chain is not None else 0.0
        found.append(_Figures(rule.bound(loss), chain, rule.rows.error()))
        _check_figures(ledger, rule, record, found[-1], where)
        ledger.same(record.leaves, n_leaves, where, "the number of leaves")
        _optional_close(ledger, record.epsilon, epsilon, where, "epsilon", 1e-12)
        # Z is a ratio of losses
        slack = rule.rounding * (1 + z) * _exp(-before) if rule.rounding and before > -inf else 0.0
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
    rule: _Rule,
    member: Member,
    which: int,
    record: _Round,
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


def _check_figures(ledger: Ledger, rule: _Rule, record: _Round, own: _Figures, where: str) -> None:
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
    ledger: Ledger, record: _Round, rule: _Rule, held: _Votes | None, where: str
) -> None:
    """Check the error and the loss on the held-out rows."""
    if held is None:
        return
    ledger.begin("rounds: errors on held-out rows")
    _optional_close(
        ledger, record.validation_error, held.error(), where, "the held-out error", 1e-9
    )
    loss = _exp(rule.log_loss(held))
    stated, name = record.validation_loss, "the held-out loss"
    _optional_close(ledger, stated, loss, where, name, rule.rounding)


def _check_certificate(
    ledger: Ledger, rule: _Rule, certificate: _Certificate, found: list[_Figures]
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


def _signs(labels: IntArray) -> FloatArray:
    return np.where(labels == 1, 1.0, -1.0)


def _log_odds(favour: FloatArray, against: FloatArray) -> FloatArray:
    """Return half the logarithm of the ratio, limited to the largest vote; 0 for 0 over 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        half = np.asarray(0.5 * (np.log(favour) - np.log(against)))
    half[np.isnan(half)] = 0.0
    return half.clip(-_CAP, _CAP)


def _log_mean_exp(exponents: FloatArray, shares: FloatArray) -> float:
    """Return the logarithm of the sum of shares times e to the exponents."""
    most = float(exponents.max())
    return most + log(float((np.exp(exponents - most) * shares).sum()))


def _normalised(exponents: FloatArray, shares: FloatArray) -> FloatArray:
    """Return shares times e to the exponents, divided by their sum."""
    weights = np.exp(exponents - exponents.max()) * shares
    return np.asarray(weights / weights.sum())


def _exp(exponent: float) -> float:
    return exp(exponent) if exponent < 709 else inf
