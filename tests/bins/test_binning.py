"""Binning: tables, transformed rows, kinds of targets and columns, and bad input."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import polytomy
from polytomy import Binning, ParameterError, TableError, TargetError, binning
from tests.naive import binning as naive

TOWNS = ["Ulm", "Rome", "Bern", "Oslo", "Riga"]


def sample(n=400, seed=0):
    """Return a frame with numbers, gaps, categories and special values, and two classes."""
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 80, n).astype(float)
    town = rng.choice(TOWNS, n)
    income = rng.lognormal(3, 1, n).round(2)
    y = rng.random(n) < 0.1 + 0.5 * (age > 45) + 0.2 * (town == "Ulm")
    age[rng.random(n) < 0.1] = np.nan
    income[rng.random(n) < 0.1] = -999
    return pd.DataFrame({"age": age, "town": town, "income": income}), np.where(y, "yes", "no")


@pytest.mark.parametrize("prebins", ["auto", 20])
def test_table_adds_up_to_the_rows(prebins):
    X, y = sample()
    model = binning(X, y, special=[-999], smoothing=0, prebins=prebins)
    assert model.event_ == "yes"
    bins = model.transform(X, metric="bin")
    for j, name in enumerate(X):
        table = model.table(name)
        for b, line in table.iterrows():
            inside = bins[:, j] == b
            assert line["count"] == inside.sum()
            assert line["share"] == pytest.approx(inside.mean())
            assert line["events"] == (y[inside] == "yes").sum()
            assert line["event_rate"] == pytest.approx((y[inside] == "yes").mean())
        assert table["count"].sum() == len(X)
        events, others = (y == "yes").sum(), (y == "no").sum()
        a, b = table["events"] / events, (table["count"] - table["events"]) / others
        np.testing.assert_allclose(table["woe"], np.log(a / b))
        np.testing.assert_allclose(table["iv"], (a - b) * np.log(a / b))
    summary = model.summary()
    assert summary["iv"].is_monotonic_decreasing
    for _, line in summary.iterrows():
        assert line["iv"] == pytest.approx(model.table(line["column"])["iv"].sum())
    assert summary.set_index("column").loc["age", "missing"] == X["age"].isna().mean()


@pytest.mark.parametrize("prebins", ["auto", 50])
def test_bins_satisfy_all_constraints(prebins):
    X, y = sample(2000)
    sizes = {"min_bin_share": 0.1, "min_bin_count": 250, "min_difference": 0.02}
    for monotonic in ("auto", "ascending", "descending", "peak", "valley", None):
        model = binning(X, y, 5, monotonic=monotonic, prebins=prebins, **sizes)
        for column in model._columns:
            table = model.table(column.name)[: column.n_regular]
            rates = table["event_rate"].tolist()
            assert 1 <= column.n_regular <= 5
            if column.n_regular > 1:
                assert table["count"].min() >= 250
                assert table["share"].min() >= 0.1
                assert np.abs(np.diff(rates)).min() >= 0.02
                assert naive.follows(rates, column.trend, 0.02)


@st.composite
def small_columns(draw):
    n = draw(st.integers(4, 24))
    cells = draw(st.lists(st.integers(0, 6), min_size=n, max_size=n))
    y = draw(st.lists(st.integers(0, 1), min_size=n, max_size=n).filter(lambda y: len(set(y)) == 2))
    weights = draw(st.lists(st.integers(1, 3), min_size=n, max_size=n))
    return cells, y, weights


@given(small_columns(), st.booleans(), st.sampled_from([None, "ascending", "descending"]))
def test_iv_is_the_largest_of_all_partitions(column, is_text, monotonic):
    cells, y, weights = column
    names = [f"c{cell}" for cell in cells] if is_text else cells
    model = Binning(
        3, monotonic=monotonic, min_bin_share=0.2, min_category_share=0.0, smoothing=0.5
    ).fit(pd.DataFrame({"x": names}), y, weights)
    total = np.bincount(y, weights, minlength=2).astype(int).tolist()
    counts = {c: [0, 0] for c in sorted(set(cells))}
    rows = dict.fromkeys(counts, 0)
    for cell, label, weight in zip(cells, y, weights, strict=True):
        counts[cell][label] += weight
        rows[cell] += 1
    order = list(counts)
    if is_text:
        order.sort(key=lambda c: counts[c][1] / sum(counts[c]))
        order = order[::-1] if monotonic == "descending" else order
    best, _ = naive.best_bins(
        [tuple(counts[c]) for c in order],
        [rows[c] for c in order],
        lambda c: naive.information_value(*c, total, 0.5),
        (3, 1, 0.2 * sum(total), 0.0, 1),
        monotonic or "any",
    )
    assert model.summary()["iv"][0] == pytest.approx(best, abs=1e-12)


def test_numeric_target_minimises_the_squared_error():
    rng = np.random.default_rng(1)
    x = rng.integers(0, 8, 60)
    y = np.sin(x) + rng.normal(0, 0.3, 60)
    model = binning(x[:, None], y, 3, monotonic=None, min_bin_share=0)
    table = model.table(0)
    bins = model.transform(x[:, None], metric="bin")[:, 0]
    means = np.array([y[bins == b].mean() for b in range(3)])
    np.testing.assert_allclose(table["mean"], means)
    np.testing.assert_allclose(model.transform(x[:, None])[:, 0], means[bins])
    r2 = 1 - ((y - means[bins]) ** 2).sum() / ((y - y.mean()) ** 2).sum()
    assert table["r2"].sum() == pytest.approx(r2)
    groups = [(-np.inf, a, b, np.inf) for a in range(7) for b in range(a + 1, 7)]
    for edges in groups:
        number = np.digitize(x, np.array(edges[1:3]) + 0.5)
        error = sum(((y[number == g] - y[number == g].mean()) ** 2).sum() for g in set(number))
        assert 1 - error / ((y - y.mean()) ** 2).sum() <= r2 + 1e-12


def test_min_difference_of_a_numeric_target_is_in_its_units():
    x = np.arange(40)
    y = 100.0 * (x // 10) + x % 2 + 0.5
    assert len(binning(x[:, None], y, min_difference=90).table(0)) == 4
    assert len(binning(x[:, None], y, min_difference=110).table(0)) == 3


def test_several_classes_maximise_the_information_gain():
    X, _ = sample()
    rng = np.random.default_rng(2)
    y = np.where(X["age"] > 50, "old", rng.choice(["a", "b"], len(X)))
    model = binning(X, y)
    table = model.table("age")
    shares = table[["share of a", "share of b", "share of old"]].to_numpy()
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    total = pd.Series(y).value_counts(normalize=True).to_numpy()
    logs = np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
    inside = -(table["share"] * (shares * logs).sum(axis=1)).sum()
    assert table["gain"].sum() == pytest.approx(-(total * np.log2(total)).sum() - inside)
    assert model.event_ is None
    assert model.transform(X).dtype.kind == "i"
    one = binning(X, y, event="old")
    np.testing.assert_array_equal(
        one.transform(X), binning(X, np.where(y == "old", 1, 0)).transform(X)
    )


def test_missing_and_special_cells_have_bins_of_their_own():
    X, y = sample()
    model = binning(X, y, special={"income": [-999], "town": ["Oslo"]})
    income, town = model.table("income"), model.table("town")
    assert income["bin"].iloc[-1] == "special: -999"
    assert income["count"].iloc[-1] == (X["income"] == -999).sum()
    assert town["bin"].iloc[-1] == "special: Oslo"
    assert model.table("age")["bin"].iloc[-1] == "missing"
    labels = model.transform(X, metric="label")
    assert (labels[X["income"] == -999, 2] == "special: -999").all()
    assert (labels[X["town"] == "Oslo", 1] == "special: Oslo").all()
    assert (labels[X["age"].isna(), 0] == "missing").all()
    both = X.assign(income=X["income"].mask(np.arange(len(X)) < 30))
    bins = binning(both, y, special=[-999]).table("income")["bin"].tolist()
    assert bins[-2:] == ["special: -999", "missing"]


def test_cells_unlike_all_training_cells_are_neutral():
    X, y = sample()
    model = binning(X[["income", "town"]], y)
    new = pd.DataFrame({"income": [np.nan], "town": ["Paris"]})
    assert model.transform(new).tolist() == [[0.0, 0.0]]
    assert model.transform(new, metric="event_rate")[0] == pytest.approx((y == "yes").mean())
    assert model.transform(new, metric="bin").tolist() == [[-1, -1]]
    assert model.transform(new, metric="label").tolist() == [["unseen", "unseen"]]


def test_rare_categories_are_pooled_and_new_ones_join_them():
    rng = np.random.default_rng(3)
    town = np.where(rng.random(2000) < 0.1, rng.integers(0, 10**6, 2000).astype(str), "Ulm")
    y = rng.random(2000) < np.where(town == "Ulm", 0.2, 0.6)
    model = binning(pd.DataFrame({"town": town}), y)
    assert model.table("town")["bin"].tolist() == ["Ulm", "other"]
    labels = model.transform(pd.DataFrame({"town": ["Ulm", "new"]}), metric="label")
    assert labels[:, 0].tolist() == ["Ulm", "other"]


def test_more_categories_than_prebins_are_packed_by_rate():
    rng = np.random.default_rng(4)
    category = rng.integers(0, 1000, 20_000)
    y = rng.random(20_000) < category / 1000
    X = pd.DataFrame({"c": category.astype(str)})
    fine, coarse = (
        binning(X, y, min_category_share=0, prebins=n).summary()["iv"][0] for n in (1000, 50)
    )
    assert 0.8 * fine < coarse <= fine


def test_a_perfect_column_has_a_finite_weight_of_evidence():
    x = np.arange(100)[:, None]
    table = binning(x, x[:, 0] >= 60).table(0)
    assert table["event_rate"].tolist() == [0.0, 1.0]
    assert np.isfinite(table["woe"]).all()
    # Half a row of the rarer class (40 events), and as large a part of the other.
    assert table["woe"][0] == pytest.approx(np.log(0.0125 / 1.0125))
    assert table["woe"][1] == -table["woe"][0]
    alone = binning(x, x[:, 0] >= 60, smoothing=0, min_bin_share=0)
    assert (alone.table(0)["events"] > 0).all()
    assert (alone.table(0)["events"] < alone.table(0)["count"]).all()


def test_weights_count_as_rows():
    X, y = sample()
    weights = np.random.default_rng(5).integers(0, 4, len(X))
    weighted = binning(X, y, sample_weight=weights)
    repeated = binning(X.loc[X.index.repeat(weights)], np.repeat(y, weights))
    np.testing.assert_array_equal(weighted.transform(X), repeated.transform(X))
    assert weighted.table("age")["count"].sum() == (weights > 0).sum()
    np.testing.assert_allclose(weighted.table("age")["events"], repeated.table("age")["events"])


def test_bins_do_not_depend_on_row_order_threads_or_the_kind_of_frame():
    X, y = sample()
    values = binning(X, y).transform(X)
    order = np.random.default_rng(6).permutation(len(X))
    np.testing.assert_array_equal(binning(X.iloc[order], y[order], n_jobs=2).transform(X), values)
    polars = binning(pl.from_pandas(X), y)
    np.testing.assert_array_equal(polars.transform(pl.from_pandas(X)), values)
    assert isinstance(polars.table("age"), pl.DataFrame)
    assert isinstance(polars.summary(backend="pandas"), pd.DataFrame)
    array = binning(X[["age", "income"]].to_numpy(), y)
    np.testing.assert_array_equal(
        array.transform(X[["age", "income"]].to_numpy()), values[:, [0, 2]]
    )


def test_lazy_tables_have_the_bins_of_collected_ones():
    X, y = sample()
    values = binning(X, y, special=[-999]).transform(X)
    lazy = pl.from_pandas(X.assign(y=y)).lazy()
    model = binning(lazy, "y", special=[-999])
    np.testing.assert_array_equal(model.transform(pl.from_pandas(X).lazy()), values)
    np.testing.assert_array_equal(model.transform(X), values)


def test_constant_numbers_have_one_bin():
    X, _ = sample(40)
    model = binning(X, np.full(40, 2.5))
    assert model.summary()["r2"].tolist() == [0.0, 0.0, 0.0]
    assert (model.transform(X) == 2.5).all()


def test_times_and_booleans_are_ordered_columns():
    days = pd.date_range("2024-01-01", periods=200).to_series().reset_index(drop=True)
    y = np.arange(200) % 5 < 1 + 3 * (np.arange(200) >= 100)
    X = pd.DataFrame({"day": days, "flag": np.arange(200) >= 120})
    model = binning(X, y, 2)
    assert model.table("day")["bin"][0].startswith("<= 2024-0")
    assert model.table("flag")["bin"].tolist() == ["False", "True"]
    assert model.transform(X).shape == (200, 2)


def test_bins_of_infinite_numbers_and_constants():
    x = np.array([-np.inf] * 20 + [0.0] * 20 + [np.inf] * 20)
    y = np.repeat([0, 0, 1, 0, 1, 1], 10)
    X = np.column_stack([x, np.ones(60), np.full(60, np.nan)])
    model = binning(X, y)
    assert model.table(0)["bin"].tolist() == ["-inf", "-inf to inf", "inf"]
    assert model.table(1)["bin"].tolist() == ["known"]
    assert model.table(2)["bin"].tolist() == ["missing"]
    assert model.transform(X)[:, 1:].tolist() == [[0.0, 0.0]] * 60
    assert model.summary()["trend"].tolist() == ["ascending", "", ""]


def test_binning_is_a_transformer():
    X, y = sample()
    line = make_pipeline(Binning(), LogisticRegression()).fit(X, y)
    assert line.score(X, y) > 0.7
    model = binning(X, y).set_output(transform="pandas")
    assert model.transform(X).columns.tolist() == list(X)
    assert model.get_feature_names_out().tolist() == list(X)
    again = pickle.loads(pickle.dumps(model))
    assert again.transform(X).equals(model.transform(X))
    assert len(pickle.dumps(model)) < 20_000  # no training rows


def test_text_lists_columns_by_score():
    X, y = sample()
    model = binning(X, y)
    lines = str(model).splitlines()
    assert lines[0] == "3 columns"
    assert lines[1].split() == ["column", "kind", "iv", "bins", "trend", "missing"]
    assert [line.split()[0] for line in lines[2:]] == model.summary()["column"].tolist()
    assert model.to_text("town").splitlines()[1].split()[:3] == ["bin", "count", "share"]
    assert max(map(len, model.to_text("town", max_width=30).splitlines())) == 30
    assert str(Binning()) == "Binning()"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_bins": 0}, "max_bins must be an integer of at least 1"),
        ({"max_bins": True}, "max_bins must be an integer"),
        ({"monotonic": "up"}, "monotonic must be one of auto, ascending"),
        ({"min_bin_share": 0.6}, "min_bin_share must be a number from 0 to 0.5"),
        ({"min_bin_count": 0}, "min_bin_count must be an integer of at least 1"),
        ({"min_difference": -1}, "min_difference must be a number at least 0"),
        ({"min_category_share": np.nan}, "min_category_share must be a number from 0 to 1"),
        ({"objective": "auc"}, "objective must be one of auto, iv"),
        ({"smoothing": -0.5}, "smoothing must be a number at least 0"),
        ({"prebins": 1}, "prebins must be an integer of at least 2 or 'auto'"),
        ({"prebins": 10_000}, "prebins must be at most 2000"),
        ({"target": "text"}, "target must be one of auto, classes, numbers"),
        ({"metric": "odds"}, "metric must be one of auto, woe"),
        ({"special": -999}, "special must be a list of values"),
        ({"special": [None]}, "special must not have missing values"),
        ({"event": "maybe"}, "event must be a class of y, one of"),
    ],
)
def test_wrong_parameters_are_refused(options, message):
    X, y = sample(40)
    with pytest.raises(ParameterError, match=message):
        binning(X, y, **options)


def test_wrong_rows_and_targets_are_refused():
    X, y = sample(40)
    with pytest.raises(TableError, match="special names columns"):
        binning(X, y, special={"heigth": [0]})
    with pytest.raises(TargetError, match="one class"):
        binning(X, ["a"] * 40)
    with pytest.raises(TargetError, match="no events with a positive weight"):
        binning(X, y, sample_weight=(y == "no").astype(float))
    with pytest.raises(TargetError, match="negative"):
        binning(X, y, sample_weight=np.full(40, -1.0))
    with pytest.raises(TargetError, match="40 rows but y has 39"):
        binning(X, y[:-1])
    with pytest.raises(ValueError, match="0 rows"):
        binning(X[:0], y[:0])
    with pytest.raises(ParameterError, match="need two classes or a numeric target"):
        binning(X, np.arange(40) % 3, monotonic="ascending")
    with pytest.raises(ParameterError, match="objective='iv' needs two classes"):
        binning(X, np.arange(40) % 3, objective="iv")
    with pytest.raises(ParameterError, match="squared error"):
        binning(X, np.arange(40) / 3, objective="gini")
    model = binning(X, y)
    with pytest.raises(ParameterError, match="there is no column 'heigth'"):
        model.table("heigth")
    with pytest.raises(ValueError, match="feature names"):
        model.transform(X[["town", "age", "income"]])


def test_a_failed_fit_leaves_the_estimator_as_it_was():
    X, y = sample(60)
    model = binning(X, y)
    before = model.transform(X)
    with pytest.raises(TargetError):
        model.fit(X[["age"]], ["a"] * 60)
    np.testing.assert_array_equal(model.transform(X), before)
    assert polytomy.Binning is Binning
