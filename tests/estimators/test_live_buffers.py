"""Fits while another thread writes to their arrays: a model or an error, never a crash.

The fits run in a process of their own, because a corrupted heap would end the tests. The C++ tests
(``tests/cpp/test_live_buffers.cpp``) run the kernels under a sanitizer in the same way.
"""

import subprocess
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from multiprocessing.shared_memory import SharedMemory
from pathlib import Path

import numpy as np

import polytomy

_ROWS = 33_000  # long enough for the quantiles to be counted in several passes


@contextmanager
def _written(*arrays: np.ndarray) -> Iterator[None]:
    """Write random cells to arrays from another thread."""
    stopped = threading.Event()

    def write() -> None:
        rng = np.random.default_rng(1)
        while not stopped.is_set():
            for array in arrays:
                n = max(1, len(array) // 50)
                cells = rng.normal(scale=rng.choice([1e-3, 1.0, 1e6]), size=(n, *array.shape[1:]))
                if array.dtype.kind == "f" and rng.random() < 0.5:
                    cells[:: int(rng.integers(1, 9))] = np.nan
                if array.dtype.kind == "i":
                    cells = rng.integers(-2, 6, cells.shape)
                array[rng.integers(0, len(array), n)] = cells

    thread = threading.Thread(target=write)
    thread.start()
    try:
        yield
    finally:
        stopped.set()
        thread.join()


def _attempt(function, *arguments, **named) -> str:
    """Return the name of what became of a call."""
    try:
        function(*arguments, **named)
    except Exception as error:
        return type(error).__name__
    return "model"


def _fits(X: np.ndarray, rounds: int) -> Iterator[str]:
    rng = np.random.default_rng(0)
    X[:] = rng.normal(size=X.shape)
    y = (X[:, 0] > X[:, 1]).astype(np.int64)
    values, weights = X[:, 0] + X[:, 1], np.ones(len(X))
    model = polytomy.TreeClassifier(8).fit(X.copy(), y)
    forest = polytomy.BoostedTreeClassifier(3).fit(X.copy(), y)
    with _written(X, y, values, weights):
        for n_jobs, weigh in product([1, 2], [None, weights]):
            for _ in range(rounds):
                tree = polytomy.TreeClassifier(8, n_jobs=n_jobs)
                yield _attempt(tree.fit, X, y, sample_weight=weigh)
                still = (np.arange(len(X)) % 3).astype(np.int64)
                yield _attempt(tree.fit, X, still, sample_weight=weigh)
                regressor = polytomy.TreeRegressor(8, n_jobs=n_jobs)
                yield _attempt(regressor.fit, X, values, sample_weight=weigh)
                yield _attempt(model.predict_proba, X)
                yield _attempt(forest.predict_proba, X)


def main(folder: str) -> None:
    """Fit on an array, on a memory map and on shared memory, and print the outcomes."""
    warnings.simplefilter("ignore")
    shape = _ROWS, 2
    outcomes = list(_fits(np.empty(shape), 2))
    mapped = np.memmap(Path(folder) / "cells", dtype=np.float64, mode="w+", shape=shape)
    outcomes += _fits(mapped, 1)
    memory = SharedMemory(create=True, size=mapped.nbytes)
    try:
        outcomes += _fits(np.ndarray(shape, buffer=memory.buf), 1)
    finally:
        memory.unlink()
    print(*sorted(set(outcomes)))


def test_fit_survives_writes_to_its_arrays(tmp_path):
    command = [sys.executable, __file__, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "model" in done.stdout.split()


if __name__ == "__main__":
    main(sys.argv[1])
