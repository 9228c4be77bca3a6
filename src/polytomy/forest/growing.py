"""Growing the trees of a forest on several threads, and their votes on the rows out of bag."""

from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple

import numpy as np

from polytomy._types import AnyArray, FloatArray
from polytomy.encode import Coded, Target
from polytomy.ensemble import Member, mean_shares, shares_member
from polytomy.grow import Grower, Tuning
from polytomy.index import resolve
from polytomy.predict import RoutedTable
from polytomy.table import Table

from .params import ForestParams
from .sampling import RowSampler


@dataclass(frozen=True, eq=False)
class ForestSample:
    """The rows that a forest is grown on.

    Parameters
    ----------
    coded : Coded
        Their codes.
    target : Target
        Their classes and weights.
    table : Table
        The raw rows, to find the leaves of rows out of bag.
    """

    coded: Coded
    target: Target
    table: Table


class GrownMember(NamedTuple):
    """A member, and its scores for the rows out of bag: None if no row is, or none are wanted."""

    member: Member
    outside: AnyArray | None
    scores: FloatArray | None


class OutOfBag:
    """The votes on each row by the trees that were grown without it.

    Parameters
    ----------
    target : Target
        The classes and weights of the rows.

    Attributes
    ----------
    votes : ndarray of shape (n_rows, n_outputs)
        The sums of the scores.
    errors : dict of int to float
        The error after 1, 2, 5, 10, 20, ... trees.
    """

    def __init__(self, target: Target) -> None:
        self._target = target
        self.votes = np.zeros((target.n_rows, target.n_classes))
        self.errors: dict[int, float] = {}

    def add(self, grown: GrownMember, number: int) -> None:
        """Add the votes of a tree, the ``number``-th from 1.

        Parameters
        ----------
        grown : GrownMember
            The tree.
        number : int
            The number of trees so far.
        """
        if grown.outside is not None and grown.scores is not None:
            self.votes[grown.outside] += grown.scores
        if str(number).rstrip("0") in ("1", "2", "5"):
            self.errors[number] = self.error

    @property
    def shares(self) -> FloatArray:
        """The mean class shares of each row; NaN if the row was in every bag."""
        return mean_shares(self.votes)

    @property
    def error(self) -> float:
        """The weight of the rows that are classified wrongly out of bag, as a fraction.

        NaN if no row was out of any bag.
        """
        known = self.votes.any(axis=1)
        wrong = self.votes.argmax(axis=1) != self._target.labels
        weight = known if self._target.units is None else known * self._target.units
        total = weight.sum()
        return float((wrong * weight).sum() / total) if total else float("nan")


def grow_forest(
    sample: ForestSample,
    params: ForestParams,
    trees: range,
    seed: int = 0,
    *,
    threads: int = 1,
    out_of_bag: bool = True,
    existing: Sequence[Member] = (),
) -> Generator[GrownMember]:
    """Yield the trees of a forest in order.

    Every tree is grown by one thread, and depends on the seed and on its number only.

    Parameters
    ----------
    sample : ForestSample
        The rows.
    params : ForestParams
        How to grow the trees.
    trees : range
        The numbers of the trees to grow.
    seed : int, default=0
        The random seed.
    threads : int, default=1
        The number of threads. Trees with a function or family of the user are grown by the calling
        thread alone.
    out_of_bag : bool, default=True
        Whether to compute the scores of the rows out of bag.
    existing : sequence of Member, default=()
        The first trees of the forest, which are not grown again.

    Yields
    ------
    GrownMember
        The tree with the shares of its leaves, and the scores of the rows out of bag.

    Examples
    --------
    >>> from polytomy.encode import encode
    >>> table = Table.of({"x": np.arange(40.0)})
    >>> target = Target.of((np.arange(40) > 25).astype(int))
    >>> sample = ForestSample(encode(table), target, table)
    >>> forest = list(grow_forest(sample, ForestParams(), range(3)))
    >>> [grown.member.tree.n_leaves for grown in forest]
    [2, 2, 2]
    """
    sampler = RowSampler(sample.coded, sample.target, params, seed)
    grow = replace(params.grow, columns_per_node=params.columns_per_node(len(sample.coded.schema)))
    index = resolve(grow.index, sample.target.n_classes)
    routed = RoutedTable.of(sample.table, sample.coded.schema) if out_of_bag else None
    has_own = callable(grow.index) or not all(isinstance(f, str) for f in grow.families)

    def new_grower() -> Grower:
        return Grower(
            sample.coded, sample.target, grow, index=index, table=sample.table, tuning=Tuning()
        )

    growers: SimpleQueue[Grower] = SimpleQueue()

    def grown(tree: int) -> GrownMember:
        bag = sampler.bag(tree)
        if tree < len(existing):
            member = existing[tree]
        else:
            try:
                grower = growers.get_nowait()
            except Empty:
                grower = new_grower()
            grower.restart(bag.target, bag.rows, bag.seed)
            member = shares_member(grower.finish())
            growers.put(grower)
        outside = bag.outside if routed is not None else None
        if outside is None or routed is None:
            return GrownMember(member, None, None)
        leaves = routed.leaves(member.tree, among=outside)[outside]
        return GrownMember(member, outside, member.scores[leaves])

    if threads == 1 or has_own:
        yield from map(grown, trees)
        return
    with _pool(min(threads, len(trees) or 1)) as in_order:
        yield from in_order(grown, trees)


@contextmanager
def _pool(threads: int) -> Iterator[Callable[..., Iterator[Any]]]:
    """Return a ``map`` on several threads; what has not begun at the end is given up."""
    pool = ThreadPoolExecutor(threads)
    try:
        yield pool.map
    finally:
        pool.shutdown(cancel_futures=True)
