"""DensityTree: densities add up to 1, sampling, weights, ties, odd input, files and drawings."""

import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_iris

import polytomy
from polytomy import DensityTree
from polytomy.estimators.base.files import PARAMETER_OBJECTS, to_file_bytes
from polytomy.format import from_document
from polytomy.format.files import parsed


def mixed(n=300, seed=0):
    rng = np.random.default_rng(seed)
    town = rng.choice(["Rom", "Ulm", "Wien"], n, p=[0.6, 0.3, 0.1]).astype(object)
    town[::13] = None
    x = np.where(town == "Rom", rng.normal(0, 1, n), rng.normal(8, 2, n))
    x[::7] = np.nan
    return pd.DataFrame(
        {
            "x": x,
            "town": town,
            "count": rng.poisson(2, n),
            "day": pd.date_range("2024-01-01", periods=n),
            "size": pd.Categorical(
                rng.choice(["S", "M", "L"], n), ["S", "M", "L", "XL"], ordered=True
            ),
        }
    )


points = st.lists(st.sampled_from([0.0, 0.5, 1.0, 3.0, 3.25, 10.0]), min_size=2, max_size=30)


@given(points, st.sampled_from([None, 2, 5]), st.sampled_from([0.0, 3.0]))
def test_density_of_one_column_integrates_to_1(x, max_leaves, smoothing):
    model = DensityTree(max_leaves, smoothing=smoothing).fit(np.array(x)[:, np.newaxis])
    edges = model._model.cells[0].edges
    inside = 0.0
    if edges[0] < edges[-1]:
        middle = (edges[1:] + edges[:-1]) / 2
        with np.errstate(divide="ignore"):
            inside = np.exp(model.score_samples(middle[:, np.newaxis])) @ np.diff(edges)
    else:
        inside = np.exp(model.score_samples(edges[:1, np.newaxis])).sum()
    missing = np.exp(model.score_samples([[np.nan]]))[0]
    far = np.concatenate([np.linspace(0, 1, 20001), np.geomspace(1, 1e6, 40001)[1:]])
    far *= max(edges[-1] - edges[0], 1.0)
    places = [edges[0] - far - 1e-9, edges[-1] + far + 1e-9]
    tails = [np.trapezoid(np.exp(model.score_samples(x[:, np.newaxis])), far) for x in places]
    assert inside + missing + sum(tails) == pytest.approx(1, rel=1e-3)


def test_density_of_two_columns_integrates_to_1_inside_its_box():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2)) @ np.array([[1.0, 0.8], [0.0, 0.6]])
    model = DensityTree(40).fit(X)
    total = sum(
        np.exp(model._model.log_density[r.leaf])
        * np.prod([high - low for low, high in r.bounds.values()])
        for r in model.to_rules()
    )
    low, high = (np.array([c.edges[at] for c in model._model.cells]) for at in (0, -1))
    draws = rng.uniform(low, high, size=(200_000, 2))
    estimate = np.exp(model.score_samples(draws)).mean() * np.prod(high - low)
    assert estimate == pytest.approx(total, rel=0.02)
    assert 0.98 < total < 1


def test_probabilities_of_categories_whole_numbers_and_missing_cells_add_up():
    X = mixed()[["town", "count"]]
    model = DensityTree().fit(X)
    counts = np.arange(X["count"].min(), X["count"].max() + 1)
    grid = [(t, c) for t in ["Rom", "Ulm", "Wien", None] for c in counts]
    total = np.exp(model.score_samples(pd.DataFrame(grid, columns=X.columns))).sum()
    new_town = np.exp(model.score_samples(pd.DataFrame({"town": ["Bonn"], "count": [2]})))
    assert 0.97 < total < 1
    assert 0 < new_town < 1 / 300


def test_repeated_value_is_isolated():
    rng = np.random.default_rng(0)
    X = np.concatenate([np.zeros(300), rng.uniform(0, 10, 200)])[:, np.newaxis]
    model = DensityTree().fit(X)
    zero, near, far = model.score_samples([[0.0], [1.0], [7.0]])
    assert zero > near + 3
    assert near == pytest.approx(far, abs=0.7)
    assert model.predict_region([[0.0]])[0].rows == 300


def test_more_leaves_never_lower_the_training_likelihood():
    X = load_iris().data
    scores = [DensityTree(k, smoothing=0.0).fit(X).score(X) for k in (1, 2, 4, 8, 16, 32, None)]
    assert (np.diff(scores) > 0).all()


@pytest.mark.parametrize("loss", ["likelihood", "squared"])
def test_order_of_rows_and_threads_do_not_change_the_tree(loss):
    X = mixed()
    first = DensityTree(12, loss=loss).fit(X)
    other = DensityTree(12, loss=loss, n_jobs=2).fit(X.sample(frac=1, random_state=0))
    assert first.tree_ == other.tree_


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3)), min_size=2, max_size=12))
def test_weights_are_repeated_rows(rows):
    x, weights = (np.array(part) for part in zip(*rows, strict=True))
    if not weights.any():
        return
    weighted = DensityTree(None).fit(x[:, np.newaxis], sample_weight=weights)
    repeated = DensityTree(None).fit(np.repeat(x, weights)[:, np.newaxis])
    grid = np.linspace(-1, 7, 33)[:, np.newaxis]
    np.testing.assert_allclose(
        weighted.score_samples(grid), repeated.score_samples(grid), rtol=1e-9
    )


