"""The command as tests run it, and the data files and models they share."""

import csv

import pytest
from sklearn.datasets import load_breast_cancer

from polytomy import Teacher, load
from polytomy.cli import entry
from polytomy.data import cars_csv
from polytomy.estimators import remember
from polytomy.estimators.fitting import effort


@pytest.fixture
def run(capfd, monkeypatch):
    """Run the command in this process; return its exit code, stdout and stderr."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1780000000")
    for name in ("FORCE_COLOR", "NO_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)

    def call(*args):
        with pytest.raises(SystemExit) as exit:
            entry.main([str(a) for a in args])
        printed = capfd.readouterr()
        return exit.value.code or 0, printed.out, printed.err

    return call


@pytest.fixture
def refuse(run):
    """Run the command on bad input; return the line it prints."""

    def call(*args):
        code, out, err = run(*args)
        assert (code, out) == (2, "")
        assert err.startswith("polytomy: ")
        assert err.count("\n") == 1
        assert "Traceback" not in err
        return err.removeprefix("polytomy: ").rstrip("\n")

    return call


@pytest.fixture
def forget(tmp_path):
    """Return a copy of a model file that remembers nothing of its training data."""

    def call(path):
        model, copy = load(path), tmp_path / "forgetful.json"
        remember(model, None)
        model.save(copy)
        return copy

    return call


@pytest.fixture
def few_trees(monkeypatch):
    """Let teachers have few trees and rows."""
    few = {"n_estimators": 8, "synthetic_rows": 100, "folds": 2}
    defaults = Teacher.__init__.__kwdefaults__
    monkeypatch.setattr(Teacher.__init__, "__kwdefaults__", {**defaults, **few})
    for name, own in effort.EFFORTS.items():
        if own.teacher is not None:
            monkeypatch.setitem(effort.EFFORTS, name, own._replace(teacher=Teacher()))


@pytest.fixture(scope="session")
def tables(tmp_path_factory):
    """A folder with the cars and scikit-learn's breast tumours, as CSV."""
    folder = tmp_path_factory.mktemp("tables")
    (folder / "cars.csv").write_bytes(cars_csv())
    tumours = load_breast_cancer()
    with (folder / "tumours.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*tumours.feature_names, "diagnosis"])
        named = tumours.target_names[tumours.target]
        rows = zip(tumours.data.tolist(), named, strict=True)
        writer.writerows([*row, name] for row, name in rows)
    return folder


@pytest.fixture(scope="session")
def cars(tables):
    return tables / "cars.csv"


@pytest.fixture(scope="session")
def tumours(tables):
    return tables / "tumours.csv"


@pytest.fixture(scope="session")
def model(cars, tmp_path_factory):
    """A tree of 12 leaves that predicts where a car was made."""
    path = tmp_path_factory.mktemp("models") / "cars.json"
    _fit(cars, "--target", "origin", "--leaves", "12", "-o", path)
    return path


@pytest.fixture(scope="session")
def boosted(tumours, tmp_path_factory):
    """A boosted model of ten rounds that classifies tumours."""
    path = tmp_path_factory.mktemp("models") / "tumours.json"
    stumps = ["--boost", "10", "--algorithm", "adaboost-real"]
    _fit(tumours, "--target", "diagnosis", *stumps, "-o", path)
    return path


def _fit(*args):
    with pytest.raises(SystemExit) as exit:
        entry.main(["fit", *map(str, args)])
    assert not exit.value.code
