"""LogitBoost (Friedman, Hastie and Tibshirani): Newton steps on the log loss, by least squares.

A row of probability p has the weight w = p (1 - p) and the working response z = (y - p)/w. The
authors clip z to bound it, but then the vote of a leaf would change even if its probability is
right: of ten rows with p = 0.9, one of them with y = 0, the weighted mean of 1.11 and -10 is 0,
that of 1.11 and -4 is not. Here the weight is raised instead until z fits, which keeps w z = y - p.

With responses in [-Z, Z] a row counts w (1 + z/Z)/2 for one component and w (1 - z/Z)/2 for the
other: the gain of ``squares``, times Z^2, is exactly that of the sum of squares.

A leaf votes its mean response, W+ and W- being the weights of its two components: Z (W+ - W-)/(W+ +
W-). Where all rows have one class, that goes on for ever: every round adds as much again. Smoothing
adds s to both weights, which divides by W+ + W- + 2 s and so draws the votes of leaves with little
weight left towards 0. The default, half the weight of a row, is a ridge penalty of 1 on the sum of
p (1 - p) over the rows of a leaf.
"""

from collections.abc import Sequence
from math import inf, log

import numpy as np

from polytomy import kernels
from polytomy._types import FloatArray, Label, LabelArray
from polytomy.encode import Layer, Target
from polytomy.ensemble import quantized
from polytomy.tree import Tree

from .algorithm import (
    MAX_VOTE,
    WEIGHT_UNIT,
    Algorithm,
    Ballot,
    Move,
    add_votes,
    by_node,
    fill_units,
    half_log_odds,
)
from .sample import BoostingSample
from .sums import Summing, alone
from .votes import log_softmax

MAX_RESPONSE = 4.0  # the largest working response, as the authors recommend
MIN_WEIGHT = 2.0**-50  # of a row whose probability is 0 or 1


class BaseLogitBoost(Algorithm):
    """The common part of both forms of LogitBoost: least squares in two components.

    The loss is the log loss in bits. A row that is predicted wrongly gives its own class a
    probability of at most 1/2, a loss of at least one bit: so the loss bounds the error.
    """

    index = "squares"
    smooths = True
    rate_of_stumps = 0.3
    rate_of_trees = 0.1

    def __init__(
        self, sample: BoostingSample, learning_rate: float, smoothing: float | None
    ) -> None:
        super().__init__(sample, learning_rate, smoothing)
        self._own, self._other = np.zeros((2, sample.n_rows), dtype=np.int64)

    @property
    def start(self) -> FloatArray:
        """The votes that correspond to the class shares."""
        return quantized(self.prior())

    def _mean_response(self, tree: Tree) -> FloatArray:
        """Return each leaf's mean response, smoothed, as an array of shape (leaves, 1)."""
        down, up = tree.counts[tree.leaves()].T
        total = up + down + 2.0 * self.smoothing
        return np.asarray(MAX_RESPONSE * ((up - down) / total)[:, np.newaxis])


class TwoClassLogitBoost(BaseLogitBoost):
    """Two classes: p = 1/(1 + exp(-2 f)), and a leaf votes half its mean response."""

    name = "logitboost"
    two_classes = True

    def __init__(
        self, sample: BoostingSample, learning_rate: float, smoothing: float | None
    ) -> None:
        super().__init__(sample, learning_rate, smoothing)
        self._opposite = np.subtract(1, sample.labels, dtype=Label)
        self._total = 0.0

    def weigh(self, votes: FloatArray) -> float:
        """Compute the weights; return the logarithm of the log loss in bits."""
        return self._weigh(votes, None)[0]

    def advance(self, votes: FloatArray, moves: Sequence[Move]) -> tuple[float, float]:
        """Add the votes of the round's tree and compute the new weights in one pass."""
        (move,) = moves
        return self._weigh(votes, move)

    def _weigh(self, votes: FloatArray, move: Move | None) -> tuple[float, float]:
        sample, out = (self.sample.labels, self.sample.unequal_shares), (self._own, self._other)
        log_loss, error, _, self._total = kernels.weigh_logistic(
            sample, votes, move, (MAX_RESPONSE, MIN_WEIGHT), out, self.threads
        )
        return log_loss, error

    def weighing(self, votes: FloatArray, moves: Sequence[Move]) -> Summing[tuple[float, float]]:
        """Do the same as ``advance`` for rows in parts."""
        shares, n_all, out = self.sample.unequal_shares, self.sample.n_all, (self._own, self._other)
        part = self.sample.labels, shares, n_all
        move, response = moves[0] if moves else None, (MAX_RESPONSE, MIN_WEIGHT)
        sums = kernels.sum_logistic(part, votes, move, response, out, self.threads)
        (sums,) = yield (sums,)
        log_loss, error, _, self._total = kernels.weighed_logistic(
            sums, n_all, equal=shares is None
        )
        for units in out:
            kernels.write_units(units, self._total, self.threads)
        return log_loss, error

    def target(self, which: int) -> Target:
        """Return the weighted responses."""
        del which
        more = ((self._opposite, self._other),)
        return Target(self.sample.labels, self._own, WEIGHT_UNIT * self._total, 2, more)

    def ballot(self, trees: list[Tree]) -> Ballot:
        """Return half of each leaf's mean response."""
        (tree,) = trees
        scores = by_node(tree, 0.5 * self.rate * self._mean_response(tree))
        return Ballot((scores,), None, self.rate, useless=not scores.any())

    def loss(self, votes: FloatArray, labels: LabelArray, shares: FloatArray) -> float:
        """Return the mean of log2(1 + exp(-2 y f))."""
        margin = np.where(labels == 1, 2.0, -2.0) * votes[:, 0]
        bits = np.log1p(np.exp(-np.clip(margin, -700.0, 700.0)))
        return kernels.exact_sum(bits * shares) / log(2)

    def prior(self) -> FloatArray:
        """Return half the log odds of the classes."""
        against, favour = self.sample.class_shares
        return half_log_odds(np.array([favour]), np.array([against]))


