"""Fits that bring the codes of all rows, one byte a cell, to the workers that grow trees.

The trees of a forest are independent, so that every worker grows some of them. A row out of bag may
lie in a bin that a node has never seen, so that one worker needs the raw rows for the out-of-bag
error.
"""

from itertools import pairwise
from typing import Any

import numpy as np

from polytomy._errors import TargetError
from polytomy._types import AnyArray
from polytomy.encode import Coded, EncodedTable, NominalColumn, Target, aligned, decoded
from polytomy.ensemble import Member
from polytomy.estimators import ForestClassifier
from polytomy.estimators.trees.remote import RemoteTable
from polytomy.forest import ForestParams, ForestSample, grow_forest
from polytomy.table import Column, Nominal, Ordered

from .cluster import Cluster
from .rows import DaskRows
from .work import Block, ReadyPart


def joined(blocks: list[Block | None]) -> tuple[Coded, Target, AnyArray | None]:
    """Return the codes, the target and the weights of all rows, in the order of partitions."""
    held = [block for block in blocks if block is not None]
    numbers = [number for block in held for number in block.numbers]
    sizes = [size for block in held for size in block.sizes]
    starts = np.cumsum(sizes) - sizes
    order = np.concatenate(
        [np.arange(starts[i], starts[i] + sizes[i]) for i in np.argsort(numbers).tolist()]
    )
    columns = zip(*(block.coded.columns for block in held), strict=True)
    codes = tuple(np.concatenate(parts)[order] for parts in columns)
    first = held[0].target
    labels = np.concatenate([block.target.labels for block in held])[order]
    units = [block.target.units for block in held if block.target.units is not None]
    whole = np.concatenate(units)[order] if units else None
    target = Target(labels, whole, first.unit, first.n_classes)
    cases = [block.weights for block in held if block.weights is not None]
    weights = np.concatenate(cases)[order] if cases else None
    return Coded(held[0].coded.schema, codes, len(order)), target, weights


def _table(coded: Coded) -> EncodedTable:
    return EncodedTable(decoded(coded).columns, coded.n_rows, coded)


def _raw_table(ready: list[list[ReadyPart]], coded: Coded) -> EncodedTable:
    """Return the raw rows of all partitions, in order, with their codes."""
    parts = sorted((part for block in ready for part in block), key=lambda part: part.number)
    schema = coded.schema
    held = [aligned(ready.part.table, schema) for ready in parts]
    columns: list[Column] = []
    for j, spec in enumerate(schema):
        cells = [row[j] for row in held]
        values = np.concatenate([c.values if isinstance(c, Ordered) else c for c in cells])
        if isinstance(spec, NominalColumn):
            columns.append(Nominal(spec.name, values, spec.categories))
        else:
            columns.append(Ordered(spec.name, values, spec.scale))
    return EncodedTable(tuple(columns), coded.n_rows, coded)


def fit_here(
    estimator: Any,
    blocks: list[Block | None],
    classes: AnyArray,
    ready: list[list[ReadyPart]] | None = None,
) -> Any:
    """Return an estimator fitted on all rows, in the process of one worker."""
    coded, target, weights = joined(blocks)
    table = _table(coded) if ready is None else _raw_table(ready, coded)
    return estimator.fit(table, classes[target.labels], sample_weight=weights)


def grow_share(
    blocks: list[Block | None], params: ForestParams, trees: range, seed: int
) -> list[Member]:
    """Return some trees of a forest."""
    coded, target, _ = joined(blocks)
    sample = ForestSample(coded, target, _table(coded))
    return [one.member for one in grow_forest(sample, params, trees, seed, out_of_bag=False)]


class _Assembled(ForestClassifier):
    """A forest whose trees have been grown already."""

    def _earlier_members(self, state: Any) -> tuple[Member, ...]:  # noqa: ARG002
        return self.__dict__.pop("_grown")  # type: ignore[no-any-return]


def assemble(
    forest: Any,
    blocks: list[Block | None],
    classes: AnyArray,
    ready: list[list[ReadyPart]] | None,
    shares: list[list[Member]],
) -> Any:
    """Return a forest of trees that were grown in shares; only out-of-bag figures are missing."""
    whole = _Assembled(**forest.get_params(deep=False))
    whole._grown = tuple(member for share in shares for member in share)
    whole.warm_start = True
    return fit_here(whole, blocks, classes, ready)


def check_weights(given: RemoteTable) -> None:
    """Raise an error if rows of weight 0 were dropped: class weights would differ without them."""
    if given.n_rows is not None and given.n_rows != given.rows.target.n_rows:
        raise TargetError("drop the rows of weight 0 before the fit: X[weights > 0]")


def fit_in_shares(cluster: Cluster, forest: Any, given: RemoteTable) -> Any:
    """Return a forest whose trees were grown by all workers.

    Parameters
    ----------
    cluster : Cluster
        The cluster.
    forest : ForestClassifier
        A local estimator.
    given : RemoteTable
        The rows.

    Returns
    -------
    ForestClassifier
        The forest, fitted.
    """
    check_weights(given)
    assert isinstance(given.rows, DaskRows)
    blocks, params, seed = given.rows.blocks, forest._forest_params(), forest._seed()
    n_trees, n_shares = int(forest.n_estimators), sum(cluster.n_threads().values()) or 1
    ends = [n_trees * i // n_shares for i in range(n_shares + 1)]
    shares = [
        cluster.submit("grow", grow_share, blocks, params, range(a, b), seed)
        for a, b in pairwise(ends)
        if a < b
    ]
    raw = given.rows.ready if forest.oob_score else None
    task = cluster.submit("assemble", assemble, forest, blocks, given.classes, raw, shares)
    return cluster.results([task])[0]
