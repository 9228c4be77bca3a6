"""Every command with a numeric target or a regression tree."""

import csv
import io
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import mean_absolute_error, mean_squared_error, r2_score
from sklearn.tree import DecisionTreeRegressor

import polytomy
from polytomy import ForestRegressor, TreeClassifier, TreeRegressor
from polytomy.cli import cross_validation, entry
from polytomy.cli.cross_validation import folds_of
from polytomy.data import load_cars


@pytest.fixture(scope="session")
def frame():
    """The cars without their names."""
    columns, origin = load_cars()
    columns.pop("name")
    return pd.DataFrame({**columns, "origin": origin})


@pytest.fixture(scope="session")
def regressor(cars, tmp_path_factory):
    """A tree that predicts the miles per gallon of a car."""
    path = tmp_path_factory.mktemp("models") / "mpg.json"
    args = ["fit", cars, "--target", "mpg", "--leaves", "8", "--drop", "name", "-o", path]
    with pytest.raises(SystemExit) as exit:
        entry.main(list(map(str, args)))
    assert not exit.value.code
    return path


def summary_of(out):
    return dict(re.findall(r"^(\w+(?: \w+)*) {2,}(.+)$", out, re.M))


def test_fit_names_the_other_task_for_whole_numbers(run, cars, tmp_path):
    _, out, _ = run(
        "fit", cars, "--target", "horsepower", "--drop-unlabelled", "-o", tmp_path / "m"
    )
    assert "fitting a regression model; --task classification overrides\n" in out


def test_fit_grows_a_regression_tree_for_numbers(run, cars, frame, tmp_path):
    path = tmp_path / "m.json"
    code, out, err = run("fit", cars, "--target", "mpg", "--drop", "name", "-o", path)
    assert (code, err) == (0, "")
    n = frame["mpg"].nunique()
    assert f"mpg has {n} distinct numbers: fitting a regression model\n" in out
    X, y = frame.drop(columns="mpg"), frame["mpg"]
    own = TreeRegressor().fit(X, y)
    reg = polytomy.load(path)
    assert isinstance(reg, TreeRegressor)
    assert reg.predict(X).tolist() == own.predict(X).tolist()
    error = mean_squared_error(y, own.predict(X))
    wanted = f"R2 {own.score(X, y):.3f}, mean squared error {error:.4g} on {len(y)} rows"
    assert summary_of(out)["training error"] == wanted


def test_fit_holds_out_test_rows_of_numbers(run, cars, tmp_path):
    fit = ["fit", cars, "--target", "mpg", "-o", tmp_path / "m.json", "--test-fraction", 0.25]
    fit.append("--force")
    first = run(*fit)[1]
    test = summary_of(first)["test error"]
    assert re.fullmatch(r"R2 0\.\d{3}, mean squared error \S+ on 98 held-out rows", test)
    assert first == run(*fit, "--seed", 0)[1] != run(*fit, "--seed", 1)[1]


def test_fit_weights_the_errors_of_numbers(run, cars, frame, tmp_path):
    path = tmp_path / "m.json"
    args = ["fit", cars, "--target", "mpg", "-o", path, "--weights", "weight", "--drop", "name"]
    out = run(*args)[1]
    reg = polytomy.load(path)
    predicted = reg.predict(frame[list(reg.feature_names_in_)])
    r2 = r2_score(frame["mpg"], predicted, sample_weight=frame["weight"])
    assert summary_of(out)["training error"].startswith(f"R2 {r2:.3f}, ")
    assert summary_of(out)["training error"].endswith(" on 392 weighted rows")


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        ([], TreeClassifier),  # 5 distinct whole numbers in 392 rows
        (["--task", "regression"], TreeRegressor),
        (["--task", "classification"], TreeClassifier),
        (["--criterion", "poisson"], TreeRegressor),
        (["--index", "gini"], TreeClassifier),
    ],
)
def test_task_of_few_whole_numbers_can_be_chosen(run, cars, tmp_path, options, kind):
    path = tmp_path / "m.json"
    code, out, _ = run("fit", cars, "--target", "cylinders", "--leaves", 4, "-o", path, *options)
    assert code == 0
    assert isinstance(polytomy.load(path), kind)
    line = "cylinders has 5 distinct whole numbers: taken for classes; --task regression overrides"
    assert (line in out) == (not options)
    if "--criterion" in options:
        assert polytomy.load(path).get_params()["criterion"] == "poisson"


