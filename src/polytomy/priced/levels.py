"""The levels of a search: candidates completed at the nodes of each, and joined by size.

Nodes are searched level by level, and every completion is independent of the others, so that
threads and the order in which they finish do not matter. A node of a level that several splits
lead to is searched once.
"""

import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import as_completed
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import blake2b
from itertools import zip_longest
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Any, NamedTuple

import numpy as np

from polytomy._cancellation import check
from polytomy._errors import ParameterError
from polytomy._numbers import is_integer
from polytomy._threads import ThreadPool
from polytomy._types import FloatArray, IntArray, RowArray
from polytomy.grow import Grower, GrowParams, Option
from polytomy.index import Index
from polytomy.prune import PricedPath
from polytomy.tree import Constraints, Tree, TreeBuilder, TreeShape, grafted

from .growing import Candidate, Sample, TwoPrices

_BEAM = 6  # splits kept at the root by search=1 and search=2
_FEWEST = 2  # splits kept at a node of a deeper level, unless the beam is smaller
_SPARE = 8  # leaves grown below a searched child beyond those that the budget leaves it

OnProgress = Callable[[int, int, float], Any]


@dataclass(frozen=True, slots=True)
class Search:
    """How many splits are kept at the nodes of each searched level.

    Parameters
    ----------
    widths : tuple of int
        The number of splits kept at the root, at each of its children, and so on; empty for no
        search.
    is_quick : bool, default=False
        Whether candidates are completed by one kind of run only, that of the plain tree, and an
        interrupt is not caught.
    followed : tuple of int, default=()
        For each level but the last, below how many of a node's splits the next level is searched:
        those whose completions cost least. Empty for all.

    Examples
    --------
    >>> Search.of(2).widths, Search.of((8, 4)).widths
    ((6, 3), (8, 4, 2, 2))
    """

    widths: tuple[int, ...]
    is_quick: bool = False
    followed: tuple[int, ...] = ()

    @property
    def completions(self) -> int:
        """The number of trees that a search of binary splits completes."""
        total, nodes = 0, 1
        for width, followed in zip_longest(self.widths, self.followed):
            total += nodes * width
            nodes *= 2 * (width if followed is None else followed)
        return total

    @classmethod
    def of(cls, value: Any) -> "Search":
        """Return the search that a user's parameter describes.

        Parameters
        ----------
        value : int or tuple of two ints
            0 for no search; 1 for 6 splits at the root; 2 for 6 at the root and 3 at each child; or
            a beam and a depth: as many splits at the root, half as many at each level below (at
            least 2, unless the beam is 1), for that many levels.

        Returns
        -------
        Search
            The search.
        """
        if isinstance(value, tuple | list) and len(value) == 2:
            beam, depth = value
            if not (is_integer(beam) and is_integer(depth) and beam >= 1 and depth >= 1):
                raise ParameterError(
                    f"search=(beam, depth) needs two integers of at least 1, got {value!r}"
                )
        elif is_integer(value) and 0 <= value <= 2:
            beam, depth = _BEAM, value
        else:
            raise ParameterError(f"search must be 0, 1, 2 or (beam, depth), got {value!r}")
        fewest = min(int(beam), _FEWEST)
        halved = (int(beam) >> min(level, 64) for level in range(int(depth)))
        return cls(tuple(max(width, fewest) for width in halved))


QUICK = Search((_BEAM, 3, 2), is_quick=True, followed=(2, 1))
"""The search of the default fit."""
WIDE = Search((_BEAM, 4, 3, 2), followed=(3, 2, 1))
"""The search of ``effort="thorough"``."""
NO_SEARCH = Search(())


