"""Pruning density trees: the path, held-out rows, pruners that make sense and those that do not."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from polytomy import DensityTree, load, verify
from polytomy._errors import ParameterError
from polytomy.prune import ErrorBudget
from tests.estimators.density.test_density_tree import mixed

IRIS = load_iris().data


@pytest.fixture(scope="module", params=["likelihood", "squared"])
def half(request):
    """A large tree, its rows, and held-out rows."""
    X = mixed()
    return DensityTree(60, loss=request.param).fit(X[::2]), X[::2], X[1::2]


def test_errors_on_the_path_are_the_scores_of_its_estimators(half):
    model, rows, others = half
    path = model.pruning_path(others)
    assert path.sizes[0] == 1
    assert path.sizes[-1] == model.n_leaves_
    for place in range(0, len(path), 7):
        tree = path.at(int(path.sizes[place]))
        assert tree.n_leaves_ == path.sizes[place]
        assert path.training_errors[place] == pytest.approx(-tree.score(rows))
        assert path.validation_errors[place] == pytest.approx(-tree.score(others))


def test_weights_of_held_out_rows_count(half):
    model, _, others = half
    weights = np.random.default_rng(0).integers(0, 3, len(others))
    path = model.pruning_path(others, sample_weight_val=weights)
    assert path.validation_errors[-1] == pytest.approx(-model.score(others, sample_weight=weights))
    assert path.facts()["validation_error"][-1] * weights.sum() == pytest.approx(
        path.validation_errors[-1]
    )


def test_a_pruning_has_the_least_training_loss_of_its_size():
    model = DensityTree(40, smoothing=0.0).fit(IRIS)
    errors = model.pruning_path().training_errors
    assert (np.diff(errors) < 0).all()
    fitted = [DensityTree(k, smoothing=0.0).fit(IRIS).score(IRIS) for k in (4, 8)]
    for k, score in zip((4, 8), fitted, strict=True):
        assert model.pruning_path().at(k).score(IRIS) >= score - 1e-9


def test_holdout_takes_the_best_size_and_error_budget_is_the_same():
    model = DensityTree(None).fit(IRIS[::2])
    path = model.pruning_path(IRIS[1::2])
    best = path.select()
    assert best.n_leaves_ == path.sizes[np.argmin(path.validation_errors)] < model.n_leaves_
    assert best.score(IRIS[1::2]) > model.score(IRIS[1::2])
    for pruner in ("error-budget", ErrorBudget(select="holdout")):
        assert model.prune(pruner, IRIS[1::2]).tree_ == best.tree_
    few = model.prune(ErrorBudget(max_size=5), IRIS[1::2])
    assert few.n_leaves_ <= 5
    assert model.prune(ErrorBudget(select=7)).tree_ == path.at(7).tree_
    assert model.pruning_path(max_size=5).sizes[-1] <= 5


def test_pruned_trees_are_verified_saved_and_cut_again(half, tmp_path):
    model, rows, _ = half
    small = model.prune(ErrorBudget(select=9))
    assert model.n_leaves_ > 9 >= small.n_leaves_
    report = verify(small, rows)
    assert report.ok, str(report)
    assert small.prune(ErrorBudget(select=3)).n_leaves_ <= 3
    small.save(tmp_path / "small.json")
    again = load(tmp_path / "small.json")
    assert np.array_equal(again.score_samples(rows), small.score_samples(rows))


def test_the_path_is_printed_framed_and_drawn(half):
    model, _, others = half
    path = model.pruning_path(others)
    assert str(path).endswith("The loss is the mean negative log-density.")
    assert "<- holdout" in str(path)
    assert repr(path).startswith("<pruning path of ")
    assert list(path.to_frame()["leaves"]) == path.sizes.tolist()
    pytest.importorskip("matplotlib")
    assert model.plot_pruning_path(others).get_ylabel() == "mean negative log-density"
    dense = DensityTree(9).fit(IRIS / 1000)  # all negative log-densities are below 0
    assert dense.plot_pruning_path().get_ylim()[0] < 0


@pytest.mark.parametrize(
    ("pruner", "words"),
    [
        ("chi-square", "chi-square judges the predictions of a target, and a density tree has non"),
        ("reduced-error", "judges the predictions of a target"),
        ("pessimistic", "judges the predictions of a target"),
        (ErrorBudget(select="cv"), "select must be a number or 'holdout', and size 'leaves'"),
        (ErrorBudget(select="srm"), "select must be a number or 'holdout'"),
        (ErrorBudget(select=5, size="nodes"), "and size 'leaves'"),
        ("error-budget", "needs rows that the tree was not grown on: pass X_val"),
        ("none", "pruner must be one of"),
    ],
)
def test_pruners_that_need_a_target_are_refused(half, pruner, words):
    with pytest.raises(ParameterError, match=words):
        half[0].prune(pruner)


def test_wrong_sizes_and_criteria_are_refused(half):
    path = half[0].pruning_path()
    for k in (0, 2.5, "3"):
        with pytest.raises(ParameterError, match="k must be an integer of at least 1"):
            path.at(k)
    with pytest.raises(ParameterError, match="max_size must be an integer"):
        half[0].pruning_path(max_size=0)
    with pytest.raises(ParameterError, match="needs a path with held-out rows"):
        path.select()
    with pytest.raises(ParameterError, match="select must be 'holdout' for a density tree"):
        path.select("srm")
    with pytest.raises(ParameterError, match="which is missing"):
        half[0].pruning_path(sample_weight_val=[1.0])