def test_two_numbers_are_classes_without_a_word(run, data_file, tmp_path):
    data = data_file("x,y\n" + "".join(f"{i},{float(i > 5)}\n" for i in range(12)))
    out = run("fit", data, "--target", "y", "-o", tmp_path / "m.json")[1]
    assert "distinct" not in out
    assert polytomy.load(tmp_path / "m.json").classes_.tolist() == [0, 1]


def test_help_states_the_rule(run):
    for command in ("fit", "compare"):
        text = " ".join(run(command, "--help")[1].split())
        assert "whole numbers with at most 20 distinct values, each in at least 5 rows" in text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--task", "x"], "must be one of auto, classification, regression, got 'x'"),
        (["--index", "gini", "--criterion", "poisson"], "--criterion is for regression, not for"),
        (["--task", "regression", "--index", "gini"], "--index is for classification, not for reg"),
        (["--task", "classification", "--criterion", "poisson"], "--criterion is for regression"),
        (["--task", "regression", "--boost", "5"], "--boost fits classes and cannot be used with"),
        (["--criterion", "x"], "criterion"),
        (["--boost", "5"], "contains numbers with decimals, such as 17.5, which are not classes; "),
        (["--boost", "5"], "; --task regression without --boost fits a regression tree"),
        (["--task", "classification"], "which are not classes; --task regression without --boost"),
        (["--prune", "chi-square"], "not for a numeric target"),
    ],
)
def test_fit_refuses_options_that_contradict(refuse, cars, tmp_path, options, message):
    path = tmp_path / "m.json"
    assert message in refuse("fit", cars, "--target", "mpg", "-o", path, *options)
    assert not path.exists()


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        ("x,y\n1,2026-01-31\n2,2026-02-01\n", [], "target 'y' holds dates or times; predict a"),
        ("x,y\n1,2026-01-31\n2,2026-02-01\n", [], "for a class with --task classification"),
        ("x,y\n1,a\n2,b\n", ["--task", "regression"], "holds text, but regression needs numbers"),
        ("x,y\n1,1.5\n2,inf\n", [], "target 'y' is inf in row 2; numbers must be finite"),
        ("x,y\n1,1.5\n2,1.5\n", [], "target 'y' is 1.5 in all 2 rows; there is nothing to predict"),
        ("x,y\n1,\n2,NA\n", ["--task", "regression"], "target 'y' is missing in all 2 rows"),
        ("x,y\n1,1.5\n2,\n", [], "or leave these rows out with --drop-unlabelled"),
        ("x,y\n1,-1.5\n2,2\n", ["--criterion", "poisson"], "poisson"),
    ],
)
def test_fit_refuses_bad_numbers_with_one_line(
    refuse, data_file, tmp_path, content, options, message
):
    path = tmp_path / "m.json"
    assert message in refuse("fit", data_file(content), "--target", "y", "-o", path, *options)


def test_predict_writes_means_and_intervals(run, cars, frame, regressor):
    reg = polytomy.load(regressor)
    X = frame[list(reg.feature_names_in_)]
    header, *rows = csv.reader(io.StringIO(run("predict", regressor, cars, "--interval")[1]))
    assert header == ["prediction", "low", "high"]
    wanted = np.column_stack([reg.predict(X), reg.predict_interval(X)])
    assert np.array(rows, dtype=float).tolist() == wanted.tolist()
    plain = list(csv.reader(io.StringIO(run("predict", regressor, cars)[1])))
    assert plain == [["prediction"], *([row[0]] for row in rows)]


def test_predict_refuses_what_the_model_cannot_predict(refuse, cars, model, boosted, regressor):
    message = refuse("predict", regressor, cars, "--proba")
    assert message.startswith("--proba is for classes, but this model predicts numbers; --interval")
    for classifier in (model, boosted):
        message = refuse("predict", classifier, cars, "--interval")
        assert message.startswith("--interval is for regression trees, but this model predicts cl")


