"""The experiments on boosting, bagging and prices of branches."""

import numpy as np
import pandas as pd
import pytest

from polytomy import TreeClassifier


@pytest.fixture(scope="module")
def ten_tables(_path):
    import ten_tables  # noqa: PLC0415

    return ten_tables


@pytest.fixture(scope="module")
def freund_schapire(_path):
    import freund_schapire  # noqa: PLC0415

    return freund_schapire


@pytest.fixture(scope="module")
def branch_prices(_path):
    import branch_prices  # noqa: PLC0415

    return branch_prices


@pytest.fixture(scope="module")
def mixed(_path):
    """Two classes; a number and a category with five values decide, both with missing cells."""
    from tables import Data  # noqa: PLC0415

    rng = np.random.default_rng(0)
    number, name = rng.normal(size=200), rng.choice(list("abcde"), 200)
    y = ((np.abs(number) > 0.7) ^ np.isin(name, ["a", "d"])).astype(int)
    number[::17], name = np.nan, pd.Series(name).mask(rng.random(200) < 0.1).astype("category")
    return Data(pd.DataFrame({"number": number, "name": name}), y)


# ---- ten tables


def test_median_round_counts_folds_that_never_reach(ten_tables):
    reached = np.array([[0, 1, 1], [1, 0, 1], [0, 0, 0]], dtype=bool)
    assert ten_tables.median_round(reached) == 2
    assert ten_tables.median_round(reached[1:]) == np.inf


def test_run_that_ended_keeps_its_last_error(ten_tables):
    assert ten_tables.lengthened([0.5, 0.25], 4).tolist() == [0.5, 0.25, 0.25, 0.25]


def test_bound_promises_no_more_than_is_measured(ten_tables, mixed):
    given = ten_tables.options(["--quick", "--rounds", "30"])
    for algorithm in ten_tables.ALGORITHMS.values():
        curves = ten_tables.curves_of(mixed, algorithm, given)
        assert curves.train.shape == curves.test.shape == (3, 30)
        assert (curves.train[:, -1] < curves.train[:, 0]).all()
        assert not (curves.train > curves.bound).any()
        assert curves.zero_round() <= curves.sure_round()
        zero = curves.train[:, -1] == 0
        assert ((curves.margin > 0) == zero).all()


@pytest.mark.usefixtures("no_folder")
def test_ten_tables_names_missing_tables(ten_tables, capsys, tmp_path):
    pytest.importorskip("matplotlib")
    path = tmp_path / "new" / "figure.png"
    words = f"--quick --rounds 10 --folds 2 --output {path}"
    assert ten_tables.main(words.split()) == 0
    output = capsys.readouterr().out
    assert "not in the data folder: labor, promoters" in output
    assert "instead: wdbc" in output
    assert "| wdbc | AdaBoost.MH |" in output
    assert path.stat().st_size > 0


# ---- boosting and bagging


def test_categories_become_numbers(freund_schapire, mixed):
    data, is_category = freund_schapire.as_numbers(mixed)
    assert is_category == [False, True]
    cells = data.x.to_numpy()
    np.testing.assert_array_equal(np.isnan(cells), mixed.x.isna().to_numpy())
    names = mixed.x["name"].cat.categories.to_numpy()
    known = ~np.isnan(cells[:, 1])
    assert (names[cells[known, 1].astype(int)] == mixed.x["name"][known]).all()


def test_resampled_rows_follow_the_weights(freund_schapire):
    class Rows:
        def get_params(self, deep=True):
            return {}

        def fit(self, x, y):
            self.drawn, self.y = x[:, 0], y
            return self

    x, y = np.arange(1000.0)[:, None], np.arange(1000) % 2
    weight = np.where(np.arange(1000) < 500, 3.0, 1.0)
    learner = freund_schapire.Resampled(Rows())
    drawn = learner.fit(x, y, weight).fitted_
    assert len(drawn.drawn) == 1000
    assert 0.70 < np.mean(drawn.drawn < 500) < 0.80
    np.testing.assert_array_equal(drawn.y, drawn.drawn % 2)
    assert (learner.fit(x, y, weight).fitted_.drawn == drawn.drawn).all()
    assert (learner.fit(x, y, 2 * weight).fitted_.drawn != drawn.drawn).any()


def test_bagged_trees_have_a_vote_each(freund_schapire, mixed):
    data, is_category = freund_schapire.as_numbers(mixed)
    tree = freund_schapire.tree(is_category)
    votes = freund_schapire.bagged_votes(tree, data, data.x.to_numpy(), 7, 3)
    assert (votes.sum(axis=1) == 7).all()
    assert (votes[:, 2] == 0).all()
    assert np.mean(votes.argmax(axis=1) != mixed.y) < 0.1


