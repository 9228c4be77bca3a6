"""The growth loop, which reads like the papers' boxes and can be stepped.

T = one leaf
while leaves(T) < s:
    leaf   = the heaviest leaf, F(c)                    (steepest order: over all leaves,
    option = the acceptable option of the best score     the leaf and option of the best score)
    T      = T with the leaf replaced by the option
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from polytomy import kernels
from polytomy._types import TIE, FloatArray, IntArray
from polytomy.encode import Schema
from polytomy.index import Index
from polytomy.tree import TreeBuilder

from .asker import Asker
from .expansion import Expansion
from .frontier import Frontier
from .growth import Growth, Retirement
from .menu import Menu, Option
from .params import GrowParams
from .procedures import Choice, Procedure
from .stats import NodeSummary, StatsSource


@dataclass(slots=True)
class Leaf:
    """A leaf that may yet be split."""

    node: int
    depth: int
    counts: IntArray
    rows: int
    value: float  # F of the counts, in units
    menu: Menu | None = None
    choice: Choice | None = None


class Grower:
    """Grows one tree from a source of statistics.

    Parameters
    ----------
    source : StatsSource
        Where histograms come from and rows are scattered.
    schema : Schema
        The columns.
    params : GrowParams
        How to grow.
    index : Index
        The resolved index function.
    unit : float
        The weight of one unit of the source's counts.
    threads : int
        How many threads the search for options may use; the tree does not depend on it.
    procedure : Procedure, optional
        Another procedure than the one the parameters name.

    Examples
    --------
    >>> from polytomy.encode import Target, encode
    >>> from polytomy.grow import LocalStats
    >>> from polytomy.index import resolve
    >>> from polytomy.table import Table
    >>> coded = encode(Table.of({"x": np.arange(6.0)}))
    >>> source = LocalStats(coded, Target.of([0, 0, 1, 1, 0, 0]))
    >>> grower = Grower(source, coded.schema, GrowParams(max_leaves=4), resolve("gini"))
    >>> grower.step().arity
    3
    >>> grower.step() is None
    True
    """

    def __init__(
        self,
        source: StatsSource,
        schema: Schema,
        params: GrowParams,
        index: Index,
        unit: float = 1.0,
        threads: int = 1,
        procedure: Procedure | None = None,
    ) -> None:
        self._source, self._schema, self._params = source, schema, params
        self._index, self._unit = index, unit
        self._procedure = Procedure.of(params) if procedure is None else procedure
        self._asker = Asker(source, schema, params, index, threads, self._procedure)
        root = source.root()
        self._builder = TreeBuilder(self._weights(root.counts), root.rows)
        self._weight = float(root.counts.sum())
        self._root_value = self._value(root.counts)
        self._frontier: Frontier[Leaf] = Frontier(TIE * self._root_value)
        self._expansions: list[Expansion] = []
        self._retirements: list[Retirement] = []
        self._add_leaf(0, 0, root)

    @property
    def n_leaves(self) -> int:
        """The leaves of the tree so far."""
        return self._builder.n_leaves

    def step(self) -> Expansion | None:
        """Split one leaf; None when the budget is spent or no leaf can be split."""
        leaf = self._next_leaf()
        if leaf is None:
            return None
        expansion = self._expand(leaf)
        self._expansions.append(expansion)
        return expansion

    def grow(self, on_step: Callable[[Expansion], bool | None] | None = None) -> Growth:
        """Step until nothing is left to do; return the record of the run.

        ``on_step`` hears of every expansion and may stop the run by returning True.
        """
        stopped = False
        while not stopped and (expansion := self.step()) is not None:
            stopped = on_step is not None and bool(on_step(expansion))
        return Growth(
            tree=self._builder.finish(),
            expansions=tuple(self._expansions),
            retirements=tuple(self._retirements),
            params=self._params,
            index=self._index,
            weight=self._weight * self._unit,
            root_value=self._root_value * self._unit,
            stopped=stopped,
        )

    def _next_leaf(self) -> Leaf | None:
        """Return the leaf to split, its choice made for the tree's size as it is now."""
        while len(self._frontier) and not self._is_full():
            leaf = self._frontier.pop()
            stale = leaf.choice
            choice = self._choose(leaf)
            if choice is None:
                continue
            if self._params.order == "steepest" and choice is not stale:
                self._push(leaf)  # a growing tree made its option too large; its next best waits
                continue
            return leaf
        return None

    def _is_full(self) -> bool:
        """Say whether the budget is spent."""
        limit = self._params.max_leaves
        return limit is not None and self.n_leaves >= limit

    def _choose(self, leaf: Leaf) -> Choice | None:
        """Choose the leaf's option, or retire the leaf for a reason."""
        if leaf.choice is not None and self._acceptable(leaf.choice):
            return leaf.choice
        leaf.choice = None
        reason = self._limit(leaf)
        if reason is None:
            if leaf.menu is None:
                largest = self._procedure.largest(self.n_leaves, leaf.rows)
                leaf.menu = self._asker.menu(leaf.node, leaf.value, largest)
            leaf.choice = self._procedure.choose(leaf.menu, self.n_leaves, leaf.value)
            reason = self._objection(leaf)
        if reason is None:
            return leaf.choice
        self._retirements.append(Retirement(leaf.node, reason, self.n_leaves))
        self._source.release(leaf.node)
        return None

    def _limit(self, leaf: Leaf) -> str | None:
        """Return why a leaf must not even be looked at."""
        if self._params.max_depth is not None and leaf.depth >= self._params.max_depth:
            return "max_depth"
        fewest = max(self._params.min_samples_split, 2 * self._params.min_samples_leaf)
        return "too few rows" if leaf.rows < fewest else None

    def _objection(self, leaf: Leaf) -> str | None:
        """Return why a leaf that was looked at must not be split."""
        if leaf.choice is None:
            return "no acceptable option"
        short = leaf.choice.option.gain < self._params.min_gain * self._weight
        return "min_gain" if short else None

    def _acceptable(self, choice: Choice) -> bool:
        return self._procedure.acceptable(choice.option.arity, self.n_leaves)

    def _expand(self, leaf: Leaf) -> Expansion:
        """Replace the leaf by its option; its children join the frontier."""
        assert leaf.choice is not None
        assert leaf.menu is not None
        option = leaf.choice.option
        first = self._builder.n_nodes
        ids = list(range(first, first + option.arity))
        held = self._source.scatter(leaf.node, option.feature, option.cut, ids)
        question = option.cut.question(option.feature, self._schema, _heaviest(held))
        leaves_before = self.n_leaves
        counts = self._weights(np.array([child.counts for child in held]))
        self._builder.split(leaf.node, question, counts, [child.rows for child in held])
        for child, summary in zip(ids, held, strict=True):
            self._add_leaf(child, leaf.depth + 1, summary)
        binary = leaf.menu.get(2)
        return Expansion(
            leaf=leaf.node,
            option=option,
            price=self._procedure.price(option.arity),
            gain=option.gain * self._unit,
            weight=leaf.value * self._unit,
            counts=self._weights(leaf.counts),
            best_binary_gain=None if binary is None else binary.gain * self._unit,
            leaves_before=leaves_before,
            children=tuple(ids),
        )

    def _add_leaf(self, node: int, depth: int, held: NodeSummary) -> None:
        """Put a leaf on the frontier, unless it is pure or the budget is spent."""
        if np.count_nonzero(held.counts) <= 1 or self._is_full():
            self._source.release(node)
            return
        leaf = Leaf(node, depth, held.counts, held.rows, self._value(held.counts))
        if leaf.value <= 0:  # pure in every layer of its target
            self._source.release(node)
            return
        if self._params.order == "heaviest" or self._choose(leaf) is not None:
            self._push(leaf)

    def _push(self, leaf: Leaf) -> None:
        if self._params.order == "heaviest" or leaf.choice is None:
            self._frontier.push(leaf.value, leaf.node, leaf)
            return
        option = leaf.choice.option
        key = (option.arity, option.feature, self._rank(option), option.cut.order, leaf.node)
        self._frontier.push(leaf.choice.score, key, leaf)

    def _rank(self, option: Option) -> int:
        """Return the place of an option's family among those listed."""
        names = [f if isinstance(f, str) else f.name for f in self._params.families]
        return names.index(option.family)

    def _weights(self, counts: IntArray) -> FloatArray:
        return counts.astype(np.float64) * self._unit

    def _value(self, counts: IntArray) -> float:
        """Return F of a node's counts; by the kernel, where it knows the index."""
        vector = counts.astype(np.float64)
        if self._index.number is None:
            return float(self._index.value(vector))
        return float(kernels.index_values(self._index.number, vector[np.newaxis])[0])


def _heaviest(children: list[NodeSummary]) -> int:
    """Return the first child whose weight is the largest, ties within the tolerance."""
    weights = [float(child.counts.sum()) for child in children]
    lightest = max(weights) - TIE * sum(weights)
    return next(b for b, weight in enumerate(weights) if weight >= lightest)
