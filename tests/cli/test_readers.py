"""Verbs that read a model: show, explain, certify, export."""

import io
import json
import re
import sys

import numpy as np
import pytest

import polytomy
from polytomy.cli.export import DIALECTS, FORMATS


def test_show_draws_what_the_model_draws(run, model):
    clf = polytomy.load(model)
    assert run("show", model) == (0, clf.to_text(max_width=100) + "\n", "")
    narrow = run("show", model, "--width", 40, "--depth", 1)[1]
    assert narrow == clf.to_text(max_width=40, max_depth=1) + "\n"
    assert run("show", model, "--p-chance")[1] == clf.to_text(p_chance=True) + "\n"


def test_colours_change_no_character(run, model, monkeypatch):
    plain = run("show", model, "--width", 80)[1]
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    coloured = run("show", model, "--width", 80)[1]
    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == plain


def test_show_of_a_boosted_model(run, refused, boosted):
    assert run("show", boosted)[1] == polytomy.load(boosted).to_text() + "\n"
    assert "this model is boosted" in refused("show", boosted, "--depth", 2)


def test_show_refuses_what_the_drawing_refuses(refused, model):
    assert "width of at least 20" in refused("show", model, "--width", 5)
    assert "depth of at least 1" in refused("show", model, "--depth", 0)


def test_explain_counts_rows_from_one(run, model, cars):
    lines = cars.read_text().splitlines()
    header, seventh = (line.split(",") for line in (lines[0], lines[7]))
    code, out, err = run("explain", model, cars, "--row", 7)
    assert (code, err) == (0, "")
    cell = dict(zip(header, seventh, strict=True))["displacement"]
    assert out.startswith(f"1. displacement is {cell}, so ")
    assert out.splitlines()[-1].startswith("=> ")
    assert run("explain", model, cars, "--row", 392)[0] == 0


@pytest.mark.parametrize("row", [0, -1, 393])
def test_rows_there_are_not(refused, model, cars, row):
    said = refused("explain", model, cars, "--row", row)
    assert said == f"Invalid value for --row: {cars} has rows 1 to 392, got {row}"


def test_explain_needs_one_tree(refused, boosted, tumours):
    assert "no one path explains it" in refused("explain", boosted, tumours, "--row", 1)


def test_the_certificate(run, model, boosted):
    for path in (model, boosted):
        assert run("certify", path) == (0, f"{polytomy.load(path).certificate_}\n", "")


def test_checking_the_certificate(run, model, cars, table):
    code, out, _ = run("certify", model, cars, "--target", "origin")
    assert code == 0
    assert "Verified: no discrepancies." in out
    fewer = table("".join(cars.read_text().splitlines(keepends=True)[:-1]))
    code, out, err = run("certify", model, fewer, "--target", "origin")
    assert (code, err) == (1, "")
    assert "the number of rows is stated as 392, found 391" in out


def test_checking_with_what_was_given_to_fit(run, cars, tmp_path):
    path = tmp_path / "m.json"
    part = ["--target", "origin", "--weights", "cylinders", "--test-fraction", 0.3, "--seed", 4]
    assert run("fit", cars, "-o", path, *part)[0] == 0
    assert run("certify", path, cars, *part)[0] == 0
    assert run("certify", path, cars, *part[:-2])[0] == 1


def test_checking_after_pruning_by_rows_kept_back(run, tumours, tmp_path):
    path = tmp_path / "m.json"
    fit = ["fit", tumours, "--target", "diagnosis", "-o", path, "--prune", "reduced-error"]
    assert run(*fit, "--seed", 1)[0] == 0
    assert run("certify", path, tumours, "--target", "diagnosis")[0] == 0


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["DATA"], "add --target COL"),
        (["--target", "origin"], "which needs DATA"),
        (["DATA", "--target", "orgin"], "did you mean 'origin'?"),
    ],
)
def test_certify_says_what_it_lacks(refused, model, cars, more, said):
    assert said in refused("certify", model, *(cars if m == "DATA" else m for m in more))


def test_only_one_tree_can_be_checked(refused, boosted, tumours):
    said = refused("certify", boosted, tumours, "--target", "diagnosis")
    assert "only one tree can be checked" in said


@pytest.mark.parametrize("to", [f for f in FORMATS if f != "onnx"])
def test_text_exports(run, model, tmp_path, to):
    clf = polytomy.load(model)
    wanted = str(getattr(clf, f"to_{to}")()).rstrip("\n") + "\n"
    assert run("export", model, "--to", to) == (0, wanted, "")
    path = tmp_path / f"out.{to}"
    assert run("export", model, "--to", to, "-o", path)[1] == f"Wrote {to} to {path}\n"
    assert path.read_text() == wanted


@pytest.mark.parametrize("dialect", DIALECTS)
def test_dialects(run, model, dialect):
    out = run("export", model, "--to", "sql", "--dialect", dialect)[1]
    assert out.rstrip("\n") == polytomy.load(model).to_sql(dialect=dialect).rstrip("\n")


def test_json_is_json(run, model):
    assert json.loads(run("export", model, "--to", "json")[1])


def test_python_predicts(run, model, cars):
    made = {}
    exec(run("export", model, "--to", "python")[1], made)
    header, *rows = (line.split(",") for line in cars.read_text().splitlines())
    asked = [dict(zip(header[1:-1], map(float, row[1:-1]), strict=True)) for row in rows]
    told = run("predict", model, cars)[1].split()[1:]
    assert [str(made["predict"](row)) for row in asked] == told


def test_onnx_is_bytes(run, model, tmp_path):
    onnx = pytest.importorskip("onnx")
    path = tmp_path / "m.onnx"
    assert run("export", model, "--to", "onnx", "-o", path)[0] == 0
    onnx.checker.check_model(onnx.load(path))


def test_onnx_is_not_for_terminals(refused, model, monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    assert "add -o FILE" in refused("export", model, "--to", "onnx")


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--to", "cobol"], "must be one of sql, python, c, onnx"),
        (["--to", "dot", "--dialect", "ansi"], "is for --to sql"),
        (["--to", "sql", "--dialect", "oracle"], "dialect"),
        (["--to", "sql", "-o", "no/such/file.sql"], "there is no folder"),
        ([], "--to"),
    ],
)
def test_exports_that_are_refused(refused, model, more, said):
    assert said in refused("export", model, *more)


def test_a_model_from_stdin(run, model, monkeypatch):
    shown = run("show", model)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(model.read_bytes())))
    assert run("show", "-") == shown


def test_classes_that_are_numbers(run, table, tmp_path):
    path, x = tmp_path / "m.json", np.arange(30)
    data = table("x,y\n" + "".join(f"{v},{v // 10}\n" for v in x[::-1]))
    assert run("fit", data, "--target", "y", "-o", path)[0] == 0
    assert run("certify", path, data, "--target", "y")[0] == 0
    floats = table("x,y\n" + "".join(f"{v},{v // 10}.0\n" for v in x), "floats.csv")
    assert run("certify", path, floats, "--target", "y")[0] == 0
    assert "x" in run("show", path)[1]
