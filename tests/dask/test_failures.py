"""What goes wrong on a cluster: the same model or one clear error, before a deadline."""

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import dask
import numpy as np
import pytest
from distributed import Client

import polytomy
import polytomy.dask
from polytomy.dask import ClusterError
from polytomy.dask.log import RunLog
from tests.dask.conftest import local_cluster
from tests.dask.tables import mixed_table, same_model

DEADLINE = 120.0  # seconds


def in_time(function, *arguments):
    """Return the result of a call, or fail if it does not end."""
    pool = ThreadPoolExecutor(1)
    try:
        return pool.submit(function, *arguments).result(timeout=DEADLINE)
    except TimeoutError:
        pytest.fail(f"no result after {DEADLINE:g} seconds")
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def parts_of(n_rows=1200, n_parts=4):
    X, y = mixed_table(n_rows, seed=7)
    cuts = np.array_split(np.arange(n_rows), n_parts)
    rows, labels = ([dask.delayed(data.iloc[c]) for c in cuts] for data in (X, y))
    return X, y, rows, labels


def fit_with(patch, event, rows, labels, at=3, model=None):
    """Fit a model; something happens before the question with this number."""
    asked, plain = [], RunLog.ask

    def ask(self, name, *arguments):
        asked.append(name)
        if len(asked) == at:
            event()
        return plain(self, name, *arguments)

    patch.setattr(RunLog, "ask", ask)
    model = polytomy.dask.TreeClassifier(12) if model is None else model
    try:
        return in_time(model.fit, rows, labels)
    finally:
        assert len(asked) >= at


def kill(client):
    """Kill one of the workers."""
    os.kill(min(client.run(os.getpid).values()), signal.SIGKILL)


@pytest.mark.parametrize("at", [1, 4])
def test_a_killed_worker_changes_nothing(own_client, monkeypatch, at):
    X, y, rows, labels = parts_of()
    there = fit_with(monkeypatch, lambda: kill(own_client), rows, labels, at)
    assert same_model(there, polytomy.TreeClassifier(12).fit(X, y))


def test_a_worker_that_leaves_changes_nothing(own_client, monkeypatch):
    X, y, rows, labels = parts_of()
    there = fit_with(monkeypatch, lambda: own_client.retire_workers(n=1), rows, labels)
    assert same_model(there, polytomy.TreeClassifier(12).fit(X, y))


BOOSTED = {"n_rounds": 4, "max_leaves": 6, "max_arity": 2, "algorithm": "logitboost"}


def test_a_worker_killed_while_boosting_changes_nothing(own_client, monkeypatch):
    X, y, rows, labels = parts_of()
    boosted = polytomy.dask.BoostedTreeClassifier(**BOOSTED)
    monkeypatch.setattr("polytomy.dask.log.CHUNK", 8)  # the log travels in several chunks
    there = fit_with(monkeypatch, lambda: kill(own_client), rows, labels, 12, boosted)
    assert same_model(there, polytomy.BoostedTreeClassifier(**BOOSTED).fit(X, y))


def test_a_closed_client_while_boosting_is_one_clear_error(client, monkeypatch):
    *_, rows, labels = parts_of()
    boosted = polytomy.dask.BoostedTreeClassifier(**BOOSTED)
    with (
        Client(client.scheduler.address) as own,
        pytest.raises(ClusterError, match="client was closed"),
    ):
        fit_with(monkeypatch, own.close, rows, labels, 5, boosted)
    assert not hasattr(boosted, "classes_")


def test_a_restart_of_the_workers_is_one_clear_error(own_client, monkeypatch):
    *_, rows, labels = parts_of()

    def restart():
        own_client.restart(timeout=DEADLINE, wait_for_workers=False)

    with pytest.raises(ClusterError, match="the fit was cancelled"):
        fit_with(monkeypatch, restart, rows, labels)


def forget_tasks(client_id, dask_scheduler):
    """Make a scheduler forget the tasks of a fit."""
    held = [key for key in dask_scheduler.tasks if "polytomy" in str(key)]
    dask_scheduler.client_releases_keys(held, client_id)


def test_lost_tasks_are_one_clear_error(own_client, monkeypatch):
    *_, rows, labels = parts_of()

    def lose():
        own_client.run_on_scheduler(forget_tasks, own_client.id)

    with (
        dask.config.set({"polytomy.patience": 3}),
        pytest.raises(ClusterError, match=r"cancelled|a task was lost"),
    ):
        fit_with(monkeypatch, lose, rows, labels)


def test_a_partition_that_raises_is_one_clear_error(client):
    *_, rows, labels = parts_of()
    rows[2] = dask.delayed(divmod)(1, 0)
    with pytest.raises(
        ClusterError, match="partition 2 could not be computed: ZeroDivisionError"
    ) as caught:
        in_time(polytomy.dask.TreeClassifier(4).fit, rows, labels)
    assert caught.value.partition == 2


def allow_no_failures(dask_scheduler):
    dask_scheduler.allowed_failures = 0


def test_workers_that_die_again_and_again_are_one_clear_error(own_client):
    *_, rows, labels = parts_of()
    rows[1] = dask.delayed(os._exit)(1)
    own_client.run_on_scheduler(allow_no_failures)
    with pytest.raises(ClusterError, match=r"KilledWorker|died again"):
        in_time(polytomy.dask.TreeClassifier(4).fit, rows, labels)


def test_a_closed_client_is_one_clear_error(client, monkeypatch):
    *_, rows, labels = parts_of()
    with (
        Client(client.scheduler.address) as own,
        pytest.raises(ClusterError, match="client was closed"),
    ):
        fit_with(monkeypatch, own.close, rows, labels)


@pytest.fixture
def scheduler(tmp_path):
    """A scheduler in a process of its own, with a worker; yields the process and its address."""
    file = tmp_path / "scheduler.json"
    where = ["--scheduler-file", str(file), "--no-dashboard"]
    run = [sys.executable, "-m", "dask"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(
        [*run, "scheduler", "--host", "127.0.0.1", "--port", "0", *where], **quiet
    )
    worker = subprocess.Popen([*run, "worker", "--nthreads", "1", "--no-nanny", *where], **quiet)
    try:
        yield process, file
    finally:
        for started in (worker, process):
            started.kill()
            started.wait()


def test_a_lost_scheduler_is_one_clear_error(scheduler, monkeypatch):
    process, file = scheduler
    X, y, rows, labels = parts_of()
    model = polytomy.dask.TreeClassifier(12).fit(X, y)
    before = model.tree_
    with dask.config.set({"polytomy.patience": 10}), Client(scheduler_file=str(file)) as client:
        client.wait_for_workers(1, timeout=60)
        with pytest.raises(ClusterError, match="scheduler"):
            fit_with(monkeypatch, process.kill, rows, labels, model=model)
    assert model.tree_ is before


def test_a_fit_without_a_client_is_one_clear_error(monkeypatch):
    def none():
        raise ValueError("No clients found")

    monkeypatch.setattr("polytomy.dask.cluster.default_client", none)
    *_, rows, labels = parts_of()
    with pytest.raises(ClusterError, match=r"there is no Dask client.*distributed.Client\(\)"):
        polytomy.dask.TreeClassifier(4).fit(rows, labels)


def test_a_cluster_without_workers_is_one_clear_error():
    *_, rows, labels = parts_of()
    with (
        dask.config.set({"polytomy.patience": 2}),
        local_cluster(0) as empty,
        Client(empty),
        pytest.raises(ClusterError, match="has had no workers for 2 seconds"),
    ):
        in_time(polytomy.dask.TreeClassifier(4).fit, rows, labels)
