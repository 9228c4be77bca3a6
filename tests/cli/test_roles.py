"""Columns with two roles, times with and without a zone, and numbers that mean nothing."""

import pytest


@pytest.fixture
def hours(tmp_path):
    """Write 48 hours, with a zone and without; the class is the half of the local day."""

    def written(zone, name):
        path = tmp_path / name
        stamps = [(f"2024-01-0{1 + h // 24}T{h % 24:02d}:00:00{zone}", h % 24) for h in range(48)]
        lines = [f"{stamp},{'am' if hour < 12 else 'pm'}" for stamp, hour in stamps]
        path.write_text("when,y\n" + "\n".join(lines) + "\n")
        return path

    return written("+02:00", "zoned.csv"), written("", "naive.csv")


def test_a_zone_is_kept_and_not_mixed_with_none(run, hours, tmp_path):
    zoned, naive = hours
    model = tmp_path / "m.json"
    for fitted, other in ((zoned, naive), (naive, zoned)):
        assert run("fit", fitted, "--target", "y", "-o", model)[0] == 0
        code, out, err = run("predict", model, fitted)
        assert code == 0
        assert out.split()[1:] == [line.split(",")[1] for line in fitted.read_text().split()[1:]]
        code, _, err = run("predict", model, other)
        assert code == 2
        assert "zone" in err


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (["--weights", "y"], "'y' is the target and cannot be the weights too"),
        (["--drop", "y"], "'y' is the target; --drop is for other columns"),
        (["--categorical", "y"], "'y' is the target; --categorical is for other columns"),
        (["--jobs", "0"], "0 threads do nothing"),
        (["--seed", "-1"], "Invalid value for '--seed'"),
        (["--leaves", "cv", "--seed", "99999999999999"], "Invalid value for '--seed'"),
    ],
)
def test_options_that_mean_nothing(run, hours, tmp_path, options, line):
    code, _, err = run("fit", hours[0], "--target", "y", "-o", tmp_path / "m.json", *options)
    assert code == 2
    assert line in err
    assert err.count("\n") == 1
