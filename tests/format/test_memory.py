"""What a model file remembers of its training data: round trips, and damaged records refused."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polytomy import (
    BoostedTreeClassifier,
    DensityTree,
    ForestClassifier,
    ModelFormatError,
    TreeClassifier,
    edit,
    load,
)
from polytomy.estimators import record_of, remember
from polytomy.format.memory import from_training, to_training
from polytomy.format.node import Node
from polytomy.io import ReadingOptions, TrainingRecord
from polytomy.io.formats import FORMATS

HASH = "0123456789abcdef" * 2
RECORD = TrainingRecord(
    "y", 10, 8, "0.1.0", "2026-01-31T12:00:00Z", 0.25, 3, "w", True,
    ReadingOptions("tab", ",", "cp1252", True, {"a": "1.234,5", "b": "dd/mm/yyyy"}), HASH, HASH,
)  # fmt: skip

texts = st.none() | st.text()
records = st.builds(
    lambda n, held, **more: TrainingRecord(n_rows=n + held, n_fitted=n, **more),
    n=st.integers(1, 10**9),
    held=st.integers(0, 10**6),
    target=texts,
    version=st.text(),
    time=st.none() | st.datetimes().map(lambda t: t.strftime("%Y").zfill(4) + "-01-02T03:04:05Z"),
    test_fraction=st.floats(0, 1, exclude_max=True),
    seed=st.integers(0, 2**32 - 1),
    weights=texts,
    drop_unlabelled=st.booleans(),
    reading=st.builds(
        ReadingOptions,
        sep=st.sampled_from([None, ",", ";", "tab", "|"]),
        decimal=st.sampled_from([None, ".", ","]),
        encoding=st.sampled_from([None, "utf-8", "cp1252"]),
        dayfirst=st.sampled_from([None, True, False]),
        formats=st.dictionaries(st.text(), st.sampled_from(list(FORMATS))),
    ),
    fingerprint=st.sampled_from([None, HASH]),
    chosen_on=st.sampled_from([None, HASH]),
)


@given(records)
def test_records_are_read_back(record):
    assert from_training(Node(to_training(record), "training")) == record


@pytest.fixture
def tree():
    X = np.arange(20.0)[:, None]
    return TreeClassifier(max_leaves=2).fit(X, X[:, 0] > 9)


def test_models_keep_their_record(tree, tmp_path):
    tree.save(tmp_path / "plain.json")
    assert b'"training"' not in (tmp_path / "plain.json").read_bytes()
    assert record_of(load(tmp_path / "plain.json")) is None
    remember(tree, RECORD)
    tree.save(tmp_path / "m.json")
    again = load(tmp_path / "m.json")
    assert record_of(again) == RECORD
    again.fit(np.arange(20.0)[:, None], np.arange(20) > 4)
    assert record_of(again) is None  # it holds for one fit


def test_derived_models_keep_the_record_of_their_rows():
    X, y = np.arange(20.0)[:, None], (np.arange(20) // 4) % 2
    tree = TreeClassifier(max_leaves=4, honest=False).fit(X, y)
    remember(tree, RECORD)
    path = tree.pruning_path(X, y)
    session = edit(tree, X, y)
    session.collapse(0)
    pruned = [
        path.at(2),
        path.select("holdout"),
        path.select(sensitivity=0.5, of=1),
        tree.pruning_path(X, y, merge=True).select("cost"),
        tree.prune("pessimistic"),
    ]
    same = replace(RECORD, chosen_on=None)  # the rows that chose another size
    assert [record_of(model) for model in pruned] == [same] * 5
    assert record_of(session.estimator()) == RECORD
    assert record_of(tree) == RECORD
    assert record_of(pickle.loads(pickle.dumps(path.at(2)))) == same
    others = record_of(session.replay(X[:9], y[:9]).estimator())
    assert (others.target, others.n_rows, others.n_fitted) == (RECORD.target, 9, 9)
    assert (others.test_fraction, others.fingerprint, others.reading) == (0, None, RECORD.reading)


def test_pruned_density_trees_keep_the_record_of_their_rows():
    model = DensityTree(max_leaves=4).fit(np.arange(20.0)[:, None] ** 2)
    remember(model, RECORD)
    assert record_of(model.pruning_path().at(2)) == replace(RECORD, chosen_on=None)


def test_ensembles_keep_the_record_of_their_rows():
    X, y = np.arange(40.0)[:, None], (np.arange(40) // 4) % 2
    boosted = BoostedTreeClassifier(2).fit(X, y)
    remember(boosted, RECORD)
    assert record_of(boosted.fit_more(1)) == RECORD
    forest = ForestClassifier(2, random_state=0).fit(X, y)
    remember(forest, RECORD)
    tree = forest[0]
    assert record_of(tree) == RECORD.on_other_rows(int(tree.tree_.rows[0]))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_fitted": 11}, "training.n_fitted: must be an integer from 1 to 10"),
        ({"n_rows": 0}, "training.n_rows: must be an integer of at least 1"),
        ({"test_fraction": 1.0}, "training.test_fraction: must be at least 0 and less than 1"),
        ({"seed": -1}, "training.seed: must be an integer of at least 0"),
        ({"time": "yesterday"}, "training.time: has the wrong form"),
        ({"fingerprint": "x"}, "training.fingerprint: has the wrong form"),
        ({"chosen_on": HASH[1:]}, "training.chosen_on: has the wrong form"),
        ({"target": 5}, "training.target: must be text"),
        ({"drop_unlabelled": 1}, "training.drop_unlabelled: must be true or false"),
        ({"more": 1}, "training: unknown member 'more'"),
    ],
)
def test_damaged_records_are_refused(change, message):
    with pytest.raises(ModelFormatError) as error:
        from_training(Node(to_training(RECORD) | change, "training"))
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sep": "ab"}, "training.reading: sep must be one character or tab"),
        ({"decimal": "x"}, "training.reading: decimal must be a point or a comma"),
        ({"encoding": "x"}, "training.reading: encoding 'x' is not known"),
        ({"dayfirst": "yes"}, "training.reading.dayfirst: must be true or false"),
        ({"formats": {"a": "1"}}, "training.reading.formats.a: unknown format of cells '1'"),
    ],
)
def test_damaged_reading_options_are_refused(change, message):
    plain = to_training(RECORD)
    plain["reading"] |= change
    with pytest.raises(ModelFormatError) as error:
        from_training(Node(plain, "training"))
    assert message in str(error.value)
