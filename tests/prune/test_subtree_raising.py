"""Subtree raising against a row-by-row oracle, with correct counts."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polytomy import ParameterError
from polytomy.encode import Target
from polytomy.grow import GrowParams, grow
from polytomy.predict import apply
from polytomy.prune import (
    Evidence,
    Pessimistic,
    ReducedError,
    Rows,
    node_counts,
    pessimistic,
    upper_limit,
)
from polytomy.tree import GONE, IntervalSplit, TreeBuilder, check_tree
from tests.naive.raising import NaiveRaising
from tests.strategies import case_of, random_cases


def rows_of(case, table, target):
    def route(tree, rows):
        return apply(tree, case.coded.schema, table if rows is None else table.take(rows))

    return Rows(target, route)


def training_rows(case):
    return rows_of(case, case.table, case.target)


def plain(case):
    """Return the training rows in the oracle's format, in units."""
    return [
        (case.row(i), y, w) for i, (y, w) in enumerate(zip(case.labels, case.units, strict=True))
    ]


def held_out(case, seed):
    """Rows of the same table with other labels and integer weights, for pruner and oracle."""
    rng = np.random.default_rng(seed)
    which = rng.integers(0, len(case.labels), int(rng.integers(1, 60)))
    noise = rng.integers(0, case.n_classes, len(which))
    labels = np.where(rng.random(len(which)) < 0.5, np.array(case.labels)[which], noise)
    weights = rng.integers(1, 4, len(which))
    target = Target.of(labels, case.n_classes, weights)
    units = np.ones_like(weights) if target.units is None else target.units
    rows = [
        (case.row(int(i)), int(y), int(w)) for i, y, w in zip(which, labels, units, strict=True)
    ]
    return rows_of(case, case.table.take(which.astype(np.uint32)), target), rows


def held_errors(training, held):
    counts = {}
    for _, label, weight in training:
        counts[label] = counts.get(label, 0) + weight
    label = min(counts, key=lambda k: (-counts[k], k))
    return sum(w for _, y, w in held if y != label)


def described(tree, unit=1.0, node=0):
    """Return the splits and units of a tree, nested like the oracle's."""
    counts = np.rint(tree.counts[node] / unit).astype(int).tolist()
    if tree.is_leaf(node):
        return counts
    children = [described(tree, unit, c) for c in tree.children(node).tolist()]
    return [repr(tree.split(node)), counts, children]


def measured(tree, rows):
    """Return the errors of a tree on held-out rows, by routing them."""
    counts, _ = node_counts(tree, rows.route(tree, None), rows.target)
    label = tree.counts.argmax(axis=1)
    wrong = counts.sum(axis=1) - counts[range(tree.n_nodes), label]
    return wrong[tree.leaves()].sum()


@settings(max_examples=200)
@given(random_cases(max_rows=60), st.integers(0, 2**32 - 1), st.sampled_from([True, "any"]))
def test_raising_of_reduced_error_equals_a_row_by_row_oracle(case, seed, raising):
    tree = grow(case.coded, case.target, GrowParams(max_leaves=None)).tree
    held, held_plain = held_out(case, seed)
    counts, _ = node_counts(tree, held.route(tree, None), held.target)
    evidence = Evidence(held=counts, training_rows=training_rows(case), held_rows=held)
    small, place = ReducedError(raising=raising).prune(tree, evidence)
    check_tree(small)
    assert set(place.tolist()) - {GONE} == set(range(small.n_nodes))
    naive = NaiveRaising(tree, case.coded.schema, held_errors, any_child=raising == "any")
    shape, errors = naive.prune(0, plain(case), held_plain)
    assert described(small, case.target.unit) == naive.describe(shape, plain(case))
    assert measured(small, held) == errors
    without, _ = ReducedError().prune(tree, evidence)
    assert errors <= measured(without, held)  # raising can only help on these rows


