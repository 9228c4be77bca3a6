"""The facts of a tree report say what the model says."""

import json
from itertools import pairwise

import numpy as np
import pytest

from polytomy import ParameterError, TargetError, TreeClassifier
from polytomy.export.captions import captions
from polytomy.prune import PruningPath
from tests.report.facts_models import NAMES, case, facts_of, mixed, reloaded
from tests.report.facts_schema import check_facts
from tests.report.twin import conditions_of, merged_children, prunings_of, tree_of

every = pytest.mark.parametrize("name", NAMES)


@every
def test_facts_keep_to_the_schema(name):
    facts = facts_of(name)
    check_facts(facts)
    assert json.loads(json.dumps(facts, allow_nan=False)) == facts
    check_facts(case(name).clf.report_facts())


def pairs(facts, tree):
    """Pair nodes of the facts with those of a contracted tree, walking both from the root."""
    waiting = [(0, 0)]
    while waiting:
        mine, theirs = waiting.pop()
        yield mine, theirs
        children = match(facts, merged_children(facts, mine), tree, tree.children(theirs).tolist())
        waiting += children


def match(facts, mine, tree, theirs):
    """Pair children by what they hold; a branch of missing cells alone comes last in the tree."""
    assert len(mine) == len(theirs)
    held = [(tree.rows[t], tuple(tree.counts[t])) for t in theirs]
    found = []
    for m in mine:
        node = facts["nodes"][m]
        at = next(
            i
            for i, h in enumerate(held)
            if h is not None and h[0] == node["rows"] and np.allclose(h[1], node["counts"])
        )
        held[at] = None
        found.append((m, theirs[at]))
    return found


@every
def test_the_contracted_tree_is_rebuilt_from_the_facts(name):
    facts, model = facts_of(name), case(name).clf._model
    tree = model.tree
    assert len(tree_of(facts)) == tree.n_nodes
    written = captions(model)
    for mine, theirs in pairs(facts, tree):
        node = facts["nodes"][mine]
        assert node["label"] == tree.label[theirs]
        assert node["rows"] == tree.rows[theirs]
        if "children" in node:
            assert node["asks"] == written[theirs].asked
            own = sorted(facts["nodes"][c]["answer"] for c in merged_children(facts, mine))
            assert own == sorted(written[theirs].answers)


@every
def test_rules_are_rebuilt_from_what_is_known(name):
    facts, clf = facts_of(name), case(name).clf
    leaves = [n for n, below in tree_of(facts).items() if not below]
    mine = sorted(conditions_of(facts, leaf) for leaf in leaves)
    assert mine == sorted(rule.conditions for rule in clf.to_rules())


@every
def test_replaying_the_path_gives_the_prunings(name):
    facts, model = facts_of(name), case(name).clf._model
    tree = model.kept
    path = PruningPath(tree)
    expected = dict(zip(path.sizes.tolist(), path.training_errors, strict=True))
    nodes = facts["nodes"]
    assert facts["path"]["toggles"][0] == [0]
    for size, errors, leaves in prunings_of(facts):
        assert len(leaves) == size
        wrong = sum(sum(nodes[v]["counts"]) - max(nodes[v]["counts"]) for v in leaves)
        assert wrong == pytest.approx(errors, rel=1e-9, abs=1e-9 * facts["path"]["total"])
        if size in expected:
            assert errors == pytest.approx(expected[size])
            cut = {v for v in leaves if "children" in nodes[v]}
            assert cut == set(path.nodes_at(size).tolist())
    assert leaves == set(tree.leaves().tolist())
    assert all(a < b for a, b in pairwise(facts["path"]["sizes"]))
    assert facts["path"]["choices"]["srm"] in facts["path"]["sizes"]


@every
def test_counts_add_up(name):
    nodes = facts_of(name)["nodes"]
    for node in nodes:
        if "children" in node:
            below = [nodes[c] for c in node["children"]]
            for what in ("counts", "test"):
                total = np.sum([child[what] for child in below], axis=0)
                assert total == pytest.approx(np.array(node[what]), rel=1e-8)
            assert sum(child["rows"] for child in below) == node["rows"]
        assert node["counts"] == pytest.approx(node["test"], rel=1e-8) or name in (
            "held out",
            "weighted",
        )


@every
def test_errors_are_those_of_the_score(name):
    c, facts = case(name), facts_of(name)
    summary = facts["summary"]
    if c.clf.class_weight is None:
        score = c.clf.score(c.X, c.y, sample_weight=c.weights)
        assert summary["test_error"] == pytest.approx(1 - score)
    kept = np.asarray(c.clf._model.kept.counts)[c.clf._model.kept.leaves()]
    assert summary["train_error"] == pytest.approx(1 - kept.max(axis=1).sum() / kept.sum())
    assert summary["leaves"] == c.clf.n_leaves_
    assert summary["depth"] == c.clf.depth_
    assert summary["questions"] == pytest.approx(c.clf.n_questions_, rel=1e-5)


