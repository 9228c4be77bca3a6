"""``polytomy prune``."""

import re

import numpy as np
import pandas as pd
import pytest

import polytomy
from polytomy.prune import PRUNERS, ErrorBudget, ReducedError


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
def prune(run, parts, tmp_path):
    """Fit a full tree to one part, prune it, and return the model and the summary."""
    grown = tmp_path / "grown.json"
    fit = ["fit", parts / "train.csv", "--target", "diagnosis", "--leaves", "none", "-o", grown]
    assert run(*fit)[0] == 0

    def call(*args):
        path = tmp_path / "pruned.json"
        code, out, err = run("prune", grown, *args, "-o", path)
        assert (code, err) == (0, "")
        return polytomy.load(path), out

    call.grown = grown
    return call


def rows_of(path):
    frame = pd.read_csv(path)
    return frame.drop(columns="diagnosis"), frame["diagnosis"]


def test_prune_chooses_by_held_out_rows(prune, parts):
    held = parts / "held.csv"
    given = [held, "--target", "diagnosis"]
    clf, out = prune(*given, "--method", "reduced-error")
    X, y = rows_of(held)
    grown = polytomy.load(prune.grown)
    own = grown.prune(ReducedError(), X, y)
    assert clf.to_text() == own.to_text()
    assert f"leaves             {grown.n_leaves_} before, {own.n_leaves_} after\n" in out
    errors = f"{1 - grown.score(X, y):.1%} before, {1 - own.score(X, y):.1%} after"
    assert f"error              {errors}, on 169 rows (chosen on these rows, optimistic)\n" in out


@pytest.mark.parametrize(("flag", "raising"), [("--raising", True), ("--raise-any", "any")])
def test_prune_raises_subtrees_with_both_files(prune, parts, flag, raising):
    X, y = rows_of(parts / "train.csv")
    X_val, y_val = rows_of(parts / "held.csv")
    given = [parts / "held.csv", "--training", parts / "train.csv", "--target", "diagnosis"]
    clf, _ = prune(*given, "--method", "reduced-error", flag)
    grown = polytomy.load(prune.grown)
    own = grown.prune(ReducedError(raising=raising), X_val, y_val, X=X, y=y)
    assert clf.to_text() == own.to_text()


def test_prune_refuses_to_raise_any_child_in_other_methods(run, prune, parts, tmp_path):
    given = ["--method", "chi-square", "--raise-any", "-o", tmp_path / "out.json"]
    code, _, err = run("prune", prune.grown, *given)
    assert code != 0
    assert "--raise-any does not apply to --method chi-square" in err


def test_prune_chooses_by_cross_validation_on_the_training_rows(prune, parts):
    X, y = rows_of(parts / "train.csv")
    given = [parts / "train.csv", "--target", "diagnosis", "--method", "error-budget"]
    clf, _ = prune(*given, "--select", "cv", "--folds", 3, "--seed", 5)
    grown = polytomy.load(prune.grown).set_params(random_state=5)
    own = grown.prune(ErrorBudget(select="cv", folds=3), X=X, y=y)
    assert clf.to_text() == own.to_text()


@pytest.mark.parametrize(
    "method",
    [
        ["chi-square", "--max-p-chance", 0.001],
        ["chi-square", "--adjusted"],
        ["pessimistic", "--confidence", 0.1],
        ["conservative", "--delta", 0.1, "--scale", 0.1],
        ["error-budget", "--select", 4],
        ["error-budget", "--select", "srm"],
        ["error-budget", "--select", "srm", "--size", "nodes"],
        ["conservative", "--size", "nodes"],
        ["cost-complexity", "--alpha", 0.01, "--cost", "error"],
    ],
)
def test_prune_needs_no_rows_for_other_methods(prune, method):
    clf, out = prune("--method", *method)
    before, now = map(int, re.search(r"leaves +(\d+) before, (\d+) after", out).groups())
    assert clf.n_leaves_ == now < before
    assert "error" not in out


def test_prune_replaces_its_own_model(run, prune, parts):
    path = prune.grown
    whole = polytomy.load(path).n_leaves_
    for method, leaves in (["chi-square"], whole), (["error-budget", "--select", "5"], 5):
        code, out, _ = run("prune", path, "--method", *method, "-o", path)
        assert code == 0
        assert "starting from" not in out  # nothing had been cut before
        pruned = polytomy.load(path)
        assert pruned.n_leaves_ == leaves
        assert pruned.certificate_.pruned is not None
    _, out, _ = run("prune", path, "--method", "pessimistic", "-o", path)
    assert f"starting from      the grown tree of {whole} leaves" in out


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (
            ["--method", "reduced-error"],
            "reduced-error chooses by the error on held-out rows: add DATA",
        ),
        (["--method", "error-budget", "--select", "cv"], "add --training FILE"),
        (["--method", "pessimistic", "--raising"], "--raising needs the training data"),
        (["--method", "axe"], "pruner must be one of reduced-error"),
        (
            ["--method", "chi-square", "--alpha", "1"],
            "--alpha does not apply to --method chi-square",
        ),
        (["--method", "error-budget", "--select", "0"], "select must be one of"),
        (["DATA", "--target", "name", "--method", "chi-square"], "class"),
    ],
)
def test_prune_refuses_bad_options(refuse, model, cars, tmp_path, more, message):
    given = [cars if m == "DATA" else m for m in more]
    path = tmp_path / "p.json"
    if "name" in more:  # a target of other classes, refused by a pruner that uses them
        given[-1] = "reduced-error"
    assert message in refuse("prune", model, *given, "-o", path)
    assert not path.exists()


def test_prune_refuses_a_boosted_model(refuse, boosted, tmp_path):
    message = refuse("prune", boosted, "--method", "chi-square", "-o", tmp_path / "p.json")
    assert message == "only a single tree can be pruned, but this model is boosted"


def test_prune_help_shows_the_pruners_of_each_parameter_and_its_default(run):
    out = re.sub(r"-\s+", "-", re.sub(r"\s+", " ", run("prune", "--help")[1]))
    assert f"Pruning method: {', '.join(PRUNERS)}." in out
    assert "For chi-square. [default: 0.05]" in out
    assert "For error-budget and cost-complexity. [default: holdout]" in out
    assert "For reduced-error and pessimistic. [default: off]" in out
    assert "For cost-complexity. [default: none]" in out


def test_prune_leaves_out_unlabelled_rows_on_request(
    run, refuse, prune, data_file, parts, tmp_path
):
    lines = (parts / "held.csv").read_text().splitlines(keepends=True)
    lines[3] = lines[3].rsplit(",", 1)[0] + ",\n"
    given = ["prune", prune.grown, data_file("".join(lines)), "--target", "diagnosis"]
    given += ["--method", "reduced-error", "-o", tmp_path / "p.json"]
    assert "leave these rows out with --drop-unlabelled" in refuse(*given)
    assert "on 168 rows" in run(*given, "--drop-unlabelled")[1]
