"""AdaBoost and its variants: adaboost, adaboost-real, adaboost-mh and samme."""

from collections.abc import Sequence
from math import ceil, exp, inf, log

import numpy as np

from polytomy import kernels
from polytomy._types import TIE, FloatArray, IntArray, LabelArray
from polytomy.encode import Target
from polytomy.tree import Tree

from .algorithm import (
    MAX_VOTE,
    WEIGHT_UNIT,
    Algorithm,
    Ballot,
    Move,
    add_votes,
    by_node,
    exponentials,
    fill_units,
    half_log_odds,
    mean_exponential,
    safe_exp,
)
from .sample import BoostingSample
from .sums import Largest, Summing
from .votes import winners

_SMALLEST = 2.0**-500  # a sum of weights from which rounding has not taken anything

# ---- two classes ---------------------------------------------------------------------------------


class TwoClassAdaBoost(Algorithm):
    """The exponential loss for two classes, y = -1 and y = +1.

    D_{t+1}(i) = D_t(i) exp(-alpha_t y_i h_t(x_i)) / Z_t equals D_1(i) exp(-y_i f(x_i)) divided by
    the product of all Z. So that product is the mean of exp(-y f), a bound on the training error.
    """

    two_classes = True

    def __init__(
        self, sample: BoostingSample, learning_rate: float, smoothing: float | None
    ) -> None:
        super().__init__(sample, learning_rate, smoothing)
        self._units = np.zeros(sample.n_rows, dtype=np.int64)
        self._worst = inf  # the largest -y f of any row, once computed

    def weigh(self, votes: FloatArray) -> float:
        """Compute the weights; return the logarithm of the mean of exp(-y f)."""
        self._worst = inf
        return self._weigh(votes, None)[0]

    def advance(self, votes: FloatArray, moves: Sequence[Move]) -> tuple[float, float]:
        """Add the votes of the round's tree and compute the new weights in one pass."""
        (move,) = moves
        return self._weigh(votes, move)

    def _weigh(self, votes: FloatArray, move: Move | None) -> tuple[float, float]:
        sample = (self.sample.labels, self.sample.unequal_shares)
        log_loss, error, self._worst, _ = kernels.weigh_exponential(
            sample, votes, move, self._worst, self._units, self.threads
        )
        return log_loss, error

    def weighing(self, votes: FloatArray, moves: Sequence[Move]) -> Summing[tuple[float, float]]:
        """Do the same as ``advance`` for rows in parts."""
        shares, n_all = self.sample.unequal_shares, self.sample.n_all
        part = self.sample.labels, shares, n_all
        move = moves[0] if moves else None
        if self._worst < inf:
            step = 0.0 if move is None else float(np.abs(move[1]).max())
            shift = float(ceil((self._worst + step) / log(2)))
            weights = self._units
        else:  # only the largest -y f can be computed
            shift, weights = 0.0, None
        sums = kernels.sum_exponential(part, votes, move, shift, weights, self.threads)
        (sums,) = yield (sums,)
        if not sums.total(shift) > _SMALLEST:
            shift = float(ceil(sums.worst / log(2)))
            sums = kernels.sum_exponential(part, votes, None, shift, self._units, self.threads)
            (sums,) = yield (sums,)
        log_loss, error, self._worst, total = kernels.weighed_exponential(
            sums, shift, n_all, equal=shares is None
        )
        kernels.write_units(self._units, total, self.threads)
        return log_loss, error

    def target(self, which: int) -> Target:
        """Return the two classes with the weights D_t."""
        del which
        return Target(self.sample.labels, self._units, WEIGHT_UNIT, 2)

    def loss(self, votes: FloatArray, labels: LabelArray, shares: FloatArray) -> float:
        """Return the mean of exp(-y f)."""
        return safe_exp(mean_exponential(_minus_sign(labels) * votes[:, 0], shares))

    def prior(self) -> FloatArray:
        """Return half the log odds of the classes."""
        against, favour = self.sample.class_shares
        return half_log_odds(np.array([favour]), np.array([against]))


