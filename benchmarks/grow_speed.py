"""The speed of the way from a raw array to a tree, beside that of the peers.

Every contestant grows one tree of as many leaves on the same rows, and the least time of the
repeats counts; the figures to read are the ratios. Two races:

- raw: from a row-major float32 array; ours takes exact quantiles of all rows, the peers of a sample
- encoded: the tree alone, on columns that are binned already

The rise of the peak memory is measured in a process of its own.
"""

import argparse
import json
import resource
import subprocess
import sys
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from racing import (
    PEER,
    TUNED,
    Aim,
    Case,
    Contestant,
    Data,
    Step,
    grade_by,
    lightgbm_steps,
    machine,
    make_data,
    print_aims,
    print_head,
    print_race,
    refuse_without,
    run_in_turn,
    save,
)

from polytomy.encode import Target, encode
from polytomy.grow import GrowParams, grow
from polytomy.table import Table
from polytomy.tree import Tree

MISSING = None  # a peer that is not installed
try:
    import lightgbm  # noqa: F401  # used by racing
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.tree import DecisionTreeClassifier
    from threadpoolctl import threadpool_limits
except ImportError as error:
    MISSING = error.name

RESULTS = Path(__file__).parent / "results" / "grow_speed.json"
PACKAGES = ("numpy", "polytomy", "lightgbm", "scikit-learn")
OURS = (("per-leaf", "gini"), ("hatano", "sqrt"))
TARGETS = {"raw": 1 / 4, "encoded": 1.0}  # at most this share of the peer's time
CELL_BYTES, ROW_BYTES = 2, 16  # the memory budget


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


def sklearn_steps(estimator: Any, case: Case) -> tuple[Step, ...]:
    """Return the one step of a scikit-learn estimator."""
    estimator.set_params(max_leaf_nodes=case.leaves)
    limited = threadpool_limits.wrap(limits=case.threads, user_api="openmp")
    return (("fit", limited(lambda d: estimator.fit(*d))),)


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


def aims(everyone: list[Contestant], memory: dict[str, int]) -> list[Aim]:
    """Return our targets."""
    peer = {c.race: c.least for c in everyone if c.name == PEER}
    ours = [c for c in everyone if c.grade is our_grade]
    ratio = f"of {PEER}"
    rows = [
        Aim(f"{c.race}, {c.name}", c.least / peer[c.race], TARGETS[c.race], ratio) for c in ours
    ]
    rise, budget = memory["rise"] / 1e6, memory["budget"] / 1e6
    return [*rows, Aim("memory above the input", rise, budget, "MB")]


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
    if refuse_without(MISSING):
        return 1
    where = machine(PACKAGES)
    print_head(case, where)
    memory = memory_elsewhere(case)
    everyone = contestants(case, make_data(case), given.with_sklearn_tree)
    run_in_turn(everyone, given.repeats)
    print_race("from the raw array", [c for c in everyone if c.race == "raw"])
    print_race("on encoded columns", [c for c in everyone if c.race == "encoded"])
    targets = aims(everyone, memory)
    print_aims(targets)
    outcome = {"case": asdict(case), "machine": where, "targets": [t.plain() for t in targets]}
    save(RESULTS, outcome | {"contestants": [c.plain() for c in everyone]})
    return 0


if __name__ == "__main__":
    sys.exit(main())
