"""Polishing: better splits for a finished tree, one node at a time, with its shape kept.

A tree is grown from the top, and no split knows what will follow it. Polishing returns to every
node and chooses its split again, given the subtrees that are now below it. The search takes the
cost of a row in each leaf as fixed; then the best split of a node sends each value to the branch
whose leaves are cheap for its rows. As every index F is concave and homogeneous of degree 1, it
lies below its tangent at the counts of a leaf, so the sum of these costs bounds the cost of the new
tree: it never rises.

The best of many groupings of categories looks good by chance. As in growth, each is charged for its
description: a grouping must save more than its charge exceeds that for the split it replaces.
"""

from math import ceil
from typing import Any, NamedTuple

import numpy as np

from polytomy import kernels
from polytomy._errors import ParameterError, TableError, TargetError, TreeError
from polytomy._numbers import is_finite, is_integer
from polytomy._threads import checked_threads
from polytomy._types import TIE, UNSEEN, AnyArray, BranchArray, FloatArray, IntArray
from polytomy.encode import ColumnSpec, NumericTarget, OrderedColumn, Schema, thresholds_between
from polytomy.grow import cases_per_unit
from polytomy.index import Index
from polytomy.predict import check_fit
from polytomy.theory import Prices, loss_index, tree_cost
from polytomy.tree import (
    UNCONSTRAINED,
    CategorySplit,
    Constraints,
    CustomSplit,
    IntervalSplit,
    NodeSplit,
    Tree,
    TreeBuilder,
    checked_route,
    count_tolerance,
    subtree_sums,
)

from .growing import Sample, in_units

_ORDERED, _NOMINAL, _FIXED = range(3)  # how a kernel may use a column


class Polished(NamedTuple):
    """A polished tree.

    Parameters
    ----------
    tree : Tree
        The tree; the very tree that was given if it has the counts of the sample and no split
        could be improved.
    passes : int
        The number of passes that changed a split.
    cost : float
        Its cost, as ``polytomy.theory.tree_cost`` gives it.
    """

    tree: Tree
    passes: int
    cost: float


