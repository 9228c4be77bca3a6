"""What reaches a terminal and a spreadsheet: no control characters, no formulas; closed streams."""

import csv
import io
import json
import os
import pty
import re
import subprocess
import sys

import pytest
import typer
from rich.console import Console
from rich.table import Table

import polytomy
from polytomy.cli import terminal

COMMAND = [sys.executable, "-c", "from polytomy.cli.entry import main; main()"]
HOSTILE = "\x1b]owned\x07\x9b2J\x1b[1A\x1b[2K"  # a command, a bell; clears the screen and a line
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
STRIPPED = r"\x1b]owned\x07\x9b2J"  # without ANSI codes, which typer removes in a pipe
SHOWN = STRIPPED + r"\x1b[1A\x1b[2K"


@pytest.fixture
def table(tmp_path):
    """A CSV file with control characters in its names, categories and classes."""
    path = tmp_path / f"rows{HOSTILE}.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(
            [f"x{HOSTILE}", f"word{HOSTILE}", f"id{HOSTILE}", f"same{HOSTILE}", f"y{HOSTILE}"]
        )
        for i in range(40):
            word = f"{'even' if i % 2 else 'odd'}{HOSTILE}"
            writer.writerow([i, word, f"n{i}{HOSTILE}", 1, f"{'low' if i < 20 else word}"])
    return path


def assert_harmless(out, err=""):
    assert not CONTROL.search(out), repr(out)
    assert not CONTROL.search(err), repr(err)


def test_no_command_prints_control_characters_of_the_data(run, table, tmp_path):
    target, model = f"y{HOSTILE}", tmp_path / f"m{HOSTILE}.json"
    page = tmp_path / f"p{HOSTILE}.html"
    commands = [
        ["fit", table, "--target", target, "-o", model],
        ["fit", table, "--target", target, "--forest", "2", "-o", tmp_path / f"f{HOSTILE}.json"],
        ["show", model],
        ["show", tmp_path / f"f{HOSTILE}.json"],
        ["explain", model, table, "--row", "3"],
        ["certify", model],
        ["certify", model, table, "--target", target],
        ["report", model, table, "-o", page],
        ["compare", table, "--target", target, "--folds", "2"],
        ["prune", model, "-o", tmp_path / f"q{HOSTILE}.json", "--method", "pessimistic"],
        ["predict", model, table, "-o", tmp_path / f"p{HOSTILE}.csv"],
        ["density", table, "-o", tmp_path / f"d{HOSTILE}.json"],
        ["show", tmp_path / f"d{HOSTILE}.json"],
    ]
    printed = []
    for args in commands:
        code, out, err = run(*args)
        assert code == 0, (args, out, err)
        assert_harmless(out, err)
        printed.append(out + err)
    assert STRIPPED in printed[0]
    assert f"target: y{STRIPPED}" in printed[7]


@pytest.mark.parametrize(
    "args",
    [
        ["fit", f"none{HOSTILE}.csv", "--target", "y", "-o", "m.json"],
        ["fit", "ROWS", "--target", f"z{HOSTILE}", "-o", "m.json"],
        ["fit", "ROWS", "--target", f"y{HOSTILE}", "-o", f"no{HOSTILE}/m.json"],
        ["fit", "ROWS", f"--colour{HOSTILE}"],
        ["fit", "ROWS", "--procedure", HOSTILE],
        [f"fit{HOSTILE}"],
        ["show", f"none{HOSTILE}.json"],
        ["show", "ROWS"],
    ],
)
def test_no_error_shows_control_characters(refuse, table, args):
    assert_harmless(refuse(*[table if a == "ROWS" else a for a in args]))


def test_unknown_parameter_of_a_model_file_is_escaped(refuse, table, tmp_path, run):
    path = tmp_path / "m.json"
    run("fit", table, "--target", f"y{HOSTILE}", "-o", path)
    text = path.read_text(encoding="utf-8")
    assert '"max_arity"' in text
    name = json.dumps(f"max{HOSTILE}")
    path.write_text(text.replace('"max_arity"', name, 1), encoding="utf-8")
    assert_harmless(refuse("show", path))


def test_text_of_any_origin_is_escaped_but_not_bytes(capfd):
    with terminal.guarded_streams(), terminal.escaped_consoles():
        print(f"a{HOSTILE}\tb\nc", file=sys.stderr)
        sys.stdout.writelines([f"d{HOSTILE}", "\n"])
        cells = Table(title=HOSTILE)
        cells.add_row(HOSTILE)
        Console().print(cells)
        sys.stdout.flush()
        sys.stdout.buffer.write(b"\x1b raw\n")
    out, err = capfd.readouterr()
    assert err == f"a{SHOWN}\tb\nc\n"
    assert out.startswith(f"d{SHOWN}\n")
    assert out.endswith("\x1b raw\n")
    assert_harmless(out.removesuffix("\x1b raw\n"))


def test_text_is_escaped_if_the_encoding_is_ascii(monkeypatch):
    written = io.BytesIO()
    stream = io.TextIOWrapper(written, encoding="ascii", errors="backslashreplace")
    monkeypatch.setattr(sys, "stderr", stream)
    with terminal.guarded_streams():
        typer.echo(f"a{HOSTILE}\u00e9", err=True)
    assert written.getvalue().decode("ascii") == f"a{STRIPPED}\\xe9\n"


