"""The growth loop in C++, for runs that need no Python; ``Grower`` is the one to read.

Both come to the same growth, bit for bit. This one takes what has only built-in parts: families,
index, and a target of one layer.
"""

from collections.abc import Callable
from itertools import starmap
from typing import NamedTuple

import numpy as np

from polytomy import kernels
from polytomy._types import FloatArray, IntArray
from polytomy.encode import Coded, Target
from polytomy.index import Index
from polytomy.tree import Tree

from .expansion import Expansion, RecordedExpansions, StepArrays
from .growth import Growth, Retirement
from .params import GrowParams
from .procedures import Procedure
from .stats import Layout

_KINDS = {"intervals": "ordered", "values": "nominal", "groups": "nominal"}
_FAMILIES = tuple(_KINDS)
_PROCEDURES = ("per-leaf", "hatano", "mansour-mcallester", "kearns-mansour")
_REASONS = ("max_depth", "too few rows", "no acceptable option", "min_gain")
_MOST = 1 << 53  # whole numbers up to here are floats too
_EVER = 1 << 62


def can_grow_natively(target: Target, params: GrowParams, index: Index) -> bool:
    """Say whether a run needs no Python: no function, family or layers of a user's own."""
    numbers = (params.min_gain, params.min_weight_fraction_leaf)
    return (
        index.number is not None
        and not target.more
        and params.procedure in _PROCEDURES
        and all(isinstance(f, str) and f in _KINDS for f in params.families)
        and (params.max_leaves is None or params.max_leaves <= _MOST)
        and all(isinstance(number, int | float) for number in numbers)
    )


class Sizes(NamedTuple):
    """Rows up to which a node is counted as small ones are, and a subtree is grown by one thread.

    None: as measured; 0: none is. They change nothing but the time.
    """

    small: int | None = None
    apart: int | None = None


class NativeGrower:
    """Grows one tree, as ``Grower`` does.

    Parameters
    ----------
    coded : Coded
        The table's codes.
    target : Target
        Its classes and weights.
    params : GrowParams
        How to grow.
    index : Index
        The resolved index function, a built-in one.
    threads : int
        How many threads to use; the tree does not depend on it.
    on_step : callable, optional
        Called with every expansion; returning True ends the run there.
    sizes : Sizes
        What to do how.

    Examples
    --------
    >>> from polytomy.encode import encode
    >>> from polytomy.index import resolve
    >>> from polytomy.table import Table
    >>> coded = encode(Table.of({"x": np.arange(6.0)}))
    >>> target = Target.of([0, 0, 1, 1, 0, 0])
    >>> NativeGrower(coded, target, GrowParams(), resolve("gini")).grow().tree.n_leaves
    3
    """

    def __init__(
        self,
        coded: Coded,
        target: Target,
        params: GrowParams,
        index: Index,
        threads: int = 1,
        on_step: Callable[[Expansion], bool | None] | None = None,
        sizes: Sizes = Sizes(),  # noqa: B008
    ) -> None:
        self._schema, self._params, self._index = coded.schema, params, index
        self._unit, self._on_step = target.unit, on_step
        self._price = Procedure.of(params).price
        layout = Layout.of(coded.schema, target.n_classes)
        asked = [(_FAMILIES.index(f), coded.schema.of_kind(_KINDS[f])) for f in params.families]
        if on_step is not None:
            sizes = sizes._replace(apart=0)  # who listens may stop: nothing is done ahead
        self._run = kernels.growth_run(
            coded.code_table(),
            (layout.code_start, layout.has_missing),
            (target.labels, target.units, target.n_classes),
            [(family, columns) for family, columns in asked if columns],
            _rules(params, index, coded.n_rows, threads, sizes),
        )

    def grow(self) -> Growth:
        """Step until nothing is left to do; return the record of the run."""
        stopped = False
        while not stopped and self._run.run(_EVER if self._on_step is None else 1):
            stopped = self._on_step is not None and bool(self._on_step(self._latest()))
        tree = self._tree()
        steps = StepArrays(*self._run.expansions(0))
        leaves, reasons, sizes = (array.tolist() for array in self._run.retirements())
        reasons = [_REASONS[reason] for reason in reasons]
        return Growth(
            tree=tree,
            expansions=self._recorded(steps, tree.counts[steps.leaf]),
            retirements=tuple(starmap(Retirement, zip(leaves, reasons, sizes, strict=True))),
            params=self._params,
            index=self._index,
            weight=float(self._run.weight) * self._unit,
            root_value=self._run.root_value * self._unit,
            stopped=stopped,
        )

    def _latest(self) -> Expansion:
        steps = StepArrays(*self._run.expansions(self._run.n_steps - 1))
        counts = self._run.counts(int(steps.leaf[0]))
        return self._recorded(steps, self._weights(counts)[np.newaxis])[0]

    def _recorded(self, steps: StepArrays, counts: FloatArray) -> RecordedExpansions:
        return RecordedExpansions(steps, counts, self._unit, _FAMILIES, self._price)

    def _tree(self) -> Tree:
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
        return Tree(
            kind=kind,
            feature=feature,
            parent=parent,
            child_start=child_start,
            child=child,
            threshold_start=threshold_start,
            threshold=self._schema.thresholds(left, right),
            code_to_branch_start=code_to_branch_start,
            code_to_branch=code_to_branch,
            missing_branch=missing_branch,
            default_branch=default_branch,
            counts=self._weights(counts).reshape(len(rows), -1),
            rows=rows,
        )

    def _weights(self, counts: IntArray) -> FloatArray:
        return counts.astype(np.float64) * self._unit


def _rules(
    params: GrowParams, index: Index, n_rows: int, threads: int, sizes: Sizes
) -> kernels.GrowthRules:
    assert index.number is not None

    def rows(number: int) -> int:
        return int(min(number, n_rows + 1))  # more than there are is as good as more than that

    return kernels.GrowthRules(
        procedure=_PROCEDURES.index(params.procedure),
        max_leaves=None if params.max_leaves is None else int(params.max_leaves),
        gamma=0.0 if params.gamma is None else float(params.gamma),
        steepest=params.order == "steepest",
        index=index.number,
        max_arity=rows(max(2, params.max_arity)),
        max_depth=None if params.max_depth is None else rows(params.max_depth),
        min_samples_split=rows(params.min_samples_split),
        min_samples_leaf=rows(params.min_samples_leaf),
        min_weight_fraction_leaf=float(params.min_weight_fraction_leaf),
        min_gain=float(params.min_gain),
        threads=threads,
        small=sizes.small,
        apart=sizes.apart,
    )
