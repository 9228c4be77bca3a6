"""Branching families: the splits that a node may choose from.

Built-in families work on histograms, in the engine:

``intervals``  consecutive ranges of a number, a time or an ordered category. Exact for the given
               bins: a dynamic program for every arity places missing cells together with the cuts.
``values``     one child for each category present at the node (ID3's split).
``groups``     the categories packed into k groups. Exact for two classes, and for up to eight
               categories; beyond that a heuristic order of the categories is searched.

A user's own family is an object that looks at a node's rows and proposes splits. Its gains are
computed here, from the branches that the proposed splits assign to the node's rows.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, runtime_checkable
from weakref import WeakMethod

import numpy as np

from polytomy import kernels
from polytomy._errors import FamilyError, ParameterError
from polytomy._types import TIE, BranchArray, FloatArray, RowArray
from polytomy.encode import OrderedColumn, Schema, Target
from polytomy.index import Index
from polytomy.table import Table
from polytomy.tree import Branching, checked_route

from .params import FAMILIES


class NodeRows(Protocol):
    """The rows of a node, as a user's family sees them."""

    @property
    def table(self) -> Table:
        """The node's rows of the raw table."""

    @property
    def class_weights(self) -> FloatArray:
        """The weight of each class in each row, (rows, classes), in exact units of the weights."""


@dataclass(frozen=True, slots=True)
class SplitQuery:
    """What a family needs to know about the search at one node.

    Parameters
    ----------
    index : Index
        The index function of the run.
    impurity : float
        F of the node, in units of the target.
    prices : float64 array
        The prices of 2, 3, ... branches, as many as intervals and groups may have, divided by the
        price of 2.
    largest : int
        The most branches that a split may have.
    least : tuple of int
        The rows, and the units of weight, that a child needs.
    floor : float
        The best binary gain found so far: a split that cannot beat it for its price may be left
        out.
    """

    index: Index
    impurity: float
    prices: FloatArray
    largest: int
    least: tuple[int, int]
    floor: float


@runtime_checkable
class Family(Protocol):
    """A user's branching family.

    Attributes
    ----------
    name : str
        The family's name, which the record of a run states.
    """

    name: str

    def propose(self, node: NodeRows, query: SplitQuery) -> Iterable[Branching]:
        """Propose splits for a node; every branch of a split must receive some of its rows.

        Parameters
        ----------
        node : NodeRows
            The node's rows.
        query : SplitQuery
            What the search needs.

        Returns
        -------
        iterable of Branching
            The proposed splits.
        """


@dataclass(frozen=True)
class _MemoryRows:
    """A node's rows of a table in memory."""

    source: Table
    target: Target
    members: RowArray

    @cached_property
    def table(self) -> Table:
        return self.source.take(self.members)

    @cached_property
    def class_weights(self) -> FloatArray:
        out = np.zeros((len(self.members), self.target.n_classes))
        every = np.arange(len(out))
        for labels, units in self.target.layers:
            weight = 1.0 if units is None else units[self.members].astype(np.float64)
            out[every, labels[self.members]] += weight
        return out


NodeFacts = tuple[float, int, FloatArray, float]
"""Impurity, largest arity, prices and floor, as in ``SplitQuery``."""

FamilyArgument = tuple[int, list[int], Callable[..., Any] | None]


class FamilySet:
    """The families of a run, as the engine takes them.

    Parameters
    ----------
    families : sequence
        Names of built-in families, and objects with ``name`` and ``propose``.
    schema : Schema
        The columns.
    never : sequence of int, default=()
        Columns that are not split on.
    """

    def __init__(self, families: Iterable[Any], schema: Schema, never: Sequence[int] = ()) -> None:
        listed = [_checked(family) for family in families]
        ordered, nominal = (
            [j for j in schema.of_kind(kind) if j not in never] for kind in ("ordered", "nominal")
        )
        self._columns = {"intervals": ordered, "values": nominal, "groups": nominal}
        self._used = [f for f in listed if not isinstance(f, str) or self._columns[f]]
        self.names = tuple(f if isinstance(f, str) else f.name for f in self._used)
        self.proposed: list[Branching] = []  # by users' families, in the order proposed

    @property
    def has_own(self) -> bool:
        """Whether any family is a user's own."""
        return any(not isinstance(family, str) for family in self._used)

    def arguments(
        self, propose: WeakMethod[Callable[..., Any]] | None = None
    ) -> list[FamilyArgument]:
        """Return what the engine takes: kind, columns and callback of each family.

        ``propose(family, rows, facts)`` is called for users' families, see ``NodeFacts``.
        It is a weak reference, because the engine belongs to the object that has the method.
        """

        def callback(family: Family) -> Callable[..., Any]:
            def call(rows: RowArray, *facts: Any) -> Any:
                method = None if propose is None else propose()
                assert method is not None
                return method(family, rows, facts)

            return call

        number = kernels.FAMILIES.index
        return [
            (number(f), self._columns[f], None)
            if isinstance(f, str)
            else (number("own"), [], callback(f))
            for f in self._used
        ]

    def propose(
        self, family: Family, rows: RowArray, query: SplitQuery, sample: tuple[Table | None, Target]
    ) -> list[tuple[int, float, BranchArray, int]]:
        """Return the splits that a user's family proposes: arity, gain, branches and number."""
        table, target = sample
        if table is None:
            raise FamilyError(
                "users' own families need the raw table; pass it to grow(..., table=)"
            )
        found = []
        for branching, gain, branches in _own_options(
            family, _MemoryRows(table, target, rows), query
        ):
            found.append((int(branching.arity), gain, branches, len(self.proposed)))
            self.proposed.append(branching)
        return found


