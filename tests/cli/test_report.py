"""``polytomy report``: the estimator's own page, from files."""

import io
import json
import re
import sys

import numpy as np
import pandas as pd
import pytest

import polytomy


def facts_in(page):
    """Return the facts inside a page."""
    text = page if isinstance(page, str) else page.read_text(encoding="utf-8")
    return json.loads(re.search(r'<script[^>]*id="facts">(.*?)</script>', text, re.S)[1])


def rows_of(path, target):
    frame = pd.read_csv(path)
    return frame.drop(columns=[target, "name"], errors="ignore"), frame[target]


def test_the_exact_sequence(run, tmp_path, monkeypatch):
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


def test_without_rows(run, model, boosted, tmp_path):
    path = tmp_path / "r.html"
    for given, title in ((model, "Decision tree"), (boosted, "Boosted trees")):
        code, out, _ = run("report", given, "-o", path)
        assert code == 0
        assert out.startswith(f"Wrote {path} (")
        assert facts_in(path)["title"] == title


def test_a_boosted_model_with_its_rows(run, boosted, tumours, tmp_path):
    path = tmp_path / "r.html"
    code, out, err = run("report", boosted, tumours, "-o", path, "--title", "Tumours <told>")
    assert (code, err) == (0, "")
    assert out.startswith("target: diagnosis\n")
    X, y = rows_of(tumours, "diagnosis")
    assert facts_in(path) == polytomy.load(boosted).report_facts(
        X, y.to_numpy(), title="Tumours <told>"
    )


def test_test_rows_that_were_fitted_on_are_refused(run, tumours, tmp_path):
    page, made = tmp_path / "r.html", tmp_path / "m.json"
    for kind in ([], ["--boost", 10]):
        rows = [tumours, "--target", "diagnosis", "-o", made, *kind]
        assert run("fit", *rows, "--test-fraction", 0.25, "--seed", 3)[0] == 0
        code, out, err = run("report", made, tumours, "-o", page, "--test-fraction", 0.25)
        assert (code, out) == (2, "")
        assert "give both as fit had them" in err
        assert not page.exists()


def test_other_rows_are_told_to_be_others(run, model, cars, tmp_path):
    half = tmp_path / "half.csv"
    pd.read_csv(cars).iloc[::2].to_csv(half, index=False)
    code, _, err = run("report", model, half, "-o", tmp_path / "r.html")
    assert code == 0
    assert "not those the tree was grown on" in err


def test_a_target_that_is_named_is_not_announced(run, boosted, tumours, tmp_path):
    path = tmp_path / "r.html"
    out = run("report", boosted, tumours, "-o", path, "--target", "diagnosis")[1]
    assert out.startswith("Wrote ")
    assert facts_in(path)["title"] == "Boosted trees for diagnosis"


@pytest.mark.parametrize("more", [[], ["--boost", 10]])
def test_the_part_kept_back_becomes_the_test_rows(run, cars, tmp_path, more):
    part = ["--test-fraction", 0.25, "--seed", 3]
    model, page = tmp_path / "m.json", tmp_path / "r.html"
    told = run("fit", cars, "--target", "origin", "-o", model, *part, *more)[1]
    error = re.search(r"test error +(\S+) of", told)[1]
    assert run("report", model, cars, "-o", page, *part)[0] == 0
    facts = facts_in(page)
    summary = facts["summary"]
    assert "rows_note" not in facts
    assert summary["test_rows"] + summary["train_rows"] == 392
    shown = summary.get("test_rows_error", summary.get("test_error"))
    assert f"{shown:.1%}" == error


def test_test_rows_of_a_file_of_their_own(run, boosted, tumours, table, tmp_path):
    header, *rows = tumours.read_text().splitlines(keepends=True)
    held = table(header + "".join(rows[:50]), "held.csv")
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


def test_weights_and_rows_without_labels(run, cars, table, tmp_path):
    lines = cars.read_text().splitlines(keepends=True)
    lines[3] = lines[3].rsplit(",", 1)[0] + ",\n"
    data, model, page = table("".join(lines)), tmp_path / "m.json", tmp_path / "r.html"
    more = ["--weights", "cylinders", "--drop-unlabelled"]
    assert run("fit", data, "--target", "origin", "-o", model, "--boost", 5, *more)[0] == 0
    assert run("report", model, data, "-o", page, *more)[0] == 0
    facts = facts_in(page)
    assert facts["weighted"]
    assert "rows_note" not in facts
    assert facts["summary"]["train_rows"] == 391


