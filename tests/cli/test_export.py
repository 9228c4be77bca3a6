"""``polytomy export``."""

import json
import sys

import pytest

import polytomy
from polytomy.cli.export import DIALECTS, FORMATS, OUTPUTS
from polytomy.export import SQL_DIALECTS, SQL_OUTPUTS

TEXTS = [f for f in FORMATS if f not in ("onnx", "xlsx", "dbt", "scorecard")]


@pytest.mark.parametrize("to", TEXTS)
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
        (["--to", "cobol"], "must be one of sql, python, c, javascript"),
        (["--to", "dot", "--dialect", "ansi"], "only applies to --to sql"),
        (["--to", "dot", "--include", "leaf"], "does not apply to --to dot"),
        (["--to", "sql", "--include", "colour"], "must be some of prediction, proba"),
        (["--to", "sql", "--include", "votes"], "this is a single tree"),
        (["--to", "dbt"], "add -o FOLDER"),
        (["--to", "sql", "--source", "x"], "only applies to --to dbt"),
        (["--to", "sql", "--base-odds", "9"], "only applies to --to scorecard"),
        (["--to", "scorecard"], "needs a boosted model, but this model is a single tree"),
        (["--to", "scorecard", "-o", "card.doc"], "ending in .xlsx, .csv, .sql, .pmml"),
        (["--to", "sql", "--dialect", "oracle"], "dialect"),
        (["--to", "sql", "-o", "no/such/file.sql"], "folder no/such does not exist"),
        ([], "--to"),
    ],
)
def test_export_refuses_bad_options(refuse, model, more, message):
    assert message in refuse("export", model, *more)


def test_export_refuses_formats_that_a_boosted_model_lacks(refuse, boosted, tmp_path):
    clf = polytomy.load(boosted)
    lacking = [f for f in FORMATS if f != "scorecard" and not hasattr(clf, f"to_{f}")]
    assert lacking == ["xlsx", "dot", "mermaid", "json"]
    for to in lacking:
        message = f"a model of many trees cannot be exported to {to}"
        assert refuse("export", boosted, "--to", to, "-o", tmp_path / "out") == message
    message = refuse("export", boosted, "--to", "c", "--include", "rule")
    assert message.startswith("--include rule is for single trees")


def test_export_lists_the_dialects_and_outputs_of_the_library():
    assert tuple(SQL_DIALECTS) == DIALECTS
    assert SQL_OUTPUTS == OUTPUTS


def test_export_includes_what_is_asked_for(run, model):
    clf = polytomy.load(model)
    included = "prediction, proba,leaf,rule"
    out = run("export", model, "--to", "sql", "--include", included)[1]
    assert out.strip() == clf.to_sql(outputs=["prediction", "proba", "leaf", "rule"])
    for to in ("python", "c", "javascript"):
        out = run("export", model, "--to", to, "--include", included)[1]
        assert out == getattr(clf, f"to_{to}")(proba=True, leaf=True, rule=True)


def test_export_writes_code_of_a_boosted_model(run, boosted):
    clf = polytomy.load(boosted)
    for to in ("python", "c", "javascript", "pmml"):
        assert run("export", boosted, "--to", to)[1] == getattr(clf, f"to_{to}")()
    out = run("export", boosted, "--to", "sql", "--include", "proba,votes")[1]
    assert out.strip() == clf.to_sql(outputs=["proba", "votes"])
    assert run("export", boosted, "--to", "rules")[1].strip() == str(clf.to_rules())


def test_export_writes_a_workbook(run, model, tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    path = tmp_path / "tree.xlsx"
    assert run("export", model, "--to", "xlsx", "-o", path) == (0, f"Wrote xlsx to {path}\n", "")
    assert openpyxl.load_workbook(path).sheetnames == ["Predict", "Splits", "Leaves"]


def test_export_writes_a_scorecard_by_the_ending(run, boosted, refuse, tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    card = polytomy.load(boosted).scorecard(favours="benign", points_to_double_odds=40)
    scale = ("--favours", "benign", "--double-odds", "40")
    assert run("export", boosted, "--to", "scorecard", *scale)[1] == f"{card}\n"
    texts = {".csv": card.to_csv(), ".sql": card.to_sql() + "\n", ".pmml": card.to_pmml()}
    for suffix, expected in texts.items():
        path = tmp_path / f"card{suffix}"
        assert run("export", boosted, "--to", "scorecard", *scale, "-o", path)[0] == 0
        assert path.read_text() == expected
    path = tmp_path / "card.xlsx"
    assert run("export", boosted, "--to", "scorecard", "-o", path)[0] == 0
    message = refuse("export", boosted, "--to", "scorecard", "--double-odds", 0)
    assert message == "--double-odds must be a number above 0, got 0.0"
    assert openpyxl.load_workbook(path).sheetnames == ["Score", "Points"]
    message = refuse("export", boosted, "--to", "scorecard", "--favours", "ugly")
    assert "must be one of benign, malignant; got 'ugly'" in message


def test_export_writes_a_dbt_project(run, model, tmp_path):
    folder = tmp_path / "project"
    code, out, _ = run(
        *("export", model, "--to", "dbt", "--source", "cars", "-o", folder),
        *("--include", "prediction,proba"),
    )
    assert code == 0
    files = polytomy.load(model).to_dbt("cars", outputs=["prediction", "proba"])
    assert out == f"Wrote {', '.join(files)} to {folder}\n"
    assert {name: (folder / name).read_text() for name in files} == files
