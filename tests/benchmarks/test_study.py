"""The study of small trees: halves, tables, learners, measures, summary and the file."""

import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from math import log

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier


@pytest.fixture(scope="module")
def learners(_path):
    from quality import learners  # noqa: PLC0415

    return learners


@pytest.fixture(scope="module")
def measures(_path):
    from quality import measures  # noqa: PLC0415

    return measures


@pytest.fixture(scope="module")
def summary(_path):
    from quality import summary  # noqa: PLC0415

    return summary


@pytest.fixture(scope="module")
def study(_path):
    import study  # noqa: PLC0415

    return study


@pytest.fixture(scope="module")
def mixed(_path):
    """Three classes; a number and a category decide, both with missing cells."""
    from tables import Data  # noqa: PLC0415

    rng = np.random.default_rng(0)
    number = rng.normal(size=300)
    name = rng.choice(["red", "green", "blue", "grey"], 300)
    y = np.where(np.isin(name, ["red", "blue"]), 2, (number > 0).astype(int))
    number[::17], name = np.nan, pd.Series(name).mask(rng.random(300) < 0.1).astype("category")
    return Data(pd.DataFrame({"n[0]": number, "name": name}), y)


# ---- the plan


def test_halves_are_stable(plan):
    """A change of this list would mix tables that were used for choosing into the report."""
    choose = {"car", "letter", "mushroom", "wine"}
    report = {"adult", "covertype", "credit_g", "iris"}
    assert {name for name in choose | report if plan.half_of(name) == "choose"} == choose


def test_halves_keep_variants_of_a_table_together(plan):
    for variant, table in plan.SAME.items():
        assert plan.half_of(variant) == plan.half_of(table)


def test_plan_has_each_fit_once(plan):
    made = plan.Plan(("a", "b"), ("x", "y", "z"), budgets=(4, 8), folds=3, repeats=2, max_rows=9)
    keys = [tuple(fit[key] for key in plan.KEY) for fit in made.fits()]
    assert len(keys) == len(set(keys)) == 2 * 3 * 2 * 3 * 2
    assert {fit["fold"] for fit in replace(made, first=2).fits()} == {0, 1}


def test_split_uses_each_row_once_per_repeat(plan, mixed):
    parts = [plan.split(mixed, 3, 0, fold) for fold in range(3)]
    held = np.concatenate([test.x.index for _, test in parts])
    assert sorted(held) == list(range(300))
    for train, test in parts:
        assert not set(train.x.index) & set(test.x.index)
    assert list(plan.split(mixed, 3, 1, 0)[1].x.index) != list(parts[0][1].x.index)


@pytest.mark.usefixtures("no_folder")
def test_bundled_tables_replace_a_data_folder(plan):
    names = plan.classification_tables()
    assert sorted(names) == sorted(plan.BUNDLED)
    assert plan.classification_tables(task="binary") == ["wdbc"]
    halves = [plan.classification_tables(half) for half in plan.HALVES]
    assert sorted([*halves[0], *halves[1]]) == sorted(names)
    sizes = [len(plan.sampled_table(name, 5000).y) for name in names]
    assert sizes == sorted(sizes, reverse=True)
    cars = plan.sampled_table("cars", 100)
    assert len(cars.y) == len(cars.x) == 100
    assert cars.x["make"].dtype == "category"


@pytest.mark.usefixtures("no_folder")
def test_named_data_folder_must_exist(plan, monkeypatch, tmp_path):
    monkeypatch.setenv("POLYTOMY_DATA", str(tmp_path))
    with pytest.raises(SystemExit, match="there is no"):
        plan.classification_tables()


# ---- learners


@pytest.mark.parametrize(
    ("text", "call"),
    [
        ("plain", "TreeClassifier(max_leaves=s)"),
        ("plain:", "TreeClassifier(max_leaves=s)"),
        (
            "a:procedure=per-leaf,families=('intervals','groups'),min_gain=0.5",
            "TreeClassifier(max_leaves=s, procedure='per-leaf', "
            "families=('intervals', 'groups'), min_gain=0.5)",
        ),
    ],
)
def test_parse_ours_reads_parameters(learners, text, call):
    assert learners.parse_ours(text)[1].call == call


def test_parse_ours_refuses_unknown_parameters(learners):
    with pytest.raises(ValueError, match="colour"):
        learners.parse_ours("a:colour=red")


