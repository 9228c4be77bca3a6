"""The time of each phase of one fit, and a lower bound for it.

Every function of ``polytomy.kernels`` is wrapped with a timer while a TreeClassifier fits; the rest
is Python. The growth engine, one kernel, measures itself how long it counts histograms and moves
rows; the rest of its time is the search for splits. The lower bound of a phase is the number of
bytes it must read and write, divided by the bandwidth of a threaded copy in the same process.
Kernels run one at a time, so their times add up.
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
from tables import Data, Recipe, table_of

from polytomy import TreeClassifier, kernels
from polytomy.estimators.base import models

LABELS, BINS, CODES, PYTHON = "labels", "bins", "codes", "Python"
HISTOGRAMS, SEARCH, MOVING = "histograms", "search", "moving rows"
ORDER = (LABELS, BINS, CODES, HISTOGRAMS, SEARCH, MOVING)
PHASES = {"find_cuts": BINS, "encode": CODES}  # any other kernel is a phase of its own name
RUNS, COPIES = 7, 9


class Timers:
    """Seconds by phase; a call inside a timed call belongs to the outer one."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._inside = False

    def add(self, phase: str, seconds: float) -> None:
        """Add some time to a phase."""
        self.seconds[phase] = self.seconds.get(phase, 0.0) + seconds

    def timed(self, phase: str, do: Callable[..., Any]) -> Callable[..., Any]:
        """Return the function with a timer around it."""

        def run(*args: Any, **named: Any) -> Any:
            if self._inside:
                return do(*args, **named)
            self._inside, begin = True, perf_counter()
            try:
                return do(*args, **named)
            finally:
                self.add(phase, perf_counter() - begin)
                self._inside = False

        return run

    def timed_engine(self, engine: Callable[..., Any]) -> Callable[..., Any]:
        """Return the engine's class with a timer around its methods.

        When the tree is read, the time of counting and moving is subtracted from the search.
        """
        timers = self

        class TimedRun:
            def __init__(self, *args: Any) -> None:
                self._run = timers.timed(SEARCH, engine)(*args)

            def __getattr__(self, name: str) -> Any:
                found = getattr(self._run, name)
                return timers.timed(SEARCH, found) if callable(found) else found

            def tree(self) -> Any:
                arrays = timers.timed(SEARCH, self._run.tree)()
                for phase, seconds in zip((HISTOGRAMS, MOVING), self._run.seconds, strict=True):
                    timers.add(phase, seconds)
                    timers.add(SEARCH, -seconds)
                return arrays

        return TimedRun


@contextmanager
def timed_kernels() -> Iterator[Timers]:
    """Put timers around every kernel, and around the reading of labels."""
    timers = Timers()
    wrapped: dict[str, Any] = {"GrowthRun": timers.timed_engine(kernels.GrowthRun)}
    for name, kernel in vars(kernels).items():
        own = getattr(kernel, "__module__", "").startswith(kernels.__name__)
        if own and not name.startswith("_") and not inspect.isclass(kernel):
            wrapped[name] = timers.timed(PHASES.get(name, name), kernel)
    reading = timers.timed(LABELS, models.read_labels)
    with patch.multiple(kernels, **wrapped), patch.object(models, "read_labels", reading):
        yield timers


def bandwidth(n_bytes: int, threads: int) -> float:
    """Return the bytes per second that a threaded copy reads and writes."""
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


def least_bytes(model: TreeClassifier, data: Data) -> dict[str, int]:
    """Return the bytes that each phase must read and write for the tree that was grown.

    Every row is counted once at the root, and the rows of all children of a split except the
    largest are counted again. The row numbers of every node that was split are moved.
    """
    rows, columns = data.x.shape
    tree = model._model.grown
    inner = np.unique(tree.parent[tree.parent >= 0])
    largest = np.zeros(tree.n_nodes, dtype=np.int64)
    np.maximum.at(largest, tree.parent[1:], tree.rows[1:])
    counted = int((tree.rows[inner] - largest[inner]).sum())
    codes = sum(model._model.schema.n_codes())
    return {
        LABELS: rows * (data.y.itemsize + 2),
        BINS: rows * columns * data.x.itemsize,
        CODES: rows * columns * (data.x.itemsize + 1),
        HISTOGRAMS: rows * (columns + 2) + counted * (columns + 2 + 4),
        SEARCH: 8 * codes * data.n_classes * tree.n_nodes,
        MOVING: int(tree.rows[inner].sum()) * (4 + 1 + 4),
    }


def time_phases(data: Data, threads: int) -> tuple[dict[str, float], TreeClassifier]:
    """Return the seconds by phase of the fastest of several fits."""
    best: dict[str, float] = {}
    for _ in range(RUNS):
        with timed_kernels() as timers:
            begin = perf_counter()
            model = TreeClassifier(64, n_jobs=threads).fit(data.x, data.y)
            total = perf_counter() - begin
        seconds = timers.seconds | {PYTHON: total - sum(timers.seconds.values())}
        if not best or total < sum(best.values()):
            best = seconds
    return best, model


def measure(size: Size) -> dict[str, Any]:
    """Return the phases of a fit of 1,000,000 x 20, their lower bounds, and the bandwidth."""
    data = table_of(Recipe(size.rows(1_000_000)))
    speed = bandwidth(data.x.nbytes, size.threads)
    seconds, model = time_phases(data, size.threads)
    bounds = {name: n / speed for name, n in least_bytes(model, data).items()}
    names = [*ORDER, *(n for n in seconds if n not in ORDER and n != PYTHON), PYTHON]
    phases = [
        {"name": name, "seconds": seconds.get(name, 0.0), "floor": bounds.get(name)}
        for name in names
    ]
    rows, columns = data.x.shape
    return {"rows": rows, "columns": columns, "bandwidth": speed, "phases": phases}
