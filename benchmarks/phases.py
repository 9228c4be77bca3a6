"""Where the time of one fit goes, and how little each phase could take.

Every function of ``polytomy.kernels`` is wrapped with a timer while a TreeClassifier fits; what no
kernel takes is Python. The growth loop, one kernel, tells itself how long it counted and moved
rows; the rest of it is the search for options. The floor of a phase is the bytes it must read and
write, by the bandwidth of a threaded copy measured in the same process. Kernels run one at a time,
so times add up.
"""

import inspect
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from time import perf_counter
from typing import Any
from unittest.mock import patch

import numpy as np
from case import Size
from tables import Given, Recipe, table_of

from polytomy import TreeClassifier, kernels
from polytomy.estimators import base

# Kernel -> phase; any other kernel is a phase of its own name.
PHASES = {
    "find_cuts": "cuts",
    "encode": "binning",
    "accumulate": "histograms",
    "index_values": "options",
    "scatter": "scatter",
}
LABELS, PYTHON = "labels", "Python"
ORDER = (LABELS, "cuts", "binning", "histograms", "options", "scatter")
RUNS, COPIES = 7, 9


class Timers:
    """Seconds by phase; a call inside a timed call belongs to the outer one."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._inside = False

    def timed(self, phase: str, do: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that does the same and is timed."""

        def run(*args: Any, **named: Any) -> Any:
            if self._inside:
                return do(*args, **named)
            self._inside, begin = True, perf_counter()
            try:
                return do(*args, **named)
            finally:
                taken = perf_counter() - begin
                self.seconds[phase] = self.seconds.get(phase, 0.0) + taken
                self._inside = False

        return run

    def run(self, phase: str, begin: Callable[..., Any]) -> Callable[..., Any]:
        """Return a maker of runs whose methods are timed; what they tell apart is taken apart."""
        timers = self

        class Watched:
            def __init__(self, *args: Any) -> None:
                self._real = timers.timed(phase, begin)(*args)

            def __getattr__(self, name: str) -> Any:
                found = getattr(self._real, name)
                return timers.timed(phase, found) if callable(found) else found

            def tree(self) -> Any:
                made = timers.timed(phase, self._real.tree)()
                for part, seconds in zip(
                    ("histograms", "scatter"), self._real.seconds, strict=True
                ):
                    timers.seconds[part] = timers.seconds.get(part, 0.0) + seconds
                    timers.seconds[phase] -= seconds
                return made

        return Watched


@contextmanager
def watched() -> Iterator[Timers]:
    """Wrap every kernel, and the reading of labels, for a while."""
    timers = Timers()
    wrapped: dict[str, Any] = {}
    for name, known in vars(kernels).items():
        if name.startswith("_") or not getattr(known, "__module__", "").startswith(
            kernels.__name__
        ):
            continue
        phase = PHASES.get(name, name)
        if name == "growth_run":
            wrapped[name] = timers.run("options", known)
        elif not inspect.isclass(known):
            wrapped[name] = timers.timed(phase, known)
    reading = timers.timed(LABELS, base.read_labels)
    with patch.multiple(kernels, **wrapped), patch.object(base, "read_labels", reading):
        yield timers


def bandwidth(n_bytes: int, threads: int) -> float:
    """Return the bytes a second that a threaded copy reads and writes."""
    source = np.ones(n_bytes, dtype=np.uint8)
    sink = np.empty_like(source)
    parts = [slice(i * n_bytes // threads, (i + 1) * n_bytes // threads) for i in range(threads)]
    least = np.inf
    with ThreadPoolExecutor(threads) as pool:
        for _ in range(COPIES):
            begin = perf_counter()
            list(pool.map(lambda part: np.copyto(sink[part], source[part]), parts))
            least = min(least, perf_counter() - begin)
    return 2 * n_bytes / float(least)


def least_bytes(model: TreeClassifier, given: Given) -> dict[str, int]:
    """Return the bytes each phase must read and write for the tree that was grown.

    Counted are every row once at the root, and the rows of all children but the largest of each
    split; moved are the row numbers of every node that was split.
    """
    rows, columns = given.x.shape
    tree = model._model.grown
    inner = np.unique(tree.parent[tree.parent >= 0])
    largest = np.zeros(tree.n_nodes, dtype=np.int64)
    np.maximum.at(largest, tree.parent[1:], tree.rows[1:])
    counted = int((tree.rows[inner] - largest[inner]).sum())
    codes = sum(model._model.schema.n_codes())
    return {
        LABELS: rows * (given.y.itemsize + 2),
        "cuts": rows * columns * given.x.itemsize,
        "binning": rows * columns * (given.x.itemsize + 1),
        "histograms": rows * (columns + 2) + counted * (columns + 2 + 4),
        "options": 8 * codes * given.n_classes * tree.n_nodes,
        "scatter": int(tree.rows[inner].sum()) * (4 + 1 + 4),
    }


def split(given: Given, threads: int) -> tuple[dict[str, float], TreeClassifier]:
    """Return the seconds by phase of the fastest of several fits."""
    best: dict[str, float] = {}
    for _ in range(RUNS):
        with watched() as timers:
            begin = perf_counter()
            model = TreeClassifier(64, n_jobs=threads).fit(given.x, given.y)
            total = perf_counter() - begin
        seconds = timers.seconds | {PYTHON: total - sum(timers.seconds.values())}
        if not best or total < sum(best.values()):
            best = seconds
    return best, model


def measure(size: Size) -> dict[str, Any]:
    """Return the phases of a fit of 1,000,000 x 20, their floors, and the bandwidth."""
    given = table_of(Recipe(size.rows(1_000_000)))
    speed = bandwidth(given.x.nbytes, size.threads)
    seconds, model = split(given, size.threads)
    floors = {name: n / speed for name, n in least_bytes(model, given).items()}
    names = [*ORDER, *(n for n in seconds if n not in ORDER and n != PYTHON), PYTHON]
    phases = [
        {"name": name, "seconds": seconds.get(name, 0.0), "floor": floors.get(name)}
        for name in names
    ]
    rows, columns = given.x.shape
    return {"rows": rows, "columns": columns, "bandwidth": speed, "phases": phases}
