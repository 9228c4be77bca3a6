"""The progress bar."""

import os
import pty
import subprocess
import sys
import time

from polytomy.cli.progress import ProgressBar
from polytomy.table import ScanProgress

COMMAND = [sys.executable, "-c", "from polytomy.cli.entry import main; main()"]


def run_on_terminal(*args):
    """Run the command with a terminal as stderr; return what it printed there."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "80"}
    command = [*COMMAND, *map(str, args)]
    printed = b""
    null = subprocess.DEVNULL
    with subprocess.Popen(command, stdout=null, stderr=theirs, env=environment) as running:
        os.close(theirs)
        while part := _read(ours):
            printed += part
        assert running.wait(20) == 0
    os.close(ours)
    return printed.decode()


def _read(terminal):
    try:
        return os.read(terminal, 1 << 16)
    except OSError:  # raised by Linux once the other end is closed
        return b""


def test_boosting_shows_a_bar_on_a_terminal(tumours, tmp_path):
    fit = ["fit", tumours, "--target", "diagnosis", "-o", tmp_path / "m.json"]
    assert "100/100" in run_on_terminal(*fit, "--boost", 100)


def test_bar_is_shown_after_a_delay_and_only_on_a_terminal(monkeypatch, capfd):
    with ProgressBar("growing", total=3, delay=0) as progress:
        progress.step()
    assert capfd.readouterr().err == ""
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    with ProgressBar("growing", total=3) as progress:
        progress.step()
    assert capfd.readouterr().err == ""
    with ProgressBar("growing", total=3, delay=0) as progress:
        time.sleep(0.1)
        progress.step()
        time.sleep(0.2)
    assert "growing" in capfd.readouterr().err


def test_bar_shows_how_much_has_been_read(monkeypatch, capfd):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "120")
    with ProgressBar("reading", delay=0) as progress:
        time.sleep(0.1)
        progress.show(ScanProgress(500, 1000, 20_000, 4.0))
        time.sleep(0.2)
        progress.show(ScanProgress(1000, 1000, 20_000, 8.0))
        time.sleep(0.2)
    printed = capfd.readouterr().err
    assert "reading: 50% of 20,000 rows read, 2,500 rows/s, 4 s left" in printed
    assert "100%" not in printed
