"""What an algorithm of boosting must say; the booster's loop is the same for all.

The votes on the training rows are all an algorithm remembers: weights, losses and targets follow
from them. Votes are sums of quantized scores and so exact: a run that was stopped goes on from its
members to the same bits.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, inf, log
from typing import ClassVar

import numpy as np

from polytomy import kernels
from polytomy._types import BranchArray, FloatArray, IntArray, LabelArray
from polytomy.encode import Target
from polytomy.tree import Tree

from .sample import Sample

LEAST = 2.0**-52  # the weight of one unit: the weights of a round add up to about 2^52 of them
CAP = 34 * log(2)  # the most confident vote: rows of a pure leaf keep 2^-34 of their weight


Move = tuple[BranchArray, FloatArray]
"""The leaf each training row is in, and the quantized scores, (nodes, outputs), of a tree."""


@dataclass(frozen=True, slots=True, eq=False)
class Ballot:
    """What the trees of a round vote, and what is recorded of them.

    ``useless`` trees are no better than chance: the round is dropped and the run ends. A
    ``perfect`` tree makes no error: the run ends when the ensemble makes none either.
    """

    scores: tuple[FloatArray, ...]  # of each tree: (nodes, outputs)
    epsilon: float | None
    alpha: float
    useless: bool = False
    perfect: bool = False


class Algorithm(ABC):
    """One algorithm on one sample.

    Parameters
    ----------
    sample : Sample
        The training rows.
    learning_rate : float
        What every vote is multiplied by.
    smoothing : float or None
        What is added to the weights in a leaf before its confidence is taken; None for the
        algorithm's own.
    """

    name: ClassVar[str]
    index: ClassVar[str]  # by which its trees are grown, unless the user says otherwise
    free_index: ClassVar[bool] = False  # whether the user may say otherwise
    smooths: ClassVar[bool] = False  # whether smoothing means something
    two_classes: ClassVar[bool] = False  # whether it knows no more than two
    threads = 1  # how many to use; no figure depends on it

    def __init__(self, sample: Sample, learning_rate: float, smoothing: float | None) -> None:
        self.sample, self.rate = sample, learning_rate
        self.smoothing = self.natural_smoothing() if smoothing is None else smoothing

    @property
    def n_outputs(self) -> int:
        """How many numbers a row's votes are."""
        return 1 if self.two_classes else self.sample.n_classes

    @property
    def n_trees(self) -> int:
        """How many trees a round grows."""
        return 1

    @property
    def start(self) -> FloatArray:
        """The votes before any tree."""
        return np.zeros(self.n_outputs)

    def natural_smoothing(self) -> float:
        """Return half of what one row of the sample weighs."""
        return 0.5 / self.sample.size

    @abstractmethod
    def weigh(self, votes: FloatArray) -> float:
        """Take note of the training rows' votes; return the logarithm of their loss.

        Z is the ratio of losses. Logarithms, because a long run's loss is less than the least
        number there is, and a rash one's more than the largest, but their ratio is neither.
        """

    def advance(self, votes: FloatArray, moves: Sequence[Move]) -> tuple[float, float]:
        """Let the round's trees vote on the training rows, and weigh them by the new votes.

        Return the logarithm of their loss, and the share of rows whose votes are for another class.
        """
        for leaves, scores in moves:
            kernels.add_scores(leaves, scores, votes)
        return self.weigh(votes), error_of(votes, self.sample.labels, self.sample.shares)

    @abstractmethod
    def target(self, which: int) -> Target:
        """Return what the round's trees are grown on, by the votes as last weighed."""

    @abstractmethod
    def ballot(self, trees: list[Tree]) -> Ballot:
        """Return what the leaves of the round's trees vote."""

    @abstractmethod
    def loss(self, votes: FloatArray, labels: LabelArray, shares: FloatArray) -> float:
        """Return the loss of votes on any rows; ``weigh`` returns its logarithm."""

    @abstractmethod
    def prior(self) -> FloatArray:
        """Return the votes that predict the class shares of the sample for every row."""

    def bound(self, log_loss: float) -> float | None:
        """Return what the loss says the training error is at most; None if it says nothing."""
        return power(log_loss)

    def chain(self, epsilon: float | None, before: float) -> float | None:
        """Return what the rounds' errors alone say the bound is at most, if anything.

        ``before`` is what they said before this round, 1 before any.
        """
        del epsilon, before
        return None

    def distribution(self) -> FloatArray:
        """Return the rows' weights as the next tree will see them, adding up to 1."""
        layers = self.target(0).layers
        total = sum((units for _, units in layers if units is not None), np.zeros(1))
        return np.asarray(total / total.sum())


def fill_units(out: IntArray, weights: FloatArray, total: float) -> None:
    """Write weights in units, ``LEAST`` of their total each; every row has at least one.

    A row without a unit would be in a node but not in its histograms. The weights are used up: an
    array more each round would cost more than the arithmetic.
    """
    weights *= 1.0 / (LEAST * total)
    np.rint(weights, out=weights)
    np.maximum(weights, 1.0, out=weights)
    np.copyto(out, weights, casting="unsafe")


def exponentials(exponents: FloatArray, shares: FloatArray) -> tuple[FloatArray, float, float]:
    """Return shares times e to the exponents, their sum, and the logarithm of the whole sum.

    The first two are relative to the largest exponent; the first takes the exponents' place.
    """
    most = float(exponents.max())
    weights = exponents
    weights -= most
    np.exp(weights, out=weights)
    weights *= shares
    total = float(weights.sum())
    return weights, total, most + log(total)


def power(exponent: float) -> float:
    """Return e to the exponent; inf where that is beyond all numbers.

    >>> power(0.0), power(-1000.0), power(1000.0)
    (1.0, 0.0, inf)
    """
    return exp(exponent) if exponent < 709 else inf


def winners(votes: FloatArray) -> IntArray:
    """Return the class number each row's votes are for; the lower one on a tie."""
    if votes.shape[1] == 1:
        return (votes[:, 0] > 0).view(np.uint8).astype(np.int64)
    return np.asarray(votes.argmax(axis=1))


def error_of(votes: FloatArray, labels: LabelArray, shares: FloatArray) -> float:
    """Return the share of rows whose votes are for another class."""
    return float((shares * (winners(votes) != labels)).sum())


def placed(tree: Tree, values: FloatArray) -> FloatArray:
    """Return an array with a row for each node: the leaves' values, and 0 elsewhere."""
    out = np.zeros((tree.n_nodes, values.shape[1]))
    out[tree.leaves()] = values
    return out


def log_odds(pro: FloatArray, contra: FloatArray) -> FloatArray:
    """Return half the logarithm of pro over contra, at most ``CAP`` in size; 0 for 0 over 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        half = np.asarray(0.5 * (np.log(pro) - np.log(contra)))
    half[np.isnan(half)] = 0.0
    return half.clip(-CAP, CAP)
