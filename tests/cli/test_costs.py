"""Costs of mistakes, and floors on the sensitivity, on the command line."""

import re

import numpy as np
import pytest

import polytomy
from polytomy.io import read_table


@pytest.fixture(scope="module")
def parts(tables, tmp_path_factory):
    """A folder with the tumours in two files."""
    folder = tmp_path_factory.mktemp("parts")
    header, *rows = (tables / "tumours.csv").read_text().splitlines(keepends=True)
    order = np.random.default_rng(0).permutation(len(rows))
    for name, chosen in (("train.csv", order[:400]), ("held.csv", order[400:])):
        (folder / name).write_text(header + "".join(rows[i] for i in chosen))
    return folder


@pytest.fixture
def dear(run, parts, tmp_path):
    """A model in which a missed cancer costs 20."""
    model, classes = tmp_path / "dear.json", classes_of(parts)
    cost = f"{classes[0]}:{classes[1]}=20"
    arguments = ["--target", "diagnosis", "--cost", cost, "--leaves", 6, "-o", model]
    code, out, err = run("fit", parts / "train.csv", *arguments)
    assert (code, err) == (0, "")
    return model, out


def classes_of(parts):
    table = read_table(parts / "train.csv")
    column = next(c for c in table.columns if c.name == "diagnosis")
    return sorted(map(str, column.categories))


def test_fit_takes_costs_and_states_them(dear, parts, run):
    model, out = dear
    clf = polytomy.load(model)
    first, second = classes_of(parts)
    assert clf.cost_matrix == {(first, second): 20.0}
    assert re.search(r"training error +[\d.]+% \(cost [\d.]+ per row\) of 400 rows", out)
    shown = " ".join(run("show", model)[1].split())
    assert f"{first} predicted as {second} costs 20" in shown


@pytest.mark.parametrize("cost", ["nobody:benign=3", "3", "a:b", "malignant:benign=much"])
def test_fit_refuses_bad_costs(run, parts, tmp_path, cost):
    arguments = ["--target", "diagnosis", "--cost", cost, "-o", tmp_path / "m.json"]
    code, _, err = run("fit", parts / "train.csv", *arguments)
    assert code != 0
    assert "TRUE:PREDICTED=COST" in err


def test_fit_refuses_costs_of_ensembles(run, parts, tmp_path):
    arguments = [
        "--target",
        "diagnosis",
        "--cost",
        "a:b=3",
        "--boost",
        5,
        "-o",
        tmp_path / "m.json",
    ]
    code, _, err = run("fit", parts / "train.csv", *arguments)
    assert code != 0
    assert "--cost applies to a single tree" in err


def test_prune_keeps_a_floor(run, dear, parts, tmp_path):
    model, pruned = dear[0], tmp_path / "pruned.json"
    first = classes_of(parts)[0]
    held = ["--target", "diagnosis", "--sensitivity", 0.85, "--of", first, "-o", pruned]
    code, out, err = run("prune", model, parts / "held.csv", *held)
    assert (code, err) == (0, "")
    assert re.search(r"sensitivity +[\d.]+ \[[\d.]+-[\d.]+\] on \d+ held-out cases", out)
    assert polytomy.load(pruned).n_leaves_ <= polytomy.load(model)._model.grown.n_leaves


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--sensitivity", 0.9, "--of", "nobody"], "--of must be one of the classes"),
        (["--sensitivity", 0.9], "--of must be one of the classes"),
        ([], "choose --method, or --sensitivity"),
        (["--sensitivity", 0.9, "--method", "chi-square"], "choose --method, or --sensitivity"),
    ],
)
def test_prune_refuses_bad_floors(run, dear, parts, tmp_path, arguments, message):
    held = ["--target", "diagnosis", "-o", tmp_path / "pruned.json", *arguments]
    code, _, err = run("prune", dear[0], parts / "held.csv", *held)
    assert code != 0
    assert message in err


def test_prune_by_a_floor_needs_rows(run, dear, parts, tmp_path):
    floor = ["--sensitivity", 0.9, "--of", classes_of(parts)[0], "-o", tmp_path / "pruned.json"]
    code, _, err = run("prune", dear[0], *floor)
    assert code != 0
    assert "add DATA" in err


def test_compare_is_by_the_mean_cost(run, parts):
    first, second = classes_of(parts)
    arguments = ["--target", "diagnosis", "--cost", f"{first}:{second}=20", "--leaves", 4]
    code, out, err = run("compare", parts / "held.csv", *arguments, "--folds", 2)
    assert (code, err) == (0, "")
    assert re.search(r"budget +cost +± +leaves", out)
    assert "scikit-learn" in out
