"""The loop of boosting, which can be stepped, stopped and resumed.

D = the weights of the rows                      (by the votes so far)
repeat:
    tree  = grown on the codes with weights D    (the same codes every round)
    votes = votes + what the tree's leaves vote
    D     = the weights by the new votes; Z = the ratio of the losses
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from math import inf

import numpy as np

from polytomy._types import AnyArray, FloatArray
from polytomy.encode import Target
from polytomy.ensemble import Ensemble, Member, quantized, votes
from polytomy.grow import Grower, Tuning
from polytomy.kernels import add_scores
from polytomy.predict import apply
from polytomy.table import Table
from polytomy.tree import Tree

from .algorithm import Ballot, error_of, power
from .params import BoostParams
from .rounds import Round, Rounds
from .sample import HeldOut, Sample

PERFECT = "a tree without error settled the vote"
CHANCE = "the next tree is no better than chance"


@dataclass(frozen=True, slots=True, eq=False)
class Progress:
    """What a run has come to: all it needs to go on."""

    members: tuple[Member, ...] = ()
    rounds: tuple[Round, ...] = ()
    start: FloatArray | None = None  # None before the first step
    ended: str | None = None  # why no round will follow


class Booster:
    """Boosts trees on one sample.

    Parameters
    ----------
    sample : Sample
        The training rows, encoded.
    params : BoostParams
        How to boost.
    table : Table, optional
        The raw training rows; needed by users' own families, and to go on from a progress.
    held_out : HeldOut, optional
        Rows to measure errors on.
    threads : int
        How many threads to use. The ensemble does not depend on it.
    progress : Progress, optional
        Where an earlier run on the same sample with the same parameters had come to.

    Examples
    --------
    >>> from polytomy.encode import encode
    >>> x = np.arange(8.0)
    >>> coded = encode(Table.of({"x": x}))
    >>> booster = Booster(Sample.of(coded, [0, 0, 1, 1, 1, 0, 1, 1], 2), BoostParams())
    >>> round(booster.step().z, 3), booster.run(4).rounds.training_error.tolist()
    (0.678, [0.125, 0.125, 0.125, 0.125])
    """

    def __init__(
        self,
        sample: Sample,
        params: BoostParams,
        *,
        table: Table | None = None,
        held_out: HeldOut | None = None,
        threads: int = 1,
        progress: Progress | None = None,
    ) -> None:
        self.sample, self.params, self.held_out = sample, params, held_out
        self.algorithm = params.algorithm_on(sample, threads)
        self.index = params.index_for(sample.n_classes)
        own = any(not isinstance(family, str) for family in params.grow.families)
        self._table, self._threads = (table if own else None), threads
        # A tree of one split has nothing else to spend its leaves on: every arity costs the same.
        flat = params.grow.procedure == "per-leaf" and params.grow.max_depth == 1
        self._price = _flat_price if flat else None
        done = Progress() if progress is None else progress
        self.members, self._rounds, self.ended = list(done.members), list(done.rounds), done.ended
        self.start = self.algorithm.start if done.start is None else done.start
        self._votes = self._voted(table)
        self._held_votes = self._voted(None if held_out is None else held_out.table)
        self._loss = self.algorithm.weigh(self._votes)
        self._grower: Grower | None = None
        self._leaves = np.empty((self.algorithm.n_trees, sample.n_rows), dtype=np.int32)

    @property
    def rounds(self) -> Rounds:
        """The record of every round so far."""
        return Rounds(self._rounds)

    @property
    def progress(self) -> Progress:
        """All that is needed to go on from here."""
        return Progress(tuple(self.members), tuple(self._rounds), self.start, self.ended)

    def ensemble(self, classes: AnyArray, rounds: int | None = None) -> Ensemble:
        """Return the ensemble of all, or the first so many, rounds."""
        n = sum(r.trees for r in self._rounds[:rounds])
        schema = self.sample.coded.schema
        name = self.algorithm.name
        return Ensemble(schema, classes, tuple(self.members[:n]), self.start, name)

    def run(
        self,
        n_rounds: int,
        on_round: Callable[["Booster"], bool | None] | None = None,
    ) -> "Booster":
        """Step until there are so many rounds, or none can follow, or ``on_round`` says True."""
        while len(self._rounds) < n_rounds and self.step() is not None:
            if on_round is not None and on_round(self):
                break
        return self

    def step(self) -> Round | None:
        """Add one round; None when the run has ended, which ``ended`` says why."""
        if self.ended is not None:
            return None
        trees, leaves = [], []
        for which in range(self.algorithm.n_trees):
            grower = self._restarted(self.algorithm.target(which))
            trees.append(grower.finish())
            leaves.append(grower.leaves(self._leaves[which]))
        ballot = self.algorithm.ballot(trees)
        if ballot.useless:
            self._give_up()
            return None
        new = [Member(t, quantized(scores)) for t, scores in zip(trees, ballot.scores, strict=True)]
        for member in new:
            self._add(member)
        before = self._loss
        moves = [(held, member.scores) for held, member in zip(leaves, new, strict=True)]
        self._loss, error = self.algorithm.advance(self._votes, moves)
        return self._record(ballot, trees, before, error)

    def _restarted(self, target: Target) -> Grower:
        """Return the grower, ready to grow a tree on a new target."""
        if self._grower is None:
            self._grower = Grower(
                self.sample.coded,
                target,
                self.params.grow,
                index=self.index,
                table=self._table,
                threads=self._threads,
                price=self._price,
                tuning=Tuning(apart=0),  # the leaves of the rows are needed
            )
        else:
            self._grower.restart(target)
        return self._grower

    def _add(self, member: Member) -> None:
        """Let a tree vote on the rows held out, by asking; those in training know their leaves."""
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
            z=power(self._loss - before) if before > -inf else 0.0,
            bound=self.algorithm.bound(self._loss),
            exponential_bound=self.algorithm.chain(ballot.epsilon, chained or 0.0),
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
        """End the run; without any round the ensemble predicts the classes' shares."""
        self.ended = CHANCE
        if not self._rounds:
            self.start = quantized(self.algorithm.prior())
            warnings.warn(
                "the first tree is no better than chance, so there is nothing to boost: every row "
                "gets the class with the most weight. Larger trees (max_leaves) may see more",
                UserWarning,
                stacklevel=2,
            )

    def _voted(self, table: Table | None) -> FloatArray:
        """Return the votes so far, to the same bits, by asking the members.

        Where votes are too large for sums to be exact in any order, they are added in the old one.
        """
        n_rows = self.sample.n_rows if table is None else table.n_rows
        if not self.members or table is None:
            return np.tile(self.start, (n_rows, 1))
        whole = self.ensemble(np.arange(self.sample.n_classes))
        if whole.exact:
            return votes(whole, table, self._threads)
        total = np.tile(self.start, (n_rows, 1))
        for member in whole.members:
            add_scores(apply(member.tree, whole.schema, table, self._threads), member.scores, total)
        return total


def _flat_price(_k: int) -> float:
    return 1.0