@every
def test_importances_and_curves_are_the_classifiers(name):
    c, facts = case(name), facts_of(name)
    told = [column["importance"] for column in facts["columns"]]
    assert told == pytest.approx(c.clf.feature_importances_)
    certificate = c.clf.certificate_
    assert facts["growth"]["leaves"] == certificate.leaves_curve.tolist()
    assert facts["growth"]["index"] == pytest.approx(certificate.index_curve, rel=1e-5)
    assert facts["certificate"]["text"] == str(certificate)
    short = " ".join(str(certificate).split())
    assert facts["certificate"]["in_short"] in short
    for name_, value, _ in facts["certificate"]["figures"]:
        assert name_ in short
        assert value in short


@every
def test_steps_are_those_of_the_run(name):
    c, facts = case(name), facts_of(name)
    model = c.clf._model
    steps = {i: n["step"] for i, n in enumerate(facts["nodes"]) if "step" in n}
    for node, step in steps.items():
        split = model.run.splits[step - 1]
        assert len(split.children) == len(facts["nodes"][node]["children"])
        total = model.grown.counts[0].sum()
        assert facts["nodes"][node]["gain"] == pytest.approx(split.gain / total, abs=1e-9)
    inner = sum("children" in n for n in facts["nodes"])
    if name != "raised":
        assert len(steps) == inner
    assert len(set(steps.values())) == len(steps)


@pytest.mark.parametrize("name", ["plain", "pruned", "nasty", "weighted"])
def test_a_loaded_model_has_the_same_facts(name, tmp_path):
    c = case(name)
    again = reloaded(c.clf, tmp_path)
    given = {"sample_weight": c.weights, "sample_weight_test": c.weights}
    assert again.report_facts(c.X, c.y, c.X, c.y, **given) == facts_of(name)


def test_a_title_and_a_target_are_named():
    c = case("plain")
    assert facts_of("plain")["title"] == "Decision tree for answer"
    assert c.clf.report_facts()["title"] == "Decision tree"
    assert c.clf.report_facts(title="My\ntree")["title"] == "My\\ntree"


def test_rows_that_do_not_go_together_are_refused_in_a_sentence():
    c = case("plain")
    for given in ({"X": c.X}, {"y": c.y}, {"sample_weight": np.ones(len(c.y))}):
        with pytest.raises(ParameterError, match="pass X and y together"):
            c.clf.report_facts(**given)
    for given in ({"X_test": c.X}, {"y_test": c.y}, {"sample_weight_test": [1]}):
        with pytest.raises(ParameterError, match="pass X_test and y_test together"):
            c.clf.report_facts(**given)
    with pytest.raises(TargetError, match="classes that the model was not fitted on"):
        c.clf.report_facts(X_test=c.X, y_test=np.full(len(c.y), "never"))
    with pytest.raises(ParameterError, match="title must be text"):
        c.clf.report_facts(title=3)
    with pytest.raises(ValueError, match="not fitted"):
        TreeClassifier().report_facts()


@pytest.mark.parametrize("name", ["plain", "uncontracted", "pruned", "own"])
def test_nodes_bear_the_numbers_of_the_tree_that_predicts(name):
    c = case(name)
    numbers = {n["id"]: n for n in facts_of(name)["nodes"] if "id" in n}
    tree = c.clf.tree_
    assert sorted(numbers) == list(range(tree.n_nodes))
    for node, facts in numbers.items():
        assert facts["rows"] == tree.rows[node]
        np.testing.assert_allclose(facts["counts"], tree.counts[node])
        assert ("children" in facts) != tree.is_leaf(node)


def test_other_rows_are_told_to_be_others():
    c = case("plain")
    assert "rows_note" not in facts_of("plain")
    X, y = mixed(n=90, seed=99)
    X.loc[0, "town"] = "Nowhere"
    facts = c.clf.report_facts(X, y)
    check_facts(facts)
    assert "grown on 500 rows" in facts["rows_note"]
    assert sum(facts["details"]["0"]["spread"]["here"]) == 90


def test_rows_in_another_order_are_others_only_if_they_go_elsewhere():
    c = case("plain")
    assert "rows_note" not in c.clf.report_facts(c.X[::-1], c.y[::-1])
    assert "rows_note" in c.clf.report_facts(c.X, c.y.sample(frac=1, random_state=0).to_numpy())


def test_indices_of_ones_own_have_menus_too():
    def brier(counts):
        total = counts.sum(axis=-1)
        squares = (counts**2).sum(axis=-1)
        return 2 * (total - np.divide(squares, total, out=np.zeros_like(total), where=total > 0))

    X, y = mixed(n=120, seed=21)
    clf = TreeClassifier(max_leaves=5, index=brier).fit(X, y)
    facts = clf.report_facts(X, y)
    check_facts(facts)
    total = clf._model.grown.counts[0].sum()
    (chosen,) = [o for o in facts["details"]["0"]["menu"] if o.get("chosen")]
    assert chosen["gain"] == pytest.approx(clf._model.run.splits[0].gain / total)


def test_a_report_is_written_whole(tmp_path):
    c = case("plain")
    for path in (tmp_path / "a.html", str(tmp_path / "b.html")):
        c.clf.report(path, c.X, c.y, c.X, c.y, title="Ünder <test>")
    text = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert "Ünder" in text
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.html", "b.html"]
    with pytest.raises(OSError, match="cannot write"):
        c.clf.report(tmp_path)
    with pytest.raises(TypeError, match="weight"):
        c.clf.report(tmp_path / "c.html", weight=c.weights)
    assert not (tmp_path / "c.html").exists()