def best_thresholds(
    values: FloatArray, node: NodeRows, query: SplitQuery, max_bins: int = 255
) -> list[FloatArray]:
    """Return the best thresholds on a number computed from a node's rows.

    A helper for users' own families, which may split on a projection of several columns.

    Parameters
    ----------
    values : float64 array
        A number for each of the node's rows; no NaN.
    node : NodeRows
        The node.
    query : SplitQuery
        What the family was asked with.
    max_bins : int, default=255
        Above this many distinct values, thresholds lie between quantiles.

    Returns
    -------
    list of float64 arrays
        The thresholds of the best split of each arity that could win.
    """
    numbers = np.ascontiguousarray(values, dtype=np.float64)
    table = kernels.value_table([numbers], [kernels.PLAIN], len(numbers))
    ((low, high, has_missing),) = kernels.find_cuts(table, None, max_bins, 1)
    if has_missing:
        raise ValueError("best_thresholds needs a number for every row; fill the missing ones")
    code = np.searchsorted(high, numbers)
    counts = np.zeros((len(low), node.class_weights.shape[1]))
    np.add.at(counts, code, node.class_weights)
    cuts = kernels.best_intervals(
        counts.astype(np.int64),
        np.bincount(code, minlength=len(low)),
        query.index.kernel,
        query.impurity,
        query.least,
        query.prices,
        query.floor,
    )
    column = OrderedColumn("", low, high, has_missing=False)
    return [
        np.array([column.threshold(a, b) for a, b in zip(left, right, strict=True)])
        for left, right in cuts
    ]


def _own_options(
    family: Family, node: _MemoryRows, query: SplitQuery
) -> Iterable[tuple[Branching, float, BranchArray]]:
    proposed = family.propose(node, query)
    if not isinstance(proposed, Iterable):
        raise FamilyError(f"family {family.name!r} must propose a list, not {proposed!r}")
    weights = node.class_weights
    for branching in proposed:
        if not isinstance(branching, Branching):
            raise FamilyError(
                f"family {family.name!r} proposed a {type(branching).__name__}, which lacks one of "
                "kind, arity, route, describe, to_plain, from_plain"
            )
        branches = _branches(family.name, branching, node)
        rows = np.bincount(branches, minlength=branching.arity)
        counts = np.zeros((branching.arity, weights.shape[1]))
        np.add.at(counts, branches, weights)
        fits = rows.min() >= query.least[0] and counts.sum(axis=1).min() >= query.least[1]
        if branching.arity > query.largest or not fits:
            continue
        gain = query.impurity - float(query.index.value(counts).sum())
        gain = gain if gain > TIE * query.impurity else 0.0
        yield branching, gain, np.ascontiguousarray(branches, dtype=np.int32)


def _branches(name: str, branching: Branching, node: _MemoryRows) -> BranchArray:
    if not isinstance(branching.arity, int | np.integer) or branching.arity < 2:
        raise FamilyError(
            f"a split of family {name!r} must have at least two branches, not {branching.arity!r}"
        )
    branches = checked_route(branching, node.table)
    held = np.unique(branches)
    if len(held) < branching.arity:
        raise FamilyError(
            f"a split of family {name!r} has {branching.arity} branches but sends the node's "
            f"rows to {held.tolist()}; each branch must receive a row"
        )
    return branches


def _checked(family: Any) -> str | Family:
    if isinstance(family, str):
        if family not in FAMILIES:
            raise ParameterError(
                f"families are {', '.join(FAMILIES)} or your own objects; got {family!r}"
            )
        return family
    if not isinstance(family, Family):
        raise ParameterError(
            f"a family of your own needs a name and propose(node, query); {family!r} lacks one"
        )
    return family
