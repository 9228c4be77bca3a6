"""LogitBoost (Friedman, Hastie and Tibshirani): Newton steps on the log loss, by least squares.

A row of probability p has the weight w = p (1 - p) and the working response z = (y - p)/w. The
authors clip z to keep it in reach; but then a leaf that has its probability right would move all
the same (of ten rows with p = 0.9 and one of them 0, the mean of 1.11 and of -10 is 0, that of 1.11
and of -4 is not). So the weight is raised instead until z fits: w z = y - p stays as it is.

With responses in [-Z, Z] a row counts w (1 + z/Z)/2 for one component and w (1 - z/Z)/2 for the
other: the gain of ``squares``, times Z^2, is that of the sum of squares, exactly.
"""

from collections.abc import Sequence
from math import inf, log

import numpy as np

from polytomy import kernels
from polytomy._types import FloatArray, Label, LabelArray
from polytomy.encode import Layer, Target
from polytomy.ensemble import quantized
from polytomy.tree import Tree

from .algorithm import CAP, LEAST, Algorithm, Ballot, Move, fill_units, log_odds, placed
from .sample import Sample

MOST = 4.0  # the largest working response, as the authors advise
FLOOR = 2.0**-50  # the least weight: a row that is certain keeps a trace


class Logit(Algorithm):
    """What both forms of LogitBoost share: least squares in two components.

    The loss is the log loss in bits. A wrong row has at most half of the probability on its own
    class, and so loses a bit or more: the loss bounds the error.
    """

    index = "squares"

    def __init__(self, sample: Sample, learning_rate: float, smoothing: float | None) -> None:
        super().__init__(sample, learning_rate, smoothing)
        self._own, self._other = np.zeros((2, sample.n_rows), dtype=np.int64)

    @property
    def start(self) -> FloatArray:
        """The class shares, so that the first round already works on what they leave open."""
        return quantized(self.prior())


class LogitBoost(Logit):
    """Two classes: p = 1/(1 + exp(-2 f)), and a tree adds half of its mean response."""

    name = "logitboost"
    two_classes = True

    def __init__(self, sample: Sample, learning_rate: float, smoothing: float | None) -> None:
        super().__init__(sample, learning_rate, smoothing)
        self._opposite = np.subtract(1, sample.labels, dtype=Label)
        self._total = 0.0

    def weigh(self, votes: FloatArray) -> float:
        """Take note of the training rows' votes; return the logarithm of their log loss in bits."""
        return self._weigh(votes, None)[0]

    def advance(self, votes: FloatArray, moves: Sequence[Move]) -> tuple[float, float]:
        """Let the round's tree vote, and weigh the rows by the new votes, in one go."""
        (move,) = moves
        return self._weigh(votes, move)

    def _weigh(self, votes: FloatArray, move: Move | None) -> tuple[float, float]:
        sample, out = (self.sample.labels, self.sample.shares), (self._own, self._other)
        log_loss, error, _, self._total = kernels.weigh_logistic(
            sample, votes, move, (MOST, FLOOR), out, self.threads
        )
        return log_loss, error

    def target(self, which: int) -> Target:
        """Return the weighted responses."""
        del which
        more = ((self._opposite, self._other),)
        return Target(self.sample.labels, self._own, LEAST * self._total, 2, more)

    def ballot(self, trees: list[Tree]) -> Ballot:
        """Let each leaf vote half of its mean response."""
        (tree,) = trees
        scores = placed(tree, 0.5 * self.rate * _mean_response(tree))
        return Ballot((scores,), None, self.rate, useless=not quantized(scores).any())

    def loss(self, votes: FloatArray, labels: LabelArray, shares: FloatArray) -> float:
        """Return the mean of log2(1 + exp(-2 y f))."""
        margin = np.where(labels == 1, 2.0, -2.0) * votes[:, 0]
        bits = np.log1p(np.exp(-np.clip(margin, -700.0, 700.0)))
        return float((bits * shares).sum()) / log(2)

    def prior(self) -> FloatArray:
        """Return half the log odds of the classes."""
        against, favour = self.sample.class_shares
        return log_odds(np.array([favour]), np.array([against]))


