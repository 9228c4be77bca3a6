"""Races: everybody does the same job, in turn, several times.

A round runs each contestant once, so that a disturbance hits all alike. The least time of the
rounds counts; the figures to read are the ratios, with their spread over the rounds.
"""

import gc
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

# Waiting threads of OpenMP spin, which ruins the peers' times if anything else runs; so they sleep.
# It is read when a peer is loaded, so this module must be imported before.
WAITING = os.environ.setdefault("OMP_WAIT_POLICY", "passive")

SHORT = 0.02  # seconds: a run that takes less is made of so many goes in a row as take as long
SLOW = ((10.0, 1), (3.0, 2))  # a run of over so many seconds is repeated at most so often


@dataclass
class Contestant:
    """One who runs: what it does, and how long each run took; ``refused`` says why it did not."""

    name: str
    do: Callable[[], Any]
    runs: list[float] = field(default_factory=list)
    refused: str | None = None
    result: Any = None
    goes: int = 0  # in a run

    def run(self) -> None:
        """Run once and remember the time of a go; the first result is kept until looked at.

        Small jobs are done many times in a row, as they are where they matter; otherwise what the
        one before left in the caches would be measured.
        """
        if self.goes == 0:
            begin = perf_counter()
            self.result = self.do()
            taken = perf_counter() - begin
            self.goes = max(1, int(SHORT / taken))
            if self.goes == 1:
                self.runs.append(taken)
                return
        begin = perf_counter()
        for _ in range(self.goes):
            self.do()
        self.runs.append((perf_counter() - begin) / self.goes)

    @property
    def least(self) -> float:
        """The seconds of the fastest run."""
        return min(self.runs)

    def may_run(self, rounds: int) -> bool:
        """Say whether it takes part in one more round."""
        if self.refused:
            return False
        most = next((n for limit, n in SLOW if self.runs and self.least > limit), rounds)
        return len(self.runs) < most


def run_in_turn(everyone: Sequence[Contestant], rounds: tuple[int, int], until: float) -> None:
    """Run everyone once a round: at least and at most so many rounds.

    Between the two a round is only begun if it would end before a moment of the clock.
    """
    fewest, most = rounds
    for done in range(most):
        coming = [c for c in everyone if c.may_run(most)]
        expected = sum(c.least * c.goes for c in coming if c.runs)
        if not coming or (done >= fewest and perf_counter() + expected > until):
            return
        gc.collect()
        for contestant in coming:
            contestant.run()


def ratios(ours: Sequence[float], theirs: Sequence[float]) -> dict[str, float]:
    """Return the ratio of the least times, and the least and the most of the ratios of a round."""
    by_round = [a / b for a, b in zip(ours, theirs, strict=False)]
    return {"ratio": min(ours) / min(theirs), "least": min(by_round), "most": max(by_round)}
