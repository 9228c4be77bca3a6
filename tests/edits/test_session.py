"""Sessions of editing: what every edit does to the tree, and what it says it costs."""

import json

import numpy as np
import pandas as pd
import pytest

import polytomy
from polytomy import ParameterError, TreeClassifier, TreeRegressor
from tests.grow.test_own_family import Signs

N = 240


@pytest.fixture(scope="module")
def table():
    """A table with numbers, categories, missing cells, and three classes."""
    rng = np.random.default_rng(5)
    age = rng.integers(18, 90, N).astype(float)
    age[::17] = np.nan
    job = rng.choice(["clerk", "cook", "judge", "nurse"], N).astype(object)
    job[::29] = None
    X = pd.DataFrame({"age": age, "job": job, "noise": rng.normal(size=N)})
    score = np.nan_to_num(age, nan=40.0) / 20 + (job == "judge") * 2 + rng.normal(size=N)
    return X, np.array(["low", "mid", "high"])[np.searchsorted([2.0, 4.0], score)]


def leaf_errors(clf, X, y):
    """Return the share of the rows that are misclassified, by the predictions."""
    return float(np.mean(clf.predict(X) != y))


def test_a_split_at_a_stated_threshold_keeps_it_and_states_its_price(table):
    X, y = table
    session = polytomy.edit(X, y, X_val=X[:50], y_val=y[:50])
    assert session.tree_.n_nodes == 1
    done = session.split(0, "age", thresholds=[65], missing=0, reason="the retirement age")
    assert (done.node, done.nodes) == (0, (1, 2))
    assert session.tree_.split(0).thresholds.tolist() == [65.0]
    clf = session.estimator()
    is_old = (X["age"] > 65).to_numpy()
    assert session.tree_.rows.tolist() == [N, int((~is_old).sum()), int(is_old.sum())]
    assert done.before.training_error == pytest.approx(
        1 - max(np.unique(y, return_counts=1)[1]) / N
    )
    assert done.after.training_error == pytest.approx(leaf_errors(clf, X, y))
    assert done.after.held_out_error == pytest.approx(leaf_errors(clf, X[:50], y[:50]))
    assert (done.after.leaves, done.after.questions) == (2, 1.0)
    assert done.after.index == pytest.approx(clf.certificate_.index)
    assert done.after.bound == pytest.approx(clf.certificate_.bound)
    best = max(a.gain for a in session.alternatives(0) if a.branches == 2)
    gain = done.before.index - done.after.index
    assert done.gain_forgone == pytest.approx(max(best - gain, 0))
    assert "gain forgone" in str(done)
    assert "Reason for step 1, split: the retirement age." in " ".join(clf.to_text().split())


def test_a_tree_of_one_leaf_is_counted_in_the_singular(table):
    session = polytomy.edit(*table)
    assert str(session).splitlines()[-1].startswith("1 leaf, 0.00 questions")


def test_alternatives_can_be_taken_and_gain_what_they_say(table):
    X, y = table
    session = polytomy.edit(X, y)
    found = session.alternatives(0)
    assert {a.column for a in found} == {"age", "job", "noise"}
    assert not any(a.chosen for a in found)
    for option in found:
        done = session.split(
            0,
            option.column,
            thresholds=option.thresholds,
            groups=option.groups,
            missing=option.missing,
        )
        gained = done.before.index - done.after.index
        assert gained == pytest.approx(option.gain)
        assert done.after.training_error == pytest.approx(option.error)
        assert done.gain_forgone == pytest.approx(option.forgone, abs=1e-12)
        chosen = [a for a in session.alternatives(0) if a.chosen]
        assert [(a.column, a.branches) for a in chosen] == [(option.column, option.branches)]
        session.undo()
    assert found.to_frame()["gain"].iloc[0] == found[0].gain
    assert str(found).count("\n") == min(len(found), 17) + 1