@dataclass(frozen=True, slots=True)
class Top:
    """The column and arity of the split of a node, and the same of its children."""

    column: int
    arity: int
    below: "tuple[Top | None, ...]"

    @classmethod
    def of(cls, tree: Tree, node: int, depth: int) -> "Top | None":
        """Return the splits of the first levels below a node of a tree."""
        children = tree.children(node).tolist()
        if not children or depth == 0:
            return None
        below = tuple(cls.of(tree, child, depth - 1) for child in children)
        return cls(int(tree.feature[node]), len(children), below)

    def among(self, options: list[Option]) -> list[Option]:
        """Return the first option of this column and arity, or else of this column."""
        same = [option for option in options if option.feature == self.column]
        return (([o for o in same if o.arity == self.arity]) or same)[:1]


class Workers:
    """The threads of a search, its progress, and its end: by a time limit or an interrupt."""

    def __init__(
        self,
        threads: int,
        time_limit: float | None = None,
        report: OnProgress | None = None,
        *,
        keeps_best: bool = True,
    ) -> None:
        self.threads = threads
        self.keeps_best = keeps_best  # if it is interrupted
        self._until = None if time_limit is None else monotonic() + time_limit
        self._report = report
        self.done = self.total = 0
        self.stopped = False
        self.cost = 0.0  # of the best tree so far
        self.cost_of: Callable[[float], float] | None = None  # given that in the engine's units

    def is_over(self) -> bool:
        """Return whether to begin nothing more."""
        if self._until is not None and monotonic() >= self._until:
            self.stopped = True
        return self.stopped

    def interrupt(self) -> None:
        """Begin nothing more, and warn that the search is not complete."""
        self.stopped = True
        when = f"after {self.done} of {self.total} splits" if self.total else "at its first split"
        warnings.warn(
            f"the search was interrupted {when}; the best tree so far is kept. A second Ctrl-C "
            "ends the fit",
            UserWarning,
            stacklevel=2,
        )

    def completed(self, least: float) -> None:
        """Count a candidate, and report it with the least cost so far, in the engine's units."""
        self.done += 1
        if self.cost_of is not None:
            self.cost = self.cost_of(least)
        if self._report is not None:
            self._report(self.done, self.total, self.cost)
            check()

    def each(
        self,
        work: Callable[[Any], None],
        tasks: Sequence[Any],
        then: Callable[[Any], None] | None = None,
    ) -> None:
        """Do every task, on several threads; on this one, call ``then`` as each is done.

        Nothing more is begun when the search is over.
        """

        def done(task: Any) -> bool:
            if self.is_over():
                return False
            work(task)
            return True

        threads = min(self.threads, len(tasks))
        if threads <= 1:
            for task in tasks:
                if done(task) and then is not None:
                    then(task)
            return
        pool = ThreadPool(threads)
        try:
            waiting = {pool.submit(done, task): task for task in tasks}
            for future in as_completed(waiting):
                if future.result() and then is not None:
                    then(waiting[future])
        finally:
            pool.shutdown(cancel_futures=True)


class Piece(NamedTuple):
    """A grown tree on the rows of a node, and the integer counts of its nodes.

    ``charge`` is what the splits that were kept in it cost beyond those of the run.
    """

    tree: Tree
    units: IntArray
    charge: float = 0.0

    @classmethod
    def of(cls, grower: Grower, charge: float = 0.0) -> "Piece":
        """Return the tree that a grower has grown so far."""
        return cls(grower.tree(), grower.shape().tree.counts, charge)

    def leaf(self, node: int) -> "Piece":
        """Return one node as a tree of one leaf."""
        tree = self.tree
        alone = TreeBuilder(
            tree.counts[node], int(tree.rows[node]), tree.centre, tree.costs
        ).finish()
        return Piece(alone, self.units[node : node + 1])

    def with_branches(self, branches: "Sequence[Piece]") -> "Piece":
        """Return the split of the root with other pieces as its branches."""
        tree = grafted(self.tree, [branch.tree for branch in branches])
        units = np.concatenate([self.units[:1], *(b.units for b in branches)])
        return Piece(tree, units, self.charge + sum(b.charge for b in branches))


@dataclass(slots=True, eq=False)
class Way:
    """One way to split a node: by number of leaves, the least cost and what is grown for it."""

    costs: FloatArray  # by the number of leaves from 1; infinite if there is none
    piece: Callable[[int], Piece]


