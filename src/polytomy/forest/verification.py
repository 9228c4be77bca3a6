"""Checking a forest against the rows it was grown on, by the verifier's own routing."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from polytomy._types import AnyArray, FloatArray, IntArray
from polytomy.certify.verify import Ledger, Report
from polytomy.certify.verify.binary_gain import column_codes
from polytomy.certify.verify.check_tree import CodesOfRows, check_node_splits
from polytomy.certify.verify.recount import Recount, Sample, recount
from polytomy.encode import NumericTarget, Target, encode_with
from polytomy.ensemble import Ensemble, VoteScale
from polytomy.table import Table
from polytomy.tree import LEAF, Tree

from .params import ForestParams
from .sampling import RowSampler

_TOLERANCE = 1e-9  # relative


def verify_forest(
    model: Ensemble,
    params: ForestParams,
    seed: int,
    oob_error: float | None,
    rows: tuple[Table, AnyArray, FloatArray | None],
) -> Report:
    """Draw the bags again, count their rows at every node, and vote out of bag.

    Parameters
    ----------
    model : Ensemble
        The forest.
    params : ForestParams
        The parameters it was grown with.
    seed : int
        Its random seed.
    oob_error : float or None
        The stated out-of-bag error.
    rows : tuple of Table, array and array or None
        The training rows of positive weight, their class numbers (-1 if unknown) or numbers, and
        weights.

    Returns
    -------
    Report
        The findings.
    """
    table, labels, _ = rows
    ledger = Ledger()
    if not model.is_numeric:
        ledger.begin("rows: classes")
        known = bool((labels >= 0).all())
        if not ledger.holds(known, "sample", "there are classes that the model does not have"):
            return ledger.report()
    target = _target_of(model, params, rows)
    sampler = RowSampler(encode_with(model.schema, table), target, params, seed)
    every = _sample_of(model, table, labels)
    cells = zip(every.columns, model.schema, strict=True)
    codes = [column_codes(column, spec) for column, spec in cells]
    votes, trees = np.zeros((table.n_rows, model.n_outputs)), np.zeros(table.n_rows)
    for number, member in enumerate(model.members):
        where, tree = f"tree {number}", member.tree
        bag = sampler.bag(number)
        outside = np.zeros(table.n_rows, dtype=bool) if bag.outside is None else bag.outside
        found = recount(tree, _in_bag(every, bag.target, outside))
        what = "moments" if model.is_numeric else "class weights"
        ledger.begin(f"trees: rows and {what} of every node")
        same = bool((np.abs(found.counts - tree.counts) <= _TOLERANCE * found.scale).all())
        same = same and np.array_equal(_rows_in_bag(found, outside), tree.rows)
        ledger.holds(same, where, f"its {what} are not those of the rows in its bag")
        here = CodesOfRows(model.schema, codes, found, ~outside)
        check_node_splits(ledger, tree, model.schema, found.weight, here, what=where)
        ledger.begin("trees: votes of the leaves")
        stated = _votes_of(tree, model.scale)
        close = np.allclose(member.scores, stated, rtol=0, atol=_TOLERANCE)
        ledger.holds(close, where, "its leaves do not vote with the shares or means of their rows")
        leaf = np.empty(table.n_rows, dtype=np.int64)
        for node in tree.leaves().tolist():
            leaf[found.rows_of(node)] = node
        votes[outside] += member.scores[leaf[outside]]
        trees += outside
    if oob_error is not None:
        ledger.begin("out-of-bag error")
        error = _error(votes, trees, target, model.scale)
        scale = 1.0 if model.scale is None else model.scale.unit**2
        ledger.close(oob_error, error, "forest", "the out-of-bag error", scale=scale)
    return ledger.report()


def _target_of(
    model: Ensemble, params: ForestParams, rows: tuple[Table, AnyArray, FloatArray | None]
) -> Target:
    _, labels, weights = rows
    if model.is_numeric:
        return NumericTarget.of_numbers(labels, weights, str(params.grow.index))
    return Target.of(labels, len(model.classes), weights)


def _sample_of(model: Ensemble, table: Table, labels: AnyArray) -> Sample:
    """Return the rows with a weight of 1 each."""
    if model.is_numeric:
        return Sample.of_numbers(table, model.schema, labels, None, model.members[0].tree)
    return Sample.of(table, model.schema, labels, None, len(model.classes))


def _in_bag(every: Sample, target: Target, outside: NDArray[np.bool_]) -> Sample:
    """Return the rows with their weights in a bag, 0 outside it."""
    if every.terms is not None:
        assert isinstance(target, NumericTarget)
        weights = ~outside * (1.0 if target.weights is None else target.weights)
        return replace(every, terms=every.terms * weights[:, None])
    units = (~outside).astype(np.float64)
    if target.units is not None:
        units *= target.units
    return replace(every, units=units, unit=target.unit)


def _votes_of(tree: Tree, scale: VoteScale | None) -> FloatArray:
    """Return the votes that the leaves of a tree should have."""
    if scale is None:
        expected = tree.counts / tree.counts.sum(axis=1, keepdims=True)
    else:
        expected = (tree.counts[:, 1:2] / tree.counts[:, :1]) / scale.unit
    expected[tree.kind != LEAF] = 0.0
    return np.asarray(expected)


def _rows_in_bag(found: Recount, outside: NDArray[np.bool_]) -> IntArray:
    """Return the number of rows of each node that are in the bag."""
    before = np.concatenate(([0], np.cumsum(~outside[found.order])))
    return np.asarray(before[found.stop] - before[found.start])


def _error(votes: FloatArray, trees: FloatArray, target: Target, scale: VoteScale | None) -> float:
    """Return the weighted mean error of the rows with votes: 0 or 1, or the squared error."""
    units, known = target.case_units[0], trees > 0
    weights = np.ones(target.n_rows) if units is None else units.astype(np.float64)
    if not known.any():
        return float("nan")
    if scale is None:
        errors = (votes.argmax(axis=1) != target.labels).astype(np.float64)
    else:
        assert isinstance(target, NumericTarget)
        means = scale.centre + scale.unit * votes[:, 0] / np.maximum(trees, 1)
        errors = (means - target.values) ** 2
    return float(np.average(errors[known], weights=weights[known]))