class MulticlassLogitBoost(BaseLogitBoost):
    """More classes: p is the softmax of the votes, and a round grows one tree for each class.

    All trees of a round are grown on the probabilities before it. A leaf of the tree of class j,
    with mean response v, adds (J-1)/J (v - v/J) to its own class and -(J-1)/J v/J to the others, so
    that the sum of a row's votes does not change.
    """

    name = "logitboost"

    def __init__(
        self, sample: BoostingSample, learning_rate: float, smoothing: float | None
    ) -> None:
        super().__init__(sample, learning_rate, smoothing)
        self._logs = np.zeros((0, 0))
        # Allocated once: allocating arrays in every round would take longer than the arithmetic.
        self._work = np.empty(sample.n_rows)
        self._opposite = np.zeros(sample.n_rows, dtype=Label)
        self._half = 0.5 * sample.shares

    @property
    def n_trees(self) -> int:
        """One tree for each class."""
        return self.sample.n_classes

    def weighing(self, votes: FloatArray, moves: Sequence[Move]) -> Summing[tuple[float, float]]:
        """Compute the probabilities; the loss is the log loss in bits."""
        add_votes(votes, moves)
        self._logs = log_softmax(votes)
        own = self._logs[np.arange(len(votes)), self.sample.labels]
        loss = kernels.ExactSum.of(-own * self.sample.shares)
        loss, error = yield loss, self._wrong(votes)
        return _log(loss.value() / log(2)), error.value()

    def target(self, which: int) -> Target:
        """Return the weighted responses of one class."""
        return alone(self.targeting(which))

    def targeting(self, which: int) -> Summing[Target]:
        """Compute the weighted responses of one class."""
        own = np.exp(self._logs[:, which])
        rest = np.exp(np.delete(self._logs, which, axis=1)).sum(axis=1)
        is_own = self.sample.labels == which
        side = is_own.astype(Label)
        return (yield from self._least_squares(np.where(is_own, rest, own), own * rest, side))

    def _least_squares(
        self, residual: FloatArray, variance: FloatArray, side: LabelArray
    ) -> Summing[Target]:
        """Compute the target for the residuals |y - p|, the variances p (1 - p) and y.

        A row counts w (1 + |z|/Z)/2 for its own side and w (1 - |z|/Z)/2 for the other. The first
        two arrays are overwritten.
        """
        residual *= 1.0 / MAX_RESPONSE
        np.maximum(variance, residual, out=variance)
        np.maximum(variance, MIN_WEIGHT, out=variance)
        own = np.add(variance, residual, out=self._work)
        other = np.subtract(variance, residual, out=variance)
        own *= self._half
        other *= self._half
        one, two = yield kernels.ExactSum.of(own), kernels.ExactSum.of(other)
        total = one.value() + two.value()
        fill_units(self._own, own, total)
        fill_units(self._other, other, total)
        more: Layer = (np.subtract(1, side, out=self._opposite), self._other)
        return Target(side, self._own, WEIGHT_UNIT * total, 2, (more,))

    def ballot(self, trees: list[Tree]) -> Ballot:
        """Return each leaf's mean response for the class of its tree, centred over the classes."""
        n = len(trees)
        scores = []
        for j, tree in enumerate(trees):
            share = np.full(n, -1.0 / n)
            share[j] += 1.0
            response = self._mean_response(tree)
            scores.append(by_node(tree, self.rate * (n - 1) / n * share * response))
        useless = not any(s.any() for s in scores)
        return Ballot(tuple(scores), None, self.rate, useless)

    def loss(self, votes: FloatArray, labels: LabelArray, shares: FloatArray) -> float:
        """Return the log loss in bits."""
        own = log_softmax(votes)[np.arange(len(votes)), labels]
        return kernels.exact_sum(-own * shares) / log(2)

    def prior(self) -> FloatArray:
        """Return the logarithm of each class's share."""
        with np.errstate(divide="ignore"):
            return np.maximum(np.log(self.sample.class_shares), -MAX_VOTE)


def _log(loss: float) -> float:
    """Return the logarithm of a loss, which may be 0."""
    return log(loss) if loss > 0 else -inf
