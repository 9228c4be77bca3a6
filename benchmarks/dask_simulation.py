"""How a fit on Dask would scale, from task times and message sizes recorded on this machine.

    python benchmarks/dask_simulation.py
    python benchmarks/dask_simulation.py --bandwidth 125 --columns 50

A fit runs in this process, with the code of the workers and of the driver, for two numbers of rows.
Every task is timed and every message measured; the difference between both runs gives the time per
row. The time that the scheduler needs for a task, and for a round trip, is measured on a cluster of
two processes. From these figures the table estimates larger clusters: each round is sent, counted
by the workers at the same time, merged in a tree, and brought back.
"""

import argparse
import logging
import pickle
from collections import defaultdict
from time import perf_counter

import numpy as np
from distributed import Client, LocalCluster

import polytomy.dask
from polytomy.dask import work
from polytomy.dask.cluster import FAN_IN, Cluster
from polytomy.dask.rows import BATCH, encode_rows
from polytomy.estimators.trees.remote import RemoteTable, fit_remote

LEAVES = 64
SIZES = (200_000, 1_600_000)  # rows of the two runs
REPEATS = 2  # of which the fastest counts
CLUSTERS = ((1e7, 2), (1e8, 10), (1e9, 10), (1e9, 100), (1e10, 100), (1e10, 1000))


class RecordedCluster:
    """A cluster in this process that executes tasks at once and records them."""

    def __init__(self):
        self.tasks = defaultdict(list)  # by name: seconds, bytes sent to it, bytes of its result
        self.rounds = defaultdict(int)

    def submit(self, name, function, *arguments):
        """Run a task, and record its time and the size of its arguments and its result."""
        start = perf_counter()
        result = function(*arguments)
        seconds = perf_counter() - start
        is_small = name in SMALL
        sent = sum(len(pickle.dumps(a)) for a in arguments[1:]) if is_small else 0
        held = len(pickle.dumps(result)) if is_small else 0
        self.tasks[name].append((seconds, sent, held))
        self.latest = name
        return result

    def each(self, name, function, blocks, *arguments):
        """Run a task for each block."""
        return [self.submit(name, function, block, *arguments) for block in blocks]

    def shared(self, argument, n_tasks):  # noqa: ARG002
        """Return the argument."""
        return argument

    def held(self, argument):
        """Return the argument."""
        return argument

    def results(self, pending):
        """Return the results, and count a round."""
        self.rounds[self.latest] += 1
        return list(pending)

    def merged(self, pending, merge):
        """Return the merged results, and record the time of merging two of them."""
        self.rounds[self.latest] += 1
        start = perf_counter()
        found = merge(list(pending))
        self.tasks["merge"].append((perf_counter() - start, 0, 0))
        return found


SMALL = {"count_classes", "answer", "take", "count", "total"}  # tasks whose results travel


def record(n_rows, n_columns):
    """Return the record of a fit on two blocks in this process, and the driver's own time."""
    random = np.random.default_rng(0)
    x = random.standard_normal((n_rows, n_columns))
    y = (x[:, 0] * x[:, 1] > 0) ^ (x[:, 2] + x[:, 3] > 0.5) ^ (random.random(n_rows) < 0.1)
    how = work.Reading(None, (), None, None)
    half = n_rows // 2
    raw = [
        work.read([i], [x[part]], [y[part].astype(int)], None, how)
        for i, part in enumerate((slice(0, half), slice(half, None)))
    ]
    cluster = RecordedCluster()

    def prepare():
        counts = cluster.merged(
            cluster.each("count_classes", work.count_classes, raw),
            work.Merge(work.add_classes),
        )
        weighing = work.Weighing(counts.classes, None)
        rows = encode_rows(
            cluster, raw, 2, weighing, None, "auto", separate_rows=False, keep_raw=False
        )
        return RemoteTable(rows, None, counts.classes, None, False, BATCH)

    start = perf_counter()
    fit_remote(polytomy.dask.TreeClassifier(LEAVES), prepare)
    whole = perf_counter() - start
    busy = sum(task[0] for name, tasks in cluster.tasks.items() for task in tasks)
    return cluster, whole - busy