def single_trees(learners):
    """Return the learners of one tree, without those that start R."""
    left_out = {*learners.ENSEMBLES, "rpart"}
    return learners.learners_of(name for name in learners.NAMES if name not in left_out)


def test_learners_answer_consistently(learners, measures, mixed):
    for name, learner in single_trees(learners).items():
        tree = learner.grow(mixed, 6)
        answers = tree.answer(mixed.x)
        assert answers.probabilities.shape == (300, 3), name
        assert np.allclose(answers.probabilities.sum(axis=1), 1)
        assert answers.questions.max() >= tree.depth >= 1
        if answers.leaf is None:
            assert tree.n_leaves <= 3 * 6
            continue
        assert len(np.unique(answers.leaf)) == tree.n_leaves <= 6
        assert answers.questions.max() == tree.depth
        if tree.intervals() is not None:  # polytomy's leaf numbers are those of its rules
            assert set(tree.intervals().index) == set(
                measures.training_intervals(tree, mixed).index
            )


def test_learners_take_classes_with_gaps(learners, measures, mixed):
    from tables import Data  # noqa: PLC0415

    rows = mixed.y != 1
    train = Data(mixed.x[rows], mixed.y[rows])
    for learner in single_trees(learners).values():
        found = measures.measure(learner, train, mixed, 4)
        assert set(found) == set(measures.MEASURES)
        assert np.mean(mixed.y == 1) <= found["error"] < 1


def test_ensembles_take_classes_with_gaps(learners, measures, mixed, monkeypatch):
    from quality.learners import ensembles  # noqa: PLC0415
    from tables import Data  # noqa: PLC0415

    monkeypatch.setattr(ensembles, "TREES", 3)
    rows = mixed.y != 1
    train = Data(mixed.x[rows], mixed.y[rows])
    names = [name for name in learners.ENSEMBLES if learners.is_installed(name)]
    for name, learner in learners.learners_of(names).items():
        for max_leaves in (ensembles.DEFAULTS, 4):
            if max_leaves == ensembles.DEFAULTS and name.startswith("YDF"):
                continue  # 300 trees
            found = measures.measure(learner, train, mixed, max_leaves)
            assert set(found) == set(measures.MEASURES)
            assert np.mean(mixed.y == 1) <= found["error"] < 0.7, name
            assert found["leaves"] >= 3
            assert max_leaves == ensembles.DEFAULTS or found["leaves"] <= 3 * 4, name


def test_rpart_grows_a_tree_within_the_budget(learners, measures, mixed):
    if not learners.is_installed("rpart"):
        pytest.skip("R is not installed")
    tree = learners.learners_of(["rpart"])["rpart"].grow(mixed, 4)
    answers = tree.answer(mixed.x)
    assert 2 <= tree.n_leaves <= 4
    np.testing.assert_allclose(answers.probabilities.sum(axis=1), 1)
    known = mixed.x.notna().any(axis=1)  # it leaves out rows without any cell
    for leaf in np.unique(answers.leaf):  # the shares of a leaf are those of its training rows
        here = (answers.leaf == leaf) & known
        shares = np.bincount(mixed.y[here], minlength=3) / here.sum()
        np.testing.assert_allclose(answers.probabilities[here][0], shares, atol=1e-6)


def test_light_gbm_depths_are_indexed_by_leaf_number():
    pytest.importorskip("lightgbm")
    from quality.learners.light_gbm import leaf_depths  # noqa: PLC0415

    inner = {"left_child": {"leaf_index": 2}, "right_child": {"leaf_index": 0}}
    root = {"left_child": inner, "right_child": {"leaf_index": 1}}
    assert leaf_depths(root).tolist() == [2, 1, 2]
    assert leaf_depths({"leaf_value": 0.1}).tolist() == [0]


def test_one_hot_gives_missing_categories_a_column():
    from quality.learners.one_hot_cart import one_hot  # noqa: PLC0415

    names = pd.Categorical(["a", None, "b"], categories=["a", "b", "c"])
    table = pd.DataFrame({"name": names, "n": [1.0, np.nan, 3.0]})
    expected = [[1, 0, 1, 0, 0], [np.nan, 1, 0, 0, 0], [3, 0, 0, 1, 0]]
    np.testing.assert_array_equal(one_hot(table), expected)


# ---- trees of other libraries