def test_no_binary_threshold_gains_more_than_the_best_alternative(table):
    X, y = table
    whole = X.fillna({"age": 40.0})[["age"]]
    session = polytomy.edit(TreeClassifier(index="gini"), whole, y)
    best = max(a.gain for a in session.alternatives(0) if a.branches == 2)
    gains = []
    for cut in sorted(set(whole["age"]))[:-1]:
        done = session.split(0, "age", thresholds=[cut])
        gains.append(done.before.index - done.after.index)
        assert done.gain_forgone == pytest.approx(best - gains[-1], abs=1e-12)
        session.undo()
    assert max(gains) == pytest.approx(best)


def test_groups_take_missing_cells_and_all_others(table):
    X, y = table
    session = polytomy.edit(X, y)
    session.split(0, "job", groups=[["judge", None], ...])
    is_first = ((X["job"] == "judge") | X["job"].isna()).to_numpy()
    assert session.tree_.rows[1] == is_first.sum()
    assert (session.estimator().apply(X) == np.where(is_first, 1, 2)).all()
    entry = session.log[0]
    assert entry["groups"] == [["judge", None], ["clerk", "cook", "nurse"]]
    json.dumps(session.log)


def test_a_category_without_rows_at_the_node_keeps_its_branch(table):
    X, y = table
    session = polytomy.edit(X, y)
    session.split(0, "job", groups=[["judge"], ...])
    below = session.split(1, "age", thresholds=[50])
    session.split(below.nodes[0], "noise", arity=2)
    here = session.split(2, "job", groups=[["clerk", "judge"], ...])
    split = session.tree_.split(here.node)
    assert split.code_to_branch[2] == 0  # no judge reaches the node
    clf = session.estimator()
    assert polytomy.verify(clf, X, y).ok


def test_only_removed_nodes_renumber_others(table):
    X, y = table
    session = polytomy.edit(X, y)
    session.split(0, "age", thresholds=[40, 60])
    done = session.split(2, "noise", thresholds=[0.0])
    assert done.nodes == (4, 5)
    assert session.split(1, "noise", thresholds=[0.0]).nodes == (6, 7)
    assert session.collapse(2).node == 2
    assert session.tree_.children(1).tolist() == [4, 5]
    merged = session.merge(0, [1, 2], reason="no difference")
    assert session.tree_.children(0).tolist() == [1, 2]
    assert merged.gain_forgone > 0
    assert session.log[-1]["branches"] == [1, 2]
    assert session.tree_.arity(1) == 2  # the subtree of the first branch is kept
    assert [entry["operation"] for entry in session.log] == ["split"] * 3 + ["collapse", "merge"]


def test_undo_and_redo_go_back_and_forth(table):
    X, y = table
    session = polytomy.edit(TreeClassifier(max_leaves=6, random_state=0).fit(X, y), X, y)
    trees = [session.tree_]
    session.collapse(0)
    trees.append(session.tree_)
    session.split(0, "age")
    trees.append(session.tree_)
    for expected in trees[1::-1]:
        session.undo()
        assert session.tree_ == expected
    with pytest.raises(ParameterError, match="no edit to undo"):
        session.undo()
    for expected in trees[1:]:
        session.redo()
        assert session.tree_ == expected
    with pytest.raises(ParameterError, match="no edit to redo"):
        session.redo()
    session.undo()
    session.split(0, "job")
    with pytest.raises(ParameterError, match="no edit to redo"):
        session.redo()


def test_an_unedited_session_returns_the_same_model(table):
    X, y = table
    clf = TreeClassifier(max_leaves=6, random_state=0).fit(X, y)
    session = polytomy.edit(clf, X, y)
    assert session.estimator().to_text() == clf.to_text()
    assert session.estimator().origin_ is None
    assert session.tree_ == clf.tree_