def on_terminal(*args):
    """Return the exit code of a command and all that it sends to a terminal."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "80"}
    for name in ("FORCE_COLOR", "NO_COLOR", "TTY_COMPATIBLE"):
        environment.pop(name, None)
    options = {"stdin": theirs, "stdout": theirs, "stderr": theirs, "env": environment}
    with subprocess.Popen([*COMMAND, *map(str, args)], **options) as running:
        os.close(theirs)
        parts = []
        while True:
            try:
                part = os.read(ours, 65_536)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            parts.append(part)
    os.close(ours)
    return running.returncode, b"".join(parts).decode("utf-8")


def test_terminal_gets_colours_but_no_codes_of_the_data(table, tmp_path):
    path = tmp_path / "m.json"
    fitted = on_terminal("fit", table, "--target", f"y{HOSTILE}", "-o", path)
    shown = on_terminal("show", path)
    for code, text in (fitted, shown):
        assert code == 0, text
        for codes in ("\x1b]", "\x07", "\x9b", "\x1b[1A\x1b[2K"):
            assert codes not in text.replace("\r", "")
    assert SHOWN in fitted[1]
    assert "\x1b[2m" in shown[1]  # dimmed lines


def test_predictions_and_code_are_escaped_on_a_terminal_only(table, tmp_path, run):
    path = tmp_path / "m.json"
    assert run("fit", table, "--target", f"y{HOSTILE}", "-o", path)[0] == 0
    commands = [
        ["predict", path, table],
        ["predict", path, table, "-o", "/dev/stdout"],
        ["export", path, "--to", "sql"],
        ["export", path, "--to", "json"],
        ["export", path, "--to", "python"],
    ]
    for command in commands:
        code, text = on_terminal(*command)
        assert code == 0, text
        for codes in ("\x1b]", "\x07", "\x9b", "\x1b[1A\x1b[2K"):
            assert codes not in text.replace("\r", ""), command
    shown, piped = on_terminal(*commands[0])[1], run_shell("", *commands[0]).stdout
    assert r"\x1b]owned" in shown
    assert "\x1b]owned" in piped


def run_shell(line, *args):
    command = ["sh", "-c", f'"$@" {line}', "sh", *COMMAND, *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("line", "args"),
    [
        (">&-", ["show", "MODEL"]),
        (">&-", ["export", "MODEL", "--to", "sql"]),
        ("<&-", ["show", "-"]),
        ("<&- >&-", ["predict", "MODEL", "-"]),
    ],
)
def test_closed_stream_ends_in_one_sentence(model, line, args):
    done = run_shell(line, *[model if a == "MODEL" else a for a in args])
    assert done.returncode == 2
    assert done.stdout == ""
    assert re.fullmatch(r"polytomy: cannot .* is closed\n", done.stderr), done.stderr


def test_closed_streams_that_are_not_used_do_not_matter(model, tmp_path):
    done = run_shell("<&- 2>&-", "show", model)
    assert (done.returncode, done.stderr) == (0, "")
    assert "rows" in done.stdout
    failed = run_shell("2>&-", "show", tmp_path / "none.json")
    assert (failed.returncode, failed.stdout, failed.stderr) == (2, "", "")


def test_output_file_does_not_take_the_place_of_a_closed_stream(model, cars, tmp_path):
    path = tmp_path / "p.csv"
    done = run_shell(">&-", "predict", model, cars, "-o", path)
    assert (done.returncode, done.stdout) == (2, "")  # the file is complete, its note is not
    assert done.stderr == "polytomy: cannot write the output: standard output is closed\n"
    assert len(path.read_text().splitlines()) == 393


def test_formulas_in_predictions_are_defused(run, tmp_path):
    classes = ["=1+2", "+cmd", "-cmd", "@sum", "\ttab", "\rreturn", "-1", "+", "-1,5e3", "plain"]
    X = [[i] for i in range(len(classes)) for _ in range(3)]
    y = [c for c in classes for _ in range(3)]
    path, data = tmp_path / "m.json", tmp_path / "rows.csv"
    polytomy.TreeClassifier(procedure="per-leaf", honest=False).fit(X, y).save(path)
    data.write_text("x0\n" + "\n".join(str(i) for i in range(len(classes))))
    assert run("predict", path, data, "--proba", "-o", tmp_path / "p.csv")[0] == 0
    with (tmp_path / "p.csv").open(newline="") as file:
        header, *rows = csv.reader(file)
    wanted = ["'=1+2", "'+cmd", "'-cmd", "'@sum", "'\ttab", "'\rreturn", *classes[6:]]
    assert [row[0] for row in rows] == wanted
    assert header[1:] == [f"p_{c}" for c in sorted(classes)]
    assert {float(cell) for row in rows for cell in row[1:]} == {0.0, 1.0}


def test_negative_predictions_stay_numbers(run, tmp_path):
    path, data = tmp_path / "m.json", tmp_path / "rows.csv"
    polytomy.TreeRegressor(2, honest=False).fit([[0], [0], [1], [1]], [-5, -5, 3, 3]).save(path)
    data.write_text("x0\n0\n1\n")
    assert run("predict", path, data)[1].split() == ["prediction", "-5.0", "3.0"]
