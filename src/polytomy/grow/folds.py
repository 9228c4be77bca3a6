"""A tree grown and pruned without one fold, and the rows of that fold at its leaves."""

from typing import NamedTuple

from polytomy import kernels
from polytomy._errors import FamilyError, TargetError
from polytomy._types import BranchArray, IntArray
from polytomy.encode import Coded, Target
from polytomy.index import Index
from polytomy.theory import Prices, impurity_share

from .families import FamilySet
from .params import GrowParams
from .rules import Tuning, cases_per_unit, engine_rules, span_of, target_arguments
from .source import Layout


class FoldCounts(NamedTuple):
    """The pruned tree by its own node numbers, parents first, in integer units.

    Parameters
    ----------
    counts : int64 array of shape (nodes, classes)
        The units of each class among the training rows of each node.
    parent : int32 array
        The parent of each node; -1 for the root.
    leaves : int32 array
        The node numbers of the leaves.
    held_out : int64 array of shape (leaves, classes)
        The units of each class among the fold's rows at each leaf.
    leaf_of_row : int32 array
        The leaf of each row, of all folds; empty unless the target is numeric.
    """

    counts: IntArray
    parent: BranchArray
    leaves: BranchArray
    held_out: IntArray
    leaf_of_row: BranchArray


class Folds:
    """Grows trees without one fold at a time, and prunes them at two prices.

    Parameters
    ----------
    coded : Coded
        The codes of all rows.
    target : Target
        Their classes and weights, or numbers.
    fold : int32 array
        The fold of each row.
    params : GrowParams
        How to grow; users' own families are refused.
    index : Index
        The index function.
    threads : int, default=1
        The number of threads.
    """

    def __init__(
        self,
        coded: Coded,
        target: Target,
        fold: BranchArray,
        params: GrowParams,
        index: Index,
        threads: int = 1,
    ) -> None:
        families = FamilySet(params.families, coded.schema, params.constraints.never)
        if families.has_own:
            raise FamilyError("users' own families need the raw table")
        if coded.n_rows != target.n_rows or len(fold) != target.n_rows:
            raise TargetError("there must be one class and one fold for each row")
        layout = Layout.of(coded.schema)
        bin_low, bin_high = coded.schema.bin_edges(layout.code_start)
        cases = cases_per_unit(target)
        self._arguments = (
            coded.code_table(),
            layout.code_start,
            layout.has_missing,
            *target_arguments(target),
            families.arguments(),
            engine_rules(
                params,
                coded.n_rows,
                Tuning(threads=threads),
                cases,
                target.impurity_unit / target.unit or 1.0,
                target.n_classes,
                span_of(target),
            ),
            index.kernel,
            bin_low,
            bin_high,
            fold,
        )
        self._n_classes = target.n_classes
        self._share = impurity_share(index)

    def without(
        self, which: int, prices: Prices, most: int, *, contract: bool, merge: bool = True
    ) -> FoldCounts:
        """Return the tree that is grown without a fold, pruned to the least cost.

        Parameters
        ----------
        which : int
            The fold.
        prices : Prices
            The prices; that of a leaf is in units.
        most : int
            The largest number of leaves.
        contract : bool
            Whether splits on the same column that follow each other are one question.
        merge : bool, default=True
            Whether branches may be merged.

        Returns
        -------
        FoldCounts
            The tree's counts, and the fold's rows at its leaves.
        """
        question, leaf = prices.question, prices.leaf
        counts, parent, leaves, held_out, leaf_of_row = kernels.fold_leaves(
            *self._arguments,
            which,
            self._share,
            question,
            leaf,
            contract,
            most,
            merge,
            list(prices.columns),
        )
        shape = (-1, self._n_classes)
        return FoldCounts(
            counts.reshape(shape), parent, leaves, held_out.reshape(shape), leaf_of_row
        )