def test_regrow_uses_the_procedure_and_its_budget(table):
    X, y = table
    for procedure in ("priced", "per-leaf", "id3"):
        session = polytomy.edit(TreeClassifier(procedure=procedure), X, y)
        done = session.regrow(0, max_leaves=5)
        assert 1 < done.after.leaves <= 5
        assert done.after.index < done.before.index
        assert session.regrow(0).after.leaves <= done.after.leaves
        assert polytomy.verify(session.estimator(), X, y).ok
    with pytest.raises(ParameterError, match="pass max_leaves to grow it"):
        session.regrow(int(session.tree_.leaves()[0]))
    grown = polytomy.edit(TreeClassifier(procedure="per-leaf"), X, y)
    grown.regrow(0, max_leaves=5)
    plain = TreeClassifier(procedure="per-leaf", max_leaves=5, contract=False).fit(X, y)
    assert grown.tree_ == plain.tree_


def test_a_banned_column_is_gone_and_stays_away(table):
    X, y = table
    clf = TreeClassifier(max_leaves=12, random_state=0).fit(X, y)
    assert 0 in clf.tree_.feature
    session = polytomy.edit(clf, X, y)
    done = session.ban("age", reason="not allowed to be used")
    assert 0 not in session.tree_.feature
    assert done.after.leaves <= done.before.leaves
    assert {a.column for a in session.alternatives(0)} == {"job", "noise"}
    session.regrow(0, max_leaves=8)
    assert 0 not in session.tree_.feature
    with pytest.raises(ParameterError, match="'age' is banned at node 0"):
        session.split(0, "age", thresholds=[50])
    clf = session.estimator()
    assert polytomy.verify(clf, X, y).ok
    again = polytomy.edit(clf, X, y)  # a ban outlives the session
    with pytest.raises(ParameterError, match="banned"):
        again.split(0, "age", thresholds=[50])


def test_a_ban_holds_below_its_node_only_and_ends_with_it(table):
    X, y = table
    session = polytomy.edit(X, y)
    session.split(0, "age", thresholds=[50])
    session.ban("noise", below=1)
    session.split(2, "noise", thresholds=[0.0])
    with pytest.raises(ParameterError, match="'noise' is banned at node 1"):
        session.split(1, "noise", thresholds=[0.0])
    session.collapse(0)
    session.split(0, "age", thresholds=[50])
    session.split(1, "noise", thresholds=[0.0])


def test_relabel_changes_the_prediction_but_no_count(table):
    X, y = table
    session = polytomy.edit(TreeClassifier(honest=False), X, y)
    session.split(0, "job", groups=[["judge"], ...])
    before = session.estimator()
    done = session.relabel(1, "low", reason="judges are treated with care")
    clf = session.estimator()
    is_judge = (X["job"] == "judge").to_numpy()
    assert (clf.predict(X)[is_judge] == "low").all()
    assert (clf.predict(X)[~is_judge] == before.predict(X)[~is_judge]).all()
    assert np.array_equal(clf.predict_proba(X), before.predict_proba(X))
    assert done.after.training_error == pytest.approx(leaf_errors(clf, X, y))
    assert done.after.index == done.before.index
    assert clf.certificate_.training_error == pytest.approx(leaf_errors(before, X, y))
    assert "majority classes" in str(clf.certificate_)
    assert "low" in clf.to_python()
    assert "low" not in before.to_python()
    assert polytomy.verify(clf, X, y).ok
    with pytest.raises(ParameterError, match="prune it before editing"):
        clf.prune("conservative")
    session.split(1, "noise", thresholds=[0.0])  # a leaf that is split has no class of its own
    assert session.tree_.relabelled == {}


def test_an_edited_tree_can_be_pruned(table):
    X, y = table
    session = polytomy.edit(X, y)
    session.split(0, "age", thresholds=[40, 60])
    session.split(1, "noise", thresholds=[0.0])
    small = session.estimator().prune("conservative")
    assert small.n_leaves_ <= 4
    assert polytomy.verify(small, X, y).ok


