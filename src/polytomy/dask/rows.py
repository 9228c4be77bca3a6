"""Rows on a cluster, encoded where they are: what ``fit_remote`` needs of them."""

from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np
from distributed import Future
from sklearn.utils.class_weight import compute_sample_weight

from polytomy._errors import TargetError
from polytomy._types import AnyArray, BranchArray, FloatArray, IntArray
from polytomy.encode import (
    Coded,
    NumberScale,
    NumericTarget,
    Question,
    Schema,
    Target,
    WeightFacts,
    check_total_weight,
    schema_of_parts,
)
from polytomy.grow import GroupResidues, Histograms, Move, SampleTotals, TargetFacts
from polytomy.tree import Tree

from . import work
from .cluster import Cluster
from .log import RunLog

BATCH = 64
"""Leaves to ask about at a time, ahead of need: a round trip costs more than counting in vain."""


class BlockParts:
    """The rows of all blocks as ``Parts``, which answer questions about their columns.

    Parameters
    ----------
    cluster : Cluster
        The cluster.
    blocks : sequence of Future
        The blocks: lists of ``ReadyPart``.
    """

    def __init__(self, cluster: Cluster, blocks: Sequence[Future]) -> None:
        self._cluster, self.blocks = cluster, list(blocks)

    def ask(self, question: Question[Any]) -> Any:
        """Return the merged answer of all parts."""
        shared = self._cluster.shared(question, len(self.blocks))
        pending = self._cluster.each("answer", work.answer, self.blocks, shared)
        found = self._cluster.merged(pending, work.Merge(question.merge))
        if found is None:
            raise TargetError("no row has weight: all partitions are empty")
        return found

    def change(self, step: Any) -> None:
        """Replace every part by ``step(part)``."""
        shared = self._cluster.shared(step, len(self.blocks))
        self.blocks = self._cluster.each("change", work.change, self.blocks, shared)


class DaskRows:
    """Encoded rows on a cluster; see ``polytomy.grow.RemoteRows``.

    Parameters
    ----------
    cluster : Cluster
        The cluster.
    blocks : sequence of Future
        The encoded blocks.
    encoding : Encoding
        The schema, and the scale of the target.
    ready : sequence of Future
        The raw rows with their targets, in the same blocks; empty if they are not needed.
    """

    def __init__(
        self,
        cluster: Cluster,
        blocks: Sequence[Future],
        encoding: work.Encoding,
        ready: Sequence[Future],
    ) -> None:
        self._cluster, self._blocks, self._encoding = cluster, list(blocks), encoding
        self.ready = list(ready)
        pending = cluster.each("total", work.total, self._blocks)
        found = cluster.results(pending)
        self._numbers = [[] if f is None else list(f.sizes) for f in found]  # of partitions
        whole = reduce(work.add_totals, [f for f in found if f is not None])
        self.totals: SampleTotals = whole.totals
        self._sizes: dict[int, int] = whole.sizes
        ordered = sorted(self._sizes)
        starts = np.concatenate(([0], np.cumsum([self._sizes[n] for n in ordered])))
        self._start = dict(zip(ordered, starts.tolist(), strict=False))

    @property
    def schema(self) -> Schema:
        """The columns."""
        return self._encoding.schema

    @property
    def blocks(self) -> list[Future]:
        """The encoded blocks."""
        return self._blocks

    @property
    def target(self) -> TargetFacts:
        """The facts of the target."""
        scale, unit = self._encoding.scale, self._encoding.unit
        impurity_unit = unit
        if scale is not None:
            none = NumericTarget.on_scale(scale, np.empty(0), None)
            unit, impurity_unit = none.unit, none.impurity_unit
        totals = self.totals
        return TargetFacts(
            totals.n_rows, totals.counts, unit, totals.weighted, impurity_unit, scale
        )

    def source(self) -> "DaskSource":
        """Return a new source of histograms."""
        return DaskSource(self._cluster, self._blocks, self.totals)

    def take(self, rows: IntArray | None) -> tuple[Coded, Target]:
        """Return the codes and the target of a few rows, or of all, in this process."""
        rows = np.arange(sum(self._sizes.values())) if rows is None else rows
        pending, wanted = [], []
        for block, numbers in zip(self._blocks, self._numbers, strict=True):
            inside, asked, before = [], [], 0
            for number in numbers:
                start, size = self._start[number], self._sizes[number]
                first, end = np.searchsorted(rows, [start, start + size])
                asked.append(np.arange(first, end))
                inside.append(rows[first:end] - start + before)
                before += size
            if asked and sum(map(len, asked)):
                at = np.concatenate(inside)
                pending.append(self._cluster.submit("take", work.take, block, at))
                wanted.append(np.concatenate(asked))
        found = self._cluster.results(pending)
        order = np.argsort(np.concatenate(wanted))
        columns = zip(*(codes for codes, _ in found), strict=True)
        codes = tuple(np.concatenate(parts)[order] for parts in columns)
        return Coded(self.schema, codes, len(rows)), _joined([t for _, t in found], order)

    def moments(self, tree: Tree) -> FloatArray:
        """Return the moments of the rows at each leaf of a tree grown on them."""
        pending = self._cluster.each("moments", work.sum_moments, self._blocks, tree)
        sums = self._cluster.merged(pending, work.add_moments)
        return np.asarray(sums.total())