def test_fractional_weights_scale_freely():
    X, rng = load_iris().data, np.random.default_rng(0)
    weights = rng.uniform(1, 2, len(X))
    model = DensityTree(8).fit(X, sample_weight=weights)
    np.testing.assert_allclose(model.tree_.counts[0, 0], weights.sum())
    scaled = DensityTree(8).fit(X, sample_weight=weights / weights.sum())
    assert np.array_equal(scaled.tree_.threshold, model.tree_.threshold)


def test_sample_follows_the_density():
    X = load_iris().data[:, 2:]
    model = DensityTree(10).fit(X)
    drawn = model.sample(20_000, random_state=0)
    found = np.bincount(model.apply(drawn), minlength=model.tree_.n_nodes) / len(drawn)
    leaves = model.tree_.leaves()
    np.testing.assert_allclose(found[leaves], np.exp(model._model.log_share[leaves]), atol=0.01)
    assert np.isfinite(model.score_samples(drawn)).all()
    assert np.array_equal(drawn[:5], model.sample(20_000, random_state=0)[:5])


def test_sample_returns_rows_like_the_input():
    X = mixed()
    model = DensityTree(20).fit(X)
    drawn = model.sample(500, random_state=1)
    assert list(drawn.columns) == list(X.columns)
    assert drawn["count"].dtype == X["count"].dtype
    assert drawn["day"].dtype.kind == "M"
    assert set(drawn["size"]) <= {"S", "M", "L", "XL"}
    assert drawn["town"].isna().mean() == pytest.approx(X["town"].isna().mean(), abs=0.05)
    assert drawn["x"].isna().mean() == pytest.approx(X["x"].isna().mean(), abs=0.05)
    assert np.isfinite(
        model.score_samples(drawn.assign(size=drawn["size"].astype(X["size"].dtype)))
    ).all()
    polars = DensityTree(4).fit(pl.DataFrame({"a": [1.5, 2.0, 9.0]})).sample(3, random_state=0)
    assert isinstance(polars, pl.DataFrame)


def test_rare_missing_cells_hardly_change_the_density_of_the_others():
    x = np.random.default_rng(0).normal(size=300)
    whole = DensityTree(1).fit(x[:, np.newaxis])
    holey = DensityTree(1).fit(np.append(x, np.nan)[:, np.newaxis])
    change = whole.score_samples([[0.0]]) - holey.score_samples([[0.0]])
    assert abs(change[0]) < 0.01
    assert np.exp(holey.score_samples([[np.nan]]))[0] == pytest.approx(1 / 301, rel=0.02)


def test_outliers_score_low():
    X = np.random.default_rng(0).normal(size=(500, 2))
    model = DensityTree().fit(X)
    scores = model.score_samples([[0, 0], [3, 3], [10, 10], [1e6, 0], [np.inf, 0]])
    assert (np.diff(scores[:2]) < 0).all()
    assert scores[2] < scores[0] - 8
    assert np.isfinite(scores[3])
    assert scores[4] == -np.inf


def test_new_categories_and_labels_have_a_density():
    X = mixed()
    model = DensityTree(10).fit(X)
    new = X[:2].assign(town=["Bonn", "Rom"])
    scores = model.score_samples(new)
    assert np.isfinite(scores).all()
    assert scores[0] < scores[1]


@pytest.mark.parametrize(
    ("X", "words"),
    [
        (np.array([[1.0], [np.inf]]), "infinite"),
        (np.empty((0, 2)), "0 sample"),
        ([[1.0, 2.0]], None),
        ([[1.0], [1.0], [1.0]], None),
        ([[np.nan], [np.nan]], None),
        ([["a"], ["b"], [None]], None),
        ([[1e308], [-1e308], [0.0]], None),
        ([[5e-324], [0.0], [1.0]], None),
        ([[1.0], [np.nextafter(1, 2)], [np.nextafter(1, 0)]], None),
    ],
)
def test_odd_tables_are_fitted_or_refused(X, words):
    if words is not None:
        with pytest.raises(ValueError, match=words):
            DensityTree().fit(X)
        return
    for max_leaves in ("cv", None):
        model = DensityTree(max_leaves).fit(X)
        assert np.isfinite(model.score_samples(X)).all()
        assert len(model.sample(7, random_state=0)) == 7
        assert model.to_text()


