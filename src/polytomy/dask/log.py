"""The log of a run: what all blocks of rows must do, in order.

A block remembers how far it has come. One that was lost with its worker is computed again, and
follows the log from the beginning.
"""

import pickle
import zlib
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple
from uuid import uuid4

import numpy as np
from distributed import Future

from polytomy._types import AnyArray
from polytomy.grow import Move

from .cluster import Cluster

CHUNK = 256  # entries that travel together


def pack(entries: Sequence[Any]) -> bytes:
    """Return entries of a log as few bytes."""
    plain = [e._replace(branch_of_code=_narrow(e)) if isinstance(e, Move) else e for e in entries]
    return zlib.compress(pickle.dumps(plain, protocol=5), 1)


def _narrow(move: Move) -> AnyArray:
    return np.asarray(move.branch_of_code).astype(np.int16)


def unpack(packed: bytes) -> list[Any]:
    """Return the entries of a log."""
    entries = pickle.loads(zlib.decompress(packed))
    return [
        e._replace(branch_of_code=e.branch_of_code.astype(np.int32)) if isinstance(e, Move) else e
        for e in entries
    ]


class Orders(NamedTuple):
    """What blocks must compute, and the log of the run, which they must have followed before.

    The first entries of a log travel in chunks of ``CHUNK``, so that they are sent only once.

    Parameters
    ----------
    run : str
        The name of the run.
    tail : bytes
        The entries after the last chunk.
    what : object
        The question.
    chunk : int
        The number of entries of a chunk.
    """

    run: str
    tail: bytes
    what: Any
    chunk: int


def new_entries(n_made: int, orders: Orders, chunks: list[bytes]) -> list[Any] | None:
    """Return the entries of a log after the first ones.

    Parameters
    ----------
    n_made : int
        The number of entries that have been followed.
    orders : Orders
        The end of the log.
    chunks : list of bytes
        Its beginning.

    Returns
    -------
    list or None
        The entries; None if more entries have been followed than the log has. This happens if a
        task is run again.
    """
    tail, size, entries = unpack(orders.tail), orders.chunk, list[Any]()
    n_before = size * len(chunks)
    if n_made > n_before + len(tail):
        return None
    for i, chunk in enumerate(chunks):
        if n_made < size * (i + 1):
            entries += unpack(chunk)[max(0, n_made - size * i) :]
    return entries + tail[max(0, n_made - n_before) :]


class RunLog:
    """The log of a run that all blocks follow.

    Its entries travel with the next question. Blocks remember how far they have come; a block that
    was lost, and is computed again, starts from the beginning.

    Parameters
    ----------
    cluster : Cluster
        The cluster.
    blocks : sequence of Future
        The encoded blocks.
    *first : object
        Arguments of every question, before the log.
    """

    def __init__(self, cluster: Cluster, blocks: Sequence[Future], *first: Any) -> None:
        self._cluster, self._blocks, self._first = cluster, list(blocks), first
        self._run = uuid4().hex
        self._chunks: list[Any] = []
        self._tail: list[Any] = []

    def add(self, entry: Any) -> None:
        """Add an entry.

        Parameters
        ----------
        entry : object
            The entry.
        """
        self._tail.append(entry)
        if len(self._tail) == CHUNK:
            self._chunks.append(self._cluster.held(pack(self._tail)))
            self._tail = []

    def ask(
        self, name: str, function: Callable[..., Any], what: Any, merge: Callable[..., Any]
    ) -> Any:
        """Return the merged answer of all blocks to a question.

        Parameters
        ----------
        name : str
            What they do, for Dask's dashboard.
        function : callable
            Answers the question, given a block, the arguments of every question, the orders, and
            the chunks of the log.
        what : object
            The question.
        merge : callable
            Merges a list of answers.

        Returns
        -------
        object
            The merged answer.
        """
        orders = Orders(self._run, pack(self._tail), what, CHUNK)
        shared = self._cluster.shared(orders, len(self._blocks))
        pending = self._cluster.each(
            name, function, self._blocks, *self._first, shared, list(self._chunks)
        )
        return self._cluster.merged(pending, merge)
