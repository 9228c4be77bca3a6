"""Some of the failures that ``make faults`` injects; see tools/faults.py."""

import sys
from pathlib import Path
from shutil import which

import pytest

_TOOLS = Path(__file__).parents[2] / "tools"
pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or which("c++") is None, reason="needs LD_PRELOAD and a compiler"
)


@pytest.mark.parametrize(
    ("name", "kind", "later", "step"),
    [
        ("fit a classifier", "allocation", False, 1501),
        ("fit a classifier", "thread", True, 1),
        ("path with merging", "allocation", True, 997),
    ],
)
def test_failing_calls_are_errors_or_do_no_harm(name, kind, later, step, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(_TOOLS)
    faults = pytest.importorskip("faults")
    seen = faults.observed(faults.built_shim(tmp_path), name, kind, later, step)
    assert seen
    assert set(seen) <= faults.ALLOWED[kind]
