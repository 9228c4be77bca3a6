"""Trees on a Dask cluster: polytomy beside LightGBM and XGBoost, from a persisted frame.

    python benchmarks/dask_scale.py                # 2,000,000 x 20 over 2 workers of one thread
    python benchmarks/dask_scale.py --rows 10000000 --repeats 1

Every learner grows one tree of 64 leaves. The learners take turns on one cluster of processes; the
table shows the best time of each and its ratio to the best time of the others.
"""

import argparse
import logging
import tempfile
import warnings
from pathlib import Path
from time import perf_counter

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
from distributed import Client, LocalCluster, wait

import polytomy
import polytomy.dask

LEAVES = 64


def make_part(number, n_rows, n_columns):
    """Return one partition: normal columns, and a class with interactions and noise."""
    random = np.random.default_rng(number)
    x = random.standard_normal((n_rows, n_columns))
    y = (x[:, 0] * x[:, 1] > 0) ^ (x[:, 2] + x[:, 3] > 0.5) ^ (random.random(n_rows) < 0.1)
    columns = {f"x{j}": x[:, j] for j in range(n_columns)}
    return pd.DataFrame({**columns, "y": y.astype(np.int64)})


def persisted(client, n_rows, n_columns, n_parts):
    """Return random rows and their classes in the memory of the workers."""
    sizes = np.diff(np.linspace(0, n_rows, n_parts + 1).astype(int)).tolist()
    meta = make_part(0, 1, n_columns).iloc[:0]
    part = dask.delayed(make_part)
    lazy = [part(i, size, n_columns) for i, size in enumerate(sizes)]
    frame = client.persist(dd.from_delayed(lazy, meta=meta, verify_meta=False))
    X, y = frame.drop(columns="y").persist(), frame["y"].persist()
    wait([X, y])
    return X, y


def fit_polytomy(client, X, y):  # noqa: ARG001
    """Grow our tree on the cluster."""
    return polytomy.dask.TreeClassifier(max_leaves=LEAVES).fit(X, y)


def fit_lightgbm(client, X, y):
    """Grow one tree of LightGBM on the cluster."""
    import lightgbm  # noqa: PLC0415

    model = lightgbm.DaskLGBMClassifier(
        n_estimators=1, num_leaves=LEAVES, client=client, verbose=-1, tree_learner="data"
    )
    return model.fit(X, y)


def fit_xgboost(client, X, y):
    """Grow one tree of XGBoost on the cluster."""
    import xgboost.dask  # noqa: PLC0415

    data = xgboost.dask.DaskQuantileDMatrix(client, X, y)
    how = {
        "max_leaves": LEAVES,
        "max_depth": 0,
        "grow_policy": "lossguide",
        "tree_method": "hist",
        "objective": "binary:logistic",
    }
    return xgboost.dask.train(client, how, data, num_boost_round=1)


LEARNERS = {"polytomy": fit_polytomy, "LightGBM": fit_lightgbm, "XGBoost": fit_xgboost}


def measure(client, X, y, names, repeats):
    """Return the best time of each learner; they take turns."""
    best = dict.fromkeys(names, np.inf)
    for _ in range(repeats):
        for name in names:
            start = perf_counter()
            LEARNERS[name](client, X, y)
            best[name] = min(best[name], perf_counter() - start)
            print(f"  {name:10s} {best[name]:6.2f} s", flush=True)
    return best


def is_local_tree(client, X, y):
    """Return whether the model file is that of a local fit on the same rows."""
    there = fit_polytomy(client, X, y)
    here = polytomy.TreeClassifier(LEAVES).fit(X.compute(), y.compute())
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / name for name in ("there.json", "here.json")]
        for model, path in zip((there, here), paths, strict=True):
            model.save(path)
        return paths[0].read_bytes() == paths[1].read_bytes()


def main():
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=float, default=2e6)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--parts", type=int, default=8)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", nargs="*", default=list(LEARNERS))
    parser.add_argument("--check", action="store_true", help="compare with a local fit")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    logging.getLogger("distributed").setLevel(logging.ERROR)
    with (
        LocalCluster(
            n_workers=given.workers, threads_per_worker=1, dashboard_address=None, memory_limit=0
        ) as cluster,
        Client(cluster) as client,
    ):
        X, y = persisted(client, int(given.rows), given.columns, given.parts)
        print(f"{int(given.rows):,} x {given.columns}, {given.workers} workers of one thread")
        best = measure(client, X, y, given.only, given.repeats)
        for name, seconds in best.items():
            others = [s for other, s in best.items() if other != name]
            ratio = f"{seconds / min(others):6.2f} of the best other" if others else ""
            print(f"{name:10s} {seconds:6.2f} s {ratio}")
        if given.check:
            print("the model file is that of a local fit:", is_local_tree(client, X, y))


if __name__ == "__main__":
    main()
