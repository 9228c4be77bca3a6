"""The growth of visited weighted trees: against the procedure written as lists, and Lemma 5.2."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polytomy._errors import ParameterError
from polytomy.theory import VWGrowth, VWTree, e
from tests.theory.test_vw_tree import Growing, seeds, well_formed


@given(st.floats(0.1, 2), st.floats(0, 1), st.integers(1, 30), seeds)
def test_growth_equals_the_procedure_written_as_lists(w, gamma, steps, seed):
    rng = np.random.default_rng(seed)
    slow, fast = Growing(w, gamma), VWGrowth(w, gamma)
    for _ in range(steps):
        leaf = max(slow.leaves, key=slow.share)
        slow.v[leaf] += 1
        weights = None
        if rng.random() < 0.5:
            k = slow.v[leaf]
            weights = rng.dirichlet(np.ones(k)) * e(k, gamma) * slow.w[leaf] * rng.uniform(0.2, 1)
            assert sum(weights) <= fast.room * (1 + 1e-9)
            slow.grow(leaf, weights)
        assert fast.visit(None if weights is None else weights.tolist()) == leaf
        assert fast.tree.invariant_holds  # Lemma 5.1
    done = slow.finish()
    np.testing.assert_allclose(fast.tree.w, done.w)
    assert fast.tree.v.tolist() == done.v.tolist()
    assert fast.tree.parent.tolist() == done.parent.tolist()
    assert fast.tree.size == steps + 1


def regrown(tree):
    """Return the tree that the procedure makes with another as its template, or None."""
    try:
        return VWGrowth.like(tree).tree
    except ParameterError:
        return None


def test_every_safe_tree_can_be_grown():
    """Lemma 5.2. Some other trees can be grown, too, and those satisfy the invariant as well."""
    safe = grown = 0
    trees = [
        well_formed(seed, gamma, alpha)
        for seed in range(60)
        for gamma in (0.1, 0.6)
        for alpha in (0.3, 20)
    ]
    for tree in trees:
        again = regrown(tree)
        if again is None:
            assert not tree.globally_safe
            continue
        grown += 1
        safe += tree.globally_safe
        assert np.sort(again.w).tolist() == np.sort(tree.w).tolist()
        assert sorted(again.v) == sorted(tree.v)
        assert again.index == pytest.approx(tree.index)
        assert tree.invariant_holds
    assert 20 < safe < grown < len(trees)


def test_wide_split_waits_for_its_visits():
    growth = VWGrowth(1.0, 0.5)
    assert (growth.leaf, growth.room) == (0, 0.5)
    growth.visit(children=[0.4, 0.1])
    growth.visit()  # leaf 1: its key falls to e(2) 0.4 / 2 = 0.1
    assert growth.keys == pytest.approx({1: 0.1, 2: 0.1})
    assert growth.leaf == 1  # the older of two
    growth.visit(leaf=2)
    assert growth.visits == (2, 2, 2)
    with pytest.raises(ParameterError, match=r"leaf 2 is not due: its key is 0\.025, that of"):
        growth.visit(leaf=2)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: VWGrowth(0.0, 0.1), "w must be a finite weight above 0"),
        (lambda: VWGrowth(float("inf"), 0.1), "w must be a finite weight above 0"),
        (lambda: VWGrowth(1.0, 1.1), "gamma must be from 0 to 1"),
        (lambda: VWGrowth(1.0, 0.1).visit([0.1] * 3), "must have 2 children after 1 visits, got 3"),
        (lambda: VWGrowth(1.0, 0.1).visit([0.6, 0.4]), r"weigh 1, but e\(2\) w is 0.9"),
        (lambda: VWGrowth(1.0, 0.1).visit([0.6, -0.1]), "finite and at least 0"),
        (lambda: VWGrowth(1.0, 0.1).visit(leaf=3), "3 is not a leaf"),
        (lambda: VWGrowth.like(VWTree([1.0], [2], [-1], 0.1)), "leaves have v = 1"),
    ],
)
def test_invalid_visits_are_refused(call, message):
    with pytest.raises(ParameterError, match=message):
        call()
