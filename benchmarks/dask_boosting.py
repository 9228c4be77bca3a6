"""Boosting on a Dask cluster beside a local fit: time, memory of a worker, and messages.

    python benchmarks/dask_boosting.py             # 1,000,000 x 20, 20 rounds of 8 leaves
    python benchmarks/dask_boosting.py --rows 1e7 --algorithm logitboost

Both fits use a persisted frame; the local one runs in one thread. Processor times say more than
elapsed times on a machine that is busy.
"""

import argparse
import logging
import pickle
import resource
import warnings
from time import perf_counter, process_time

import psutil
from dask_scale import persisted
from distributed import Client, LocalCluster

import polytomy
import polytomy.dask
from polytomy.dask.cluster import Cluster
from polytomy.estimators.base.files import to_file_bytes


class MeasuredCluster:
    """Counts the round trips of all clusters and the bytes that come back."""

    def __init__(self):
        self.n_trips = self.n_bytes = 0
        plain = Cluster.results

        def results(cluster, pending):
            found = plain(cluster, pending)
            self.n_trips += 1
            self.n_bytes += sum(len(pickle.dumps(answer)) for answer in found)
            return found

        Cluster.results = results


def memory():
    """Return the memory that a process holds, and the most that it ever held, in MB."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return round(psutil.Process().memory_info().rss / 2**20), round(most)


def seconds_of_workers(client):
    """Return the processor time of each worker so far."""
    return list(client.run(process_time).values())


def measure(client, X, y, options, repeats):
    """Fit on the cluster, print the figures of each fit, and return the model."""
    messages = MeasuredCluster()
    for _ in range(repeats):
        messages.n_trips = messages.n_bytes = 0
        before, start = seconds_of_workers(client), perf_counter()
        boosted = polytomy.dask.BoostedTreeClassifier(**options).fit(X, y)
        elapsed = perf_counter() - start
        used = [b - a for a, b in zip(before, seconds_of_workers(client), strict=True)]
        print(
            f"Dask   {elapsed:6.2f} s, processor time of a worker {max(used):.2f} s, "
            f"{messages.n_trips} round trips, {messages.n_bytes / 1e6:.1f} MB came back",
            flush=True,
        )
    return boosted


def main():
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=float, default=1e6)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--parts", type=int, default=8)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--leaves", type=int, default=8)
    parser.add_argument("--algorithm", default="adaboost-real")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    logging.getLogger("distributed").setLevel(logging.ERROR)
    options = {
        "n_rounds": given.rounds,
        "max_leaves": given.leaves,
        "algorithm": given.algorithm,
        "n_jobs": 1,
    }
    with (
        LocalCluster(
            n_workers=given.workers, threads_per_worker=1, dashboard_address=None, memory_limit=0
        ) as cluster,
        Client(cluster) as client,
    ):
        X, y = persisted(client, int(given.rows), given.columns, given.parts)
        before = client.run(memory)
        there = measure(client, X, y, options, given.repeats)
        after = client.run(memory)
        print("memory of the workers, MB: held before,", [held for held, _ in before.values()])
        print("                           at most,    ", [most for _, most in after.values()])
        rows, labels = X.compute(), y.compute()
    for _ in range(given.repeats):
        start, used = perf_counter(), process_time()
        here = polytomy.BoostedTreeClassifier(**options).fit(rows, labels)
        print(
            f"local  {perf_counter() - start:6.2f} s, processor time {process_time() - used:.2f} s"
        )
    print("the model files are the same:", to_file_bytes(here) == to_file_bytes(there))


if __name__ == "__main__":
    main()
