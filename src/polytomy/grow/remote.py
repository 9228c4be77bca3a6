"""Rows that are elsewhere: on other machines, or in a database.

A fit on such rows needs their schema, some facts about the target, a source of histograms, and a
few rows in this process, for what is decided on samples. It gives the tree that the same rows would
give in memory, bit for bit.
"""

from dataclasses import dataclass
from typing import Protocol

from polytomy._types import FloatArray, IntArray
from polytomy.encode import Coded, GroupSums, NumberScale, NumericTarget, Schema, Target, decoded
from polytomy.predict import apply
from polytomy.tree import Tree

from .source import NodeSource


@dataclass(frozen=True, slots=True, eq=False)
class TargetFacts:
    """What a fit must know of a target besides histograms.

    Parameters
    ----------
    n_rows : int
        The number of rows.
    counts : int64 array
        The units of each class, or of both components of a numeric target.
    unit : float
        The weight of one unit.
    weighted : bool
        Whether rows have weights other than one unit.
    impurity_unit : float
        The impurity that one unit of it in the kernels stands for.
    scale : NumberScale or None, default=None
        How the numbers of a numeric target become components; None for classes.
    """

    n_rows: int
    counts: IntArray
    unit: float
    weighted: bool
    impurity_unit: float
    scale: NumberScale | None = None

    @classmethod
    def of(cls, target: Target) -> "TargetFacts":
        """Return the facts of a target in memory.

        Parameters
        ----------
        target : Target
            The target.

        Returns
        -------
        TargetFacts
            The facts.
        """
        return cls(
            target.n_rows,
            target.total(),
            target.unit,
            target.units is not None,
            target.impurity_unit,
            target.scale if isinstance(target, NumericTarget) else None,
        )

    @property
    def n_classes(self) -> int:
        """The number of classes or components."""
        return len(self.counts)

    @property
    def n_cases(self) -> int:
        """The number of rows, none of which is synthetic."""
        return self.n_rows

    def total(self) -> IntArray:
        """Return the units of each class over all rows.

        Returns
        -------
        int64 array
            ``counts``.
        """
        return self.counts


class RemoteRows(Protocol):
    """Encoded rows that are elsewhere, with their target. Rows are numbered from 0."""

    @property
    def schema(self) -> Schema:
        """The columns, as ``encode`` would describe them if the rows were in memory."""

    @property
    def target(self) -> TargetFacts:
        """The facts of the target."""

    def source(self) -> NodeSource:
        """Return a new source of histograms.

        Returns
        -------
        NodeSource
            The source; its node 0 holds all rows.
        """

    def take(self, rows: IntArray | None) -> tuple[Coded, Target]:
        """Return the codes and the target of a few rows.

        Parameters
        ----------
        rows : int64 array or None
            Row numbers, in ascending order; None for all rows, in any order.

        Returns
        -------
        Coded
            The codes.
        Target
            The target.
        """

    def moments(self, tree: Tree) -> FloatArray:
        """Return the moments of the rows at each leaf of a tree grown on them.

        Parameters
        ----------
        tree : Tree
            The tree.

        Returns
        -------
        ndarray of shape (n_nodes, 3 or 4)
            The moments; those of inner nodes are zero. See ``NumericTarget.moments``.
        """


def moment_sums(tree: Tree, coded: Coded, target: NumericTarget, threads: int = 1) -> GroupSums:
    """Return the moments of some rows at the leaves of a tree, as sums that can be added.

    Parameters
    ----------
    tree : Tree
        The tree.
    coded : Coded
        The codes of these rows.
    target : NumericTarget
        Their numbers, on the scale of all rows.
    threads : int, default=1
        The number of threads.

    Returns
    -------
    GroupSums
        The sums; see ``NumericTarget.moments``.
    """
    leaf = apply(tree, coded.schema, decoded(coded), threads)
    return target.moment_sums(leaf, tree.n_nodes)
