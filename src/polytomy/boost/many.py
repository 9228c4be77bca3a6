"""AdaBoost for any number of classes: AdaBoost.MH and SAMME."""

from math import log

import numpy as np

from polytomy._types import TIE, FloatArray, IntArray, LabelArray
from polytomy.encode import Target
from polytomy.tree import Tree

from .algorithm import (
    CAP,
    LEAST,
    Algorithm,
    Ballot,
    exponentials,
    fill_units,
    log_odds,
    placed,
    power,
)
from .sample import Sample


class AdaBoostMH(Algorithm):
    """Schapire and Singer's AdaBoost.MH: each class is a question, whether a row is of it.

    D_t(i, l) weighs the pairs of a row and a class; a leaf votes 1/2 ln(W+ / W-) for each class,
    and Z_t is the tree's ``pairs`` index on D_t. Where the argmax of the votes is wrong, the row's
    pairs lose at least 2: with C classes the error is at most C/2 times the product of all Z.
    """

    name = "adaboost-mh"
    index = "pairs"
    smooths = True

    def __init__(self, sample: Sample, learning_rate: float, smoothing: float | None) -> None:
        super().__init__(sample, learning_rate, smoothing)
        self._minus_y = _minus_membership(sample.labels, sample.n_classes)
        classes = np.arange(sample.n_classes, dtype=np.uint16)[:, np.newaxis]
        self._labels = 2 * classes + (sample.labels != classes).astype(np.uint16)
        self._units = np.zeros(self._labels.shape, dtype=np.int64)

    def natural_smoothing(self) -> float:
        """Return half of what one pair of a row and a class weighs."""
        return 0.5 / (self.sample.size * self.sample.n_classes)

    def weigh(self, votes: FloatArray) -> float:
        """Take note of the votes; return the logarithm of the mean of exp(-y f) over all pairs."""
        pain = self._minus_y * votes.T
        weights, total, log_sum = exponentials(pain, self.sample.shares)
        fill_units(self._units, weights, total)
        return log_sum - log(self.sample.n_classes)

    def target(self, which: int) -> Target:
        """Return a layer for each class l: a row counts 2l if it is of that class, else 2l+1."""
        del which
        first, *more = zip(self._labels, self._units, strict=True)
        return Target(*first, LEAST, 2 * self.sample.n_classes, tuple(more))

    def ballot(self, trees: list[Tree]) -> Ballot:
        """Let each leaf vote for each class with its confidence."""
        (tree,) = trees
        counts = tree.counts[tree.leaves()]
        share = counts / counts.sum()
        favour, against = share[:, 0::2], share[:, 1::2]
        confidence = log_odds(favour + self.smoothing, against + self.smoothing)
        z = float((favour * np.exp(-confidence) + against * np.exp(confidence)).sum())
        epsilon = float(np.minimum(favour, against).sum())
        scores = placed(tree, self.rate * confidence)
        return Ballot((scores,), epsilon, self.rate, 1.0 - z <= TIE, epsilon == 0)

    def loss(self, votes: FloatArray, labels: LabelArray, shares: FloatArray) -> float:
        """Return the mean of exp(-y f) over all pairs of rows and classes."""
        n_classes = self.sample.n_classes
        pain = _minus_membership(labels, n_classes) * votes.T
        return power(exponentials(pain, shares)[2] - log(n_classes))

    def prior(self) -> FloatArray:
        """Return half the log odds of each class."""
        return log_odds(self.sample.class_shares, 1.0 - self.sample.class_shares)

    def bound(self, log_loss: float) -> float | None:
        """Return C/2 times the loss."""
        return power(log_loss) * self.sample.n_classes / 2


class Samme(Algorithm):
    """SAMME (Zhu, Zou, Rosset and Hastie): each leaf votes alpha for its heaviest class.

    alpha_t = ln((1 - eps_t)/eps_t) + ln(K - 1) for K classes; a row's weight is D_1(i) times e to
    minus the votes for its own class. Chance is eps = 1 - 1/K: from there on the round is dropped
    and the run ends. A perfect tree ends the run too; it gets the alpha of half the lightest row
    being wrong, plus what the worst training row lacks. No theorem bounds the error by Z.
    """

    name = "samme"
    index = "gini"
    free_index = True

    def __init__(self, sample: Sample, learning_rate: float, smoothing: float | None) -> None:
        super().__init__(sample, learning_rate, smoothing)
        self._units = np.zeros(sample.n_rows, dtype=np.int64)
        self._votes = np.zeros((0, 0))

    def weigh(self, votes: FloatArray) -> float:
        """Take note of the votes; return the logarithm of the mean of exp(-f of the own class)."""
        self._votes = votes
        pain = -_own(votes, self.sample.labels)
        weights, total, log_loss = exponentials(pain, self.sample.shares)
        fill_units(self._units, weights, total)
        return log_loss

    def target(self, which: int) -> Target:
        """Return the classes with the weights D_t."""
        del which
        return Target(self.sample.labels, self._units, LEAST, self.sample.n_classes)

    def ballot(self, trees: list[Tree]) -> Ballot:
        """Let each leaf vote for its heaviest class, the lower one on a tie."""
        (tree,) = trees
        counts = tree.counts[tree.leaves()]
        epsilon = _wrong_share(counts)
        odds = epsilon if epsilon > 0 else self.sample.lightest / 2
        others = self.sample.n_classes - 1
        alpha = self.rate * (log((1 - odds) / odds) + log(others))
        if epsilon == 0:
            lack = self._votes.max(axis=1) - _own(self._votes, self.sample.labels)
            alpha += float(lack.max())
        sides = np.zeros((len(counts), others + 1))
        sides[np.arange(len(counts)), counts.argmax(axis=1)] = alpha
        useless = others / (others + 1) - epsilon <= TIE
        return Ballot((placed(tree, sides),), epsilon, alpha, useless, epsilon == 0)

    def loss(self, votes: FloatArray, labels: LabelArray, shares: FloatArray) -> float:
        """Return the mean of exp(-f of the row's class)."""
        return power(exponentials(-_own(votes, labels), shares)[2])

    def prior(self) -> FloatArray:
        """Return the logarithm of each class's share."""
        with np.errstate(divide="ignore"):
            return np.maximum(np.log(self.sample.class_shares), -CAP)

    def bound(self, log_loss: float) -> None:
        """Nothing is known."""
        del log_loss


def _own(votes: FloatArray, labels: LabelArray) -> FloatArray:
    """Return the votes for each row's own class."""
    return np.asarray(votes[np.arange(len(labels)), labels])


def _wrong_share(counts: FloatArray) -> float:
    """Return the share of weight that is not of its leaf's heaviest class."""
    heaviest: IntArray = counts.argmax(axis=1)
    rest = counts.copy()
    rest[np.arange(len(counts)), heaviest] = 0.0
    return float(rest.sum() / counts.sum())


def _minus_membership(labels: LabelArray, n_classes: int) -> FloatArray:
    """Return -1 where a row is of a class and 1 elsewhere; of shape (classes, rows)."""
    return np.where(labels == np.arange(n_classes)[:, np.newaxis], -1.0, 1.0)
