"""Constraints on columns and branches: kept by every fit, stored in files, and verified."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

import polytomy
from polytomy import ParameterError, Teacher, TreeClassifier, TreeRegressor, prune
from polytomy.estimators.fitting.effort import price_at
from polytomy.theory import column_cost, tree_cost
from polytomy.tree import Constraints, asked_above, contract

N = 900


@pytest.fixture(scope="module")
def sample():
    rng = np.random.default_rng(5)
    X = pd.DataFrame(
        {
            "age": rng.integers(18, 90, N).astype(float),
            "income": rng.normal(50, 20, N).round(),
            "biopsy": rng.normal(size=N).round(2),
            "city": rng.choice(list("abcdef"), N),
        }
    )
    X.loc[rng.random(N) < 0.1, "income"] = np.nan
    z = 1.5 * X.biopsy + (X.age > 50) + X.city.isin(["a", "b"]) + 0.02 * X.income.fillna(40) - 2
    z += rng.normal(size=N)
    return X, (z > 0).astype(int), z


def asked(tree):
    """The pairs of a column and those asked above it, for every split of a fitted tree."""
    model = tree._model
    names = model.schema.names
    return [
        (names[model.tree.feature[v]], {names[j] for j in asked_above(model.tree, v)})
        for v in range(model.tree.n_nodes)
        if not model.tree.is_leaf(v)
    ]


ALL = [
    {"never_ask": "biopsy"},
    {"columns_first": ["city", "age"]},
    {"only_after": {"biopsy": ["city", "income"]}},
    {"column_cost": {"biopsy": 0.4, "city": 0.01}},
    {"min_child_share": 0.2},
    {"min_difference": 0.12},
    {
        "never_ask": ["income"],
        "columns_first": "age",
        "only_after": {"biopsy": "age"},
        "column_cost": {"city": 0.05},
        "min_child_share": 0.1,
        "min_difference": 0.05,
    },
]
PROCEDURES = ["priced", "per-leaf", "hatano", "kearns-mansour", "id3", "gain-ratio"]


@pytest.mark.parametrize("procedure", PROCEDURES)
@pytest.mark.parametrize("constraints", ALL, ids="+".join)
def test_every_procedure_keeps_constraints_and_verify_agrees(sample, constraints, procedure):
    X, y, z = sample
    weights = np.random.default_rng(0).integers(1, 4, N)
    for tree, target in ((TreeClassifier, y), (TreeRegressor, z)):
        fitted = tree(7, procedure=procedure, **constraints).fit(X, target, weights)
        report = polytomy.verify(fitted, X, target, weights)
        assert report.ok, report
        names = [line.split("  ")[0] for line in str(report).splitlines()]
        assert "constraints on columns and branches" in names
        for column, above in asked(fitted):
            assert column not in np.atleast_1d(constraints.get("never_ask", []))
            needed = set(np.atleast_1d(constraints.get("only_after", {}).get(column, [])))
            assert not needed or needed & above


def test_columns_that_come_first_are_asked_first(sample):
    X, y, _ = sample
    options = {"procedure": "per-leaf", "contract": False, "max_depth": 3, "max_arity": 2}
    tree = TreeClassifier(None, columns_first=["city", "age"], **options).fit(X, y)
    found = asked(tree)
    assert any(column == "biopsy" for column, _ in found)
    for column, above in found:  # both gain something at every node of that many rows
        assert column in {"city", "age"} - above or {"city", "age"} <= above


@pytest.mark.parametrize("how", [{"procedure": "per-leaf"}, {"search": 1}], ids=str)
def test_verify_finds_what_breaks_a_constraint(sample, how):
    X, y, _ = sample
    tree = TreeClassifier(8, honest=False, **how).fit(X, y)
    root = int(tree._model.grown.feature[0])
    others = tuple(j for j in range(4) if j != root)
    broken = {
        "which never_ask excludes": Constraints(never=(root,)),
        "only_after needs a question": Constraints(
            after=tuple(others if j == root else () for j in range(4))
        ),
        "below min_child_share": Constraints(min_child_share=0.49),
        "below min_difference": Constraints(min_difference=0.95),
        "comes first gains": Constraints(first=(others[0],)),
    }
    for words, constraints in broken.items():
        model = tree._model
        run = replace(model.run, rules=replace(model.run.rules, constraints=constraints))
        other = tree._with_model(replace(model, run=run))
        report = polytomy.verify(other, X, y)
        assert not report.ok
        assert words in str(report)


def test_a_cost_above_all_that_a_tree_saves_keeps_a_column_out(sample):
    X, y, _ = sample
    for procedure in ("priced", "per-leaf"):
        asks = [
            any(column == "biopsy" for column, _ in asked(tree))
            for tree in (
                TreeClassifier(8, procedure=procedure, column_cost={"biopsy": cost}).fit(X, y)
                for cost in (0.0, 0.01, 1.5)
            )
        ]
        assert asks == [True, True, False]


def test_a_column_is_paid_for_once_on_a_path(sample):
    X, y, _ = sample
    tree = TreeClassifier(12, column_cost={"biopsy": 0.02}, contract=False).fit(X, y)
    prices = tree._model.pruning.prices
    kept = tree._model.kept
    j = tree._model.schema.names.index("biopsy")
    first = [
        v for v in range(kept.n_nodes) if kept.feature[v] == j and j not in asked_above(kept, v)
    ]
    every = [v for v in range(kept.n_nodes) if kept.feature[v] == j]
    assert len(every) > len(first)
    assert column_cost(kept, prices) == pytest.approx(prices.columns[j] * kept.weight[first].sum())
    assert prices.columns[j] == pytest.approx(prices.question * 0.02 / price_at(12))


def test_the_path_of_two_prices_has_no_cheaper_pruning(sample):
    X, y, _ = sample
    costs = {"biopsy": 0.1, "age": 0.03}
    tree = TreeClassifier(6, column_cost=costs).fit(X, y)
    path = tree.pruning_path(merge=True, question_price=0.08)
    model, prices = tree._model, path._path.prices
    for size, cost in zip(path.sizes, path._path.costs, strict=True):
        pruned = path._path.exactly(int(size))
        total = tree_cost(pruned, model.run.index, prices) - prices.leaf * size
        assert cost == pytest.approx(total)
    whole = contract(model.grown)
    assert path._path.costs[-1] <= tree_cost(whole, model.run.index, prices) + 1e-9


def test_constraints_survive_files_clones_and_grids(tmp_path, sample):
    X, y, _ = sample
    for constraints in ALL:
        tree = TreeClassifier(6, **constraints).fit(X, y)
        path = tmp_path / "tree.json"
        tree.save(path)
        loaded = polytomy.load(path)
        assert loaded._model.run.rules.constraints == tree._model.run.rules.constraints
        assert not loaded._model.run.rules.constraints.is_empty
        assert loaded._model.pruning.prices == tree._model.pruning.prices
        assert polytomy.verify(loaded, X, y).ok
        again = clone(loaded).fit(X, y)
        assert again.tree_ == tree.tree_
    grid = GridSearchCV(
        TreeClassifier(4, never_ask="age"),
        {"min_difference": [0.0, 0.2], "column_cost": [None, {"biopsy": 0.1}]},
        cv=2,
    )
    assert set(grid.fit(X, y).best_params_) == {"min_difference", "column_cost"}


@pytest.mark.parametrize("procedure", ["priced", "per-leaf"])
def test_a_tree_from_a_file_is_edited_and_verified_under_its_constraints(
    tmp_path, sample, procedure
):
    X, y, _ = sample
    kept = {"never_ask": "biopsy", "column_cost": {"city": 0.1}, "min_child_share": 0.1}
    tree = TreeClassifier(8, procedure=procedure, monotonic_cst={"age": -1}, **kept).fit(X, y)
    tree.save(tmp_path / "m.json")
    loaded = polytomy.load(tmp_path / "m.json")
    sessions = [polytomy.edit(one, X, y) for one in (tree, loaded)]
    for session in sessions:
        session.collapse(0)
        session.regrow(0, max_leaves=8)
    one, other = (session.estimator() for session in sessions)
    assert one.tree_ == other.tree_
    assert one._model.run.rules == other._model.run.rules
    assert "biopsy" not in {column for column, _ in asked(other)}
    with pytest.raises(ParameterError, match="breaks a direction"):
        polytomy.edit(loaded, X, y).split(0, "age", thresholds=[50])
    pruned = TreeClassifier(
        8, procedure=procedure, pruner="cost-complexity", random_state=0, **kept
    ).fit(X, y)
    pruned.save(tmp_path / "p.json")
    assert polytomy.verify(polytomy.load(tmp_path / "p.json"), X, y).ok


def test_texts_state_the_constraints(sample):
    X, y, _ = sample
    tree = TreeClassifier(6, monotonic_cst={"age": 1}, **ALL[-1]).fit(X, y)
    certificate = str(tree.certificate_)
    for text in (tree.to_text(), certificate, str(tree.to_rules())):
        flat = " ".join(text.split())
        of = "the second class" if text is certificate else "class 1"
        assert f"The share of {of} only rises with: age." in flat
        assert "Never asked: income." in flat
        assert "biopsy below age" in flat
        assert "Costs of columns: city 0.05." in flat
        assert "at least 10 % of the weight of its node" in flat
        assert "differ by at least 0.05" in flat


def test_positions_name_the_columns_of_an_array(sample):
    X, y, _ = sample
    numbers = X[["age", "income", "biopsy"]].to_numpy()
    tree = TreeClassifier(6, never_ask=2, columns_first=[np.int64(1)]).fit(numbers, y)
    assert tree._model.run.rules.constraints == Constraints(never=(2,), first=(1,))
    directed = TreeClassifier(6, monotonic_cst={0: 1, np.int64(2): 1}).fit(numbers, y)
    assert directed._model.run.rules.monotonic == (1, 0, 1)
    changed = numbers.copy()
    changed[:, 2] = np.nan
    assert (tree.predict(changed) == tree.predict(numbers)).all()


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        (
            {"never_ask": "town"},
            "that the table does not have: 'town'; its columns are age, income,",
        ),
        (
            {"columns_first": "bopsy"},
            r"that the table does not have: 'bopsy'; did you mean 'biopsy'\?",
        ),
        ({"never_ask": 7}, "never_ask names column 7, but the table has 4 columns"),
        ({"never_ask": 1.5}, "names or positions of columns"),
        ({"never_ask": True}, "names or positions of columns"),
        ({"never_ask": ["age", 0]}, "never_ask names 'age' twice"),
        ({"never_ask": ["age", "income", "biopsy", "city"]}, "nothing can be asked"),
        ({"never_ask": "age", "columns_first": "age"}, "never_ask and columns_first both name"),
        ({"never_ask": "age", "only_after": {"age": "city"}}, "never_ask and only_after both name"),
        ({"only_after": ["age"]}, "only_after must be a dict"),
        ({"only_after": {"age": []}}, "use never_ask"),
        (
            {"only_after": {"age": "city", "city": "age"}},
            "'age' waits for 'city'; 'city' waits for 'age'",
        ),
        ({"only_after": {"age": "age"}}, "can never be asked"),
        ({"only_after": {"age": "city"}, "never_ask": "city"}, "can never be asked"),
        ({"column_cost": {"age": -1}}, "column_cost must be at least 0"),
        ({"column_cost": {"age": np.inf}}, "column_cost must be at least 0"),
        ({"column_cost": 3}, "column_cost must be a dict"),
        ({"min_child_share": 0.7}, "from 0 to 0.5"),
        ({"min_child_share": "a"}, "min_child_share must be a number"),
        ({"min_child_share": float("nan")}, "from 0 to 0.5"),
        ({"min_difference": -0.1}, "at least 0"),
        ({"column_cost": {"age": 0.1}, "effort": "balanced"}, "need effort='fast'"),
        ({"min_child_share": 0.1, "search": 1}, "need effort='fast'"),
        ({"min_difference": 0.1, "teacher": Teacher()}, "about the labels"),
        ({"columns_first": "age", "pruner": prune.Pessimistic(raising=True)}, "raises subtrees"),
    ],
)
def test_bad_constraints_are_refused(sample, parameters, words):
    X, y, _ = sample
    with pytest.raises(ParameterError, match=words):
        TreeClassifier(4, **parameters).fit(X, y)


def test_a_difference_needs_one_number_of_each_branch(sample):
    X, _, _ = sample
    with pytest.raises(ParameterError, match="it needs two classes, or a numeric target"):
        TreeClassifier(4, min_difference=0.1).fit(X, np.arange(N) % 3)
    tree = TreeClassifier(4, min_difference=0.1).fit(X, np.arange(N) % 3 == 0)
    with pytest.raises(ParameterError, match="use merge=False"):
        tree.pruning_path(merge=True)
    assert len(tree.pruning_path(question_price=0.01)) > 0


@pytest.mark.parametrize(
    "more", [{"search": (3, 2)}, {"effort": "balanced"}, {"effort": "thorough"}], ids=str
)
@pytest.mark.parametrize("numbers", [False, True])
def test_constraints_on_columns_go_with_every_effort(sample, more, numbers):
    X, y, z = (part[:400] for part in sample)
    kept = {"never_ask": "income", "columns_first": "city", "only_after": {"biopsy": "age"}}
    estimator, target = (TreeRegressor, z) if numbers else (TreeClassifier, y)
    tree = estimator(6, random_state=0, **more, **kept).fit(X, target)
    splits = asked(tree)
    assert len(splits) > 1
    assert splits[0][0] == "city"  # which gains at the root
    assert all(column != "income" for column, _ in splits)
    assert all("age" in above for column, above in splits if column == "biopsy")
    assert polytomy.verify(tree, X, target).ok
    free = estimator(6, random_state=0, **more).fit(X, target)
    assert any(column == "biopsy" and "age" not in above for column, above in asked(free))


def test_constraints_on_columns_go_with_a_teacher(sample):
    X, y, _ = sample
    taught = TreeClassifier(
        6, only_after={"biopsy": "age"}, columns_first="city", teacher=Teacher(n_estimators=10)
    ).fit(X, y)
    assert all("age" in above for column, above in asked(taught) if column == "biopsy")
    assert polytomy.verify(taught, X, y).ok


def test_cross_validation_chooses_among_trees_that_keep_constraints(sample):
    X, y, _ = sample
    for constraints in ({"column_cost": {"biopsy": 1.5}}, {"min_child_share": 0.2}):
        tree = TreeClassifier("cv", random_state=0, **constraints).fit(X, y)
        assert polytomy.verify(tree, X, y).ok
        if "column_cost" in constraints:
            assert all(column != "biopsy" for column, _ in asked(tree))


def test_edits_may_break_constraints_and_verify_says_so(sample):
    X, y, _ = sample
    tree = TreeClassifier(6, never_ask="biopsy", only_after={"income": "age"}).fit(X, y)
    session = polytomy.edit(tree, X, y)
    session.regrow(0, max_leaves=8)
    regrown = session.estimator()
    assert all(column != "biopsy" for column, _ in asked(regrown))
    session.split(0, "biopsy", thresholds=[0.0])
    report = polytomy.verify(session.estimator(), X, y)
    assert report.ok
    flat = " ".join(str(report).split())
    assert "Edited by hand: node 0 asks about 'biopsy', which never_ask excludes." in flat


def test_a_subtree_is_regrown_by_what_is_asked_above_it(sample):
    X, y, _ = sample
    tree = TreeClassifier(6, only_after={"biopsy": "city"}).fit(X, y)
    session = polytomy.edit(tree, X, y)
    session.split(0, "city", groups=[["a", "b"], ["c", "d", "e", "f"]])
    session.regrow(1, max_leaves=4)
    assert any(column == "biopsy" for column, _ in asked(session.estimator()))
    session.ban("city")
    assert all(column != "biopsy" for column, _ in asked(session.estimator()))


def test_small_and_odd_tables(sample):
    X, y, _ = sample
    constraints = {"columns_first": "age", "min_child_share": 0.5, "min_difference": 0.5}
    assert TreeClassifier(**constraints).fit(X[:1], y[:1]).n_leaves_ == 1
    assert TreeRegressor(**constraints).fit(X, np.zeros(N)).n_leaves_ == 1
    empty = X.assign(age=np.nan)
    assert polytomy.verify(TreeClassifier(4, **constraints).fit(empty, y), empty, y).ok
    huge = TreeRegressor(4, min_difference=1e100, honest=False).fit(X, y * 1e120)
    assert huge.n_leaves_ > 1


def test_a_leaf_that_may_have_three_branches_but_no_two_has_an_option():
    rng = np.random.default_rng(67)
    X = pd.DataFrame({"a": rng.normal(size=100), "zz": np.zeros(100)})
    y = (np.sin(4 * X.a) + 0.8 * rng.normal(size=100) > 0).astype(int)
    rules = {
        "procedure": "per-leaf",
        "max_leaves": 6,
        "min_difference": 0.2,
        "honest": False,
        "min_samples_leaf": 5,
    }
    one = TreeClassifier(**rules).fit(X, y)
    assert [retired.reason for retired in one.certificate_.run.retired] == ["too few rows"]
    other = TreeClassifier(**rules, only_after={"zz": ["a"]}).fit(X, y)
    assert other.certificate_.run.retired == one.certificate_.run.retired
