"""The reference's growth loop: what the boxes say, and the certificate of a run."""

from dataclasses import fields
from math import isnan

import numpy as np
import pytest

from polytomy import TreeClassifier, reference
from polytomy.grow import GrowParams
from polytomy.reference import Rules, Run

PROCEDURES = [
    {"procedure": "per-leaf"},
    {"procedure": "hatano"},
    {"procedure": "kearns-mansour", "leaf_order": "heaviest"},
    {"procedure": "kearns-mansour", "leaf_order": "steepest"},
    {"procedure": "mansour-mcallester", "gamma": 0.05, "max_leaves": 400},
]
PRICED = [{"procedure": "priced"}, {"procedure": "priced", "branch_price": 0.001}]


def sample(seed, n_rows=60):
    rng = np.random.default_rng(seed)
    columns = {
        "a": rng.integers(0, 7, n_rows).astype(float),
        "b": rng.integers(0, 5, n_rows).astype(float),
        "town": rng.choice(["Bonn", "Jena", "Ulm"], n_rows).astype(object),
    }
    labels = (columns["a"] + columns["b"] * (columns["town"] == "Ulm")) % 4 > 1.5
    return columns, np.where(rng.random(n_rows) < 0.15, ~labels, labels).astype(int)


def test_rules_are_the_parameters_of_the_grower_but_for_constraints():
    shared = [f.name for f in fields(GrowParams) if f.name not in ("monotonic", "constraints")]
    assert [f.name for f in fields(Rules)] == shared


def test_rules_have_the_defaults_of_the_grower_but_for_max_arity():
    ours, theirs = Rules(), GrowParams()
    for field in fields(Rules):
        if field.name != "max_arity":
            assert getattr(ours, field.name) == getattr(theirs, field.name)


def test_run_starts_as_one_leaf_and_ends_at_the_budget():
    columns, labels = sample(0)
    run = Run(columns, labels, max_leaves=5)
    assert run.leaves == [run.tree]
    while run.step() is not None:
        assert len(run.leaves) <= 5
    assert len(run.leaves) == 5
    assert run.step() is None


@pytest.mark.parametrize("rules", PROCEDURES + PRICED, ids=lambda r: " ".join(map(str, r.values())))
def test_tree_index_falls_by_the_gain_of_each_step(rules):
    columns, labels = sample(1)
    run = Run(columns, labels, **{"max_leaves": 9, **rules})
    before = run.tree_index
    while (step := run.step()) is not None:
        after = run.tree_index
        assert after == pytest.approx(before - step.split.gain / run.weight, abs=1e-12)
        before = after


def test_heaviest_order_splits_the_leaf_with_the_largest_index_value():
    columns, labels = sample(2)
    run = Run(columns, labels, procedure="hatano", max_leaves=12)
    while True:
        most = max(run.value(leaf) for leaf in run.leaves)
        step = run.step()
        if step is None:
            break
        assert step.leaf_value == pytest.approx(most)


def test_leaf_without_a_split_is_retired_and_the_next_takes_its_place():
    columns = {"x": [1, 1, 1, 1, 2, 3]}  # the four rows alike cannot be divided
    run = Run(columns, list("ababab"), procedure="hatano")
    run.grow()
    assert [leaf.rows for leaf in run.leaves if leaf.retired] == [[0, 1, 2, 3]]
    assert sorted(leaf.rows for leaf in run.leaves) == [[0, 1, 2, 3], [4], [5]]


def test_split_without_gain_is_taken_unless_min_gain_forbids_it():
    xor = {"x": [0, 0, 1, 1], "y": [0, 1, 0, 1]}
    run = Run(xor, [0, 1, 1, 0])
    run.grow()
    assert [step.split.gain for step in run.steps] == [0.0, 2.0, 2.0]
    assert Run(xor, [0, 1, 1, 0], min_gain=0.01).step() is None


