"""The alternatives of a tree's nodes: the best split of each arity on each column."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from polytomy import kernels
from polytomy._errors import FamilyError, TargetError
from polytomy._types import BranchArray, IntArray
from polytomy.encode import Coded, OrderedColumn, Schema, Target
from polytomy.index import Index
from polytomy.tree import UNCONSTRAINED, CategorySplit, CustomSplit, IntervalSplit, Tree

from .families import FamilySet
from .options import Option, OptionArrays
from .params import GrowParams
from .rules import Tuning, engine_rules, resolved, target_arguments
from .source import Layout


@dataclass(frozen=True, slots=True, eq=False)
class NodeAlternatives:
    """The splits that one node could have had.

    Parameters
    ----------
    node : int
        The node.
    options : list of Option
        The best split of each arity on each column that gains something, column by column, the
        smallest arity first. An arity that gains no more than a smaller one may be left out. Gains
        are in units of the target.
    menu : list of Option
        Of these, the best split of each arity.
    column_counts : callable
        Returns, for a column, the units of each class by code, (codes, classes). Valid until the
        next node is visited.
    """

    node: int
    options: list[Option]
    menu: list[Option]
    column_counts: Callable[[int], IntArray]


def alternatives(
    coded: Coded,
    target: Target,
    tree: Tree,
    params: GrowParams | None = None,
    *,
    leaf_of_row: BranchArray | None = None,
    index: Index | None = None,
    threads: int = 1,
) -> Iterator[NodeAlternatives]:
    """Iterate over the alternatives of every node that holds rows, those with the most rows first.

    No arity is skipped for its price, and budgets do not limit the arity. Users' own families are
    left out, because they propose splits on rows rather than on columns.

    Parameters
    ----------
    coded : Coded
        The codes of the rows.
    target : Target
        Their classes and weights.
    tree : Tree
        A tree of any origin: grown, pruned or contracted.
    params : GrowParams, optional
        How the tree was grown: families, index, largest arity and least sizes. Constraints on
        columns and branches are left aside, so that what they cost can be seen.
    leaf_of_row : int32 array, optional
        The leaf of each row, as a node number of ``tree``. By default rows are routed by their
        codes, which a tree with users' own splits does not allow.
    index : Index, optional
        The resolved index function; by default the one that ``params`` names.
    threads : int, default=1
        The number of threads.

    Returns
    -------
    iterator of NodeAlternatives
        One for each node that holds rows; parents come before their children.

    Examples
    --------
    >>> import numpy as np
    >>> from polytomy.encode import encode
    >>> from polytomy.grow import Grower
    >>> from polytomy.table import Table
    >>> coded = encode(Table.of({"x": np.arange(6.0), "y": np.arange(6.0) % 2}))
    >>> target = Target.of([0, 0, 1, 1, 0, 0])
    >>> tree = Grower(coded, target).finish()
    >>> root = next(alternatives(coded, target, tree))
    >>> [(option.feature, option.arity, round(option.gain, 3)) for option in root.options]
    [(0, 2, 1.333), (0, 3, 5.333)]
    """
    params = GrowParams() if params is None else params
    if coded.n_rows != target.n_rows:
        raise TargetError(f"{coded.n_rows} rows but {target.n_rows} labels")
    index = resolved(params.index, target.n_classes) if index is None else index
    built_in = [family for family in params.families if isinstance(family, str)]
    families = FamilySet(built_in, coded.schema)
    free = replace(params, constraints=UNCONSTRAINED)  # what they cost is seen here
    layout = Layout.of(coded.schema)
    run = kernels.AlternativesRun(
        coded.code_table(),
        layout.code_start,
        layout.has_missing,
        *target_arguments(target)[:4],  # only gains are asked for, so residues do not matter
        families.arguments(),
        engine_rules(free, coded.n_rows, Tuning(threads=threads)),
        index.kernel,
        tree.child_start,
        tree.child,
        _leaf_by_codes(coded, tree) if leaf_of_row is None else leaf_of_row,
    )

    def column_counts(column: int) -> IntArray:
        return run.column_counts(column).reshape(-1, target.n_classes)

    while (node := run.next()) >= 0:
        found, best = run.options()
        arrays = OptionArrays(*found)
        options = [arrays.option(i, families.names, []) for i in range(len(arrays.arity))]
        yield NodeAlternatives(node, options, [options[i] for i in best.tolist()], column_counts)


def _leaf_by_codes(coded: Coded, tree: Tree) -> BranchArray:
    """Return the leaf of each row, found by its codes."""
    leaf = np.zeros(coded.n_rows, dtype=np.int32)
    held = {0: np.arange(coded.n_rows)}
    for node in range(tree.n_nodes):  # parents come first
        rows, split = held.pop(node), tree.split(node)
        if split is None:
            leaf[rows] = node
            continue
        if isinstance(split, CustomSplit):
            raise FamilyError("rows cannot be routed through users' own splits; pass leaf_of_row")
        branch = branch_of_codes(split, coded.schema)[coded.columns[split.feature][rows]]
        held |= {c: rows[branch == b] for b, c in enumerate(tree.children(node).tolist())}
    return leaf


def branch_of_codes(split: IntervalSplit | CategorySplit, schema: Schema) -> IntArray:
    """Return the branch of every code of the split's column, the missing one last.

    Parameters
    ----------
    split : IntervalSplit or CategorySplit
        The split.
    schema : Schema
        The columns.

    Returns
    -------
    ndarray of int
        The branch of each code.
    """
    spec = schema[split.feature]
    if isinstance(split, IntervalSplit):
        assert isinstance(spec, OrderedColumn)
        branch = np.searchsorted(split.thresholds, spec.high)
    else:
        branch = split.branch_of_codes(spec.n_values)
    return np.append(branch, split.branch_of_missing)