def polish(  # noqa: PLR0913
    tree: Tree,
    sample: Sample,
    index: Index,
    prices: Prices,
    *,
    min_rows: int = 1,
    min_weight: float = 0.0,
    passes: int = 4,
    threads: int = 1,
    constraints: Constraints = UNCONSTRAINED,
) -> Polished:
    """Improve the splits of a tree without changing its shape.

    Each node gets the best split on any column, with as many branches as it has: ranges of numbers
    or groups of categories, and missing cells in any branch. The nodes are visited from the top, in
    several passes, until no split can be improved. The cost of the tree never rises. Splits by
    users' own families stay as they are.

    Parameters
    ----------
    tree : Tree
        A tree on the columns of the sample, with rows of it in every leaf; it may be pruned and
        contracted. If its counts are not those of the sample, they are replaced.
    sample : Sample
        The training rows; the first ``target.n_cases`` of them are observed, not synthetic.
    index : Index
        The index function F.
    prices : Prices
        The prices, in units of the weight. That of a leaf only adds to the cost that is returned.
    min_rows : int, default=1
        The fewest observed rows of a leaf. Leaves that have fewer lose none.
    min_weight : float, default=0.0
        The least weight of a leaf, all rows included. Leaves that have less lose none.
    passes : int, default=4
        The most passes over the tree.
    threads : int, default=1
        The number of threads. The result does not depend on it.
    constraints : Constraints, default=UNCONSTRAINED
        Columns that are never asked, that come first, and that are asked only after others. The
        tree that is given must observe them, and so does the result. Costs of columns and
        constraints on branches are not supported.

    Returns
    -------
    Polished
        The tree, the number of passes that changed it, and its cost.

    Examples
    --------
    The first split that growth chose was the best one by itself, but not for what followed it.

    >>> from polytomy.encode import Target, encode
    >>> from polytomy.grow import Grower, GrowParams
    >>> from polytomy.index import resolve
    >>> from polytomy.table import Table
    >>> x, z = np.array([0, 1, 2, 3] * 3), np.repeat([0, 1, 2], 4)
    >>> labels = ((x > 1) ^ (z > 1)).astype(int)
    >>> coded, target = encode(Table.of({"x": x, "z": z})), Target.of(labels)
    >>> tree = Grower(coded, target, GrowParams(max_leaves=4, max_arity=2)).grow().tree
    >>> prices = Prices(leaf=0.0, question=0.0)
    >>> found = polish(tree, Sample(coded, target, None), resolve("gini"), prices)
    >>> found.tree.n_leaves, found.cost
    (4, 0.0)
    """
    threads = checked_threads(threads)
    _check_numbers(min_rows, min_weight, passes)
    if constraints.costs or constraints.on_branches:
        raise ParameterError("polishing does not observe costs of columns, nor limits on branches")
    _check_sample(tree, sample, index)
    target, schema = sample.target, sample.coded.schema
    own = {node: _branches_of_rows(tree, node, sample) for node in sorted(tree.own)}
    specs = list(schema)
    columns = [*sample.coded.columns, *own.values()]
    loss, share = loss_index(index, target.costs)
    n_codes = [*schema.n_codes(), *(tree.arity(node) for node in own)]
    use = [_ORDERED if isinstance(spec, OrderedColumn) else _NOMINAL for spec in specs]
    use = [_FIXED if j in constraints.never else kind for j, kind in enumerate(use)]
    after = [list(needed) for needed in constraints.after]
    found = kernels.polish(
        kernels.code_table(columns, n_codes),
        (
            np.array(use + [_FIXED] * len(own), dtype=np.uint8),
            np.array([spec.has_missing for spec in specs] + [False] * len(own), dtype=np.uint8),
        ),
        (target.labels, target.units, list(target.more), target.n_classes),
        (tree.child_start, tree.child, *_splits_on_codes(tree, schema, list(own))),
        loss.kernel,
        kernels.PolishRules(
            share,
            in_units(prices, target).question,
            observed=target.n_cases,
            least_rows=int(min(min_rows, target.n_rows)),
            least_weight=_units(min_weight, target.unit),
            passes=int(min(passes, 2**31 - 1)),
            threads=threads,
            first_columns=list(constraints.first),
            after_columns=after + [[] for _ in own] if after else [],
            cases_per_unit=cases_per_unit(target),
        ),
    )
    if not found.rows.all():
        raise TreeError("a leaf of the tree has no rows: the tree was not grown on this sample")
    counts = _counts(tree, sample, found)
    if found.passes or not _has_counts(tree, counts, found.rows):
        tree = _rebuilt(tree, sample, found, counts)
    return Polished(tree, found.passes, tree_cost(tree, index, prices))


def _check_numbers(min_rows: Any, min_weight: Any, passes: Any) -> None:
    for name, value, least in (("min_rows", min_rows, 1), ("passes", passes, 0)):
        if not is_integer(value) or int(value) < least:
            raise ParameterError(f"{name} must be an integer of at least {least}, got {value!r}")
    if not is_finite(min_weight) or min_weight < 0:
        raise ParameterError(f"min_weight must be a number of at least 0, got {min_weight!r}")


def _check_sample(tree: Tree, sample: Sample, index: Index) -> None:
    coded, target = sample.coded, sample.target
    if coded.n_rows != target.n_rows:
        raise TargetError(f"{coded.n_rows} rows but {target.n_rows} labels")
    is_numeric = isinstance(target, NumericTarget)
    if not is_numeric == index.is_numeric == tree.is_numeric:
        raise TargetError("the tree, the index and the target must all be for classes or numbers")
    check_fit(coded.schema, tree)


def _branches_of_rows(tree: Tree, node: int, sample: Sample) -> AnyArray:
    """Return the branch that each row takes at a user-defined split, as the codes of a column."""
    if sample.table is None:
        raise TableError("the tree has splits by users' own families, which need the raw table")
    return checked_route(tree.own[node], sample.table).astype(np.uint32)


def _splits_on_codes(
    tree: Tree, schema: Schema, own: list[int]
) -> tuple[BranchArray, IntArray, BranchArray]:
    """Return the column of each node, and the branch of each of its codes with their offsets."""
    column = np.full(tree.n_nodes, -1, dtype=np.int32)
    maps: list[AnyArray] = []
    for node in range(tree.n_nodes):
        split = tree.split(node)
        if split is None:
            maps.append(np.empty(0, dtype=np.int32))
        elif isinstance(split, CustomSplit):
            column[node] = len(schema) + own.index(node)
            maps.append(np.arange(split.arity, dtype=np.int32))
        else:
            column[node] = split.feature
            maps.append(_branch_of_codes(split, schema[split.feature]))
    start = np.cumsum([0, *map(len, maps)], dtype=np.int64)
    return column, start, np.concatenate(maps).astype(np.int32)