def test_hatano_takes_six_bands_at_once_if_the_budget_allows():
    x = list(range(12))
    labels = [v // 2 % 2 for v in x]
    run = Run({"x": x}, labels, procedure="hatano", max_leaves=6, max_arity=6)
    run.grow()
    assert [step.split.arity for step in run.steps] == [6]
    assert run.steps[0].split.thresholds == [1.5, 3.5, 5.5, 7.5, 9.5]


def test_weights_count_rows_several_times():
    columns, labels = sample(3, 20)
    weights = np.random.default_rng(3).integers(1, 4, 20)
    repeated = {name: np.repeat(cells, weights) for name, cells in columns.items()}
    one, other = Run(columns, labels, weights), Run(repeated, np.repeat(labels, weights))
    one.grow()
    other.grow()
    assert str(one) == str(other)


def test_step_prints_every_leaf_it_considered():
    columns, labels = sample(4)
    run = Run(columns, labels, max_leaves=4)
    run.step()
    printed = repr(run.step())
    assert all(f"leaf {leaf}: F = " in printed for leaf in (1, 2))
    assert "branches: gain" in printed


@pytest.mark.parametrize("rules", PROCEDURES, ids=lambda r: " ".join(map(str, r.values())))
@pytest.mark.parametrize("seed", range(4))
def test_gamma_and_bound_equal_those_of_the_certificate(rules, seed):
    columns, labels = sample(seed)
    rules = {"max_leaves": 8, "index": "sqrt", "max_arity": 4, **rules}
    run = Run(columns, labels, **rules)
    run.grow()
    frame = np.column_stack(
        [columns["a"], columns["b"], np.unique(columns["town"], return_inverse=True)[1]]
    )
    clf = TreeClassifier(**rules, categorical_features=[2]).fit(frame, labels)
    stated = clf.certificate_
    assert run.tree_index == pytest.approx(stated.index_curve[-1])
    if not isnan(reference.run_gamma(run)):
        assert reference.run_gamma(run) == pytest.approx(stated.gamma, abs=1e-9)
    if stated.covered:
        assert reference.run_bound(run) == pytest.approx(stated.bound, abs=1e-9)
        assert run.tree_index <= reference.run_bound(run) + 1e-9


def two_columns():
    """Two columns that predict the class equally well: one of eight towns, and 0 or 1."""
    town = list("abcdefgh") * 5
    labels = [int(t in "aceg") for t in town]
    labels[:4] = [0, 1, 1, 0]
    return {"town": town, "x": [int(t in "aceg") for t in town]}, labels


def test_priced_prefers_a_number_to_a_grouping_with_the_same_gain():
    columns, labels = two_columns()
    plain = Run(columns, labels, max_leaves=2).step().split
    priced = Run(columns, labels, procedure="priced", max_leaves=2).step()
    assert (plain.name, priced.split.name) == ("town", "x")
    assert priced.split.gain == pytest.approx(plain.gain)
    assert priced.best_binary == pytest.approx(plain.gain)


def test_priced_records_the_largest_binary_gain_even_if_its_charge_loses():
    columns, labels = two_columns()
    columns["x"][-1] = 1 - columns["x"][-1]  # a little worse than the grouping
    step = Run(columns, labels, procedure="priced", max_leaves=2).step()
    assert step.split.name == "x"
    assert step.best_binary > step.split.gain


def test_negative_worth_is_a_score_of_its_own():
    towns = list("abcdefgh") * 2
    labels = [0, 1, 1, 0, 1, 0, 0, 1, 0, 1, 0, 1, 0, 1, 1, 0]  # only a and b have a majority
    run = Run({"town": towns}, labels, procedure="priced", families=("groups",))
    scores = {k: (s.worth, run.score(s)) for k, s in run.menu(run.tree).items()}
    assert all(worth < 0 and score == worth for worth, score in scores.values())
    assert run.step().split.arity == 3  # the least negative is taken all the same: a, b, the rest


def test_branch_price_decides_how_many_bands_are_split_off_at_once():
    x = [v for v in range(6) for _ in range(20)]
    labels = [v % 2 for v in x]
    arity = {
        price: Run({"x": x}, labels, procedure="priced", branch_price=price, max_arity=6)
        .step()
        .split.arity
        for price in (0.0, 0.12, 1.0)
    }
    assert arity[0.0] == 6
    assert arity[0.0] >= arity[0.12] >= arity[1.0] == 2


def test_step_prints_the_charge():
    columns, labels = two_columns()
    printed = repr(Run(columns, labels, procedure="priced", families=("groups",)).step())
    assert ", charge " in printed


def test_predict_returns_the_majority_class_of_the_leaf():
    run = reference.Run({"x": [1, 1, 1, 2]}, ["b", "a", "b", "c"])
    run.grow()
    assert run.predict([{"x": 1}, {"x": 2}, {"x": float("nan")}, {}]) == ["b", "c", "b", "b"]


def test_predict_gives_ties_to_the_lower_class():
    assert Run({"x": [1, 1]}, ["b", "a"]).predict([{"x": 1}]) == ["a"]
