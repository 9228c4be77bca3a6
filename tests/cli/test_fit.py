"""``polytomy fit``: what it fits is what the estimator fits, and what it says is so."""

import inspect
import re

import pandas as pd
import pytest

import polytomy
from polytomy import BoostedTreeClassifier, TreeClassifier
from polytomy.cli import options
from polytomy.cli.fit import estimator_of
from polytomy.cli.fit import fit as verb
from polytomy.data import load_cars
from polytomy.grow import PROCEDURES
from polytomy.index import INDICES
from polytomy.prune import PRUNERS

PARAMETERS = {
    "leaves": "max_leaves",
    "procedure": "procedure",
    "gamma": "gamma",
    "index": "index",
    "prune": "pruner",
    "overgrow": "overgrow",
    "max_arity": "max_arity",
    "max_depth": "max_depth",
    "min_samples_leaf": "min_samples_leaf",
    "algorithm": "algorithm",
    "seed": "random_state",
    "jobs": "n_jobs",
}


def shown_default(flag):
    return inspect.signature(verb).parameters[flag].annotation.__metadata__[0].show_default


def test_what_is_not_given_is_the_estimators_default():
    assert estimator_of({}).get_params() == TreeClassifier().get_params()
    boosted = estimator_of({"n_rounds": 7}).get_params()
    assert boosted == BoostedTreeClassifier(7).get_params()


@pytest.mark.parametrize("flag", PARAMETERS)
def test_help_shows_the_estimators_defaults(flag):
    assert inspect.signature(verb).parameters[flag].default is None
    tree, _, boosted = shown_default(flag).partition("; ")
    name = PARAMETERS[flag]
    plain, many = TreeClassifier().get_params(), BoostedTreeClassifier().get_params()
    assert tree == str(plain.get(name, many.get(name)))
    if name in plain and name in many:
        assert (boosted.removesuffix(" with --boost") or tree) == str(many[name])


def test_the_names_in_help_are_those_there_are():
    assert set(options.PROCEDURES) == set(PROCEDURES)
    assert set(options.INDICES) == set(INDICES)
    assert set(options.PRUNERS) == set(PRUNERS)


def test_the_model_is_the_estimators(run, cars, tmp_path):
    path = tmp_path / "m.json"
    code, out, err = run("fit", cars, "--target", "origin", "-o", path)
    assert (code, err) == (0, "")
    columns, origin = load_cars()
    columns.pop("name")
    X = pd.DataFrame(columns)
    own = TreeClassifier().fit(X, origin)
    clf = polytomy.load(path)
    assert clf.feature_names_in_.tolist() == list(columns)
    assert clf.to_text() == own.to_text()
    assert (clf.predict_proba(X) == own.predict_proba(X)).all()
    told = dict(re.findall(r"^(\w+(?: \w+)*) {2,}(.+)$", out, re.M))
    assert told["leaves"] == str(own.n_leaves_)
    assert told["questions a row"] == f"{own.n_questions_:.2f}"
    assert told["training error"] == f"{1 - own.score(X, origin):.1%} of 392 rows"
    assert told["test error"].startswith("not known")
    assert told["model"] == str(path)
    assert "left out name: 300 different texts in 392 rows (--categorical name keeps it)" in out


def test_every_option_arrives(run, cars, tmp_path):
    path = tmp_path / "m.json"
    given = ["--leaves", 9, "--procedure", "mansour-mcallester", "--gamma", 0.2, "--index", "sqrt"]
    given += ["--max-arity", 3, "--max-depth", 4, "--min-samples-leaf", 5, "--seed", 3, "--jobs", 1]
    given += ["--prune", "pessimistic", "--categorical", "year", "--categorical", "cylinders"]
    given += ["--drop", "name", "--drop", "mpg", "--weights", "weight"]
    assert run("fit", cars, "--target", "origin", "-o", path, *given)[0] == 0
    clf = polytomy.load(path)
    params = clf.get_params()
    wanted = {"max_leaves": 9, "procedure": "mansour-mcallester", "gamma": 0.2, "index": "sqrt"}
    wanted |= {"max_arity": 3, "max_depth": 4, "min_samples_leaf": 5, "pruner": "pessimistic"}
    assert {name: params[name] for name in wanted} == wanted
    kinds = {c.name: c.kind for c in clf._model.schema}
    assert "mpg" not in kinds
    assert "weight" not in kinds
    assert kinds["year"] == kinds["cylinders"] == "nominal"
    assert kinds["horsepower"] == "ordered"


