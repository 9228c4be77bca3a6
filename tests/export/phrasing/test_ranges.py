"""Ranges in words."""

import re
import sys

import numpy as np
import pytest
from hypothesis import given

from polytomy import TreeClassifier
from polytomy.export import Range, describe_branches, phrase_bounds
from tests.export.random_models import random_models

LARGEST = sys.float_info.max


def text_of(X, y, **params):
    return TreeClassifier(**{"max_leaves": 2, **params}).fit(X, y).to_text()


def test_ranges_name_infinities():
    x = np.r_[[-np.inf] * 5, 1:6.0, [np.inf] * 5][:, None]
    text = text_of(x, [0] * 5 + [1] * 5 + [2] * 5, max_leaves=3)
    assert "x0 is -inf" in text
    assert "-inf < x0 < inf" in text
    assert "x0 is inf" in text


@pytest.mark.parametrize(
    ("values", "named", "nameless"),
    [
        (Range(2.0, 3.5), "2.0 < x <= 3.5", "2.0 to 3.5"),
        (Range(None, 3.5), "x <= 3.5", "<= 3.5"),
        (Range(2.0), "x > 2.0", "> 2.0"),
        (Range(), "x is known", "known"),
        (Range(None, -np.inf), "x is -inf", "-inf"),
        (Range(LARGEST), "x is inf", "inf"),
        (Range(None, LARGEST), "x < inf", "< inf"),
        (Range(2.0, LARGEST), "2.0 < x < inf", "2.0 to inf"),
    ],
)
def test_phrase_bounds_with_and_without_a_name(values, named, nameless):
    assert phrase_bounds(values, str, "x") == named
    assert phrase_bounds(values, str) == nameless


@given(random_models())
def test_described_branches_without_names_keep_their_values(drawn):
    """Removing the name from the full wording, as a reader would, gives the short wording."""
    model = drawn[0]
    for node in range(model.tree.n_nodes):
        split = model.tree.split(node)
        if split is None:
            continue
        name = model.schema[split.feature].name
        for full, short in zip(
            describe_branches(split, model.schema),
            describe_branches(split, model.schema, named=False),
            strict=True,
        ):
            words = re.sub(f" < {name} <=? ", " to ", full)
            assert short == re.sub(f"^{name} (is |in )?", "", words)