def _branch_of_codes(split: IntervalSplit | CategorySplit, spec: ColumnSpec) -> AnyArray:
    """Return the branch that each code of a column takes, including that of missing cells."""
    if isinstance(split, IntervalSplit):
        assert isinstance(spec, OrderedColumn)
        branch = np.searchsorted(split.thresholds, spec.high, side="left")
    else:
        branch = split.branch_of_codes(spec.n_values)
    return np.append(branch, split.branch_of_missing) if spec.has_missing else branch


def _units(weight: float, unit: float) -> int:
    """Return a weight in units, rounded up; more than any sum of weights if it is larger."""
    units = weight / unit * (1 - TIE)
    return ceil(units) if units < 2.0**62 else 2**62


def _counts(tree: Tree, sample: Sample, found: kernels.PolishedArrays) -> FloatArray:
    """Return the weight of each class, or the moments, at each node."""
    target = sample.target
    if isinstance(target, NumericTarget):
        return subtree_sums(tree, target.moments(found.leaf, tree.n_nodes))
    return np.asarray(found.counts.reshape(tree.n_nodes, -1) * target.unit)


def _has_counts(tree: Tree, counts: FloatArray, rows: IntArray) -> bool:
    """Return whether the counts of a tree are these, up to rounding."""
    close = np.abs(tree.counts - counts) <= count_tolerance(tree)
    return np.array_equal(tree.rows, rows) and bool(close.all())


def _rebuilt(tree: Tree, sample: Sample, found: kernels.PolishedArrays, counts: FloatArray) -> Tree:
    """Return the polished tree: the same nodes, split as the kernel found.

    A node keeps its split exactly if its rows did not change. The others follow the rules for a
    grown tree: thresholds lie half-way between the values of the node's rows, and what none of them
    has takes the branch with the most weight. Ranges ascend, so branches may change places.
    """
    weight = counts[:, 0] if tree.is_numeric else np.asarray(counts.sum(axis=1))
    builder = TreeBuilder(counts[0], int(found.rows[0]), tree.centre, tree.costs)
    number = {0: 0}
    inner = [v for v in range(tree.n_nodes) if not tree.is_leaf(v)]
    for node in sorted(inner, key=lambda v: int(tree.children(v).min())):  # as they were numbered
        children = tree.children(node)
        split = tree.split(node)
        assert split is not None
        is_same = not found.changed[node] and np.array_equal(
            tree.rows[children], found.rows[children]
        )
        if not is_same and not isinstance(split, CustomSplit):
            split, order = _split_of(sample.coded.schema, found, node, weight[children])
            children = children[order]
        made = builder.split(number[node], split, counts[children], found.rows[children])
        number.update(zip(children.tolist(), made, strict=True))
    return builder.finish()


def _split_of(
    schema: Schema, found: kernels.PolishedArrays, node: int, weight: FloatArray
) -> tuple[NodeSplit, list[int]]:
    """Return the split of a node, and its old branches in the order of the new ones."""
    column = int(found.column[node])
    spec = schema[column]
    branch = found.branch_of_code[found.code_start[node] : found.code_start[node + 1]]
    missing = int(branch[spec.n_values]) if spec.has_missing else UNSEEN
    codes = np.flatnonzero(branch[: spec.n_values] != UNSEEN)
    if not isinstance(spec, OrderedColumn):
        default = _heaviest(weight)
        return CategorySplit(column, branch[: spec.n_values], missing, default), [
            *range(len(weight))
        ]
    taken = branch[codes]
    cuts = np.flatnonzero(np.diff(taken))
    order = taken[[*cuts.tolist(), len(taken) - 1]].tolist()
    if missing != UNSEEN and missing not in order:
        order.append(missing)
    thresholds = thresholds_between(spec.high[codes[cuts]], spec.low[codes[cuts + 1]])
    missing = UNSEEN if missing == UNSEEN else order.index(missing)
    return IntervalSplit(column, thresholds, missing, _heaviest(weight[order])), order


def _heaviest(weight: FloatArray) -> int:
    """Return the first branch with the most weight, up to the tie tolerance."""
    return int(np.argmax(weight >= weight.max() - TIE * weight.sum()))
