"""The growth loop: one leaf becomes a node with k leaves, until the tree has s leaves.

    T = one leaf
    while leaves(T) < s:
        leaf  = the leaf with the largest F(c)              (leaf_order="heaviest", as published)
        split = the acceptable split of that leaf with the largest gain / price(k)
        T     = T with the leaf replaced by the split
    leaf_order="steepest": instead, the split with the largest gain / price(k) of all leaves
    procedure="priced": gains are net of charges, and a branch price may decide on k
    procedure="id3": the largest gain of all; "gain-ratio": the largest gain ratio of the leaf

Sources: with binary splits, the procedure in section 3 of Mansour and McAllester (1999) and figure
1 of Hatano (2004); with k-way splits, section 4 of Mansour and McAllester and figure 2 of Hatano
(TOPDOWN-M). ``Run`` has the tree T; ``Run.step`` is the body of the loop.

The boxes leave some details open. A pure leaf is never split. A leaf without an acceptable split is
retired, and in heaviest order the next one takes its place. A split without gain is taken anyway,
because the next one may have a gain (XOR). Scores that differ by rounding only are ties, which go
to the smaller arity, then the lower column, the family listed first, the lower cut, and the older
leaf.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from .draws import child_key, column_order, mix
from .gain_ratio import ratio_menu
from .index import TIE, first_largest
from .procedures import EVIDENCE, Rules
from .splits import Column, Limits, Split, menu
from .tree import Node


@dataclass(frozen=True)
class Candidate:
    """The best acceptable split of a leaf.

    Attributes
    ----------
    leaf : Node
        The leaf.
    split : Split
        The split.
    score : float
        Its gain / price(k), or its worth / price(k).
    """

    leaf: Node
    split: Split
    score: float


@dataclass(frozen=True)
class Step:
    """One step of a run. Printing it shows the splits that were considered.

    Attributes
    ----------
    number : int
        The number of the step, from 1.
    leaf : Node
        The leaf that was split.
    split : Split
        The split.
    menu : dict from int to Split
        The leaf's best split of each arity.
    leaf_value : float
        F of the leaf.
    leaves_before : int
        The number of leaves before the step: the papers' ``|T|``.
    total_before : float
        The sum of F over these leaves.
    best_binary : float or None
        The largest gain of a binary split of the leaf, charged or not; None if it has none.
    considered : str
        The leaves and splits that were considered, as text.
    """

    number: int
    leaf: Node
    split: Split
    menu: dict[int, Split]
    leaf_value: float
    leaves_before: int
    total_before: float
    best_binary: float | None
    considered: str

    def __repr__(self) -> str:
        conditions = " | ".join(self.split.describe(j) for j in range(self.split.arity))
        head = f"step {self.number}: split leaf {self.leaf.number} in {self.split.arity}"
        return f"{head}: {conditions}\n{self.considered}"


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
    unit : float, default=1.0
        The cases that a weight of 1 stands for, if weights were scaled to whole numbers.
    **rules
        The fields of ``Rules``.

    Examples
    --------
    >>> run = Run({"x": [1, 2, 3, 4, 5, 6]}, list("nnyynn"), procedure="hatano", max_leaves=3)
    >>> run.step()
    step 1: split leaf 0 in 3: x <= 2.5 | 2.5 < x <= 4.5 | 4.5 < x
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
        self,
        columns: Mapping[str, Any],
        labels: Any,
        weights: Any = None,
        unit: float = 1.0,
        **rules: Any,
    ) -> None:
        self.rules = Rules(**rules)
        self.columns = [Column.of(name, cells) for name, cells in columns.items()]
        self.classes, codes = np.unique(np.asarray(labels), return_inverse=True)
        # A count vector for each row of the sample: its weight at the place of its class.
        weights = np.ones(len(codes), dtype=np.int64) if weights is None else np.asarray(weights)
        self.counts = np.eye(len(self.classes), dtype=np.int64)[codes] * weights[:, np.newaxis]
        self.weight = float(self.counts.sum())
        # Weights are case counts, unless they add up to less than the number of rows.
        self.cases_per_weight = max(unit, len(self.counts) / self.weight)
        key = mix(self.rules.seed)
        self.tree = Node(0, 0, list(range(len(codes))), self.counts.sum(axis=0), key=key)
        self.steps: list[Step] = []
        self._menus: dict[int, dict[int, Split]] = {}
        self._drawn: dict[int, list[int]] = {}  # columns, by the number of the leaf

    # ---- the box -------------------------------------------------------------------------------

    def grow(self) -> Node:
        """Take steps until the budget is spent or no leaf can be split.

        Returns
        -------
        Node
            The root of the tree.

        Examples
        --------
        >>> Run({"x": [0, 0, 1, 1], "y": [0, 1, 0, 1]}, [0, 1, 1, 0]).grow().split.gain  # XOR
        0.0
        """
        while self.step() is not None:
            pass
        return self.tree

    def step(self) -> Step | None:
        """Replace one leaf by a split.

        Returns
        -------
        Step or None
            The step; None if the run is over.

        Examples
        --------
        >>> run = Run({"x": [1, 2, 3]}, [0, 1, 0], max_leaves=2)
        >>> run.step().split.thresholds, run.step()
        ([1.5], None)
        """
        if len(self.leaves) >= self.rules.budget:
            return None
        chosen = self.steepest() if self.rules.steepest else self.heaviest()
        if chosen is None:
            return None
        self.steps.append(self._record(chosen))
        self._replace(chosen.leaf, chosen.split)
        return self.steps[-1]

    def heaviest(self) -> Candidate | None:
        """Return the best split of the leaf with the largest F; leaves without a split are retired.

        Source: the argmax over p_l I(q_l) in all three boxes.

        Returns
        -------
        Candidate or None
            The leaf and its split; None if no leaf can be split.

        Examples
        --------
        >>> run = Run({"x": [1, 2, 3, 4, 5]}, list("yynyn"), procedure="kearns-mansour")
        >>> _ = run.step()
        >>> [(leaf.number, round(run.value(leaf), 3)) for leaf in run.leaves]
        [(1, 0.0), (2, 2.667)]
        >>> run.heaviest().leaf.number
        2
        """
        while leaves := self.open_leaves:
            most = max(self.value(leaf) for leaf in leaves)
            slack = TIE * self.value(self.tree)
            leaf = next(leaf for leaf in leaves if self.value(leaf) >= most - slack)
            if (candidate := self.candidate(leaf)) is not None:
                return candidate
            leaf.retired = True
        return None

    def steepest(self) -> Candidate | None:
        """Return the split with the largest gain / price(k) over all leaves.

        Source: CART's best-first rule with k - 1 for the price, the leaves that a split adds.

        Returns
        -------
        Candidate or None
            The leaf and its split; None if no leaf can be split.

        Examples
        --------
        >>> run = Run({"x": [1, 2, 3, 4, 5, 6]}, list("nnyynn"))
        >>> chosen = run.steepest()
        >>> chosen.split.thresholds, round(chosen.score, 3)  # 5.333 for two more leaves
        ([2.5, 4.5], 2.667)
        """
        found = [c for leaf in self.open_leaves if (c := self.candidate(leaf)) is not None]
        most = max((c.score for c in found), default=0.0)
        slack = TIE * self.value(self.tree)
        place = self.rules.families.index
        return min(
            (c for c in found if c.score >= most - slack),
            key=lambda c: (c.split.arity, c.split.column, place(c.split.family), c.split.order),
            default=None,
        )

    def candidate(self, leaf: Node) -> Candidate | None:
        """Return the acceptable split of a leaf with the largest gain / price(k).

        With a branch price b: the one with the largest worth - b (k - 1). By ``gain-ratio``: the
        one with the largest merit.

        Source: the argmax over h "acceptable for T and s" in the boxes with k-way splits.

        Parameters
        ----------
        leaf : Node
            The leaf.

        Returns
        -------
        Candidate or None
            The split; None if the leaf has no acceptable split.

        Examples
        --------
        >>> columns, labels = {"x": [1, 2, 3, 4, 5, 6]}, list("nnyynn")
        >>> [Run(columns, labels, max_leaves=s).candidate(Run(columns, labels).tree).split.arity
        ...  for s in (2, 3)]
        [2, 3]
        """
        fits = [s for k, s in self.menu(leaf).items() if self.rules.acceptable(k, len(self.leaves))]
        if not fits:
            return None
        b = self.branch_price(leaf)
        values = [self.score(s) if b is None else s.worth - b * (s.arity - 1) for s in fits]
        if self.rules.procedure == "gain-ratio":
            values = [s.merit for s in fits]
        slack = TIE * self.value(leaf)
        split = next(s for s, v in zip(fits, values, strict=True) if v >= max(values) - slack)
        if split.gain < self.rules.min_gain * self.weight:
            return None
        return Candidate(leaf, split, self.score(split))

    # ---- the parts of the box ------------------------------------------------------------------

    @property
    def leaves(self) -> list[Node]:
        """The leaves of the tree, oldest first."""
        return sorted(self.tree.leaves(), key=lambda leaf: leaf.number)

    @property
    def open_leaves(self) -> list[Node]:
        """The leaves that may still be split: neither pure nor retired."""
        return [leaf for leaf in self.leaves if not leaf.pure and not leaf.retired]

    def value(self, node: Node) -> float:
        """Return F of a node's counts: the papers' p_l I(q_l), times the weight of the sample.

        Parameters
        ----------
        node : Node
            The node.

        Returns
        -------
        float
            F.

        Examples
        --------
        >>> run = Run({"x": [1, 2, 3, 4]}, [0, 1, 0, 1], index="entropy")
        >>> run.value(run.tree)
        4.0
        """
        return float(self.rules.function(node.counts))

    def score(self, split: Split) -> float:
        """Return the worth of a split by its price, or the worth itself if it is negative.

        Parameters
        ----------
        split : Split
            The split.

        Returns
        -------
        float
            The score.

        Examples
        --------
        >>> run = Run({"x": [1, 2, 3]}, [0, 1, 0])
        >>> {k: round(run.score(split), 3) for k, split in run.menu(run.tree).items()}
        {2: 0.667, 3: 1.333}
        """
        return split.worth / self.rules.price(split.arity) if split.worth > 0 else split.worth

    def branch_price(self, leaf: Node) -> float | None:
        """Return what a branch must add at a leaf, in units of the gain; None without such a price.

        It is at least ``EVIDENCE`` times F / cases, which is what a branch gains on average if the
        column says nothing about the class.

        Parameters
        ----------
        leaf : Node
            The leaf.

        Returns
        -------
        float or None
            The branch price.

        Examples
        --------
        >>> columns, labels = {"x": [1, 2, 3, 4, 5, 6, 7, 8]}, list("nnyyynnn")
        >>> wide, free = (Run(columns, labels, procedure="priced", branch_price=b) for b in (1, 0))
        >>> wide.branch_price(wide.tree), free.branch_price(free.tree)  # 1 for each row; 8 F / rows
        (8.0, 7.5)
        """
        if self.rules.branch_price is None:
            return None
        by_chance = self.value(leaf) / (float(leaf.counts.sum()) * self.cases_per_weight)
        return max(self.rules.branch_price * self.weight, EVIDENCE * by_chance)

    def menu(self, leaf: Node) -> dict[int, Split]:
        """Return the best split of each arity of a leaf.

        Parameters
        ----------
        leaf : Node
            The leaf.

        Returns
        -------
        dict from int to Split
            The splits by arity; empty if the limits allow no split.

        Examples
        --------
        >>> run = Run({"x": [1, 2, 3]}, [0, 1, 0])
        >>> {k: split.thresholds for k, split in run.menu(run.tree).items()}
        {2: [1.5], 3: [1.5, 2.5]}
        """
        rules = self.rules
        too_deep = rules.max_depth is not None and leaf.depth >= rules.max_depth
        if too_deep or len(leaf.rows) < rules.min_samples_split:
            return {}
        if leaf.number not in self._menus:
            limits = self._limits(rules.range_arity, rules.procedure == "priced")
            by_ratio = partial(ratio_menu, cases_per_weight=self.cases_per_weight)
            search = by_ratio if rules.procedure == "gain-ratio" else menu
            for drawn in self.draws(leaf):
                self._drawn[leaf.number] = drawn
                found = search(self.columns, leaf.rows, self.counts, limits, drawn)
                self._menus[leaf.number] = found
                if any(rules.acceptable(k, len(self.leaves)) for k in found):
                    break
        return self._menus[leaf.number]

    def draws(self, leaf: Node) -> Iterator[list[int]]:
        """Yield the columns that a leaf draws, then the further ones, one at a time.

        Parameters
        ----------
        leaf : Node
            The leaf.

        Yields
        ------
        list of int
            The positions of the columns to search.

        Examples
        --------
        >>> columns = {name: [1, 2, 3] for name in "abcd"}
        >>> run = Run(columns, [0, 1, 0], columns_per_node=2)
        >>> list(run.draws(run.tree))
        [[0, 2], [3], [1]]
        """
        kinds = {True: "intervals" in self.rules.families, False: len(self._nominal_families) > 0}
        columns = [j for j, column in enumerate(self.columns) if kinds[column.ordered]]
        first = self.rules.columns_per_node
        if first is None or first >= len(columns):
            yield columns
            return
        order = column_order(leaf.key, columns)
        yield order[:first]
        yield from ([j] for j in order[first:])

    def best_binary(self, leaf: Node) -> float | None:
        """Return the largest gain of a binary split of a leaf, charged or not.

        Parameters
        ----------
        leaf : Node
            The leaf.

        Returns
        -------
        float or None
            The gain; None if the leaf has no binary split.

        Examples
        --------
        >>> run = Run({"x": [1, 2, 3]}, [0, 1, 0])
        >>> round(run.best_binary(run.tree), 3)
        0.667
        """
        free = self.menu(leaf)
        if 2 in free and self.rules.procedure in ("priced", "gain-ratio"):
            limits = self._limits(2, charged=False)
            free = menu(self.columns, leaf.rows, self.counts, limits, self._drawn[leaf.number])
        return free[2].gain if 2 in free else None

    @property
    def _nominal_families(self) -> set[str]:
        return {"values", "groups"} & set(self.rules.families)

    def _limits(self, max_arity: int, charged: bool) -> Limits:
        least = self.rules.min_weight_fraction_leaf * self.weight * (1 - TIE)
        families, fewest = tuple(self.rules.families), self.rules.min_samples_leaf
        cases = self.cases_per_weight if charged else None
        return Limits(self.rules.function, families, max_arity, fewest, least, cases)

    def _replace(self, leaf: Node, split: Split) -> None:
        """Replace a leaf by a split: its rows go to new leaves, numbered on from the last."""
        number = max(leaf.number for leaf in self.leaves) + 1
        cells = self.columns[split.column].cells
        for j, counts in enumerate(split.children):
            rows = [r for r in leaf.rows if split.branch(cells[r]) == j]
            key = child_key(leaf.key, j)
            leaf.children.append(Node(number + j, leaf.depth + 1, rows, counts, key=key))
        leaf.split = split

    def _record(self, chosen: Candidate) -> Step:
        return Step(
            number=len(self.steps) + 1,
            leaf=chosen.leaf,
            split=chosen.split,
            menu=self.menu(chosen.leaf),
            leaf_value=self.value(chosen.leaf),
            leaves_before=len(self.leaves),
            total_before=sum(map(self.value, self.leaves)),
            best_binary=self.best_binary(chosen.leaf),
            considered="\n".join(self._considered(chosen.leaf)),
        )

    def _considered(self, chosen: Node) -> Iterator[str]:
        """Yield a line for each leaf, and one for each split that was scored."""
        for leaf in self.leaves:
            state = ", pure" if leaf.pure else ", retired" if leaf.retired else ""
            yield f"  leaf {leaf.number}: F = {self.value(leaf):.4g}{state}"
            scored = leaf is chosen or (self.rules.steepest and not state)
            for k, split in self.menu(leaf).items() if scored else ():
                charge = f", charge {split.charge:.4g}" if split.charge else ""
                score = f"price {self.rules.price(k):.4g}, score {self.score(split):.4g}"
                fits = self.rules.acceptable(k, len(self.leaves))
                words = score if fits else "not acceptable"
                yield f"    {k} branches: gain {split.gain:.4g}{charge}, {words}"

    # ---- reading the tree ----------------------------------------------------------------------

    def predict(self, rows: Any) -> list[Any]:
        """Return the predicted classes: majorities of leaves, the lower class on a tie.

        Parameters
        ----------
        rows : iterable of mappings
            The cell of each column by name.

        Returns
        -------
        list
            The classes.

        Examples
        --------
        >>> run = Run({"x": [1, 2, 3]}, ["a", "b", "b"])
        >>> _ = run.grow()
        >>> run.predict([{"x": 0}, {"x": 5}])
        ['a', 'b']
        """
        return [self.classes[first_largest(self.tree.leaf(row).counts)].item() for row in rows]

    @property
    def tree_index(self) -> float:
        """I(T): the sum of F over the leaves, as a share of the weight of the sample.

        >>> run = Run({"x": [1, 2, 3, 4]}, [0, 1, 0, 1], max_leaves=3)
        >>> _ = run.grow()
        >>> run.tree_index
        0.5
        """
        return sum(map(self.value, self.leaves)) / self.weight

    def __str__(self) -> str:
        return "\n".join(self.tree.lines(self.classes))
