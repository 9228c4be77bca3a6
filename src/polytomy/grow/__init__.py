"""Growing a tree, from codes to its nodes.

The words used throughout:

row        a line of the table; it has a class and a weight, or a vector of counts
code       a small integer for a cell: a bin of a number, a category, or missing
histogram  of a node: for every column and code, the weight of each class
impurity   F of a count vector, by the index function; pure nodes have impurity 0
option     a k-way branching function for one node, with its gain
arity      k, the number of branches of an option
menu       of a node: the best option of each arity
family     proposes options: intervals, values, groups, or a user's own
procedure  chooses from menus: a price for each arity, and which arities are acceptable
expansion  one step of the run: a leaf replaced by an option
source     where the rows are: in memory, in partitions, in a database

The loop runs in C++ (``cpp/grow/growth.cpp``). ``polytomy.reference`` is the same loop in plain
NumPy, and the first thing to read.
"""

from polytomy._threads import checked_threads
from polytomy.encode import Coded, Target
from polytomy.table import Table
from polytomy.theory import PROCEDURES

from .alternatives import NodeAlternatives, alternatives, branch_of_codes
from .density import DensitySource, grow_density
from .density_path import DensityPath, best_size, box_losses, held_out_losses
from .engine import Grower, GrownShape, OnStep
from .families import Family, NodeRows, SplitQuery, best_thresholds
from .folds import FoldCounts, Folds
from .options import Option
from .params import FAMILIES, GrowParams
from .record import Expansion, Growth, Retirement
from .remote import RemoteRows, TargetFacts, moment_sums
from .rules import Tuning, cases_per_unit, resolved
from .source import (
    GroupResidues,
    Histograms,
    Move,
    NodeSource,
    Partition,
    SampleTotals,
    SummedSource,
    added_residues,
)


def grow(
    coded: Coded,
    target: Target,
    params: GrowParams | None = None,
    table: Table | None = None,
    threads: int = 1,
    on_step: OnStep | None = None,
) -> Growth:
    """Grow a tree on an encoded table.

    Parameters
    ----------
    coded : Coded
        The table's codes, from ``polytomy.encode.encode``.
    target : Target
        The classes and weights.
    params : GrowParams, optional
        How to grow; by default ``GrowParams()``.
    table : Table, optional
        The raw columns, needed by users' own families.
    threads : int, default=1
        The number of threads. The tree does not depend on it.
    on_step : callable, optional
        Called with every expansion; returning True stops the run.

    Returns
    -------
    Growth
        The tree and the record of the run.

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
    apart = None if on_step is None else 0  # a run that may be stopped plans nothing ahead
    tuning = Tuning(threads=checked_threads(threads), apart=apart)
    return Grower(coded, target, params, table=table, tuning=tuning).grow(on_step)


__all__ = [
    "FAMILIES",
    "PROCEDURES",
    "DensityPath",
    "DensitySource",
    "Expansion",
    "Family",
    "FoldCounts",
    "Folds",
    "GroupResidues",
    "GrowParams",
    "Grower",
    "GrownShape",
    "Growth",
    "Histograms",
    "Move",
    "NodeAlternatives",
    "NodeRows",
    "NodeSource",
    "Option",
    "Partition",
    "RemoteRows",
    "Retirement",
    "SampleTotals",
    "SplitQuery",
    "SummedSource",
    "TargetFacts",
    "Tuning",
    "added_residues",
    "alternatives",
    "best_size",
    "best_thresholds",
    "box_losses",
    "branch_of_codes",
    "cases_per_unit",
    "grow",
    "grow_density",
    "held_out_losses",
    "moment_sums",
    "resolved",
]
