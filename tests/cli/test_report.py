"""``polytomy report``."""

import io
import json
import re
import sys

import numpy as np
import pandas as pd
import pytest

import polytomy
from polytomy._resample import hold_out
from polytomy.io import read_labelled_for_model, read_table


def facts_in(page):
    """Return the facts in a page."""
    text = page if isinstance(page, str) else page.read_text(encoding="utf-8")
    return json.loads(re.search(r'<script[^>]*id="facts">(.*?)</script>', text, re.S)[1])


def rows_of(path, target):
    frame = pd.read_csv(path)
    return frame.drop(columns=[target, "name"], errors="ignore"), frame[target]


def test_report_follows_demo_and_fit(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run("demo", "--write", "mpg.csv")[0] == 0
    assert run("fit", "mpg.csv", "--target", "origin", "-o", "m.json")[0] == 0
    code, out, err = run("report", "m.json", "mpg.csv", "-o", "r.html")
    assert (code, err) == (0, "")
    size = round((tmp_path / "r.html").stat().st_size / 1000)
    assert out == f"target: origin\nWrote r.html ({size:,} kB)\n"
    facts = facts_in(tmp_path / "r.html")
    assert (facts["kind"], facts["title"]) == ("tree", "Decision tree for origin")
    assert facts["details"]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["m.json", "mpg.csv", "r.html"]


def test_report_needs_no_rows(run, model, boosted, tmp_path):
    path = tmp_path / "r.html"
    for given, title in ((model, "Decision tree"), (boosted, "Boosted trees")):
        code, out, _ = run("report", given, "-o", path)
        assert code == 0
        assert out.startswith(f"Wrote {path} (")
        assert facts_in(path)["title"] == title


def test_report_of_a_boosted_model_has_the_facts_of_the_estimator(run, boosted, tumours, tmp_path):
    path = tmp_path / "r.html"
    code, out, err = run("report", boosted, tumours, "-o", path, "--title", "Tumours <all>")
    assert (code, err) == (0, "")
    assert out.startswith("target: diagnosis\n")
    X, y = rows_of(tumours, "diagnosis")
    assert facts_in(path) == polytomy.load(boosted).report_facts(
        X, y.to_numpy(), title="Tumours <all>"
    )


def test_report_refuses_test_rows_that_are_training_rows(run, tumours, tmp_path):
    page, made = tmp_path / "r.html", tmp_path / "m.json"
    for kind in ([], ["--boost", 10]):
        rows = [tumours, "--target", "diagnosis", "--force", "-o", made, *kind]
        assert run("fit", *rows, "--test-fraction", 0.25, "--seed", 3)[0] == 0
        others = ["--test-fraction", 0.25, "--seed", 4]
        code, out, err = run("report", made, tumours, "-o", page, *others)
        assert (code, out) == (2, "")
        assert "give both the same values as for fit" in err
        assert not page.exists()


def test_report_warns_if_rows_are_not_the_training_rows(run, model, cars, tmp_path):
    half = tmp_path / "half.csv"
    pd.read_csv(cars).iloc[::2].to_csv(half, index=False)
    code, _, err = run("report", model, half, "-o", tmp_path / "r.html")
    assert code == 0
    assert err.strip() == facts_in(tmp_path / "r.html")["rows_note"]


def test_report_does_not_print_a_target_that_was_named(run, boosted, tumours, tmp_path):
    path = tmp_path / "r.html"
    out = run("report", boosted, tumours, "-o", path, "--target", "diagnosis")[1]
    assert out.startswith("Wrote ")
    assert facts_in(path)["title"] == "Boosted trees for diagnosis"


@pytest.mark.parametrize("more", [[], ["--boost", 10]])
def test_report_uses_the_rows_held_out_by_fit_as_test_rows(run, cars, tmp_path, more):
    part = ["--test-fraction", 0.25, "--seed", 3]
    model, page = tmp_path / "m.json", tmp_path / "r.html"
    summary = run("fit", cars, "--target", "origin", "-o", model, *part, *more)[1]
    error = re.search(r"test error +(\S+) of", summary)[1]
    assert run("report", model, cars, "-o", page, *part)[0] == 0
    facts = facts_in(page)
    sizes = facts["summary"]
    assert "rows_note" not in facts
    assert sizes["test_rows"] + sizes["train_rows"] == 392
    shown = sizes.get("test_rows_error", sizes.get("test_error"))
    assert f"{shown:.1%}" == error


def test_report_reads_test_rows_from_a_file(run, boosted, tumours, data_file, tmp_path):
    header, *rows = tumours.read_text().splitlines(keepends=True)
    held = data_file(header + "".join(rows[:50]), "held.csv")
    page = tmp_path / "r.html"
    assert run("report", boosted, tumours, "--test", held, "-o", page)[0] == 0
    assert facts_in(page)["summary"]["test_rows"] == 50
    code, out, _ = run("report", boosted, "--test", held, "-o", page)
    assert (code, out.splitlines()[0]) == (0, "target: diagnosis")
    facts = facts_in(page)
    assert list(facts["confusion"]) == ["test"]
    clf = polytomy.load(boosted)
    X, y = rows_of(held, "diagnosis")
    assert facts["summary"]["test_rows_error"] == pytest.approx(1 - clf.score(X, y))


def test_report_reads_weights_and_leaves_out_unlabelled_rows(run, cars, data_file, tmp_path):
    lines = cars.read_text().splitlines(keepends=True)
    lines[3] = lines[3].rsplit(",", 1)[0] + ",\n"
    data, model, page = data_file("".join(lines)), tmp_path / "m.json", tmp_path / "r.html"
    more = ["--weights", "cylinders", "--drop-unlabelled"]
    assert run("fit", data, "--target", "origin", "-o", model, "--boost", 5, *more)[0] == 0
    assert run("report", model, data, "-o", page, *more)[0] == 0
    facts = facts_in(page)
    assert facts["weighted"]
    assert "rows_note" not in facts
    assert facts["summary"]["train_rows"] == 391


def test_report_prints_only_the_page_to_stdout(run, boosted, tumours):
    code, out, err = run("report", boosted, tumours, "-o", "-")
    assert (code, err) == (0, "target: diagnosis\n")
    assert out.startswith("<!doctype html>")
    assert facts_in(out)["kind"] == "boosted"


def test_report_reads_rows_from_stdin(run, refuse, boosted, tumours, tmp_path, monkeypatch):
    page = tmp_path / "r.html"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(tumours.read_bytes())))
    assert run("report", boosted, "-", "-o", page)[1].startswith("target: diagnosis\n")
    assert "only one of" in refuse("report", "-", "-", "-o", page)