def test_stdout_gets_the_page_and_nothing_else(run, boosted, tumours):
    code, out, err = run("report", boosted, tumours, "-o", "-")
    assert (code, err) == (0, "target: diagnosis\n")
    assert out.startswith("<!doctype html>")
    assert facts_in(out)["kind"] == "boosted"


def test_rows_from_stdin(run, refused, boosted, tumours, tmp_path, monkeypatch):
    page = tmp_path / "r.html"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(tumours.read_bytes())))
    assert run("report", boosted, "-", "-o", page)[1].startswith("target: diagnosis\n")
    assert "only one of" in refused("report", "-", "-", "-o", page)


def test_classes_that_are_numbers(run, table, tmp_path):
    x = np.arange(40)
    rows = "".join(f"{v},{int(v > 17)},{bool(v % 3)},{v % 5}\n" for v in x[::-1])
    data, model, page = table("x,y,flag,z\n" + rows), tmp_path / "m.json", tmp_path / "r.html"
    fit = ["fit", data, "--target", "y", "-o", model, "--drop", "flag", "--drop", "z"]
    assert run(*fit)[0] == 0
    assert run("report", model, data, "-o", page)[1].startswith("target: y\n")
    floats = table("x,y\n" + "".join(f"{v},{int(v > 17)}.0\n" for v in x), "floats.csv")
    assert run("report", model, floats, "-o", page)[1].startswith("target: y\n")


def test_a_target_of_text_that_looks_like_numbers_here(run, table, tmp_path):
    rows = [(v, "low" if v < 20 else "7") for v in range(40)]
    data = table("x,y\n" + "".join(f"{v}.5,{y}\n" for v, y in rows))
    some = table("x,y\n" + "".join(f"{v}.5,{y}\n" for v, y in rows[25:]), "some.csv")
    model, page = tmp_path / "m.json", tmp_path / "r.html"
    assert run("fit", data, "--target", "y", "-o", model)[0] == 0
    code, out, _ = run("report", model, "--test", some, "-o", page)
    assert (code, out.splitlines()[0]) == (0, "target: y")
    assert facts_in(page)["summary"]["test_error"] == 0


def test_no_column_holds_the_classes(refused, model, cars, table, tmp_path):
    data = table(cars.read_text().replace("Japan", "Nippon"))
    said = refused("report", model, data, "-o", tmp_path / "r.html")
    assert said == (
        f"no column of {data} holds the model's classes, Europe, Japan, USA, and nothing else; "
        "name the one that was fitted with --target COL"
    )
    said = refused("report", model, data, "-o", tmp_path / "r.html", "--target", "origin")
    assert "is 'Nippon' in row 15, which is no class of the model: Europe, Japan, USA" in said
    assert not (tmp_path / "r.html").exists()


def test_several_columns_hold_the_classes(refused, run, model, cars, table, tmp_path):
    header, *rows = cars.read_text().splitlines()
    twice = [f"{header},made", *(f"{row},USA" for row in rows)]
    data, page = table("\n".join(twice) + "\n"), tmp_path / "r.html"
    said = refused("report", model, data, "-o", page)
    assert said == (
        f"2 columns of {data} hold classes of the model: 'origin', 'made'; "
        "choose one with --target COL"
    )
    assert run("report", model, data, "-o", page, "--target", "origin")[0] == 0


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--target", "origin"], "--target is about rows: add DATA"),
        (["--weights", "mpg"], "--weights is about rows: add DATA"),
        (["--drop-unlabelled"], "--drop-unlabelled is about rows: add DATA"),
        (["--test-fraction", "0.2"], "--test-fraction is about rows: add DATA"),
        (["DATA", "--test", "DATA", "--test-fraction", "0.2"], "not both"),
        (["DATA", "--test-fraction", "1.5"], "from 0 to less than 1"),
        (["DATA", "--target", "orgin"], "did you mean 'origin'?"),
        (["DATA", "--weights", "wieght"], "did you mean 'weight'?"),
        (["none.csv"], "there is no file none.csv"),
    ],
)
def test_what_is_refused(refused, model, cars, tmp_path, more, said):
    given = [cars if m == "DATA" else m for m in more]
    assert said in refused("report", model, *given, "-o", tmp_path / "r.html")


def test_inputs_are_not_overwritten(refused, model, cars):
    before = model.read_bytes(), cars.read_bytes()
    for path in (model, cars):
        assert "would replace what is read" in refused("report", model, cars, "-o", path)
    assert (model.read_bytes(), cars.read_bytes()) == before
    assert "--output" in refused("report", model, cars) or "-o" in refused("report", model, cars)


def test_a_table_without_the_model_s_columns(refused, model, tumours, tmp_path):
    said = refused("report", model, tumours, "-o", tmp_path / "r.html")
    assert f"{tumours} has no column" in said
