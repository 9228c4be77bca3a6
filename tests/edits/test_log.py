"""The log of an edited tree: in its origin, its model file and its verification."""

import json
from dataclasses import replace
from hashlib import sha256

import numpy as np
import pytest
from sklearn.datasets import load_iris

import polytomy
from polytomy import ModelFormatError, ParameterError, TreeClassifier
from polytomy.certify import Cost, Edit, EditLog, Figures, Graft
from polytomy.estimators.base.files import load_bytes, to_file_bytes
from polytomy.tree import TreeBuilder


@pytest.fixture(scope="module")
def iris():
    """The table, with the names of the classes."""
    table = load_iris(as_frame=True)
    return table.data, table.target_names[table.target]


@pytest.fixture(scope="module")
def edited(iris):
    """A tree that was edited in four steps."""
    X, y = iris
    clf = TreeClassifier(max_leaves=4, random_state=0).fit(X, y)
    session = polytomy.edit(clf, X, y)
    session.split(0, "petal width (cm)", thresholds=[0.83, 1.71], reason="two digits suffice")
    session.regrow(2, max_leaves=3)
    session.ban("sepal width (cm)", below=2)
    session.relabel(int(session.tree_.leaves()[-1]), "virginica", reason="to be safe")
    return session.estimator()


def with_log(clf, **changed):
    """Return an edited estimator with parts of its log replaced; its certificate is new."""
    origin = clf.origin_
    log = replace(origin.edits, **changed)
    return clf._with_model(replace(clf._model, origin=replace(origin, edits=log)))


def with_step(clf, number, **changed):
    """Return an edited estimator with one step replaced."""
    steps = list(clf.origin_.edits.steps)
    steps[number] = replace(steps[number], **changed)
    return with_log(clf, steps=tuple(steps))


def test_texts_state_the_edits(edited):
    said = "Grown by priced, edited by hand in 4 steps (split, regrow, ban, relabel), re-certified."
    for text in (edited.to_text(), str(edited.certificate_), str(edited.to_rules())):
        flat = " ".join(text.split())
        assert said in flat
        assert "Reason for step 1, split: two digits suffice." in flat
    assert "edited by hand, not grown by this procedure" in edited.certificate_.why_not
    facts = json.loads(edited.to_json())["origin"]
    assert [step["operation"] for step in facts["edits"]] == ["split", "regrow", "ban", "relabel"]
    assert facts["edits"][0]["thresholds"] == [0.83, 1.71]
    assert facts["edits"][3]["class"] == "virginica"


def test_a_report_page_states_the_edits(edited, iris, tmp_path):
    edited.report(tmp_path / "page.html", *iris)
    assert "edited by hand in 4 steps" in (tmp_path / "page.html").read_text()


@pytest.mark.parametrize("seed", [None, 3])
def test_verification_allows_for_the_random_folds_that_chose_the_tree(seed):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = (X[:, 0] + rng.normal(size=300) > 0).astype(int)
    session = polytomy.edit(TreeClassifier("cv", random_state=seed).fit(X, y), X, y)
    session.regrow(0, 4)
    report = polytomy.verify(session.estimator(), X, y)
    assert report.ok, report
    assert any("random folds" in note for note in report.notes) == (seed is None)


def test_verification_replays_the_edits(edited, iris):
    report = polytomy.verify(edited, *iris)
    assert report.ok, report
    assert any("edited by hand in 4 steps" in note for note in report.notes)
    assert any(check.name.startswith("edits: every step") for check in report.checks)


def test_verification_names_the_step_that_does_not_follow(edited, iris):
    steps = edited.origin_.edits.steps
    graft = steps[0].grafts[0]
    moved = replace(graft.subtree, counts=graft.subtree.counts[[0, 1, 3, 2]])
    wrong = Figures(3, 1.0, 0.2, 0.0, 1.0)
    cases = {
        "step 2 (regrow of node 9)": with_step(edited, 1, node=9),
        "step 1 (split of node 0)": with_step(edited, 0, grafts=(Graft(0, moved),)),
        "step 2 (regrow of node 2), before": with_step(
            edited, 1, cost=Cost(0.0, wrong, steps[1].cost.after)
        ),
        "edits: they lead to another tree": with_log(edited, steps=steps[:1]),
        "the bound after the last step": with_step(
            edited, 3, cost=Cost(0.0, steps[3].cost.before, replace(steps[3].cost.after, bound=9.0))
        ),
    }
    for place, forged in cases.items():
        report = polytomy.verify(forged, *iris)
        assert not report.ok
        assert any(place in str(finding) for finding in report.findings), (place, report)


