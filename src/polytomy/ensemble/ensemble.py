"""An ensemble: trees that vote, with their schema and classes; and its votes on a table."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np

from polytomy._errors import ParameterError, TreeError
from polytomy._threads import checked_threads
from polytomy._types import AnyArray, FloatArray, IntArray
from polytomy.encode import Schema
from polytomy.predict import check_fit
from polytomy.table import ScannedTable, Table

from .additive import Additive, additive
from .member import REACH, Member, VoteScale, quantized
from .voting import VotingPlan, VotingTable, plan_by_columns, plan_by_trees

FOREST = "forest"
"""The algorithm of a forest: its scores are class shares or numbers, whose mean it predicts."""


@dataclass(frozen=True, eq=False)
class Ensemble:
    """Trees that vote together: a row's votes are ``start`` plus the scores of its leaves.

    Parameters
    ----------
    schema : Schema
        The columns of the training table.
    classes : array
        The classes in ascending order; empty for a numeric target.
    members : tuple of Member
        The trees in the order they were grown.
    start : array of shape (n_outputs,)
        The initial votes, ``quantized``. There is one output for each class; or a single one for
        two classes, whose positive votes are for ``classes[1]``, or for a numeric target.
    algorithm : str
        The name of the boosting algorithm, or ``FOREST``.
    scale : VoteScale or None, default=None
        For a numeric target, how the mean of the votes stands for a number.
    """

    schema: Schema
    classes: AnyArray
    members: tuple[Member, ...]
    start: FloatArray
    algorithm: str
    scale: VoteScale | None = None

    def __post_init__(self) -> None:
        start = np.array(self.start, dtype=np.float64) + 0.0
        start.setflags(write=False)
        object.__setattr__(self, "start", start)
        object.__setattr__(self, "members", tuple(self.members))
        object.__setattr__(self, "classes", np.asarray(self.classes))
        self._check_outputs(start)
        if not np.array_equal(start, quantized(start)):
            raise TreeError("the start votes must be quantized, like scores")
        check_fit(self.schema, *(member.tree for member in self.members))
        for t, member in enumerate(self.members):
            if member.scores.shape[1] != len(start):
                raise TreeError(
                    f"member {t} has scores for {member.scores.shape[1]} outputs, not {len(start)}"
                )

    def _check_outputs(self, start: FloatArray) -> None:
        n_classes = len(self.classes)
        if self.scale is not None:
            if n_classes or start.shape != (1,):
                raise TreeError("a numeric target has no classes and a single vote")
            centres = {member.tree.centre for member in self.members}
            if not centres <= {self.scale.centre}:
                raise TreeError(f"the trees are about {centres}, not about {self.scale.centre}")
        elif start.shape != (n_classes,) and (start.shape != (1,) or n_classes != 2):
            raise TreeError(
                f"{n_classes} classes, but votes of shape {start.shape}: expected one vote for "
                "each class, or for two classes a single one"
            )

    def __len__(self) -> int:
        return len(self.members)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore a pickle or a copy, with read-only arrays."""
        self.__dict__.update(state)
        self.start.setflags(write=False)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out cached properties."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    def __eq__(self, other: object) -> bool:
        """Return whether column names, target, algorithm, scores and trees are equal."""
        if not isinstance(other, Ensemble):
            return NotImplemented
        return (
            self.schema.names == other.schema.names
            and self.algorithm == other.algorithm
            and self.scale == other.scale
            and np.array_equal(self.classes, other.classes)
            and np.array_equal(self.start, other.start)
            and self.members == other.members
        )

    __hash__ = None  # type: ignore[assignment]  # arrays are compared by value

    @property
    def n_outputs(self) -> int:
        """The number of votes of each row: 1, or one for each class."""
        return len(self.start)

    @property
    def is_forest(self) -> bool:
        """Whether predictions are the mean of the scores."""
        return self.algorithm == FOREST

    @property
    def is_numeric(self) -> bool:
        """Whether the target is a number, not a class."""
        return self.scale is not None

    @cached_property
    def reach(self) -> float:
        """An upper bound on the absolute value of any vote."""
        most = np.abs(self.start)
        for member in self.members:
            most = most + np.abs(member.scores).max(axis=0)
        return float(most.max())

    @property
    def exact(self) -> bool:
        """Whether sums of votes are exact in any order for every row."""
        return self.reach < REACH

    @cached_property
    def depth(self) -> int:
        """The depth of the deepest member: 1 for stumps, 0 without members."""
        return max((int(m.tree.depth.max()) for m in self.members), default=0)

    @property
    def splits_per_column(self) -> IntArray:
        """The number of splits on each column, in all members."""
        columns = [member.tree.feature for member in self.members]
        used = np.concatenate([np.empty(0, dtype=np.int64), *columns])
        return np.bincount(used[used >= 0], minlength=len(self.schema))

    @cached_property
    def additive(self) -> Additive | None:
        """The votes as a sum of functions of one column each, or None.

        That form exists if every member splits on at most one column.
        """
        return additive(self.schema, self.members, self.start)

    @cached_property
    def voting_plan(self) -> VotingPlan:
        """The fastest way to compute the votes: by look-ups if the ensemble is additive."""
        if self.exact and self.additive is not None:
            return plan_by_columns(self.schema, self.additive)
        return plan_by_trees(self.schema, self.members, self.start)

    def mean_numbers(self, votes: FloatArray) -> FloatArray:
        """Return the numbers that a forest predicts for a numeric target, from its votes."""
        if self.scale is None:
            raise ParameterError("the target of this ensemble is a class")
        return self.scale.mean(votes, len(self.members))

    def truncated(self, n: int) -> "Ensemble":
        """Return the ensemble of the first n members."""
        if not 0 <= n <= len(self.members):
            raise ParameterError(f"the ensemble has {len(self.members)} members, not {n}")
        return replace(self, members=self.members[:n])


