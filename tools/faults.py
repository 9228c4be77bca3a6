"""Make the n-th allocation or thread start of small fits fail, for every n, and count what follows.

Run ``python tools/faults.py [step]``, or ``make faults``; a step of 20 tries every 20th n. A C++
library that is loaded first (``tests/faults/failing_calls.cpp``) fails one call, or that one and
all later ones. A failed allocation must end in MemoryError, or do no harm. A failed thread start
must do no harm: the result is that of fewer threads, which is the same. The exit code is 1 if a
process ended or a result was wrong.
"""

import ctypes
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from shutil import which
from typing import Any

import numpy as np

import polytomy

_SHIM = Path(__file__).parent.parent / "tests" / "faults" / "failing_calls.cpp"
_KINDS = {"allocation": 0, "thread": 1}
_SECONDS = 1800  # for one process
_MOST_ABORTS = 20  # of one scenario
_HARMLESS, _REFUSED, _ABORT = "no harm", "MemoryError", "abort"
ALLOWED = {"allocation": {_HARMLESS, _REFUSED}, "thread": {_HARMLESS}}

Scenario = Callable[[], Any]


def scenarios(folder: Path) -> dict[str, Scenario]:
    """Return the calls to disturb; each returns an array that says whether it is right."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12_000, 4)).round(2)
    X[::50, 1] = np.nan
    y = (X[:, 0] > X[:, 2]).astype(int) + (X[:, 3] > 1)
    small, many = slice(0, 400), np.tile(X, (3, 1))
    tree = polytomy.TreeClassifier(8, n_jobs=4).fit(X, y)
    full = polytomy.TreeClassifier(None, n_jobs=4).fit(X[small], y[small])
    boosted = polytomy.BoostedTreeClassifier(5, n_jobs=4).fit(X, y > 0)
    path = folder / "model.json"

    def save() -> Any:
        tree.save(path)
        return polytomy.load(path).predict(X[small])

    return {
        "fit a classifier": lambda: polytomy.TreeClassifier(6, n_jobs=4).fit(X, y).predict(X),
        "fit a regressor": lambda: polytomy.TreeRegressor(6, n_jobs=4).fit(X, X[:, 0]).predict(X),
        "boost": lambda: polytomy.BoostedTreeClassifier(2, n_jobs=4).fit(X, y > 0).predict(X),
        "grow a forest": lambda: (
            polytomy.ForestClassifier(2, random_state=0, n_jobs=4).fit(X[small], y[small])
        ).predict(X[small]),
        "predict": lambda: tree.predict_proba(many),
        "vote": lambda: boosted.predict_proba(many),
        "prune": lambda: full.prune("pessimistic").predict(X[small]),
        "path of prunings": lambda: full.pruning_path().training_errors,
        "path with merging": lambda: full.pruning_path(merge=True).at(4).predict(X[small]),
        "save and load": save,
    }


def outcomes(name: str, kind: str, later: bool, begin: int, step: int) -> Iterator[tuple[int, str]]:
    """Yield what becomes of a scenario when call n fails, for n = begin, begin + step, ..."""
    shim = ctypes.CDLL(None)
    shim.calls_made.restype = ctypes.c_long
    number = _KINDS[kind]
    with tempfile.TemporaryDirectory() as folder:
        scenario = scenarios(Path(folder))[name]
        expected = np.asarray(scenario())
        n, reached = begin, True
        while reached:
            shim.fail_at(number, ctypes.c_long(n), int(later))
            try:
                found = scenario()
            except MemoryError:
                outcome = _REFUSED
            except BaseException as error:  # what else it raises is the result
                outcome = f"{type(error).__name__}: {error}"
            else:
                outcome = _HARMLESS if np.array_equal(found, expected) else "wrong result"
            finally:
                reached = shim.calls_made(number) >= n
                shim.fail_at(number, ctypes.c_long(0), 0)
            if reached:
                yield n, outcome
            n += step
        if not np.array_equal(scenario(), expected):
            yield n, "wrong result afterwards"


def _child() -> None:
    name, kind, later, begin, step = sys.argv[2:]
    for n, outcome in outcomes(name, kind, later == "1", int(begin), int(step)):
        print(n, outcome, flush=True)
    print("done", flush=True)


def built_shim(folder: Path) -> Path:
    """Compile the library that makes calls fail; return its path."""
    shim = folder / "failing_calls.so"
    compiler = which("c++") or which("g++") or "c++"
    flags = ["-std=c++20", "-O1", "-shared", "-fPIC", "-fvisibility=hidden"]
    subprocess.run([compiler, *flags, str(_SHIM), "-o", str(shim), "-ldl"], check=True)
    return shim


def observed(shim: Path, name: str, kind: str, later: bool, step: int) -> Counter[str]:
    """Return the outcomes of one scenario; a process that ends is started again after that call."""
    seen: Counter[str] = Counter()
    n, done = 1, False
    while not done:
        asked = name, kind, str(int(later)), str(n), str(step)
        run = subprocess.run(
            [sys.executable, __file__, "--child", *asked],
            env={**os.environ, "LD_PRELOAD": str(shim)},
            capture_output=True,
            text=True,
            check=False,
            timeout=_SECONDS,
        )
        *lines, last = run.stdout.splitlines() or [""]
        done = last == "done"
        for line in lines if done else run.stdout.splitlines():
            at, _, outcome = line.partition(" ")
            seen[outcome] += 1
            n = int(at) + step
        if not done:
            print(f"    ended at call {n}: {run.stderr.strip()[-200:]}")
            seen[_ABORT] += 1
            n += step
        if seen[_ABORT] > _MOST_ABORTS:
            break
    return seen


def main() -> int:
    """Disturb every scenario in every way and print the outcomes."""
    step = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    total: Counter[tuple[str, str]] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        shim = built_shim(Path(folder))
        for name in scenarios(Path(folder)):
            for kind in _KINDS:
                for later in (False, True):
                    seen = observed(shim, name, kind, later, step if kind == "allocation" else 1)
                    total.update({(kind, outcome): n for outcome, n in seen.items()})
                    calls = f"{kind}s from n on" if later else f"{kind} n"
                    print(f"{name:18} {calls:18} {dict(seen)}", flush=True)
    for kind in _KINDS:
        of_kind = {outcome: n for (k, outcome), n in total.items() if k == kind}
        print(f"{sum(of_kind.values())} failures of {kind}s injected: {of_kind}")
    return int(any(outcome not in ALLOWED[kind] for kind, outcome in total))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        _child()
    else:
        sys.exit(main())
