"""The command as a process: interrupted, cut off, on a full disk, on a terminal, completed."""

import errno
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from polytomy.cli import entry, write
from polytomy.cli.bad_input import BadInputError
from polytomy.cli.wait import Waiting

COMMAND = [sys.executable, "-c", "from polytomy.cli.entry import main; main()"]
FULL = Path("/dev/full")

needs_full = pytest.mark.skipif(not FULL.exists(), reason="no device that is always full")


def process(*args, **more):
    return subprocess.run([*COMMAND, *map(str, args)], capture_output=True, check=False, **more)


def test_the_tour(run, tmp_path, monkeypatch):
    """What the README shows, word by word, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    tour = [
        ["demo", "--write", "mpg.csv"],
        ["fit", "mpg.csv", "--target", "origin", "-o", "m.json"],
        ["show", "m.json"],
        ["explain", "m.json", "mpg.csv", "--row", "7"],
        ["export", "m.json", "--to", "sql"],
        ["compare", "mpg.csv", "--target", "origin"],
    ]
    for args in tour:
        code, out, err = run(*args)
        assert (code, err) == (0, "")
        assert out
    assert sorted(p.name for p in tmp_path.iterdir()) == ["m.json", "mpg.csv"]


def test_bad_input_by_process(tmp_path):
    done = process("fit", "none.csv", "--target", "y", "-o", "m.json", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr == b"polytomy: there is no file none.csv\n"
    assert done.stdout == b""
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_while_fitting(tumours, tmp_path):
    pipe = tmp_path / "rows"
    os.mkfifo(pipe)
    args = ["fit", pipe, "--target", "diagnosis", "-o", tmp_path / "m.json", "--boost", "1000000"]
    (tmp_path / "m.json").write_text("old")
    with subprocess.Popen([*COMMAND, *map(str, args)], stderr=subprocess.PIPE) as running:
        with pipe.open("wb") as rows:  # waits until the command reads
            rows.write(tumours.read_bytes())
        time.sleep(1.0)
        assert running.poll() is None
        running.send_signal(signal.SIGINT)
        assert running.wait(20) == 130
        assert running.stderr.read() == b"polytomy: interrupted\n"
    assert (tmp_path / "m.json").read_text() == "old"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["m.json", "rows"]


def test_a_reader_that_leaves_early(model):
    command = [*COMMAND, "export", str(model), "--to", "rules"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        running.stdout.close()
        assert running.wait(20) == entry.BROKEN_PIPE
        assert running.stderr.read() == b""


@needs_full
def test_stdout_on_a_full_disk(model):
    with FULL.open("wb") as full:
        command = [*COMMAND, "show", str(model)]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 2
    assert done.stderr == b"polytomy: cannot write the output: no space left on device\n"


@needs_full
def test_outputs_on_a_full_device(refused, model, cars):
    said = "cannot write /dev/full: no space left on device"
    assert refused("predict", model, cars, "-o", FULL) == said
    assert refused("export", model, "--to", "rules", "-o", FULL) == said
    assert refused("fit", cars, "--target", "origin", "-o", FULL) == said
    assert FULL.is_char_device()


def test_a_disk_that_fills_up_leaves_the_old_file(refused, model, cars, tmp_path, monkeypatch):
    path = tmp_path / "p.csv"
    path.write_text("old")

    def full(handle):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    for args in (["predict", model, cars], ["fit", cars, "--target", "origin"]):
        said = refused(*args, "-o", path)
        assert said.lower().startswith("cannot write ")
        assert said.lower().endswith(": no space left on device")
        assert path.read_text() == "old"
        assert list(tmp_path.iterdir()) == [path]


def test_a_demo_that_cannot_be_written_leaves_nothing(refused, tmp_path, monkeypatch):
    def full(handle):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    assert "no space left" in refused("demo", "--write", tmp_path / "mpg.csv")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_writable(refused, model, cars, tmp_path, monkeypatch):
    # for the superuser, who may run the tests, every folder is writable
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    path = tmp_path / "out"
    said = f"cannot write {path}: no permission to write in {tmp_path}"
    assert refused("predict", model, cars, "-o", path) == said
    assert refused("fit", cars, "--target", "origin", "-o", path) == said
    assert refused("fit", "none.csv", "--target", "origin", "-o", path) == said  # said at once


def test_rights_and_links_survive(tmp_path):
    real, link = tmp_path / "real.csv", tmp_path / "link.csv"
    real.write_text("old")
    real.chmod(0o640)
    link.symlink_to(real)
    write.write_bytes(link, b"new")
    assert link.is_symlink()
    assert real.read_bytes() == b"new"
    assert real.stat().st_mode & 0o777 == 0o640
    mask = os.umask(0o027)
    try:
        write.write_bytes(tmp_path / "fresh.csv", b"new")
    finally:
        os.umask(mask)
    assert (tmp_path / "fresh.csv").stat().st_mode & 0o777 == 0o640


def test_a_folder_that_is_a_file(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInputError, match="cannot write"):
        write.write_bytes(tmp_path / "file" / "out.csv", b"")


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("polytomy ex", {"explain", "export"}),
        ("polytomy export m.json --to py", {"python"}),
        ("polytomy fit --procedure h", {"hatano"}),
    ],
)
def test_completion(run, monkeypatch, words, wanted):
    monkeypatch.setenv("_POLYTOMY_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(len(words.split()) - 1))
    assert set(run()[1].split()) == wanted


def test_completion_can_be_installed(run):
    assert "--install-completion" in run("--help")[1]


def on_a_terminal(*args):
    """Run the command with stderr on a terminal; return what it drew there."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "80"}
    command = [*COMMAND, *map(str, args)]
    drawn = b""
    nowhere = subprocess.DEVNULL
    with subprocess.Popen(command, stdout=nowhere, stderr=theirs, env=environment) as running:
        os.close(theirs)
        while part := _read(ours):
            drawn += part
        assert running.wait(20) == 0
    os.close(ours)
    return drawn.decode()


def _read(terminal):
    try:
        return os.read(terminal, 1 << 16)
    except OSError:  # Linux says so where nobody has the other end open
        return b""


def test_a_bar_where_there_is_a_terminal(tumours, tmp_path):
    fit = ["fit", tumours, "--target", "diagnosis", "-o", tmp_path / "m.json"]
    assert "100/100" in on_a_terminal(*fit, "--boost", 100)


def test_waiting_shows_itself_after_a_while_and_only_on_terminals(monkeypatch, capfd):
    with Waiting("growing", total=3, patience=0) as waiting:
        waiting.step()
    assert capfd.readouterr().err == ""
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    with Waiting("growing", total=3) as waiting:
        waiting.step()
    assert capfd.readouterr().err == ""
    with Waiting("growing", total=3, patience=0) as waiting:
        time.sleep(0.1)
        waiting.step()
        time.sleep(0.2)
    assert "growing" in capfd.readouterr().err
