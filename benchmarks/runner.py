"""Running one case: who may take part, the rounds, and what became of them."""

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from case import Case
from contenders import Contender, contender, is_installed
from racing import Contestant, run_in_turn
from tables import Given

PROBED = (400, 20)  # a run is tried on these parts of the rows,
LEAST_PROBE = 500  # if they are at least so many
TOO_LONG = 4  # a try that takes this part of the limit says enough
GRADED_ROWS = 20_000
FEWEST_ROUNDS = 3
IN_A_HURRY = 0.5  # tightness below which there are fewer, and lower limits
OVER = "not run, over"


@dataclass(frozen=True)
class Pressure:
    """How much of its time a case gets, and who was too slow on an easier one."""

    tightness: float = 1.0
    slow: frozenset[str] = frozenset()

    @property
    def fewest(self) -> int:
        """The rounds that are run in any case."""
        if self.tightness <= 0:
            return 1
        return FEWEST_ROUNDS if self.tightness > IN_A_HURRY else FEWEST_ROUNDS - 1

    def limit(self, case: Case) -> float:
        """Return the limit of a run."""
        return round(case.limit * min(1.0, max(self.tightness, 0.05) / IN_A_HURRY), 1)


def run_case(case: Case, pressure: Pressure) -> dict[str, Any]:
    """Run a case within about its time; return its outcome as plain data."""
    given = case.make()
    everyone = [entered(case, name, given, pressure) for name in case.who]
    until = perf_counter() + case.seconds * pressure.tightness
    run_in_turn(everyone, (pressure.fewest, case.rounds), until)
    rows, columns = given.x.shape
    outcome = {"name": case.name, "key": case.key, "at": case.at, "rows": rows, "columns": columns}
    return outcome | {"contestants": [plain(case, c, given) for c in everyone]}


def entered(case: Case, name: str, given: Given, pressure: Pressure) -> Contestant:
    """Enter a contender, unless it cannot do the job or would take too long."""
    contestant = Contestant(name, lambda: None)
    if not is_installed(name):
        contestant.refused = "not installed"
        return contestant
    who, limit = contender(name), pressure.limit(case)
    is_needed = name.startswith("ours") or name in case.always
    contestant.refused = who.cannot(given, case.job)
    if pressure.tightness <= 0 and not is_needed:
        contestant.refused = "no time left"
    elif name in pressure.slow:
        contestant.refused = f"{OVER} {limit:g} s"
    if contestant.refused:
        return contestant
    try:
        if is_needed:
            limit = np.inf
        if expected(case, who, given, limit) > limit:
            contestant.refused = f"{OVER} {limit:g} s"
        else:
            contestant.do = case.started(who, given)
    except Exception as error:  # a peer that fails must not end the run of all others
        if name.startswith("ours"):
            raise
        contestant.refused = f"failed: {str(error).splitlines()[0][:80]}"
    return contestant


def expected(case: Case, who: Contender, given: Given, limit: float) -> float:
    """Return how long a run would take, by tries on parts of the rows; they warm up, too.

    From the last two tries, time is taken to be a fixed cost and a cost a row.
    """
    rows = len(given.y)
    parts = [rows // share for share in PROBED if rows // share >= LEAST_PROBE] or [rows]
    tries: list[tuple[int, float]] = []
    for part in parts:
        do: Callable[[], Any] = case.started(who, given.first(part))
        seconds = timed(do)
        if not tries and seconds < limit:  # the first call loads what is loaded on first use
            seconds = timed(do)
        tries.append((part, seconds))
        if part < rows and seconds > limit / TOO_LONG:
            return np.inf
    (few, short), (many, long) = ((0, 0.0), *tries)[-2:]
    return long + max(long - short, 0.0) / (many - few) * (rows - many)


def timed(do: Callable[[], Any]) -> float:
    """Return the seconds of a call."""
    begin = perf_counter()
    do()
    return perf_counter() - begin


def plain(case: Case, contestant: Contestant, given: Given) -> dict[str, Any]:
    """Return what became of a contestant."""
    told: dict[str, Any] = {"name": contestant.name, "refused": contestant.refused}
    if contestant.runs:
        told |= {"seconds": contestant.least, "runs": contestant.runs}
        told |= graded(case, contestant, given)
    return told


def graded(case: Case, contestant: Contestant, given: Given) -> dict[str, Any]:
    """Return leaves and training error of a fit, to see that everybody did the same job."""
    result, contestant.result = contestant.result, None
    if case.start is not None:
        return {}
    who = contender(contestant.name)
    part = given.first(GRADED_ROWS)
    error = float(np.mean(who.predict(result, part, case.job) != part.y))
    return {"leaves": who.leaves(result), "error": error}
