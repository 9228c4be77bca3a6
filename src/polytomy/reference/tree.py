"""The tree: nodes that hold their rows, and once split, their children."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .splits import Split, none_if_nan


@dataclass(eq=False)
class Node:
    """A node of the tree. Nodes are numbered in the order in which they are created.

    Attributes
    ----------
    number : int
        The number, 0 for the root.
    depth : int
        The depth, 0 for the root.
    rows : list of int
        The rows of the sample that reach the node.
    counts : ndarray
        The count vector.
    split : Split or None
        The split; None for a leaf.
    children : list of Node
        The children; empty for a leaf.
    retired : bool
        Whether the node is a leaf without an acceptable split.
    key : int
        The key of its random draws.
    """

    number: int
    depth: int
    rows: list[int]
    counts: NDArray[Any]
    split: Split | None = None
    children: list["Node"] = field(default_factory=list)
    retired: bool = False
    key: int = 0

    @property
    def pure(self) -> bool:
        """Whether all rows are of one class."""
        return int(np.count_nonzero(self.counts)) < 2

    def leaves(self) -> Iterator["Node"]:
        """Yield the leaves below this node, or the node itself if it is a leaf.

        Yields
        ------
        Node
            The next leaf.
        """
        if self.split is None:
            yield self
        for child in self.children:
            yield from child.leaves()

    def leaf(self, row: Mapping[str, Any]) -> "Node":
        """Return the leaf that a row reaches.

        Parameters
        ----------
        row : mapping
            The cell of each column by name.

        Returns
        -------
        Node
            The leaf.

        Examples
        --------
        >>> from polytomy.reference import Run
        >>> tree = Run({"x": [1, 2, 3, 4]}, ["a", "a", "b", "b"]).grow()
        >>> tree.leaf({"x": 2.4}).number, tree.leaf({"x": 2.6}).number
        (1, 2)
        """
        node = self
        while node.split is not None:
            cell = none_if_nan(row.get(node.split.name))
            node = node.children[node.split.branch(cell)]
        return node

    def lines(self, classes: Any, condition: str = "all", indent: str = "") -> Iterator[str]:
        """Yield the subtree as text, a line for each node.

        Parameters
        ----------
        classes : sequence
            The names of the classes.
        condition : str, default="all"
            The condition of the branch to this node.
        indent : str, default=""
            The text before each line.

        Yields
        ------
        str
            The next line.

        Examples
        --------
        >>> from polytomy.reference import Run
        >>> tree = Run({"x": [1, 2, 3, 4]}, ["a", "a", "b", "b"]).grow()
        >>> list(tree.lines(["a", "b"]))
        ['all: 2 a, 2 b', '  x <= 2.5: 2 a', '  2.5 < x: 2 b']
        """
        counts = zip(self.counts, classes, strict=True)
        yield f"{indent}{condition}: " + ", ".join(f"{n:g} {label}" for n, label in counts if n)
        for j, child in enumerate(self.children):
            assert self.split is not None
            yield from child.lines(classes, self.split.describe(j), indent + "  ")
