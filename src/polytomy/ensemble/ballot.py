"""How an ensemble votes fast: in parts, each of which adds to the votes of all rows at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Protocol

import numpy as np

from polytomy import kernels
from polytomy._types import FloatArray
from polytomy.encode import Schema, value_table
from polytomy.predict import apply
from polytomy.table import Table

from .forest import Forest, forest_of
from .member import Member
from .scores import Additive


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows that are voted on, as the kernels read them and as they came."""

    table: Table
    values: kernels.ValueTable
    threads: int

    @classmethod
    def of(cls, table: Table, schema: Schema, threads: int) -> "Rows":
        """Line a table up with a schema."""
        return cls(table, value_table(table, schema), threads)


class Part(Protocol):
    """Some of the members."""

    def add(self, rows: Rows, votes: FloatArray) -> None:
        """Add what these members vote to the votes, in place."""


@dataclass(frozen=True, slots=True)
class Trees:
    """Members whose questions the kernels know."""

    forest: Forest

    def add(self, rows: Rows, votes: FloatArray) -> None:
        """Send each row down every tree."""
        f = self.forest
        kernels.vote(f.arrays, f.root, f.scores, rows.values, votes, rows.threads)


@dataclass(frozen=True, slots=True)
class Merged:
    """Stumps, merged into one function of each column."""

    lookups: kernels.Lookups

    def add(self, rows: Rows, votes: FloatArray) -> None:
        """Look each cell up."""
        kernels.look_up(self.lookups, rows.values, votes, rows.threads)


@dataclass(frozen=True, slots=True)
class Own:
    """A member with a user's own questions, which route rows themselves."""

    member: Member
    schema: Schema

    def add(self, rows: Rows, votes: FloatArray) -> None:
        """Ask the user's questions."""
        votes += self.member.scores[apply(self.member.tree, self.schema, rows.table, rows.threads)]


@dataclass(frozen=True, slots=True)
class Ballot:
    """Where the votes start, and the parts that add to them, in order."""

    start: FloatArray
    parts: tuple[Part, ...]

    def votes(self, rows: Rows) -> FloatArray:
        """Return the votes on the rows."""
        total = np.tile(self.start, (rows.table.n_rows, 1))
        for part in self.parts:
            part.add(rows, total)
        return total


def ballot_of(schema: Schema, members: Sequence[Member], start: FloatArray) -> Ballot:
    """Let members vote one after the other, those in a row that the kernels know in one go."""
    parts: list[Part] = []
    for own, some in groupby(members, lambda member: bool(member.tree.own)):
        if own:
            parts.extend(Own(member, schema) for member in some)
        else:
            parts.append(Trees(forest_of(list(some))))
    return Ballot(start, tuple(parts))


def merged_ballot(schema: Schema, merged: Additive) -> Ballot:
    """Let the functions vote that stumps add up to."""
    parts: list[Part] = [Own(member, schema) for member in merged.own]
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
        parts.append(Merged(lookups))
    return Ballot(merged.start, tuple(parts))
