"""The boosting loop, which can be stepped, stopped and resumed.

D = the row weights from the current votes
repeat:
    tree  = grow on the codes with weights D     (the same codes every round)
    votes = votes + scores of the tree's leaves
    D     = the row weights from the new votes; Z = the ratio of the losses
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from math import inf

import numpy as np

from polytomy._types import AnyArray, FloatArray
from polytomy.ensemble import Ensemble, Member, quantized
from polytomy.predict import apply
from polytomy.table import Table
from polytomy.tree import Tree

from .algorithm import Ballot, safe_exp
from .params import BoostParams
from .rounds import Round, Rounds
from .sample import BoostingSample, HeldOut
from .training import LocalTraining, Training, votes_on
from .votes import error_of

PERFECT = "a tree without error settled the vote"
CHANCE = "the next tree is no better than chance"


@dataclass(frozen=True, slots=True, eq=False)
class Progress:
    """The state of a run, from which it can resume.

    Attributes
    ----------
    members : tuple of Member
        The trees so far, with their scores.
    rounds : tuple of Round
        The records of the rounds so far.
    start : ndarray of float or None
        The votes before the first tree; None before the first round.
    ended : str or None
        Why no further round is possible, or None.
    """

    members: tuple[Member, ...] = ()
    rounds: tuple[Round, ...] = ()
    start: FloatArray | None = None
    ended: str | None = None


class Booster:
    """Boosts trees on one sample.

    Parameters
    ----------
    sample : BoostingSample
        The encoded training rows.
    params : BoostParams
        The parameters of boosting.
    table : Table, default=None
        The raw training rows; needed by users' own families, and to resume from a progress.
    held_out : HeldOut, default=None
        Rows to evaluate every round on.
    threads : int, default=1
        The number of threads. The ensemble does not depend on it.
    progress : Progress, default=None
        The state of an earlier run on the same sample with the same parameters, to resume from.
    training : Training, default=None
        The training rows, if they are not those of ``sample``.

    Examples
    --------
    >>> from polytomy.encode import encode
    >>> x = np.arange(8.0)
    >>> coded = encode(Table.of({"x": x}))
    >>> params = BoostParams(algorithm="adaboost-real")
    >>> booster = Booster(BoostingSample.of(coded, [0, 0, 1, 1, 1, 0, 1, 1], 2), params)
    >>> round(booster.step().z, 3), booster.run(4).rounds.training_error.tolist()
    (0.678, [0.125, 0.125, 0.125, 0.125])
    """

    def __init__(
        self,
        sample: BoostingSample,
        params: BoostParams,
        *,
        table: Table | None = None,
        held_out: HeldOut | None = None,
        threads: int = 1,
        progress: Progress | None = None,
        training: Training | None = None,
    ) -> None:
        self.sample, self.params, self.held_out, self._threads = sample, params, held_out, threads
        if training is None:
            training = LocalTraining(sample, params, table, threads)
        self._training, self.algorithm = training, training.algorithm
        done = Progress() if progress is None else progress
        self.members, self._rounds, self.ended = list(done.members), list(done.rounds), done.ended
        self.start = self.algorithm.start if done.start is None else done.start
        whole = self.ensemble(np.arange(sample.n_classes))
        if held_out is not None:
            self._held_votes = votes_on(whole, held_out.table, threads)
        self._loss = training.begin(whole)

    @property
    def rounds(self) -> Rounds:
        """The record of every round so far."""
        return Rounds(self._rounds)

    @property
    def progress(self) -> Progress:
        """The current state, from which another booster can resume."""
        return Progress(tuple(self.members), tuple(self._rounds), self.start, self.ended)

    def ensemble(self, classes: AnyArray, rounds: int | None = None) -> Ensemble:
        """Return the ensemble of the first rounds.

        Parameters
        ----------
        classes : array
            The classes, in the order of their numbers.
        rounds : int, optional
            The number of rounds; None for all.

        Returns
        -------
        Ensemble
            The ensemble.
        """
        n = sum(r.trees for r in self._rounds[:rounds])
        schema = self.sample.coded.schema
        name = self.algorithm.name
        return Ensemble(schema, classes, tuple(self.members[:n]), self.start, name)

    def run(
        self,
        n_rounds: int,
        on_round: Callable[["Booster"], bool | None] | None = None,
    ) -> "Booster":
        """Add rounds until there are ``n_rounds``, the run ends, or ``on_round`` returns True.

        Parameters
        ----------
        n_rounds : int
            The total number of rounds.
        on_round : callable, optional
            Called after each round with this booster; the run stops if it returns True.

        Returns
        -------
        Booster
            This booster.
        """
        while len(self._rounds) < n_rounds and self.step() is not None:
            if on_round is not None and on_round(self):
                break
        return self

    def step(self) -> Round | None:
        """Add one round.

        Returns
        -------
        Round or None
            The record of the round; None if the run has ended, see ``ended``.
        """
        if self.ended is not None:
            return None
        trees = [self._training.grow(which) for which in range(self.algorithm.n_trees)]
        ballot = self.algorithm.ballot(trees)
        if ballot.useless:
            self._give_up()
            return None
        new = [Member(t, scores) for t, scores in zip(trees, ballot.scores, strict=True)]
        for member in new:
            self._add(member)
        before = self._loss
        self._loss, error = self._training.advance([member.scores for member in new])
        return self._record(ballot, trees, before, error)

    def _add(self, member: Member) -> None:
        """Add a member and its votes on the held-out rows."""
        self.members.append(member)
        if self.held_out is not None:
            schema = self.sample.coded.schema
            at = apply(member.tree, schema, self.held_out.table, self._threads)
            self._held_votes += member.scores[at]

    def _record(self, ballot: Ballot, trees: list[Tree], before: float, error: float) -> Round:
        chained = self._rounds[-1].exponential_bound if self._rounds else 1.0
        held = self.held_out
        judged = None if held is None else (self._held_votes, held.labels, held.shares)
        record = Round(
            epsilon=ballot.epsilon,
            alpha=ballot.alpha,
            z=safe_exp(self._loss - before) if before > -inf else 0.0,
            bound=self.algorithm.bound(self._loss),
            exponential_bound=self.algorithm.exponential_bound(ballot.epsilon, chained or 0.0),
            training_error=error,
            validation_error=None if judged is None else error_of(*judged),
            validation_loss=None if judged is None else self.algorithm.loss(*judged),
            leaves=sum(tree.n_leaves for tree in trees),
            trees=len(trees),
        )
        self._rounds.append(record)
        if ballot.perfect and record.training_error == 0:
            self.ended = PERFECT
        return record

    def _give_up(self) -> None:
        """End the run; an ensemble without rounds predicts the class shares."""
        self.ended = CHANCE
        if not self._rounds:
            self.start = quantized(self.algorithm.prior())
            warnings.warn(
                "the first tree is no better than chance, so there is nothing to boost: the model "
                "predicts the class with the most weight. Larger trees (max_leaves) may help",
                UserWarning,
                stacklevel=2,
            )
