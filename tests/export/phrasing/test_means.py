"""Means of a numeric target in words."""

import re

import numpy as np
import pytest

from polytomy import TreeRegressor
from polytomy.export import Mean, TargetFormat, node_mean, node_prediction, shares_note
from tests.export.number_trees import NAMES, case

NUMBER = r"-?[\d.]+(?:e[+-]\d+)?"
LEAF = rf"{NUMBER} \[{NUMBER}, {NUMBER}\](?: \({NUMBER}\))?, (\d+) rows?( !)?$"


def test_mean_in_words():
    mean = Mean(23.4, 21.0, 25.9, 38.0, 23.9, 5.1, TargetFormat(1), is_forecast=True)
    assert str(mean) == "23.4 [21.0, 25.9]"
    assert mean.of(38) == "23.4 [21.0, 25.9] (23.9), 38 rows"
    assert mean.of(1, interval=False) == "23.4 (23.9), 1 row"
    assert mean.in_full(38) == "mean 23.4 (23.9 in 38 training rows)"
    assert mean.of_training(38) == "mean 23.9, 38 rows"
    assert mean.as_consequence(38) == "mean 23.4 [21.0, 25.9] (23.9 in 38 rows)"
    assert mean.explained(38) == [
        "mean 23.4 [21.0, 25.9] of new rows",
        "in training 23.9, standard deviation 5.1, 38 rows",
    ]


def test_mean_of_training_rows_in_words():
    mean = Mean(23.9, 21.5, 26.3, 38.0, 23.9, 5.1, TargetFormat(1))
    assert mean.of(38) == "23.9 [21.5, 26.3], 38 rows"
    assert mean.in_full(38) == "mean 23.9, 38 rows"
    assert mean.as_consequence(38) == "mean 23.9 [21.5, 26.3], 38 rows"
    (line,) = mean.explained(38)
    assert line == "mean 23.9 [21.5, 26.3]; the leaf holds 38 training rows, standard deviation 5.1"


@pytest.mark.parametrize("name", NAMES)
def test_text_has_a_line_for_every_node(name):
    reg, X = case(name)
    lines = reg.to_text().splitlines()
    n, root = len(X), node_mean(reg._model, 0)
    mean, deviation = root.format(root.training), root.format(root.deviation)
    assert lines[0] == f"{n} rows: mean {mean}, standard deviation {deviation}"
    leaves = [re.search(LEAF, line) for line in lines[1 : reg.tree_.n_nodes]]
    if reg.n_leaves_ > 1:
        assert sum(found is not None for found in leaves) == reg.n_leaves_
        assert sum(int(found[1]) for found in leaves if found) == n
    legend = "\n".join(lines[reg.tree_.n_nodes :])
    assert ("Leaves: expected mean of new rows" in legend) == (
        reg.n_leaves_ > 1 and name != "training means"
    )


@pytest.mark.parametrize("name", NAMES)
def test_rules_and_explanations_state_the_prediction(name):
    reg, X = case(name)
    rules = {rule.leaf: rule for rule in reg.to_rules()}
    frame = reg.to_rules().to_frame().set_index("leaf")
    leaves, expected = reg.apply(X), reg.predict(X)
    intervals = reg.predict_interval(X)
    for i in range(0, len(X), 50):
        mean, leaf = rules[leaves[i]].prediction, leaves[i]
        assert mean == node_prediction(reg._model, leaf)
        assert frame["mean"][leaf] == mean.mean == expected[i]
        assert (frame["low"][leaf], frame["high"][leaf]) == tuple(intervals[i])
        explanation = reg.explain(X.iloc[[i]])
        assert explanation.leaf == leaf
        assert explanation.weights == {}
        assert f"=> mean {mean}" in str(explanation)
        assert str(rules[leaf]).endswith(mean.as_consequence(rules[leaf].rows))
    assert list(frame) == [
        *("rule", "mean", "low", "high", "rows", "training_mean", "deviation", "doubtful"),
    ]


def test_rules_describe_the_training_rows():
    X, y = np.arange(40.0)[:, None], np.repeat([1.0, 9.0], 20) + np.tile([-1.0, 1.0], 20)
    rules = TreeRegressor(2, honest=False).fit(X, y).to_rules().to_dict()
    assert rules["mean"] == rules["training_mean"] == pytest.approx([1.0, 9.0])
    assert rules["deviation"] == pytest.approx([1.0, 1.0])
    assert rules["rows"] == [20, 20]
    assert rules["rule"] == ["x0 <= 19.5", "x0 > 19.5"]


def test_means_far_from_the_training_means_are_doubtful():
    reg, X = case("noise")
    frame = reg.to_rules().to_frame()
    spread = float(reg._model.node_means.deviation[0])
    far = (frame["mean"] - frame["training_mean"]).abs() >= 0.2 * spread
    assert far.any()
    assert not far.all()
    np.testing.assert_array_equal(frame["doubtful"], far)
    text = reg.to_text()
    assert text.count(" !\n") == far.sum()
    assert text.endswith(
        "! the two means are a fifth of the target's standard deviation or more apart."
    )
    row = X[reg.apply(X) == frame["leaf"][far].iloc[0]].iloc[[0]]
    assert str(reg.explain(row)).splitlines()[-1].startswith("   ! the two means")


def test_note_says_how_means_were_learned():
    note = shares_note(case("squared error")[0]._model)
    assert note.startswith("Expected means were learned by 5-fold cross-fitting on 300 rows. Root")
    assert re.search(r": \d\.\d+ on held-out rows, \d\.\d+ on training rows\.$", note)
    few = shares_note(case("two rows")[0]._model)
    assert few.startswith("There were too few rows to learn from, so expected means assume")
    assert shares_note(case("training means")[0]._model) == ""


@pytest.mark.parametrize("width", [40, 100])
def test_text_is_no_wider_than_max_width(width):
    text = case("squared error")[0].to_text(max_width=width, max_depth=2, p_chance=True)
    assert max(map(len, text.splitlines())) <= width
