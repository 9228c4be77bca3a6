"""Stored files of format 3 can still be read and predict what they predicted."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from polytomy.estimators.base.files import load, to_file_bytes
from tests.found_trees import TAUGHT, TAUGHT_NUMBERS

FOLDER = Path(__file__).parent / "v3"
FRAME = pd.DataFrame(
    {
        "size": [1.0, 5.0, 9.5, np.nan],
        "town": ["Ulm", "Oslo", None, "Paris"],
        "age": [20.0, 50.0, 80.0, np.nan],
    }
)


def test_v3_taught_classifier_predicts_as_when_it_was_saved():
    clf = load(FOLDER / "taught.json")
    assert clf.predict(FRAME).tolist() == ["low", "top", "top", "low"]
    assert clf.predict_proba(FRAME)[0] == pytest.approx(
        [0.8363469132428099, 0.12088013824823024, 0.042772948508960046], rel=1e-9
    )
    assert clf._model.origin == TAUGHT
    assert clf._model.expected_error == pytest.approx(0.3146843052678567, rel=1e-9)
    assert clf.certificate_.gamma == pytest.approx(0.13995320241189377, rel=1e-9)
    assert not clf.certificate_.covered


def test_v3_taught_regressor_predicts_as_when_it_was_saved():
    reg = load(FOLDER / "taught_numbers.json")
    means = [9.396514588843676, 15.448526442307692, 24.00471392001343, 9.396514588843676]
    assert reg.predict(FRAME).tolist() == pytest.approx(means, rel=1e-9)
    assert reg._model.origin == TAUGHT_NUMBERS
    assert reg._model.expected_error == pytest.approx(13.132304454335616, rel=1e-9)


@pytest.mark.parametrize("path", sorted(FOLDER.iterdir()), ids=lambda path: path.stem)
def test_v3_file_is_written_again_unchanged(path):
    before, after = json.loads(path.read_bytes()), json.loads(to_file_bytes(load(path)))
    for name in before.keys() - {"library", "parameters", "checksum"}:
        assert after[name] == before[name]
