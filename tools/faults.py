"""Make small fits run out of memory, threads or luck, and count what follows.

Run ``python tools/faults.py [--step N] [--kills N]``, or ``make faults``. A C++ library that is
loaded first (``tests/faults/failing_calls.cpp``) fails call n of a kind, or that one and all later
ones, for many n:

- allocations of the C++ core, and arrays of NumPy: the call must end in MemoryError, or do no harm;
- thread starts: they must do no harm, since the result of fewer threads is the same.

The same call must succeed afterwards. Processes that write files are killed at random moments; see
``fault_kills``. The exit code is 1 if a process ended or a result was wrong.
"""

import ctypes
import os
import subprocess
import sys
import tempfile
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from shutil import which
from time import perf_counter
from typing import Any

import fault_kills
import numpy as np
from numpy._core import _multiarray_umath  # type: ignore[attr-defined]

import polytomy

_SHIM = Path(__file__).parent.parent / "tests" / "faults" / "failing_calls.cpp"
_KINDS = {"allocation": 0, "thread": 1, "array": 2}
_TITLES = {"allocation": "C++ allocations", "thread": "thread starts", "array": "NumPy arrays"}
_SET_HANDLER = 304  # the place of PyDataMem_SetHandler in the table of NumPy's C API
_SECONDS = 1800  # for one process
_MOST_ABORTS = 20  # of one scenario
_MOST = 500  # calls of one scenario that fail, unless a step is given
_HARMLESS, _REFUSED, _ABORT = "no harm", "MemoryError", "abort"
ALLOWED = {
    "allocation": {_HARMLESS, _REFUSED},
    "array": {_HARMLESS, _REFUSED},
    "thread": {_HARMLESS},
}

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


# ---- the process whose calls fail ----------------------------------------------------------------


class _Shim:
    """The library that makes calls of one kind fail."""

    def __init__(self, kind: str) -> None:
        self._library = ctypes.CDLL(None)
        self._library.calls_made.restype = ctypes.c_long
        self._number = _KINDS[kind]
        if kind == "array":
            self._take_arrays()

    def _take_arrays(self) -> None:
        """Let NumPy take the memory of its arrays from the library."""
        new = ctypes.pythonapi.PyCapsule_New
        new.restype = ctypes.py_object
        new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        place = ctypes.addressof(ctypes.c_char.in_dll(self._library, "array_handler"))
        table_of = ctypes.pythonapi.PyCapsule_GetPointer
        table_of.restype, table_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        table = table_of(_multiarray_umath._ARRAY_API, None)
        entry = ctypes.c_void_p.from_address(
            table + _SET_HANDLER * ctypes.sizeof(ctypes.c_void_p)
        ).value
        set_handler = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object)(entry or 0)
        set_handler(new(place, b"mem_handler", None))

    def fail_at(self, n: int, later: bool = False) -> None:
        """Let call n fail from now on, and later ones; 0 for none."""
        self._library.fail_at(self._number, ctypes.c_long(n), int(later))

    def calls_made(self) -> int:
        """Return the number of calls since ``fail_at``."""
        return int(self._library.calls_made(self._number))


def outcomes(name: str, kind: str, later: bool, begin: int, step: int) -> Iterator[tuple[int, str]]:
    """Yield what becomes of a scenario when call n fails, for n = begin, begin + step, ...

    Without a step, it is chosen so that about 500 calls fail. The first pair is the step.
    """
    with tempfile.TemporaryDirectory() as folder:
        scenario = scenarios(Path(folder))[name]
        expected = np.asarray(scenario())
        shim = _Shim(kind)
        shim.fail_at(0)
        scenario()
        step = step or max(1, round(shim.calls_made() / _MOST))
        yield step, "step"
        n, reached = begin, True
        while reached:
            outcome, found = "", np.empty(0)
            shim.fail_at(n, later)
            try:
                found = scenario()
            except MemoryError:
                outcome = _REFUSED
            except BaseException as error:  # what else it raises is the result
                # The loader of model files says in its own error that memory is short.
                is_short = "not enough memory" in str(error)
                outcome = _REFUSED if is_short else f"{type(error).__name__}: {str(error)[:80]}"
            finally:
                reached = shim.calls_made() >= n
                shim.fail_at(0)
            if reached:
                is_right = np.array_equal(found, expected)
                yield n, outcome or (_HARMLESS if is_right else "wrong result")
            n += step
        if not np.array_equal(scenario(), expected):
            yield n, "wrong result afterwards"


def _child() -> None:
    name, kind, later, begin, step = sys.argv[2:]
    for n, outcome in outcomes(name, kind, later == "1", int(begin), int(step)):
        print(n, outcome, flush=True)
    print("done", flush=True)


# ---- the process that counts ---------------------------------------------------------------------


