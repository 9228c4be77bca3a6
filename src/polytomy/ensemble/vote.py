"""The votes of an ensemble on the rows of a table."""

from collections.abc import Iterator

import numpy as np

from polytomy._threads import checked_threads
from polytomy._types import FloatArray
from polytomy.table import Table

from .ballot import Rows, ballot_of
from .ensemble import Ensemble


def votes(
    ensemble: Ensemble, table: Table, threads: int = 1, members: int | None = None
) -> FloatArray:
    """Return the votes on each row: an array of shape (n_rows, n_outputs).

    Stumps are merged into one look-up for each column; other trees are walked a block of rows at a
    time. Where the ensemble is ``exact``, as all but absurd ones are, both give the same bits, and
    the number of threads never matters.

    Parameters
    ----------
    ensemble : Ensemble
        Who votes.
    table : Table
        The rows; it must have the columns of the ensemble's schema.
    threads : int
        How many threads to use.
    members : int, optional
        Let only so many members vote, the first ones.
    """
    who = ensemble if members is None else ensemble.truncated(members)
    return who.ballot.votes(Rows.of(table, who.schema, checked_threads(threads)))


def staged_votes(
    ensemble: Ensemble, table: Table, threads: int = 1, members: int | None = None
) -> Iterator[FloatArray]:
    """Yield the votes after the first member, after the second, and so on.

    Each array is the caller's own. The last one equals what ``votes`` returns, bit for bit.
    """
    who = ensemble if members is None else ensemble.truncated(members)
    return _stages(who, Rows.of(table, who.schema, checked_threads(threads)))


def _stages(who: Ensemble, rows: Rows) -> Iterator[FloatArray]:
    total = np.tile(who.start, (rows.table.n_rows, 1))
    for member in who.members:
        for part in ballot_of(who.schema, (member,), who.start).parts:
            part.add(rows, total)
        yield total.copy()
