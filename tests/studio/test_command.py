"""``polytomy studio``: as a process of its own, killed and started again, and its errors."""

import re
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager

import pytest

from polytomy import load
from polytomy.cli import studio as command
from polytomy.cli.demo import write_cars
from polytomy.cli.entry import main
from polytomy.estimators import record_of
from polytomy.studio import studio_application
from tests.studio.page_driver import figures, split

RUN = [sys.executable, "-c", "from polytomy.cli.entry import main; main()", "studio"]


@pytest.fixture
def cars(tmp_path):
    path = tmp_path / "mpg.csv"
    write_cars(path, replace=False)
    return path


@contextmanager
def running(*words):
    """Start the command, and yield its process and URL."""
    command = [*RUN, *map(str, words), "--no-browser"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        try:
            said = ""
            for line in process.stdout:
                said += line
                if found := re.search(r"http://127\.0\.0\.1:\d+/\?token=\S+", line):
                    yield process, found[0]
                    break
            else:
                pytest.fail(said)
        finally:
            process.kill()


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def test_a_killed_studio_is_noticed_and_goes_on_where_it_was(cars, tmp_path, open_tab):
    port, gone = free_port(), ["ERR_CONNECTION", "403 (Forbidden)"]
    shared = ["-o", tmp_path, "--port", port]
    with running(cars, "--target", "origin", *shared) as (process, url):
        page = open_tab(url, expected=gone)
        split(page, "displacement")
        before = figures(page)
        process.kill()
        process.wait()
    page.click("text=Undo")
    page.wait_for_selector("text=The connection to the studio was lost.")
    assert f"polytomy studio {tmp_path}/autosave.json {cars}" in page.inner_text(".notice.lost")
    with running(tmp_path / "autosave.json", cars, "--target", "origin", *shared) as (process, url):
        again = open_tab(url, expected=gone)
        assert figures(again) == before
        assert again.inner_text("#tab-edits") == "Edits (1)"
        again.click("summary.button")
        again.click("[data-save='log']")
        again.wait_for_selector(f"text=Saved {tmp_path}/log.json")
        page.evaluate("document.querySelector('.notice.lost').hidden = true")
        page.click("text=Undo")
        page.wait_for_selector("text=The studio was started again.")
        process.send_signal(signal.SIGINT)
        rest = process.stdout.read()
        assert (process.wait(20), "The studio was stopped." in rest, "Traceback" in rest) == (
            0,
            True,
            False,
        )
    assert {path.name for path in tmp_path.iterdir()} == {"mpg.csv", "autosave.json", "log.json"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["{cars}"], "with --target COL, or the data file after a model file"),
        (["{cars}", "--target", "none"], "no column 'none'"),
        (["{cars}", "--target", "origin", "--port", "99999"], "must be from 0 to 65535"),
        (["{cars}", "--target", "origin", "-o", "{cars}"], "must be an existing folder"),
        (["{cars}", "{cars}"], "model file"),
        (["no.json", "{cars}"], "model file not found"),
        (["no.json", "{cars}", "--drop", "mpg"], "--drop is for data without a model"),
    ],
)
def test_wrong_input_is_one_line(cars, capsys, words, message):
    with pytest.raises(SystemExit) as stopped:
        main(["studio", *(word.format(cars=cars) for word in words)])
    said = capsys.readouterr().err
    assert (stopped.value.code, said.count("\n")) == (2, 1)
    assert message in said


def test_a_model_of_other_rows_is_refused_with_a_hint(cars, tmp_path, capsys):
    model, fraction = str(tmp_path / "m.json"), ["--test-fraction", "0.3"]
    with pytest.raises(SystemExit):
        main(["fit", str(cars), "--target", "origin", "-o", model, "--leaves", "3", *fraction])
    capsys.readouterr()
    with pytest.raises(SystemExit):
        main(["studio", model, str(cars), "--no-browser", "--test-fraction", "0.25"])
    said = capsys.readouterr().err
    assert "fitted on 274 rows, and 294 of 392 are given; give --test-fraction" in said


