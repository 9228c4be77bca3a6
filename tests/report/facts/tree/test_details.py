"""The details of a node: alternative splits and the distribution of its rows."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from polytomy import TreeClassifier, theory
from polytomy.encode import encode_with
from polytomy.predict import apply
from polytomy.table import Table
from tests.report.facts_reader import route
from tests.report.tree_cases import NAMES, case, facts_of, mixed
from tests.report.tree_facts_schema import check_facts

every = pytest.mark.parametrize("name", NAMES)


def chosen_of(detail):
    return [offer for offer in detail["menu"] if offer.get("chosen")]


def _cells(column, displayed):
    values = column.values
    if displayed["kind"] == "categories":
        place = {name: i for i, name in enumerate(displayed["categories"])}
        return [place.get(str(v), -1) for v in values], [v is None for v in values]
    if displayed["kind"] == "labels":
        return values.tolist(), [v < 0 for v in values]
    if displayed["kind"] == "times":
        return values.tolist(), [v == np.iinfo(np.int64).min for v in values]
    return values.tolist(), np.isnan(values).tolist()


@every
def test_chosen_split_has_the_recorded_gain(name):
    facts, model = facts_of(name), case(name).clf._model
    total = model.grown.counts[0].sum()
    splits = model.run.splits
    for number, node in enumerate(facts["nodes"]):
        detail = facts["details"][str(number)]
        assert len(chosen_of(detail)) == ("children" in node)
        if "step" in node:
            (chosen,) = chosen_of(detail)
            recorded = splits[node["step"] - 1].gain / total
            assert chosen["gain"] == pytest.approx(recorded, rel=1e-7, abs=1e-9)
            assert chosen["arity"] == len(node["children"])
            assert chosen["column"] == node["column"]


@every
def test_chosen_split_has_the_best_score(name):
    facts, rules = facts_of(name), case(name).clf._model.run.rules
    for number, detail in facts["details"].items():
        node = facts["nodes"][int(number)]
        arities = [offer["arity"] for offer in detail["menu"]]
        assert arities == sorted(arities)
        for offer in detail["menu"]:
            price = theory.price(rules.procedure, offer["arity"], rules.gamma)
            assert offer["score"] == pytest.approx(offer["gain"] / price)
        if "step" in node and name not in ("own", "priced"):
            (chosen,) = chosen_of(detail)
            assert len(set(arities)) == len(arities)
            could = [o["score"] for o in detail["menu"] if not o.get("too_wide")]
            assert chosen["score"] >= max(could) - 1e-9


@every
def test_pure_nodes_have_no_alternatives(name):
    facts = facts_of(name)
    for number, detail in facts["details"].items():
        node = facts["nodes"][int(number)]
        if sum(count > 0 for count in node["counts"]) <= 1 and "children" not in node:
            assert detail["menu"] == []
            assert "rivals" not in detail


def test_alternatives_include_every_arity():
    # Per-leaf growing skips arities that cannot win; a reader is shown them all.
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    facts = (
        TreeClassifier(procedure="per-leaf", max_leaves=2)
        .fit(X, X[:, 0] > 0.3)
        .report_facts(X, X[:, 0] > 0.3)
    )
    assert [o["arity"] for o in facts["details"]["0"]["menu"]] == list(range(2, 9))


@pytest.mark.parametrize("name", ["plain", "nasty", "weighted", "hatano"])
def test_alternatives_on_other_columns_are_their_best_splits(name):
    c, facts = case(name), facts_of(name)
    root = facts["details"]["0"]
    (chosen,) = chosen_of(root)
    names = [column["name"] for column in facts["columns"]]
    assert len(root["rivals"]) == min(5, len(names) - 1)
    assert chosen["column"] not in [rival["column"] for rival in root["rivals"]]
    for rival in root["rivals"]:
        alone = TreeClassifier(**c.clf.get_params()).fit(
            c.X[[names[rival["column"]]]], c.y, sample_weight=c.weights
        )
        run = alone._model.run
        total = alone._model.grown.counts[0].sum()
        assert len(run.splits[0].children) == rival["arity"]
        assert rival["gain"] == pytest.approx(run.splits[0].gain / total, rel=1e-7)


@every
def test_distributions_hold_the_rows_of_their_node(name):
    facts = facts_of(name)
    nodes = facts["nodes"]
    for number, detail in facts["details"].items():
        node = nodes[int(number)]
        asked = node if "children" in node else nodes[node["parent"]]
        if "spread" not in detail:
            assert asked.get("own") or node["parent"] < 0
            continue
        spread = detail["spread"]
        assert spread["column"] == asked["column"]
        assert sum(spread["here"]) == pytest.approx(sum(node["counts"]), rel=1e-4)
        if node["parent"] >= 0:
            above = nodes[node["parent"]]
            assert sum(spread["parent"]) == pytest.approx(sum(above["counts"]), rel=1e-4)
        if "by_class" in spread:
            by_class = np.array(spread["by_class"])
            assert by_class.sum(axis=1) == pytest.approx(np.array(node["counts"]), rel=1e-4)


def test_rows_get_the_codes_they_were_grown_with():
    c = case("nasty")
    model = c.clf._model
    table = Table.of(c.X, nominal=model.schema.of_kind("nominal"))
    coded = encode_with(model.schema, table)
    for spec, mine in zip(model.schema, coded.schema, strict=True):
        assert spec.has_missing == mine.has_missing
    for j, spec in enumerate(model.schema):
        held = np.bincount(coded.columns[j], minlength=spec.n_values + spec.has_missing)
        assert (held > 0).all()  # every bin, category and missing cell is there


def test_new_values_and_new_missing_cells_are_coded():
    X = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "c": ["a", "b", "a", "b"]})
    clf = TreeClassifier(procedure="per-leaf").fit(X, [0, 1, 0, 1])
    other = pd.DataFrame({"x": [9.0, np.nan, -5.0, 2.4], "c": ["new", "a", None, "b"]})
    coded = encode_with(clf._model.schema, Table.of(other, nominal=["c"]))
    assert coded.columns[0].tolist() == [3, 4, 0, 2]
    assert coded.columns[1].tolist() == [2, 0, 2, 1]
    facts = clf.report_facts(other, [0, 1, 0, 1])
    check_facts(facts)
    assert "missing" in facts["details"]["0"]["spread"]["labels"]


@pytest.mark.parametrize("name", ["plain", "700 categories", "pruned", "sixty classes"])
def test_rows_can_be_routed_by_the_facts(name):
    c, facts = case(name), facts_of(name)
    model = c.clf._model
    rows = np.arange(0, len(c.y), 7)
    X = c.X[rows] if isinstance(c.X, np.ndarray) else c.X.iloc[rows]
    table = Table.of(X, nominal=model.schema.of_kind("nominal")).with_names(model.schema.names)
    leaves = apply(model.kept, model.schema, table)
    cells = [_cells(table.columns[j], facts["columns"][j]) for j in range(len(model.schema))]
    for i, leaf in enumerate(leaves.tolist()):
        values = [column[0][i] for column in cells]
        gone = [column[1][i] for column in cells]
        node = 0
        while "children" in facts["nodes"][node]:
            node = route(facts, node, values, gone)
        assert node == leaf


@pytest.mark.parametrize("n_classes", [2, 10])
def test_details_of_a_thousand_leaves_fit_into_a_page(n_classes):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(6000, 20)), columns=[f"column {j}" for j in range(20)])
    y = rng.integers(0, n_classes, len(X))
    clf = TreeClassifier(procedure="per-leaf", max_leaves=1000).fit(X, y)
    facts = clf.report_facts(X, y, X, y)
    assert clf.n_leaves_ == 1000
    assert len(json.dumps(facts, separators=(",", ":"))) < 1_700_000
    kept = [facts["nodes"][int(n)]["rows"] for n in facts["details"]]
    left = [n["rows"] for i, n in enumerate(facts["nodes"]) if str(i) not in facts["details"]]
    assert len(kept) > 200
    assert min(kept) >= max(left)
    assert f"{len(kept)} nodes" in facts["details_note"]


def test_alternatives_do_not_depend_on_a_common_weight():
    X, y = mixed(n=200, seed=5)
    clf = TreeClassifier(procedure="per-leaf", max_leaves=8).fit(X, y)
    twice = TreeClassifier(procedure="per-leaf", max_leaves=8).fit(
        X, y, sample_weight=np.full(200, 2.0)
    )
    one = clf.report_facts(X, y)["details"]
    two = twice.report_facts(X, y, sample_weight=np.full(200, 2.0))["details"]
    assert {n: d["menu"] for n, d in one.items()} == {n: d["menu"] for n, d in two.items()}


def test_alternatives_do_not_depend_on_max_leaves():
    c = case("plain")
    record = c.clf._fit_record
    other = c.clf._with_model(c.clf._model)
    other._fit_record = replace(record, params=replace(record.params, max_leaves=None))
    assert other.report_facts(c.X, c.y)["details"] == facts_of("plain")["details"]


def test_alternatives_exist_for_a_callable_index():
    def brier(counts):
        total = counts.sum(axis=-1)
        squares = (counts**2).sum(axis=-1)
        return 2 * (total - np.divide(squares, total, out=np.zeros_like(total), where=total > 0))

    X, y = mixed(n=120, seed=21)
    clf = TreeClassifier(procedure="per-leaf", max_leaves=5, index=brier).fit(X, y)
    facts = clf.report_facts(X, y)
    check_facts(facts)
    total = clf._model.grown.counts[0].sum()
    (chosen,) = [o for o in facts["details"]["0"]["menu"] if o.get("chosen")]
    assert chosen["gain"] == pytest.approx(clf._model.run.splits[0].gain / total)
