"""The growth loop: one leaf becomes a node with k leaves, until the tree has s leaves.

    T = one leaf
    while leaves(T) < s:
        leaf  = the leaf with the largest F(c)              (leaf_order="heaviest", as published)
        split = the acceptable split of that leaf with the largest gain / price(k)
        T     = T with the leaf replaced by the split
    leaf_order="steepest": instead, over all leaves at once, the split with the largest
    gain / price(k)

Sources: with binary splits, the procedure in section 3 of Mansour and McAllester (1999) and figure
1 of Hatano (2004); with k-way splits, section 4 of Mansour and McAllester and figure 2 of Hatano
(TOPDOWN-M). ``Run`` holds T; ``Run.step`` is the body of the loop.

What the boxes leave open: a pure leaf is never split. A leaf without an acceptable split is
retired: in heaviest order the next one takes its place. A split that gains nothing is taken all
the same, because the one after it may gain (XOR). Scores that differ by rounding are ties, which
go to the smaller arity, then the lower column, the family listed first, the lower cut, and the
older leaf.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import inf, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .index import INDICES, TIE, Index
from .procedures import acceptable, e, phi, price
from .splits import FAMILIES, Column, Limits, Split, menu, none_if_nan


@dataclass(eq=False)
class Node:
    """A node of the tree; a leaf has no split. Nodes are numbered as they are made."""

    number: int
    depth: int
    rows: list[int]
    counts: NDArray[Any]
    split: Split | None = None
    children: list["Node"] = field(default_factory=list)
    retired: bool = False

    def leaves(self) -> Iterator["Node"]:
        """Yield the leaves below this node, or the node itself if it is one."""
        if self.split is None:
            yield self
        for child in self.children:
            yield from child.leaves()

    def leaf(self, row: Mapping[str, Any]) -> "Node":
        """Return the leaf that a row reaches; ``row`` has a cell for each column name.

        >>> tree = Run({"x": [1, 2, 3, 4]}, ["a", "a", "b", "b"]).grow()
        >>> tree.leaf({"x": 2.4}).number, tree.leaf({"x": 2.6}).number
        (1, 2)
        """
        node = self
        while node.split is not None:
            cell = none_if_nan(row.get(node.split.name))
            node = node.children[node.split.branch(cell)]
        return node


@dataclass(frozen=True)
class Rules:
    """The parameters of a run; see ``polytomy.TreeClassifier``.

    ``max_leaves`` is the papers' s; None is no budget. ``leaf_order="auto"`` is steepest for
    ``per-leaf`` and heaviest for the published procedures. ``max_arity`` is smaller here by default
    than in the library: every split is enumerated.
    """

    max_leaves: int | None = 32
    procedure: str = "per-leaf"
    gamma: float | None = None
    index: str | Index = "gini"
    leaf_order: str = "auto"
    families: tuple[str, ...] = FAMILIES
    max_arity: int = 4
    max_depth: int | None = None
    min_samples_split: int = 2
    min_samples_leaf: int = 1
    min_weight_fraction_leaf: float = 0.0
    min_gain: float = 0.0

    @property
    def steepest(self) -> bool:
        """Whether a step looks for the best split over all leaves."""
        auto = self.leaf_order == "auto" and self.procedure == "per-leaf"
        return auto or self.leaf_order == "steepest"

    @property
    def function(self) -> Index:
        """The index function F."""
        return INDICES[self.index] if isinstance(self.index, str) else self.index

    @property
    def budget(self) -> float:
        """The papers' s; infinite without a budget."""
        return inf if self.max_leaves is None else self.max_leaves

    def price(self, k: int) -> float:
        """Return the price of a k-way split."""
        return price(self.procedure, k, self.gamma)

    def acceptable(self, k: int, leaves: int) -> bool:
        """Return whether a tree with this many leaves may take a k-way split."""
        return acceptable(self.procedure, k, leaves, self.budget, self.gamma)


@dataclass(frozen=True)
class Candidate:
    """The split that a leaf would take, with its score gain / price(k)."""

    leaf: Node
    split: Split
    score: float