def test_show_and_explain_print_means(run, cars, regressor):
    reg = polytomy.load(regressor)
    code, out, err = run("show", regressor, "--width", 100)
    assert (code, err) == (0, "")
    assert out.rstrip("\n") == reg.to_text(max_width=100)
    code, out, err = run("explain", regressor, cars, "--row", 3)
    assert (code, err) == (0, "")
    assert "=> mean" in out


def test_certify_verifies_a_regression_tree(run, cars, regressor, tmp_path):
    code, out, err = run("certify", regressor, cars, "--target", "mpg")
    assert (code, err) == (0, "")
    assert "Verified: no discrepancies" in out
    other = tmp_path / "other.csv"
    pd.read_csv(cars).assign(mpg=lambda d: d["mpg"] + 1).to_csv(other, index=False)
    assert run("certify", regressor, other, "--target", "mpg")[0] == 1


@pytest.mark.parametrize("method", ["reduced-error", "error-budget", "cost-complexity"])
def test_prune_chooses_by_the_squared_error(run, frame, regressor, tmp_path, method):
    path = tmp_path / "small.json"
    frame = frame.iloc[::2]
    frame.to_csv(tmp_path / "half.csv", index=False)
    args = ["prune", regressor, tmp_path / "half.csv", "--method", method, "-o", path]
    code, out, err = run(*args)
    assert (code, err) == (0, "")
    small = polytomy.load(path)
    X, y = frame[list(small.feature_names_in_)], frame["mpg"]
    after = f"R2 {small.score(X, y):.3f}, mean squared error "
    error = f"{after}{mean_squared_error(y, small.predict(X)):.4g} after; on 196 rows"
    assert summary_of(out)["error"].endswith(f"{error} (chosen on these rows, optimistic)")


@pytest.mark.parametrize("method", ["chi-square", "pessimistic", "conservative"])
def test_prune_refuses_methods_for_classes(refuse, regressor, tmp_path, method):
    message = refuse("prune", regressor, "--method", method, "-o", tmp_path / "small.json")
    assert "not for a numeric target" in message


@pytest.mark.parametrize("form", ["sql", "python", "c", "dot", "mermaid", "rules", "json", "text"])
def test_export_converts_a_regression_tree(run, regressor, form):
    code, out, err = run("export", regressor, "--to", form)
    assert (code, err) == (0, "")
    assert len(out) > 100


def test_report_finds_the_only_other_column_of_numbers(
    run, refuse, forget, cars, regressor, tmp_path
):
    path, regressor = tmp_path / "r.html", forget(regressor)
    code, out, err = run("report", regressor, cars, "-o", path)
    assert (code, err) == (0, "")
    assert out.startswith("target: mpg\n")
    assert "<title>Regression tree for mpg</title>" in path.read_text(encoding="utf-8")
    two = tmp_path / "two.csv"
    pd.read_csv(cars).assign(more=1.5).to_csv(two, index=False)
    message = refuse("report", regressor, two, "-o", path)
    assert "2 other columns of " in message
    assert message.endswith("contain numbers: 'mpg', 'more'; name the target with --target COL")
    without = tmp_path / "without.csv"
    pd.read_csv(cars).drop(columns="mpg").to_csv(without, index=False)
    message = refuse("report", regressor, without, "-o", path)
    assert "no other column of " in message
    text = tmp_path / "text.csv"
    pd.read_csv(cars).assign(mpg="many").to_csv(text, index=False)
    message = refuse("report", regressor, text, "-o", path, "--target", "mpg")
    assert message.endswith("line 2: column 'mpg' contains 'many', which is not a number")


def test_report_shows_the_test_rows_of_fit(run, cars, tmp_path):
    model, path = tmp_path / "m.json", tmp_path / "r.html"
    split = ["--test-fraction", 0.25, "--seed", 3]
    run("fit", cars, "--target", "mpg", "-o", model, *split)
    assert run("report", model, cars, "--target", "mpg", "-o", path, *split)[0] == 0
    page = path.read_text(encoding="utf-8")
    assert '"train_rows":294' in page
    assert '"test_rows":98' in page
    assert "rows_note" not in page.split("</script>")[0]


