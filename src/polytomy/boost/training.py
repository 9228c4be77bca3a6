"""The training rows of a boosting run: growing trees on them, and their votes."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from polytomy._types import FloatArray
from polytomy.encode import Target
from polytomy.ensemble import Ensemble, votes
from polytomy.grow import Grower, Tuning
from polytomy.kernels import add_scores
from polytomy.predict import apply
from polytomy.table import Table
from polytomy.tree import Tree

from .algorithm import Algorithm
from .params import BoostParams
from .sample import BoostingSample


class Training(Protocol):
    """The training rows of a run, wherever they are."""

    sample: BoostingSample
    """The rows in this process; none if they are elsewhere."""
    algorithm: Algorithm

    def begin(self, ensemble: Ensemble) -> float:
        """Compute the votes of an ensemble, and the weights that follow from them.

        Parameters
        ----------
        ensemble : Ensemble
            The trees so far.

        Returns
        -------
        float
            The logarithm of the loss.
        """

    def grow(self, which: int) -> Tree:
        """Grow a tree of the current round.

        Parameters
        ----------
        which : int
            The number of the tree within the round, from 0.

        Returns
        -------
        Tree
            The tree.
        """

    def advance(self, scores: Sequence[FloatArray]) -> tuple[float, float]:
        """Add the votes of the round's trees and compute the new weights.

        Parameters
        ----------
        scores : sequence of ndarray
            For each tree of the round, the scores of all its nodes.

        Returns
        -------
        log_loss : float
            The logarithm of the loss.
        error : float
            The training error.
        """


class LocalTraining:
    """Training rows in this process.

    Parameters
    ----------
    sample : BoostingSample
        The encoded rows.
    params : BoostParams
        The parameters of boosting.
    table : Table or None
        The raw rows; needed by users' own families, and to begin with an ensemble that has trees.
    threads : int
        The number of threads.
    """

    def __init__(
        self, sample: BoostingSample, params: BoostParams, table: Table | None, threads: int
    ) -> None:
        self.sample, self._params, self._table, self._threads = sample, params, table, threads
        self.algorithm = params.algorithm_on(sample, threads)
        self._index = params.index_for(sample.n_classes)
        self.votes = np.empty((0, self.algorithm.n_outputs))
        self._grower: Grower | None = None
        self._leaves = np.empty((self.algorithm.n_trees, sample.n_rows), dtype=np.int32)

    def begin(self, ensemble: Ensemble) -> float:
        """Compute the votes of an ensemble; see ``Training``."""
        if self._table is None:
            self.votes = np.tile(ensemble.start, (self.sample.n_rows, 1))
        else:
            self.votes = votes_on(ensemble, self._table, self._threads)
        return self.algorithm.weigh(self.votes)

    def grow(self, which: int) -> Tree:
        """Grow a tree of the current round; see ``Training``."""
        grower = self._restarted(self.algorithm.target(which))
        tree = grower.finish()
        grower.leaves(self._leaves[which])
        return tree

    def advance(self, scores: Sequence[FloatArray]) -> tuple[float, float]:
        """Add the votes of the round's trees; see ``Training``."""
        moves = list(zip(self._leaves, scores, strict=True))
        return self.algorithm.advance(self.votes, moves)

    def _restarted(self, target: Target) -> Grower:
        """Return the grower, ready to grow a tree on a new target."""
        params = self._params
        if self._grower is None:
            own = any(not isinstance(family, str) for family in params.grow.families)
            self._grower = Grower(
                self.sample.coded,
                target,
                params.grow,
                index=self._index,
                table=self._table if own else None,
                price=params.price,
                tuning=Tuning(threads=self._threads, apart=0),  # the rows' leaves are needed
            )
        else:
            self._grower.restart(target)
        return self._grower


def votes_on(ensemble: Ensemble, table: Table, threads: int = 1) -> FloatArray:
    """Return the votes of an ensemble on a table, bit-identical to those of the run that grew it.

    If votes are too large for sums to be exact in any order, they are added one by one.

    Parameters
    ----------
    ensemble : Ensemble
        The ensemble.
    table : Table
        The rows.
    threads : int, default=1
        The number of threads.

    Returns
    -------
    ndarray of shape (rows, outputs)
        The votes.
    """
    if ensemble.members and ensemble.exact:
        return votes(ensemble, table, threads)
    total = np.tile(ensemble.start, (table.n_rows, 1))
    for member in ensemble.members:
        add_scores(apply(member.tree, ensemble.schema, table, threads), member.scores, total)
    return total