def test_report_finds_a_target_of_numbers(run, forget, data_file, tmp_path):
    x = np.arange(40)
    rows = "".join(f"{v},{int(v > 17)},{bool(v % 3)},{v % 5}\n" for v in x[::-1])
    data, model, page = data_file("x,y,flag,z\n" + rows), tmp_path / "m.json", tmp_path / "r.html"
    fit = ["fit", data, "--target", "y", "-o", model, "--drop", "flag", "--drop", "z"]
    assert run(*fit, "--numeric", "x")[0] == 0
    model = forget(model)
    assert run("report", model, data, "-o", page)[1].startswith("target: y\n")
    floats = data_file("x,y\n" + "".join(f"{v},{int(v > 17)}.0\n" for v in x), "floats.csv")
    assert run("report", model, floats, "-o", page)[1].startswith("target: y\n")


def test_report_finds_a_target_of_text_that_looks_like_numbers(run, forget, data_file, tmp_path):
    rows = [(v, "low" if v < 20 else "7") for v in range(40)]
    data = data_file("x,y\n" + "".join(f"{v}.5,{y}\n" for v, y in rows))
    some = data_file("x,y\n" + "".join(f"{v}.5,{y}\n" for v, y in rows[25:]), "some.csv")
    model, page = tmp_path / "m.json", tmp_path / "r.html"
    assert run("fit", data, "--target", "y", "-o", model)[0] == 0
    code, out, _ = run("report", forget(model), "--test", some, "-o", page)
    assert (code, out.splitlines()[0]) == (0, "target: y")
    assert facts_in(page)["summary"]["test_error"] == 0


