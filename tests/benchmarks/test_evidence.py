"""The collected results of the study, their tables and figures."""

import numpy as np
import pandas as pd
import pytest

TABLES = ("t0", "t1", "t2")


@pytest.fixture(scope="module")
def evidence(_path):
    from quality import evidence  # noqa: PLC0415

    return evidence


@pytest.fixture(scope="module")
def fits(evidence):
    """Two folds of every learner on three tables; rpart has only the first, which is easier."""
    rng = np.random.default_rng(0)
    made = []
    for names, budgets in ((evidence.SINGLE, (4, 8, 16, 32)), (evidence.MANY, (0, 16))):
        for name in names:
            for budget in budgets:
                for t, table in enumerate(TABLES):
                    for fold in range(1 if name == "rpart" else 2):
                        error = 0.1 * (t + 1) + 0.05 * fold + 0.001 * rng.integers(1, 50)
                        others = ["log_loss", "auc", "leaves", "questions", "depth", "seconds"]
                        made.append(
                            {"table": table, "rows": 100 * (t + 1), "classes": 2, "repeat": 0}
                            | {"learner": name, "budget": budget, "fold": fold, "error": error}
                            | dict.fromkeys(others, error)
                            | {"judged": 2, "coverage": 1.0, "width": 1.0}
                        )
    return pd.DataFrame(made)


@pytest.fixture(scope="module")
def means(evidence, fits, tmp_path_factory):
    path = tmp_path_factory.mktemp("evidence") / "results.csv"
    evidence.collect(fits).to_csv(path, index=False)
    return evidence.read(path)


def mean_of(fits, learner, folds=(0, 1)):
    rows = fits[(fits.learner == learner) & (fits.budget == 16) & fits.fold.isin(folds)]
    return rows.groupby("table")["error"].mean()


def test_collect_averages_over_folds(fits, means):
    expected = mean_of(fits, "fast")
    np.testing.assert_allclose(means.loc[(16, "fast")]["error"], expected, atol=1e-5)
    assert means.loc[(16, "fast")]["fits"].tolist() == [2, 2, 2]


def test_collect_compares_the_folds_of_both(fits, means):
    """The result of a learner with one fold is the baseline's plus the difference on that fold."""
    usual, first = mean_of(fits, "one-hot CART"), mean_of(fits, "one-hot CART", [0])
    expected = usual + mean_of(fits, "rpart", [0]) - first
    np.testing.assert_allclose(means.loc[(16, "rpart")]["error"], expected, atol=1e-5)


def test_update_adds_folds_as_if_all_were_collected(evidence, fits):
    again, is_first = fits.learner.isin(["one-hot CART", "fast"]), fits.fold == 0
    known = evidence.collect(fits[is_first])
    expected = evidence.collect(fits[is_first | again])
    found = evidence.update(known, fits[again & fits.budget.isin((4, 8, 16, 32))])
    key, values = ["table", "budget", "learner"], ["error", "questions", "coverage", "fits"]
    both = (r[r.budget > 0].set_index(key)[values].sort_index() for r in (found, expected))
    pd.testing.assert_frame_equal(*both, atol=1e-6)
    untouched = (r[r.budget == 0].reset_index(drop=True) for r in (found, known))
    pd.testing.assert_frame_equal(*untouched)


def test_single_tree_stands_beside_the_ensembles(evidence, fits, means):
    tree = fits[(fits.learner == evidence.ONE_TREE) & (fits.budget == evidence.ONE_TREE_LEAVES)]
    found = means.loc[(0, evidence.ONE_TREE)]["error"]
    np.testing.assert_allclose(found, tree.groupby("table")["error"].mean(), atol=1e-5)


def test_tables_have_a_line_per_learner(evidence, means):
    main = evidence.main_table(means, 16, evidence.SINGLE, "one-hot CART")
    assert len(main) == 2 + len(evidence.SINGLE)
    assert "questions" in main[0]
    many = evidence.main_table(means, 0, evidence.MANY, "RandomForest", ["questions"])
    assert "questions" not in many[0]
    pairs = evidence.pair_table(means, 16, evidence.SINGLE, evidence.OURS)
    assert len(pairs) == 2 + len(evidence.PEERS)
    for lines in (main, many, pairs, evidence.rank_table(means, (4, 16), evidence.SINGLE)):
        assert len({line.count("|") for line in lines}) == 1


def test_error_table_lists_the_largest_table_first_and_marks_the_best(evidence, means):
    lines = evidence.error_table(means, 16, evidence.SINGLE)
    assert [line.split(" | ")[0] for line in lines[2:]] == ["| t2", "| t1", "| t0"]
    errors = (100 * means.loc[16]["error"]).round(1).xs("t2", level="table")
    best = errors[list(evidence.SINGLE)].min()
    assert f"**{best:.1f}**" in lines[2]


def test_figures_are_drawn(evidence, means, tmp_path):
    from quality.figures import save_figures  # noqa: PLC0415

    keys = [("fast", "stated"), ("fast", "training"), ("one-hot CART", "training")]
    rows = [(*key, size, 0.9) for key in keys for size in evidence.SIZE_NAMES]
    leaves = pd.DataFrame(rows, columns=["learner", "kind", "training_rows", "holds"])
    leaves = leaves.set_index(["learner", "kind", "training_rows"])
    paths = save_figures(means, leaves, tmp_path)
    assert len(paths) == 6
    for path in paths:
        text = path.read_text(encoding="utf-8")
        assert "</svg>" in text
        assert "<dc:date>" not in text  # the same results give the same file


@pytest.mark.usefixtures("evidence")
def test_judged_leaves_have_enough_new_rows():
    import intervals  # noqa: PLC0415
    from quality.learners import learners_of  # noqa: PLC0415
    from tables import Data  # noqa: PLC0415

    rng = np.random.default_rng(1)
    x = pd.DataFrame({"n": rng.normal(size=600)})
    data = Data(x, (x["n"].to_numpy() + rng.normal(size=600) > 0).astype(np.int64))
    train, test = Data(x[:100], data.y[:100]), Data(x[100:], data.y[100:])
    tree = learners_of(["fast"])["fast"].grow(train, 4)
    leaves = intervals.judged_leaves(tree, train, test)
    counts = pd.Series(tree.answer(test.x).leaf).value_counts()
    assert len(leaves) == 2 * (counts >= intervals.LEAST_ROWS).sum()
    assert set(leaves["kind"]) == {"stated", "training"}
    pooled = intervals.pooled(leaves.assign(learner="fast"))
    assert pooled["leaves"].sum() == len(leaves)


@pytest.mark.usefixtures("evidence")
def test_pages_have_the_tables_of_the_stored_results():
    import evidence as script  # noqa: PLC0415
    from quality.evidence import read  # noqa: PLC0415
    from results import filled  # noqa: PLC0415

    leaves = pd.read_csv(script.PAGES / "intervals.csv")
    leaves = leaves.set_index(["learner", "kind", "training_rows"])
    for page, tables in script.pages(read(script.PAGES / "results.csv"), leaves).items():
        text = (script.PAGES / page).read_text(encoding="utf-8")
        for name, lines in tables.items():
            assert filled(text, name, lines) == text, f"run benchmarks/evidence.py: {page}, {name}"
