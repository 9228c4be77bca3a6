"""``polytomy certify``."""

import numpy as np
import pandas as pd
import pytest

import polytomy


def test_certify_prints_the_certificate(run, model, boosted):
    for path in (model, boosted):
        assert run("certify", path) == (0, f"{polytomy.load(path).certificate_}\n", "")


@pytest.mark.parametrize("kind", ["tree", "boosted"])
def test_certify_verifies_against_the_training_data(run, request, data_file, kind):
    names = {"tree": ("model", "cars", "origin"), "boosted": ("boosted", "tumours", "diagnosis")}
    *fixtures, target = names[kind]
    model, whole = map(request.getfixturevalue, fixtures)
    fewer = data_file("".join(whole.read_text().splitlines(keepends=True)[:-1]))
    clf = polytomy.load(model)
    for data, exit_code in ((whole, 0), (fewer, 1)):
        frame = pd.read_csv(data)
        report = polytomy.verify(clf, frame[list(clf.feature_names_in_)], frame[target])
        assert report.ok == (exit_code == 0)
        code, out, err = run("certify", model, data, "--target", target)
        assert (code, err) == (exit_code, "")
        assert out == f"{clf.certificate_}\n\n{report}\n"


@pytest.mark.parametrize(
    "boosting",
    [[], *(["--boost", 5, "--algorithm", name] for name in ("adaboost-mh", "samme", "logitboost"))],
    ids=["tree", "adaboost-mh", "samme", "logitboost"],
)
def test_certify_splits_off_the_test_rows_of_fit(run, cars, tmp_path, boosting):
    path = tmp_path / "m.json"
    part = ["--target", "origin", "--weights", "cylinders", "--test-fraction", 0.3, "--seed", 4]
    assert run("fit", cars, "-o", path, *part, *boosting)[0] == 0
    assert run("certify", path, cars, *part)[0] == 0
    assert run("certify", path, cars, *part[:-2])[0] == 1


def test_certify_leaves_out_rows_held_out_for_pruning(run, tumours, tmp_path):
    path = tmp_path / "m.json"
    fit = ["fit", tumours, "--target", "diagnosis", "-o", path, "--prune", "reduced-error"]
    assert run(*fit, "--seed", 1)[0] == 0
    assert run("certify", path, tumours, "--target", "diagnosis")[0] == 0


def test_certify_accepts_classes_written_as_floats(run, data_file, tmp_path):
    path, x = tmp_path / "m.json", np.arange(30)
    data = data_file("x,y\n" + "".join(f"{v},{v // 10}\n" for v in x[::-1]))
    assert run("fit", data, "--target", "y", "-o", path)[0] == 0
    assert run("certify", path, data, "--target", "y")[0] == 0
    floats = data_file("x,y\n" + "".join(f"{v},{v // 10}.0\n" for v in x), "floats.csv")
    assert run("certify", path, floats, "--target", "y")[0] == 0
    assert "x" in run("show", path)[1]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["DATA"], "verifying needs the target: add --target COL"),
        (["--target", "origin"], "--target needs DATA, the file to verify against"),
        (["DATA", "--target", "orgin"], "did you mean 'origin'?"),
    ],
)
def test_certify_names_what_is_missing(refuse, model, cars, more, message):
    assert message in refuse("certify", model, *(cars if m == "DATA" else m for m in more))
