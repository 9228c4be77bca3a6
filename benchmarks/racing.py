"""What the speed benchmarks share: contestants that run in turn, and tables of their times.

Every contestant does the same job. A repeat runs each of them once, in turn, and the least time
counts, so that a disturbance hits all alike; the figures to read are the ratios.
"""

import json
import os
import platform
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

# Waiting threads of OpenMP spin, which ruins the peers' times if anything else runs; so they sleep.
# It is read when a peer is loaded, so this module must be imported before.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
with suppress(ImportError):  # the scripts say what is missing
    import lightgbm

PEER = "LightGBM"
TUNED = f"{PEER} col-wise"  # spared the search for the faster of its two layouts
UNITS = {"seconds": 1, "ms": 1000}  # of one second

Step = tuple[str, Callable[[Any], Any]]  # its name and what it does
Data = tuple[Any, np.ndarray]  # a table and its labels
Grade = tuple[int, float]  # leaves, error


@dataclass(frozen=True)
class Case:
    """What is grown."""

    rows: int
    columns: int
    leaves: int
    threads: int


@dataclass
class Contestant:
    """One way to a result: named steps, each fed by the one before; ``grade`` judges the last."""

    race: str
    name: str
    steps: tuple[Step, ...]
    start: Any
    grade: Callable[[Any], Grade]
    most_runs: float = np.inf
    runs: list[dict[str, float]] = field(default_factory=list)
    graded: Grade = (0, 0.0)

    def run(self) -> None:
        """Take every step once and remember its time."""
        result, seconds = self.start, {}
        for name, step in self.steps:
            begin = perf_counter()
            result = step(result)
            seconds[name] = perf_counter() - begin
        self.runs.append(seconds)
        if len(self.runs) == 1:
            self.graded = self.grade(result)

    @property
    def totals(self) -> list[float]:
        """The seconds of each run."""
        return [sum(seconds.values()) for seconds in self.runs]

    @property
    def least(self) -> float:
        """The seconds of the fastest run."""
        return min(self.totals)

    def plain(self) -> dict[str, Any]:
        """Return the outcome as plain data."""
        leaves, error = self.graded
        graded = {"leaves": leaves, "training_error": error, "runs": self.runs}
        return {"race": self.race, "name": self.name, "seconds": self.least, **graded}


@dataclass(frozen=True)
class Aim:
    """A number that should not exceed a limit."""

    what: str
    value: float
    limit: float
    unit: str

    @property
    def met(self) -> bool:
        """Whether it does not."""
        return self.value <= self.limit

    def __str__(self) -> str:
        says = "met" if self.met else "missed"
        return (
            f"target: {self.what:<24}{self.value:8.3f} {self.unit}, at most {self.limit:g}: {says}"
        )

    def plain(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {"what": self.what, "value": self.value, "limit": self.limit, "met": self.met}


def make_data(case: Case, seed: int = 0) -> Data:
    """Draw the rows, in place and in small chunks: nothing but the data takes memory."""
    rng = np.random.default_rng(seed)
    x = np.empty((case.rows, case.columns), dtype=np.float32)
    y = np.empty(case.rows, dtype=np.int64)
    for start in range(0, case.rows, 8192):
        part = x[start : start + 8192]
        rng.standard_normal(dtype=np.float32, out=part)
        score = part[:, 0] - 0.5 * part[:, 1] + part[:, 2] * part[:, 3] + np.sin(3 * part[:, 4])
        y[start : start + 8192] = score + rng.standard_normal(len(part), dtype=np.float32) > 0
    return x, y


def lightgbm_steps(case: Case, **layout: bool) -> tuple[Step, ...]:
    """Return LightGBM's steps, limited as ours by nothing but the number of leaves."""
    free = {"min_data_in_leaf": 1, "min_sum_hessian_in_leaf": 0.0, "feature_pre_filter": False}
    params = {"objective": "binary", "num_leaves": case.leaves, "max_bin": 255, **free}
    params |= {"num_threads": case.threads, "verbose": -1, **layout}
    return (
        ("dataset", lambda d: lightgbm.Dataset(d[0], label=d[1], params=params).construct()),
        ("train", lambda binned: lightgbm.train(params, binned, num_boost_round=1)),
    )


def grade_by(scores: Callable[[Any], np.ndarray], y: np.ndarray, model: Any) -> Grade:
    """Return a peer's leaves and training error; rows of one score share a leaf."""
    values, leaf = np.unique(scores(model), return_inverse=True)
    counts = np.bincount(2 * leaf + y, minlength=2 * len(values)).reshape(-1, 2)
    return len(values), float(1 - counts.max(axis=1).sum() / len(y))


def refuse_without(missing: str | None) -> bool:
    """Say which peer is not installed, if one is not."""
    if missing:
        print(f"{missing} is not installed; run: pip install 'polytomy[bench]'", file=sys.stderr)
    return missing is not None


def machine(packages: Sequence[str]) -> dict[str, Any]:
    """Describe where this runs, and with what."""
    model = platform.processor() or "unknown processor"
    with suppress(OSError, StopIteration):
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        model = next(x.partition(":")[2].strip() for x in lines if x.startswith("model name"))
    versions = {"python": platform.python_version()} | {p: version(p) for p in packages}
    return {"cpus": os.cpu_count(), "cpu": model, "load": os.getloadavg()[0], "versions": versions}


def print_head(case: Case, where: dict[str, Any]) -> None:
    """Print what is measured, and where."""
    print(", ".join(f"{value:,} {name}" for name, value in asdict(case).items()))
    software = ", ".join(f"{name} {number}" for name, number in where["versions"].items())
    print(f"{where['cpus']} cpus, {where['cpu']}; {software}")
    if where["load"] > 0.5:
        print(f"The machine is busy (load {where['load']:.1f}); the times will mislead.")


def run_in_turn(everyone: Sequence[Contestant], repeats: int, quiet: bool = False) -> None:
    """Run everyone once a repeat, in turn."""
    for repeat in range(repeats):
        if not quiet:
            print(f"repeat {repeat + 1} of {repeats}", file=sys.stderr)
        for contestant in everyone:
            if repeat < contestant.most_runs:
                contestant.run()


def print_race(
    title: str, part: Sequence[Contestant], peer_name: str = PEER, unit: str = "seconds"
) -> None:
    """Print the table of one race."""
    peer = next(c.least for c in part if c.name == peer_name)
    print(f"\n{title:<22}{unit:>9}  max/min  / {peer_name}  leaves   error  phases")
    for c in part:
        share = f"{c.least / peer:{len(peer_name) + 4}.3f}"
        times = f"{c.least * UNITS[unit]:9.3f}{max(c.totals) / c.least:9.2f}{share}"
        best = c.runs[c.totals.index(c.least)]
        phases = ", ".join(f"{name} {seconds * UNITS[unit]:.3f}" for name, seconds in best.items())
        print(f"{c.name:<22}{times}{c.graded[0]:8}{c.graded[1]:8.4f}  {phases}")


def print_aims(aims: Sequence[Aim]) -> None:
    """Print whether each target is met."""
    print()
    for aim in aims:
        print(aim)


def save(path: Path, outcome: dict[str, Any]) -> None:
    """Write the outcome as JSON."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(outcome, indent=2) + "\n", encoding="utf-8")
