"""``polytomy compare A B DATA``."""

import csv
import re

import pytest

import polytomy
from polytomy.io import read_labelled_for_model


@pytest.fixture
def models(run, cars, tmp_path):
    """Return a tree, and a boosted model without one of its columns."""
    a, b = tmp_path / "a.json", tmp_path / "b.json"
    run("fit", cars, "--target", "origin", "--leaves", 4, "-o", a)
    run("fit", cars, "--target", "origin", "--boost", 8, "--drop", "weight", "-o", b)
    return a, b


def test_compare_prints_the_tests_and_the_disagreements(run, cars, models):
    code, out, err = run("compare", *models, cars)
    assert (code, err) == (0, "")
    assert "target: origin" in out
    clf = [polytomy.load(path) for path in models]
    rows = [read_labelled_for_model(cars, m._model.schema, m.classes_) for m in clf]
    said = [m.predict(one.table) for m, one in zip(clf, rows, strict=True)]
    wrong = [100 * (p != rows[0].labels).mean() for p in said]
    shown = re.search(r"error +(\S+)% +(\S+)%", out).groups()
    assert [float(x) for x in shown] == [round(x, 2) for x in wrong]
    n = int((said[0] != said[1]).sum())
    assert f"disagree on {n} rows" in out
    assert "leaves of a with most disagreements" in out


def test_compare_says_which_model_was_fitted_on_the_rows(run, cars, models, tmp_path):
    held_out = tmp_path / "held_out.json"
    run("fit", cars, "--target", "origin", "--test-fraction", 0.25, "-o", held_out)
    out = run("compare", models[0], held_out, cars)[1]
    assert "Caution: a was fitted on 392 of these 392 rows, so its errors are optimistic." in out
    assert "Caution: b was fitted on 294 of these 392 rows" in out
    lines = cars.read_text().splitlines(keepends=True)
    other = tmp_path / "other.csv"
    other.write_text("".join([*lines[:1], *lines[200:]]))
    assert "Caution" not in run("compare", *models, other)[1]


def test_compare_writes_the_rows_of_disagreement(run, cars, models, tmp_path):
    out = tmp_path / "rows.csv"
    printed = run("compare", *models, cars, "--target", "origin", "--disagreements", out)[1]
    with out.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert f"Wrote {len(rows)} rows to" in printed
    with cars.open(newline="") as file:
        every = list(csv.DictReader(file))
    for row in rows:
        assert row["prediction_a"] != row["prediction_b"]
        assert row["name"] == every[int(row["row"]) - 1]["name"]


def test_compare_numbers_rows_of_the_file(run, cars, models, tmp_path):
    holes = tmp_path / "holes.csv"
    lines = cars.read_text().splitlines()
    place = lines[0].split(",").index("origin")
    empty = lines[5].split(",")
    empty[place] = ""
    holes.write_text("\n".join([lines[0], ",".join(empty), *lines[1:]]) + "\n")
    out = tmp_path / "rows.tsv"
    args = ["compare", *models, holes, "--target", "origin", "--drop-unlabelled"]
    run(*args, "--disagreements", out)
    with out.open(newline="") as file:
        row = next(csv.DictReader(file, delimiter="\t"))
    assert lines[int(row["row"]) - 1].startswith(row["name"])


def test_compare_refuses_what_does_not_fit(refuse, cars, models, tmp_path):
    a, b = models
    assert "got 2 files" in refuse("compare", a, cars)
    assert "--target" in refuse("compare", cars)
    assert "--leaves is for" in refuse("compare", a, b, cars, "--leaves", 4)
    assert "--disagreements is for" in refuse(
        "compare", cars, "--target", "origin", "--disagreements", tmp_path / "x.csv"
    )
    assert "suffix" in refuse("compare", a, b, cars, "--disagreements", tmp_path / "x.html")
    assert "also an input" in refuse("compare", a, b, cars, "--disagreements", cars)
    assert "not found" in refuse("compare", a, tmp_path / "none.json", cars)
    assert "no column" in refuse("compare", a, b, cars, "--target", "origen")


def test_compare_takes_costs(run, refuse, cars, models):
    a, b = models
    cost = ["--cost", "Japan:USA=5"]
    code, out, err = run("compare", a, b, cars, *cost)
    assert (code, err) == (0, "")
    assert re.findall(r"^(cost|error|log loss) ", out, re.MULTILINE) == [
        "cost",
        "error",
        "log loss",
    ]
    assert "a and b were fitted without costs" in out
    assert not re.search("^cost ", run("compare", a, b, cars)[1], re.MULTILINE)
    message = refuse("compare", a, b, cars, "--cost", "Mars:USA=5")
    assert "TRUE:PREDICTED=COST" in message


def test_compare_uses_the_costs_of_both_models(run, cars, models, tmp_path):
    c, d = tmp_path / "c.json", tmp_path / "d.json"
    for path, leaves in ((c, 4), (d, 8)):
        cost = ["--cost", "Japan:USA=5", "--leaves", leaves]
        run("fit", cars, "--target", "origin", *cost, "-o", path)
    out = run("compare", c, d, cars)[1]
    wanted = [polytomy.load(path) for path in (c, d)]
    rows = read_labelled_for_model(cars, wanted[0]._model.schema, wanted[0].classes_)
    costs = [f"{m.cost(rows.table, rows.labels):.4g}" for m in wanted]
    assert list(re.search(r"^cost +(\S+) +(\S+)", out, re.MULTILINE).groups()) == costs
    assert "Only b was fitted with costs" in run("compare", models[0], c, cars)[1]


def test_compare_says_that_the_kinds_of_models_differ(run, refuse, cars, models, tmp_path):
    number = tmp_path / "n.json"
    run("fit", cars, "--target", "mpg", "-o", number)
    for pair in ((models[0], number), (number, models[0])):
        assert refuse("compare", *pair, cars) == (
            "one model predicts classes and the other numbers; compare two alike"
        )
    message = refuse("compare", number, number, cars, "--cost", "1:2=3")
    assert message == "--cost is for classification"


def test_compare_warns_of_a_class_that_a_model_does_not_know(run, cars, models, tmp_path):
    lines = cars.read_text().splitlines(keepends=True)
    few, path = tmp_path / "few.csv", tmp_path / "few.json"
    few.write_text("".join(line for line in lines if "Japan" not in line))
    run("fit", few, "--target", "origin", "-o", path)
    n = sum("Japan" in line for line in lines)
    out = run("compare", models[0], path, cars)[1]
    assert f"Caution: b does not know class 'Japan', which {n} rows have" in out
    assert "(p < 0.0001)" in out
