"""What the sources say the procedures do."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polytomy import theory
from polytomy.encode import Target, encode
from polytomy.grow import Grower, GrowParams, grow
from polytomy.index import resolve
from polytomy.reference import Rules
from polytomy.reference import e as naive_e
from polytomy.table import Table


def bands(n_rows=6000, n_columns=3, n_bands=48, seed=0, noise=0.0):
    """Numbers whose label alternates in bands of the first column."""
    rng = np.random.default_rng(seed)
    x = rng.random((n_rows, n_columns))
    labels = (x[:, 0] * n_bands).astype(int) % 2
    return x, np.where(rng.random(n_rows) < noise, 1 - labels, labels)


def test_mansour_mcallester_takes_wide_steps_only_where_they_are_acceptable():
    x, labels = bands(noise=0.02)
    s, gamma = 400, 0.4
    params = GrowParams(procedure="mansour-mcallester", gamma=gamma, max_leaves=s, index="sqrt")
    growth = grow(encode(Table.of(x)), Target.of(labels), params)
    wide = [e for e in growth.expansions if e.arity > 2]
    assert {3, 8} <= {e.arity for e in wide} <= set(range(3, 9))
    for e in growth.expansions:
        k, leaves = e.arity, e.leaves_before
        assert k == 2 or leaves < theory.e(k, gamma) * s * gamma / (2 * k)
        assert e.price == pytest.approx((1 - naive_e(k, gamma)) / gamma)
    assert growth.tree.n_leaves <= s


@pytest.mark.parametrize("s", [2, 3, 7, 12, 40])
def test_hatano_never_exceeds_its_budget_and_ends_binary(s):
    x, labels = bands(2000, n_bands=30, noise=0.1)
    growth = grow(
        encode(Table.of(x)), Target.of(labels), GrowParams(procedure="hatano", max_leaves=s)
    )
    assert growth.tree.n_leaves == s
    assert all(e.arity == 2 for e in growth.expansions if e.leaves_before > s / 3)
    assert all(e.arity <= max(2, s / e.leaves_before) for e in growth.expansions)


@pytest.mark.parametrize("index", ["sqrt", "gini", "entropy"])
def test_hatano_takes_six_bands_at_once(index):
    x = np.arange(120.0)
    params = GrowParams(procedure="hatano", index=index, max_leaves=6)
    growth = grow(encode(Table.of({"x": x})), Target.of((x // 20 % 2).astype(int)), params)
    assert [e.arity for e in growth.expansions] == [6]
    assert growth.tree.threshold.tolist() == [19.5, 39.5, 59.5, 79.5, 99.5]


@pytest.mark.parametrize("order", ["heaviest", "steepest"])
def test_kearns_mansour_is_binary(order):
    x, labels = bands(800, noise=0.1)
    params = GrowParams(procedure="kearns-mansour", leaf_order=order, max_leaves=25)
    growth = grow(encode(Table.of(x)), Target.of(labels), params)
    assert growth.tree.n_leaves == 25
    assert {e.arity for e in growth.expansions} == {2}


def test_heaviest_order_splits_leaves_of_falling_impurity():
    x, labels = bands(3000, noise=0.2)
    params = GrowParams(procedure="hatano", index="sqrt", max_leaves=40)
    growth = grow(encode(Table.of(x)), Target.of(labels), params)
    weights = [e.impurity for e in growth.expansions]
    assert all(a >= b * (1 - 1e-12) for a, b in pairwise(weights))


@pytest.mark.parametrize("procedure", ["per-leaf", "hatano", "kearns-mansour"])
def test_index_of_the_tree_falls_by_the_gains_of_the_steps(procedure):
    x, labels = bands(2000, noise=0.1)
    params = GrowParams(procedure=procedure, max_leaves=30)
    growth = grow(encode(Table.of(x)), Target.of(labels), params)
    index = resolve("gini")
    left = index.value(growth.tree.counts[growth.tree.leaves()]).sum()
    gained = sum(e.gain for e in growth.expansions)
    assert growth.root_impurity - gained == pytest.approx(left, rel=1e-9)
    error = 1 - growth.tree.counts[growth.tree.leaves()].max(axis=1).sum() / growth.weight
    assert error <= left / growth.weight / 2 + 1e-12


def test_xor_takes_a_split_without_gain():
    x = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    for procedure in ("per-leaf", "hatano", "kearns-mansour"):
        growth = grow(encode(Table.of(x)), Target.of([0, 1, 1, 0]), GrowParams(procedure=procedure))
        assert growth.tree.n_leaves == 4
        assert growth.expansions[0].gain == 0
        assert growth.expansions[0].option.feature == 0
        assert (growth.tree.counts[growth.tree.leaves()].min(axis=1) == 0).all()
    stopped = grow(encode(Table.of(x)), Target.of([0, 1, 1, 0]), GrowParams(min_gain=1e-9))
    assert stopped.tree.n_leaves == 1
    assert [r.reason for r in stopped.retirements] == ["min_gain"]


def test_xor_among_irrelevant_columns_makes_a_far_larger_tree():
    """Greedy growth has no gradient to follow (benchmarks/xor_size.py prints the sizes)."""
    rng = np.random.default_rng(1)
    x = rng.integers(0, 2, size=(2000, 12))
    sizes = []
    for columns in ([0, 1], range(12)):
        coded = encode(Table.of(x[:, list(columns)]))
        sizes.append(
            grow(coded, Target.of(x[:, 0] ^ x[:, 1]), GrowParams(max_leaves=None)).tree.n_leaves
        )
    assert sizes[0] == 4
    assert sizes[1] > 20 * sizes[0]


REASONS = {
    "max_depth": ({"max_depth": 1}, [0, 1, 1, 0], "max_depth"),
    "too few rows": ({"min_samples_split": 5}, [0, 1, 1, 0], "too few rows"),
    "rows for two children": ({"min_samples_leaf": 3}, [0, 1, 1, 0], "too few rows"),
    "min_gain": ({"min_gain": 0.9}, [0, 1, 1, 1], "min_gain"),
}


@pytest.mark.parametrize("why", REASONS)
def test_retirement_states_its_reason(why):
    params, labels, reason = REASONS[why]
    x = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    growth = grow(encode(Table.of(x)), Target.of(labels), GrowParams(**params))
    assert {r.reason for r in growth.retirements} == {reason}


def test_retirement_of_rows_that_are_alike_in_every_column():
    growth = grow(encode(Table.of(np.ones((6, 3)))), Target.of([0, 1, 0, 1, 0, 1]))
    assert growth.tree.n_leaves == 1
    assert [(r.leaf, r.reason, r.leaves) for r in growth.retirements] == [
        (0, "no acceptable option", 1)
    ]


def test_retirement_of_a_leaf_whose_options_are_too_wide():
    names = np.array(list("abcabc"))
    params = GrowParams(families=("values",), max_leaves=2)
    growth = grow(encode(Table.of({"n": names})), Target.of([0, 1, 0, 0, 1, 1]), params)
    assert [r.reason for r in growth.retirements] == ["no acceptable option"]


def test_steepest_order_falls_back_to_a_smaller_arity_as_the_budget_runs_out():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 400)
    table = Table.of({"n": rng.choice(list("abcdef"), 400), "x": rng.random(400)})
    params = GrowParams(max_leaves=7, families=("values", "intervals"))
    growth = grow(encode(table), Target.of(labels), params)
    assert growth.tree.n_leaves == 7


def test_grower_can_be_stepped():
    x, labels = bands(400)
    coded, target = encode(Table.of(x)), Target.of(labels)
    params = GrowParams(max_leaves=9)
    grower = Grower(coded, target, params)
    sizes = [1]
    while (expansion := grower.step()) is not None:
        assert expansion.leaves_before == sizes[-1]
        sizes.append(grower.tree().n_leaves)
        assert sizes[-1] == sizes[-2] + expansion.arity - 1
    assert grower.grow().tree == grow(coded, target, params).tree


@given(st.sampled_from(["per-leaf", "hatano", "mansour-mcallester", "kearns-mansour"]), st.data())
def test_prices_and_acceptability_are_those_of_the_reference(name, data):
    gamma = data.draw(st.floats(0.01, 0.99)) if name == "mansour-mcallester" else None
    s = data.draw(st.none() | st.integers(2, 500))
    rules = Rules(procedure=name, gamma=gamma, max_leaves=s)
    leaves = data.draw(st.integers(1, (s or 300) - 1))
    for k in range(2, 40):
        assert theory.price(name, k, gamma) == pytest.approx(rules.price(k), rel=1e-9)
        assert theory.acceptable(name, k, leaves, s, gamma) == rules.acceptable(k, leaves)


def test_rates_are_ordered_as_the_theorems_need():
    for gamma in np.linspace(0.01, 0.99, 25):
        for s in range(1, 200):
            assert theory.phi(s, gamma) <= theory.e(s, gamma) + 1e-12
            assert theory.e(s, gamma) <= s**-gamma + 1e-12
    for k, s in ((3, 32), (4, 49), (8, 126)):
        gammas = np.linspace(0.01, 0.99, 99)
        assert any(theory.acceptable("mansour-mcallester", k, 1, s, g) for g in gammas)
        assert not any(theory.acceptable("mansour-mcallester", k, 1, s - 1, g) for g in gammas)


def test_retirement_does_not_happen_when_the_budget_is_spent():
    x, labels = bands(500, noise=0.1)
    growth = grow(encode(Table.of(x)), Target.of(labels), GrowParams(max_leaves=8))
    assert growth.tree.n_leaves == 8
    assert growth.retirements == ()


def test_mansour_mcallester_accepts_only_below_its_limit():
    """k > 2 needs T strictly below e(k) s gamma / (2k): at s = 64, gamma = 1/2, k = 3: 2."""
    s, gamma = 64, 0.5
    limit = theory.e(3, gamma) * s * gamma / 6  # 0.375 * 64 * 0.5 / 6 = 2
    assert limit == 2
    assert theory.acceptable("mansour-mcallester", 3, 1, s, gamma)
    assert not theory.acceptable("mansour-mcallester", 3, 2, s, gamma)
    with pytest.raises(ValueError, match="no procedure is called 'cart'"):
        theory.acceptable("cart", 3, 1, None)


def test_tiny_gamma_prices_a_branch_at_the_harmonic_sum():
    assert theory.g(4, 1e-17) == pytest.approx(1 + 1 / 2 + 1 / 3)
    params = GrowParams(procedure="mansour-mcallester", gamma=1e-17, max_leaves=None)
    x, labels = bands(200)
    assert grow(encode(Table.of(x)), Target.of(labels), params).tree.n_leaves > 10


@pytest.mark.parametrize("procedure", ["per-leaf", "mansour-mcallester"])
def test_max_arity_may_be_absurdly_large(procedure):
    x, labels = bands(300)
    gamma = 0.4 if procedure == "mansour-mcallester" else None
    params = GrowParams(procedure=procedure, gamma=gamma, max_arity=10**9)
    assert grow(encode(Table.of(x)), Target.of(labels), params).tree.n_leaves > 4