@pytest.mark.parametrize(
    "wrong",
    [
        {"max_leaves": "best"},
        {"max_leaves": 0},
        {"loss": "absolute"},
        {"loss": None},
        {"smoothing": -1},
        {"min_samples_leaf": 0},
        {"max_bins": 1},
        {"n_jobs": 0},
    ],
)
def test_wrong_parameters_are_refused(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        DensityTree(**wrong).fit([[1.0], [2.0]])


def test_failed_fit_leaves_the_model_as_it_was():
    model = DensityTree(2).fit([[1.0], [2.0], [9.0]])
    text = model.to_text()
    with pytest.raises(polytomy.TableError):
        model.fit([[1.0], [np.inf]])
    assert model.to_text() == text


def test_region_tells_the_bounds_of_every_column():
    X = mixed()
    model = DensityTree(30).fit(X)
    for i, region in enumerate(model.predict_region(X[:50])):
        row = X.iloc[i]
        low, high, *missing = region.bounds["count"]
        assert low <= row["count"] <= high
        assert not missing
        assert (None if pd.isna(row["town"]) else row["town"]) in region.bounds["town"]
        assert row["size"] in region.bounds["size"]
        if pd.isna(row["x"]):
            assert region.bounds["x"][-1] is None
        else:
            assert region.bounds["x"][0] <= row["x"] <= region.bounds["x"][1]
    frame = model.to_rules().to_frame()
    assert frame["share"].sum() == pytest.approx(1)
    assert frame["rows"].sum() == len(X)
    assert (np.diff(frame["relative"]) <= 0).all()


def test_saved_pickled_and_cloned_models_are_the_same(tmp_path):
    X = mixed()
    model = DensityTree(20, random_state=3).fit(X)
    model.save(tmp_path / "model.json.gz")
    for again in (polytomy.load(tmp_path / "model.json.gz"), pickle.loads(pickle.dumps(model))):
        assert isinstance(again, DensityTree)
        assert again.get_params() == model.get_params()
        assert np.array_equal(again.score_samples(X), model.score_samples(X))
        assert again.to_text() == model.to_text()
        assert again.sample(5, random_state=0).equals(model.sample(5, random_state=0))
    assert clone(model).fit(X).to_text() == model.to_text()


@pytest.mark.parametrize(
    ("part", "value", "words"),
    [
        ("missing_odds", [0.0] * 5, "missing_odds"),
        ("missing_odds", [1.0], "missing_odds"),
        ("smoothing", -1.0, "smoothing"),
    ],
)
def test_damaged_files_are_refused(part, value, words):
    document = dict(parsed(to_file_bytes(DensityTree(6).fit(mixed())))[0])
    document[part] = value
    with pytest.raises(polytomy.ModelFormatError, match=words):
        from_document(document, PARAMETER_OBJECTS)


def test_importances_add_up_to_1():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.uniform(size=500), rng.normal(size=500) ** 3])
    importances = DensityTree(10).fit(X).feature_importances_
    assert importances.sum() == pytest.approx(1)
    assert importances[1] > 0.9


def test_drawings_show_boxes_and_points():
    pytest.importorskip("matplotlib")
    X = mixed()
    model = DensityTree(20).fit(X)
    ax = model.plot(X)
    assert len(ax.collections) == 1
    assert model.plot(columns="town").get_xlabel() == "town"
    two = DensityTree(9).fit(X[["x", "count"]])
    assert len(two.plot(X[["x", "count"]]).patches) == two.n_leaves_
    with pytest.raises(polytomy.ParameterError, match="no column"):
        model.plot(columns=["weight"])


def test_notebook_view_shows_the_tree():
    model = DensityTree(3).fit(load_iris().data)
    assert "times the mean" in model._repr_html_()


def test_verbose_prints_one_line(capsys):
    DensityTree(3, verbose=1).fit(load_iris().data)
    assert capsys.readouterr().out.startswith("3 boxes, mean log-density")


def test_smoothing_changes_shares_only():
    X = load_iris().data
    model = DensityTree(20, smoothing=0.0).fit(X)
    smooth = replace(model._model, prior=3.0)
    assert np.exp(smooth.log_share[model.tree_.leaves()]).sum() == pytest.approx(1)
    assert DensityTree(20).fit(X).tree_ == model.tree_


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("predict", "has no attribute 'predict': it has no target; see score_samples"),
        ("certificate_", "polytomy.verify checks the tree without them"),
        ("held_out_", "pruning_path takes held-out rows"),
        ("plot_growth", "it keeps no record of its growth"),
        ("other", "'DensityTree' object has no attribute 'other'$"),
    ],
)
def test_absence_of_what_other_trees_have_is_explained(name, words):
    model = DensityTree(2).fit([[1.0], [2.0]])
    assert not hasattr(model, name)
    with pytest.raises(AttributeError, match=words):
        getattr(model, name)


def test_comparing_and_editing_need_a_target():
    X = np.arange(10.0)[:, np.newaxis]
    model = DensityTree(2).fit(X)
    with pytest.raises(AttributeError, match="it has no target"):
        polytomy.compare(model, model, X, X[:, 0])
    with pytest.raises(polytomy.ParameterError, match="not a DensityTree"):
        polytomy.edit(model, X, X[:, 0])
