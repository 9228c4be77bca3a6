"""Stored files of format 2 can still be read and predict what they predicted."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from polytomy import TreeRegressor
from polytomy.estimators.base.files import load, to_file_bytes

FOLDER = Path(__file__).parent / "v2"
PRICED = FOLDER / "priced.json"
FRAME = pd.DataFrame(
    {
        "size": [1.0, 5.0, 9.5, np.nan],
        "town": ["Ulm", "Oslo", None, "Paris"],
        "age": [20.0, 50.0, 80.0, np.nan],
    }
)


def test_v2_priced_tree_predicts_as_when_it_was_saved():
    clf = load(PRICED)
    assert clf.predict(FRAME).tolist() == ["mid", "mid", "top", "low"]
    assert clf.predict_proba(FRAME)[0] == pytest.approx(
        [0.07221157255309936, 0.8515689983178707, 0.07621942912903011], rel=1e-9
    )
    assert clf.n_leaves_ == 6
    assert clf.tree_.arity(0) == 3
    assert clf.certificate_.gamma == pytest.approx(0.14771145806739627, rel=1e-9)


@pytest.mark.parametrize(
    ("name", "means", "interval"),
    [
        (
            "squared_error",
            [9.96761584950284, 20.970494417862838, 28.248443689869838, 20.970494417862838],
            [5.9091996742043875, 12.13824768447416],
        ),
        (
            "poisson",
            [9.15675954592363, 21.42566943674977, 29.614035087719298, 15.448245614035088],
            [4.723724371946637, 11.342441741176222],
        ),
    ],
)
def test_v2_regression_tree_predicts_as_when_it_was_saved(name, means, interval):
    reg = load(FOLDER / f"{name}.json")
    assert (type(reg), reg.criterion, reg.n_leaves_) == (TreeRegressor, name, 6)
    assert reg.predict(FRAME).tolist() == pytest.approx(means, rel=1e-9)
    assert reg.predict_interval(FRAME)[0].tolist() == pytest.approx(interval, rel=1e-9)


@pytest.mark.parametrize("path", sorted(FOLDER.iterdir()), ids=lambda path: path.stem)
def test_v2_file_is_written_again_unchanged(path):
    before, after = json.loads(path.read_bytes()), json.loads(to_file_bytes(load(path)))
    for name in before.keys() - {"format", "library", "parameters", "checksum"}:
        assert after[name] == before[name]
    assert after["origin"] is None