@pytest.mark.parametrize(
    ("scoring", "heading", "score"),
    [
        ("squared_error", "MSE", mean_squared_error),
        ("absolute_error", "MAE", mean_absolute_error),
        ("r2", "R2", r2_score),
    ],
)
def test_compare_scores_numbers(run, cars, frame, monkeypatch, scoring, heading, score):
    monkeypatch.setattr(cross_validation, "find_spec", lambda name: None)
    args = ["compare", cars, "--target", "mpg", "--leaves", 6, "--drop", "origin"]
    args += ["--drop", "name", "--scoring", scoring]
    code, out, err = run(*args)
    assert (code, err) == (0, "")
    assert f" {heading} " in out
    assert "mpg has" in out
    X, y = frame.drop(columns=["mpg", "origin"]).to_numpy(), frame["mpg"].to_numpy()
    scores = []
    for fold in folds_of(np.zeros(len(y)), 5, 0):
        rest = np.delete(np.arange(len(y)), fold)
        peer = DecisionTreeRegressor(max_leaf_nodes=6, random_state=0).fit(X[rest], y[rest])
        scores.append(score(y[fold], peer.predict(X[fold])))
    shown = f"{np.mean(scores):.3f}" if scoring == "r2" else f"{np.mean(scores):.4g}"
    assert re.search(rf"scikit-learn +6 +{re.escape(shown)} ", out)
    assert max(map(len, out.splitlines())) <= 80
    if scoring == "squared_error":
        assert run(*args[:-2])[1].split("seconds")[0] == out.split("seconds")[0]


def test_compare_includes_lightgbm_for_numbers(run, cars):
    pytest.importorskip("lightgbm")
    out = run("compare", cars, "--target", "mpg", "--leaves", 4, "--folds", 2)[1]
    assert "LightGBM" in out


def test_compare_refuses_the_scores_of_the_other_task(refuse, cars):
    message = refuse("compare", cars, "--target", "mpg", "--scoring", "error")
    assert message.startswith("--scoring must be one of squared_error, absolute_error, r2 for reg")
    message = refuse("compare", cars, "--target", "origin", "--scoring", "r2")
    assert message.startswith("--scoring must be one of error, log_loss, roc_auc for classificat")
    message = refuse("compare", cars, "--target", "mpg", "--scoring", "f2")
    assert "squared_error" in message
    assert "log_loss" in message


def test_fit_grows_a_regression_forest_for_numbers(run, refuse, cars, frame, tmp_path):
    path = tmp_path / "m.json"
    args = ["fit", cars, "--target", "mpg", "--drop", "name", "-o", path, "--forest", 8]
    code, out, err = run(*args, "--criterion", "poisson", "--leaves", 20)
    assert (code, err) == (0, "")
    forest = polytomy.load(path)
    assert isinstance(forest, ForestRegressor)
    own = ForestRegressor(8, criterion="poisson", max_leaves=20).fit(
        frame.drop(columns="mpg"), frame["mpg"]
    )
    assert forest.oob_score_ == own.oob_score_
    wanted = f"R2 {own.oob_score_:.3f}, mean squared error {own.oob_error_:.4g}"
    assert re.search(r"^out-of-bag error +(.+)$", out, re.M)[1] == wanted
    assert run("show", path)[1].startswith("forest: 8 trees of 20 leaves")
    assert "but this model is a forest" in refuse("predict", path, cars, "--interval")
    assert "this model predicts numbers\n" in refuse("predict", path, cars, "--proba") + "\n"
    lines = run("predict", path, cars)[1].splitlines()
    assert float(lines[1]) == pytest.approx(own.predict(frame.drop(columns="mpg")[:1])[0])
    assert run("certify", path, cars, "--target", "mpg")[0] == 0
    page = tmp_path / "page.html"
    assert run("report", path, cars, "--target", "mpg", "-o", page)[0] == 0
    assert "<title>Regression forest for mpg</title>" in page.read_text(encoding="utf-8")
