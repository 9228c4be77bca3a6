"""The speed of the way from a raw array to a tree, beside that of the peers.

Every contestant grows one tree of as many leaves on the same rows. A repeat runs each of them once,
in turn, and the least time counts, so that a disturbance hits all alike; the figures to read are
the ratios. Two races:

- raw: from a row-major float32 array; ours takes exact quantiles of all rows, the peers of a sample
- encoded: the tree alone, on columns that are binned already

The rise of the peak memory is measured in a process of its own.
"""

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import partial
from importlib.metadata import version
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from polytomy.encode import Target, encode
from polytomy.grow import GrowParams, grow
from polytomy.table import Table
from polytomy.tree import Tree

# Waiting threads of OpenMP spin, which ruins the peers' times if anything else runs; so they sleep.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
MISSING = None  # a peer that is not installed
try:
    import lightgbm
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.tree import DecisionTreeClassifier
    from threadpoolctl import threadpool_limits
except ImportError as error:
    MISSING = error.name

RESULTS = Path(__file__).parent / "results" / "grow_speed.json"
PACKAGES = ("numpy", "polytomy", "lightgbm", "scikit-learn")
OURS = (("per-leaf", "gini"), ("hatano", "sqrt"))
PEER = "LightGBM"
TUNED = f"{PEER} col-wise"  # spared the search for the faster of its two layouts
TARGETS = {"raw": 1 / 4, "encoded": 1.0}  # at most this share of the peer's time
CELL_BYTES, ROW_BYTES = 2, 16  # the memory budget

Step = tuple[str, Callable[[Any], Any]]  # its name and what it does
Data = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Case:
    """What is grown."""

    rows: int
    columns: int
    leaves: int
    threads: int


@dataclass
class Contestant:
    """One way to a tree: named steps, each fed by the one before; ``grade`` judges the last."""

    race: str
    name: str
    steps: tuple[Step, ...]
    start: Any
    grade: Callable[[Any], tuple[int, float]]
    runs: list[dict[str, float]] = field(default_factory=list)
    graded: tuple[int, float] = (0, 0.0)  # leaves, training error

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


def our_steps(case: Case, way: tuple[str, str]) -> tuple[Step, ...]:
    """Return the steps of one of our procedures."""
    params = GrowParams(max_leaves=case.leaves, procedure=way[0], index=way[1])
    return (
        ("cuts+codes", lambda d: (encode(Table.of(d[0]), threads=case.threads), d[1])),
        ("target", lambda d: (d[0], Target.of(d[1]))),
        ("grow", lambda d: grow(*d, params, threads=case.threads).tree),
    )


def our_grade(tree: Tree) -> tuple[int, float]:
    """Return a tree's leaves and training error."""
    held = tree.counts[tree.leaves()]
    return tree.n_leaves, float(1 - held.max(axis=1).sum() / held.sum())


def lightgbm_steps(case: Case, **layout: bool) -> tuple[Step, ...]:
    """Return LightGBM's steps, limited as ours by nothing but the number of leaves."""
    free = {"min_data_in_leaf": 1, "min_sum_hessian_in_leaf": 0.0, "feature_pre_filter": False}
    params = {"objective": "binary", "num_leaves": case.leaves, "max_bin": 255, **free}
    params |= {"num_threads": case.threads, "verbose": -1, **layout}
    return (
        ("dataset", lambda d: lightgbm.Dataset(d[0], label=d[1], params=params).construct()),
        ("train", lambda binned: lightgbm.train(params, binned, num_boost_round=1)),
    )


def sklearn_steps(estimator: Any, case: Case) -> tuple[Step, ...]:
    """Return the one step of a scikit-learn estimator."""
    estimator.set_params(max_leaf_nodes=case.leaves)
    limited = threadpool_limits.wrap(limits=case.threads, user_api="openmp")
    return (("fit", limited(lambda d: estimator.fit(*d))),)


def grade_by(scores: Callable[[Any], np.ndarray], y: np.ndarray, model: Any) -> tuple[int, float]:
    """Return a peer's leaves and training error; rows of one score share a leaf."""
    values, leaf = np.unique(scores(model), return_inverse=True)
    counts = np.bincount(2 * leaf + y, minlength=2 * len(values)).reshape(-1, 2)
    return len(values), float(1 - counts.max(axis=1).sum() / len(y))


def contestants(case: Case, data: Data, with_sklearn_tree: bool) -> list[Contestant]:
    """Return everyone who takes part, in the order in which they run."""
    x, y = data
    by_score = partial(grade_by, lambda model: model.predict(x, raw_score=True), y)
    steps = {"/".join(way): (our_steps(case, way), our_grade) for way in OURS}
    steps[PEER] = (lightgbm_steps(case), by_score)
    steps[TUNED] = (lightgbm_steps(case, force_col_wise=True), by_score)
    everyone = [Contestant("raw", name, known, data, g) for name, (known, g) in steps.items()]
    hist = HistGradientBoostingClassifier(max_iter=1, min_samples_leaf=1, early_stopping=False)
    by_decision = partial(grade_by, lambda model: model.decision_function(x), y)
    peers = [("HistGradientBoosting", hist, by_decision)]
    if with_sklearn_tree:
        by_leaf = partial(grade_by, lambda model: model.apply(x), y)
        peers.append(("DecisionTree", DecisionTreeClassifier(), by_leaf))
    everyone += [Contestant("raw", n, sklearn_steps(e, case), data, g) for n, e, g in peers]
    for name, (known, grade) in steps.items():
        encoded = data
        for _, step in known[:-1]:
            encoded = step(encoded)
        everyone.append(Contestant("encoded", name, known[-1:], encoded, grade))
    return everyone