class LogitBoostMany(Logit):
    """More classes: p is the softmax of the votes; a tree for each class every round.

    All trees of a round are grown on the probabilities before it. The tree of class j adds
    (J-1)/J (v - v/J) to its own class and -(J-1)/J v/J to the others, v its mean response, so that
    a row's votes always add up to the same.
    """

    name = "logitboost"

    def __init__(self, sample: Sample, learning_rate: float, smoothing: float | None) -> None:
        super().__init__(sample, learning_rate, smoothing)
        self._logs = np.zeros((0, 0))
        # Arrays as long as the sample are made once: fresh memory takes longer than arithmetic
        self._work = np.empty(sample.n_rows)
        self._opposite = np.zeros(sample.n_rows, dtype=Label)
        self._half = 0.5 * sample.shares

    @property
    def n_trees(self) -> int:
        """One tree for each class."""
        return self.sample.n_classes

    def weigh(self, votes: FloatArray) -> float:
        """Take note of the training rows' votes; return the logarithm of their log loss in bits."""
        self._logs = log_softmax(votes)
        own = self._logs[np.arange(len(votes)), self.sample.labels]
        return _log(float(-(own * self.sample.shares).sum()) / log(2))

    def target(self, which: int) -> Target:
        """Return the weighted responses of one class."""
        own = np.exp(self._logs[:, which])
        rest = np.exp(np.delete(self._logs, which, axis=1)).sum(axis=1)
        is_own = self.sample.labels == which
        return self._least_squares(np.where(is_own, rest, own), own * rest, is_own.astype(Label))

    def _least_squares(self, lack: FloatArray, spread: FloatArray, side: LabelArray) -> Target:
        """Return the target of what each row lacks, |y - p|, of p (1 - p), and of y.

        A row counts w (1 + |z|/Z)/2 for its own side and w (1 - |z|/Z)/2 for the other. The first
        two arrays are used up.
        """
        lack *= 1.0 / MOST
        np.maximum(spread, lack, out=spread)
        np.maximum(spread, FLOOR, out=spread)
        own = np.add(spread, lack, out=self._work)
        other = np.subtract(spread, lack, out=spread)
        own *= self._half
        other *= self._half
        total = float(own.sum() + other.sum())
        fill_units(self._own, own, total)
        fill_units(self._other, other, total)
        more: Layer = (np.subtract(1, side, out=self._opposite), self._other)
        return Target(side, self._own, LEAST * total, 2, (more,))

    def ballot(self, trees: list[Tree]) -> Ballot:
        """Let each leaf of a class's tree vote its mean response, centred."""
        n = len(trees)
        scores = []
        for j, tree in enumerate(trees):
            share = np.full(n, -1.0 / n)
            share[j] += 1.0
            scores.append(placed(tree, self.rate * (n - 1) / n * share * _mean_response(tree)))
        useless = not any(quantized(s).any() for s in scores)
        return Ballot(tuple(scores), None, self.rate, useless)

    def loss(self, votes: FloatArray, labels: LabelArray, shares: FloatArray) -> float:
        """Return the log loss in bits."""
        own = log_softmax(votes)[np.arange(len(votes)), labels]
        return float(-(own * shares).sum()) / log(2)

    def prior(self) -> FloatArray:
        """Return the logarithm of each class's share."""
        with np.errstate(divide="ignore"):
            return np.maximum(np.log(self.sample.class_shares), -CAP)


def log_softmax(votes: FloatArray) -> FloatArray:
    """Return the logarithms of probabilities whose log odds the votes are."""
    shifted = votes - votes.max(axis=1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True)))


def _log(loss: float) -> float:
    """Return the logarithm of a loss that may have come to nothing."""
    return log(loss) if loss > 0 else -inf


def _mean_response(tree: Tree) -> FloatArray:
    """Return each leaf's mean of z, (leaves, 1), from its two components."""
    down, up = tree.counts[tree.leaves()].T
    return np.asarray(MOST * ((up - down) / (up + down))[:, np.newaxis])
