"""Stored files of format 1 can still be read and predict what they predicted."""

import datetime as dt
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from polytomy import prune
from polytomy.estimators.base.files import load, to_file_bytes

FILES = Path(__file__).parent / "v1"


def day(text):
    return pd.Timestamp(text, tz="Europe/Berlin")


FRAME = pd.DataFrame(
    {
        "size": [0.1, 0.9, 2.4, np.nan],
        "town": ["Ulm", None, "Ürümqi", "Bari"],
        "grade": pd.Categorical(
            ["low", "high", "mid", None], categories=["low", "mid", "high"], ordered=True
        ),
        "day": [day("2020-01-01"), day("2020-01-04"), day("2020-01-07"), pd.NaT],
        "wait": pd.to_timedelta([0, 4, 9, None], unit="h"),
        "kind": pd.Categorical([dt.date(2020, 1, d) for d in (1, 2, 3, 1)]),
    }
)
ARRAY = np.array([[0.05, 0], [0.5, 4], [0.93, 2], [np.nan, 1]], dtype=np.float32)


def test_v1_pruned_tree_predicts_as_when_it_was_saved():
    clf = load(FILES / "tree.json")
    assert clf.predict(FRAME).tolist() == ["ash", "cedar", "cedar", "birch"]
    assert clf.predict_proba(FRAME)[0].tolist() == [1.0, 0.0, 0.0]
    assert clf.n_leaves_ == 4
    assert clf.held_out_.tolist() == [4, 10, 11, 15, 18, 20, 22, 25, 28, 35]
    assert clf.pruner == prune.ReducedError(fraction=0.25)
    assert clf.certificate_.covered
    assert clf.certificate_.gamma == pytest.approx(0.4482, abs=1e-4)
    assert clf.certificate_.pruned.grown_leaves == 5


def test_v1_hatano_tree_predicts_as_when_it_was_saved():
    clf = load(FILES / "hatano.json")
    assert clf.predict(ARRAY).tolist() == [True] * 4
    assert clf.predict_proba(ARRAY).tolist() == [[0.0, 1.0], *[[0.36, 0.64]] * 3]
    assert not hasattr(clf, "feature_names_in_")
    assert clf.certificate_.theorem.startswith("Hatano's")
    assert clf.certificate_.gamma == pytest.approx(0.10557280900008416, rel=1e-9)


def test_v1_ensemble_predicts_as_when_it_was_saved():
    clf = load(FILES / "boosted.json")
    assert clf.predict(ARRAY).tolist() == [2, 1, 0, 1]
    votes = clf.decision_function(ARRAY)
    assert votes[0].tolist() == [-2.2493109159395317, -0.8089628604884638, -0.30761679140232445]
    assert clf.rounds_.z.tolist() == [0.8472274375440922, 0.841121968511771, 0.8594737494771904]
    assert len(clf.ensemble_) == 9


@pytest.mark.parametrize("path", sorted(FILES.glob("*.json")), ids=lambda path: path.name)
def test_v1_file_is_written_again_unchanged(path):
    before, after = json.loads(path.read_bytes()), json.loads(to_file_bytes(load(path)))
    if before.get("pruning"):
        assert after["pruning"].pop("prices") is None
    for name in before.keys() - {"format", "library", "parameters", "fitted", "checksum"}:
        assert after[name] == before[name]
    if before["kind"] == "tree":
        assert after["honesty"] is after["class_factors"] is None
        assert not load(path).honest