@dataclass(frozen=True)
class Step:
    """One step of a run and what was considered; printed, it is a small report."""

    number: int
    leaf: Node
    split: Split
    score: float
    price: float
    value: float  # F of the leaf
    menu: dict[int, Split]  # the leaf's best split of each arity
    leaves_before: int
    total_before: float  # the sum of F over the leaves before the step
    considered: tuple[str, ...]  # a line for each leaf and each arity

    @property
    def best_binary(self) -> float | None:
        """The gain of the leaf's best binary split; None if it has none."""
        return self.menu[2].gain if 2 in self.menu else None

    def __repr__(self) -> str:
        conditions = " | ".join(self.split.describe(j) for j in range(self.split.arity))
        head = f"step {self.number}: split leaf {self.leaf.number} in {self.split.arity}"
        return "\n".join([f"{head}: {conditions}", *(f"  {line}" for line in self.considered)])


class Run:
    """A growth run on a sample, to be stepped through.

    Parameters
    ----------
    columns : mapping of str to sequence
        The cells of each column: numbers, or text for categories; None or NaN is missing.
    labels : sequence
        The class of each row.
    weights : sequence of numbers, default=None
        The weight of each row, read as a case count; None is 1 each. Whole numbers are summed
        exactly.
    **rules
        The fields of ``Rules``.

    Examples
    --------
    >>> run = Run({"x": [1, 2, 3, 4, 5, 6]}, list("nnyynn"), procedure="hatano", max_leaves=3)
    >>> run.step()
    step 1: split leaf 0 in 3: x <= 2.5 | 2.5 < x <= 4.5 | 4.5 < x
      1 of at most 3 leaves
      leaf 0: F = 5.333
        2 branches: gain 1.333, price 1, score 1.333
        3 branches: gain 5.333, price 2, score 2.667
        4 branches: gain 5.333, not acceptable
    >>> run.step() is None
    True
    >>> print(run)
    all: 4 n, 2 y
      x <= 2.5: 2 n
      2.5 < x <= 4.5: 2 y
      4.5 < x: 2 n
    >>> run.predict([{"x": 3.4}, {"x": None}])
    ['y', 'n']
    """

    def __init__(
        self, columns: Mapping[str, Any], labels: Any, weights: Any = None, **rules: Any
    ) -> None:
        self.rules = Rules(**rules)
        self.columns = [Column.of(name, cells) for name, cells in columns.items()]
        self.classes, codes = np.unique(np.asarray(labels), return_inverse=True)
        # A count vector for each row of the sample: its weight at the place of its class.
        ones = np.ones(len(codes), dtype=np.int64)
        self.counts = np.eye(len(self.classes), dtype=np.int64)[codes] * np.asarray(
            ones if weights is None else weights
        ).reshape(-1, 1)
        self.tree = self._node(0, 0, list(range(len(codes))))
        self.steps: list[Step] = []
        self._menus: dict[int, dict[int, Split]] = {}

    # ---- the box --------------------------------------------------------------------------

    def grow(self) -> Node:
        """Take steps until the budget is spent or no leaf can be split; return the root.

        >>> Run({"x": [0, 0, 1, 1], "y": [0, 1, 0, 1]}, [0, 1, 1, 0]).grow().split.gain  # XOR
        0.0
        """
        while self.step() is not None:
            pass
        return self.tree

    def step(self) -> Step | None:
        """Split one leaf and return what was done; None if the run is over.

        >>> run = Run({"x": [1, 2, 3]}, [0, 1, 0], max_leaves=2)
        >>> run.step().split.thresholds, run.step()
        ([1.5], None)
        """
        leaves = self.leaves
        if len(leaves) >= self.rules.budget:
            return None
        choose = self.steepest if self.rules.steepest else self.heaviest
        chosen = choose([leaf for leaf in leaves if not self.is_finished(leaf)])
        if chosen is None:
            return None
        step = self._record(chosen)
        self._replace(chosen.leaf, chosen.split)
        self.steps.append(step)
        return step

    def heaviest(self, leaves: list[Node]) -> Candidate | None:
        """Return the split of the leaf with the largest F; retire leaves that have none.

        Source: the argmax over p_l I(q_l) in all three boxes.
        """
        while leaves:
            most = max(self.value(leaf) for leaf in leaves)
            leaf = next(leaf for leaf in leaves if self.value(leaf) >= most - self._slack)
            candidate = self.candidate(leaf)
            if candidate is not None:
                return candidate
            leaf.retired = True
            leaves.remove(leaf)
        return None

    def steepest(self, leaves: list[Node]) -> Candidate | None:
        """Return the split with the largest gain / price(k) over all leaves.

        Source: CART's best-first rule with k - 1 for the price, the "naive linear return".
        """
        found = [c for leaf in leaves if (c := self.candidate(leaf)) is not None]
        most = max((c.score for c in found), default=0.0)
        tied = [c for c in found if c.score >= most - self._slack]
        families = self.rules.families.index
        return min(
            tied,
            key=lambda c: (c.split.arity, c.split.column, families(c.split.family), c.split.order),
            default=None,
        )

    def candidate(self, leaf: Node) -> Candidate | None:
        """Return the acceptable split of a leaf with the largest gain / price(k), or None.

        Source: the argmax over h "acceptable for T and s" of the boxes with k-way splits.
        """
        scores = {
            k: split.gain / self.rules.price(k)
            for k, split in self.menu(leaf).items()
            if self.rules.acceptable(k, len(self.leaves))
        }
        if not scores:
            return None
        slack = TIE * self.value(leaf)
        best = next(k for k, score in scores.items() if score >= max(scores.values()) - slack)
        split = self.menu(leaf)[best]
        if split.gain < self.rules.min_gain * self.weight:
            return None
        return Candidate(leaf, split, scores[best])

    # ---- the parts of the box -------------------------------------------------------------

    @property
    def leaves(self) -> list[Node]:
        """The leaves of the tree, oldest first."""
        return sorted(self.tree.leaves(), key=lambda leaf: leaf.number)

    @cached_property
    def weight(self) -> float:
        """The weight of the sample."""
        return float(self.counts.sum())

    @property
    def _slack(self) -> float:
        return TIE * self.value(self.tree)

    def value(self, node: Node) -> float:
        """Return F of a node's counts: the papers' p_l I(q_l), times the weight of the sample."""
        return float(self.rules.function(node.counts))

    def is_finished(self, leaf: Node) -> bool:
        """Return whether a leaf is pure or was retired."""
        return leaf.retired or bool(np.count_nonzero(leaf.counts) < 2)

    def menu(self, leaf: Node) -> dict[int, Split]:
        """Return the best split of each arity; empty if the limits allow none.

        >>> run = Run({"x": [1, 2, 3]}, [0, 1, 0])
        >>> {k: split.thresholds for k, split in run.menu(run.tree).items()}
        {2: [1.5], 3: [1.5, 2.5]}
        """
        rules = self.rules
        too_deep = rules.max_depth is not None and leaf.depth >= rules.max_depth
        if too_deep or len(leaf.rows) < rules.min_samples_split:
            return {}
        if leaf.number not in self._menus:
            limits = Limits(
                rules.function,
                tuple(rules.families),
                rules.max_arity,
                rules.min_samples_leaf,
                rules.min_weight_fraction_leaf * self.weight * (1 - TIE),
            )
            self._menus[leaf.number] = menu(self.columns, leaf.rows, self.counts, limits)
        return self._menus[leaf.number]

    def _node(self, number: int, depth: int, rows: list[int]) -> Node:
        return Node(number, depth, rows, self.counts[rows].sum(axis=0))

    def _replace(self, leaf: Node, split: Split) -> None:
        """Replace a leaf by a split: its rows go to new leaves, numbered on from the last."""
        number = 1 + sum(step.split.arity for step in self.steps)
        cells = self.columns[split.column].cells
        for j in range(split.arity):
            rows = [r for r in leaf.rows if split.branch(cells[r]) == j]
            leaf.children.append(self._node(number + j, leaf.depth + 1, rows))
        leaf.split = split

    def _record(self, chosen: Candidate) -> Step:
        n, k = len(self.leaves), chosen.split.arity
        lines = [f"{n} of at most {self.rules.max_leaves} leaves"] if self.rules.max_leaves else []
        for leaf in self.leaves if self.rules.steepest else [chosen.leaf]:
            lines += self._considered(leaf, n)
        return Step(
            number=len(self.steps) + 1,
            leaf=chosen.leaf,
            split=chosen.split,
            score=chosen.score,
            price=self.rules.price(k),
            value=self.value(chosen.leaf),
            menu=self.menu(chosen.leaf),
            leaves_before=n,
            total_before=sum(map(self.value, self.leaves)),
            considered=tuple(lines),
        )

    def _considered(self, leaf: Node, n_leaves: int) -> Iterator[str]:
        finished = ", finished" if self.is_finished(leaf) else ""
        yield f"leaf {leaf.number}: F = {self.value(leaf):.4g}{finished}"
        for k, split in {} if finished else self.menu(leaf).items():
            cost = self.rules.price(k)
            score = f"price {cost:.4g}, score {split.gain / cost:.4g}"
            words = score if self.rules.acceptable(k, n_leaves) else "not acceptable"
            yield f"  {k} branches: gain {split.gain:.4g}, {words}"

    # ---- reading the outcome --------------------------------------------------------------

    def predict(self, rows: Any) -> list[Any]:
        """Return the majority class of the leaf that each row reaches; ties go to the lower class.

        >>> run = Run({"x": [1, 2, 3]}, ["a", "b", "b"])
        >>> _ = run.grow()
        >>> run.predict([{"x": 0}, {"x": 5}])
        ['a', 'b']
        """
        return [self.classes[self.tree.leaf(row).counts.argmax()].item() for row in rows]

    @property
    def tree_index(self) -> float:
        """I(T): the sum of F over the leaves, as a share of the weight of the sample."""
        return sum(map(self.value, self.leaves)) / self.weight

    @property
    def gamma(self) -> float:
        """The largest gamma for which the run is gamma-boosting; nan if the theorem asks for more.

        Heaviest order: the smallest advantage / price of a step; ``mansour-mcallester`` counts on
        its own gamma, which every advantage / price must reach. Steepest order: the smallest
        gain / (k - 1) of a step, as a share of the mean F of the leaves before it.

        Source: "gamma-boosting" in section 4 of Mansour and McAllester (1999).

        >>> run = Run({"x": [1, 2, 3, 4]}, [0, 1, 0, 0], procedure="hatano")
        >>> _ = run.grow()
        >>> [round(s.split.gain / s.value / s.price, 3) for s in run.steps], round(run.gamma, 3)
        ([0.5], 0.5)
        """
        if not self.steps:
            return nan
        if self.rules.steepest:
            return min(
                s.split.gain / (s.split.arity - 1) / (s.total_before / s.leaves_before)
                for s in self.steps
            )
        least = min(s.split.gain / s.value / s.price for s in self.steps)
        if self.rules.gamma is not None:
            return self.rules.gamma if least >= self.rules.gamma - TIE else nan
        return least

    @property
    def bound(self) -> float:
        """The theorem's upper bound on I(T), given ``gamma`` and the size s of the tree.

        I(root) phi(s) for ``hatano`` and ``kearns-mansour`` in heaviest order: theorem 4 of Hatano
        (2004). I(root) e(s) for ``mansour-mcallester``: theorem 4.1 of Mansour and McAllester
        (1999), and for the steepest order by the induction of their theorem 3.2. The theorems
        assume that no leaf was retired and that every arity was acceptable for the final size.

        >>> run = Run({"x": [1, 2, 3, 4]}, [0, 1, 0, 1], procedure="kearns-mansour")
        >>> _ = run.grow()
        >>> run.tree_index <= run.bound
        True
        """
        uses_e = self.rules.steepest or self.rules.procedure == "mansour-mcallester"
        decrease = (e if uses_e else phi)(len(self.leaves), self.gamma)
        return self.value(self.tree) / self.weight * decrease

    def __str__(self) -> str:
        return "\n".join(self._lines(self.tree, "all", ""))

    def _lines(self, node: Node, condition: str, indent: str) -> Iterator[str]:
        counts = zip(node.counts, self.classes, strict=True)
        held = ", ".join(f"{count:g} {label}" for count, label in counts if count)
        yield f"{indent}{condition}: {held}"
        for j, child in enumerate(node.children):
            assert node.split is not None
            yield from self._lines(child, node.split.describe(j), indent + "  ")
