"""The formulas of boosting, for verification: loss, row weights, leaf votes and bounds.

They are written from the papers, in plain NumPy, without the code that boosts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, inf, log
from typing import TypeAlias

import numpy as np

from polytomy._types import AnyArray, FloatArray, IntArray
from polytomy.certify.record import RoundRecord
from polytomy.encode import Schema
from polytomy.table import Table
from polytomy.tree import LEAF, Tree

from .recount import Recount, Sample, recount

_CAP = 34 * log(2)  # the largest vote of a leaf before the learning rate
_MAX_RESPONSE = 4.0  # the largest working response of LogitBoost
_MIN_WEIGHT = 2.0**-50  # the least weight of a row in LogitBoost, relative to its share

Rows: TypeAlias = tuple[Table, AnyArray, AnyArray | None]
"""A table, class numbers and weights."""
Member: TypeAlias = tuple[Tree, FloatArray]
"""A tree and the votes of its nodes, (nodes, outputs)."""


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
    rounds: Sequence[RoundRecord]
    n_rounds: int
    learning_rate: float
    smoothing: float | None


class Votes:
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


class Rule:
    """An algorithm's formulas: loss, weights, votes of leaves, bounds."""

    one_output = False  # whether the votes are one number, positive for the second class
    rounding = 0.0  # the absolute error of a loss

    def __init__(self, run: BoostedRun, rows: Votes) -> None:
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

    def log_loss(self, rows: Votes) -> float:
        """Return the logarithm of the loss of the votes."""
        raise NotImplementedError

    def columns(self, which: int) -> tuple[IntArray, FloatArray]:
        """Return the count columns that each row adds to, and its weights there: (layers, rows)."""
        raise NotImplementedError

    def leaf_votes(
        self, counts: FloatArray, which: int, record: RoundRecord
    ) -> tuple[float | None, float, FloatArray]:
        """Return the error of a tree, its alpha and the votes of its leaves, from their counts."""
        raise NotImplementedError

    def bound(self, log_loss: float) -> float | None:
        """Return the bound on the training error."""
        return bounded_exp(log_loss)

    def chain(self, epsilon: float | None, before: float) -> float | None:
        """Return exp(-2 sum (1/2 - eps)^2), if the algorithm has it."""
        del epsilon, before
        return None


class _Exponential(Rule):
    """AdaBoost for two classes: the mean of exp(-y f)."""

    one_output = True

    def log_loss(self, rows: Votes) -> float:
        return _log_mean_exp(_signs(rows.labels) * -rows.votes[:, 0], rows.shares)

    def columns(self, which: int) -> tuple[IntArray, FloatArray]:
        del which
        rows = self.rows
        weights = _normalised(_signs(rows.labels) * -rows.votes[:, 0], rows.shares)
        return rows.labels[np.newaxis], weights[np.newaxis]


class _AdaBoost(_Exponential):
    def leaf_votes(
        self, counts: FloatArray, which: int, record: RoundRecord
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
        self, counts: FloatArray, which: int, record: RoundRecord
    ) -> tuple[float | None, float, FloatArray]:
        del which, record
        against, favour = (counts / counts.sum()).T[:, :, np.newaxis]
        smoothing = self.run.smoothing
        added = 0.5 / self.rows.size if smoothing is None else smoothing
        votes = self.rate * _log_odds(favour + added, against + added)
        return float(counts.min(axis=1).sum() / counts.sum()), self.rate, votes


class _AdaBoostMH(Rule):
    @property
    def prior(self) -> FloatArray:
        shares = self.rows.class_shares
        return _log_odds(shares, 1.0 - shares)

    def _exponents(self, rows: Votes) -> FloatArray:
        own = rows.labels == np.arange(self.n_classes)[:, np.newaxis]
        return np.where(own, -1.0, 1.0) * rows.votes.T

    def log_loss(self, rows: Votes) -> float:
        return _log_mean_exp(self._exponents(rows), rows.shares) - log(self.n_classes)

    def columns(self, which: int) -> tuple[IntArray, FloatArray]:
        del which
        classes = np.arange(self.n_classes)[:, np.newaxis]
        columns = 2 * classes + (self.rows.labels != classes)
        return columns, _normalised(self._exponents(self.rows), self.rows.shares)

    def leaf_votes(
        self, counts: FloatArray, which: int, record: RoundRecord
    ) -> tuple[float | None, float, FloatArray]:
        del which, record
        share = counts / counts.sum()
        favour, against = share[:, 0::2], share[:, 1::2]
        smoothing = self.run.smoothing
        added = 0.5 / (self.rows.size * self.n_classes) if smoothing is None else smoothing
        votes = self.rate * _log_odds(favour + added, against + added)
        return float(np.minimum(favour, against).sum()), self.rate, votes

    def bound(self, log_loss: float) -> float | None:
        return bounded_exp(log_loss) * self.n_classes / 2


class _Samme(Rule):
    def log_loss(self, rows: Votes) -> float:
        return _log_mean_exp(-rows.own(), rows.shares)

    def columns(self, which: int) -> tuple[IntArray, FloatArray]:
        del which
        weights = _normalised(-self.rows.own(), self.rows.shares)
        return self.rows.labels[np.newaxis], weights[np.newaxis]

    def leaf_votes(
        self, counts: FloatArray, which: int, record: RoundRecord
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


class _LogitBoost(Rule):
    """The log loss in bits; trees are fitted to working responses by least squares."""

    rounding = 1e-15  # sums of logarithms near 0

    def __init__(self, run: BoostedRun, rows: Votes) -> None:
        super().__init__(run, rows)
        self.one_output = len(run.start) == 1

    @property
    def start(self) -> FloatArray:
        return self.prior

    def _votes_by_class(self, rows: Votes) -> FloatArray:
        votes = rows.votes
        return np.concatenate((-votes, votes), axis=1) if self.one_output else votes

    def log_loss(self, rows: Votes) -> float:
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
        self, counts: FloatArray, which: int, record: RoundRecord
    ) -> tuple[float | None, float, FloatArray]:
        del record
        down, up = counts.T
        smoothing = self.run.smoothing
        added = 0.5 / self.rows.size if smoothing is None else smoothing
        response = (_MAX_RESPONSE * (up - down) / (up + down + 2 * added))[:, np.newaxis]
        if self.one_output:
            return None, self.rate, 0.5 * self.rate * response
        n = self.n_classes
        factor = np.full(n, -1.0 / n)
        factor[which] += 1.0
        return None, self.rate, self.rate * (n - 1) / n * factor * response


RULES: dict[str, type[Rule]] = {
    "adaboost": _AdaBoost,
    "adaboost-real": _RealAdaBoost,
    "adaboost-mh": _AdaBoostMH,
    "samme": _Samme,
    "logitboost": _LogitBoost,
}


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


def bounded_exp(exponent: float) -> float:
    """Return e to the exponent, or inf if that overflows."""
    return exp(exponent) if exponent < 709 else inf
