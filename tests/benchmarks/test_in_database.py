"""``benchmarks/in_database.py``: its options."""

import sys

import pytest

pytest.importorskip("duckdb")


def test_help_is_printed(monkeypatch, capsys):
    import in_database  # noqa: PLC0415  # needs duckdb

    monkeypatch.setattr(sys, "argv", ["in_database.py", "--help"])
    with pytest.raises(SystemExit) as exit:
        in_database.main()
    assert exit.value.code == 0
    assert "rows" in capsys.readouterr().out
