"""The command as a whole: help, version, exit codes, interrupts, pipes and completion."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from polytomy import __version__
from polytomy.cli import entry, errors

COMMAND = [sys.executable, "-c", "from polytomy.cli.entry import main; main()"]
FULL = Path("/dev/full")
DOCUMENTATION = Path(__file__).parents[2] / "docs" / "reference" / "command-line.md"
HELP = """
import sys
from polytomy.cli.entry import main
try:
    main(["--help"])
finally:
    print(sorted({"numpy", "pandas", "scipy", "sklearn"} & set(sys.modules)))
"""

needs_full = pytest.mark.skipif(not FULL.exists(), reason="no device that is always full")


def run_process(*args, **more):
    return subprocess.run([*COMMAND, *map(str, args)], capture_output=True, check=False, **more)


def test_commands_of_the_readme_run_in_order(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    commands = [
        ["demo", "--write", "mpg.csv"],
        ["fit", "mpg.csv", "--target", "origin", "-o", "m.json"],
        ["show", "m.json"],
        ["explain", "m.json", "mpg.csv", "--row", "7"],
        ["export", "m.json", "--to", "sql"],
        ["compare", "mpg.csv", "--target", "origin"],
    ]
    for args in commands:
        code, out, err = run(*args)
        assert (code, err) == (0, "")
        assert out
    assert sorted(p.name for p in tmp_path.iterdir()) == ["m.json", "mpg.csv"]


@pytest.mark.parametrize("args", [["--version"], ["demo", "--help"], ["fit"], ["dmo"]])
def test_module_is_the_command(args):
    module = subprocess.run(
        [sys.executable, "-m", "polytomy", *args], capture_output=True, text=True, check=False
    )
    command = run_process(*args, text=True)
    assert (module.returncode, module.stdout, module.stderr) == (
        command.returncode,
        command.stdout,
        command.stderr,
    )
    assert "__main__" not in module.stdout + module.stderr


@pytest.mark.parametrize("args", [["--help"], []])
def test_help_lists_the_commands(run, args):
    code, out, _ = run(*args)
    assert code == 0
    for command in entry.COMMANDS:
        assert re.search(rf"^\W*{command}\b", out, re.M)


@pytest.mark.parametrize("command", entry.COMMANDS)
def test_help_states_the_default_of_every_option(run, command):
    code, out, _ = run(command, "--help")
    assert code == 0
    options = re.split(r"\n  (?=-)", out[out.index("Options:") :])[1:]
    assert options.pop().startswith("--help")
    for option in options:
        assert re.search(r"\[default:\s|\[required\]", option), option


@pytest.mark.parametrize("command", entry.COMMANDS)
def test_documentation_mentions_every_option(run, command):
    text = DOCUMENTATION.read_text(encoding="utf-8")
    assert f"polytomy {command} " in text or f"`polytomy {command}`" in text
    for option in re.findall(r"\n  (?:-\w, )?(--[a-z-]+)", run(command, "--help")[1]):
        assert re.search(rf"{option}\b(?!-)", text) or option == "--output", option  # written -o


def test_help_does_not_import_the_library():
    done = subprocess.run([sys.executable, "-c", HELP], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_version_is_printed(run):
    assert run("--version") == (0, f"polytomy {__version__}\n", "")


@pytest.mark.parametrize("args", [["dmo"], ["fit"], ["demo", "--colour"]])
def test_misuse_is_refused(refuse, args):
    assert args[-1] in refuse(*args) or "'DATA'" in refuse(*args)


def test_bad_input_exits_with_2_and_one_line(tmp_path):
    done = run_process("fit", "none.csv", "--target", "y", "-o", "m.json", cwd=tmp_path)
    assert done.returncode == errors.BAD_INPUT == 2
    assert done.stderr == b"polytomy: file not found: none.csv\n"
    assert done.stdout == b""
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_exits_with_130_and_leaves_the_old_file(tumours, tmp_path):
    pipe = tmp_path / "rows"
    os.mkfifo(pipe)
    args = ["fit", pipe, "--target", "diagnosis", "-o", tmp_path / "m.json", "--boost", "1000000"]
    args.append("--force")
    (tmp_path / "m.json").write_text("old")
    with subprocess.Popen([*COMMAND, *map(str, args)], stderr=subprocess.PIPE) as running:
        with pipe.open("wb") as rows:  # blocks until the command reads
            rows.write(tumours.read_bytes())
        time.sleep(1.0)
        assert running.poll() is None
        running.send_signal(signal.SIGINT)
        assert running.wait(20) == errors.INTERRUPTED == 130
        assert running.stderr.read() == b"polytomy: interrupted\n"
    assert (tmp_path / "m.json").read_text() == "old"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["m.json", "rows"]


def test_closed_pipe_exits_with_1_and_prints_nothing(model):
    command = [*COMMAND, "export", str(model), "--to", "rules"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        running.stdout.close()
        assert running.wait(20) == errors.FAILED
        assert running.stderr.read() == b""


@needs_full
def test_stdout_on_a_full_disk_is_reported(model):
    with FULL.open("wb") as full:
        command = [*COMMAND, "show", str(model)]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 2
    assert done.stderr == b"polytomy: cannot write the output: no space left on device\n"


def test_warning_is_one_line(run, data_file, tmp_path):
    path = data_file("x,y\n1,a\n2,b\n3,a\n4,b\n")
    fit = ["fit", path, "--target", "y", "-o", tmp_path / "m.json"]
    code, _, err = run(*fit, "--index", "error")
    assert code == 0
    assert err.startswith("polytomy: warning: ")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "completions"),
    [
        ("polytomy ex", {"explain", "export"}),
        ("polytomy export m.json --to py", {"python"}),
        ("polytomy fit --procedure h", {"hatano"}),
        ("polytomy fit --index e", {"entropy", "error"}),
        ("polytomy fit --algorithm s", {"samme"}),
        ("polytomy prune --method p", {"pessimistic"}),
    ],
)
def test_completion_offers_commands_and_names(run, monkeypatch, words, completions):
    monkeypatch.setenv("_POLYTOMY_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(len(words.split()) - 1))
    assert set(run()[1].split()) == completions


def test_completion_can_be_installed(run):
    assert "--install-completion" in run("--help")[1]
