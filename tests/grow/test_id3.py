"""ID3 and the gain ratio: the lecture's BuildTree, checked node by node, and textbook figures."""

from itertools import pairwise
from math import log2

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

from polytomy import TreeClassifier
from polytomy.grow import GrowParams
from polytomy.reference import Column, Limits, entropy, gain_ratio, ratio_menu, splits
from polytomy.tree import CategorySplit
from tests.grow.test_oracle import SLOW
from tests.naive.runs import grown
from tests.strategies import cases, random_cases


def members(tree, coded, node):
    """Return the rows of a node, given by its path of codes."""
    rows = np.arange(coded.n_rows)
    for above, child in pairwise(tree.path(node)):
        split = tree.split(above)
        branch = tree.children(above).tolist().index(child)
        spec = coded.schema[split.feature]
        codes = coded.columns[split.feature][rows]
        if isinstance(split, CategorySplit):
            of_code = np.append(split.branch_of_codes(spec.n_values), split.branch_of_missing)
        else:
            of_code = np.append(
                np.searchsorted(split.thresholds, spec.high), split.branch_of_missing
            )
        rows = rows[of_code[codes] == branch]
    return rows.tolist()


@settings(SLOW, max_examples=150)
@given(cases() | random_cases())
def test_id3_takes_the_largest_information_gain_until_nothing_can_be_split(case):
    tree = grown(case, GrowParams(procedure="id3", max_leaves=None)).tree
    counts = np.zeros((len(case.labels), case.n_classes), dtype=np.int64)
    counts[np.arange(len(case.labels)), case.labels] = case.units
    limits = Limits(entropy, ("values", "intervals"), max_arity=2)
    for node in range(tree.n_nodes):
        rows = members(tree, case.coded, node)
        found = list(splits(case.naive_table, rows, counts, limits))
        if tree.is_leaf(node):  # the base cases: one class, or all rows alike
            assert len({case.labels[i] for i in rows}) == 1 or not found
            continue
        value = float(entropy(counts[rows].sum(axis=0)))
        held = [float(entropy(tree.counts[c] / case.target.unit)) for c in tree.children(node)]
        assert value - sum(held) == pytest.approx(max(s.gain for s in found), abs=1e-9 * value)
        split = tree.split(node)
        if isinstance(split, CategorySplit):
            seen = split.code_to_branch[split.code_to_branch >= 0]
            assert len(set(seen.tolist())) == len(seen)  # a child for each category
        else:
            assert split.arity == 2


def test_a_split_without_gain_is_taken_unless_min_gain_forbids_it():
    """The lecture's third base case, no gain, would stop at the root of XOR."""
    table = pd.DataFrame({"a": list("nnyy"), "b": list("nyny")})
    xor = ["0", "1", "1", "0"]
    tree = TreeClassifier(None, procedure="id3", honest=False)
    assert tree.fit(table, xor).n_leaves_ == 4
    assert tree.set_params(min_gain=1e-9).fit(table, xor).n_leaves_ == 1


def test_gain_ratio_chooses_a_column_that_a_key_would_beat_by_gain():
    """200 rows: a key has all the gain, 1 bit, but its branches have log2(200) bits."""
    side = np.array(list("ab") * 100)
    label = np.where(np.arange(200) % 10 < 2, "x", side)  # the side decides four rows of five
    table = pd.DataFrame({"key": [f"k{i}" for i in range(200)], "side": side})
    kept = {"honest": False, "max_depth": 1, "categorical_features": ["key"]}
    by_gain, by_ratio = (
        TreeClassifier(2 if p == "gain-ratio" else None, procedure=p, **kept)
        for p in ("id3", "gain-ratio")
    )
    assert by_gain.fit(table, label).n_leaves_ == 200
    assert by_ratio.fit(table, label).to_rules()[0].conditions[0].startswith("side is")
    by_ratio.set_params(max_leaves=None).fit(table, label)
    assert by_ratio.n_leaves_ == 2  # the ratio of the key is H(label) / log2(200)
    key, side = sorted(by_ratio.split_table(table, label), key=lambda split: split.column)
    assert key.gain_ratio == pytest.approx(key.gain / log2(200))
    assert (side.chosen, side.gain_ratio > key.gain_ratio, side.gain < key.gain) == (True,) * 3


def test_gain_ratio_ignores_columns_below_the_mean_gain():
    """Splitting off one row has a large ratio, 1/36 of a bit by 1/20, but hardly any gain."""
    labels = [0] * 18 + [1] * 18
    rare = ["one"] + ["rest"] * 35
    good = ["p"] * 12 + ["q"] * 6 + ["r"] * 8 + ["q"] * 10
    columns = [Column("rare", tuple(rare)), Column("good", tuple(good))]
    counts = np.eye(2, dtype=np.int64)[labels]
    menu = ratio_menu(columns, range(36), counts, Limits(entropy, ("values",)))
    assert {k: split.name for k, split in menu.items()} == {2: "rare", 3: "good"}
    assert menu[2].merit < 0 < menu[3].merit == pytest.approx(36 * gain_ratio(menu[3]))
    clf = TreeClassifier(None, procedure="gain-ratio", max_depth=1, honest=False)
    clf.fit(pd.DataFrame({"rare": rare, "good": good}), labels)
    assert clf.n_leaves_ == 3


@pytest.mark.parametrize("procedure", ["id3", "gain-ratio"])
def test_a_budget_is_spent_on_the_leaves_that_gain_most(procedure):
    rng = np.random.default_rng(3)
    table = pd.DataFrame({name: rng.choice(list("abc"), 300) for name in "pqrs"})
    labels = (table["p"] == table["q"]).astype(int) + (table["r"] == "a")
    whole = TreeClassifier(None, procedure=procedure).fit(table, labels).certificate_.run.splits
    for steps in range(1, 6):
        clf = TreeClassifier(whole[steps].leaves_before, procedure=procedure).fit(table, labels)
        assert clf.certificate_.run.splits == whole[:steps]


@pytest.mark.parametrize("procedure", ["id3", "gain-ratio"])
@pytest.mark.parametrize("labels", [[0], [1, 1, 1]])
def test_one_row_and_one_class_make_one_leaf(procedure, labels):
    table = pd.DataFrame({"x": np.arange(len(labels)), "c": ["a"] * len(labels)})
    clf = TreeClassifier(procedure=procedure).fit(table, labels)
    assert clf.n_leaves_ == 1


def test_missing_categories_are_a_value_of_their_own():
    table = pd.DataFrame({"c": ["a", "a", "b", "b", None, None]})
    clf = TreeClassifier(procedure="id3", honest=False).fit(table, [0, 0, 1, 1, 2, 2])
    assert clf.n_leaves_ == 3
    assert clf.predict(pd.DataFrame({"c": ["b", None]})).tolist() == [1, 2]


def test_grow_with_threads_takes_the_same_splits_by_gain_ratio():
    rng = np.random.default_rng(0)
    case_of_rows = pd.DataFrame(rng.integers(0, 9, (4000, 6)).astype(float))
    labels = rng.integers(0, 3, 4000)
    trees = [
        TreeClassifier(50, procedure="gain-ratio", honest=False, n_jobs=jobs)
        .fit(case_of_rows, labels)
        .to_text()
        for jobs in (1, 2)
    ]
    assert trees[0] == trees[1]
