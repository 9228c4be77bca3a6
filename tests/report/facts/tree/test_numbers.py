"""The facts of regression trees, against means and errors computed from the rows."""

import json

import numpy as np
import pytest
from sklearn.metrics import mean_absolute_error, mean_squared_error, r2_score

from polytomy import TreeRegressor
from polytomy.export import captions
from polytomy.predict import apply
from polytomy.report.facts.tree.target import Outcomes
from tests.report.facts_reader import merged_children, prunings_of
from tests.report.number_cases import NAMES, case, facts_of, numbers
from tests.report.tree_facts_schema import check_facts

every = pytest.mark.parametrize("name", NAMES)


def paths_of(c, X):
    """Return a matrix of rows and nodes of the kept tree: whether a row passes a node."""
    model = c.reg._model
    leaf = apply(model.kept, model.schema, c.reg._read_table(X))
    passes = np.zeros((len(X), model.kept.n_nodes), dtype=bool)
    for row, node in enumerate(leaf.tolist()):
        passes[row, model.kept.path(node)] = True
    return passes


@every
def test_facts_have_their_schema(name):
    facts = facts_of(name)
    check_facts(facts)
    json.dumps(facts, allow_nan=False)
    assert facts["title"] == f"Regression tree for {case(name).y.name}"


@every
def test_nodes_have_the_means_of_their_rows(name):
    c, facts = case(name), facts_of(name)
    weights = np.ones(len(c.y)) if c.weights is None else c.weights
    passes, y = paths_of(c, c.X), c.y.to_numpy()
    for number, node in enumerate(facts["nodes"]):
        inside = passes[:, number] & (weights > 0)
        w = weights[inside]
        mean = np.average(y[inside], weights=w)
        far = np.abs(y[inside] - node["expected"])
        assert node["rows"] == inside.sum()
        assert node["weight"] == pytest.approx(w.sum())
        assert node["mean"] == pytest.approx(mean, rel=1e-9, abs=1e-9 * y.std())
        deviation = np.sqrt(np.average((y[inside] - mean) ** 2, weights=w))
        assert node["deviation"] == pytest.approx(deviation, rel=1e-5, abs=1e-7 * y.std())
        assert node["absolute"] == pytest.approx((w * far).sum(), rel=1e-6)


@every
def test_test_rows_are_compared_with_the_expected_means(name):
    c, facts = case(name), facts_of(name)
    passes, y = paths_of(c, c.X_test), c.y_test.to_numpy()
    for number, node in enumerate(facts["nodes"]):
        inside = y[passes[:, number]]
        weight, mean, squared, absolute = node["test"]
        assert weight == len(inside)
        assert mean == pytest.approx(inside.mean() if len(inside) else 0)
        assert squared == pytest.approx(((inside - node["expected"]) ** 2).sum())
        assert absolute == pytest.approx(np.abs(inside - node["expected"]).sum())


@every
def test_summary_is_that_of_the_predictions(name):
    c, summary = case(name), facts_of(name)["summary"]
    for kind, X, y, weights in (
        ("train", c.X, c.y, c.weights),
        ("test", c.X_test, c.y_test, None),
    ):
        predicted = c.reg.predict(X)
        error = mean_squared_error(y, predicted, sample_weight=weights)
        assert summary[f"{kind}_error"] == pytest.approx(error, rel=1e-6)
        r2 = r2_score(y, predicted, sample_weight=weights)
        assert summary[f"{kind}_r2"] == pytest.approx(r2, abs=1e-6)
    if name == "one leaf":
        assert summary["train_r2"] == pytest.approx(0, abs=1e-9)
    absolute = sum(n["test"][3] for n in facts_of(name)["nodes"] if "children" not in n)
    wanted = mean_absolute_error(c.y_test, c.reg.predict(c.X_test))
    assert absolute / len(c.y_test) == pytest.approx(wanted)


@every
def test_path_has_the_errors_of_its_leaves(name):
    facts = facts_of(name)
    nodes, path = facts["nodes"], facts["path"]
    for place, (size, errors, leaves) in enumerate(prunings_of(facts)):
        assert len(leaves) == size
        squared = sum(
            n["weight"] * (n["deviation"] ** 2 + (n["mean"] - n["expected"]) ** 2)
            for n in (nodes[v] for v in leaves)
        )
        assert errors == pytest.approx(squared)
        assert path["test_errors"][place] == pytest.approx(sum(nodes[v]["test"][2] for v in leaves))
    best = path["test_errors"][path["sizes"].index(path["choices"]["holdout"])]
    assert best == min(path["test_errors"])
    assert "srm" not in path["choices"]


