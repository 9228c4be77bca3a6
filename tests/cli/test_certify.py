"""``polytomy certify``."""

import numpy as np
import pandas as pd
import pytest

import polytomy


def test_certify_prints_the_certificate(run, model, boosted):
    for path in (model, boosted):
        assert run("certify", path) == (0, f"{polytomy.load(path).certificate_}\n", "")


def test_certify_verifies_against_the_training_data(run, model, cars, data_file):
    fewer = data_file("".join(cars.read_text().splitlines(keepends=True)[:-1]))
    clf = polytomy.load(model)
    for data, exit_code in ((cars, 0), (fewer, 1)):
        frame = pd.read_csv(data)
        report = polytomy.verify(clf, frame[list(clf.feature_names_in_)], frame["origin"])
        assert report.ok == (exit_code == 0)
        code, out, err = run("certify", model, data, "--target", "origin")
        assert (code, err) == (exit_code, "")
        assert out == f"{clf.certificate_}\n\n{report}\n"


def test_certify_splits_off_the_test_rows_of_fit(run, cars, tmp_path):
    path = tmp_path / "m.json"
    part = ["--target", "origin", "--weights", "cylinders", "--test-fraction", 0.3, "--seed", 4]
    assert run("fit", cars, "-o", path, *part)[0] == 0
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


def test_certify_refuses_to_verify_a_boosted_model(refuse, boosted, tumours):
    message = refuse("certify", boosted, tumours, "--target", "diagnosis")
    assert message == "only a single tree can be verified, but this model is boosted"
