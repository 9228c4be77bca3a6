"""``split_table``: the gains of every column at a node, against the reference."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris

import polytomy
from polytomy import ParameterError, TreeClassifier
from polytomy.data import load_tennis
from polytomy.prune import adjusted_p_chance
from polytomy.reference import Limits, entropy, gain_ratio, menu
from tests.strategies import random_cases

X, y = load_iris(return_X_y=True, as_frame=True)


@pytest.fixture(scope="module")
def tennis():
    columns, play = load_tennis()
    return pd.DataFrame(columns), play


def id3(**parameters):
    return TreeClassifier(None, procedure="id3", honest=False, **parameters)


def test_play_tennis_has_the_gains_and_the_tree_of_the_textbook(tennis):
    weather, play = tennis
    clf = id3().fit(weather, play)
    table = clf.split_table(weather, play)
    assert table.entropy == pytest.approx(0.940, abs=5e-4)
    assert {s.column: round(s.gain, 3) for s in table} == {
        "outlook": 0.247,
        "humidity": 0.152,
        "wind": 0.048,
        "temperature": 0.029,
    }
    assert [s.column for s in table if s.chosen] == ["outlook"]
    assert clf.n_leaves_ == 5
    assert sorted(str(r).split(":")[0] for r in clf.to_rules()) == [
        "if outlook is overcast",
        "if outlook is rain (or unseen) and wind is strong",
        "if outlook is rain (or unseen) and wind is weak (or unseen)",
        "if outlook is sunny and humidity is high (or unseen)",
        "if outlook is sunny and humidity is normal",
    ]


@settings(max_examples=40, deadline=None)
@given(random_cases(max_rows=25, max_columns=3), st.sampled_from(["id3", "per-leaf"]))
def test_gains_are_those_of_the_reference(case, procedure):
    frame = pd.DataFrame(case.columns)
    labels, weights = np.array(case.labels), np.array(case.units, dtype=float)
    clf = TreeClassifier(
        4, procedure=procedure, honest=False, contract=False, max_arity=3, index="entropy"
    ).fit(frame, labels, weights)
    table = clf.split_table(frame, labels, weights)
    counts = np.zeros((len(labels), case.n_classes), dtype=np.int64)
    counts[np.arange(len(labels)), labels] = case.units
    families = ("values", "intervals") if procedure == "id3" else ("intervals", "values", "groups")
    limits = Limits(entropy, families, 2 if procedure == "id3" else 3)
    rows = range(len(labels))
    for j, name in enumerate(case.columns):
        best = menu(case.naive_table, rows, counts, limits, [j])
        found = {s.branches: s for s in table if s.column == name}
        total = counts.sum()
        most = max((split.gain for split in best.values()), default=0.0)
        assert max(s.gain for s in found.values()) == pytest.approx(most / total, abs=1e-9)
        for k, split in found.items():
            if k > 1:
                assert split.gain == pytest.approx(best[k].gain / total, abs=1e-9)
                assert split.share == pytest.approx(split.gain / table.entropy)
            if k > 1 and procedure == "id3":
                assert split.gain_ratio == pytest.approx(gain_ratio(best[k]), abs=1e-9)
    assert {s.column for s in table} == set(case.columns)
    assert sum(s.chosen for s in table) == (0 if clf.tree_.is_leaf(0) else 1)


def test_p_values_of_chosen_splits_are_those_of_the_tree():
    clf = id3(contract=False).fit(X, y)
    expected = adjusted_p_chance(clf.tree_, clf._model.schema)
    for node in range(clf.tree_.n_nodes):
        table = clf.split_table(X, y, node=node)
        assert table.rows == clf.tree_.rows[node]
        own = [s for s in table if s.chosen]
        assert len(own) == (not clf.tree_.is_leaf(node))
        for split in own:
            assert split.p_value == pytest.approx(expected.plain[node])
            assert split.p_adjusted == pytest.approx(expected.p[node])


def test_the_own_split_is_listed_even_if_another_gains_more():
    """ID3 has one threshold for a number, but contraction makes the root wider."""
    widths = X[["petal width (cm)"]]
    clf = TreeClassifier(4, procedure="id3").fit(widths, y)
    binary, own = clf.split_table(widths, y)
    assert (binary.branches, binary.chosen, own.chosen) == (2, False, True)
    assert own.branches == clf.tree_.arity(0) > 2
    assert own.gain > binary.gain


def test_table_of_a_pure_node_has_no_gain():
    clf = id3().fit(X, y)
    pure = next(n for n in clf.tree_.leaves() if np.count_nonzero(clf.tree_.counts[n]) == 1)
    table = clf.split_table(X, y, node=pure)
    assert table.entropy == 0
    assert [(s.branches, s.gain, s.share, s.p_value) for s in table] == [(1, 0.0, 0.0, 1.0)] * 4


def test_table_is_printed_and_becomes_a_frame():
    clf = id3().fit(X, y)
    table = clf.split_table(X, y)
    head, names, first, *_ = str(table).splitlines()
    assert head == "node 0: 150 rows, entropy 1.585 bits"
    assert names.split()[:3] == ["column", "branches", "gain"]
    assert first.startswith("*  petal length (cm)")
    assert all(len(line) <= 60 for line in table.to_text(60).splitlines())
    assert len(table) == len(table.to_dict()["column"]) == len(table[:9])
    for backend in ("pandas", "polars"):
        frame = table.to_frame(backend)
        assert list(frame.columns)[:4] == ["column", "branches", "split", "gain"]
        assert frame.shape == (len(table), 10)


def test_table_of_a_loaded_tree_is_the_same(tmp_path):
    clf = id3().fit(X, y)
    clf.save(tmp_path / "m.json")
    assert str(polytomy.load(tmp_path / "m.json").split_table(X, y)) == str(clf.split_table(X, y))


@pytest.mark.parametrize("node", [-1, 10**6, 1.5, True, "0", None])
def test_table_refuses_what_is_no_node(node):
    with pytest.raises(ParameterError, match="node must be an integer from 0 to"):
        id3().fit(X, y).split_table(X, y, node=node)


def test_table_refuses_other_rows():
    clf = id3().fit(X, y)
    with pytest.raises(ParameterError, match="must be the rows passed to fit"):
        clf.split_table(X[1:], y[1:])
    with pytest.raises(ParameterError, match="needs the training rows"):
        clf.split_table(None, None)


def test_p_values_count_rows_whatever_mistakes_cost():
    X, y = random_flips()
    for costs in ([[0, 5, 1], [1, 0, 9], [2, 3, 0]], [[0, 5, 5], [1, 0, 1], [2, 2, 0]]):
        clf = id3(contract=False, cost_matrix=costs, max_depth=2).fit(X, y)
        tree = clf.tree_
        expected = adjusted_p_chance(
            replace(tree, counts=clf._model.case_counts, costs=None), clf._model.schema
        )
        assert clf._model.case_counts.sum(axis=1) == pytest.approx(tree.rows)
        for node in np.flatnonzero(np.diff(tree.child_start) > 0).tolist():
            own = next(s for s in clf.split_table(X, y, node=node) if s.chosen)
            assert own.p_value == pytest.approx(expected.plain[node])
            assert own.p_adjusted == pytest.approx(expected.p[node])


def random_flips():
    rng = np.random.default_rng(3)
    other = np.where(rng.random(len(y)) < 0.4, rng.permutation(y), y)
    return X, other