def test_report_refuses_data_without_a_column_of_classes(
    refuse, forget, model, cars, data_file, tmp_path
):
    data = data_file(cars.read_text().replace("Japan", "Nippon"))
    message = refuse("report", forget(model), data, "-o", tmp_path / "r.html")
    assert message == (
        f"no column of {data} contains only the model's classes (Europe, Japan, USA); "
        "name the target with --target COL"
    )
    message = refuse("report", model, data, "-o", tmp_path / "r.html", "--target", "origin")
    assert (
        "is 'Nippon' in row 15, which is not a class of the model (Europe, Japan, USA)" in message
    )
    assert not (tmp_path / "r.html").exists()


def test_report_refuses_data_with_two_columns_of_classes(
    refuse, run, forget, model, cars, data_file, tmp_path
):
    header, *rows = cars.read_text().splitlines()
    twice = [f"{header},made", *(f"{row},USA" for row in rows)]
    data, page = data_file("\n".join(twice) + "\n"), tmp_path / "r.html"
    assert run("report", model, data, "-o", page)[0] == 0  # the model remembers the target
    message = refuse("report", forget(model), data, "-o", page)
    assert message == (
        f"2 columns of {data} contain the model's classes: 'origin', 'made'; "
        "name the target with --target COL"
    )
    assert run("report", model, data, "-o", page, "--target", "origin")[0] == 0


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--target", "origin"], "--target needs rows to apply to: add DATA"),
        (["--weights", "mpg"], "--weights needs rows to apply to: add DATA"),
        (["--drop-unlabelled"], "--drop-unlabelled needs rows to apply to: add DATA"),
        (["--test-fraction", "0.2"], "--test-fraction needs rows to apply to: add DATA"),
        (["DATA", "--test", "DATA", "--test-fraction", "0.2"], "use one of them"),
        (["DATA", "--test-fraction", "1.5"], "at least 0 and less than 1"),
        (["DATA", "--target", "orgin"], "did you mean 'origin'?"),
        (["DATA", "--weights", "wieght"], "did you mean 'weight'?"),
        (["none.csv"], "file not found: none.csv"),
    ],
)
def test_report_refuses_bad_options(refuse, model, cars, tmp_path, more, message):
    given = [cars if m == "DATA" else m for m in more]
    assert message in refuse("report", model, *given, "-o", tmp_path / "r.html")


def test_report_does_not_replace_its_inputs(refuse, model, cars):
    before = model.read_bytes(), cars.read_bytes()
    for path in (model, cars):
        assert "it is also an input" in refuse("report", model, cars, "-o", path)
    assert (model.read_bytes(), cars.read_bytes()) == before
    assert "--output" in refuse("report", model, cars) or "-o" in refuse("report", model, cars)


def test_report_refuses_data_without_the_models_columns(refuse, model, tumours, tmp_path):
    message = refuse("report", model, tumours, "-o", tmp_path / "r.html")
    assert f"{tumours} has no column" in message


def test_report_shows_groups_and_drift(run, refuse, cars, tmp_path):
    model, page = tmp_path / "m.json", tmp_path / "r.html"
    split = ["--test-fraction", 0.3, "--seed", 4]
    run("fit", cars, "--target", "origin", "--leaves", 5, "--drop", "year", *split, "-o", model)
    args = ["report", model, cars, "-o", page, "--target", "origin"]
    assert run(*args, *split, "--group", "year", "--drift", cars)[0] == 0
    facts = facts_in(page)
    assert facts["decision"]["rows"] == facts["groups"]["rows"] == "test"
    assert facts["drift"]["new_rows"] == 392
    clf = polytomy.load(model)
    rows = read_labelled_for_model(cars, clf._model.schema, clf.classes_, target="origin")
    held = hold_out(rows.strata, 0.3, np.random.RandomState(4))[1]
    years = read_table(cars, columns=["year"]).column("year")[held]
    wrong = (clf.predict(rows.table) != rows.labels)[held]
    for group in facts["groups"]["groups"]:
        low, _, high = group["name"].partition(" to ")
        inside = (years >= float(low)) & (years <= float(high or low))
        assert group["rows"] == inside.sum()
        assert group["error"][0] == pytest.approx(wrong[inside].mean(), abs=1e-5)
    assert run(*args[:-2], "--test", cars, "--group", "cylinders")[0] == 0
    assert facts_in(page)["groups"]["name"] == "cylinders"
    assert "did you mean 'year'" in refuse(*args, "--group", "yaer")
    assert "needs rows" in refuse("report", model, "-o", page, "--group", "year")
    assert "none.csv" in refuse(*args, "--drift", tmp_path / "none.csv")