@dataclass(slots=True, eq=False)
class KeptSplit:
    """A split kept at a node, its completions and, if these are searched, its children.

    The best of many groupings of categories looks good by chance. A run charges each for its
    description, so a search must too: ``charge`` is by how much that exceeds the charge for the
    split that the run would take, in units of cost.
    """

    option: Option
    charge: float = 0.0
    ways: list[Way] = field(default_factory=list)
    top: Piece | None = None  # the split alone
    rows: list[RowArray] = field(default_factory=list)  # of each branch
    children: "list[SearchNode]" = field(default_factory=list)

    def joins(self, other: "KeptSplit") -> bool:
        """Return whether this split and one of a child are one question when contracted."""
        mine, theirs = self.option, other.option
        is_range = mine.family == "intervals"
        return mine.feature == theirs.feature and is_range == (theirs.family == "intervals")


@dataclass(slots=True, eq=False)
class SearchNode:
    """A searched node: its rows (None for all), and the splits kept."""

    rows: RowArray | None
    asked: frozenset[int] = frozenset()  # columns above it, if constraints depend on them
    leaf: Piece | None = None
    top: Top | None = None  # the split to keep, if it has been chosen
    splits: list[KeptSplit] = field(default_factory=list)


class Levels:
    """Searches level after level, and joins the results from the last level to the first.

    Parameters
    ----------
    sample : Sample
        The training rows.
    index : Index
        The index function.
    wanted : TwoPrices
        The budget and the prices.
    plain : Candidate
        The plain run, whose prices are those of the search.
    kinds : list of GrowParams
        How to complete a candidate: by each of these, the one with wide splits last.
    plan : Search
        The number of splits kept at the nodes of each level, and followed.
    workers : Workers
        The threads, the progress of the search, and its end.
    """

    def __init__(
        self,
        sample: Sample,
        index: Index,
        wanted: TwoPrices,
        plain: Candidate,
        kinds: list[GrowParams],
        plan: Search,
        workers: Workers,
    ) -> None:
        self._sample, self._index, self._wanted = sample, index, wanted
        self._widths = plan.widths[: wanted.max_leaves - 1]  # each level above adds a leaf
        self._followed = plan.followed
        self._workers = workers
        self._prices, self._plain, self._least = plain.path.prices, plain.cost, plain.cost
        self._kinds = kinds
        self._weight = int(plain.shape.tree.counts[0].sum())
        self._growers: dict[tuple[int, int, Constraints], SimpleQueue[Grower]] = {}

    def cheapest(self, top: Top | None = None) -> Piece | None:
        """Return what to grow for the cheapest tree, or None if none costs less than the plain one.

        The splits of ``top`` are the only candidates if it is given.
        """
        levels = [[SearchNode(None, top=top)]]
        try:
            self._search(levels, chosen=top is not None)
        except KeyboardInterrupt:
            if not self._workers.keeps_best:
                raise
            self._workers.interrupt()
        for depth in range(len(levels) - 2, -1, -1):
            for node in levels[depth]:
                for split in node.splits:
                    self._join(split, self._cap(depth))
        ways = [way for split in levels[0][0].splits for way in split.ways]
        totals = [self._total(way) for way in ways]
        if not ways or not min(totals) < self._plain - 1e-12 * abs(self._plain):
            return None
        way = ways[int(np.argmin(totals))]
        return way.piece(int(np.argmin(self._totals(way))) + 1)

    def _search(self, levels: list[list[SearchNode]], *, chosen: bool) -> None:
        """Complete the candidates of each level, and add the level below.

        If the splits are chosen, the nodes' ``top`` are the only candidates.
        """
        workers = self._workers
        for depth, width in enumerate(self._widths):
            nodes = levels[-1]
            workers.each(partial(self._keep, width=width, chosen=chosen, depth=depth), nodes)
            tasks = [(node, split) for node in nodes for split in node.splits]
            workers.total += len(tasks)
            workers.each(partial(self._complete, depth=depth), tasks, self._count)
            if depth + 1 == len(self._widths) or workers.is_over():
                return
            if self._followed:
                tasks = self._cheapest_splits(nodes, self._followed[depth])
            levels.append(_children(tasks, self._kinds[0].constraints))

    def _cheapest_splits(
        self, nodes: "list[SearchNode]", n: int
    ) -> "list[tuple[SearchNode, KeptSplit]]":
        """Return the n splits of each node whose completions cost least."""

        def cost(split: KeptSplit) -> float:
            return min(self._total(way) for way in split.ways)

        return [(node, split) for node in nodes for split in sorted(node.splits, key=cost)[:n]]

    def _count(self, task: "tuple[SearchNode, KeptSplit]") -> None:
        """Report a completed candidate; those of the root are trees, with a cost."""
        node, split = task
        if node.rows is None:
            self._least = min([self._least, *(self._total(way) for way in split.ways)])
        self._workers.completed(self._least)

    def _totals(self, way: Way) -> FloatArray:
        return np.asarray(way.costs + self._prices.leaf * np.arange(1, len(way.costs) + 1))

    def _total(self, way: Way) -> float:
        return float(self._totals(way).min())

    def _cap(self, depth: int) -> int:
        """Return the most leaves below a node of a level: its ancestors have other branches."""
        return self._wanted.max_leaves - depth

    @contextmanager
    def _restarted(self, kind: int, depth: int, node: SearchNode) -> Iterator[Grower]:
        """Lend a grower of one kind of run that starts at a node."""
        held = self._kinds[kind].constraints.below(node.asked)
        idle = self._growers.setdefault((kind, depth, held), SimpleQueue())
        try:
            grower = idle.get_nowait()
        except Empty:
            sample, params = self._sample, replace(self._params(kind, depth), constraints=held)
            grower = Grower(sample.coded, sample.target, params, index=self._index)
        grower.restart(self._sample.target, node.rows, weight=self._weight)
        yield grower
        idle.put(grower)

    def _params(self, kind: int, depth: int) -> GrowParams:
        """Return how to grow below a node of a level."""
        params = self._kinds[kind]
        if depth == 0:
            return params
        limit = params.max_depth
        return replace(
            params,
            max_leaves=self._cap(depth) + _SPARE,
            max_depth=None if limit is None else limit - depth,
        )

    def _keep(self, node: SearchNode, width: int, chosen: bool, depth: int) -> None:
        """Keep the best few splits of a node, or the chosen one."""
        limit = self._kinds[0].max_depth
        if (limit is not None and limit <= depth) or (chosen and node.top is None):
            return
        wide = len(self._kinds) - 1  # the run with wide splits, if there is one
        with self._restarted(wide, depth, node) as grower:
            options = grower.root_options()
        kept = options[:width] if node.top is None else node.top.among(options)
        node.splits = [
            KeptSplit(option, max(0.0, option.charge - options[0].charge) / 2)  # F/2 is a loss
            for option in kept
        ]

    def _complete(self, task: tuple[SearchNode, KeptSplit], depth: int) -> None:
        """Complete a split in each kind of run."""
        node, split = task
        for kind in range(len(self._kinds)):
            with self._restarted(kind, depth, node) as grower:
                grower.split_root(split.option)
                if kind == 0 and depth + 1 < len(self._widths):
                    piece = Piece.of(grower, split.charge)
                    split.top, split.rows = piece, _rows_of_leaves(grower, node.rows)
                grower.complete()
                split.ways.append(self._way(Piece.of(grower, split.charge), self._cap(depth)))

    def path(self, piece: Piece, cap: int) -> PricedPath:
        """Return the cheapest prunings of a piece."""
        tree = piece.tree
        shape = TreeShape(
            tree.kind,
            tree.feature,
            tree.child_start,
            tree.child,
            tree.threshold_start,
            piece.units,
            tree.costs,
        )
        return PricedPath(shape, self._index, self._prices, cap, contract=self._wanted.contract)

    def _way(self, piece: Piece, cap: int) -> Way:
        path = self.path(piece, cap)
        costs = np.full(cap, np.inf)
        costs[path.sizes - 1] = path.costs
        costs[1:] += piece.charge
        return Way(costs, lambda _size: piece)

    def _below(self, node: SearchNode, above: KeptSplit, cap: int) -> Way:
        """Return the best of all ways for each size of a child of a split."""
        assert node.leaf is not None
        ways = [self._way(node.leaf, cap)]
        asked = self._prices.question * float(node.leaf.units.sum())
        for split in node.splits:
            saved = asked if self._wanted.contract and split.joins(above) else 0.0
            for way in split.ways:
                costs = way.costs[:cap] - saved
                costs[0] = np.inf  # that is the leaf
                ways.append(Way(costs, way.piece))
        least = np.array([way.costs for way in ways])
        which = least.argmin(axis=0)
        return Way(least.min(axis=0), lambda size: ways[which[size - 1]].piece(size))

    def _join(self, split: KeptSplit, cap: int) -> None:
        """Add the least costs of a split whose children are searched."""
        top = split.top
        if top is None or not split.children:
            return
        below = [self._below(child, split, cap - 1) for child in split.children]
        costs, sizes = _min_plus([way.costs for way in below], cap)

        def joined(size: int) -> Piece:
            pairs = zip(below, sizes(size), strict=True)
            return top.with_branches([way.piece(own) for way, own in pairs])

        asked = self._prices.question * float(top.units[0].sum())
        way = Way(costs + asked + split.charge, joined)
        split.ways.append(way)
        if np.isfinite(way.costs).any():
            # Branches of the split may be merged in what is grown for the cheapest size.
            split.ways.append(self._way(joined(int(self._totals(way).argmin()) + 1), cap))


