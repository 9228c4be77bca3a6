"""Growing one tree with the native engine, step by step or to the end."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import starmap
from math import ceil
from typing import Any, NamedTuple
from weakref import WeakMethod

import numpy as np

from polytomy import kernels, theory
from polytomy._errors import FamilyError, ParameterError, TableError, TargetError
from polytomy._numbers import is_finite
from polytomy._types import TIE, UNSEEN, BranchArray, FloatArray, IntArray, RowArray
from polytomy.encode import (
    Coded,
    NumericTarget,
    Schema,
    Target,
    thresholds_between,
)
from polytomy.index import Index
from polytomy.predict import apply
from polytomy.table import Table
from polytomy.tree import Tree, TreeShape

from .families import Family, FamilyArgument, FamilySet, NodeFacts, SplitQuery
from .options import IntervalCut, Option, OptionArrays, OwnCut
from .params import GrowParams
from .record import Expansion, Expansions, Growth, Retirement, StepArrays
from .remote import RemoteRows
from .rules import Tuning, cases_per_unit, engine_rules, resolved, span_of, target_arguments
from .source import Layout, NodeSource, check_totals

_REASONS = ("max_depth", "too few rows", "no acceptable option", "min_gain")
_NO_LIMIT = 1 << 62

Price = Callable[[int], float]
OnStep = Callable[[Expansion], bool | None]


class GrownShape(NamedTuple):
    """What pruning needs to know of a run; counts and gains are in integer units.

    Parameters
    ----------
    tree : TreeShape
        The shape of the grown tree.
    gain_per_leaf : float64 array
        The gain per added leaf of each step.
    leaves : int64 array
        The number of leaves after each step.
    """

    tree: TreeShape
    gain_per_leaf: FloatArray
    leaves: IntArray


class Grower:
    """Grows trees on one encoded table.

    Parameters
    ----------
    coded : Coded
        The table's codes.
    target : Target
        The classes and weights.
    params : GrowParams, optional
        How to grow; by default ``GrowParams()``.
    index : Index, optional
        The resolved index function; by default the one that ``params`` names.
    table : Table, optional
        The raw columns, needed by users' own families.
    price : callable, optional
        The price of k branches, instead of the procedure's own.
    tuning : Tuning, optional
        The number of threads, and other settings that change only the time.

    Examples
    --------
    >>> from polytomy.encode import encode
    >>> coded = encode(Table.of({"x": np.arange(6.0)}))
    >>> grower = Grower(coded, Target.of([0, 0, 1, 1, 0, 0]), GrowParams(max_leaves=4))
    >>> grower.step().arity
    3
    >>> grower.step() is None
    True
    >>> grower.leaves().tolist()
    [1, 1, 2, 2, 3, 3]
    """

    def __init__(
        self,
        coded: Coded,
        target: Target,
        params: GrowParams | None = None,
        *,
        index: Index | None = None,
        table: Table | None = None,
        price: Price | None = None,
        tuning: Tuning | None = None,
    ) -> None:
        _check_rows(coded, target, table)
        self._set_up(coded.schema, params, index, target.n_classes, price)
        self._n_rows, self._table = coded.n_rows, table
        self._schema, self._threads = coded.schema, 1 if tuning is None else tuning.threads
        self._aim(target)
        layout = self._layout
        labels, units, more, n_classes, residues = target_arguments(target)
        scale = cases_per_unit(target), self._gain_unit(), n_classes, span_of(target)
        self._run = kernels.GrowthRun(
            coded.code_table(),
            layout.code_start,
            layout.has_missing,
            labels,
            units,
            more,
            n_classes,
            self._family_arguments(),
            engine_rules(self._params, coded.n_rows, tuning, *scale),
            self._index.kernel,
            self._own_price,
            residues,
        )

    @classmethod
    def from_source(
        cls,
        source: NodeSource,
        schema: Schema,
        params: GrowParams | None = None,
        *,
        index: Index | None = None,
        unit: float = 1.0,
        price: Price | None = None,
        tuning: Tuning | None = None,
    ) -> "Grower":
        """Return a grower whose rows are behind a source of histograms.

        Parameters
        ----------
        source : NodeSource
            The source.
        schema : Schema
            The columns.
        params : GrowParams, optional
            How to grow; users' own families are refused, because they need rows.
        index : Index, optional
            The resolved index function; by default the one that ``params`` names.
        unit : float, default=1.0
            The weight of one unit of the source's counts.
        price : callable, optional
            The price of k branches, instead of the procedure's own.
        tuning : Tuning, optional
            The number of threads, the batch size, and other settings that change only the time.

        Returns
        -------
        Grower
            A grower that cannot be restarted and does not know the rows' leaves.
        """
        self = cls.__new__(cls)
        self._ask(source, schema, params, index, price, (unit, unit, 1.0), tuning)
        return self

    @classmethod
    def from_rows(
        cls,
        rows: RemoteRows,
        params: GrowParams | None = None,
        *,
        index: Index | None = None,
        tuning: Tuning | None = None,
    ) -> "Grower":
        """Return a grower for rows that are elsewhere.

        Parameters
        ----------
        rows : RemoteRows
            The rows.
        params : GrowParams, optional
            How to grow; users' own families are refused, because they need rows.
        index : Index, optional
            The resolved index function; by default the one that ``params`` names.
        tuning : Tuning, optional
            The number of threads, the batch size, and other settings that change only the time.

        Returns
        -------
        Grower
            A grower that cannot be restarted and does not know the rows' leaves.
        """
        self, target = cls.__new__(cls), rows.target
        span = 1.0 if target.scale is None else target.scale.span
        units = target.unit, target.impurity_unit, span
        self._ask(rows.source(), rows.schema, params, index, None, units, tuning)
        self._remote = rows
        return self

    def _ask(
        self,
        source: NodeSource,
        schema: Schema,
        params: GrowParams | None,
        index: Index | None,
        price: Price | None,
        units: tuple[float, float, float],
        tuning: Tuning | None,
    ) -> None:
        """Set up a run over a source.

        ``units`` are the weight and the impurity of one unit, and the range of a numeric target.
        """
        totals = source.totals()
        check_totals(totals)
        self._set_up(schema, params, index, len(totals.counts), price)
        if self._families.has_own:
            raise FamilyError("users' own families need the raw table; a source has none")
        self._n_rows, self._table = totals.n_rows, None
        self._unit, self._impurity_unit, span = units
        layout, cases = self._layout, totals.cases_per_unit(self._unit)
        scale = cases, self._gain_unit(), len(totals.counts), span
        self._run = kernels.GrowthRun(
            source,
            totals.n_rows,
            np.ascontiguousarray(totals.counts, dtype=np.int64),
            totals.weighted,
            layout.code_start,
            layout.has_missing,
            self._family_arguments(),
            engine_rules(self._params, totals.n_rows, tuning, *scale),
            self._index.kernel,
            self._own_price,
            totals.root_residue(),
        )

    def _set_up(
        self,
        schema: Schema,
        params: GrowParams | None,
        index: Index | None,
        n_classes: int,
        price: Price | None,
    ) -> None:
        params = GrowParams() if params is None else params
        self._params = params
        self._layout = Layout.of(schema)
        self._bin_low, self._bin_high = schema.bin_edges(self._layout.code_start)
        self._index = resolved(params.index, n_classes) if index is None else index
        self._families = FamilySet(params.families, schema, params.constraints.never)
        self._own_price = None if price is None else _checked_price(price)
        self._price = self._own_price or partial(_procedure_price, params)
        self._target: Target | None = None
        self._remote: RemoteRows | None = None

    def _aim(self, target: Target, rows: RowArray | None = None) -> None:
        self._target = target
        self._rows = rows  # those of the run; None for all
        self._unit, self._impurity_unit = target.unit, target.impurity_unit

    def _gain_unit(self) -> float:
        """Return the impurity, per weight, that the engine counts as 1."""
        return self._impurity_unit / self._unit if self._impurity_unit > 0 else 1.0

    def _family_arguments(self) -> list[FamilyArgument]:
        has_own = self._families.has_own
        return self._families.arguments(WeakMethod(self._propose) if has_own else None)

    def step(self) -> Expansion | None:
        """Split one leaf.

        Returns
        -------
        Expansion or None
            The step, or None if the budget is spent or no leaf can be split.
        """
        before = self._run.n_steps
        while self._run.run(1):
            if self._run.n_steps > before:
                return self._latest()
        return None

    def grow(self, on_step: OnStep | None = None) -> Growth:
        """Step until growth is complete.

        Parameters
        ----------
        on_step : callable, optional
            Called with every expansion; returning True stops the run.

        Returns
        -------
        Growth
            The tree and the record of the run.
        """
        return self.record(stopped=self.complete(on_step))

    def complete(self, on_step: OnStep | None = None) -> bool:
        """Step until growth is complete.

        Parameters
        ----------
        on_step : callable, optional
            Called with every expansion; returning True stops the run.

        Returns
        -------
        bool
            Whether ``on_step`` stopped the run.
        """
        if on_step is None:
            while self._run.run(_NO_LIMIT):
                pass
            return False
        while (expansion := self.step()) is not None:
            if on_step(expansion):
                return True
        return False

    def record(self, *, stopped: bool = False) -> Growth:
        """Return the tree grown so far and the record of the run.

        Parameters
        ----------
        stopped : bool, default=False
            Whether a callback stopped the run before growth was complete.

        Returns
        -------
        Growth
            The tree and the record.
        """
        tree = self.tree()
        steps = self._steps(0)
        leaves, reasons, sizes = (array.tolist() for array in self._run.retirements())
        reasons = [_REASONS[reason] for reason in reasons]
        return Growth(
            tree=tree,
            expansions=self._expansions(steps, tree.counts[steps.leaf]),
            retirements=tuple(starmap(Retirement, zip(leaves, reasons, sizes, strict=True))),
            params=self._params,
            index=self._index,
            weight=float(self._run.weight) * self._unit,
            root_impurity=self._run.root_impurity * self._impurity_unit,
            stopped=stopped,
        )

    def finish(self) -> Tree:
        """Step until growth is complete, without making the record of the run.

        Returns
        -------
        Tree
            The tree.
        """
        self.complete()
        return self.tree()

    def restart(
        self,
        target: Target,
        rows: RowArray | None = None,
        seed: int = 0,
        weight: int | None = None,
    ) -> None:
        """Start another tree on the same codes.

        A run that ended with an error, or was stopped, can be restarted too.

        Parameters
        ----------
        target : Target
            The new classes and weights; it has the rows, classes and layers of the one before.
        rows : uint32 array, default=None
            The rows to grow the tree on, all of positive weight; None for every row.
        seed : int, default=0
            The seed of random draws of columns.
        weight : int, default=None
            The weight, in units, that ``min_gain``, ``min_weight_fraction_leaf`` and
            ``branch_price`` are fractions of; None for that of the rows.
        """
        before = self._target
        if before is None or (target.n_rows, target.n_classes, len(target.more)) != (
            before.n_rows,
            before.n_classes,
            len(before.more),
        ):
            raise TargetError("a new target must have the rows, classes and layers of the first")
        self._run.restart(*target_arguments(target), rows, seed, weight)
        self._aim(target, rows)
        self._families.proposed.clear()

    def root_options(self) -> list[Option]:
        """Return the splits of single columns that the root could have.

        Users' own families are left out. The run must not have begun.

        Returns
        -------
        list of Option
            At most two of a column: its best binary split, and the one that the root would choose
            if it were the only column; gains are in units. What the root would choose first comes
            first.
        """
        arrays = OptionArrays(*self._run.root_options())
        return [arrays.option(i, self._families.names, []) for i in range(len(arrays.arity))]

    def split_root(self, option: Option) -> None:
        """Split the root by a given option, instead of the first step.

        Parameters
        ----------
        option : Option
            An option of a built-in family, each of whose branches holds rows.
        """
        cut, family = option.cut, self._families.names.index(option.family)
        if isinstance(cut, OwnCut):
            raise FamilyError("the root cannot be split by a user's own family")
        codes = (cut.left, cut.right) if isinstance(cut, IntervalCut) else (cut.codes, cut.branches)
        missing = cut.missing_branch if isinstance(cut, IntervalCut) else UNSEEN
        first, second = (np.array(part, dtype=np.int32) for part in codes)
        self._run.split_root(
            option.arity, option.gain, option.feature, family, missing, first, second
        )

    def shape(self) -> GrownShape:
        """Return only the arrays of the tree grown so far that pruning needs.

        Returns
        -------
        GrownShape
            The shape of the tree, the integer class counts of its nodes, and the gain per added
            leaf of every step.
        """
        kind, feature, child_start, child, threshold_start, *_ = self._run.tree()
        counts, rows, _ = self._run.nodes()
        options, steps = self._run.expansions(0)
        arity, gain, before = options[0], options[5], steps[2]
        by_node = counts.reshape(len(rows), -1)
        costs = None if self._target is None else self._target.costs
        tree = TreeShape(kind, feature, child_start, child, threshold_start, by_node, costs)
        return GrownShape(tree, gain / (arity - 1), before + arity - 1)

    def leaves(self, out: BranchArray | None = None) -> BranchArray:
        """Return the leaf of each row; not for sources, nor for runs with ``apart`` other than 0.

        Parameters
        ----------
        out : int32 array, optional
            An array to write into.

        Returns
        -------
        int32 array
            Node numbers, one for each row.
        """
        leaf = np.empty(self._n_rows, dtype=np.int32) if out is None else out
        self._run.leaves(leaf)
        return leaf

    def tree(self) -> Tree:
        """Return the tree grown so far.

        Returns
        -------
        Tree
            The tree.
        """
        (
            kind,
            feature,
            child_start,
            child,
            threshold_start,
            left,
            right,
            code_to_branch_start,
            code_to_branch,
            missing_branch,
            default_branch,
        ) = self._run.tree()
        counts, rows, parent = self._run.nodes()
        tree = Tree(
            kind=kind,
            feature=feature,
            parent=parent,
            child_start=child_start,
            child=child,
            threshold_start=threshold_start,
            threshold=thresholds_between(self._bin_high[left], self._bin_low[right]),
            code_to_branch_start=code_to_branch_start,
            code_to_branch=code_to_branch,
            missing_branch=missing_branch,
            default_branch=default_branch,
            counts=self._weights(counts).reshape(len(rows), -1),
            rows=rows,
            own=self._own_splits(),
            costs=None if self._target is None else self._target.costs,
        )
        target, remote = self._target, self._remote
        if isinstance(target, NumericTarget):
            return _with_moments(tree, self._moments(tree, target), target.centre)
        if remote is not None and remote.target.scale is not None:
            return _with_moments(tree, remote.moments(tree), remote.target.scale.centre)
        return tree

    def _moments(self, tree: Tree, target: NumericTarget) -> FloatArray:
        """Return the moments of the rows at each leaf."""
        rows = self._rows
        if not self._run.is_planned:
            leaf = self.leaves() if rows is None else self.leaves()[rows]
        elif self._table is None:
            raise TableError("a run with a numeric target and apart other than 0 needs the table")
        else:
            leaf = apply(tree, self._schema, self._table, self._threads)
        return target.moments(leaf, tree.n_nodes, rows=rows, threads=self._threads)

    @property
    def root_impurity(self) -> float:
        """What splits can remove of the root's impurity, in units of the engine."""
        return float(self._run.root_impurity)

    @property
    def seconds(self) -> tuple[float, float]:
        """The time spent counting histograms and moving rows."""
        counting, moving = self._run.seconds
        return counting, moving

    def _own_splits(self) -> dict[int, Any]:
        if not self._families.has_own:
            return {}
        steps = self._steps(0)
        numbers = zip(steps.leaf.tolist(), steps.options.own.tolist(), strict=True)
        return {leaf: self._families.proposed[n] for leaf, n in sorted(numbers) if n >= 0}

    def _latest(self) -> Expansion:
        steps = self._steps(self._run.n_steps - 1)
        counts = self._weights(self._run.counts(int(steps.leaf[0])))
        return self._expansions(steps, counts[np.newaxis])[0]

    def _steps(self, first: int) -> StepArrays:
        options, steps = self._run.expansions(first)
        return StepArrays(OptionArrays(*options), *steps)

    def _expansions(self, steps: StepArrays, counts: FloatArray) -> Expansions:
        families = self._families
        unit = self._impurity_unit
        return Expansions(steps, counts, unit, families.names, families.proposed, self._price)

    def _weights(self, counts: IntArray) -> FloatArray:
        return counts.astype(np.float64) * self._unit

    def _propose(self, family: Family, rows: RowArray, facts: NodeFacts) -> list[Any]:
        """Return the splits that a user's family proposes for a node."""
        assert self._target is not None
        impurity, largest, prices, floor = facts
        index = self._index.on_components
        query = SplitQuery(index, impurity, prices, largest, self._least(), floor)
        return self._families.propose(family, rows, query, (self._table, self._target))

    def _least(self) -> tuple[int, int]:
        """Return the rows, and the units of weight, that a child needs."""
        share = float(self._params.min_weight_fraction_leaf)
        units = ceil(share * self._run.weight * (1 - TIE)) if share else 0
        return int(self._params.min_samples_leaf), units


def _with_moments(tree: Tree, at_leaves: FloatArray, centre: float) -> Tree:
    """Return the tree with the moments of the numbers instead of their components."""
    moments = np.ascontiguousarray(at_leaves)  # these are added up in place
    kernels.add_up_subtrees(tree.parent, moments)
    return replace(tree, counts=moments, centre=centre)


def _procedure_price(params: GrowParams, k: int) -> float:
    return theory.price(params.procedure, k, params.gamma)


def _checked_price(price: Price) -> Price:
    def checked(k: int) -> float:
        value: Any = price(k)
        if not is_finite(value) or value <= 0:
            raise ParameterError(f"the price of {k} branches must be positive, got {value!r}")
        return float(value)

    return checked


def _check_rows(coded: Coded, target: Target, table: Table | None) -> None:
    """Refuse codes, a target and raw columns that are not of the same rows."""
    if coded.n_rows != target.n_rows:
        raise TargetError(f"{coded.n_rows} rows but {target.n_rows} labels")
    if table is not None and (table.n_rows, table.names) != (coded.n_rows, coded.schema.names):
        raise TableError("the raw table is not the one that was encoded")
