"""The documentation check: each omission, on classes and functions defined here."""

import subprocess
import sys
from pathlib import Path

import pytest

TOOLS = Path(__file__).parents[2] / "tools"

MODULE = '''
"""A module with public names."""

from collections.abc import Iterator
from dataclasses import dataclass

LIMIT = 3


def complete(a: int, b: float = 0.5, *, c: str | None = None) -> int:
    """Return a number.

    Parameters
    ----------
    a : int
        A number.
    b : float, default=0.5
        Another.
    c : str, optional
        A word.

    Returns
    -------
    int
        The number.
    """
    return a


def undocumented(a):
    return a


def no_returns(a: int) -> int:
    """Return a number.

    Parameters
    ----------
    a : int
        A number.
    """
    return a


def no_default(a: int = 1, b: str = "x", c: float = 2.0) -> None:
    """Do something.

    Parameters
    ----------
    a, b : int
        Numbers.
    c : float, default=3.0
        A number.
    """


def no_parameter(a: int, *args: int, **rest: int) -> Iterator[int]:
    """Yield numbers.

    Yields
    ------
    int
        A number.
    """
    yield a


@dataclass
class Pair:
    """Two numbers.

    Parameters
    ----------
    first : int
        A number.
    second : int, default=2
        Another.
    """

    first: int
    second: int = 2
    third: int = 3

    @property
    def total(self) -> int:
        return self.first + self.second

    def scaled(self, by: int) -> "Pair":
        """Return a multiple."""
        return Pair(self.first * by)

    def _hidden(self, by: int) -> int:
        return by


class Child(Pair):
    """A pair.

    Parameters
    ----------
    first, second, third : int, default=...
        Numbers.
    """


class MyError(ValueError):
    """Something went wrong."""


__all__ = ["LIMIT", "Child", "MyError", "Pair", "complete", "no_default", "no_parameter"]
__all__ += ["no_returns", "undocumented"]
'''


@pytest.fixture
def check(tmp_path):
    """Write a module and run the check on it."""

    def run(text):
        (tmp_path / "documented.py").write_text(text, encoding="utf-8")
        command = [sys.executable, str(TOOLS / "check_docs.py"), "documented"]
        path = {"PYTHONPATH": str(tmp_path)}
        result = subprocess.run(command, capture_output=True, text=True, check=False, env=path)
        assert result.stderr == ""
        return result.returncode, result.stdout.splitlines()

    return run


def test_check_reports_each_omission_once(check):
    code, (*lines, last) = check(MODULE)
    assert code == 1
    assert last == f"9 public names checked, {len(lines)} omissions"
    assert sorted(line.partition(" documented.")[2] for line in lines) == [
        "Pair.scaled: has no Returns section",
        "Pair.scaled: parameter by is not documented",
        "Pair.total: has no docstring",
        "Pair: parameter third is not documented",
        "no_default: parameter a does not state its default (1)",
        "no_default: parameter b does not state its default ('x')",
        "no_default: parameter c has the default 2.0, not 3.0",
        "no_parameter: parameter **rest is not documented",
        "no_parameter: parameter *args is not documented",
        "no_parameter: parameter a is not documented",
        "no_returns: has no Returns section",
        "undocumented: has no docstring",
    ]


def test_check_gives_file_and_line_of_the_definition(check, tmp_path):
    _, lines = check(MODULE)
    line = next(line for line in lines if "no_returns" in line)
    place, number = line.split(" ")[0].split(":")
    assert place == (tmp_path / "documented.py").as_posix()
    assert MODULE.splitlines()[int(number) - 1].startswith("def no_returns")


def test_check_accepts_complete_documentation(check):
    text = MODULE.partition("def undocumented")[0] + '__all__ = ["LIMIT", "complete"]\n'
    assert check(text) == (0, ["2 public names checked, 0 omissions"])
