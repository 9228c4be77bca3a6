"""What a session answers without an edit: prices, errors, distributions; limits and directions."""

from math import isfinite, isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import polytomy
from polytomy import ParameterError, TreeClassifier, TreeRegressor
from polytomy.table import Table

N = 300


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(5)
    columns = {
        "a": rng.uniform(size=N),
        "b": np.where(rng.uniform(size=N) < 0.1, np.nan, rng.normal(size=N)),
        "c": np.array(list("xyz"))[rng.integers(0, 3, N)],
    }
    y = (columns["a"] + 0.3 * (columns["c"] == "x") + rng.normal(size=N) / 5 > 0.6).astype(int)
    return Table.of(columns), y


SPLITS = [
    ("a", {"thresholds": [0.2, 0.35]}),
    ("b", {"thresholds": [0.0], "missing": "own"}),
    ("c", {"groups": [["x"], ...]}),
    ("a", {"arity": 3}),
    ("c", {}),
]


@pytest.mark.parametrize(("column", "how"), SPLITS)
def test_price_is_what_the_split_then_costs(table, column, how):
    X, y = table
    session = polytomy.edit(X, y)
    session.split(0, "a", thresholds=[0.5])
    price = session.price(1, column, **how)
    done = session.split(1, column, **how)
    assert price.branches == len(done.nodes)
    assert price.forgone == pytest.approx(done.gain_forgone, abs=1e-12)
    assert price.error == pytest.approx(done.after.training_error)
    assert price.gain == pytest.approx(done.before.index - done.after.index)


def test_price_changes_nothing(table):
    X, y = table
    session = polytomy.edit(X, y)
    session.split(0, "a")
    session.undo()
    assert (session.can_undo, session.can_redo) == (False, True)
    before = session.tree_
    session.price(0, "b", thresholds=[0])
    assert session.tree_ is before
    session.redo()
    assert (session.can_undo, session.can_redo) == (True, False)


def test_price_of_a_number_is_its_loss(table):
    X, y = table
    session = polytomy.edit(TreeRegressor(), X, y + 0.25)
    price = session.price(0, "a", thresholds=[0.5])
    assert price.error == pytest.approx(
        session.split(0, "a", thresholds=[0.5]).after.training_error
    )


def test_price_refuses_an_empty_branch(table):
    with pytest.raises(ParameterError, match="that branch is empty"):
        polytomy.edit(*table).price(0, "a", thresholds=[7])


def test_error_is_the_held_out_error(table):
    X, y = table
    held = np.arange(0, N, 3)
    kept = np.setdiff1d(np.arange(N), held)
    told = polytomy.edit(X.take(kept), y[kept], X_val=X.take(held), y_val=y[held])
    silent = polytomy.edit(X.take(kept), y[kept])
    for session in (told, silent):
        session.split(0, "a")
    assert silent.figures.held_out_error is None
    assert silent.error(X.take(held), y[held]) == told.figures.held_out_error


def test_alternatives_of_some_columns_are_among_all(table):
    session = polytomy.edit(*table)
    every = session.alternatives(0)
    assert list(session.alternatives(0, ["b"])) == [s for s in every if s.column == "b"]
    assert [r.split.arity for r in every.rivals] == [s.branches for s in every]


def test_limit_changes_the_alternatives(table):
    session = polytomy.edit(*table)
    assert max(s.branches for s in session.alternatives(0)) > 3
    session.limit(max_arity=3, min_samples_leaf=40)
    assert max(s.branches for s in session.alternatives(0)) == 3
    assert session.regrow(0, 6).after.leaves <= 6
    assert session.tree_.rows.min() >= 40
    with pytest.raises(ParameterError, match="max_arity must be"):
        session.limit(max_arity=1)
    with pytest.raises(ParameterError, match=r"limits are min_samples_leaf, .*; got 'index'"):
        session.limit(index="gini")


def naive_bins(edges, values):
    """Return the bin of each value by looking at every bin; None for a missing one."""
    found = []
    for value in values:
        if isnan(value):
            found.append(None)
            continue
        inside = [i for i in range(len(edges) - 1) if edges[i] <= value < edges[i + 1]]
        found.append(inside[0] if inside else 0 if value < edges[0] else len(edges) - 2)
    return found


FLOATS = st.one_of(
    st.integers(-20, 20).map(float),
    st.floats(-3, 3),
    st.sampled_from([np.nan, np.inf, -np.inf, 1e300, -1e300, 1e-300]),
)


