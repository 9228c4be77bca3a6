"""Polishing under constraints on columns: against enumeration, and what it leaves alone."""

import numpy as np
import pytest
from hypothesis import given, settings

from polytomy._errors import ParameterError
from polytomy._types import UNSEEN
from polytomy.encode import Target, encode
from polytomy.predict import apply
from polytomy.priced import Sample, polish
from polytomy.table import Table
from polytomy.theory import Prices, tree_cost
from polytomy.tree import Constraints, IntervalSplit, TreeBuilder
from tests.naive import polishing as naive
from tests.priced.test_polishing import (
    checkers,
    grown,
    index_of,
    naive_problem,
    naive_tree,
    random_tree,
    same_groups,
    samples,
    seeds,
)


@settings(max_examples=60)
@given(samples(("soft", "numbers")), seeds)
def test_polishing_under_constraints_does_what_enumeration_does(sample, seed):
    rng = np.random.default_rng(seed)
    tree = random_tree(rng, sample, int(rng.integers(1, 5)), 3)
    index, prices = index_of(sample), Prices(0.0, 0.0)
    problem, n = naive_problem(sample, index, prices), len(sample.coded.schema)
    waits = {j: tuple(i for i in range(n) if i != j and rng.random() < 0.6) for j in range(n)}
    problem.after = {j: needed for j, needed in waits.items() if rng.random() < 0.4}
    problem.first = tuple(j for j in range(n) if rng.random() < 0.4)
    held = Constraints(first=problem.first, after=tuple(problem.after.get(j, ()) for j in range(n)))
    root = naive_tree(tree, sample.coded.schema)
    was_kept = not any(problem.breaks(root, *pair) for pair in naive.inner_nodes(root))
    passes = naive.polish(problem, root, 3)
    found = polish(tree, sample, index, prices, passes=3, constraints=held)
    leaf = apply(found.tree, sample.coded.schema, sample.table).tolist()
    assert found.passes == passes
    assert same_groups(leaf, problem.reached(root))
    if was_kept:
        after = naive_tree(found.tree, sample.coded.schema)
        assert not any(problem.breaks(after, *pair) for pair in naive.inner_nodes(after))


def test_polishing_keeps_what_a_question_below_needs():
    # Without the constraint, the root would ask about the third column, and the second would lose
    # the question that it needs above it.
    rng = np.random.default_rng(0)
    a, b, c = (rng.integers(0, 2, 400) for _ in range(3))
    noise = rng.random(400) < 0.1
    coded = encode(Table.of({"a": a, "b": b, "c": c}))
    sample = Sample(coded, Target.of(((b & c) ^ noise).astype(int)), None)
    index, prices = index_of(sample), Prices(0.0, 0.0)
    held = Constraints(after=((), (0,), ()))
    counts = np.bincount(sample.target.labels, minlength=2).astype(float)
    builder = TreeBuilder(counts, 400)

    def parts(rows, column):
        labels = sample.target.labels
        return [np.bincount(labels[rows & (column == v)], minlength=2) for v in (0, 1)]

    def split(node, rows, j, column):
        held = np.array(parts(rows, column), dtype=float)
        cut = IntervalSplit(j, np.array([0.5]), UNSEEN, int(held.sum(axis=1).argmax()))
        return builder.split(node, cut, held, held.sum(axis=1).astype(int))

    _, right = split(0, np.ones(400, dtype=bool), 0, a)
    split(right, a == 1, 1, b)
    tree = builder.finish()
    free = polish(tree, sample, index, prices).tree
    kept = polish(tree, sample, index, prices, constraints=held)
    assert free.feature[0] == 2
    assert free.feature[right] == 1
    assert kept.tree.feature[0] == 0
    assert kept.tree.feature[right] in (1, 2)
    assert kept.cost <= tree_cost(tree, index, prices)


@pytest.mark.parametrize("held", [Constraints(costs=(0.1,)), Constraints(min_child_share=0.1)])
def test_polishing_refuses_constraints_that_it_does_not_observe(held):
    sample = checkers()
    tree = grown(sample, max_leaves=2)
    with pytest.raises(ParameterError, match="does not observe"):
        polish(tree, sample, index_of(sample), Prices(0.0, 0.0), constraints=held)
