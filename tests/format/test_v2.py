"""A stored file of format 2 can still be read and predicts what it predicted."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from polytomy.estimators.files import load, to_file_bytes

PRICED = Path(__file__).parent / "v2" / "priced.json"
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


def test_v2_file_is_written_again_unchanged():
    before, after = json.loads(PRICED.read_bytes()), json.loads(to_file_bytes(load(PRICED)))
    for name in before.keys() - {"library", "parameters", "checksum"}:
        assert after[name] == before[name]
