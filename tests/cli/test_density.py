"""``polytomy density``, and what other commands do with a density tree."""

import csv

import pytest


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


@pytest.mark.parametrize(
    "command",
    [
        ("prune", "MODEL", "CARS", "--method", "chi-square", "-o", "OUT", "--target", "origin"),
        ("certify", "MODEL"),
    ],
)
def test_commands_for_a_target_refuse_a_density_tree(refuse, model, cars, tmp_path, command):
    places = {"MODEL": model, "CARS": cars, "OUT": tmp_path / "out.html"}
    line = refuse(*(places.get(word, word) for word in command))
    assert line == f"{model} holds a density tree; this command needs a model with a target"


@pytest.mark.parametrize("to", ["sql", "python", "c", "dot", "mermaid", "rules", "json", "text"])
def test_density_is_exported(run, model, to):
    code, out, _ = run("export", model, "--to", to)
    assert code == 0
    assert "horsepower" in out


def test_density_is_not_exported_to_onnx(refuse, model, tmp_path):
    line = refuse("export", model, "--to", "onnx", "-o", tmp_path / "m.onnx")
    assert line == "a density tree cannot be exported to onnx"


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