def scheduler_costs():
    """Return the seconds of a round trip, and of each further task, on two processes."""
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    with (
        LocalCluster(2, threads_per_worker=1, dashboard_address=":0", host="127.0.0.1") as here,
        Client(here),
    ):
        cluster, best = Cluster(), {}
        for n_tasks in (2, 2, 102, 2, 102, 2, 102):
            start = perf_counter()
            cluster.results(cluster.each("nothing", abs, list(range(n_tasks))))
            seconds = perf_counter() - start
            best[n_tasks] = min(seconds, best.get(n_tasks, np.inf))
    per_task = (best[102] - best[2]) / 100
    return max(best[2] - 2 * per_task, 0.0), per_task


def figures(n_columns):
    """Return for each kind of task its rounds, seconds per row and the bytes of its messages."""
    runs = {n: [record(n, n_columns) for _ in range(REPEATS)] for n in SIZES}
    large = runs[SIZES[1]][0][0]
    driver = min(own for _, own in runs[SIZES[1]])
    found = {}
    for name, tasks in large.tasks.items():
        seconds = [min(sum(t[0] for t in kept.tasks[name]) for kept, _ in runs[n]) for n in SIZES]
        per_row = max(seconds[1] - seconds[0], 0.0) / (SIZES[1] - SIZES[0])
        rounds = large.rounds.get(name, 0)
        sent = sum(t[1] for t in tasks) / 2
        held = sum(t[2] for t in tasks) / 2
        found[name] = rounds, per_row, sent, held
    merges = [kept.tasks["merge"] for kept, _ in runs[SIZES[1]]]
    merging = min(sum(t[0] for t in tasks) / len(tasks) for tasks in merges)
    found.pop("merge")
    return found, merging, driver


def simulate(found, merging, driver, costs, n_rows, n_workers, bandwidth):
    """Return the estimated seconds of each part of a fit."""
    round_trip, per_task = costs
    levels = int(np.ceil(np.log(max(n_workers, 2)) / np.log(FAN_IN)))
    merge_tasks = sum(n_workers / FAN_IN**level for level in range(1, levels + 1))
    parts = dict.fromkeys(("rows", "scheduler", "network", "merging", "driver"), 0.0)
    parts["driver"] = driver
    for rounds, per_row, sent, held in found.values():
        parts["rows"] += per_row * n_rows / n_workers
        tasks = n_workers + (merge_tasks if rounds else 0)
        parts["scheduler"] += max(rounds, 1) * (round_trip + per_task * tasks)
        fan_out = np.ceil(np.log2(n_workers))  # workers pass on what they got
        inward = held * (1 + (levels - 1) * (FAN_IN - 1))  # on the way up, and to the driver
        parts["network"] += (sent * fan_out + inward) / bandwidth
        parts["merging"] += rounds * levels * (FAN_IN - 1) * merging
    return parts


def main():
    """Print the recorded figures and the estimates."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--bandwidth", type=float, default=1000.0, help="MB/s (1000)")
    given = parser.parse_args()
    found, merging, driver = figures(given.columns)
    costs = scheduler_costs()
    print(f"{'task':14s} {'rounds':>6s} {'ns a row':>9s} {'sent, kB':>9s} {'back, kB':>9s}")
    for name, (rounds, per_row, sent, held) in found.items():
        print(f"{name:14s} {rounds:6d} {per_row * 1e9:9.1f} {sent / 1e3:9.1f} {held / 1e3:9.1f}")
    print(f"round trip {costs[0] * 1e3:.1f} ms, further task {costs[1] * 1e3:.2f} ms")
    print(f"merging two answers {merging * 1e3:.2f} ms, driver {driver:.2f} s\n")
    names = ("rows", "scheduler", "network", "merging", "driver")
    print(f"{'rows':>7s} {'workers':>7s} {'seconds':>8s}  " + "  ".join(f"{n:>9s}" for n in names))
    for n_rows, n_workers in CLUSTERS:
        parts = simulate(found, merging, driver, costs, n_rows, n_workers, given.bandwidth * 1e6)
        shares = "  ".join(f"{parts[n]:9.2f}" for n in names)
        print(f"{n_rows:7.0e} {n_workers:7d} {sum(parts.values()):8.2f}  {shares}")


if __name__ == "__main__":
    main()
