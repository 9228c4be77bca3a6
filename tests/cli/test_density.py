"""``polytomy density``, and what other commands do with a density tree."""

import csv

import numpy as np
import pandas as pd
import pytest

from polytomy import load


@pytest.fixture
def model(run, cars, tmp_path):
    path = tmp_path / "density.json"
    code, out, err = run("density", cars, "-o", path, "--leaves", "8", "--drop", "name")
    assert (code, err) == (0, "")
    assert out.startswith("8 boxes, 392 rows")
    assert out.rstrip().endswith(f"Wrote {path}")
    return path


def test_density_is_shown(run, model):
    code, out, _ = run("show", model)
    assert code == 0
    assert "times the mean" in out


def test_predict_writes_log_densities(run, model, cars, tmp_path):
    target = tmp_path / "scores.csv"
    assert run("predict", model, cars, "-o", target)[0] == 0
    rows = list(csv.DictReader(target.read_text().splitlines()))
    assert len(rows) == 392
    assert float(rows[0]["log_density"]) < 0
    assert rows[0]["region"]


def test_cross_validation_is_the_default(run, cars, tmp_path):
    code, out, _ = run("density", cars, "-o", tmp_path / "m.json", "--drop", "name")
    assert code == 0
    assert "more; polytomy show" in out


def test_comparing_models_needs_a_target(refuse, model, cars):
    line = refuse("compare", model, model, cars)
    assert line == f"{model} holds a density tree; this command needs a model with a target"


def test_certify_verifies_a_density_tree(run, refuse, model, cars, tmp_path):
    assert refuse("certify", model) == "a density tree has no certificate; to verify it, give DATA"
    code, out, err = run("certify", model, cars)
    assert (code, err) == (0, "")
    assert "Verified: no discrepancies." in out
    header, *rows = cars.read_text().splitlines(keepends=True)
    (tmp_path / "other.csv").write_text(header + "".join(rows[1:]))
    code, out, _ = run("certify", model, tmp_path / "other.csv")
    assert code == 1
    assert "the number of rows is stated as 392, found 391" in out
    line = refuse("certify", model, cars, "--target", "origin")
    assert line.endswith("are for a target, but this is a density tree")


def test_several_files_are_refused(refuse, model, cars, halves):
    assert "which commands for density trees cannot do" in refuse("certify", model, *halves)
    assert "which commands for density trees cannot do" in refuse("certify", model, cars.parent)


@pytest.fixture
def halves(cars, tmp_path):
    header, *rows = cars.read_text().splitlines(keepends=True)
    for name, part in (("one.csv", rows[::2]), ("two.csv", rows[1::2])):
        (tmp_path / name).write_text(header + "".join(part))
    return tmp_path / "one.csv", tmp_path / "two.csv"


def test_prune_to_a_size_or_by_other_rows(run, refuse, halves, tmp_path):
    one, two = halves
    large, small = tmp_path / "large.json", tmp_path / "small.json"
    assert run("density", one, "-o", large, "--leaves", "none", "--drop", "name")[0] == 0
    code, out, err = run("prune", large, "--method", "error-budget", "--select", "5", "-o", small)
    assert (code, err) == (0, "")
    assert load(small).n_leaves_ == 5
    code, out, _ = run("prune", large, two, "--method", "error-budget", "-o", small)
    assert code == 0
    assert "chosen on these rows, optimistic" in out
    assert 1 < load(small).n_leaves_ < load(large).n_leaves_
    assert run("certify", small, one)[0] == 0
    start = ("prune", large)
    end = ("-o", small)
    line = refuse(*start, one, "--method", "error-budget", *end)
    assert line.startswith("the tree was fitted on these rows")
    line = refuse(*start, "--method", "error-budget", *end)
    assert line == "error-budget chooses on held-out rows: add DATA, or --select N"
    line = refuse(*start, two, "--method", "chi-square", *end)
    assert line.startswith("chi-square judges the predictions of a target")
    line = refuse(*start, two, "--sensitivity", "0.9", "--of", "x", *end)
    assert line.startswith("--sensitivity and --specificity are for classes")
    assert refuse(*start, two, *end) == "choose --method error-budget"
    line = refuse(*start, "--method", "error-budget", "--select", "5", "--training", two, *end)
    assert line == "--training is for a target, but this is a density tree"


def test_weights_are_remembered(run, cars, tmp_path):
    frame = pd.read_csv(cars).drop(columns="name")
    frame["n"] = [1, 2] * 196
    table, path = tmp_path / "weighted.csv", tmp_path / "weighted.json"
    frame.to_csv(table, index=False)
    assert run("density", table, "-o", path, "--weights", "n", "--leaves", "6")[0] == 0
    assert run("certify", path, table)[0] == 0
    page = tmp_path / "page.html"
    assert run("report", path, table, "-o", page)[0] == 0
    mean = np.average(load(path).score_samples(frame.drop(columns="n")), weights=frame["n"])
    assert f'"train_log_density":{mean:.9f}'[:26] in page.read_text()


@pytest.mark.parametrize("to", ["sql", "python", "c", "dot", "mermaid", "rules", "json", "text"])
def test_density_is_exported(run, model, to):
    code, out, _ = run("export", model, "--to", to)
    assert code == 0
    assert "horsepower" in out


def test_density_is_exported_to_onnx_pmml_and_dbt(run, model, tmp_path):
    for to, name in (
        ("onnx", "m.onnx"),
        ("pmml", "m.pmml"),
        ("dbt", "project"),
        ("xlsx", "m.xlsx"),
    ):
        assert run("export", model, "--to", to, "-o", tmp_path / name)[0] == 0
        assert (tmp_path / name).exists()
    code, out, _ = run("export", model, "--to", "python", "--include", "prediction,leaf,rule")
    assert code == 0
    assert "log_density_rule" in out


def test_report_shows_the_log_density_of_rows(run, model, cars, tmp_path):
    page = tmp_path / "density.html"
    code, out, _ = run("report", model, cars, "--test", cars, "-o", page)
    assert (code, out.split()[0]) == (0, "Wrote")
    text = page.read_text()
    assert '"test_rows":392' in text
    assert '"train_log_density":' in text


def test_report_refuses_options_for_a_target(refuse, model, cars, tmp_path):
    page = tmp_path / "density.html"
    line = refuse("report", model, cars, "--target", "origin", "-o", page)
    assert line.endswith("are for a target, but this is a density tree")


def test_explain_ends_with_the_density(run, model, cars):
    code, out, _ = run("explain", model, cars, "--row", "1")
    assert code == 0
    assert "training rows" in out.splitlines()[-1]


def test_wrong_options_are_refused(refuse, cars, tmp_path):
    output = tmp_path / "m.json"
    assert "--leaves must be" in refuse("density", cars, "-o", output, "--leaves", "many")
    assert "loss must be" in refuse("density", cars, "-o", output, "--loss", "absolute")
