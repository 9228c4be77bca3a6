"""The conditions in the JSON lead every row to its leaf."""

from json import loads

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

from polytomy.export import to_json
from polytomy.predict import apply
from tests.export.awkward_tables import NASTY, bushy, chain, fitted, nasty_frame, random_labels
from tests.export.number_trees import NAMES, case
from tests.export.own_split import own_model
from tests.export.random_models import random_models


def takes(branch, cell):
    """Return whether a cell takes a branch, according to the branch's data."""
    if cell is None:
        return branch["missing"]
    if "one_of" in branch:
        return cell in branch["one_of"]
    if "none_of" in branch:
        return cell not in branch["none_of"]
    above = "above" not in branch or float(branch["above"]) < cell
    return branch.get("known", True) and above and cell <= float(branch.get("at_most", "inf"))


def leaf_of(node, row):
    while "branches" in node:
        cell = row[node["question"]["column"]]
        (node,) = [branch["node"] for branch in node["branches"] if takes(branch, cell)]
    return node


@settings(max_examples=60)
@given(random_models())
def test_json_conditions_lead_to_the_leaf(drawn):
    model, table, rows = drawn
    root = loads(to_json(model))["tree"]
    counts = model.tree.counts[apply(model.tree, model.schema, table)]
    assert [leaf_of(root, row)["weights"] for row in rows] == counts.tolist()


@settings(max_examples=30)
@given(random_models())
def test_json_nested_and_flat_forms_agree(drawn):
    model = drawn[0]
    nodes = loads(to_json(model, nested=False))["nodes"]
    assert [node["id"] for node in nodes] == list(range(model.tree.n_nodes))
    waiting = [(0, loads(to_json(model))["tree"])]
    while waiting:
        place, node = waiting.pop()
        flat = dict(nodes[place])
        assert flat.pop("depth") == model.tree.depth[place]
        del flat["id"]
        mine = [{k: v for k, v in b.items() if k != "node"} for b in node.get("branches", [])]
        theirs = [{k: v for k, v in b.items() if k != "child"} for b in flat.get("branches", [])]
        assert mine == theirs
        below = zip(node.pop("branches", []), flat.pop("branches", []), strict=True)
        waiting += [(b["child"], a["node"]) for a, b in below]
        assert node == flat


def test_json_describes_every_kind_of_column_and_class():
    frame = nasty_frame(300)
    clf = fitted(frame, random_labels(300, NASTY))
    data = loads(to_json(clf._model))
    assert data["classes"] == clf.classes_.tolist()
    assert [c["name"] for c in data["columns"]] == list(frame.columns)
    assert [c["kind"] for c in data["columns"]] == [
        *["numbers"] * 4,
        "labels",
        "categories",
        "labels",
        "times",
        "times",
    ]
    assert data["columns"][-1]["zone"] == "Europe/Berlin"
    assert data["tree"]["rows"] == 300


def test_json_shares_have_intervals():
    frame = pd.DataFrame({"x": [0.0] * 4 + [1.0] * 4})
    clf = fitted(frame, [0] * 4 + [1] * 4, honest=False)
    leaf = loads(to_json(clf._model))["tree"]["branches"][0]["node"]
    assert leaf["prediction"] == 0
    assert leaf["share"] == leaf["training_share"] == 1.0
    np.testing.assert_allclose(leaf["interval"], [0.5101, 1.0], atol=1e-4)


def test_json_has_honest_and_training_shares_without_class_weights():
    frame = pd.DataFrame({"x": np.repeat([0.0, 1.0], [30, 10])})
    labels = np.repeat([0, 1, 0, 1], [28, 2, 6, 4])
    clf = fitted(frame, labels, class_weight="balanced", max_leaves=2)
    leaf = loads(to_json(clf._model))["tree"]["branches"][1]["node"]
    assert leaf["prediction"] == 1
    assert leaf["training_share"] == 0.4
    assert leaf["weights"] == [6, 4]
    assert leaf["share"] == clf.predict_proba(frame[-1:])[0, 1]
    assert leaf["interval"][0] < leaf["share"] < leaf["interval"][1]


def test_json_shows_the_words_of_own_splits():
    root = loads(to_json(own_model()))["tree"]
    assert root["question"] == {
        "kind": "own",
        "own_kind": "test-export-same-sign",
        "asked": 'are x0 and x1 "alike"',
    }
    assert [branch["answer"] for branch in root["branches"]] == ["no", "yes"]


def test_json_holds_deep_and_large_trees():
    model = chain(5000)[1]
    nodes = loads(to_json(model, nested=False))["nodes"]
    assert max(node["depth"] for node in nodes) == 5000
    text = to_json(model)
    assert text.count('"prediction"') == model.tree.n_nodes
    depth, node = 0, loads(to_json(chain(60)[1]))["tree"]
    while "branches" in node:
        depth, node = depth + 1, node["branches"][1]["node"]
    assert depth == 60
    clf, _ = bushy(1500)
    assert to_json(clf._model, indent=0).count('"prediction"') == clf.tree_.n_nodes


@pytest.mark.parametrize("name", NAMES)
def test_json_of_a_numeric_target_leads_to_the_mean(name):
    reg, X = case(name)
    data = loads(reg.to_json())
    assert "classes" not in data
    expected, intervals = reg.predict(X), reg.predict_interval(X)
    nodes = loads(reg.to_json(nested=False))["nodes"]
    leaves = reg.apply(X)
    for i in range(0, len(X), 60):
        leaf = nodes[leaves[i]]
        assert leaf["prediction"] == expected[i]
        assert leaf["interval"] == intervals[i].tolist()
    assert sum(n["rows"] for n in nodes if "branches" not in n) == len(X)
    assert data["tree"]["training_mean"] == reg._model.node_means.training[0]
    assert data["tree"]["weight"] == pytest.approx(reg.tree_.weight[0])