class AdaBoost(TwoClassAdaBoost):
    """AdaBoost as in the lecture: leaves vote -1 or +1, times alpha.

    alpha_t = 1/2 ln((1 - eps_t)/eps_t). If eps_t = 0, alpha would be infinite; it is computed with
    half the weight of the lightest row as the error, plus the largest deficit of any training row,
    so that the perfect tree outvotes all earlier ones. The run then ends. If eps_t >= 1/2, the
    round is dropped and the run ends.
    """

    name = "adaboost"
    index = "gini"
    free_index = True

    def ballot(self, trees: list[Tree]) -> Ballot:
        """Return votes for each leaf's heavier class; ties go to the lower class."""
        (tree,) = trees
        counts = tree.counts[tree.leaves()]
        epsilon = float(counts.min(axis=1).sum() / counts.sum())
        odds = epsilon if epsilon > 0 else self.sample.lightest / 2
        alpha = self.rate * 0.5 * log((1 - odds) / odds)
        if epsilon == 0:
            alpha += max(0.0, self._worst)
        sides = np.where(counts[:, 1:] > counts[:, :1], alpha, -alpha)
        useless = 0.5 - epsilon <= TIE
        return Ballot((by_node(tree, sides),), epsilon, alpha, useless, epsilon == 0)

    def exponential_bound(self, epsilon: float | None, before: float) -> float | None:
        """Return exp(-2 sum (1/2 - eps)^2), or None: it holds for a learning rate of 1 only."""
        if epsilon is None or self.rate != 1:
            return None
        return before * exp(-2.0 * (0.5 - epsilon) ** 2)


class RealAdaBoost(TwoClassAdaBoost):
    """Confidence-rated AdaBoost (Schapire and Singer): each leaf votes 1/2 ln(W+ / W-).

    Then Z_t is the sum of 2 sqrt(W+ W-) over the leaves: the tree's own sqrt index on D_t. With
    smoothing s the vote is 1/2 ln((W+ + s)/(W- + s)), and Z_t slightly larger. Without smoothing
    the vote of a pure leaf would be infinite; it is ``MAX_VOTE`` (23.6), which leaves its rows
    2^-34 of their weight.
    """

    name = "adaboost-real"
    index = "sqrt"
    free_index = True
    smooths = True

    def ballot(self, trees: list[Tree]) -> Ballot:
        """Return each leaf's confidence as its vote; the recorded alpha is the learning rate."""
        (tree,) = trees
        counts = tree.counts[tree.leaves()]
        against, favour = (counts / counts.sum()).T
        confidence = half_log_odds(favour + self.smoothing, against + self.smoothing)
        z = float((favour * np.exp(-confidence) + against * np.exp(confidence)).sum())
        epsilon = float(counts.min(axis=1).sum() / counts.sum())
        scores = by_node(tree, self.rate * confidence[:, np.newaxis])
        return Ballot((scores,), epsilon, self.rate, 1.0 - z <= TIE, epsilon == 0)


# ---- any number of classes -----------------------------------------------------------------------


class AdaBoostMH(Algorithm):
    """AdaBoost.MH (Schapire and Singer): one binary problem for each class.

    D_t(i, l) is the weight of the pair of row i and class l. A leaf votes 1/2 ln(W+ / W-) for each
    class, and Z_t is the tree's ``pairs`` index on D_t. If the argmax of the votes is wrong, the
    losses of the row's pairs add up to at least 2: with C classes the error is at most C/2 times
    the product of all Z.
    """

    name = "adaboost-mh"
    index = "pairs"
    smooths = True

    def __init__(
        self, sample: BoostingSample, learning_rate: float, smoothing: float | None
    ) -> None:
        super().__init__(sample, learning_rate, smoothing)
        self._minus_y = _minus_membership(sample.labels, sample.n_classes)
        classes = np.arange(sample.n_classes, dtype=np.uint16)[:, np.newaxis]
        self._labels = 2 * classes + (sample.labels != classes).astype(np.uint16)
        self._units = np.zeros(self._labels.shape, dtype=np.int64)

    @classmethod
    def default_smoothing(cls, sample: BoostingSample) -> float:
        """Return half the mean weight of a pair of a row and a class."""
        return 0.5 / (sample.size * sample.n_classes)

    def weighing(self, votes: FloatArray, moves: Sequence[Move]) -> Summing[tuple[float, float]]:
        """Compute the weights; the loss is the mean of exp(-y f) over all pairs."""
        add_votes(votes, moves)
        exponents, error = self._minus_y * votes.T, self._wrong(votes)
        found = yield from exponentials(exponents, self.sample.shares, (error,))
        fill_units(self._units, found.weights, found.total)
        (error,) = found.others
        return found.log_total - log(self.sample.n_classes), error.value()

    def target(self, which: int) -> Target:
        """Return a layer for each class l: a row counts for 2l if it has that class, else 2l+1."""
        del which
        first, *more = zip(self._labels, self._units, strict=True)
        return Target(*first, WEIGHT_UNIT, 2 * self.sample.n_classes, tuple(more))

    def ballot(self, trees: list[Tree]) -> Ballot:
        """Return each leaf's confidence in each class."""
        (tree,) = trees
        counts = tree.counts[tree.leaves()]
        share = counts / counts.sum()
        favour, against = share[:, 0::2], share[:, 1::2]
        confidence = half_log_odds(favour + self.smoothing, against + self.smoothing)
        z = float((favour * np.exp(-confidence) + against * np.exp(confidence)).sum())
        epsilon = float(np.minimum(favour, against).sum())
        scores = by_node(tree, self.rate * confidence)
        return Ballot((scores,), epsilon, self.rate, 1.0 - z <= TIE, epsilon == 0)

    def loss(self, votes: FloatArray, labels: LabelArray, shares: FloatArray) -> float:
        """Return the mean of exp(-y f) over all pairs of rows and classes."""
        n_classes = self.sample.n_classes
        exponents = _minus_membership(labels, n_classes) * votes.T
        return safe_exp(mean_exponential(exponents, shares) - log(n_classes))

    def prior(self) -> FloatArray:
        """Return half the log odds of each class."""
        return half_log_odds(self.sample.class_shares, 1.0 - self.sample.class_shares)

    def bound(self, log_loss: float) -> float | None:
        """Return C/2 times the loss."""
        return safe_exp(log_loss) * self.sample.n_classes / 2


