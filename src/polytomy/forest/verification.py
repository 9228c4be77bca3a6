"""Checking a forest against the rows it was grown on, by the verifier's own routing."""

from dataclasses import replace

import numpy as np

from polytomy._types import AnyArray, FloatArray, IntArray
from polytomy.certify.verify import Ledger, Report
from polytomy.certify.verify.recount import Recount, Sample, recount
from polytomy.encode import Target, encode_with
from polytomy.ensemble import Ensemble
from polytomy.table import Table
from polytomy.tree import LEAF

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
        The training rows of positive weight, their class numbers (-1 if unknown) and weights.

    Returns
    -------
    Report
        The findings.
    """
    table, labels, weights = rows
    ledger = Ledger()
    ledger.begin("rows: classes")
    known = bool((labels >= 0).all())
    if not ledger.holds(known, "sample", "there are classes that the model does not have"):
        return ledger.report()
    n_classes = len(model.classes)
    target = Target.of(labels, n_classes, weights)
    sampler = RowSampler(encode_with(model.schema, table), target, params, seed)
    every = Sample.of(table, model.schema, labels, weights, n_classes)
    votes = np.zeros((table.n_rows, n_classes))
    for number, member in enumerate(model.members):
        where, tree = f"tree {number}", member.tree
        bag = sampler.bag(number)
        units = bag.target.units
        exact = None if units is None else units.astype(np.float64)
        found = recount(tree, replace(every, units=exact, unit=bag.target.unit))
        ledger.begin("trees: rows and class weights of every node")
        scale = _TOLERANCE * float(tree.counts[0].sum())
        same = np.allclose(found.counts, tree.counts, rtol=_TOLERANCE, atol=scale)
        same = same and np.array_equal(_rows_in_bag(found, units), tree.rows)
        ledger.holds(bool(same), where, "its counts are not those of the rows in its bag")
        ledger.begin("trees: votes of the leaves")
        shares = tree.counts / tree.counts.sum(axis=1, keepdims=True)
        shares[tree.kind != LEAF] = 0.0
        close = np.allclose(member.scores, shares, rtol=0, atol=_TOLERANCE)
        ledger.holds(close, where, "its leaves do not vote with their class shares")
        if units is not None:
            leaf = np.empty(table.n_rows, dtype=np.int64)
            for node in tree.leaves().tolist():
                leaf[found.rows_of(node)] = node
            votes[units == 0] += member.scores[leaf[units == 0]]
    if oob_error is not None:
        ledger.begin("out-of-bag error")
        ledger.close(oob_error, _error(votes, target), "forest", "the out-of-bag error", scale=1.0)
    return ledger.report()


def _rows_in_bag(found: Recount, units: IntArray | None) -> IntArray:
    """Return the number of rows of each node that are in the bag."""
    if units is None:
        return found.rows
    before = np.concatenate(([0], np.cumsum(units[found.order] > 0)))
    return np.asarray(before[found.stop] - before[found.start])


def _error(votes: FloatArray, target: Target) -> float:
    """Return the weight of the rows with votes whose class is not the winner, as a fraction."""
    weights = np.ones(target.n_rows) if target.units is None else target.units.astype(np.float64)
    weights *= votes.sum(axis=1) > 0
    wrong = weights[votes.argmax(axis=1) != target.labels].sum()
    return float(wrong / weights.sum()) if weights.any() else float("nan")