def test_other_training_rows_are_noticed(edited, iris):
    X, y = iris
    report = polytomy.verify(edited, X, y[np.random.default_rng(0).permutation(len(y))])
    assert any("edits, before step 1" in str(finding) for finding in report.findings)


def test_a_banned_column_cannot_come_back(edited, iris):
    X, y = iris
    steps = edited.origin_.edits.steps
    ban = replace(steps[2], column=3, node=0)  # the column of the root
    report = polytomy.verify(with_log(edited, steps=(*steps[:2], ban)), X, y)
    assert any("still split on the banned column" in str(f) for f in report.findings)


def test_model_files_hold_the_log(edited, iris):
    again = load_bytes(to_file_bytes(edited))
    assert again.origin_ == edited.origin_
    assert again.to_text() == edited.to_text()
    assert (again.predict(iris[0]) == edited.predict(iris[0])).all()
    session = polytomy.edit(again, *iris)  # a session goes on where the last one ended
    assert len(session.log) == 4
    session.collapse(0)
    assert len(session.estimator().origin_.edits.steps) == 5


def forged_file(clf, change):
    """Return the bytes of a model file whose log was changed, with a new checksum."""
    data = to_file_bytes(clf)
    document = json.loads(data)
    change(document["origin"]["edits"])
    document["checksum"] = ""
    head = json.dumps(document).encode()
    head = head[: head.rindex(b'"checksum"')]
    return head + b'"checksum": "sha256:' + sha256(head).hexdigest().encode() + b'"\n}\n'


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda log: log["steps"].pop(), None),  # the label alone: the tree is the same
        (lambda log: log["steps"].pop(0), "do not lead to the tree"),
        (lambda log: log["steps"][1].update(node=77), "node 77 does not exist"),
        (lambda log: log["steps"][1].update(operation="prune"), "must be one of split"),
        (lambda log: log["steps"][3].update(label=3), "must be an integer from 0 to 2"),
        (lambda log: log["steps"][3].update(label=None), "the label of 'relabel'"),
        (lambda log: log["steps"][0].update(reason=3), "reason"),
        (lambda log: log["steps"][0]["cost"].update(gain_forgone=-1), "gain_forgone"),
        (lambda log: log["steps"][0]["cost"]["after"].update(index="nan"), "index"),
        (lambda log: log["steps"][0].pop("reason"), "reason"),
        (lambda log: log["start"]["counts"][0].append(1), "counts"),
        (lambda log: log["steps"].clear(), "do not lead to the tree"),
    ],
)
def test_a_file_with_another_log_is_refused(edited, change, message):
    data = forged_file(edited, change)
    if message is None:
        assert load_bytes(data).origin_.relabelled == {}
        return
    with pytest.raises(ModelFormatError, match=message):
        load_bytes(data)


def test_logs_of_impossible_steps_are_refused(edited):
    step = edited.origin_.edits.steps[0]
    for changed in (
        {"operation": "guess"},
        {"grafts": ()},
        {"branches": (1,)},
        {"label": 1},
        {"column": 1},
    ):
        with pytest.raises(ParameterError):
            replace(step, **changed)
    with pytest.raises(ParameterError, match="leaves"):
        Figures(0, 1.0, 1.0, 0.1, 1.0)
    with pytest.raises(ParameterError, match="edits must be an EditLog"):
        replace(edited.origin_, edits="none")
    leaf = TreeBuilder(np.array([1.0]), 1).finish()
    assert [state.tree for state in EditLog(leaf, "nothing").states()] == [leaf]
    assert Edit("collapse", 0, step.cost).reason == ""


def test_a_replay_reports_what_no_longer_holds(iris):
    X, y = iris
    session = polytomy.edit(X, y)
    session.split(0, "petal width (cm)", thresholds=[0.8, 1.7])
    session.split(1, "sepal width (cm)", thresholds=[3.0])
    session.relabel(2, "virginica")
    small = X["petal width (cm)"] > 0.8  # no setosa
    replay = session.replay(X[small], y[small])
    assert replay.session.tree_.n_leaves == 2
    assert "step 2 (split) has no effect on these rows" in replay.findings
    assert "branch 0 of node 0 has no rows and is left out" in replay.findings
    assert replay.session.tree_.relabelled == {1: 2}
    assert "Begun with one leaf" in replay.estimator().to_text()
    assert polytomy.verify(replay.estimator(), X[small], y[small]).ok
    other = np.where(y == "virginica", "setosa", y)
    told = session.replay(X, other)
    assert "node 3 predicts setosa now, not virginica" in told.findings
    with pytest.raises(polytomy.TargetError, match="classes that the model was not fitted on"):
        session.replay(X, np.full(len(X), "tulip"))
