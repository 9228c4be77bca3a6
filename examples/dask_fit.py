"""
A tree on a Dask cluster
========================

Fit a tree on a cluster, lose a worker, and get the same model file each time.

A cluster of two processes on this machine holds the rows. The example fits a tree on the cluster
and another one in memory, compares their model files byte for byte, kills a worker in the middle of
a second fit, and compares again. Needs ``pip install 'polytomy[dask]'``.

Run ``python dask_fit.py [rows]``; the default is 100,000 rows.
"""

import logging
import os
import signal
import sys
import threading
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd

import polytomy

COLUMNS = 10
LEAVES = 32


def make_rows(n_rows: int) -> pd.DataFrame:
    """Return rows whose class depends on the town and two numbers, with some noise."""
    random = np.random.default_rng(0)
    frame = pd.DataFrame(random.normal(size=(n_rows, COLUMNS))).add_prefix("x")
    frame["town"] = random.choice(["Bonn", "Oslo", "Rom", "Ulm"], n_rows)
    warm = frame["town"].isin(["Rom", "Bonn"])
    y = frame["x0"] + 2 * warm > 1 + (frame["x1"] > 0)
    frame["y"] = (y ^ (random.random(n_rows) < 0.1)).astype(int)
    return frame


def file_of(model: polytomy.TreeClassifier, folder: Path) -> bytes:
    """Return the content of the model file of a tree."""
    model.save(folder / "tree.json")
    return (folder / "tree.json").read_bytes()


def main() -> None:
    """Compare the fits, whose files must be equal."""
    try:
        import dask.dataframe as dd  # noqa: PLC0415
        from distributed import Client, LocalCluster  # noqa: PLC0415

        from polytomy.dask import TreeClassifier  # noqa: PLC0415
    except ImportError as error:
        print(f"This example needs Dask ({error}): pip install 'polytomy[dask]'")
        return
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # it reports the killed worker
    rows = make_rows(int(float(sys.argv[1])) if len(sys.argv) > 1 else 100_000)
    with (
        TemporaryDirectory() as folder,
        LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=":0", host="127.0.0.1"
        ) as cluster,
        Client(cluster) as client,
    ):
        start = time.perf_counter()
        local = polytomy.TreeClassifier(LEAVES).fit(rows.drop(columns="y"), rows["y"])
        print(
            f"in memory:           {time.perf_counter() - start:5.2f} s, {local.n_leaves_} leaves"
        )
        expected = file_of(local, Path(folder))

        frame = dd.from_pandas(rows, npartitions=8)
        start = time.perf_counter()
        there = TreeClassifier(LEAVES).fit(frame, "y")
        seconds = time.perf_counter() - start
        alike = file_of(there, Path(folder)) == expected
        print(f"on two workers:      {seconds:5.2f} s, same model file: {alike}")

        victim = min(client.run(os.getpid).values())
        timer = threading.Timer(seconds / 2, os.kill, (victim, signal.SIGKILL))
        timer.start()
        start = time.perf_counter()
        again = TreeClassifier(LEAVES).fit(frame, "y")
        seconds = time.perf_counter() - start
        timer.join()
        still = file_of(again, Path(folder)) == expected
        print(f"with a killed worker: {seconds:4.2f} s, same model file: {still}")

        predicted = again.predict(frame.drop(columns="y"))
        print(f"lazy predictions:    {predicted}")
        right = float((predicted.compute() == rows["y"].to_numpy()).mean())
        print(f"accuracy:            {right:.3f}")
    assert alike
    assert still


if __name__ == "__main__":  # the workers import this file
    main()