def high_water() -> int:
    """Return the most memory the process has held, in bytes, since the mark was last lowered."""
    with suppress(OSError, StopIteration):
        lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
        return next(1024 * int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else 1024 * peak


def measure_memory(case: Case) -> dict[str, int]:
    """Return the rise of the peak memory while the default procedure encodes and grows."""
    small = Case(1000, case.columns, 4, case.threads)
    for which in (small, case):  # the small one loads what is loaded on first use
        ours = Contestant("raw", "", our_steps(which, OURS[0]), make_data(which), our_grade)
        with suppress(OSError):  # lowers the mark; if not, it is where making the data left it
            Path("/proc/self/clear_refs").write_text("5", encoding="utf-8")
        before = high_water()
        ours.run()
    budget = (CELL_BYTES * case.columns + ROW_BYTES) * case.rows
    return {"rise": high_water() - before, "budget": budget}


def memory_elsewhere(case: Case) -> dict[str, int]:
    """Measure the memory in a fresh process."""
    given = [f"--{name}={value}" for name, value in asdict(case).items()]
    command = [sys.executable, __file__, "--memory", *given]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def machine() -> dict[str, Any]:
    """Describe where this runs, and with what."""
    model = platform.processor() or "unknown processor"
    with suppress(OSError, StopIteration):
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        model = next(x.partition(":")[2].strip() for x in lines if x.startswith("model name"))
    versions = {"python": platform.python_version()} | {p: version(p) for p in PACKAGES}
    return {"cpus": os.cpu_count(), "cpu": model, "load": os.getloadavg()[0], "versions": versions}


def print_race(race: str, title: str, everyone: list[Contestant]) -> None:
    """Print the table of one race."""
    part = [c for c in everyone if c.race == race]
    peer = next(c.least for c in part if c.name == PEER)
    print(f"\n{title:<22}  seconds  max/min  / {PEER}  leaves   error  phases")
    for c in part:
        times = f"{c.least:9.3f}{max(c.totals) / c.least:9.2f}{c.least / peer:12.3f}"
        best = c.runs[c.totals.index(c.least)]
        phases = ", ".join(f"{name} {seconds:.3f}" for name, seconds in best.items())
        print(f"{c.name:<22}{times}{c.graded[0]:8}{c.graded[1]:8.4f}  {phases}")


def print_targets(everyone: list[Contestant], memory: dict[str, int]) -> list[dict[str, Any]]:
    """Print whether each target of ours is met; return them as plain data."""
    peer = {c.race: c.least for c in everyone if c.name == PEER}
    ours = [c for c in everyone if c.grade is our_grade]
    ratio = f"of {PEER}"
    rows = [(f"{c.race}, {c.name}", c.least / peer[c.race], TARGETS[c.race], ratio) for c in ours]
    rows.append(("memory above the input", memory["rise"] / 1e6, memory["budget"] / 1e6, "MB"))
    print()
    for what, value, limit, unit in rows:
        says = "met" if value <= limit else "missed"
        print(f"target: {what:<24}{value:8.3f} {unit}, at most {limit:g}: {says}")
    return [{"what": w, "value": v, "limit": m, "met": v <= m} for w, v, m, _ in rows]


def options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000, help="of the table (1000000)")
    parser.add_argument("--columns", type=int, default=20, help="of the table (20)")
    parser.add_argument("--leaves", type=int, default=64, help="of every tree (64)")
    parser.add_argument("--threads", type=int, default=2, help="of every contestant (2)")
    parser.add_argument("--repeats", type=int, default=7, help="runs of every contestant (7)")
    parser.add_argument("--with-sklearn-tree", action="store_true", help="40 s a repeat more")
    parser.add_argument("--memory", action="store_true", help="measure memory only; print JSON")
    given = parser.parse_args()
    if given.columns < 5 or min(given.rows, given.leaves, given.threads, given.repeats) < 1:
        parser.error("--columns must be at least 5, the other numbers at least 1")
    return given


def main() -> int:
    """Run the races; return the exit code."""
    given = options()
    case = Case(given.rows, given.columns, given.leaves, given.threads)
    if given.memory:
        print(json.dumps(measure_memory(case)))
        return 0
    if MISSING:
        print(f"{MISSING} is not installed; run: pip install 'polytomy[bench]'", file=sys.stderr)
        return 1
    where = machine()
    print(", ".join(f"{value:,} {name}" for name, value in asdict(case).items()))
    software = ", ".join(f"{name} {number}" for name, number in where["versions"].items())
    print(f"{where['cpus']} cpus, {where['cpu']}; {software}")
    if where["load"] > 0.5:
        print(f"The machine is busy (load {where['load']:.1f}); the times will mislead.")
    memory = memory_elsewhere(case)
    everyone = contestants(case, make_data(case), given.with_sklearn_tree)
    for repeat in range(given.repeats):
        print(f"repeat {repeat + 1} of {given.repeats}", file=sys.stderr)
        for contestant in everyone:
            contestant.run()
    print_race("raw", "from the raw array", everyone)
    print_race("encoded", "on encoded columns", everyone)
    targets = print_targets(everyone, memory)
    runs = [contestant.plain() for contestant in everyone]
    outcome = {"case": asdict(case), "machine": where, "targets": targets, "contestants": runs}
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(outcome, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