def test_parquet_gives_the_model_that_csv_gives(run, cars, tmp_path):
    frame = pd.read_csv(cars)
    frame["origin"] = frame["origin"].astype("category")
    frame.to_parquet(tmp_path / "cars.parquet")
    told = []
    for data in (cars, tmp_path / "cars.parquet"):
        fit = ["fit", data, "--target", "origin", "-o", tmp_path / "m.json"]
        out = run(*fit, "--categorical", "year", "--weights", "cylinders", "--seed", 1)[1]
        told.append((out, polytomy.load(tmp_path / "m.json").to_text()))
    assert told[0] == told[1]


@pytest.mark.parametrize("leaves", ["cv", "none", "5"])
def test_budgets(run, cars, tmp_path, leaves):
    path = tmp_path / "m.json"
    assert run("fit", cars, "--target", "origin", "-o", path, "--leaves", leaves)[0] == 0
    wanted = {"cv": "cv", "none": None}.get(leaves, 5)
    assert polytomy.load(path).get_params()["max_leaves"] == wanted


def test_rows_kept_back_are_told_and_drawn_by_the_seed(run, tumours, tmp_path):
    path = tmp_path / "m.json"
    fit = ["fit", tumours, "--target", "diagnosis", "-o", path, "--test-fraction", 0.25]
    first, again = run(*fit)[1], run(*fit)[1]
    assert first == again == run(*fit, "--seed", 0)[1]
    assert first != run(*fit, "--seed", 1)[1]
    assert re.search(r"training error +\d+\.\d% of 427 rows\n", first)
    assert re.search(r"test error +\d+\.\d% of 142 rows not seen\n", first)
    train = polytomy.load(path)._model.grown
    assert int(train.rows[0]) == 427


def test_boosting(run, tumours, tmp_path):
    path = tmp_path / "m.json"
    args = ["fit", tumours, "--target", "diagnosis", "-o", path, "--boost", 5]
    code, out, err = run(*args, "--algorithm", "adaboost")
    assert (code, err) == (0, "")
    assert re.search(r"^rounds +5\ntrees +5\n", out, re.M)
    assert polytomy.load(path).get_params()["verbose"] == 0


def test_rows_without_a_target_can_be_left_out(run, table, tmp_path):
    path = table("x,y\n1,1\n2,\n3,2\n4,2\n")
    code, out, _ = run("fit", path, "--target", "y", "-o", tmp_path / "m.json", "--drop-unlabelled")
    assert code == 0
    assert out.startswith("3 rows, 1 columns\n")
    assert polytomy.load(tmp_path / "m.json").classes_.tolist() == [1, 2]


def test_a_column_that_counts_rows_is_left_out(run, table, tmp_path):
    lines = [f"{i},{i % 5},{'ab'[i % 5 > 2]}\n" for i in range(30)]
    path = table(",x,y\n" + "".join(lines))
    fit = ["fit", path, "--target", "y", "-o", tmp_path / "m.json"]
    out = run(*fit)[1]
    assert "left out column_1: it counts the rows (--numeric column_1 keeps it)\n" in out
    assert "left out" not in run(*fit, "--numeric", "column_1")[1]


def test_the_model_may_go_to_stdout(run, cars, tmp_path):
    code, out, err = run("fit", cars, "--target", "origin", "-o", "-", "--leaves", 3)
    assert code == 0
    assert "leaves           3\n" in err
    path = tmp_path / "m.json"
    path.write_text(out)
    assert polytomy.load(path).n_leaves_ == 3


def test_a_warning_is_one_line(run, table, tmp_path):
    path = table("x,y\n1,a\n2,b\n3,a\n4,b\n")
    fit = ["fit", path, "--target", "y", "-o", tmp_path / "m.json"]
    code, _, err = run(*fit, "--index", "error")
    assert code == 0
    assert err.startswith("polytomy: warning: ")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--leaves", "many"], "must be a whole number, cv or none, got 'many'"),
        (["--leaves", "0"], "max_leaves must be an integer of at least 1"),
        (["--procedure", "x"], "procedure must be one of per-leaf, hatano"),
        (["--gamma", "0.3"], "gamma is for procedure='mansour-mcallester'"),
        (["--index", "x"], "index"),
        (["--prune", "x"], "pruner must be one of reduced-error"),
        (["--algorithm", "samme"], "--algorithm is for boosting: add --boost ROUNDS"),
        (["--boost", "5", "--prune", "chi-square"], "--prune is for one tree"),
        (["--boost", "5", "--leaves", "cv"], "--leaves cv is for one tree"),
        (["--boost", "0"], "n_rounds must be an integer of at least 1"),
        (["--boost", "5", "--algorithm", "adaboost"], "class"),
        (["--jobs", "two"], "--jobs"),
    ],
)
def test_options_that_mean_nothing(refused, cars, tmp_path, more, said):
    path = tmp_path / "m.json"
    assert said in refused("fit", cars, "--target", "origin", "-o", path, *more)
    assert not path.exists()