def _rows_of_leaves(grower: Grower, rows: RowArray | None) -> list[RowArray]:
    """Return the rows of each branch of a run that has split only its root."""
    leaf = grower.leaves()
    if rows is None:
        rows = np.arange(len(leaf), dtype=np.uint32)
    at = leaf[rows]
    return [rows[at == branch] for branch in range(1, int(at.max()) + 1)]


def _children(
    tasks: Sequence[tuple[SearchNode, KeptSplit]], constraints: Constraints
) -> list[SearchNode]:
    """Return the nodes of the next level: one for the same rows, whatever splits lead to them.

    If constraints depend on the columns asked above, the same rows below others are another node.
    """
    known: dict[tuple[bytes, Constraints], SearchNode] = {}
    for node, split in tasks:
        asked = node.asked | {split.option.feature} if constraints.on_paths else node.asked
        held = constraints.below(asked)
        for branch, rows in enumerate(split.rows):
            assert split.top is not None
            name = blake2b(rows.tobytes(), digest_size=16).digest(), held
            child = known.setdefault(name, SearchNode(rows, asked, split.top.leaf(branch + 1)))
            if node.top is not None and node.top.arity == split.option.arity:
                child.top = node.top.below[branch]
            split.children.append(child)
    return list(known.values())


def _min_plus(
    curves: Sequence[FloatArray], cap: int
) -> tuple[FloatArray, Callable[[int], list[int]]]:
    """Return the least sum of costs by the number of leaves, and the sizes that it comes from.

    Each curve holds costs by the number of leaves from 1, as does the result, up to ``cap``.
    """
    total = np.full(cap + 1, np.inf)
    total[0] = 0.0
    taken = []
    for curve in curves:
        after = np.full(cap + 1, np.inf)
        own = np.zeros(cap + 1, dtype=np.int64)
        for size, cost in enumerate(curve.tolist(), 1):
            sums = total[: cap + 1 - size] + cost
            better = sums < after[size:]
            after[size:][better] = sums[better]
            own[size:][better] = size
        total = after
        taken.append(own)

    def sizes(size: int) -> list[int]:
        found = []
        for own in reversed(taken):
            found.append(int(own[size]))
            size -= found[-1]
        return found[::-1]

    return total[1:], sizes
