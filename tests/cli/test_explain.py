"""``polytomy explain``."""

import re

import pytest

import polytomy


def test_explain_counts_rows_from_one(run, model, cars):
    lines = cars.read_text().splitlines()
    header, seventh = (line.split(",") for line in (lines[0], lines[7]))
    code, out, err = run("explain", model, cars, "--row", 7)
    assert (code, err) == (0, "")
    cell = dict(zip(header, seventh, strict=True))["displacement"]
    assert out.startswith(f"1. displacement is {cell}, so ")
    assert re.search(r"\n=> \w+ \d+% \[\d+-\d+\] of new rows\n   in training \d+% of ", out)
    assert run("explain", model, cars, "--row", 392)[0] == 0


@pytest.mark.parametrize("row", [0, -1, 393])
def test_explain_refuses_a_row_that_does_not_exist(refuse, model, cars, row):
    message = refuse("explain", model, cars, "--row", row)
    assert message == f"Invalid value for --row: {cars} has rows 1 to 392, got {row}"


def test_explain_prints_what_columns_add_to_a_boosted_model(run, boosted, tumours):
    code, out, err = run("explain", boosted, tumours, "--row", 1)
    assert (code, err) == (0, "")
    clf = polytomy.load(boosted)
    assert out.splitlines()[0].startswith("start")
    assert re.search(r"\n=> (malignant|benign) \S+%\n$", out)
    assert len(out.splitlines()) == len(clf.ensemble_.additive.functions) + 3
