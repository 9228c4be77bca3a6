"""The command line: the demo, what it writes, and one line for whatever is wrong."""

import re
import subprocess
import sys

import numpy as np
import pytest

from polytomy import TreeClassifier, __version__
from polytomy.cli import demo, entry
from polytomy.data import cars_csv

HELP = """
import sys
from polytomy.cli.entry import main
try:
    main(["--help"])
finally:
    print(sorted({"numpy", "pandas", "scipy", "sklearn"} & set(sys.modules)))
"""


@pytest.fixture
def run(capsys, monkeypatch):
    """Run the command in this process; return its exit code and what it printed."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("FORCE_COLOR", raising=False)

    def call(*args):
        with pytest.raises(SystemExit) as ended:
            entry.main([str(a) for a in args])
        printed = capsys.readouterr()
        return ended.value.code or 0, printed.out, printed.err

    return call


@pytest.fixture(scope="module")
def cars():
    return demo.split_cars()


def percent(share):
    return f"{share:.1%}"


def test_the_demo_prints_the_tree_both_errors_and_one_car(run, cars):
    code, out, err = run("demo")
    assert (code, err) == (0, "")
    model = demo.grown(cars, 12)
    for score in (demo.our_score(cars, model), demo.peer_score(cars, 12)):
        line = next(ln for ln in out.splitlines() if ln.startswith(score.name))
        errors = [percent(score.train_error), percent(score.held_error)]
        assert line.split() == [score.name, "12", f"{score.questions:.2f}", *errors]
    assert out.count(" of ") >= 12  # a line a leaf
    assert "└─ displacement > 134.5" in out
    ending = out.splitlines()[-6:]
    assert ending[0] == "The volvo 245 was held out. Why does the tree say Europe?"
    assert ending[1].startswith("1. displacement is 130, so ")
    assert ending[-1] == "The tree says Europe, and so it was."


def test_lines_keep_to_the_width_and_pipes_get_no_escapes(run):
    out = run("demo")[1]
    assert max(map(len, out.splitlines())) <= 80
    assert "\x1b" not in out


def test_colours_change_no_character(run, monkeypatch):
    plain = run("demo")[1]
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    coloured = run("demo")[1]
    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == plain


def test_leaves_are_a_budget_for_both_trees(run):
    out = run("demo", "--leaves", 5)[1]
    found = {name: int(n) for name, n in re.findall(r"^(polytomy|scikit-learn) +(\d+)", out, re.M)}
    assert found["polytomy"] == found["scikit-learn"] <= 5
    assert run("demo", "--leaves", 2)[0] == run("demo", "--leaves", 10_000)[0] == 0


def test_the_demo_grows_what_the_estimator_grows(cars):
    model = demo.grown(cars, 12)
    numbers = np.column_stack([c.values for c in cars.table.columns])
    clf = TreeClassifier(max_leaves=12).fit(numbers[cars.train], cars.labels[cars.train])
    score = demo.our_score(cars, model)
    assert clf.n_leaves_ == score.leaves
    assert clf.n_questions_ == pytest.approx(score.questions)
    held = clf.score(numbers[cars.held], cars.labels[cars.held])
    assert 1 - held == pytest.approx(score.held_error)


def test_the_split_is_fixed_and_stratified(cars):
    assert len(cars.train) == 294
    assert sorted([*cars.train, *cars.held]) == list(range(392))
    assert (demo.split_cars().held == cars.held).all()
    whole, held = (np.bincount(x) for x in (cars.labels, cars.labels[cars.held]))
    assert (abs(held - whole / 4) < 1).all()
    assert (cars.names == demo.CAR).sum() == (cars.names[cars.held] == demo.CAR).sum() == 1


def test_write_gives_the_bundled_table_and_says_so(run, tmp_path):
    path = tmp_path / "mpg.csv"
    code, out, _ = run("demo", "--write", path)
    assert code == 0
    assert out.startswith(f"Wrote 392 cars to {path}\n")
    assert path.read_bytes() == cars_csv()


def test_write_replaces_only_when_told_to(run, tmp_path):
    path = tmp_path / "mpg.csv"
    path.write_text("mine")
    code, out, err = run("demo", "--write", path)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "exists; add --force to replace it" in err
    assert path.read_text() == "mine"
    assert run("demo", "--write", path, "--force")[0] == 0
    assert path.read_bytes() == cars_csv()


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["demo", "--leaves", "1"], "--leaves: must be at least 2, got 1"),
        (["demo", "--leaves", "-3"], "--leaves: must be at least 2, got -3"),
        (["demo", "--leaves", "many"], "--leaves"),
        (["demo", "--leaves"], "--leaves"),
        (["demo", "--force"], "without --write"),
        (["demo", "--write", "."], "is a folder"),
        (["demo", "--write", ".", "--force"], "cannot write"),
        (["demo", "--write", "no/such/folder/mpg.csv"], "cannot write"),
        (["demo", "--colour"], "--colour"),
        (["dmo"], "dmo"),
    ],
)
def test_bad_input_gets_one_line_and_exit_code_2(run, args, said):
    code, out, err = run(*args)
    assert (code, out) == (2, "")
    assert err.startswith("polytomy: ")
    assert err.count("\n") == 1
    assert said in err


@pytest.mark.parametrize("args", [["--help"], []])
def test_help_lists_the_verbs(run, args):
    code, out, _ = run(*args)
    assert code == 0
    for verb in entry.VERBS:
        assert re.search(rf"^\W*{verb}\b", out, re.M)


def test_version(run):
    assert run("--version") == (0, f"polytomy {__version__}\n", "")


def test_help_is_light():
    done = subprocess.run([sys.executable, "-c", HELP], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