def test_binary_tree_passes_rows_down(mixed):
    from quality.learners import binary_tree as module  # noqa: PLC0415

    # columns: the number, then the name: missing, blue, green, grey, red
    high = module.Split(2, 0.5, None, None)
    tree = module.BinaryTree(module.Split(0, 0.0, None, high), mixed)
    answers = tree.answer(mixed.x)
    number, blue = mixed.x["n[0]"].fillna(-1), mixed.x["name"] == "blue"
    expected = np.where(number <= 0, 0, np.where(blue, 2, 1))
    np.testing.assert_array_equal(answers.leaf, expected)
    np.testing.assert_array_equal(answers.questions, np.array([1, 2, 2])[expected])
    assert (tree.n_leaves, tree.depth) == (3, 2)
    for leaf in range(3):
        counts = np.bincount(mixed.y[expected == leaf], minlength=3)
        np.testing.assert_allclose(tree.shares[leaf], counts / counts.sum())


def test_binary_tree_gives_an_empty_leaf_the_shares_of_the_table(mixed):
    from quality.learners.binary_tree import BinaryTree, Split  # noqa: PLC0415

    tree = BinaryTree(Split(0, 1e9, None, None), mixed)
    np.testing.assert_allclose(tree.shares[1], np.bincount(mixed.y) / 300)
    alone = BinaryTree(None, mixed)
    assert (alone.n_leaves, alone.depth) == (1, 0)


def test_promising_cuts_begin_with_those_of_a_tree(mixed):
    from quality.learners import binary_tree as module  # noqa: PLC0415

    cells = module.complete_columns(mixed.x)
    cuts = module.promising_cuts(cells, mixed.y, 24)
    assert len(set(cuts)) == len(cuts) <= 24
    tree = DecisionTreeClassifier(max_leaf_nodes=6, random_state=0).fit(cells, mixed.y)
    assert set(module.gains_of(tree)) == set(cuts[:5])
    bits = module.binarised(cells, cuts)
    for (column, threshold), bit in zip(cuts, bits.T, strict=True):
        np.testing.assert_array_equal(bit, cells[:, column] > threshold)


def test_lickety_paths_are_read():
    from quality.learners.binary_tree import Split  # noqa: PLC0415
    from quality.learners.optimal_trees import paths_split  # noqa: PLC0415

    cuts = [(4, 0.5), (7, 2.0)]
    assert paths_split([[]], cuts) is None
    inner = Split(4, 0.5, None, None)
    assert paths_split([[2], [-2, 1], [-2, -1]], cuts) == Split(7, 2.0, inner, None)


def test_c50_trees_are_read():
    from quality.learners.binary_tree import Split  # noqa: PLC0415
    from quality.learners.c50 import read_split  # noqa: PLC0415

    lines = [
        'type="2" class="0" freq="5,5" att="c1" forks="3" cut="1"',
        'type="0" class="0"',
        'type="0" class="0" freq="5,0"',
        'type="2" class="1" freq="0,5" att="c0" forks="3" cut="0"',
        *['type="0" class="1"'] * 3,
    ]
    values = [np.array([10.0, 20.0]), np.array([1.0, 2.0, 4.0])]
    inner = Split(0, 15.0, None, None)
    assert read_split(iter(lines), values) == Split(1, 3.0, None, inner)


def test_shrunk_tree_damps_each_step():
    """Eight rows, then six of them, then three: the changes are divided by 1 + 4/8 and 1 + 4/6."""
    from quality.learners import one_hot_cart as module  # noqa: PLC0415
    from tables import Data  # noqa: PLC0415

    x = pd.DataFrame({"n": [0.0, 0, 1, 1, 1, 2, 2, 2]})
    data = Data(x, np.array([0, 0, 1, 1, 1, 0, 0, 1]))
    model = module.grow(data, max_leaf_nodes=3).model
    shrunk = module.ShrunkTree(model, 4.0).answer(x).probabilities[:, 1]
    first = 1 / 2 + (0 - 1 / 2) / 1.5
    inner = 1 / 2 + (4 / 6 - 1 / 2) / 1.5
    second, third = (inner + (share - 4 / 6) / (1 + 4 / 6) for share in (1, 1 / 3))
    np.testing.assert_allclose(shrunk, np.repeat([first, second, third], [2, 3, 3]))
    plain = module.ShrunkTree(model, 0.0).answer(x).probabilities
    np.testing.assert_allclose(plain, model.predict_proba(module.one_hot(x)))


