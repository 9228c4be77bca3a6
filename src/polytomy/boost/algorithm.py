"""The interface of boosting algorithms; the booster's loop is the same for all of them.

The only state of an algorithm is the votes on the training rows: weights, losses and targets follow
from them. Votes are sums of quantized scores and therefore exact, so a run resumed from its members
gives the same ensemble bit for bit.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, inf, log
from typing import ClassVar, NamedTuple

import numpy as np

from polytomy import kernels
from polytomy._types import BranchArray, FloatArray, IntArray, LabelArray
from polytomy.encode import Target
from polytomy.ensemble import quantized
from polytomy.tree import Tree

from .sample import BoostingSample
from .sums import Largest, Summing, Sums, alone
from .votes import winners

WEIGHT_UNIT = 2.0**-52  # of the total weight: integer weights of a round add up to about 2^52
MAX_VOTE = 34 * log(2)  # of a confidence-rated leaf: rows of a pure leaf keep 2^-34 of their weight


Move = tuple[BranchArray, FloatArray]
"""Of one tree: the leaf of each training row, and the quantized scores (nodes, outputs)."""


@dataclass(frozen=True, slots=True, eq=False)
class Ballot:
    """The votes of a round's trees, and the figures to record.

    If the trees are ``useless``, that is no better than chance, the round is dropped and the run
    ends. A ``perfect`` tree makes no error: the run ends once the ensemble makes none either.
    """

    scores: tuple[FloatArray, ...]  # for each tree: (nodes, outputs), quantized
    epsilon: float | None
    alpha: float
    useless: bool = False
    perfect: bool = False


class Algorithm(ABC):
    """A boosting algorithm on one sample.

    Parameters
    ----------
    sample : BoostingSample
        The training rows.
    learning_rate : float
        The factor of every vote.
    smoothing : float or None
        The weight added to each class in a leaf before its vote is computed; None for the
        algorithm's default.
    """

    name: ClassVar[str]
    index: ClassVar[str]  # the default index to grow trees by
    free_index: ClassVar[bool] = False  # whether the user may choose another index
    smooths: ClassVar[bool] = False  # whether smoothing applies
    rate_of_stumps: ClassVar[float] = 1.0  # the learning rate for learning_rate="auto"
    rate_of_trees: ClassVar[float] = 1.0  # the same for trees that may be larger
    two_classes: ClassVar[bool] = False  # whether it supports two classes only
    threads = 1  # the number of threads; results do not depend on it

    def __init__(
        self, sample: BoostingSample, learning_rate: float, smoothing: float | None
    ) -> None:
        self.sample, self.rate = sample, learning_rate
        self.smoothing = self.default_smoothing(sample) if smoothing is None else smoothing

    @property
    def n_outputs(self) -> int:
        """The number of votes of each row: 1, or one for each class."""
        return 1 if self.two_classes else self.sample.n_classes

    @property
    def n_trees(self) -> int:
        """The number of trees that each round grows."""
        return 1

    @property
    def start(self) -> FloatArray:
        """The votes before the first tree."""
        return np.zeros(self.n_outputs)

    @classmethod
    def default_smoothing(cls, sample: BoostingSample) -> float:
        """Return the smoothing used for ``smoothing="auto"``: half the mean weight of a row.

        Parameters
        ----------
        sample : BoostingSample
            The training rows.

        Returns
        -------
        float
            The smoothing, relative to a total weight of 1.
        """
        return 0.5 / sample.size

    def weigh(self, votes: FloatArray) -> float:
        """Compute the weights of the training rows from their votes.

        Z is the ratio of two losses. Logarithms are used because the loss itself may underflow in
        a long run and overflow at a large learning rate, while the ratio does neither.

        Parameters
        ----------
        votes : ndarray of shape (rows, outputs)
            The votes on the training rows.

        Returns
        -------
        float
            The logarithm of the loss.
        """
        return alone(self.weighing(votes, ()))[0]

    def advance(self, votes: FloatArray, moves: Sequence[Move]) -> tuple[float, float]:
        """Add the votes of the round's trees on the training rows and compute the new weights.

        Parameters
        ----------
        votes : ndarray of shape (rows, outputs)
            The votes on the training rows; they are updated in place.
        moves : sequence of pairs
            For each tree: the leaf of each training row, and the scores of all nodes.

        Returns
        -------
        log_loss : float
            The logarithm of the loss.
        error : float
            The training error.
        """
        return alone(self.weighing(votes, moves))

    @abstractmethod
    def weighing(self, votes: FloatArray, moves: Sequence[Move]) -> Summing[tuple[float, float]]:
        """Add the votes of the round's trees and compute the new weights, for rows in parts.

        Parameters
        ----------
        votes : ndarray of shape (rows, outputs)
            The votes on these rows; they are updated in place.
        moves : sequence of pairs
            For each tree: the leaf of each of these rows, and the scores of all nodes.

        Returns
        -------
        generator
            Yields sums over these rows, is sent those over all rows, and returns what ``advance``
            returns.
        """

    def _wrong(self, votes: FloatArray) -> kernels.ExactSum:
        """Return the training error of these rows, as a sum."""
        wrong = winners(votes) != self.sample.labels
        return kernels.ExactSum.of(self.sample.shares * wrong)

    def targeting(self, which: int) -> Summing[Target]:
        """Compute the target of the round's next tree, for rows in parts.

        Parameters
        ----------
        which : int
            The number of the tree within the round, from 0.

        Returns
        -------
        generator
            Yields sums over these rows, is sent those over all rows, and returns what ``target``
            returns.
        """
        yield from ()
        return self.target(which)

    @abstractmethod
    def target(self, which: int) -> Target:
        """Return the target of the round's next tree, from the current weights.

        Parameters
        ----------
        which : int
            The number of the tree within the round, from 0.

        Returns
        -------
        Target
            The classes and weights of the training rows.
        """

    @abstractmethod
    def ballot(self, trees: list[Tree]) -> Ballot:
        """Return the votes of the leaves of the round's trees.

        Parameters
        ----------
        trees : list of Tree
            The trees of the round.

        Returns
        -------
        Ballot
            The scores of all nodes, and the figures to record.
        """

    @abstractmethod
    def loss(self, votes: FloatArray, labels: LabelArray, shares: FloatArray) -> float:
        """Return the loss of votes on any rows; ``weigh`` returns its logarithm on the sample.

        Parameters
        ----------
        votes : ndarray of shape (rows, outputs)
            The votes.
        labels : ndarray of int
            The class number of each row.
        shares : ndarray of float
            The weights of the rows, with sum 1.

        Returns
        -------
        float
            The mean loss.
        """

    @abstractmethod
    def prior(self) -> FloatArray:
        """Return the votes that correspond to the class shares of the sample.

        Returns
        -------
        ndarray of float
            One vote for each output.
        """

    def bound(self, log_loss: float) -> float | None:
        """Return the upper bound on the training error that follows from the loss.

        Parameters
        ----------
        log_loss : float
            The logarithm of the loss.

        Returns
        -------
        float or None
            The bound; None if no theorem gives one.
        """
        return safe_exp(log_loss)

    def exponential_bound(self, epsilon: float | None, before: float) -> float | None:
        """Return the bound on the training error in terms of the rounds' errors alone.

        Parameters
        ----------
        epsilon : float or None
            The weighted error of this round's tree.
        before : float
            The bound before this round; 1 before the first.

        Returns
        -------
        float or None
            The bound after this round; None if no theorem gives one.
        """
        del epsilon, before
        return None

    def distribution(self) -> FloatArray:
        """Return the weights of the rows for the next tree.

        Returns
        -------
        ndarray of float
            The weights, with sum 1.
        """
        layers = self.target(0).layers
        total = sum((units for _, units in layers if units is not None), np.zeros(1))
        return np.asarray(total / total.sum())


def fill_units(out: IntArray, weights: FloatArray, total: float) -> None:
    """Write weights as integers, in units of ``WEIGHT_UNIT`` times their total; at least 1 each.

    A row of weight 0 would be in a node but not in its histograms. The input array is overwritten:
    allocating another one each round would cost more than the arithmetic.
    """
    weights *= 1.0 / (WEIGHT_UNIT * total)
    np.rint(weights, out=weights)
    np.maximum(weights, 1.0, out=weights)
    np.copyto(out, weights, casting="unsafe")


def add_votes(votes: FloatArray, moves: Sequence[Move]) -> None:
    """Add the votes of a round's trees on some rows."""
    for leaves, scores in moves:
        kernels.add_scores(leaves, scores, votes)


