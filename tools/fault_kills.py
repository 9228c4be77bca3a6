"""Kill processes at random moments while they write, and check what is left and what comes next.

``tools/faults.py`` runs it. A process forks children that work in one folder, one after the other,
and kills each of them with SIGKILL. A child repeats its job until it is killed, and ends by itself
only if something is wrong:

- ``save``: two models are saved to the same file in turn. It must be one of the two, as a whole.
- ``checkpoint``: a boosted model is fitted with a checkpoint after every round. The next child goes
  on from it, and must end with the model of an uninterrupted fit.
- ``cache``: a table is scanned with files in ``cache_dir``, twice: from a file, and from a stream.
  The folder must be empty after a kill, and the model the same.
- ``dask``: a tree is fitted on a cluster of two processes, which are killed in turn. The fit must
  end with the same model, or with one ClusterError.

Temporary files that killed processes leave behind must be removed by a later one.
"""

import mmap
import os
import signal
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from random import Random
from threading import Thread
from time import perf_counter, sleep, time
from typing import Any

import numpy as np

import polytomy
from polytomy.estimators.base.files import to_file_bytes

_DRAFTS = ".polytomy-*.tmp"
_HOURS = 7200.0  # the age at which a temporary file counts as left behind, and more
_SWEEP = 20  # kills between two checks that temporary files are removed
_SLOWEST = 120  # seconds for a job, and for a fit on a cluster whose processes are killed

Work = Callable[[], None]


@dataclass(slots=True)
class Killed:
    """What became of the kills of one job."""

    kills: int = 0
    seen: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def add(self, outcome: str) -> None:
        """Count what was seen after a kill; in capital letters if it should not be."""
        if outcome.isupper():
            self.wrong.append(outcome.lower())
        else:
            self.seen[outcome] += 1


@dataclass(frozen=True, slots=True)
class Job:
    """What a child repeats until it is killed, and what is checked after that."""

    work: Work
    left: Callable[[], str]
    """Return what is left after a kill; in capital letters if it is wrong."""


# ---- jobs ----------------------------------------------------------------------------------------


def _rows(n_rows: int) -> tuple[Any, Any]:
    random = np.random.default_rng(0)
    X = random.normal(size=(n_rows, 4)).round(2)
    return X, (X[:, 0] > X[:, 1]).astype(int) + (X[:, 2] > 1)


def _save_job(folder: Path) -> Job:
    """Save two models to one file in turn."""
    X, y = _rows(2000)
    models = [polytomy.TreeClassifier(n, n_jobs=1).fit(X, y) for n in (4, 150)]
    whole = {to_file_bytes(model): name for model, name in zip(models, ("old", "new"), strict=True)}
    path = folder / "model.json"
    path.write_bytes(to_file_bytes(models[0]))

    def work() -> None:
        for model in reversed(models):
            model.save(path)

    def left() -> str:
        data = path.read_bytes()
        if data not in whole:
            return f"A PARTIAL FILE OF {len(data)} BYTES"
        polytomy.load(path)
        return f"the {whole[data]} file, whole"

    return Job(work, left)


def _checkpoint_job(folder: Path) -> Job:
    """Fit a boosted model with a checkpoint after every round; go on from one that is there."""
    X, y = _rows(300)
    path = folder / "run" / "checkpoint.json"
    resumed = mmap.mmap(-1, 8)  # shared with the children: the number of fits that were resumed
    seen = 0

    def fitted(checkpoint: Any) -> bytes:
        model = polytomy.BoostedTreeClassifier(25, checkpoint=checkpoint, n_jobs=1).fit(X, y > 0)
        return to_file_bytes(model.set_params(checkpoint=None))

    expected = fitted(None)

    def work() -> None:
        goes_on = path.exists()
        if fitted({"path": path, "rounds": 1}) != expected:
            raise AssertionError("the fit ended with another model")
        path.unlink()
        if goes_on:
            resumed[:] = (int.from_bytes(resumed[:], "little") + 1).to_bytes(8, "little")

    def left() -> str:
        nonlocal seen
        before, seen = seen, int.from_bytes(resumed[:], "little")
        return "a resumed fit ended equal" if seen > before else "to be resumed"

    return Job(work, left)


def _cache_job(folder: Path) -> Job:
    """Fit trees on a scanned file and on a stream, with a folder for temporary files."""
    import pyarrow as pa  # type: ignore[import-untyped]  # noqa: PLC0415
    import pyarrow.parquet as pq  # type: ignore[import-untyped]  # noqa: PLC0415

    X, y = _rows(3000)
    table = pa.table({**{f"x{j}": X[:, j] for j in range(4)}, "y": y})
    pq.write_table(table, folder / "rows.parquet")
    cache = folder / "cache"
    cache.mkdir()
    eager = polytomy.TreeClassifier(12, n_jobs=1).fit(table.drop_columns(["y"]).to_pandas(), y)
    expected = to_file_bytes(eager)

    def work() -> None:
        for source in (folder / "rows.parquet", lambda: table.to_reader(500)):
            rows = polytomy.scan(source, target="y", cache_dir=cache)
            if to_file_bytes(polytomy.TreeClassifier(12, n_jobs=1).fit(rows)) != expected:
                raise AssertionError("the fit ended with another model")

    def left() -> str:
        found = os.listdir(cache)
        return f"FILES IN THE CACHE: {found}".upper() if found else "no file left, model equal"

    return Job(work, left)


