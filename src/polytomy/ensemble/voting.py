"""Fast voting: a plan of parts, each of which adds its votes to all rows at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Protocol

import numpy as np

from polytomy import kernels
from polytomy._types import AnyArray, BranchArray, FloatArray, IntArray
from polytomy.encode import Schema, value_table
from polytomy.predict import apply
from polytomy.table import Table
from polytomy.tree import Tree

from .additive import Additive
from .member import Member


@dataclass(frozen=True, slots=True)
class VotingTable:
    """The table to vote on, as it is and as the kernels read it."""

    table: Table
    values: kernels.ValueTable
    threads: int

    @classmethod
    def of(cls, table: Table, schema: Schema, threads: int) -> "VotingTable":
        """Align a table with a schema."""
        return cls(table, value_table(table, schema), threads)


class Part(Protocol):
    """Some of the members of an ensemble."""

    def add(self, rows: VotingTable, votes: FloatArray) -> None:
        """Add the votes of these members in place."""


@dataclass(frozen=True, slots=True, eq=False)
class Forest:
    """Several trees: their arrays end to end, the root of each, and the scores of all nodes."""

    arrays: kernels.TreeArrays
    root: BranchArray
    scores: FloatArray


def forest_of(members: Sequence[Member]) -> Forest:
    """Concatenate the trees of at least one member; none may have a user's own split."""
    trees = [member.tree for member in members]
    root = np.cumsum([0, *(tree.n_nodes for tree in trees[:-1])], dtype=np.int32)
    arrays = kernels.TreeArrays(
        _concatenated(trees, "kind"),
        _concatenated(trees, "feature"),
        _concatenated_starts(trees, "child_start"),
        np.concatenate([tree.child + first for tree, first in zip(trees, root, strict=True)]),
        _concatenated_starts(trees, "threshold_start"),
        _concatenated(trees, "threshold"),
        _concatenated_starts(trees, "code_to_branch_start"),
        _concatenated(trees, "code_to_branch"),
        _concatenated(trees, "missing_branch"),
        _concatenated(trees, "default_branch"),
    )
    return Forest(arrays, root, np.concatenate([member.scores for member in members]))


def _concatenated(trees: Sequence[Tree], name: str) -> AnyArray:
    return np.concatenate([getattr(tree, name) for tree in trees])


def _concatenated_starts(trees: Sequence[Tree], name: str) -> IntArray:
    sizes = [np.diff(getattr(tree, name)) for tree in trees]
    return np.concatenate(([0], np.cumsum(np.concatenate(sizes)))).astype(np.int64)


@dataclass(frozen=True, slots=True)
class TreeGroup:
    """Members with built-in splits only, which a kernel walks."""

    forest: Forest

    def add(self, rows: VotingTable, votes: FloatArray) -> None:
        """Send each row down every tree."""
        f = self.forest
        kernels.vote(f.arrays, f.root, f.scores, rows.values, votes, rows.threads)


@dataclass(frozen=True, slots=True)
class MergedStumps:
    """Stumps merged into one score function for each column."""

    lookups: kernels.Lookups

    def add(self, rows: VotingTable, votes: FloatArray) -> None:
        """Look up the score of each cell."""
        kernels.look_up(self.lookups, rows.values, votes, rows.threads)


@dataclass(frozen=True, slots=True)
class UserTree:
    """A member with a user's own splits, which route rows in Python."""

    member: Member
    schema: Schema

    def add(self, rows: VotingTable, votes: FloatArray) -> None:
        """Route the rows by the user's splits."""
        votes += self.member.scores[apply(self.member.tree, self.schema, rows.table, rows.threads)]


@dataclass(frozen=True, slots=True)
class VotingPlan:
    """The initial votes and the parts that add to them, in order."""

    start: FloatArray
    parts: tuple[Part, ...]

    def votes(self, rows: VotingTable) -> FloatArray:
        """Return the votes on the rows."""
        total = np.tile(self.start, (rows.table.n_rows, 1))
        for part in self.parts:
            part.add(rows, total)
        return total


def plan_by_trees(schema: Schema, members: Sequence[Member], start: FloatArray) -> VotingPlan:
    """Return a plan that votes in the order of the members, as many at a time as possible."""
    parts: list[Part] = []
    for own, some in groupby(members, lambda member: bool(member.tree.own)):
        if own:
            parts.extend(UserTree(member, schema) for member in some)
        else:
            parts.append(TreeGroup(forest_of(list(some))))
    return VotingPlan(start, tuple(parts))


def plan_by_columns(schema: Schema, merged: Additive) -> VotingPlan:
    """Return a plan that looks up the merged score function of each column."""
    parts: list[Part] = [UserTree(member, schema) for member in merged.own]
    functions = merged.functions
    if functions:
        cuts = [np.empty(0) if f.thresholds is None else f.thresholds for f in functions]
        places = [np.vstack((f.scores, f.missing, f.unseen)) for f in functions]
        lookups = kernels.Lookups(
            np.array([f.feature for f in functions], dtype=np.int32),
            np.array([f.thresholds is None for f in functions], dtype=np.uint8),
            np.cumsum([0, *map(len, cuts)], dtype=np.int64),
            np.concatenate(cuts),
            np.cumsum([0, *map(len, places)], dtype=np.int64),
            np.concatenate(places),
        )
        parts.append(MergedStumps(lookups))
    return VotingPlan(merged.start, tuple(parts))
