"""A case: a table, a job, who does it, and what it may cost."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from contenders import Contender, Job
from tables import Given

ALL = (
    "ours",
    "LightGBM",
    "LightGBM col-wise",
    "XGBoost",
    "HistGradientBoosting",
    "YDF CART",
    "DecisionTree",
)
FAST = ("ours", "LightGBM", "XGBoost", "HistGradientBoosting")  # they can take ten million rows

Start = Callable[[Contender, Given, Job], Callable[[], Any]]


@dataclass(frozen=True)
class Case:
    """One line of a table: everybody named does the job on the table that ``make`` returns."""

    name: str  # in the tables
    key: str  # in the results; the targets and the figure look for it
    make: Callable[[], Given]
    job: Job = field(default_factory=Job)
    who: tuple[str, ...] = ALL
    start: Start | None = None  # what is timed; by default a fit of the raw table
    limit: float = 8.0  # seconds of a run, beyond which a peer is left out
    always: tuple[str, ...] = ("LightGBM",)  # peers that are run whatever it takes
    seconds: float = 8.0  # that all rounds together should take
    rounds: int = 7
    at: float = 0.0  # its place on the axis of its group
    memory: tuple[str, ...] = ()  # whose peak memory is measured too

    def started(self, contender: Contender, given: Given) -> Callable[[], Any]:
        """Return what is timed, everything before it done."""
        if self.start is not None:
            return self.start(contender, given, self.job)
        return lambda: contender.fit(given, self.job)


@dataclass(frozen=True)
class Group:
    """Cases of one table; ``axis`` names what grows along it, if anything does."""

    name: str
    title: str
    note: str
    cases: tuple[Case, ...]
    axis: str = ""


@dataclass(frozen=True)
class Size:
    """How large everything is: as the targets say, or a rehearsal."""

    quick: bool
    threads: int

    def rows(self, n: int) -> int:
        """Return how many rows stand for n."""
        return max(1000, n // 50) if self.quick else n

    def steps(self, *numbers: int) -> tuple[int, ...]:
        """Return the steps of an axis; a rehearsal leaves the last out."""
        return numbers[:-1] if self.quick else numbers

    def looked_at(self, *names: str) -> tuple[str, ...]:
        """Return whose memory is measured; a rehearsal does so for the rows alone."""
        return () if self.quick else names

    def job(self, leaves: int | None = 64, rounds: int = 1) -> Job:
        """Return a job with the threads of the run."""
        return Job(leaves, rounds, self.threads)