def test_pruned_trees_keep_to_the_budget(mixed):
    from quality.learners import one_hot_cart as module  # noqa: PLC0415

    alphas = module.fitting_alphas(mixed, 5, {})
    sizes = [module.grow(mixed, ccp_alpha=alpha).n_leaves for alpha in alphas]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] == module.grow_and_prune(mixed, 5).n_leaves <= 5
    assert sizes[-1] == 1
    assert module.grow_and_choose(mixed, 5).n_leaves in sizes


# ---- measures


def shares(right, rows):
    return np.arange(rows) < right


def test_covers_adds_both_errors_in_quadrature(measures):
    interval = {"share": 0.9, "low": 0.8, "high": 0.94}
    # the limit at a held-out share of s is hypot(0.1, 1.96 sqrt(s (1 - s) / 100))
    assert not measures.covers(interval, shares(77, 100))  # 0.13 is more than 0.1296
    assert measures.covers(interval, shares(78, 100))  # 0.12 is less than 0.1288
    assert not measures.covers({**interval, "low": 0.9}, shares(78, 100))
    # above the share only the upper end counts: 0.1 is between hypot(0.04 or 0.09, 0.049)
    assert not measures.covers(interval, shares(20, 20))
    assert measures.covers({"share": 0.9, "low": 0.9, "high": 0.99}, shares(20, 20))


def test_judge_intervals_counts_leaves_with_enough_rows(measures):
    usual = pd.DataFrame(
        {"label": [0, 1, 1], "share": [0.9, 0.8, 0.7], "low": 0.6, "high": 1.0}, index=[3, 5, 8]
    )
    leaf = np.repeat([3, 5, 8, 9], [20, 40, 19, 50])  # 8 has too few rows, 9 no training rows
    y = np.zeros(len(leaf), dtype=int)  # all of leaf 3 are right, none of leaf 5
    found = measures.judge_intervals(usual, None, leaf, y)
    assert found == {"judged": 2, "coverage": 0.5, "width": 1.0}
    wide = usual.assign(low=0.2)
    assert measures.judge_intervals(usual, wide, leaf, y)["width"] == pytest.approx(2.0)
    none = measures.judge_intervals(usual, None, leaf[:10], y[:10])
    assert none["judged"] == 0
    assert np.isnan(none["coverage"])


def test_training_intervals_are_wilsons(learners, measures, mixed):
    tree = learners.learners_of(["ours"])["ours"].grow(mixed, 6)
    usual = measures.training_intervals(tree, mixed)
    counts = tree.model.tree_.counts[usual.index]
    assert usual["rows"].tolist() == counts.sum(axis=1).tolist()
    np.testing.assert_allclose(usual["share"], counts.max(axis=1) / counts.sum(axis=1))
    n, p, z = usual["rows"], usual["share"], measures.Z
    spread = z * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    np.testing.assert_allclose(usual["high"] - usual["low"], 2 * spread)


def test_log_loss_has_a_floor(measures):
    loss = measures.log_loss(np.array([[1.0, 0.0], [0.5, 0.5]]), np.array([1, 0]))
    assert loss == pytest.approx((log(1.001 / 0.001) + log(2)) / 2)


def test_auc_is_the_mean_over_classes_that_occur(measures):
    two = np.array([[0.9, 0.1], [0.4, 0.6], [0.6, 0.4], [0.2, 0.8]])
    assert measures.auc(two, np.array([0, 0, 1, 1])) == 0.75
    three = np.column_stack([two, np.zeros(4)])
    assert measures.auc(three, np.array([0, 0, 1, 1])) == 0.75
    assert np.isnan(measures.auc(two, np.array([1, 1, 1, 1])))


# ---- the summary


def fits(values, folds=2, **others):
    """Return the lines of fits from ``{(budget, learner): error of each table}``."""
    made = [
        {"table": f"t{t}", "budget": budget, "learner": learner, "repeat": 0, "fold": fold}
        | {"error": error + 0.01 * fold, "classes": 2, "judged": 4, "coverage": 1.0, "width": 1.0}
        | dict.fromkeys(["log_loss", "auc", "leaves", "questions", "depth", "seconds"], error)
        | others
        for (budget, learner), errors in values.items()
        for t, error in enumerate(errors)
        for fold in range(folds)
    ]
    return pd.DataFrame(made)


TWO = {(8, "a"): [0.1, 0.2, 0.3, 0.4], (8, "b"): [0.2, 0.2, 0.5, 0.3]}


