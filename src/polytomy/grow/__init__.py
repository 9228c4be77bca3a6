"""Growing a tree, from codes to its nodes.

The words used throughout, and no synonyms for them:

row        a line of the table; it has a class and a weight
code       a small integer for a cell: a bin of a number, a category, or missing
stats      of a node: for every column and code, the weight of each class (a histogram)
value, F   what the index makes of a count vector: the weight of a leaf
option     a k-way branching function on one column, with its gain
arity      k, the number of branches of an option
menu       of a node: the best option of each arity
family     what proposes options: intervals, values, groups, or a user's own
procedure  what picks from menus: a price for each arity, and which are acceptable when
expansion  one step of the run: a leaf replaced by an option
"""

from collections.abc import Callable

from polytomy._threads import checked_threads
from polytomy.encode import Coded, Target
from polytomy.index import resolve
from polytomy.table import Table
from polytomy.theory import PROCEDURES

from .ask import Ask
from .expansion import Expansion
from .families import FAMILIES, Family, best_thresholds
from .grower import Grower
from .growth import Growth, Retirement
from .local import LocalStats, check_rows
from .menu import Menu, Option
from .native import NativeGrower, can_grow_natively
from .params import GrowParams
from .procedures import Procedure
from .stats import NodeRows, Stats, StatsSource


def grow(
    coded: Coded,
    target: Target,
    params: GrowParams | None = None,
    table: Table | None = None,
    threads: int = 1,
    on_step: Callable[[Expansion], bool | None] | None = None,
) -> Growth:
    """Grow a tree on an encoded table.

    Parameters
    ----------
    coded : Coded
        The table's codes, from ``polytomy.encode.encode``.
    target : Target
        Its classes and weights.
    params : GrowParams, optional
        How to grow; the defaults are those of ``GrowParams``.
    table : Table, optional
        The raw columns; needed if a family is the user's own.
    threads : int
        How many threads to use. The tree does not depend on it.
    on_step : callable, optional
        Called with every expansion; returning True ends the run there.

    Examples
    --------
    >>> import numpy as np
    >>> from polytomy.encode import encode
    >>> x = np.arange(60.0)
    >>> coded = encode(Table.of({"x": x}))
    >>> bands = Target.of((x // 10 % 2).astype(int))
    >>> growth = grow(coded, bands, GrowParams(max_leaves=6, procedure="hatano"))
    >>> growth.tree.arity(0), growth.tree.threshold.tolist()
    (6, [9.5, 19.5, 29.5, 39.5, 49.5])
    """
    threads = checked_threads(threads)
    params = GrowParams() if params is None else params
    index = resolve(params.index, target.n_classes)
    if can_grow_natively(target, params, index):
        check_rows(coded, target, table)
        return NativeGrower(coded, target, params, index, threads, on_step).grow()
    source = LocalStats(coded, target, table, threads)
    return Grower(source, coded.schema, params, index, target.unit, threads).grow(on_step)


__all__ = [
    "FAMILIES",
    "PROCEDURES",
    "Ask",
    "Expansion",
    "Family",
    "GrowParams",
    "Grower",
    "Growth",
    "LocalStats",
    "Menu",
    "NodeRows",
    "Option",
    "Procedure",
    "Retirement",
    "Stats",
    "StatsSource",
    "best_thresholds",
    "grow",
]