def test_numbers_are_edited_as_classes_are(table):
    X, _ = table
    y = X["age"].fillna(30).to_numpy() ** 1.5 + 0.25
    for criterion in ("squared_error", "poisson"):
        fitted = TreeRegressor(max_leaves=6, criterion=criterion, random_state=0).fit(X, y)
        session = polytomy.edit(fitted, X, y, X_val=X[:40], y_val=y[:40])
        done = session.split(0, "age", thresholds=[33.3, 66.6])
        assert done.after.leaves == 3
        if criterion == "squared_error":
            means = session.tree_.mean[session.estimator().apply(X[:40])]
            assert done.after.held_out_error == pytest.approx(np.mean((y[:40] - means) ** 2))
        option = max(session.alternatives(2), key=lambda a: a.gain)
        done = session.split(2, option.column, thresholds=option.thresholds, groups=option.groups)
        assert done.before.index - done.after.index == pytest.approx(option.gain)
        assert done.after.training_error == pytest.approx(option.error)
        session.regrow(1, max_leaves=3)
        report = polytomy.verify(session.estimator(), X, y)
        assert report.ok, report
        with pytest.raises(ParameterError, match="leaves of a regressor have means"):
            session.relabel(3, 1.0)
    assert isinstance(polytomy.edit(X, y).estimator(), TreeRegressor)


def test_weights_of_rows_and_classes_count(table):
    X, y = table
    weight = np.random.default_rng(1).integers(0, 4, N) * 0.5
    clf = TreeClassifier(max_leaves=4, class_weight="balanced").fit(X, y, weight)
    session = polytomy.edit(clf, X, y, weight)
    done = session.split(0, "age", thresholds=[30, 60])
    edited = session.estimator()
    wrong = edited.predict(X) != y
    assert done.after.training_error == pytest.approx(np.average(wrong, weights=weight))
    for option in session.alternatives(1)[:4]:
        done = session.split(
            1,
            option.column,
            thresholds=option.thresholds,
            groups=option.groups,
            missing=option.missing,
        )
        assert done.after.training_error == pytest.approx(option.error)
        assert done.before.index - done.after.index == pytest.approx(option.gain)
        session.undo()
    assert polytomy.verify(edited, X, y, weight).ok


def test_held_out_rows_of_the_fit_stay_outside(table):
    X, y = table
    clf = TreeClassifier(pruner="reduced-error", random_state=0).fit(X, y)
    session = polytomy.edit(clf, X, y)
    assert session.tree_.rows[0] == N - len(clf.held_out_)
    session.split(0, "age", thresholds=[44.4])
    assert polytomy.verify(session.estimator(), X, y).ok