def test_compare_counts_tables_and_not_folds(summary):
    means = summary.table_means(fits(TWO))
    found = summary.compare(means, "a", "b", "error").loc[8]
    assert (found.tables, found.wins, found.ties, found.losses) == (4, 2, 1, 1)
    assert found.difference == pytest.approx(-0.05)
    assert found.se == pytest.approx(np.std([-0.1, 0, -0.2, 0.1], ddof=1) / 2)
    better = summary.compare(means, "a", "b", "auc").loc[8]
    assert (better.wins, better.losses) == (1, 2)


def test_compare_of_equal_learners_has_p_of_one(summary):
    means = summary.table_means(fits({(8, "a"): [0.1, 0.2], (8, "b"): [0.1, 0.2]}))
    assert summary.compare(means, "a", "b", "error").loc[8, "p"] == 1.0


def test_compare_p_is_that_of_the_signed_ranks(summary):
    """Six tables that all agree in sign: two of the 2^6 sign patterns are as extreme."""
    worse = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    means = summary.table_means(fits({(8, "a"): worse / 2, (8, "b"): worse}))
    assert summary.compare(means, "a", "b", "error").loc[8, "p"] == pytest.approx(2 / 2**6)


def test_coverage_is_pooled_over_leaves(summary):
    rows = fits({(8, "a"): [0.1, 0.2]}, folds=1)
    rows["judged"], rows["coverage"] = [9, 1], [1.0, 0.0]
    assert summary.learner_means(summary.table_means(rows)).loc[(8, "a"), "coverage"] == 0.9
    rows["judged"], rows["coverage"] = [9, 0], [1.0, np.nan]  # no leaf of the second is judged
    assert summary.learner_means(summary.table_means(rows)).loc[(8, "a"), "coverage"] == 1.0


def test_summary_leaves_out_unfinished_folds(summary):
    rows = fits(TWO)
    cut = rows.drop(rows.index[-1])  # b lacks the last fold of the last table
    kept = summary.complete_rows(cut, ["a", "b"])
    assert len(kept) == len(rows) - 2
    lines = summary.summary_lines(cut, ["a", "b"], "b")
    assert lines[0].startswith("4 tables")
    assert summary.summary_lines(rows, ["a", "c"], "c")[0].startswith("no fold")


def test_markdown_table_has_a_line_per_learner(summary):
    lines = summary.markdown_table(fits(TWO, folds=1), ["a", "b"], (8, 16))
    assert lines[-2:] == ["| a | 25.0 % | 0.25 |", "| b | 30.0 % | 0.30 |"]
    assert {line.count("|") for line in lines} == {4}


def test_time_ratios_are_medians_over_tables(summary):
    rows = fits({(8, "a"): [0.2, 0.6, 9.0], (8, "b"): [0.1, 0.2, 0.3]}, folds=1)
    ratios = summary.time_ratios(summary.table_means(rows), "b")
    assert ratios.to_dict() == pytest.approx({(8, "a"): 3.0, (8, "b"): 1.0})


def test_document_tables_have_a_line_per_learner(summary):
    four = {(4, "a"): [0.2, 0.4], (4, "b"): [0.3, 0.4]}
    rows = fits(four | {(16, name): errors for (_, name), errors in four.items()}, folds=1)
    made = summary.document_tables(rows, ["b", "a"], "b")
    assert made["errors"][-1] == "| a | 30.0 % | 30.0 % | 0.3 | 0.30 | 0.300 | 0.83 |"
    assert made["differences"][2:] == ["| a | -5.0 ± 5.0 (1-0) | -5.0 ± 5.0 (1-0) |"]
    with pytest.raises(SystemExit, match="c has not finished"):
        summary.document_tables(rows, ["b", "c"], "b")


def test_document_tables_compare_the_folds_of_both(summary):
    rows = fits(TWO)  # the second fold has 0.01 more
    whole = summary.document_tables(rows, ["a", "b"], "b")
    partial = rows[(rows["learner"] == "b") | (rows["fold"] == 0)]
    assert summary.document_tables(partial, ["a", "b"], "b") == whole
    assert "| a | 25.5 % |" in whole["errors"][2]


# ---- the command line


def test_only_selects_groups_of_learners(study, learners, monkeypatch):
    given = study.options(["--only", "effort"])
    assert given.learners == ["one-hot CART", "fast", "balanced", "thorough"]
    both = study.options(["--only", "effort", "peers"])
    assert both.named[:4] == given.learners
    assert set(both.named[4:]) | {"one-hot CART"} == set(learners.GROUPS["peers"])
    monkeypatch.setattr(study, "classification_tables", lambda *_: ["a", "b"])
    assert study.plan_of(given).budgets == (4, 8, 16, 32)
    assert study.plan_of(study.options(["--quick"])).budgets == (8, 32)


