"""Searching beyond the greedy choice: several splits of the first nodes, each completed greedily.

At a searched node the best few splits are kept, at most two of a column. Each is completed by the
runs of ``grow_priced``, and pruned to the least cost for every number of leaves. Below the root,
the children of every kept split are searched in the same way: their least costs are joined by
number of leaves (min-plus), and of all ways to get a size the cheapest one is kept, the node as a
leaf and the greedy completions among them. The tree of ``grow_priced`` always competes, so that the
result never costs more.

Nodes are searched level by level, and every completion is independent of the others, so that
threads and the order in which they finish do not matter. A node that several splits lead to is
searched once.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from numbers import Integral, Real
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Any, NamedTuple

import numpy as np

from polytomy._errors import ParameterError
from polytomy._types import FloatArray, IntArray, RowArray
from polytomy.grow import Grower, GrowParams, Growth, Option, Tuning, resolved
from polytomy.index import Index
from polytomy.prune import PricedPath
from polytomy.theory import Prices, tree_cost
from polytomy.tree import Tree, TreeBuilder, TreeShape, grafted, merged_pruning

from .growing import (
    LARGE,
    SAMPLED,
    Candidate,
    PricedTree,
    Sample,
    TwoPrices,
    cheapest,
    in_weights,
    plain_runs,
    pruned_tree,
    sample_of,
)

_BEAM = 6  # splits kept at the root by search=1 and search=2
_FEWEST = 2  # splits kept at a node of a deeper level, unless the beam is smaller

OnProgress = Callable[[int, int, float], Any]
Key = tuple[int, int]  # the kind of a split, and its column


@dataclass(frozen=True, slots=True)
class Search:
    """How many splits are kept at the nodes of each searched level.

    Parameters
    ----------
    widths : tuple of int
        The number of splits kept at the root, at each of its children, and so on; empty for no
        search.

    Examples
    --------
    >>> Search.of(2).widths, Search.of((8, 4)).widths
    ((6, 3), (8, 4, 2, 2))
    """

    widths: tuple[int, ...]

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
            if not (_is_integer(beam) and _is_integer(depth) and beam >= 1 and depth >= 1):
                raise ParameterError(
                    f"search=(beam, depth) needs two integers of at least 1, got {value!r}"
                )
        elif _is_integer(value) and 0 <= value <= 2:
            beam, depth = _BEAM, value
        else:
            raise ParameterError(f"search must be 0, 1, 2 or (beam, depth), got {value!r}")
        fewest = min(int(beam), _FEWEST)
        halved = (int(beam) >> min(level, 64) for level in range(int(depth)))
        return cls(tuple(max(width, fewest) for width in halved))


def _is_integer(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


class SearchedTree(NamedTuple):
    """The cheapest tree that a search found.

    Parameters
    ----------
    growth : Growth
        The plain run that was kept; the tree is one of its prunings only if it is ``plain.tree``.
    tree : Tree
        The tree, pruned, and contracted if that was wanted.
    prices : Prices
        The prices of the plain run, in units of weight (or of the squared target).
    cost : float
        The cost of the tree at these prices.
    plain : PricedTree
        What ``grow_priced`` returns.
    candidates : int
        The number of splits that were completed.
    stopped : bool
        Whether the time limit or an interrupt ended the search before every candidate.
    """

    growth: Growth
    tree: Tree
    prices: Prices
    cost: float
    plain: PricedTree
    candidates: int
    stopped: bool


def search_priced(
    sample: Sample,
    params: GrowParams,
    wanted: TwoPrices,
    plan: Search,
    threads: int = 1,
    *,
    time_limit: float | None = None,
    on_progress: OnProgress | None = None,
) -> SearchedTree:
    """Grow the plain runs, search beyond their first splits, and return the cheapest tree.

    Parameters
    ----------
    sample : Sample
        The training rows.
    params : GrowParams
        How to grow, with ``procedure="priced"``; its budget is replaced. Users' own families are
        refused.
    wanted : TwoPrices
        The budget and the prices.
    plan : Search
        How many splits to keep at each level.
    threads : int, default=1
        The number of threads; the tree does not depend on it.
    time_limit : float, default=None
        Seconds after which no further candidate is begun; None for no limit. The plain runs are
        always grown.
    on_progress : callable, default=None
        Called as ``on_progress(done, total, best_cost)`` whenever a candidate is completed. The
        total grows when a deeper level is reached; the cost is that of the best tree so far.

    Returns
    -------
    SearchedTree
        The tree, which never costs more than that of ``grow_priced``. An interrupt (Ctrl-C) during
        the search ends it; the best tree so far is returned.
    """
    if not all(isinstance(family, str) for family in params.families):
        raise ParameterError("search needs built-in families")
    watch = _Watch(time_limit, on_progress)
    index = resolved(params.index, sample.target.n_classes)
    runs = plain_runs(sample, params, index, wanted, threads)
    best = cheapest(runs)
    plain = pruned_tree(best, wanted)
    prices = in_weights(plain.prices, sample.target)
    plain = plain._replace(prices=prices)
    tree, cost = plain.tree, tree_cost(plain.tree, index, prices)
    watch.cost = cost
    top = None
    if sample.target.n_rows > LARGE and plan.widths:
        top = _top_of_sample(sample, params, wanted, plan, threads, watch)
    if sample.target.n_rows <= LARGE or top is not None:
        # The engine's costs differ by a factor and, for a numeric target, a constant.
        factor = sample.target.impurity_unit

        def note(found: float) -> None:
            watch.cost = cost + (found - best.cost) * factor

        levels = _Levels(sample, index, wanted, runs, plan.widths, threads)
        piece = levels.cheapest(watch, best, note, top)
        if piece is not None:
            nodes = levels.path(piece, wanted.max_leaves)
            state = nodes.nodes_at(nodes.best_size())
            tree = merged_pruning(piece.tree, state.state, state.branch, contract=wanted.contract)
            cost = tree_cost(tree, index, prices)
    return SearchedTree(plain.growth, tree, prices, cost, plain, watch.done, watch.stopped)


def _top_of_sample(
    sample: Sample,
    params: GrowParams,
    wanted: TwoPrices,
    plan: Search,
    threads: int,
    watch: "_Watch",
) -> "_Top | None":
    """Search on a sample of the rows; return the first splits of the cheapest tree, or None."""
    part = sample_of(sample, SAMPLED)
    index = resolved(params.index, part.target.n_classes)
    runs = plain_runs(part, params, index, wanted, threads)
    levels = _Levels(part, index, wanted, runs, plan.widths, threads)
    piece = levels.cheapest(watch, cheapest(runs), lambda _found: None)
    return None if piece is None else _Top.of(piece.tree, 0, len(plan.widths))


@dataclass(frozen=True, slots=True)
class _Top:
    """The column and arity of the split of a node, and the same of its children."""

    column: int
    arity: int
    below: "tuple[_Top | None, ...]"

    @classmethod
    def of(cls, tree: Tree, node: int, depth: int) -> "_Top | None":
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


class _Watch:
    """The progress of a search, its time limit, and interrupts."""

    def __init__(self, time_limit: float | None, report: OnProgress | None) -> None:
        self._until = None if time_limit is None else monotonic() + _checked_seconds(time_limit)
        self._report = report
        self.done = self.total = 0
        self.cost = 0.0  # of the best tree so far
        self.stopped = False

    def is_over(self) -> bool:
        """Return whether to begin nothing more."""
        if self._until is not None and monotonic() >= self._until:
            self.stopped = True
        return self.stopped

    def completed(self) -> None:
        """Count a candidate, and report it."""
        self.done += 1
        if self._report is not None:
            self._report(self.done, self.total, self.cost)


def _checked_seconds(time_limit: Any) -> float:
    is_number = isinstance(time_limit, Real) and not isinstance(time_limit, bool)
    if not is_number or not time_limit >= 0:
        raise ParameterError(f"time_limit must be None or at least 0 seconds, got {time_limit!r}")
    return float(time_limit)


class _Piece(NamedTuple):
    """A grown tree on the rows of a node, and the integer counts of its nodes."""

    tree: Tree
    units: IntArray

    @classmethod
    def of(cls, grower: Grower) -> "_Piece":
        return cls(grower.tree(), grower.shape().tree.counts)

    def leaf(self, node: int) -> "_Piece":
        """Return one node as a tree of one leaf."""
        tree = self.tree
        alone = TreeBuilder(tree.counts[node], int(tree.rows[node]), tree.centre).finish()
        return _Piece(alone, self.units[node : node + 1])

    def with_branches(self, branches: "Sequence[_Piece]") -> "_Piece":
        """Return the split of the root with other pieces as its branches."""
        tree = grafted(self.tree, [branch.tree for branch in branches])
        return _Piece(tree, np.concatenate([self.units[:1], *(b.units for b in branches)]))

    @property
    def key(self) -> Key:
        return int(self.tree.kind[0]), int(self.tree.feature[0])


@dataclass(slots=True, eq=False)
class _Way:
    """One way to split a node: by number of leaves, the least cost and what is grown for it."""

    costs: FloatArray  # by the number of leaves from 1; infinite if there is none
    piece: Callable[[int], _Piece]


@dataclass(slots=True, eq=False)
class _Split:
    """A split kept at a node, its completions and, if these are searched, its children."""

    option: Option
    top: _Piece | None = None  # the split alone
    ways: list[_Way] = field(default_factory=list)
    children: "list[_Node]" = field(default_factory=list)


@dataclass(slots=True, eq=False)
class _Node:
    """A searched node: its rows (None for all), and the splits kept."""

    rows: RowArray | None
    leaf: _Piece | None = None
    top: _Top | None = None  # the split to keep, if it has been chosen
    splits: list[_Split] = field(default_factory=list)


class _Levels:
    """Searches level after level, and joins the results from the last level to the first."""

    def __init__(
        self,
        sample: Sample,
        index: Index,
        wanted: TwoPrices,
        runs: list[Candidate],
        widths: tuple[int, ...],
        threads: int,
    ) -> None:
        self._sample, self._index, self._wanted = sample, index, wanted
        self._prices = cheapest(runs).path.prices
        self._widths, self._threads = widths, threads
        self._kinds = [run.params for run in runs]
        self._weight = int(runs[0].shape.tree.counts[0].sum())
        self._growers: dict[tuple[int, int], SimpleQueue[Grower]] = {}

    def cheapest(
        self,
        watch: _Watch,
        plain: Candidate,
        note: Callable[[float], None],
        top: _Top | None = None,
    ) -> _Piece | None:
        """Return what to grow for the cheapest tree, or None if none costs less than the plain one.

        ``note`` is called with the least cost so far. The splits of ``top`` are the only candidates
        if it is given.
        """
        levels = [[_Node(None, top=top)]]
        try:
            self._search(levels, watch, plain.cost, note, chosen=top is not None)
        except KeyboardInterrupt:
            watch.stopped = True
        for depth in range(len(levels) - 2, -1, -1):
            for node in levels[depth]:
                for split in node.splits:
                    self._join(split, self._cap(depth))
        ways = [way for split in levels[0][0].splits for way in split.ways]
        totals = [self._total(way) for way in ways]
        if not ways or not min(totals) < plain.cost - 1e-12 * abs(plain.cost):
            return None
        way = ways[int(np.argmin(totals))]
        return way.piece(int(np.argmin(self._totals(way))) + 1)

    def _search(
        self,
        levels: list[list[_Node]],
        watch: _Watch,
        least: float,
        note: Callable[[float], None],
        *,
        chosen: bool,
    ) -> None:
        """Complete the candidates of each level, and add the level below."""
        for depth, width in enumerate(self._widths):
            nodes = levels[-1]

            def keep(node: _Node, options: list[Option], width: int = width) -> None:
                if chosen:
                    options = [] if node.top is None else node.top.among(options)
                node.splits = [_Split(option) for option in options[:width]]

            self._each(watch, self._menu, nodes, depth, keep)
            tasks = [(node, split) for node in nodes for split in node.splits]
            watch.total += len(tasks)
            parts: dict[int, list[RowArray]] = {}

            def count(
                task: tuple[_Node, _Split],
                rows: list[RowArray],
                depth: int = depth,
                parts: dict[int, list[RowArray]] = parts,
            ) -> None:
                nonlocal least
                split = task[1]
                parts[id(split)] = rows
                if depth == 0:
                    least = min([least, *(self._total(way) for way in split.ways)])
                    note(least)
                watch.completed()

            self._each(watch, self._complete, tasks, depth, count)
            if depth + 1 == len(self._widths) or watch.is_over():
                return
            levels.append(_children(tasks, parts))

    def _each(
        self,
        watch: _Watch,
        work: Callable[[Any, int], Any],
        tasks: Sequence[Any],
        depth: int,
        then: Callable[[Any, Any], None],
    ) -> None:
        """Do every task, on several threads, and call ``then`` with each and its result.

        Nothing more is begun when the search is over.
        """

        def done(task: Any) -> Any:
            return None if watch.is_over() else work(task, depth)

        threads = min(self._threads, len(tasks))
        if threads <= 1:
            for task in tasks:
                if (result := done(task)) is not None:
                    then(task, result)
            return
        pool = ThreadPoolExecutor(threads)
        try:
            waiting = {pool.submit(done, task): task for task in tasks}
            for future in as_completed(waiting):
                if (result := future.result()) is not None:
                    then(waiting[future], result)
        finally:
            pool.shutdown(cancel_futures=True)

    def _totals(self, way: _Way) -> FloatArray:
        return np.asarray(way.costs + self._prices.leaf * np.arange(1, len(way.costs) + 1))

    def _total(self, way: _Way) -> float:
        return float(self._totals(way).min())

    def _cap(self, depth: int) -> int:
        """Return the most leaves below a node of a level: its ancestors have other branches."""
        return max(1, self._wanted.max_leaves - depth)

    def _grower(self, kind: int, depth: int) -> Grower:
        """Return a grower that no other thread uses; ``_give_back`` makes it available again."""
        try:
            return self._growers.setdefault((kind, depth), SimpleQueue()).get_nowait()
        except Empty:
            pass
        params, sample = self._kinds[kind], self._sample
        if depth:
            params = replace(params, max_leaves=_leaves_below(self._cap(depth)))
            if params.max_depth is not None:
                params = replace(params, max_depth=max(1, params.max_depth - depth))
        return Grower(sample.coded, sample.target, params, index=self._index, tuning=Tuning())

    def _give_back(self, grower: Grower, kind: int, depth: int) -> None:
        self._growers[kind, depth].put(grower)

    def _menu(self, node: _Node, depth: int) -> list[Option]:
        limit = self._kinds[0].max_depth
        if limit is not None and limit <= depth:
            return []
        kind = len(self._kinds) - 1  # that of wide splits, if there is one
        grower = self._grower(kind, depth)
        grower.restart(self._sample.target, node.rows, weight=self._weight)
        options = grower.root_options()
        self._give_back(grower, kind, depth)
        return options

    def _complete(self, task: tuple[_Node, _Split], depth: int) -> list[RowArray]:
        """Complete a split in each kind of run; return the rows of its children if they matter."""
        node, split = task
        parts: list[RowArray] = []
        for kind in range(len(self._kinds)):
            grower = self._grower(kind, depth)
            grower.restart(self._sample.target, node.rows, weight=self._weight)
            grower.split_root(split.option)
            if split.top is None and depth + 1 < len(self._widths):
                split.top = _Piece.of(grower)
                leaf = grower.leaves()
                rows = np.arange(len(leaf), dtype=np.uint32) if node.rows is None else node.rows
                held = leaf[rows]
                parts = [rows[held == b + 1] for b in range(split.option.arity)]
            grower.complete()
            split.ways.append(self._way(_Piece.of(grower), self._cap(depth)))
            self._give_back(grower, kind, depth)
        return parts

    def path(self, piece: _Piece, cap: int) -> PricedPath:
        """Return the cheapest prunings of a piece."""
        tree = piece.tree
        shape = TreeShape(
            tree.kind, tree.feature, tree.child_start, tree.child, tree.threshold_start, piece.units
        )
        return PricedPath(shape, self._index, self._prices, cap, contract=self._wanted.contract)

    def _way(self, piece: _Piece, cap: int) -> _Way:
        path = self.path(piece, cap)
        costs = np.full(cap, np.inf)
        costs[path.sizes - 1] = path.costs
        return _Way(costs, lambda _size: piece)

    def _below(self, node: _Node, above: Key, cap: int) -> _Way:
        """Return the best of all ways for each size of a child of a split by ``above``."""
        assert node.leaf is not None
        leaf = node.leaf
        ways = [self._way(leaf, cap)]
        saved = self._prices.question * float(leaf.units.sum())  # one question with that above
        for split in node.splits:
            for way in split.ways:
                costs = np.full(cap, np.inf)
                costs[1:] = way.costs[1:cap]
                if self._wanted.contract and way.piece(2).key == above:
                    costs -= saved
                ways.append(_Way(costs, way.piece))
        least = np.array([way.costs for way in ways])
        which = least.argmin(axis=0)
        return _Way(least.min(axis=0), lambda size: ways[which[size - 1]].piece(size))

    def _join(self, split: _Split, cap: int) -> None:
        """Add the least costs of a split whose children are searched."""
        if not split.children or split.top is None:
            return
        top = split.top
        below = [self._below(child, top.key, max(1, cap - 1)) for child in split.children]
        asked = self._prices.question * float(top.units[0].sum())
        costs, sizes = _min_plus([way.costs for way in below], cap)

        def joined(size: int) -> _Piece:
            pairs = zip(below, sizes(size), strict=True)
            return top.with_branches([way.piece(own) for way, own in pairs])

        way = _Way(costs + asked, joined)
        split.ways.append(way)
        totals = self._totals(way)
        if np.isfinite(
            totals
        ).any():  # with branches merged, all sizes of the cheapest may be better
            split.ways.append(self._way(joined(int(totals.argmin()) + 1), cap))


def _children(
    tasks: Sequence[tuple[_Node, _Split]], parts: dict[int, list[RowArray]]
) -> list[_Node]:
    """Return the nodes of the next level: one for the same rows, whatever splits lead to them."""
    known: dict[bytes, _Node] = {}
    for node, split in tasks:
        for branch, rows in enumerate(parts.get(id(split), ())):
            assert split.top is not None
            name = blake2b(rows.tobytes(), digest_size=16).digest()
            child = known.setdefault(name, _Node(rows, split.top.leaf(branch + 1)))
            if node.top is not None and node.top.arity == split.option.arity:
                child.top = node.top.below[branch]
            split.children.append(child)
    return list(known.values())


def _leaves_below(cap: int) -> int:
    """Return the leaves to grow on the rows of a searched child."""
    return cap + 8


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