class Exponentials(NamedTuple):
    """Shares * exp(exponents), their sum and its logarithm, and other sums.

    The weights and their sum are scaled by exp(-max(exponents)).
    """

    weights: FloatArray
    total: float
    log_total: float
    others: Sums = ()


def exponentials(
    exponents: FloatArray, shares: FloatArray, others: Sums = ()
) -> Summing[Exponentials]:
    """Compute shares * exp(exponents); the weights overwrite the exponents."""
    (most,) = yield (Largest(exponents.max(initial=-inf)),)
    weights = exponents
    weights -= float(most)
    np.exp(weights, out=weights)
    weights *= shares
    both, *more = yield kernels.ExactSum.of(weights.reshape(-1)), *others
    total = both.value()
    return Exponentials(weights, total, float(most) + log(total), tuple(more))


def mean_exponential(exponents: FloatArray, shares: FloatArray) -> float:
    """Return the logarithm of the mean of exp(exponents), which are overwritten."""
    return alone(exponentials(exponents, shares)).log_total


def safe_exp(exponent: float) -> float:
    """Return exp(exponent), or inf on overflow.

    >>> safe_exp(0.0), safe_exp(-1000.0), safe_exp(1000.0)
    (1.0, 0.0, inf)
    """
    return exp(exponent) if exponent < 709 else inf


def by_node(tree: Tree, values: FloatArray) -> FloatArray:
    """Return the leaves' values, quantized, as an array with a row for every node, 0 for others."""
    out = np.zeros((tree.n_nodes, values.shape[1]))
    out[tree.leaves()] = quantized(values)
    return out


def half_log_odds(pro: FloatArray, contra: FloatArray) -> FloatArray:
    """Return half the log odds, clipped to ``MAX_VOTE`` in size; 0 for 0 over 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        half = np.asarray(0.5 * (np.log(pro) - np.log(contra)))
    half[np.isnan(half)] = 0.0
    return half.clip(-MAX_VOTE, MAX_VOTE)