def test_ensembles_have_budgets_folds_and_a_baseline_of_their_own(study, monkeypatch):
    monkeypatch.setattr(study, "classification_tables", lambda *_: ["a", "b"])
    given = study.options(["--only", "ensembles"])
    assert given.baseline == "RandomForest"
    assert study.plan_of(given).budgets == (0, 16)
    assert study.plan_of(given).first == 2
    for words in (["ensembles", "effort"], ["ensembles", "--write"]):
        with pytest.raises(SystemExit):
            study.options(["--only", *words])


def test_missing_libraries_are_named(study, learners, monkeypatch, capsys):
    monkeypatch.setattr(study, "NAMES", [name for name in learners.NAMES if name != "YDF CART"])
    monkeypatch.setattr(study, "is_installed", lambda name: name != "YDF CART")
    given = study.options(["--only", "prices"])
    assert "YDF CART" not in given.all
    plan = study.Plan(("a",), tuple(given.all))
    shown = study.shown_plan(plan, given, pd.DataFrame({"learner": ["ours"]}))
    assert shown.learners == plan.learners
    assert "YDF CART is not installed: left out" in capsys.readouterr().out
    stored = study.shown_plan(plan, given, pd.DataFrame({"learner": ["YDF CART"]}))
    assert set(stored.learners) == {*plan.learners, "YDF CART"}
    assert "results are in the file" in capsys.readouterr().out


@pytest.mark.usefixtures("no_folder")
def test_study_runs_on_bundled_tables(study, plan, monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(study, "ProcessPoolExecutor", lambda _: ThreadPoolExecutor(1))
    path = tmp_path / "study.csv"
    words = "--tables iris --budgets 4 8 --folds 2 --repeats 1 --ours deep:overgrow=4 --file"
    words = ["study.py", "--learners", "one-hot CART", *words.split(), str(path)]
    monkeypatch.setattr(sys, "argv", words)
    assert study.main() == 0
    output = capsys.readouterr().out
    assert "come with scikit-learn" in output
    assert "8 fits to run, 0 in" in output
    assert "1 tables, 1 of them with more than two classes" in output
    monkeypatch.setattr(sys, "argv", [*words, "--again"])
    assert study.main() == 0
    assert "4 fits to run, 4 in" in capsys.readouterr().out
    assert len(study.read(path)) == 8


def test_failures_are_not_listed_without_end(study):
    assert study.failure_lines([]) == []
    lines = study.failure_lines([f"fit {i}" for i in range(12)])
    assert (len(lines), lines[0], lines[-1]) == (11, "failed: fit 0", "2 more fits failed")


def test_document_is_filled_between_markers(tmp_path):
    from results import fill_document  # noqa: PLC0415

    path = tmp_path / "study.md"
    path.write_text("a\n<!-- begin x -->\nold\n<!-- end x -->\nb\n", encoding="utf-8")
    fill_document(path, {"x": ["new", "lines"]})
    expected = "a\n<!-- begin x -->\nnew\nlines\n<!-- end x -->\nb\n"
    assert path.read_text(encoding="utf-8") == expected
    with pytest.raises(SystemExit, match="no markers for y"):
        fill_document(path, {"y": []})


# ---- the file


def test_file_is_appended_and_resumed(study, plan, tmp_path):
    path = tmp_path / "new" / "study.csv"
    assert study.read(path).empty
    made = list(plan.Plan(("a",), ("x",), budgets=(4, 8), folds=2, repeats=1).fits())
    study.append(path, made[:1])
    study.append(path, made[1:3])
    done = study.keys_of(study.read(path))
    assert done == {tuple(fit[key] for key in plan.KEY) for fit in made[:3]}


def test_file_refuses_a_name_with_other_parameters(study, learners):
    first, second = learners.ours(overgrow=2), learners.ours(overgrow=4)
    rows = pd.DataFrame({"learner": ["mine"], "call": [first.call]})
    study.check_calls(rows, {"mine": first, "other": second})
    with pytest.raises(SystemExit, match="choose another name"):
        study.check_calls(rows, {"mine": second})


def test_file_of_something_else_is_refused(study, tmp_path):
    path = tmp_path / "other.csv"
    path.write_text("a,b\n1,2\n", encoding="utf-8")
    with pytest.raises(SystemExit, match="columns differ"):
        study.read(path)
