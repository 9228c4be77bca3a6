"""A case of the suite: a table, a job, the libraries that do it, and its limits."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from contenders import Contender, Job
from tables import Data

ALL = (
    "ours",
    "LightGBM",
    "LightGBM col-wise",
    "XGBoost",
    "HistGradientBoosting",
    "YDF CART",
    "DecisionTree",
)
FAST = ("ours", "LightGBM", "XGBoost", "HistGradientBoosting")  # fast enough for ten million rows

Start = Callable[[Contender, Data, Job], Callable[[], Any]]


@dataclass(frozen=True)
class Case:
    """One line of a table: several libraries do the same job on the same data."""

    name: str  # in the tables
    key: str  # in the results, where targets and figures find it
    make: Callable[[], Data]
    job: Job = field(default_factory=Job)
    who: tuple[str, ...] = ALL
    start: Start | None = None  # returns the function to time; by default a fit of the raw table
    limit: float = 8.0  # seconds of a run above which a library is left out
    always: tuple[str, ...] = ("LightGBM",)  # libraries that are run in any case
    seconds: float = 8.0  # planned for all rounds together
    rounds: int = 7
    at: float = 0.0  # position on the axis of the group
    memory: tuple[str, ...] = ()  # libraries whose peak memory is measured, too

    def prepare(self, contender: Contender, data: Data) -> Callable[[], Any]:
        """Return the function to time, with everything before it done."""
        if self.start is not None:
            return self.start(contender, data, self.job)
        return lambda: contender.fit(data, self.job)


@dataclass(frozen=True)
class Group:
    """The cases of one table; ``axis`` names the quantity that varies, if there is one."""

    name: str
    title: str
    note: str
    cases: tuple[Case, ...]
    axis: str = ""


@dataclass(frozen=True)
class Size:
    """The size of the whole run: full, or a quick trial on small tables."""

    quick: bool
    threads: int

    def rows(self, n: int) -> int:
        """Return the number of rows to use for n."""
        return max(1000, n // 50) if self.quick else n

    def steps(self, *numbers: int) -> tuple[int, ...]:
        """Return the steps of an axis; a quick trial omits the last."""
        return numbers[:-1] if self.quick else numbers

    def memory_of(self, *names: str) -> tuple[str, ...]:
        """Return the libraries whose memory is measured; none in a quick trial."""
        return () if self.quick else names

    def job(self, leaves: int | None = 64, rounds: int = 1) -> Job:
        """Return a job with the threads of the run."""
        return Job(leaves, rounds, self.threads)