def built_shim(folder: Path) -> Path:
    """Compile the library that makes calls fail; return its path."""
    shim = folder / "failing_calls.so"
    compiler = which("c++") or which("g++") or "c++"
    flags = ["-std=c++20", "-O1", "-shared", "-fPIC", "-fvisibility=hidden"]
    subprocess.run([compiler, *flags, str(_SHIM), "-o", str(shim), "-ldl"], check=True)
    return shim


def observed(shim: Path, name: str, kind: str, later: bool, step: int = 0) -> Counter[str]:
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
        lines = run.stdout.splitlines()
        done = lines[-1:] == ["done"]
        for line in lines[:-1] if done else lines:
            at, _, outcome = line.partition(" ")
            if outcome == "step":
                step = int(at)
                continue
            seen[outcome] += 1
            n = int(at) + step
        if not done:
            print(f"    ended at call {n}: {run.stderr.strip()[-200:]}")
            seen[_ABORT] += 1
            n += step or 1
        if seen[_ABORT] > _MOST_ABORTS:
            break
    return seen


def _disturbed(step: int) -> dict[str, Counter[str]]:
    """Disturb every scenario in every way, print the outcomes, and return those of each kind."""
    total: dict[str, Counter[str]] = {kind: Counter() for kind in _KINDS}
    with tempfile.TemporaryDirectory() as folder:
        shim = built_shim(Path(folder))
        for name in scenarios(Path(folder)):
            for kind in _KINDS:
                for later in (False, True):
                    seen = observed(shim, name, kind, later, 1 if kind == "thread" else step)
                    total[kind].update(seen)
                    calls = f"{kind}s from n on" if later else f"{kind} n"
                    print(f"{name:18} {calls:20} {_listed(seen)}", flush=True)
    return total


def _killed(n_kills: int) -> dict[str, fault_kills.Killed]:
    """Kill every job, print the outcomes, and return them. Few kills are of a cluster's workers."""
    found = {}
    names = fault_kills.names()
    for name in names:
        share = n_kills // 40 if name == "dask" else n_kills // (len(names) - ("dask" in names))
        found[name] = fault_kills.kills_of(name, max(1, share))
        result = found[name]
        print(f"kill during {name:11} {result.kills:6} kills: {_listed(result.seen)}", flush=True)
    return found


def _listed(seen: Counter[str]) -> str:
    return ", ".join(f"{n:,} {outcome}" for outcome, n in sorted(seen.items())) or "none made"


def _print_summary(
    total: dict[str, Counter[str]], killed: dict[str, fault_kills.Killed], seconds: float
) -> bool:
    """Print a table of all outcomes; return whether all were as they should be."""
    wrong_in_all = aborts_in_all = 0
    print(
        f"\n{'injected':24}{'tried':>9}{'MemoryError':>13}{'no harm':>9}{'wrong':>7}{'aborted':>9}"
    )
    rows = [(_TITLES[kind], seen) for kind, seen in total.items()]
    for name, result in killed.items():
        counts = {_HARMLESS: result.kills - len(result.wrong), "wrong": len(result.wrong)}
        rows.append((f"kills during {name}", Counter(counts)))
    for title, seen in rows:
        wrong = sum(n for how, n in seen.items() if how not in {_HARMLESS, _REFUSED, _ABORT})
        if title == _TITLES["thread"]:
            wrong += seen[_REFUSED]
        print(
            f"{title:24}{seen.total():>9,}{seen[_REFUSED]:>13,}{seen[_HARMLESS]:>9,}"
            f"{wrong:>7,}{seen[_ABORT]:>9,}"
        )
        wrong_in_all, aborts_in_all = wrong_in_all + wrong, aborts_in_all + seen[_ABORT]
    for name, result in killed.items():
        print("".join(f"kills during {name}: {problem}\n" for problem in result.wrong), end="")
    tried = sum(seen.total() for _, seen in rows)
    print(
        f"{tried:,} faults injected in {seconds:.0f} s: {wrong_in_all} wrong results, "
        f"{aborts_in_all} aborts"
    )
    return not wrong_in_all and not aborts_in_all


def main() -> int:
    """Inject all faults and print the outcomes."""
    parser = ArgumentParser(description="Fail allocations and thread starts, and kill processes.")
    parser.add_argument(
        "--step",
        type=int,
        default=0,
        help=f"fail every STEP-th call (default: {_MOST} of each kind)",
    )
    parser.add_argument("--kills", type=int, default=200, help="number of kills (default 200)")
    asked = parser.parse_args()
    start = perf_counter()
    killed = _killed(asked.kills) if asked.kills else {}
    total = _disturbed(asked.step)
    return int(not _print_summary(total, killed, perf_counter() - start))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        _child()
    else:
        sys.exit(main())
