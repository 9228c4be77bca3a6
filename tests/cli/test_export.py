"""``polytomy export``."""

import json
import sys

import pytest

import polytomy
from polytomy.cli.export import DIALECTS, FORMATS


@pytest.mark.parametrize("to", [f for f in FORMATS if f != "onnx"])
def test_export_writes_the_text_of_the_estimator(run, model, tmp_path, to):
    clf = polytomy.load(model)
    expected = str(getattr(clf, f"to_{to}")()).rstrip("\n") + "\n"
    assert run("export", model, "--to", to) == (0, expected, "")
    path = tmp_path / f"out.{to}"
    assert run("export", model, "--to", to, "-o", path)[1] == f"Wrote {to} to {path}\n"
    assert path.read_text() == expected


@pytest.mark.parametrize("dialect", DIALECTS)
def test_export_writes_every_sql_dialect(run, model, dialect):
    out = run("export", model, "--to", "sql", "--dialect", dialect)[1]
    assert out.rstrip("\n") == polytomy.load(model).to_sql(dialect=dialect).rstrip("\n")


def test_export_writes_valid_json(run, model):
    assert json.loads(run("export", model, "--to", "json")[1])


def test_export_writes_python_that_predicts_the_same(run, model, cars):
    module = {}
    exec(run("export", model, "--to", "python")[1], module)
    header, *rows = (line.split(",") for line in cars.read_text().splitlines())
    cells = [dict(zip(header[1:-1], map(float, row[1:-1]), strict=True)) for row in rows]
    predicted = run("predict", model, cars)[1].split()[1:]
    assert [str(module["predict"](row)) for row in cells] == predicted


def test_export_writes_valid_onnx(run, model, tmp_path):
    onnx = pytest.importorskip("onnx")
    path = tmp_path / "m.onnx"
    assert run("export", model, "--to", "onnx", "-o", path)[0] == 0
    onnx.checker.check_model(onnx.load(path))


def test_export_does_not_print_onnx_on_a_terminal(refuse, model, monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    assert "add -o FILE" in refuse("export", model, "--to", "onnx")


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--to", "cobol"], "must be one of sql, python, c, onnx"),
        (["--to", "dot", "--dialect", "ansi"], "only applies to --to sql"),
        (["--to", "sql", "--dialect", "oracle"], "dialect"),
        (["--to", "sql", "-o", "no/such/file.sql"], "folder no/such does not exist"),
        ([], "--to"),
    ],
)
def test_export_refuses_bad_options(refuse, model, more, message):
    assert message in refuse("export", model, *more)


def test_export_refuses_formats_that_a_boosted_model_lacks(refuse, boosted):
    lacking = [f for f in FORMATS if not hasattr(polytomy.load(boosted), f"to_{f}")]
    for to in lacking:
        message = f"a model of many trees cannot be exported to {to}"
        assert refuse("export", boosted, "--to", to) == message