def mean_shares(votes: FloatArray) -> FloatArray:
    """Return the class probabilities of a forest: its votes, divided by their sum.

    Parameters
    ----------
    votes : ndarray of shape (n_rows, n_classes)
        The sums of class shares.

    Returns
    -------
    ndarray of shape (n_rows, n_classes)
        The probabilities; NaN for rows without votes.
    """
    total = votes.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(votes, total, out=np.full(votes.shape, np.nan), where=total > 0))


def votes(
    ensemble: Ensemble, table: Table, threads: int = 1, members: int | None = None
) -> FloatArray:
    """Return the votes on each row of a table.

    Stumps are merged into one look-up for each column; other trees are walked a block of rows at a
    time. Both give the same bits if the ensemble is ``exact``, as practically all are. The result
    never depends on the number of threads.

    Parameters
    ----------
    ensemble : Ensemble
        The trees that vote.
    table : Table
        The rows. The table must have the columns of the ensemble's schema.
    threads : int, default=1
        The number of threads.
    members : int, default=None
        Use only the first ``members`` members; None for all of them.

    Returns
    -------
    array of shape (n_rows, n_outputs)
        The votes.
    """
    voters = ensemble if members is None else ensemble.truncated(members)
    parts = table.parts() if isinstance(table, ScannedTable) else [(0, table)]
    threads = checked_threads(threads)
    found = [
        voters.voting_plan.votes(VotingTable.of(part, voters.schema, threads)) for _, part in parts
    ]
    return found[0] if len(found) == 1 else np.concatenate(found)


def votes_after(
    ensemble: Ensemble, table: Table, counts: Sequence[int], threads: int = 1
) -> Iterator[FloatArray]:
    """Yield the votes after some numbers of members.

    Every member votes once, if sums of votes are exact.

    Parameters
    ----------
    ensemble : Ensemble
        The trees that vote.
    table : Table
        The rows.
    counts : sequence of int
        The numbers of members, in ascending order.
    threads : int, default=1
        The number of threads.

    Yields
    ------
    array of shape (n_rows, n_outputs)
        A new copy of the votes, equal bit for bit to ``votes(ensemble, table, members=count)``.
    """
    total, before = None, 0
    for count in counts:
        part = ensemble.truncated(count)
        if total is None or not ensemble.exact:
            total = votes(part, table, threads)
        else:
            none = np.zeros_like(ensemble.start)
            total = total + votes(
                replace(part, members=part.members[before:], start=none), table, threads
            )
        before = count
        yield total


def added_scores(merged: Additive, schema: Schema, table: Table, threads: int = 1) -> FloatArray:
    """Return the sum of score functions for each row of a table.

    Parameters
    ----------
    merged : Additive
        The start and the score functions; without user-defined splits.
    schema : Schema
        The columns.
    table : Table
        The rows.
    threads : int, default=1
        The number of threads.

    Returns
    -------
    array of shape (n_rows, n_outputs)
        The sums.
    """
    plan = plan_by_columns(schema, merged)
    parts = table.parts() if isinstance(table, ScannedTable) else [(0, table)]
    checked = checked_threads(threads)
    return np.concatenate([plan.votes(VotingTable.of(part, schema, checked)) for _, part in parts])


def staged_votes(
    ensemble: Ensemble, table: Table, threads: int = 1, members: int | None = None
) -> Iterator[FloatArray]:
    """Yield the votes after the first member, after the second, and so on.

    The parameters are those of ``votes``. Each array is a new copy; the last one equals the result
    of ``votes`` bit for bit.
    """
    voters = ensemble if members is None else ensemble.truncated(members)
    return _stages(voters, VotingTable.of(table, voters.schema, checked_threads(threads)))


def _stages(ensemble: Ensemble, rows: VotingTable) -> Iterator[FloatArray]:
    total = np.tile(ensemble.start, (rows.table.n_rows, 1))
    for member in ensemble.members:
        for part in plan_by_trees(ensemble.schema, (member,), ensemble.start).parts:
            part.add(rows, total)
        yield total.copy()
