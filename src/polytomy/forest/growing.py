"""Growing the trees of a forest on several threads, and their votes on the rows out of bag."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from polytomy._threads import ThreadPool
from polytomy._types import AnyArray, FloatArray
from polytomy.encode import Coded, NumericTarget, Target
from polytomy.ensemble import Member, VoteScale, mean_shares, means_member, shares_member
from polytomy.grow import Grower, Tuning, resolved
from polytomy.predict import RoutedTable
from polytomy.table import Table
from polytomy.tree import Tree

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
        Their classes or numbers, and weights.
    table : Table
        The raw rows, to find the leaves of rows out of bag.
    """

    coded: Coded
    target: Target
    table: Table

    @cached_property
    def scale(self) -> VoteScale | None:
        """The scale of the votes for a numeric target; None for classes."""
        target = self.target
        return VoteScale.of(target) if isinstance(target, NumericTarget) else None

    def member(self, tree: Tree) -> Member:
        """Return a tree whose leaves vote with the class shares, or the mean, of their rows."""
        return shares_member(tree) if self.scale is None else means_member(tree, self.scale)


class GrownMember(NamedTuple):
    """A member, and its scores for the rows out of bag: None if no row is, or none are wanted.

    ``outside`` says of each row whether it is out of bag or, by case, how much of its weight is.
    """

    member: Member
    outside: AnyArray | None
    scores: FloatArray | None


class OutOfBag(ABC):
    """The votes on each row by the trees that were grown without it.

    ``OutOfBag.of`` returns those for a target.

    Attributes
    ----------
    votes : ndarray of shape (n_rows, n_outputs)
        The sums of the scores.
    errors : dict of int to float
        The error after 1, 2, 5, 10, 20, ... trees.
    """

    def __init__(self, target: Target, n_outputs: int) -> None:
        self.votes = np.zeros((target.n_rows, n_outputs))
        self.errors: dict[int, float] = {}
        self._trees = np.zeros(target.n_rows, dtype=np.int64)  # that have voted on each row
        units = target.case_units[0]
        self._weights = np.ones(target.n_rows) if units is None else units.astype(np.float64)

    @staticmethod
    def of(target: Target) -> "OutOfBag":
        """Return the votes for a target, of which there are none yet."""
        if isinstance(target, NumericTarget):
            return NumbersOutOfBag(target)
        return ClassesOutOfBag(target)

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
            times, scores = grown.outside, grown.scores
            is_outside = times > 0
            if times.dtype != bool:
                scores = scores * times[is_outside, None]
            self.votes[is_outside] += scores
            self._trees += times
        if str(number).rstrip("0") in ("1", "2", "5"):
            self.errors[number] = self.error

    @property
    def known(self) -> NDArray[np.bool_]:
        """Whether each row was out of some bag."""
        return self._trees > 0

    @property
    @abstractmethod
    def forecast(self) -> FloatArray:
        """The mean class shares, or the mean number, of each row; NaN if it was in every bag."""

    @property
    @abstractmethod
    def predicted(self) -> AnyArray:
        """The predicted class number or number of each row."""

    @property
    @abstractmethod
    def error(self) -> float:
        """The weighted mean error of the rows that were out of some bag; NaN if there are none."""

    @property
    @abstractmethod
    def score(self) -> float:
        """The accuracy, or R2."""

    def _mean(self, values: AnyArray) -> float:
        """Return the weighted mean over the rows that were out of some bag."""
        weights = self._weights * self.known
        total = weights.sum()
        return float((np.where(self.known, values, 0) * weights).sum() / total) if total else np.nan


class ClassesOutOfBag(OutOfBag):
    """Votes for classes; the error is the fraction that is classified wrongly."""

    def __init__(self, target: Target) -> None:
        super().__init__(target, target.n_classes)
        self._labels = target.labels

    @property
    def forecast(self) -> FloatArray:
        """The mean class shares of each row; NaN if the row was in every bag."""
        return mean_shares(self.votes)

    @property
    def predicted(self) -> AnyArray:
        """The class number with the most votes."""
        return np.asarray(self.votes.argmax(axis=1))

    @property
    def error(self) -> float:
        """The weight of the rows that are classified wrongly out of bag, as a fraction."""
        return self._mean(self.predicted != self._labels)

    @property
    def score(self) -> float:
        """The fraction that is classified correctly."""
        return 1.0 - self.error


class NumbersOutOfBag(OutOfBag):
    """Votes for numbers; the error is the mean squared error."""

    def __init__(self, target: NumericTarget) -> None:
        super().__init__(target, 1)
        self._values, self._scale = target.values, VoteScale.of(target)

    @property
    def forecast(self) -> FloatArray:
        """The mean number of each row; NaN if the row was in every bag."""
        return self._scale.mean(self.votes, self._trees)

    @property
    def predicted(self) -> AnyArray:
        """The same."""
        return self.forecast

    @property
    def error(self) -> float:
        """The mean squared error of the numbers out of bag."""
        return self._mean((self._values - self.forecast) ** 2)

    @property
    def score(self) -> float:
        """R2: the fraction of the variance that is explained; 0 or 1 if there is none."""
        error, far = self.error, self._values - self._scale.centre
        variance = self._mean((far - self._mean(far)) ** 2)
        return 1.0 - error / variance if variance != 0 else float(error == 0)


def grow_forest(  # noqa: PLR0913
    sample: ForestSample,
    params: ForestParams,
    trees: range,
    seed: int = 0,
    *,
    threads: int = 1,
    out_of_bag: bool = True,
    by_case: bool = False,
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
    by_case : bool, default=False
        Whether a row is out of bag with some of its cases while others are in the bag. Then a row
        of weight 3 has the scores of three equal rows together; it needs bags that are drawn
        without replacement.
    existing : sequence of Member, default=()
        The first trees of the forest, which are not grown again.

    Yields
    ------
    GrownMember
        The tree with the votes of its leaves, and the scores of the rows out of bag.

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
    sampler = RowSampler(sample.coded, sample.target, params, seed, by_case=by_case)
    grow = replace(params.grow, columns_per_node=params.columns_per_node(len(sample.coded.schema)))
    index = resolved(grow.index, sample.target.n_classes)
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
            member = sample.member(grower.finish())
            growers.put(grower)
        if routed is None:
            return GrownMember(member, None, None)
        outside: AnyArray | None = sampler.weight_outside(bag) if by_case else bag.outside
        if outside is None:
            return GrownMember(member, None, None)
        is_outside = outside > 0
        leaves = routed.leaves(member.tree, among=is_outside)[is_outside]
        return GrownMember(member, outside, member.scores[leaves])

    if threads == 1 or has_own:
        yield from map(grown, trees)
        return
    with _pool(min(threads, len(trees) or 1)) as in_order:
        yield from in_order(grown, trees)


@contextmanager
def _pool(threads: int) -> Iterator[Callable[..., Iterator[Any]]]:
    """Return a ``map`` on several threads; what has not begun at the end is given up."""
    pool = ThreadPool(threads)
    try:
        yield pool.map
    finally:
        pool.shutdown(cancel_futures=True)