@every
def test_chosen_split_is_on_the_menu_with_its_gain(name):
    facts = facts_of(name)
    root = facts["growth"]["index"][0]
    for number, detail in facts["details"].items():
        node = facts["nodes"][int(number)]
        if "children" not in node:
            continue
        (chosen,) = [option for option in detail["menu"] if option.get("chosen")]
        assert chosen["gain"] == pytest.approx(node["gain"], rel=1e-5, abs=1e-7 * root)
        best = max(option["gain"] for option in detail["menu"])
        assert best <= (1 + 1e-6) * sum_of_squares(node, facts) + 1e-7 * root
        for rival in detail.get("rivals", []):
            assert rival["gain"] <= best * (1 + 1e-6)


def sum_of_squares(node, facts):
    """Return the most that a split of a node can gain, or a bound that holds for any criterion."""
    if facts["growth"]["index_name"] == "poisson":
        return np.inf
    return node["weight"] * node["deviation"] ** 2 / facts["nodes"][0]["weight"]


@every
def test_distribution_has_the_means_of_its_bins(name):
    facts = facts_of(name)
    for number, detail in facts["details"].items():
        spread, node = detail.get("spread"), facts["nodes"][int(number)]
        if spread is None:
            continue
        held = [(w, m) for w, m in zip(spread["here"], spread["means"], strict=True) if w > 0]
        weights, means = np.array(held).T
        assert weights.sum() == pytest.approx(node["weight"], rel=1e-4)
        slack = 1e-4 * (abs(node["mean"]) + node["deviation"] + 1e-300)
        assert np.average(means, weights=weights) == pytest.approx(node["mean"], abs=slack)


@every
def test_leaves_have_the_predictions_of_the_contracted_tree(name):
    c, facts = case(name), facts_of(name)
    model = c.reg._model
    numbers_of = {n["id"]: n for n in facts["nodes"] if "id" in n}
    assert len(numbers_of) == model.tree.n_nodes
    for theirs, caption in enumerate(captions(model)):
        node = numbers_of[theirs]
        assert node["expected"] == pytest.approx(model.node_means.expected[theirs])
        assert node["interval"] == pytest.approx(
            [model.node_means.low[theirs], model.node_means.high[theirs]]
        )
        assert node.get("doubtful", False) == bool(model.node_means.is_doubtful[theirs])
        if "children" in node:
            at = facts["nodes"].index(node)
            own = sorted(facts["nodes"][m]["answer"] for m in merged_children(facts, at))
            assert own == sorted(caption.branches)


def test_facts_without_rows_have_no_test_and_no_details():
    facts = case("plain").reg.report_facts()
    check_facts(facts)
    assert "details" not in facts
    assert "absolute" not in facts["nodes"][0]
    assert facts["title"] == "Regression tree"


def test_other_rows_than_those_of_the_fit_are_noticed():
    c = case("plain")
    assert "rows_note" not in facts_of("plain")
    assert "rows_note" in c.reg.report_facts(c.X[:300], c.y[:300])
    assert "rows_note" in c.reg.report_facts(c.X, c.y + 1)
    swapped = c.y.sample(frac=1, random_state=0)
    assert "rows_note" in c.reg.report_facts(c.X, swapped)


def test_constant_numbers_have_a_report():
    X, y = numbers(50)
    facts = TreeRegressor().fit(X, y * 0 + 3).report_facts(X, y * 0 + 3, X, y)
    check_facts(facts)
    assert facts["numbers"]["low"] == facts["numbers"]["high"] == 3
    assert "train_r2" not in facts["summary"]


def test_outcomes_of_no_rows_are_zero():
    tree = case("plain").reg.tree_
    expected = case("plain").reg._model.node_means.expected
    none = Outcomes.of(tree, expected, np.empty(0, dtype=np.int32), np.empty(0), None)
    assert not none.weight.any()
    assert np.isfinite(none.mean).all()
