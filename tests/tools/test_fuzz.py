"""The fuzzers: past failures stay fixed, random tables equal the oracles, crashes are counted."""

import os
import signal
from argparse import Namespace
from itertools import islice

import fuzz
import numpy as np
import pytest
from fuzz_corpus import described, recorded, result_of, write
from fuzz_tables import CHECKS, table_outcome, table_records

TABLES = {"classes": 60, "numbers": 60, "runtimes": 12, "compiled": 2}


@pytest.mark.parametrize("record", recorded(), ids=described)
def test_past_failures_stay_fixed(record):
    assert not fuzz.failed(result_of(record)), record["why"]


@pytest.mark.parametrize("check", CHECKS)
def test_random_tables_equal_the_oracles(check):
    for record in islice(table_records(check, np.random.default_rng(7)), TABLES[check]):
        assert table_outcome(record) == "equal", record


def test_a_difference_from_the_oracle_is_found():
    record = next(table_records("classes", np.random.default_rng(0)))
    other = {**record["columns"], "c0": record["columns"]["c0"][:-1]}
    assert fuzz.failed(table_outcome({**record, "columns": other}))


def kill_self():
    os.kill(os.getpid(), signal.SIGKILL)


def one_by_one(_random):
    """Attempts that are refused, accepted, and end the process."""

    def attempts():
        for act in (lambda: "refused", lambda: "ACCEPTED it", kill_self):
            yield {"kind": "field", "model": "m", "path": ["a", 0], "value": 1}, act

    return fuzz.Turns([attempts()])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_what_ends_the_process_is_counted(monkeypatch):
    monkeypatch.setitem(fuzz.FUZZERS, "fields", one_by_one)
    monkeypatch.setattr(fuzz, "recorded", list)
    monkeypatch.setattr(fuzz, "_MOST_DEATHS", 2)
    asked = Namespace(seconds=60.0, tries=100, seed=0, only=["fields"])
    summary = fuzz._watched(asked)
    ended = [f["result"] for f in summary.failures if "process ended" in f["result"]]
    assert len(ended) == 2  # the second process begins anew, and ends in the same way
    assert summary.counts["WRONG"] == 2
    assert "m, a.0 = 1: ACCEPTED it" in list(summary.lines())


def test_failures_are_written_and_read_again(tmp_path):
    records = [{"kind": "field", "model": "m", "path": ["a", 0], "value": float("inf")}]
    write(records, tmp_path / "folder" / "failures.json")
    assert recorded(tmp_path / "folder" / "failures.json") == records