@pytest.fixture
def workbench(monkeypatch, tmp_path):
    """Return a function that returns the workbench of a studio which is not served."""

    def start(*words):
        made = []
        monkeypatch.setattr(command, "serve", lambda server, *, browser: server.server_close())
        monkeypatch.setattr(
            "polytomy.studio.studio_application",
            lambda bench: (made.append(bench), studio_application(bench))[1],
        )
        with pytest.raises(SystemExit) as stopped:
            main(["studio", *map(str, words), "-o", str(tmp_path)])
        assert not stopped.value.code
        return made[0]

    return start


def certified(model, data, capsys):
    """Return what certify prints of a model and its file."""
    capsys.readouterr()
    with pytest.raises(SystemExit) as stopped:
        main(["certify", str(model), str(data)])
    assert not stopped.value.code
    return capsys.readouterr().out


def test_a_saved_model_remembers_the_data_of_the_model_that_was_opened(
    cars, tmp_path, capsys, workbench
):
    model = tmp_path / "m.json"
    fit = ["fit", cars, "--target", "origin", "-o", model, "--test-fraction", 0.3, "--seed", 4]
    with pytest.raises(SystemExit):
        main([*map(str, fit)])
    record = record_of(load(model))
    bench = workbench(model, cars)
    assert len(bench.rows.held_out) == record.n_rows - record.n_fitted
    bench.change(lambda session: session.collapse(1))
    bench.save("model")
    assert record_of(load(tmp_path / "model.json")) == record
    assert "Verified: no discrepancies" in certified(tmp_path / "model.json", cars, capsys)
    bench.grow({"max_leaves": 3}, by_hand=False)
    assert record_of(load(tmp_path / "autosave.json")) == record


def test_a_model_that_was_begun_on_a_file_remembers_it(cars, tmp_path, capsys, workbench):
    bench = workbench(cars, "--target", "origin", "--seed", 5, "--drop-unlabelled")
    bench.change(lambda session: session.split(0, "displacement"))
    bench.save("model")
    record = record_of(load(tmp_path / "model.json"))
    assert (record.target, record.n_rows, record.n_fitted) == ("origin", 392, 294)
    assert (record.test_fraction, record.seed, record.drop_unlabelled) == (0.25, 5, True)
    assert "Verified: no discrepancies" in certified(tmp_path / "model.json", cars, capsys)
    again = workbench(tmp_path / "model.json", cars)
    assert again.rows.training.labels.tolist() == bench.rows.training.labels.tolist()


def test_a_port_in_use_is_one_line(cars, capsys):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        with pytest.raises(SystemExit):
            main(["studio", str(cars), "--target", "origin", "--port", port, "--no-browser"])
    assert f"port {port} cannot be used" in capsys.readouterr().err


def test_rows_of_another_file_are_held_out(cars, tmp_path, open_tab, capsys):
    lines = cars.read_text().splitlines(keepends=True)
    first, second = tmp_path / "first.csv", tmp_path / "second.csv"
    first.write_text("".join(lines[:300]))
    second.write_text("".join(lines[:1] + lines[300:]))
    with running(first, "--target", "origin", "--test", second) as (_, url):
        page = open_tab(url)
        assert f"of {len(lines) - 300} rows" in page.inner_text(".held-out")
        page.click("#held-out")
        page.wait_for_selector("#held-out-asked:has-text('once')")
    for fraction in ("0.2", "0"):
        with pytest.raises(SystemExit):
            main(
                [
                    *map(str, ("studio", first, "--target", "origin", "--test", second)),
                    *("--test-fraction", fraction),
                ]
            )
        assert "--test and --test-fraction cannot be used together" in capsys.readouterr().err


def test_test_rows_that_are_those_of_the_fit_are_noted(cars, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(command, "serve", lambda server, *, browser: server.server_close())
    other, model = tmp_path / "other.csv", tmp_path / "m.json"
    other.write_text("".join(cars.read_text().splitlines(keepends=True)[:200]))

    def said(*words):
        with pytest.raises(SystemExit) as stopped:
            main([*map(str, words)])
        assert not stopped.value.code
        return capsys.readouterr().err

    target, note = ("--target", "origin"), "the rows of --test are those of the fit"
    assert note in said("studio", cars, *target, "--test", cars)
    assert note not in said("studio", cars, *target, "--test", other)
    said("fit", cars, *target, "-o", model, "--leaves", 3)
    assert note in said("studio", model, cars, "--test", cars)
    assert note not in said("studio", model, cars, "--test", other)