@given(st.lists(FLOATS, min_size=4, max_size=60), st.data())
def test_distribution_counts_every_row_once(values, data):
    labels = data.draw(st.lists(st.integers(0, 2), min_size=len(values), max_size=len(values)))
    labels[:2] = 0, 1
    session = polytomy.edit(Table.of({"v": np.array(values), "w": np.arange(len(values))}), labels)
    found = session.distribution(0, "v")
    assert (np.diff(found.edges) > 0).all()
    expected = np.zeros_like(found.counts)
    missing = np.zeros_like(found.missing)
    for place, label in zip(naive_bins(found.edges.tolist(), values), labels, strict=True):
        if place is None:
            missing[label] += 1
        else:
            expected[place, label] += 1
    assert (found.missing == missing).all()
    assert (found.counts.sum(axis=0) == expected.sum(axis=0)).all()
    near = max((abs(v) for v in values if isfinite(v)), default=0) < 1e6
    if near:  # rounding may move a value at the end of a bin
        gap = np.abs(np.cumsum(found.counts - expected, axis=0)).sum(axis=1)
        at_ends = [
            sum(abs(v - e) <= 1e-9 * (1 + abs(e)) for v in values) for e in found.edges[1:].tolist()
        ]
        assert (gap <= at_ends).all()


def test_distribution_of_categories_is_by_weight(table):
    X, y = table
    session = polytomy.edit(X, y)
    found = session.distribution(0, "c")
    assert found.edges is None
    names = [session._rows.schema[2].categories[code] for code in found.codes]
    cells = np.array([str(x) for x in "xyz"])
    assert sorted(names) == cells.tolist()
    assert (np.diff(found.counts.sum(axis=1)) <= 0).all()
    assert found.counts.sum() == N
    few = session.distribution(0, "c", most_rows=50)
    assert 50 <= few.counts.sum() <= 100


def test_edits_keep_the_direction_of_a_column(table):
    X, y = table
    for estimator in (
        TreeClassifier(monotonic_cst={"a": 1}),
        TreeClassifier(6, monotonic_cst={"a": 1}).fit(X, y),
    ):
        session = polytomy.edit(estimator, X, y)
        session.split(0, "a", thresholds=[0.4, 0.7])
        assert polytomy.verify(session.estimator(), X, y).ok
    session = polytomy.edit(TreeClassifier(monotonic_cst={"a": -1}), X, y)
    with pytest.raises(ParameterError, match=r"breaks a direction of monotonic_cst: leaves 2 and"):
        session.split(0, "a", thresholds=[0.5])
    assert (session.log, session.can_undo) == ([], False)
    assert all(split.column != "a" for split in session.alternatives(0))


def test_directions_hold_without_banned_columns(table):
    X, y = table
    session = polytomy.edit(TreeClassifier(monotonic_cst={"b": 1}), X, y)
    session.ban("a")
    assert {split.column for split in session.alternatives(0)} <= {"b", "c"}
    session.regrow(0, 5)
    assert session.tree_.n_leaves > 1
    assert polytomy.verify(session.estimator(), X, y).ok


@pytest.mark.parametrize("seed", range(3))
def test_regrow_finds_a_subtree_that_is_in_order_with_the_rest(seed):
    rng = np.random.default_rng(seed)
    X = rng.random((300, 3))
    y = X[:, 0] + 0.5 * np.sin(6 * X[:, 1]) + 0.5 * X[:, 2] + rng.normal(0, 0.4, 300)
    for clf, target in (
        (TreeRegressor(8, monotonic_cst=[1, 0, -1]), y),
        (TreeClassifier(8, monotonic_cst=[1, 0, -1]), y > 0.6),
    ):
        session = polytomy.edit(clf.fit(X, target), X, target)
        for node in range(session.tree_.n_nodes):
            session.regrow(node, 6)
            assert polytomy.verify(session.estimator(), X, target).ok
            session.undo()


def test_held_out_error_is_a_share_of_the_rows_whatever_mistakes_cost(table):
    X, y = table
    costs = {("a", "b"): 7, ("b", "a"): 2, ("b", "c"): 3, ("c", "a"): 4}
    y = np.array(list("abc"))[np.arange(len(y)) % 3]
    clf = TreeClassifier(6, cost_matrix=costs).fit(X, y)
    session = polytomy.edit(clf, X, y, X_val=X, y_val=y)
    wrong = np.mean(clf.predict(X) != y)
    assert session.figures.held_out_error == pytest.approx(wrong)
    assert session.error(X, y) == pytest.approx(wrong)
    assert session.figures.training_error == pytest.approx(wrong)
