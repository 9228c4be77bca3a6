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

from polytomy.grow import Move

from .cluster import Cluster

CHUNK = 256  # entries that travel together


def pack(entry: Any) -> bytes:
    """Return an entry as few bytes."""
    if isinstance(entry, Move):
        entry = entry._replace(branch_of_code=np.asarray(entry.branch_of_code).astype(np.int16))
    return zlib.compress(pickle.dumps(entry, protocol=5), 1)


def unpack(packed: bytes) -> Any:
    """Return an entry."""
    entry = pickle.loads(zlib.decompress(packed))
    if isinstance(entry, Move):
        return entry._replace(branch_of_code=entry.branch_of_code.astype(np.int32))
    return entry


class Orders(NamedTuple):
    """What blocks must compute, and the log of the run, which they must have followed before.

    The first entries of a log travel in chunks of ``CHUNK``, so that they are sent only once.

    Parameters
    ----------
    run : str
        The name of the run.
    tail : list of bytes
        The entries after the last chunk.
    what : object
        The question.
    chunk : int
        The number of entries of a chunk.
    """

    run: str
    tail: list[bytes]
    what: Any
    chunk: int


def new_entries(n_made: int, orders: Orders, chunks: list[list[bytes]]) -> list[Any] | None:
    """Return the entries of a log after the first ones.

    Parameters
    ----------
    n_made : int
        The number of entries that have been followed.
    orders : Orders
        The end of the log.
    chunks : list of list of bytes
        Its beginning.

    Returns
    -------
    list or None
        The entries; None if more entries have been followed than the log has. This happens if a
        task is run again.
    """
    n_before = orders.chunk * len(chunks)
    if n_made > n_before + len(orders.tail):
        return None
    first = min(n_made, n_before) // orders.chunk
    packed = [entry for chunk in (*chunks[first:], orders.tail) for entry in chunk]
    return [unpack(entry) for entry in packed[n_made - first * orders.chunk :]]


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
        self._tail: list[bytes] = []

    def add(self, entry: Any) -> None:
        """Add an entry.

        Parameters
        ----------
        entry : object
            The entry.
        """
        self._tail.append(pack(entry))
        if len(self._tail) == CHUNK:
            self._chunks.append(self._cluster.held(self._tail))
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
        orders = Orders(self._run, list(self._tail), what, CHUNK)
        shared = self._cluster.shared(orders, len(self._blocks))
        pending = self._cluster.each(
            name, function, self._blocks, *self._first, shared, list(self._chunks)
        )
        return self._cluster.merged(pending, merge)