def _joined(targets: list[Target], order: AnyArray) -> Target:
    """Return the targets of several blocks as one, in the order of the rows."""
    first = targets[0]
    if isinstance(first, NumericTarget):
        numbers = [t for t in targets if isinstance(t, NumericTarget)]
        y = np.concatenate([t.values for t in numbers])[order]
        held = [t.weights for t in numbers if t.weights is not None]
        weights = np.concatenate(held)[order] if held else None
        return NumericTarget.on_scale(first.scale, y, weights)
    labels = np.concatenate([t.labels for t in targets])[order]
    units = [t.units for t in targets if t.units is not None]
    both = np.concatenate(units)[order] if units else None
    return Target(labels, both, first.unit, first.n_classes)


class DaskSource:
    """Histograms of rows on a cluster; see ``polytomy.grow.NodeSource``.

    Moves travel with the next request, so that a round of growth is one round trip.

    Parameters
    ----------
    cluster : Cluster
        The cluster.
    blocks : sequence of Future
        The encoded blocks.
    totals : SampleTotals
        The totals of all rows.
    """

    def __init__(self, cluster: Cluster, blocks: Sequence[Future], totals: SampleTotals) -> None:
        self._log, self._totals = RunLog(cluster, blocks), totals

    def totals(self) -> SampleTotals:
        """Return the class counts and the number of rows of the whole sample."""
        return self._totals

    def histograms(self, requests: Sequence[Sequence[int]]) -> list[Histograms]:
        """Return the histograms of some nodes, one for each request."""
        wanted = [list(nodes) for nodes in requests]
        found: work.Counted = self._log.ask("count", work.count, wanted, work.add_counted)
        return found.histograms()

    def move(
        self, moves: Sequence[tuple[int, int, BranchArray, list[int]]]
    ) -> list[GroupResidues] | None:
        """Give the rows of nodes to new children."""
        for move in moves:
            self._log.add(Move(*move))
        if self._totals.residues is None:
            return None
        residues: list[GroupResidues]
        residues = self._log.ask("shift", work.shift, len(moves), work.add_shifted)
        return residues

    def release(self, node: int) -> None:
        """Forget a node; the workers keep the rows of all nodes in one array anyway."""


def class_factors(counts: work.ClassCounts, class_weight: Any) -> FloatArray | None:
    """Return the weight that ``class_weight`` gives to each class, or None.

    Parameters
    ----------
    counts : ClassCounts
        The classes, and the number of rows of each.
    class_weight : dict, "balanced" or None
        The weights.

    Returns
    -------
    ndarray or None
        The weights, as scikit-learn computes them from all rows.
    """
    if class_weight is None:
        return None
    if isinstance(class_weight, str) and class_weight == "balanced":
        n_rows = counts.n_rows.astype(np.float64)
        return np.asarray(np.sum(n_rows) / (len(n_rows) * n_rows))
    return np.asarray(compute_sample_weight(class_weight, counts.classes))


def weigh_rows(
    cluster: Cluster, raw: Sequence[Future], how: work.Weighing, *, has_weights: bool
) -> work.Weighing:
    """Return how weights become integers, given the classes and their weights.

    Parameters
    ----------
    cluster : Cluster
        The cluster.
    raw : sequence of Future
        The blocks as they were read.
    how : Weighing
        The classes and their weights.
    has_weights : bool
        Whether rows have weights of their own.

    Returns
    -------
    Weighing
        The same with the facts of the weights.
    """
    if not has_weights and how.factors is None:
        return how
    for field in ("given", "kept"):
        pending = cluster.each("weigh", work.weigh, raw, how)
        facts: WeightFacts | None = cluster.merged(pending, work.Merge(WeightFacts.__add__))
        if facts is None:
            raise TargetError("all weights are zero")
        check_total_weight(facts.total)
        how = how._replace(given=facts) if field == "given" else how._replace(kept=facts)
    return how


def encode_rows(
    cluster: Cluster,
    raw: Sequence[Future],
    n_parts: int,
    how: work.Weighing,
    scale: NumberScale | None,
    max_bins: int | str,
    *,
    separate_rows: bool,
    keep_raw: bool,
) -> DaskRows:
    """Return encoded rows, given how their classes and weights are read.

    Parameters
    ----------
    cluster : Cluster
        The cluster.
    raw : sequence of Future
        The blocks as they were read.
    n_parts : int
        The number of partitions.
    how : Weighing
        The classes and the facts of the weights.
    scale : NumberScale or None
        The scale of a numeric target; None for classes.
    max_bins : int or "auto"
        The number of bins.
    separate_rows : bool
        Whether rows that differ must have different codes.
    keep_raw : bool
        Whether the raw rows are needed later.

    Returns
    -------
    DaskRows
        The rows.
    """
    ready = cluster.each("prepare", work.prepare, raw, how)
    schema = schema_of_parts(
        BlockParts(cluster, ready), n_parts, max_bins, separate_rows=separate_rows
    )
    unit = 1.0 if how.kept is None else how.kept.unit
    encoding = work.Encoding(schema, len(how.classes), unit, scale)
    shared = cluster.shared(encoding, len(ready))
    encoded = cluster.each("encode", work.encode_block, ready, shared)
    return DaskRows(cluster, encoded, encoding, ready if keep_raw else ())
