"""Constraints on the columns that a tree asks about, and on the branches of its splits."""

from collections.abc import Sequence, Set
from dataclasses import dataclass, fields, replace

from polytomy._errors import ParameterError

from .tree import LEAF, Tree


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Constraints:
    """What a tree must observe besides the limits of its size. Columns are given by position.

    Parameters
    ----------
    never : tuple of int, default=()
        Columns that no split may be on, ascending.
    first : tuple of int, default=()
        Columns that are asked before any other, ascending: on every path, as long as one of them
        that has not been asked has a split that gains, a node splits on such a column.
    after : tuple of tuples of int, default=()
        For each column, those of which one must be asked above it; an empty one if it is free.
        Empty if all are.
    costs : tuple of float, default=()
        For each column, what the first question about it on a path costs more, for all rows; empty
        if nothing. It is a share of what ``cost_unit`` says, and taken off the gain.
    cost_unit : float or None, default=None
        What costs are shares of, itself as a share of the root's impurity, if prices choose the
        tree after it is grown. None if they do not: then costs are shares of the root's impurity,
        and no split gains less than its column costs.
    min_child_share : float, default=0.0
        The least weight of a branch, as a share of its node's.
    min_difference : float, default=0.0
        The least difference of the value of neighbouring branches: the share of the second class,
        or the mean of a numeric target. Neighbours are ranges that follow each other, and groups of
        categories in the order of their values.
    """

    never: tuple[int, ...] = ()
    first: tuple[int, ...] = ()
    after: tuple[tuple[int, ...], ...] = ()
    costs: tuple[float, ...] = ()
    cost_unit: float | None = None
    min_child_share: float = 0.0
    min_difference: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.min_child_share <= 0.5:
            raise ParameterError(
                f"min_child_share must be a number from 0 to 0.5, got {self.min_child_share!r}"
            )
        if not 0 <= self.min_difference < float("inf"):
            raise ParameterError(
                f"min_difference must be a number of at least 0, got {self.min_difference!r}"
            )
        if not all(0 <= cost < float("inf") for cost in (*self.costs, self.cost_unit or 0)):
            raise ParameterError(f"costs must be numbers of at least 0, got {self.costs!r}")

    @property
    def on_paths(self) -> bool:
        """Whether what a node may ask depends on the columns asked above it."""
        return bool(self.first or self.after or self.costs)

    @property
    def on_branches(self) -> bool:
        """Whether the branches of a split are constrained, so that contraction may break it."""
        return self.min_child_share > 0 or self.min_difference > 0

    @property
    def is_empty(self) -> bool:
        """Whether nothing is constrained."""
        return not (self.never or self.on_paths or self.on_branches)

    def below(self, asked: Set[int]) -> "Constraints":
        """Return what a tree must observe whose root lies below questions about some columns.

        Parameters
        ----------
        asked : set of int
            The columns.

        Returns
        -------
        Constraints
            The constraints: columns that have been asked cost nothing, and do not come first.

        Examples
        --------
        >>> Constraints(first=(0, 1), after=((), (), (0, 1))).below({0})
        Constraints(first=(1,))
        """
        after = tuple(() if any(j in asked for j in needed) else needed for needed in self.after)
        costs = tuple(0.0 if j in asked else cost for j, cost in enumerate(self.costs))
        return replace(
            self,
            first=tuple(j for j in self.first if j not in asked),
            after=after if any(after) else (),
            costs=costs if any(costs) else (),
        )

    def on_columns(self, columns: Sequence[int]) -> "Constraints":
        """Return the constraints for a table that has only some of the columns.

        Parameters
        ----------
        columns : sequence of int
            The columns, in the order in which the other table has them.

        Returns
        -------
        Constraints
            The constraints. A column that waits for none of them is never asked.

        Examples
        --------
        >>> Constraints(never=(0,), after=((), (), (1,))).on_columns([0, 2])
        Constraints(never=(0, 1))
        """
        place = {j: i for i, j in enumerate(columns)}
        waits = [self.after[j] if self.after else () for j in columns]
        after = [tuple(sorted(place[j] for j in needed if j in place)) for needed in waits]
        lost = {i for i, needed in enumerate(waits) if needed and not after[i]}
        return replace(
            self,
            never=tuple(sorted(lost.union(place[j] for j in self.never if j in place))),
            first=tuple(sorted(place[j] for j in self.first if j in place)),
            after=tuple(after) if any(after) else (),
            costs=tuple(self.costs[j] for j in columns) if self.costs else (),
        )

    def __repr__(self) -> str:
        stated = (
            f"{f.name}={getattr(self, f.name)!r}"
            for f in fields(self)
            if getattr(self, f.name) != f.default
        )
        return f"Constraints({', '.join(stated)})"


UNCONSTRAINED = Constraints()
"""No constraints."""


def asked_above(tree: Tree, node: int) -> set[int]:
    """Return the columns of the splits above a node.

    Parameters
    ----------
    tree : Tree
        The tree.
    node : int
        The node.

    Returns
    -------
    set of int
        The columns; -1 for a split by a family of your own.
    """
    columns = set()
    while (node := int(tree.parent[node])) >= 0:
        columns.add(int(tree.feature[node]))
    return columns


def first_questions(tree: Tree) -> list[int]:
    """Return the nodes that split on a column that no node above them splits on.

    Parameters
    ----------
    tree : Tree
        The tree.

    Returns
    -------
    list of int
        The nodes.
    """
    return [
        node
        for node in range(tree.n_nodes)
        if tree.kind[node] != LEAF
        and tree.feature[node] >= 0
        and int(tree.feature[node]) not in asked_above(tree, node)
    ]
