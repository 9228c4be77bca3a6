"""Whole runs of the grower against ``polytomy.reference`` and brute force, step by step."""

import warnings
from dataclasses import fields

import numpy as np
import pytest

from polytomy import reference, theory
from polytomy.encode import NumericTarget, encode
from polytomy.grow import grow
from polytomy.predict import apply
from polytomy.table import Table
from polytomy.tree import check_tree
from tests.naive.numbers import best_gains, loss
from tests.naive.route import naive_leaf


def quiet(function):
    """Call a function without warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the error index warns: it is for teaching
        return function()


def grown(case, params, threads=1):
    """Grow a tree on a case."""
    return quiet(lambda: grow(case.coded, case.target, params, case.table, threads))


def reference_run(case, params):
    """Return the finished run of the reference on a case."""
    rules = {field.name: getattr(params, field.name) for field in fields(params)}
    assert not rules.pop("monotonic")  # the reference has no constraints
    assert rules.pop("constraints").is_empty
    run = reference.Run(case.columns, case.labels, case.units, case.target.unit, **rules)
    run.grow()
    return run


def assert_same_run(case, params):
    """Compare every step with the reference; return both runs."""
    growth = grown(case, params)
    run = reference_run(case, params)
    assert [e.leaf for e in growth.expansions] == [s.leaf.number for s in run.steps]
    unit = case.target.unit
    for fast, slow in zip(growth.expansions, run.steps, strict=True):
        assert (fast.arity, fast.option.feature) == (slow.split.arity, slow.split.column)
        assert fast.option.family == slow.split.family
        scale = 1e-9 * fast.impurity
        assert fast.gain == pytest.approx(slow.split.gain * unit, abs=scale)
        if slow.best_binary is None:
            assert fast.best_binary_gain is None
        else:
            assert fast.best_binary_gain == pytest.approx(slow.best_binary * unit, abs=scale)
    return growth, run


def assert_same_leaves(case, growth, run):
    """Compare the leaves of two runs: their rows and their counts."""
    check_tree(growth.tree)
    leaves = run.leaves
    assert growth.tree.leaves().tolist() == [leaf.number for leaf in leaves]
    for leaf in leaves:
        for i in leaf.rows:
            assert naive_leaf(growth.tree, case.coded.schema, case.row(i)) == leaf.number
        counts = np.zeros(case.n_classes)
        np.add.at(counts, [case.labels[i] for i in leaf.rows], [case.units[i] for i in leaf.rows])
        np.testing.assert_allclose(
            growth.tree.counts[leaf.number], counts * case.target.unit, rtol=1e-12
        )


def coded_table(columns):
    """Return {name: cells} as a table, and encoded; None is missing."""
    arrays = {
        name: np.array(cells, dtype=object)
        if any(isinstance(c, str) for c in cells)
        else np.array([np.nan if c is None else c for c in cells], dtype=np.float64)
        for name, cells in columns.items()
    }
    table = Table.of(arrays)
    return table, encode(table)


def assert_best_steps(columns, y, w, params):
    """Check that every step of a run with a numeric target takes the best split there is."""
    table, coded = coded_table(columns)
    growth = grow(coded, NumericTarget.of_numbers(y, w, params.index), params, table)
    weights = np.ones(len(y)) if w is None else w
    tree, cells = growth.tree, list(columns.values())
    check_tree(tree)
    leaf = apply(tree, coded.schema, table)
    rows_of = {v: np.flatnonzero([v in tree.path(u) for u in leaf]) for v in range(tree.n_nodes)}
    whole = loss(y, weights, params.index)
    slack = 1e-9 * whole + 1e-12
    leaves = {0}
    for step in growth.expansions:
        gains = {
            v: best_gains(cells, rows_of[v], y, weights, params.index, params.max_arity)
            for v in leaves
            if np.ptp(y[rows_of[v]]) > 0
        }
        size = len(leaves)
        impurity = {v: loss(y[rows_of[v]], weights[rows_of[v]], params.index) for v in gains}

        def score(v, gains=gains, size=size):
            fits = [
                gain / theory.price(params.procedure, k)
                for k, gain in gains[v].items()
                if theory.acceptable(params.procedure, k, size, params.max_leaves)
            ]
            return max(fits, default=-np.inf)

        assert step.impurity == pytest.approx(impurity[step.leaf], abs=slack)
        assert step.gain == pytest.approx(gains[step.leaf][step.arity], abs=slack)
        assert step.gain / step.price >= score(step.leaf) - slack
        if params.order == "steepest":
            assert step.gain / step.price >= max(map(score, gains)) - slack
        else:
            open_leaves = [v for v in gains if score(v) > -np.inf]
            assert impurity[step.leaf] >= max(impurity[v] for v in open_leaves) - slack
        leaves = (leaves - {step.leaf}) | set(step.children)
    for v in leaves:  # a leaf that could be split remains only if the budget is spent
        if len(leaves) < params.max_leaves and np.ptp(y[rows_of[v]]) > 0:
            left = best_gains(cells, rows_of[v], y, weights, params.index, params.max_arity)
            fits = [
                k
                for k in left
                if theory.acceptable(params.procedure, k, len(leaves), params.max_leaves)
            ]
            assert not fits
    for v in range(tree.n_nodes):
        assert tree.mean[v] == pytest.approx(np.average(y[rows_of[v]], weights=weights[rows_of[v]]))
        assert tree.errors[v] == pytest.approx(
            loss(y[rows_of[v]], weights[rows_of[v]], params.index), abs=slack
        )
