"""Boosting on a cluster: codes, votes and weights stay on the workers that hold the rows."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from polytomy._types import FloatArray
from polytomy.boost import (
    Beginning,
    BoostingPart,
    BoostingSample,
    Entry,
    SampleFacts,
    Sums,
    added,
    fact_sums,
    facts_from,
    row_hashes,
    size_of,
    sum_of,
)
from polytomy.estimators.trees.remote import RemoteTable
from polytomy.grow import Histograms

from . import work
from .cluster import Cluster
from .log import Orders, RunLog, new_entries
from .rows import DaskRows

# ---- what runs on the workers --------------------------------------------------------------------


class Weights(NamedTuple):
    """How the rows of a block become shares of the weight of all rows.

    Parameters
    ----------
    factors : ndarray or None
        The weight of each class.
    total : float
        The sum of the weights of all rows.
    n_rows : int
        The number of all rows.
    """

    factors: FloatArray | None
    total: float = 0.0
    n_rows: int = 0


def _weights(block: work.Block, factors: FloatArray | None) -> FloatArray | None:
    return work.weights_of(block.weights, block.target.labels, factors)


def sum_weights(block: work.Block | None, factors: FloatArray | None) -> Sums | None:
    """Return the sum of the weights of a block; None if it has no rows."""
    weights = None if block is None else _weights(block, factors)
    return None if weights is None else (sum_of(weights),)


def sample_of(block: work.Block, how: Weights, whole: SampleFacts | None = None) -> BoostingSample:
    """Return the rows of a block, with their shares of the weight of all rows."""
    weights, n_rows = _weights(block, how.factors), block.coded.n_rows
    equal = np.broadcast_to(1.0 / how.n_rows, n_rows)
    shares = equal if weights is None else weights / how.total
    size = size_of(how.total, how.n_rows)
    return BoostingSample(
        block.coded, block.target.labels, shares, size, block.target.n_classes, whole
    )


def sum_shares(block: work.Block | None, how: Weights) -> tuple[Sums, list[int]] | None:
    """Return the sums that ``facts_from`` needs, and the hashes of the rows of a block."""
    if block is None:
        return None
    sample = sample_of(block, how)
    return fact_sums(sample), row_hashes(sample)


def _add_shares(
    one: tuple[Sums, list[int]], other: tuple[Sums, list[int]]
) -> tuple[Sums, list[int]]:
    hashes = [a + b for a, b in zip(one[1], other[1], strict=True)]
    return added([one[0], other[0]]), hashes


@dataclass(slots=True, eq=False)
class Progress:
    """A block that has followed the first entries of the log of a run."""

    part: BoostingPart
    n_entries: int = 0
    lock: Any = field(default_factory=Lock)


class Start(NamedTuple):
    """How a run begins."""

    beginning: Beginning
    weights: Weights


def _begin(start: Start, block: work.Block) -> Progress:
    beginning = start.beginning
    return Progress(BoostingPart(sample_of(block, start.weights, beginning.whole), beginning))


def answer(
    block: work.Block | None, start: Start, orders: Orders, chunks: list[list[bytes]]
) -> Any:
    """Return the histograms of nodes, or the sums that a run waits for if no nodes are asked for.

    None is returned if the block has no rows.
    """
    if block is None:
        return None
    progress = block.progress(orders.run, partial(_begin, start))
    with progress.lock:
        entries = new_entries(progress.n_entries, orders, chunks)
        if entries is None:  # the run went on: start again
            progress.part, progress.n_entries = _begin(start, block).part, 0
            entries = new_entries(0, orders, chunks) or []
        for entry in entries:
            progress.part.follow(entry)
            progress.n_entries += 1
        if orders.what is None:
            return progress.part.sums()
        return work.Counted.of(progress.part.histograms(orders.what))


def _add_sums(one: Sums, other: Sums) -> Sums:
    return added([one, other])


# ---- what runs in this process -------------------------------------------------------------------


class BoostingRows:
    """Rows on a cluster, ready for boosting; see ``polytomy.boost.Parts``.

    Parameters
    ----------
    cluster : Cluster
        The cluster.
    given : RemoteTable
        The encoded rows.
    """

    def __init__(self, cluster: Cluster, given: RemoteTable) -> None:
        assert isinstance(given.rows, DaskRows)
        self._cluster, self._blocks = cluster, given.rows.blocks
        n_rows, factors = given.rows.totals.n_rows, given.class_factors
        sums = self._asked(sum_weights, work.Merge(_add_sums), factors)
        total = float(n_rows) if sums is None else sums[0].value()
        self._weights = Weights(factors, total, n_rows)
        found, self.hashes = self._asked(sum_shares, work.Merge(_add_shares), self._weights)
        facts, size = facts_from(found), size_of(total, n_rows)
        self.sample = BoostingSample.without_rows(given.rows.schema, facts, size)
        self._log: RunLog

    def _asked(self, function: Any, merge: Any, *arguments: Any) -> Any:
        pending = self._cluster.each(function.__name__, function, self._blocks, *arguments)
        return self._cluster.merged(pending, merge)

    def begin(self, beginning: Beginning) -> None:
        """Begin a run, with an empty log."""
        start = self._cluster.held(Start(beginning, self._weights))
        self._log = RunLog(self._cluster, self._blocks, start)

    def add(self, entry: Entry) -> None:
        """Add an entry to the log."""
        self._log.add(entry)

    def sums(self) -> Sums:
        """Return the sums that the run waits for, over all rows."""
        found: Sums = self._log.ask("sum", answer, None, work.Merge(_add_sums))
        return found

    def histograms(self, requests: Sequence[Sequence[int]]) -> list[Histograms]:
        """Return the histograms of some nodes, one for each request."""
        wanted = [list(nodes) for nodes in requests]
        found: work.Counted = self._log.ask("count", answer, wanted, work.add_counted)
        return found.histograms()
