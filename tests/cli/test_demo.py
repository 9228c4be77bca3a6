"""``polytomy demo``."""

import re

import numpy as np
import pytest

from polytomy import TreeClassifier
from polytomy.cli import demo
from polytomy.data import cars_csv


@pytest.fixture(scope="module")
def cars():
    return demo.split_cars()


def percent(share):
    return f"{share:.1%}"


def test_demo_prints_the_tree_the_errors_and_an_explanation(run, cars):
    code, out, err = run("demo")
    assert (code, err) == (0, "")
    clf = demo.grow_tree(cars, 12)
    for score in (demo.score_polytomy(cars, clf), demo.score_sklearn(cars, 12)):
        line = next(ln for ln in out.splitlines() if ln.startswith(score.name))
        errors = [percent(score.training_error), percent(score.test_error)]
        assert line.split() == [score.name, "12", f"{score.questions:.2f}", *errors]
    assert len(re.findall(r"\d+% \[\d+-\d+\] \(\d+% of \d+\)", out)) == 12  # one for each leaf
    assert max(clf.tree_.arity(node) for node in range(clf.tree_.n_nodes)) > 2
    learned = "Expected shares were learned by 5-fold cross-fitting of trees grown greedily"
    assert f"{learned} on the labels, on 294 rows" in " ".join(out.split())
    assert "└─ displacement > 191" in out
    question = "The bmw 320i was held out. Why does the tree predict Europe?\n"
    ending = out.partition(question)[2].splitlines()
    assert ending[0].startswith("1. displacement is 121, so ")
    assert any(re.fullmatch(r"=> Europe \d+% \[\d+-\d+\] of new rows", line) for line in ending)
    assert ending[-1] == "The prediction Europe is correct."


def test_demo_keeps_to_the_width_and_prints_no_escapes_to_a_pipe(run):
    out = run("demo")[1]
    assert max(map(len, out.splitlines())) <= 80
    assert "\x1b" not in out


def test_demo_colours_change_no_character(run, monkeypatch):
    plain = run("demo")[1]
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    coloured = run("demo")[1]
    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == plain


def test_demo_limits_the_leaves_of_both_trees(run):
    out = run("demo", "--leaves", 5)[1]
    found = {name: int(n) for name, n in re.findall(r"^(polytomy|scikit-learn) +(\d+)", out, re.M)}
    assert found["polytomy"] == found["scikit-learn"] <= 5
    assert run("demo", "--leaves", 2)[0] == run("demo", "--leaves", 10_000)[0] == 0


def test_demo_scores_are_those_of_the_estimator_on_an_array(cars):
    matrix = np.column_stack([c.values for c in cars.table.columns])
    clf = TreeClassifier(max_leaves=12).fit(matrix[cars.training], cars.origin[cars.training])
    score = demo.score_polytomy(cars, demo.grow_tree(cars, 12))
    assert clf.n_leaves_ == score.leaves
    assert clf.n_questions_ == pytest.approx(score.questions)
    accuracy = clf.score(matrix[cars.test], cars.origin[cars.test])
    assert 1 - accuracy == pytest.approx(score.test_error)


def test_demo_split_is_fixed_and_stratified(cars):
    assert len(cars.training) == 294
    assert sorted([*cars.training, *cars.test]) == list(range(392))
    assert (demo.split_cars().test == cars.test).all()
    whole, held = (
        np.unique(labels, return_counts=True)[1] for labels in (cars.origin, cars.origin[cars.test])
    )
    assert (abs(held - whole / 4) < 1).all()
    assert (cars.names == demo.CAR).sum() == (cars.names[cars.test] == demo.CAR).sum() == 1


def test_demo_writes_the_bundled_table_and_says_so_in_one_line(run, tmp_path):
    path = tmp_path / "mpg.csv"
    assert run("demo", "--write", path) == (0, f"Wrote 392 cars to {path}\n", "")
    assert path.read_bytes() == cars_csv()


def test_demo_replaces_a_file_only_with_force(run, tmp_path):
    path = tmp_path / "mpg.csv"
    path.write_text("mine")
    code, out, err = run("demo", "--write", path)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "exists; add --force to replace it" in err
    assert path.read_text() == "mine"
    assert run("demo", "--write", path, "--force")[0] == 0
    assert path.read_bytes() == cars_csv()


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["demo", "--leaves", "1"], "--leaves: must be at least 2, got 1"),
        (["demo", "--leaves", "-3"], "--leaves: must be at least 2, got -3"),
        (["demo", "--leaves", "many"], "--leaves"),
        (["demo", "--leaves"], "--leaves"),
        (["demo", "--force"], "needs --write FILE"),
        (["demo", "--leaves", "5", "--write", "."], "--leaves: cannot be used with --write"),
        (["demo", "--write", "."], "is a folder"),
        (["demo", "--write", ".", "--force"], "cannot write"),
        (["demo", "--write", "no/such/folder/mpg.csv"], "cannot write"),
    ],
)
def test_demo_refuses_bad_options(run, args, message):
    code, out, err = run(*args)
    assert (code, out) == (2, "")
    assert err.startswith("polytomy: ")
    assert err.count("\n") == 1
    assert message in err
