"""What a verification looked at and what it found, and the ledger it is written in."""

from dataclasses import dataclass, field
from math import isfinite
from textwrap import fill
from typing import Any

TOLERANCE = 1e-9  # relative; rounding stays a million times below
_SHOWN = 20
_WIDTH = 100


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is not as stated."""

    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


@dataclass(frozen=True, slots=True)
class Check:
    """One kind of statement: how many were compared, and how many were wrong."""

    name: str
    compared: int
    wrong: int


@dataclass(frozen=True, slots=True)
class Report:
    """The outcome of a verification; true where nothing was found.

    Attributes
    ----------
    findings : tuple of Finding
        What is not as stated, each with its place.
    checks : tuple of Check
        What was looked at.
    notes : tuple of str
        What rests on the grower's word.
    """

    findings: tuple[Finding, ...]
    checks: tuple[Check, ...]
    notes: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing was found."""
        return not self.findings

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        lines = [f"{'checked':<56}{'compared':>10}{'wrong':>7}"]
        lines += [f"{c.name:<56}{c.compared:>10}{c.wrong:>7}" for c in self.checks]
        lines.append("")
        lines += self._told() if self.findings else ["Nothing found: all is as stated."]
        lines += [fill(f"Note: {note}", _WIDTH, subsequent_indent="  ") for note in self.notes]
        return "\n".join(lines)

    def __add__(self, other: "Report") -> "Report":
        """Return what both found."""
        return Report(
            self.findings + other.findings, self.checks + other.checks, self.notes + other.notes
        )

    def _told(self) -> list[str]:
        n = len(self.findings)
        lines = [f"{n} finding{'s' if n > 1 else ''}:"]
        lines += [fill(f"- {f}", _WIDTH, subsequent_indent="  ") for f in self.findings[:_SHOWN]]
        if n > _SHOWN:
            lines.append(f"- and {n - _SHOWN} more")
        return lines


@dataclass(slots=True)
class Ledger:
    """Takes down every comparison under the name of its check."""

    _tally: dict[str, list[int]] = field(default_factory=dict)
    _findings: list[Finding] = field(default_factory=list)
    _notes: list[str] = field(default_factory=list)
    _current: str = ""

    def begin(self, check: str) -> None:
        """Begin a check, or go on with it."""
        self._current = check
        self._tally.setdefault(check, [0, 0])

    def count(self, compared: int) -> None:
        """Take down so many comparisons that held."""
        self._tally[self._current][0] += compared

    def holds(self, truth: bool, where: str, what: str) -> bool:
        """Take down whether something holds; ``what`` says that it does not."""
        tally = self._tally[self._current]
        tally[0] += 1
        if not truth:
            tally[1] += 1
            self._findings.append(Finding(where, what))
        return bool(truth)

    def same(self, stated: Any, own: Any, where: str, what: str) -> bool:
        """Compare a statement that must be met exactly."""
        return self.holds(bool(stated == own), where, f"{what} is stated as {stated}, found {own}")

    def close(self, stated: Any, own: float, where: str, what: str, scale: float = 0.0) -> bool:
        """Compare a number, relative to the larger of itself and ``scale``."""
        told = f"{stated:.12g}" if isinstance(stated, float) else str(stated)
        sentence = f"{what} is stated as {told}, found {own:.12g}"
        return self.holds(is_close(stated, own, scale), where, sentence)

    def note(self, sentence: str) -> None:
        """Add what could not be looked at."""
        self._notes.append(sentence)

    def report(self) -> Report:
        """Return what has been taken down."""
        checks = tuple(Check(name, *tally) for name, tally in self._tally.items())
        return Report(tuple(self._findings), checks, tuple(self._notes))


def is_close(stated: Any, own: float, scale: float = 0.0) -> bool:
    """Say whether two numbers agree up to the tolerance; nan agrees with nan, inf with inf."""
    if not isinstance(stated, int | float):
        return False
    if not (isfinite(stated) and isfinite(own)):
        return stated == own or (stated != stated and own != own)  # noqa: PLR0124
    return abs(stated - own) <= TOLERANCE * max(abs(own), scale)
