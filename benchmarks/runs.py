"""Timing one case: which libraries take part, the rounds, and their results.

A round runs each library once, so that a disturbance affects all alike. The shortest time of the
rounds counts. The figures to read are ratios, with their range over the rounds.
"""

import gc
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import numpy as np
from case import Case
from contenders import Contender, contender, is_installed
from tables import Data

SHORT = 0.02  # seconds: shorter jobs are repeated in a row for about this long
SLOW = ((10.0, 1), (3.0, 2))  # (seconds of a run, most runs if it takes longer)
PROBED = (400, 20)  # a job is first tried on these fractions of the rows,
LEAST_PROBE = 500  # if they have at least this number
TOO_LONG = 4  # a trial that takes this fraction of the limit is too slow
GRADED_ROWS = 20_000
FEWEST_ROUNDS = 3
IN_A_HURRY = 0.5  # share of its time below which a case has fewer rounds and lower limits
OVER = "not run, over"


@dataclass
class Contestant:
    """A library in one case: the function to time, its times, and why it was not run."""

    name: str
    do: Callable[[], Any]
    runs: list[float] = field(default_factory=list)
    refused: str | None = None
    result: Any = None
    repeats: int = 0  # of the job in a run

    def run(self) -> None:
        """Run once and record the time of the job; the first result is kept for grading.

        Small jobs are repeated many times in a row, as in practice; otherwise the state in which
        the library before left the caches would be measured.
        """
        if self.repeats == 0:
            begin = perf_counter()
            self.result = self.do()
            taken = perf_counter() - begin
            self.repeats = max(1, int(SHORT / taken))
            if self.repeats == 1:
                self.runs.append(taken)
                return
        begin = perf_counter()
        for _ in range(self.repeats):
            self.do()
        self.runs.append((perf_counter() - begin) / self.repeats)

    @property
    def least(self) -> float:
        """The seconds of the fastest run."""
        return min(self.runs)

    def may_run(self, rounds: int) -> bool:
        """Return whether it takes part in another round."""
        if self.refused:
            return False
        most = next((n for limit, n in SLOW if self.runs and self.least > limit), rounds)
        return len(self.runs) < most


@dataclass(frozen=True)
class Pressure:
    """The share of its planned time that a case gets, and the libraries known to be too slow."""

    tightness: float = 1.0
    slow: frozenset[str] = frozenset()

    @property
    def fewest(self) -> int:
        """The rounds that are run in any case."""
        if self.tightness <= 0:
            return 1
        return FEWEST_ROUNDS if self.tightness > IN_A_HURRY else FEWEST_ROUNDS - 1

    def limit(self, case: Case) -> float:
        """Return the limit of a run in seconds."""
        return round(case.limit * min(1.0, max(self.tightness, 0.05) / IN_A_HURRY), 1)


def run_case(case: Case, pressure: Pressure) -> dict[str, Any]:
    """Run a case within about its time; return the outcome as plain data."""
    data = case.make()
    contestants = [enter(case, name, data, pressure) for name in case.who]
    until = perf_counter() + case.seconds * pressure.tightness
    run_in_turn(contestants, (pressure.fewest, case.rounds), until)
    rows, columns = data.x.shape
    outcome = {"name": case.name, "key": case.key, "at": case.at, "rows": rows, "columns": columns}
    return outcome | {"contestants": [to_plain(case, c, data) for c in contestants]}


def enter(case: Case, name: str, data: Data, pressure: Pressure) -> Contestant:
    """Enter a library in a case, unless it cannot do the job or would take too long."""
    contestant = Contestant(name, lambda: None)
    if not is_installed(name):
        contestant.refused = "not installed"
        return contestant
    who, limit = contender(name), pressure.limit(case)
    is_needed = name.startswith("ours") or name in case.always
    contestant.refused = who.cannot(data, case.job)
    if pressure.tightness <= 0 and not is_needed:
        contestant.refused = "no time left"
    elif name in pressure.slow:
        contestant.refused = f"{OVER} {limit:g} s"
    if contestant.refused:
        return contestant
    try:
        if is_needed:
            limit = np.inf
        if expected_seconds(case, who, data, limit) > limit:
            contestant.refused = f"{OVER} {limit:g} s"
        else:
            contestant.do = case.prepare(who, data)
    except Exception as error:  # a failure of another library must not end the suite
        if name.startswith("ours"):
            raise
        contestant.refused = f"failed: {str(error).splitlines()[0][:80]}"
    return contestant


def expected_seconds(case: Case, who: Contender, data: Data, limit: float) -> float:
    """Estimate the time of a run from trials on some of the rows, which also warm up.

    The model is a fixed cost plus a cost per row, fitted to the last two trials.
    """
    rows = len(data.y)
    parts = [rows // share for share in PROBED if rows // share >= LEAST_PROBE] or [rows]
    trials: list[tuple[int, float]] = []
    for part in parts:
        do: Callable[[], Any] = case.prepare(who, data.first(part))
        seconds = timed(do)
        if not trials and seconds < limit:  # the first call includes loading the library
            seconds = timed(do)
        trials.append((part, seconds))
        if part < rows and seconds > limit / TOO_LONG:
            return np.inf
    (few, short), (many, long) = ((0, 0.0), *trials)[-2:]
    return long + max(long - short, 0.0) / (many - few) * (rows - many)


def timed(do: Callable[[], Any]) -> float:
    """Return the seconds of a call."""
    begin = perf_counter()
    do()
    return perf_counter() - begin


def run_in_turn(contestants: Sequence[Contestant], rounds: tuple[int, int], until: float) -> None:
    """Run everyone once per round.

    ``rounds`` are the smallest and the largest number of rounds. Above the smallest, a round only
    starts if it should end before ``until``.
    """
    fewest, most = rounds
    for done in range(most):
        ready = [c for c in contestants if c.may_run(most)]
        expected = sum(c.least * c.repeats for c in ready if c.runs)
        if not ready or (done >= fewest and perf_counter() + expected > until):
            return
        gc.collect()
        for contestant in ready:
            contestant.run()


def to_plain(case: Case, contestant: Contestant, data: Data) -> dict[str, Any]:
    """Return the outcome of a contestant as plain data."""
    outcome: dict[str, Any] = {"name": contestant.name, "refused": contestant.refused}
    if contestant.runs:
        outcome |= {"seconds": contestant.least, "runs": contestant.runs}
        outcome |= grade(case, contestant, data)
    return outcome


def grade(case: Case, contestant: Contestant, data: Data) -> dict[str, Any]:
    """Return the leaves and the training error of a fit, which show that all did the same job."""
    result, contestant.result = contestant.result, None
    if case.start is not None:
        return {}
    who = contender(contestant.name)
    part = data.first(GRADED_ROWS)
    predicted = who.predict(result, part, case.job)
    if part.is_numeric:  # relative to the error of the mean
        error = float(np.mean((predicted - part.y) ** 2) / part.y.var())
    else:
        error = float(np.mean(predicted != part.y))
    return {"leaves": who.leaves(result), "error": error}


def ratios(ours: Sequence[float], theirs: Sequence[float]) -> dict[str, float]:
    """Return the ratio of the shortest times, and the smallest and largest ratio of a round."""
    by_round = [a / b for a, b in zip(ours, theirs, strict=False)]
    return {"ratio": min(ours) / min(theirs), "least": min(by_round), "most": max(by_round)}
