"""Some of the failures that ``make faults`` injects; see tools/faults.py."""

import os
import sys
from shutil import which

import pytest

needs_preload = pytest.mark.skipif(
    sys.platform != "linux" or which("c++") is None, reason="needs LD_PRELOAD and a compiler"
)


@needs_preload
@pytest.mark.parametrize(
    ("name", "kind", "later", "step"),
    [
        ("fit a classifier", "allocation", False, 1501),
        ("fit a classifier", "thread", True, 1),
        ("path with merging", "allocation", True, 997),
        ("save and load", "array", False, 23),
    ],
)
def test_failing_calls_are_errors_or_do_no_harm(name, kind, later, step, tmp_path):
    import faults  # noqa: PLC0415

    seen = faults.observed(faults.built_shim(tmp_path), name, kind, later, step)
    assert seen
    assert set(seen) <= faults.ALLOWED[kind]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
@pytest.mark.parametrize(("name", "kills"), [("save", 20), ("checkpoint", 5), ("cache", 3)])
def test_killed_processes_leave_whole_files(name, kills):
    import fault_kills  # noqa: PLC0415

    if name not in fault_kills.JOBS:
        pytest.skip("needs pyarrow")
    result = fault_kills.kills_of(name, kills)
    assert result.kills == kills
    assert not result.wrong
