"""Fixtures for benchmarks: their folder on the path, and no data folder."""

from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(scope="module", autouse=True)
def _path():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(BENCHMARKS))
        yield


@pytest.fixture(scope="module")
def plan(_path):
    from quality import plan  # noqa: PLC0415

    return plan


@pytest.fixture
def no_folder(plan, monkeypatch, tmp_path):
    """Let the study find no data folder."""
    monkeypatch.delenv("POLYTOMY_DATA", raising=False)
    monkeypatch.setattr(plan, "data_folder", lambda: tmp_path)
    plan.sampled_table.cache_clear()
    yield
    plan.sampled_table.cache_clear()
