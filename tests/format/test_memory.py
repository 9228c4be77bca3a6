"""What a model file remembers of its training data: round trips, and damaged records refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polytomy import ModelFormatError, TreeClassifier, load
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
