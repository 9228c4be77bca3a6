"""The report of a verification, and the ledger that collects its comparisons."""

from dataclasses import dataclass, field
from math import isfinite
from textwrap import fill
from typing import Any

TOLERANCE = 1e-9  # relative; a million times larger than rounding errors
_SHOWN = 20
_WIDTH = 100


@dataclass(frozen=True, slots=True)
class Finding:
    """A stated value that does not match the data, and where it is."""

    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


@dataclass(frozen=True, slots=True)
class Check:
    """One kind of comparison: how many were made, and how many failed."""

    name: str
    compared: int
    wrong: int


@dataclass(frozen=True, slots=True)
class Report:
    """The result of a verification; it is true if there are no findings.

    Attributes
    ----------
    findings : tuple of Finding
        The discrepancies, each with its place.
    checks : tuple of Check
        The comparisons that were made.
    notes : tuple of str
        Statements that could not be checked.
    """

    findings: tuple[Finding, ...]
    checks: tuple[Check, ...]
    notes: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether there are no findings."""
        return not self.findings

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        lines = [f"{'checked':<56}{'compared':>10}{'wrong':>7}"]
        lines += [f"{c.name:<56}{c.compared:>10}{c.wrong:>7}" for c in self.checks]
        lines.append("")
        lines += self._finding_lines() if self.findings else ["Verified: no discrepancies."]
        lines += [fill(f"Note: {note}", _WIDTH, subsequent_indent="  ") for note in self.notes]
        return "\n".join(lines)

    def __add__(self, other: "Report") -> "Report":
        """Return a report with the findings, checks and notes of both."""
        return Report(
            self.findings + other.findings, self.checks + other.checks, self.notes + other.notes
        )

    def _finding_lines(self) -> list[str]:
        n = len(self.findings)
        lines = [f"{n} finding{'s' if n > 1 else ''}:"]
        lines += [fill(f"- {f}", _WIDTH, subsequent_indent="  ") for f in self.findings[:_SHOWN]]
        if n > _SHOWN:
            lines.append(f"- and {n - _SHOWN} more")
        return lines


@dataclass(slots=True)
class Ledger:
    """Collects comparisons, grouped by the name of the check."""

    _tally: dict[str, list[int]] = field(default_factory=dict)
    _findings: list[Finding] = field(default_factory=list)
    _notes: list[str] = field(default_factory=list)
    _current: str = ""

    @property
    def ok(self) -> bool:
        """Whether there are no findings so far."""
        return not self._findings

    def begin(self, check: str) -> None:
        """Start a check, or continue one of the same name."""
        self._current = check
        self._tally.setdefault(check, [0, 0])

    def count(self, compared: int) -> None:
        """Add a number of successful comparisons."""
        self._tally[self._current][0] += compared

    def holds(self, truth: bool, where: str, what: str) -> bool:
        """Add a comparison; ``what`` is the finding if it fails. Return whether it holds."""
        tally = self._tally[self._current]
        tally[0] += 1
        if not truth:
            tally[1] += 1
            self._findings.append(Finding(where, what))
        return bool(truth)

    def same(self, stated: Any, found: Any, where: str, what: str) -> bool:
        """Compare values that must be equal."""
        sentence = f"{what} is stated as {stated}, found {found}"
        return self.holds(bool(stated == found), where, sentence)

    def close(self, stated: Any, found: float, where: str, what: str, scale: float = 0.0) -> bool:
        """Compare numbers up to the tolerance, relative to ``found`` or ``scale`` if larger."""
        shown = f"{stated:.12g}" if isinstance(stated, float) else str(stated)
        sentence = f"{what} is stated as {shown}, found {found:.12g}"
        return self.holds(is_close(stated, found, scale), where, sentence)

    def note(self, sentence: str) -> None:
        """Add a note about a statement that could not be checked."""
        self._notes.append(sentence)

    def report(self) -> Report:
        """Return the report of all comparisons so far."""
        checks = tuple(Check(name, *tally) for name, tally in self._tally.items())
        return Report(tuple(self._findings), checks, tuple(self._notes))


def is_close(stated: Any, found: float, scale: float = 0.0) -> bool:
    """Return whether two numbers agree up to the tolerance; nan equals nan, and inf equals inf."""
    if not isinstance(stated, int | float):
        return False
    if not (isfinite(stated) and isfinite(found)):
        return stated == found or (stated != stated and found != found)  # noqa: PLR0124
    return abs(stated - found) <= TOLERANCE * max(abs(found), scale)
