"""Random edits: every tree is that of its rows, verifies, and survives its model file."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import polytomy
from polytomy import TreeClassifier, TreeRegressor
from polytomy.estimators.base.files import load_bytes, to_file_bytes
from polytomy.tree import check_tree
from tests.edits.random_edits import random_edit, random_table
from tests.naive.route import naive_leaf

FEW = settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def begun(seed, numeric, weighted):
    """Return a session on a random table, its rows and the random numbers."""
    rng = np.random.default_rng(seed)
    X, score = random_table(rng, int(rng.integers(5, 60)))
    y = score if numeric else np.searchsorted([2.0, 4.0], score)
    weight = rng.integers(1, 5, len(y)) * 0.3 if weighted else None
    options = {"max_leaves": 5, "honest": False, "random_state": 0}
    if not numeric and rng.random() < 0.3:
        options["class_weight"] = "balanced"
    tree = TreeRegressor(**options) if numeric else TreeClassifier(**options)
    if rng.random() < 0.6:
        tree.fit(X, y, weight)
    return polytomy.edit(tree, X, y, weight), (X, y, weight), rng


def rows_of(X):
    """Return the rows as lists; None is a missing cell."""
    return X.astype(object).where(X.notna(), None).to_numpy().tolist()


@FEW
@given(st.integers(0, 2**32 - 1), st.booleans(), st.booleans())
def test_edited_trees_follow_from_their_rows(seed, numeric, weighted):
    session, (X, y, weight), rng = begun(seed, numeric, weighted)
    cells = rows_of(X)
    done = [random_edit(session, rng) for _ in range(6)]
    tree = session.tree_
    check_tree(tree)
    assert [entry["operation"] for entry in session.log] == [name for name in done if name]
    leaf = [naive_leaf(tree, session._rows.schema, row) for row in cells]
    assert session._now.leaf.tolist() == leaf
    weights = np.ones(len(y)) if weight is None else weight
    if numeric:
        for v in tree.leaves().tolist():
            own = np.array(leaf) == v
            assert tree.mean[v] == pytest.approx(np.average(y[own], weights=weights[own]))
    elif session._base.class_weight is None:
        wrong = np.average(
            tree.label[leaf] != np.unique(y, return_inverse=True)[1], weights=weights
        )
        assert session.figures.training_error == pytest.approx(wrong)
    clf = session.estimator()
    report = polytomy.verify(clf, X, y, weight)
    assert report.ok, report
    again = load_bytes(to_file_bytes(clf))
    assert again.tree_ == clf.tree_
    assert again.origin_ == clf.origin_
    assert again.to_text() == clf.to_text()
    assert np.array_equal(again.predict(X), clf.predict(X))


@FEW
@given(st.integers(0, 2**32 - 1), st.booleans(), st.booleans())
def test_a_replay_sends_every_row_where_the_edited_tree_does(seed, numeric, weighted):
    session, _, rng = begun(seed, numeric, weighted)
    for _ in range(5):
        random_edit(session, rng)
    X_new, score = random_table(rng, int(rng.integers(3, 60)), n_words=3)
    y_new = score if numeric else np.searchsorted([2.0, 4.0], score)
    if not numeric:
        known = session.estimator().classes_
        y_new = np.where(np.isin(y_new, known), y_new, known[0])
    replay = session.replay(X_new, y_new)
    new, old = replay.session.tree_, session.tree_
    check_tree(new)
    place = {}
    for row in rows_of(X_new):
        was = naive_leaf(old, session._rows.schema, row)
        now = naive_leaf(new, replay.session._rows.schema, row)
        assert place.setdefault(was, now) == now
    assert sorted(place.values()) == new.leaves().tolist()
    banned = {column for column, above in session._now.edits.bans if above == 0}
    assert banned <= {column for column, above in replay.session._now.edits.bans if above == 0}
    changes = ("left out", "no effect", "elsewhere")
    if not any(change in finding for change in changes for finding in replay.findings):
        assert place.keys() == set(old.leaves().tolist())
    clf = replay.estimator()
    report = polytomy.verify(clf, X_new, y_new)
    assert report.ok, report
    assert load_bytes(to_file_bytes(clf)).tree_ == clf.tree_


def test_a_replay_on_the_same_rows_changes_nothing():
    session, (X, y, _), rng = begun(3, False, False)
    for _ in range(8):
        random_edit(session, rng)
    assert len(session.log) > 3
    replay = session.replay(X, y)
    assert replay.findings == ()
    assert replay.session.tree_ == session.tree_
    assert [e["cost"] for e in replay.session.log] == [e["cost"] for e in session.log]
    assert "Everything still holds." in str(replay)