JOBS: dict[str, Callable[[Path], Job]] = {"save": _save_job, "checkpoint": _checkpoint_job}
if find_spec("pyarrow") is not None:
    JOBS["cache"] = _cache_job


# ---- killing -------------------------------------------------------------------------------------


def kills_of(name: str, n_kills: int, seed: int = 0) -> Killed:
    """Kill a job this many times."""
    if name == "dask":
        return _killed_workers(n_kills, seed)
    random, result = Random(f"{name} {seed}"), Killed()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        job = JOBS[name](folder)
        seconds = min(_once(job, result) for _ in range(3))
        while result.kills < n_kills and not result.wrong:
            child = _forked(job.work, forever=True)
            sleep(random.uniform(0.0, 1.5 * seconds))
            os.kill(child, signal.SIGKILL)
            _, status = os.waitpid(child, 0)
            if os.waitstatus_to_exitcode(status) != -signal.SIGKILL:
                result.add("THE NEXT PROCESS FAILED")
            result.kills += 1
            result.add(job.left())
            if result.kills % _SWEEP == 0 or result.kills == n_kills:
                _check_sweeping(folder, job, result)
    return result


def _forked(work: Work, forever: bool) -> int:
    """Start a process that works once, or until it is killed; return its id."""
    child = os.fork()
    if child:
        return child
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(_SLOWEST)  # ends a process that hangs
    try:
        work()
        while forever:
            work()
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def _once(job: Job, result: Killed) -> float:
    """Do a job once in another process; return the seconds it took."""
    start = perf_counter()
    _, status = os.waitpid(_forked(job.work, forever=False), 0)
    if status != 0:
        result.add("A PROCESS FAILED THAT WAS NOT KILLED")
    return perf_counter() - start


def _check_sweeping(folder: Path, job: Job, result: Killed) -> None:
    """Make temporary files that are left look old; the next process must remove them."""
    drafts = list(folder.rglob(_DRAFTS))
    for draft in drafts:
        os.utime(draft, (time() - _HOURS, time() - _HOURS))
    _once(job, result)
    result.seen["temporary files swept"] += len(drafts)
    if left := list(folder.rglob(_DRAFTS)):
        result.add(f"{len(left)} OF {len(drafts)} TEMPORARY FILES WERE NOT REMOVED")


# ---- a Dask cluster ------------------------------------------------------------------------------


def _killed_workers(n_kills: int, seed: int) -> Killed:
    """Fit trees on a cluster, and kill one or two of its processes during each fit."""
    import dask  # noqa: PLC0415
    import pandas as pd  # type: ignore[import-untyped]  # noqa: PLC0415

    import polytomy.dask  # noqa: PLC0415

    X, y = _rows(1200)
    frame = pd.DataFrame(X, columns=list("abcd"))
    cuts = np.array_split(np.arange(len(y)), 4)
    parts = [[dask.delayed(data.iloc[cut]) for cut in cuts] for data in (frame, pd.Series(y))]
    expected = to_file_bytes(polytomy.TreeClassifier(12).fit(frame, y))
    random, result = Random(f"dask {seed}"), Killed()

    def fit() -> str:
        try:
            found = to_file_bytes(polytomy.dask.TreeClassifier(12).fit(*parts))
        except polytomy.dask.ClusterError:
            return "fit raised ClusterError"
        except Exception as error:  # must not happen
            return f"{type(error).__name__}: {error}".upper()
        return "fit ended equal" if found == expected else "ANOTHER MODEL"

    def kill(workers: Any, seconds: float, number: int) -> None:
        for _ in range(number):
            sleep(random.uniform(0.0, seconds))
            worker = random.choice(list(workers.values()))
            # A process that is killed while it starts is not started again.
            if worker.status.name == "running" and worker.pid:
                os.kill(worker.pid, signal.SIGKILL)
                result.kills += 1

    while result.kills < n_kills and not result.wrong:
        with _cluster() as workers:
            fit()  # the workers import the library
            start = perf_counter()
            result.add(fit())
            seconds = perf_counter() - start
            while result.kills < n_kills and not result.wrong and _has_started(workers):
                number = min(random.choice((1, 1, 2)), n_kills - result.kills)
                killer = Thread(target=kill, args=(workers, seconds, number))
                killer.start()
                start = perf_counter()
                result.add(fit())
                if perf_counter() - start > _SLOWEST:
                    result.add("A FIT TOOK TOO LONG")
                killer.join()
    return result


def _has_started(workers: Any) -> bool:
    """Wait until a process of the cluster runs; return False if Dask has given up all of them."""
    end = perf_counter() + _SLOWEST / 4
    while perf_counter() < end:
        if any(worker.status.name == "running" for worker in workers.values()):
            return True
        sleep(0.1)
    return False


@contextmanager
def _cluster() -> Iterator[Any]:
    """Yield the processes of a cluster, which restarts those that are killed."""
    import logging  # noqa: PLC0415

    import dask  # noqa: PLC0415
    from distributed import Client, LocalCluster  # noqa: PLC0415

    for name in ("distributed", "asyncio"):  # they report every lost worker
        logging.getLogger(name).setLevel(logging.CRITICAL)
    with (
        dask.config.set({"polytomy.patience": 30}),
        LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            dashboard_address=":0",
            host="127.0.0.1",
            silence_logs=logging.CRITICAL,
        ) as cluster,
        Client(cluster),
    ):
        yield cluster.workers


def names() -> list[str]:
    """Return the names of the jobs for which the libraries are there."""
    return [*JOBS, *(["dask"] if find_spec("distributed") is not None else [])]