def test_times_and_ordered_labels_are_thresholds():
    day = np.array("2024-01-01", dtype="datetime64[D]") + np.arange(60)
    size = pd.Categorical(["s", "m", "l"] * 20, categories=["s", "m", "l"], ordered=True)
    X, y = pd.DataFrame({"day": day, "size": size}), np.arange(60) // 20
    session = polytomy.edit(X, y)
    session.split(0, "day", thresholds=["2024-01-20", "2024-02-09"])
    assert session.tree_.rows.tolist() == [60, 20, 20, 20]
    assert session.figures.training_error == 0
    session.split(0, "size", thresholds=["m"])
    assert session.tree_.rows.tolist() == [60, 40, 20]
    assert session.log[-1]["thresholds"] == ["m"]
    assert polytomy.verify(session.estimator(), X, y).ok
    with pytest.raises(ParameterError, match="must be one of 's', 'm', 'l', got 'xl'"):
        session.split(0, "size", thresholds=["xl"])
    with pytest.raises(ParameterError, match="must be a time, got 'soon'"):
        session.split(0, "day", thresholds=["soon"])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda s: s.split(9, "age", thresholds=[50]), "node must be an integer from 0 to 2"),
        (lambda s: s.split(True, "age", thresholds=[50]), "node must be an integer"),
        (lambda s: s.split(1, "wage", thresholds=[50]), "there is no column 'wage'"),
        (lambda s: s.split(1, 7, thresholds=[50]), "a position from 0 to 2"),
        (lambda s: s.split(1, "age", thresholds=[]), "at least one value"),
        (lambda s: s.split(1, "age", thresholds=[60, 60]), "must ascend"),
        (lambda s: s.split(1, "age", thresholds=[float("nan")]), "must be a finite number"),
        (lambda s: s.split(1, "age", thresholds=["old"]), "must be a finite number, got 'old'"),
        (lambda s: s.split(1, "age", thresholds=[True]), "must be a finite number, got True"),
        (lambda s: s.split(1, "age", thresholds=[500]), "no row of node 1 has age > 500"),
        (lambda s: s.split(1, "age", thresholds=[30], missing=2), "missing must be a branch"),
        (lambda s: s.split(1, "age", groups=[["x"], ...]), "is ordered: pass thresholds"),
        (lambda s: s.split(1, "age", arity=2, missing=0), "missing goes with thresholds"),
        (lambda s: s.split(1, "age", arity=2, thresholds=[3]), "not several of them"),
        (lambda s: s.split(1, "age", arity=1), "arity must be an integer >= 2"),
        (lambda s: s.split(1, "job", arity=40), "no split with 40 branches of node 1 on 'job'"),
        (lambda s: s.split(1, "job", thresholds=[1]), "has categories: pass groups"),
        (lambda s: s.split(1, "job", groups=[["judge"]]), "at least two groups"),
        (lambda s: s.split(1, "job", groups=["judge", ...]), "must be a list of categories"),
        (lambda s: s.split(1, "job", groups="judge"), "must be a list of lists"),
        (lambda s: s.split(1, "job", groups=[..., ...]), "only one group can be"),
        (lambda s: s.split(1, "job", groups=[["pope"], ...]), "has no category 'pope'"),
        (lambda s: s.split(1, "job", groups=[["cook"], ["cook"], ...]), "'cook' is listed twice"),
        (lambda s: s.split(1, "job", groups=[["cook"], ["clerk"]]), "are in no group"),
        (lambda s: s.split(1, "job", groups=[["cook"], ..., []]), "has no categories"),
        (lambda s: s.collapse(1), "is a leaf already"),
        (lambda s: s.merge(1, [0, 1]), "has no branches"),
        (lambda s: s.merge(0, [0, 1]), "collapse the node instead"),
        (lambda s: s.merge(0, [0]), "merge at least two"),
        (lambda s: s.merge(0, ["a", "b"]), "branches must be integers"),
        (lambda s: s.regrow(0, max_leaves=0), "max_leaves must be an integer >= 1"),
        (lambda s: s.relabel(0, "low"), "collapse it first"),
        (lambda s: s.relabel(1, "none"), "'none' is not one of the classes"),
        (lambda s: s.collapse(0, reason=3), "reason must be text"),
    ],
)
def test_wrong_edits_are_refused_in_one_sentence(table, call, message):
    X, y = table
    session = polytomy.edit(X, y)
    session.split(0, "age", thresholds=[40])
    tree = session.tree_
    with pytest.raises(ParameterError, match=message) as caught:
        call(session)
    assert "\n" not in str(caught.value)
    assert session.tree_ is tree
    assert len(session.log) == 1


def test_wrong_beginnings_are_refused(table):
    X, y = table
    clf = TreeClassifier(max_leaves=3).fit(X, y)
    with pytest.raises(ParameterError, match="pass X and y"):
        polytomy.edit(clf)
    with pytest.raises(ParameterError, match="must be the rows passed to fit"):
        polytomy.edit(clf, X[1:], y[1:])
    with pytest.raises(ParameterError, match="not a ForestClassifier"):
        polytomy.edit(polytomy.ForestClassifier(), X, y)
    with pytest.raises(ParameterError, match=r"pass edit\(estimator, X, y\)"):
        polytomy.edit(X, y, y)
    with pytest.raises(ParameterError, match="pass X_val and y_val together"):
        polytomy.edit(clf, X, y, X_val=X)


