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
        n = len(frame)
        other = f"Not verified: {n + 1} rows were fitted, {n} given; give the file that fit was "
        if exit_code == 0:
            assert out == f"{clf.certificate_}\n\n{report}\n"
        else:
            assert other in out


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
    assert run("certify", path, cars, *part[:-1], 5)[0] == 1
    code, _, err = run("certify", path, cars)
    assert code == 0
    assert err == (
        "This is the training file: 274 rows were fitted and 118 held out "
        "(--test-fraction 0.3 --seed 4).\n"
    )


def test_certify_leaves_out_rows_held_out_for_pruning(run, tumours, tmp_path):
    path = tmp_path / "m.json"
    fit = ["fit", tumours, "--target", "diagnosis", "-o", path, "--prune", "reduced-error"]
    assert run(*fit, "--seed", 1)[0] == 0
    assert run("certify", path, tumours, "--target", "diagnosis")[0] == 0


def test_certify_accepts_classes_written_as_floats(run, data_file, tmp_path):
    path, x = tmp_path / "m.json", np.arange(30)
    data = data_file("x,y\n" + "".join(f"{v},{v // 10}\n" for v in x[::-1]))
    assert run("fit", data, "--target", "y", "--numeric", "x", "-o", path)[0] == 0
    assert run("certify", path, data, "--target", "y")[0] == 0
    floats = data_file("x,y\n" + "".join(f"{v},{v // 10}.0\n" for v in x), "floats.csv")
    assert run("certify", path, floats, "--target", "y")[0] == 0
    assert "x" in run("show", path)[1]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--target", "origin"], "--target needs DATA, the file to verify against"),
        (["DATA", "--target", "orgin"], "did you mean 'origin'?"),
    ],
)
def test_certify_names_what_is_missing(refuse, model, cars, more, message):
    assert message in refuse("certify", model, *(cars if m == "DATA" else m for m in more))


def test_certify_says_how_many_rows_were_fitted_if_others_are_given(run, cars, tmp_path, data_file):
    path = tmp_path / "m.json"
    assert run("fit", cars, "--target", "origin", "-o", path, "--test-fraction", 0.25)[0] == 0
    shuffled = data_file("".join(sorted(cars.read_text().splitlines(keepends=True), reverse=True)))
    lines = shuffled.read_text().splitlines(keepends=True)
    header = cars.read_text().splitlines(keepends=True)[0]
    lines.remove(header)
    shuffled.write_text(header + "".join(lines))
    code, out, _ = run("certify", path, shuffled)
    assert code == 1
    assert "Not verified: 294 rows were fitted, 392 given; give the file that fit was given" in out
    assert "checked" not in out


def test_certify_needs_the_target_of_a_model_that_does_not_remember_it(refuse, cars, tmp_path):
    frame = pd.read_csv(cars)
    tree = polytomy.TreeClassifier(max_leaves=3).fit(frame[["mpg", "weight"]], frame["origin"])
    tree.save(tmp_path / "m.json")
    message = refuse("certify", tmp_path / "m.json", cars)
    assert message == "verifying needs the target: add --target COL"
