"""AdaBoost for two classes: the lecture's, and its confidence-rated sibling.

Both keep D_{t+1}(i) = D_t(i) exp(-alpha_t y_i h_t(x_i)) / Z_t, which is D_1(i) exp(-y_i f(x_i))
over the product of all Z: the mean of exp(-y f), and so a bound of the training error.
"""

from collections.abc import Sequence
from math import exp, inf, log

import numpy as np

from polytomy import kernels
from polytomy._types import TIE, FloatArray, LabelArray
from polytomy.encode import Target
from polytomy.tree import Tree

from .algorithm import (
    LEAST,
    Algorithm,
    Ballot,
    Move,
    exponentials,
    log_odds,
    placed,
    power,
)
from .sample import Sample


class Exponential(Algorithm):
    """Two classes, -1 and +1, and the exponential loss."""

    two_classes = True

    def __init__(self, sample: Sample, learning_rate: float, smoothing: float | None) -> None:
        super().__init__(sample, learning_rate, smoothing)
        self._units = np.zeros(sample.n_rows, dtype=np.int64)
        self._worst = inf  # the largest -y f of a row, once it is known

    def weigh(self, votes: FloatArray) -> float:
        """Take note of the training rows' votes; return the logarithm of the mean of exp(-y f)."""
        self._worst = inf
        return self._weigh(votes, None)[0]

    def advance(self, votes: FloatArray, moves: Sequence[Move]) -> tuple[float, float]:
        """Let the round's tree vote, and weigh the rows by the new votes, in one go."""
        (move,) = moves
        return self._weigh(votes, move)

    def _weigh(self, votes: FloatArray, move: Move | None) -> tuple[float, float]:
        sample = (self.sample.labels, self.sample.shares)
        log_loss, error, self._worst, _ = kernels.weigh_exponential(
            sample, votes, move, self._worst, self._units, self.threads
        )
        return log_loss, error

    def target(self, which: int) -> Target:
        """Return the two classes with the weights D_t."""
        del which
        return Target(self.sample.labels, self._units, LEAST, 2)

    def loss(self, votes: FloatArray, labels: LabelArray, shares: FloatArray) -> float:
        """Return the mean of exp(-y f)."""
        return power(exponentials(_minus_sign(labels) * votes[:, 0], shares)[2])

    def prior(self) -> FloatArray:
        """Return half the log odds of the classes."""
        against, favour = self.sample.class_shares
        return log_odds(np.array([favour]), np.array([against]))


class AdaBoost(Exponential):
    """The lecture's AdaBoost: leaves vote -1 or +1, the tree's vote counts alpha.

    alpha_t = 1/2 ln((1 - eps_t)/eps_t). With eps_t = 0 that would be infinite: then alpha is that
    of half the lightest row being wrong, plus what the worst training row lacks, so that the
    perfect tree overrules all votes before it; the run ends with it. With eps_t >= 1/2 the tree
    says nothing: the round is dropped and the run ends.
    """

    name = "adaboost"
    index = "gini"
    free_index = True

    def ballot(self, trees: list[Tree]) -> Ballot:
        """Let each leaf vote for its heavier class, the lower one on a tie."""
        (tree,) = trees
        counts = tree.counts[tree.leaves()]
        epsilon = float(counts.min(axis=1).sum() / counts.sum())
        odds = epsilon if epsilon > 0 else self.sample.lightest / 2
        alpha = self.rate * 0.5 * log((1 - odds) / odds)
        if epsilon == 0:
            alpha += max(0.0, self._worst)
        sides = np.where(counts[:, 1:] > counts[:, :1], alpha, -alpha)
        useless = 0.5 - epsilon <= TIE
        return Ballot((placed(tree, sides),), epsilon, alpha, useless, epsilon == 0)

    def chain(self, epsilon: float | None, before: float) -> float | None:
        """Return exp(-2 sum (1/2 - eps)^2), which holds for the full alpha only."""
        if epsilon is None or self.rate != 1:
            return None
        return before * exp(-2.0 * (0.5 - epsilon) ** 2)


class RealAdaBoost(Exponential):
    """Schapire and Singer's: each leaf votes with its own confidence, 1/2 ln(W+ / W-).

    Then Z_t is the sum of 2 sqrt(W+ W-) over the leaves: the tree's own sqrt index on D_t. With
    smoothing s the confidence is 1/2 ln((W+ + s)/(W- + s)), and Z_t a little larger. Without, a
    pure leaf would vote infinity: it votes ``CAP`` (23.6), and its rows keep 2^-34 of their weight.
    """

    name = "adaboost-real"
    index = "sqrt"
    free_index = True
    smooths = True

    def ballot(self, trees: list[Tree]) -> Ballot:
        """Let each leaf vote with its confidence; alpha is in it, so it counts as 1."""
        (tree,) = trees
        counts = tree.counts[tree.leaves()]
        against, favour = (counts / counts.sum()).T
        confidence = log_odds(favour + self.smoothing, against + self.smoothing)
        z = float((favour * np.exp(-confidence) + against * np.exp(confidence)).sum())
        epsilon = float(counts.min(axis=1).sum() / counts.sum())
        scores = placed(tree, self.rate * confidence[:, np.newaxis])
        return Ballot((scores,), epsilon, self.rate, 1.0 - z <= TIE, epsilon == 0)


def _minus_sign(labels: LabelArray) -> FloatArray:
    return np.where(labels == 1, -1.0, 1.0)