def test_one_row_and_constant_columns_have_nothing_to_split():
    for n in (1, 5):
        session = polytomy.edit(np.zeros((n, 2)), ["a"] * n)
        assert len(session.alternatives(0)) == 0
        with pytest.raises(ParameterError, match="gains anything"):
            session.split(0, 0)
        with pytest.raises(ParameterError, match="so that branch is empty"):
            session.split(0, 0, thresholds=[0.0])
        assert session.regrow(0, max_leaves=4).after.leaves == 1
        assert polytomy.verify(session.estimator(), np.zeros((n, 2)), ["a"] * n).ok


def test_a_threshold_inside_a_bin_is_kept(table):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(400, 2))
    y = X[:, 0] + 0.1 * rng.normal(size=400) > 0.1234
    session = polytomy.edit(TreeClassifier(max_bins=4), X, y)
    done = session.split(0, 0, thresholds=[0.1234])
    is_left = X[:, 0] <= 0.1234
    assert session.tree_.rows.tolist() == [400, int(is_left.sum()), int((~is_left).sum())]
    assert done.gain_forgone == 0  # no split between bins is as good
    clf = session.estimator()
    assert polytomy.verify(clf, X, y).ok
    assert clf.split_table(X, y)[0].gain > 0
    assert polytomy.edit(clf, X, y).tree_ == clf.tree_


def test_lazy_tables_are_edited(table, tmp_path):
    X, y = table
    X.assign(level=y).to_csv(tmp_path / "rows.csv", index=False)
    scan = polytomy.scan(tmp_path / "rows.csv", target="level")
    session = polytomy.edit(TreeClassifier(max_leaves=4).fit(scan), scan)
    session.split(0, "age", thresholds=[50.0])
    session.split(1, "job", groups=[["judge"], ...])
    assert polytomy.verify(session.estimator(), scan).ok
    assert polytomy.edit(scan).tree_.n_nodes == 1


def test_splits_of_a_users_family_stay_what_they_are():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(120, 2))
    y = (X[:, 0] * X[:, 1] > 0).astype(int) + (X[:, 0] > 1)
    families = ("intervals", Signs())
    clf = TreeClassifier(max_leaves=4, families=families, procedure="per-leaf").fit(X, y)
    assert clf.tree_.own
    session = polytomy.edit(clf, X, y)
    node = int(session.tree_.leaves()[0])
    session.split(node, 1, thresholds=[0.1], reason="middle")
    assert session.tree_.own == clf.tree_.own
    assert polytomy.verify(session.estimator(), X, y).ok
    assert polytomy.edit(clf, X, y).replay(X, y).session.tree_ == clf.tree_
    session.regrow(0, max_leaves=3)  # with built-in families
    assert not session.tree_.own
    assert polytomy.verify(session.estimator(), X, y).ok


def test_other_pairs_of_rows_and_labels_are_refused(table):
    X, y = table
    clf = TreeClassifier(6).fit(X, y)
    shuffled = np.random.default_rng(0).permutation(y)
    with pytest.raises(ParameterError, match="hold other rows"):
        polytomy.edit(clf, X, shuffled)


def test_an_edited_tree_that_was_pruned_is_not_edited_again(table):
    X, y = table
    session = polytomy.edit(X, y)
    session.split(0, "age", thresholds=[50.0])
    session.regrow(1, max_leaves=4)
    pruned = session.estimator().prune("pessimistic")
    with pytest.raises(ParameterError, match="edited and then pruned"):
        polytomy.edit(pruned, X, y)


@pytest.mark.parametrize("branches", [0, None, [], "01"])
def test_branches_to_merge_must_be_a_list_of_integers(table, branches):
    X, y = table
    session = polytomy.edit(X, y)
    session.split(0, "age", thresholds=[30.0, 50.0, 70.0])
    with pytest.raises(ParameterError, match="branches must be integers"):
        session.merge(0, branches)


def test_a_threshold_that_no_float_holds_is_refused(table):
    X, y = table
    with pytest.raises(ParameterError, match="a finite number"):
        polytomy.edit(X, y).split(0, "age", thresholds=[10**400])