def test_pairs_are_compared_table_by_table(freund_schapire):
    errors = pd.DataFrame(0.2, index=["a", "b", "c"], columns=freund_schapire.COLUMNS)
    errors["stump boosted"] = [0.1, 0.2, 0.35]
    errors["tree alone"] = 0.3
    lines = freund_schapire.pair_lines(errors, 50)
    assert "| stump boosted against stump alone | 1 | 1 | 1 | +1.7 ± 7.3 |" in lines[2]
    assert "| stump boosted against tree alone | 2 | 0 | 1 | -8.3 ± 7.3 |" in lines[-1]


@pytest.mark.usefixtures("no_folder")
@pytest.mark.parametrize("more", [[], ["--reweight"]])
def test_freund_schapire_runs_on_bundled_tables(freund_schapire, capsys, tmp_path, more):
    pytest.importorskip("matplotlib")
    path = tmp_path / "figure.png"
    words = f"--quick --rounds 3 --folds 2 --tables iris wdbc --max-rows 100 --output {path}"
    assert freund_schapire.main([*words.split(), *more]) == 0
    assert "| mean |" in capsys.readouterr().out
    stored = pd.read_csv(path.with_suffix(".csv"), index_col="table")
    assert sorted(stored.index) == ["iris", "wdbc"]
    assert (stored.loc["iris", ["tree alone", "stump boosted", "tree boosted"]] < 0.2).all()


# ---- prices of branches


def test_prices_are_one_for_two_branches_and_ascend(branch_prices):
    from quality.learners.branch_price import PRICES  # noqa: PLC0415

    assert {p(2) for p in PRICES.values()} == {1.0}
    for k in range(3, 20):
        prices = [p(k) for p in PRICES.values()]
        assert prices == sorted(prices)
    assert branch_prices.BASELINE in branch_prices.price_growers(8)


def test_greedy_trees_are_those_of_the_estimator(branch_prices, mixed):
    growers = branch_prices.price_growers(8)
    for name, params in {
        "price k - 1": {"procedure": "per-leaf"},
        "binary": {"procedure": "per-leaf", "max_arity": 2, "families": ("intervals", "groups")},
        "hatano": {"procedure": "hatano"},
    }.items():
        tree = growers[name](mixed, 12)
        model = TreeClassifier(12, contract=False, honest=False, **params).fit(mixed.x, mixed.y)
        np.testing.assert_array_equal(tree.tree.counts, model.tree_.counts)
        np.testing.assert_array_equal(tree.answer(mixed.x).leaf, model.apply(mixed.x))
        assert tree.index == pytest.approx(model.certificate_.index_curve[-1])
        assert tree.training_error == pytest.approx(1 - model.score(mixed.x, mixed.y))


def test_lower_prices_give_wider_trees_of_the_same_size(branch_prices, mixed):
    growers = branch_prices.price_growers(8)
    wide, narrow, binary = (growers[n](mixed, 12) for n in ("price 1", "price k - 1", "binary"))
    assert wide.n_leaves == narrow.n_leaves == binary.n_leaves == 12
    assert wide.arity > narrow.arity >= binary.arity == 2
    for tree in (wide, narrow, binary):
        assert (tree.contracted_questions(mixed.x) <= tree.answer(mixed.x).questions).all()
    model = TreeClassifier(12, procedure="per-leaf", honest=False).fit(mixed.x, mixed.y)
    assert narrow.contracted_questions(mixed.x).mean() == pytest.approx(model.n_questions_)


@pytest.mark.usefixtures("no_folder")
def test_branch_prices_runs_on_bundled_tables(branch_prices, capsys, tmp_path):
    path = tmp_path / "fits.csv"
    words = f"--quick --tables iris wine --budgets 4 8 --output {path}"
    assert branch_prices.main(words.split()) == 0
    output = capsys.readouterr().out
    assert "come with scikit-learn" in output
    assert "| 8 | price log2 k |" in output
    rows = pd.read_csv(path)
    assert len(rows) == 2 * 2 * 2 * len(branch_prices.price_growers(8))
    assert (rows["leaves"] <= rows["budget"]).all()


# ---- the command line


@pytest.mark.usefixtures("no_folder")
def test_experiments_refuse_unknown_tables(ten_tables, freund_schapire):
    for module in (ten_tables, freund_schapire):
        with pytest.raises(SystemExit, match="not among the tables at hand: moon"):
            module.main(["--tables", "moon"])


@pytest.mark.parametrize("words", ["--quick --write", "--folds 1", "--repeats 0"])
def test_experiments_refuse_bad_options(branch_prices, words):
    with pytest.raises(SystemExit) as error:
        branch_prices.options(words.split())
    assert error.value.code == 2