class Samme(Algorithm):
    """SAMME (Zhu, Zou, Rosset and Hastie): each leaf votes alpha for its heaviest class.

    alpha_t = ln((1 - eps_t)/eps_t) + ln(K - 1) for K classes. The weight of row i is D_1(i) times
    exp(-votes for its own class). If eps_t >= 1 - 1/K, the error of random guessing, the round is
    dropped and the run ends. A perfect tree ends the run too; its alpha is computed with half the
    weight of the lightest row as the error, plus the largest deficit of any training row. No
    theorem bounds the error by Z.
    """

    name = "samme"
    index = "gini"
    free_index = True

    def __init__(
        self, sample: BoostingSample, learning_rate: float, smoothing: float | None
    ) -> None:
        super().__init__(sample, learning_rate, smoothing)
        self._units = np.zeros(sample.n_rows, dtype=np.int64)
        self._deficit = 0.0  # the largest of any row: the winner's votes minus those of its class

    def weighing(self, votes: FloatArray, moves: Sequence[Move]) -> Summing[tuple[float, float]]:
        """Compute the weights; the loss is the mean of exp(-own class's votes)."""
        add_votes(votes, moves)
        own = _own(votes, self.sample.labels)
        deficit = Largest((_own(votes, winners(votes)) - own).max(initial=0.0))
        others = self._wrong(votes), deficit
        found = yield from exponentials(-own, self.sample.shares, others)
        fill_units(self._units, found.weights, found.total)
        error, self._deficit = found.others
        return found.log_total, error.value()

    def target(self, which: int) -> Target:
        """Return the classes with the weights D_t."""
        del which
        return Target(self.sample.labels, self._units, WEIGHT_UNIT, self.sample.n_classes)

    def ballot(self, trees: list[Tree]) -> Ballot:
        """Return votes for each leaf's heaviest class; ties go to the lowest class."""
        (tree,) = trees
        counts = tree.counts[tree.leaves()]
        epsilon = _wrong_share(counts)
        odds = epsilon if epsilon > 0 else self.sample.lightest / 2
        others = self.sample.n_classes - 1
        alpha = self.rate * (log((1 - odds) / odds) + log(others))
        if epsilon == 0:
            alpha += float(self._deficit)
        sides = np.zeros((len(counts), others + 1))
        sides[np.arange(len(counts)), counts.argmax(axis=1)] = alpha
        useless = others / (others + 1) - epsilon <= TIE
        return Ballot((by_node(tree, sides),), epsilon, alpha, useless, epsilon == 0)

    def loss(self, votes: FloatArray, labels: LabelArray, shares: FloatArray) -> float:
        """Return the mean of exp(-votes for the row's own class)."""
        return safe_exp(mean_exponential(-_own(votes, labels), shares))

    def prior(self) -> FloatArray:
        """Return the logarithm of each class's share."""
        with np.errstate(divide="ignore"):
            return np.maximum(np.log(self.sample.class_shares), -MAX_VOTE)

    def bound(self, log_loss: float) -> None:
        """Return None: no bound is known."""
        del log_loss


# ---- helpers -------------------------------------------------------------------------------------


def _minus_sign(labels: LabelArray) -> FloatArray:
    return np.where(labels == 1, -1.0, 1.0)


def _own(votes: FloatArray, labels: LabelArray | IntArray) -> FloatArray:
    """Return the votes for one class of each row."""
    return np.asarray(votes[np.arange(len(labels)), labels])


def _wrong_share(counts: FloatArray) -> float:
    """Return the share of the weight that does not belong to the heaviest class of its leaf."""
    heaviest: IntArray = counts.argmax(axis=1)
    rest = counts.copy()
    rest[np.arange(len(counts)), heaviest] = 0.0
    return float(rest.sum() / counts.sum())


def _minus_membership(labels: LabelArray, n_classes: int) -> FloatArray:
    """Return -1 if a row has a class and 1 otherwise; an array of shape (classes, rows)."""
    return np.where(labels == np.arange(n_classes)[:, np.newaxis], -1.0, 1.0)