@settings(max_examples=100)
@given(random_cases(max_rows=60), st.sampled_from([0.1, 0.25, 0.5]), st.sampled_from([True, "any"]))
@pytest.mark.filterwarnings("ignore:.*case counts")
def test_raising_of_pessimistic_equals_a_row_by_row_oracle(case, confidence, raising):
    tree = grow(case.coded, case.target, GrowParams(max_leaves=None)).tree

    def estimate(training, _):
        counts = [0.0] * case.n_classes
        for _, label, weight in training:
            counts[label] += weight * case.target.unit
        n = sum(counts)
        return n * float(upper_limit(n - max(counts), n, confidence))

    small, _ = Pessimistic(confidence, raising=raising).prune(
        tree, Evidence(training_rows=training_rows(case))
    )
    check_tree(small)
    any_child = raising == "any"
    naive = NaiveRaising(tree, case.coded.schema, estimate, tie=1e-12, any_child=any_child)
    shape, errors = naive.prune(0, plain(case), [])
    assert described(small, case.target.unit) == naive.describe(shape, plain(case))
    found = sum(
        c.sum() * float(upper_limit(c.sum() - c.max(), c.sum(), confidence))
        for c in small.counts[small.leaves()]
    )
    assert found == pytest.approx(errors)


def test_raising_equals_an_example_computed_by_hand():
    """Both branches of x have the same split on y; on held-out rows x is useless."""
    x = [0] * 8 + [1] * 4
    y = [0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 1, 1]
    case = case_of({"x": x, "y": y}, [0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1])
    builder = TreeBuilder(np.array([4.0, 8.0]), 12)
    ask_x = IntervalSplit(0, np.array([0.5]), -1, 0)
    builder.split(0, ask_x, np.array([[4.0, 4], [0, 4]]), [8, 4])
    ask_y = IntervalSplit(1, np.array([0.5]), -1, 0)
    builder.split(1, ask_y, np.array([[4.0, 0], [0, 4]]), [4, 4])
    tree = builder.finish()
    table = case.table
    held = rows_of(case, table, Target.of(y, 2))  # there the class is y, regardless of x
    counts, _ = node_counts(tree, held.route(tree, None), held.target)
    evidence = Evidence(held=counts, training_rows=training_rows(case), held_rows=held)
    small, place = ReducedError(raising=True).prune(tree, evidence)
    assert described(small) == [repr(tree.split(1)), [4, 8], [[4, 2], [0, 6]]]
    assert place.tolist() == [0, 0, GONE, 1, 2]
    assert measured(small, held) == 0
    assert measured(ReducedError().prune(tree, evidence)[0], held) == 2


def test_raising_any_child_tries_the_lighter_one():
    """Like the example above, but the split on y is below the lighter branch of x."""
    x = [0] * 4 + [1] * 8
    y = [0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1]
    case = case_of({"x": x, "y": y}, [0, 0, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1])
    builder = TreeBuilder(np.array([4.0, 8.0]), 12)
    ask_x = IntervalSplit(0, np.array([0.5]), -1, 0)
    builder.split(0, ask_x, np.array([[2.0, 2], [2, 6]]), [4, 8])
    ask_y = IntervalSplit(1, np.array([0.5]), -1, 0)
    builder.split(1, ask_y, np.array([[2.0, 0], [0, 2]]), [2, 2])
    tree = builder.finish()
    held = rows_of(case, case.table, Target.of(y, 2))
    counts, _ = node_counts(tree, held.route(tree, None), held.target)
    evidence = Evidence(held=counts, training_rows=training_rows(case), held_rows=held)
    assert measured(ReducedError(raising=True).prune(tree, evidence)[0], held) == 4
    small, _ = ReducedError(raising="any").prune(tree, evidence)
    assert described(small) == [repr(tree.split(1)), [4, 8], [[4, 2], [0, 6]]]
    assert measured(small, held) == 0


def test_raising_needs_the_rows():
    case = case_of({"x": [0, 1, 2, 3]}, [0, 1, 0, 1])
    tree = grow(case.coded, case.target, GrowParams(max_leaves=None)).tree
    with pytest.raises(ParameterError, match="training rows for raising"):
        Pessimistic(raising=True).prune(tree, Evidence())
    evidence = Evidence(training_rows=training_rows(case))
    with pytest.raises(ParameterError, match="held-out rows for raising"):
        ReducedError(raising=True).prune(tree, evidence)
    assert Pessimistic(raising=True).cut(tree, Evidence()).tolist() == pessimistic(tree).tolist()
