"""Compare two versions of polytomy: the same jobs in alternating fresh processes, as ratios.

    python benchmarks/versions.py OLD/src NEW/src [--only TEXT] [--repeats N]

Each path is the ``src`` folder of a checkout with its compiled extension in place. The least CPU
time of the repeats counts, with one thread, so that a busy machine disturbs little.
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Callable
from time import process_time
from typing import Any

import numpy as np
import pandas as pd
from sklearn.datasets import load_iris

import polytomy
from polytomy import BoostedTreeClassifier, TreeClassifier

Job = Callable[[], Any]

# The growth of one tree, which every version can do.
PLAIN: dict[str, Any] = {"procedure": "per-leaf", "max_bins": 255}
if "honest" in TreeClassifier().get_params():
    PLAIN["honest"] = False


def numbers(n_rows: int, n_columns: int = 20, n_classes: int = 2) -> tuple[Any, Any]:
    """Return normal columns and classes that depend on five of them."""
    random = np.random.default_rng(0)
    x = random.standard_normal((n_rows, n_columns)).astype(np.float32)
    score = x[:, 0] + x[:, 1] * x[:, 2] + np.sin(3 * x[:, 3]) + 0.5 * x[:, 4]
    score = score + random.standard_normal(n_rows)
    return x, np.digitize(score, np.quantile(score, np.arange(1, n_classes) / n_classes))


def categories(n_rows: int, n_values: int) -> tuple[Any, Any]:
    """Return a data frame of ten categorical columns, and classes."""
    random = np.random.default_rng(0)
    codes = random.integers(0, n_values, (n_rows, 10))
    frame = pd.DataFrame({f"c{j}": pd.Categorical(codes[:, j].astype(str)) for j in range(10)})
    effect = random.standard_normal(n_values)
    score = effect[codes[:, 0]] + effect[codes[:, 1]] + random.standard_normal(n_rows)
    return frame, (score > 0).astype(int)


def tree(data: tuple[Any, Any], weights: bool = False, **params: Any) -> Job:
    """Return a job that fits a tree."""
    x, y = data
    weight = np.random.default_rng(1).exponential(size=len(y)) + 0.01 if weights else None
    params = {**PLAIN, **params}
    return lambda: TreeClassifier(n_jobs=1, **params).fit(x, y, sample_weight=weight)


def boosted(n_rows: int, **params: Any) -> Job:
    """Return a job that boosts trees."""
    x, y = numbers(n_rows)
    return lambda: BoostedTreeClassifier(n_jobs=1, **params).fit(x, y)


def reading(do: Callable[[Any, Any, Any], Any], n_rows: int = 200_000, **params: Any) -> Job:
    """Return a job on a fitted tree."""
    x, y = numbers(n_rows)
    clf = tree((x, y), **params)()
    return lambda: do(clf, x, y)


def iris() -> tuple[Any, Any]:
    """Return the iris table."""
    return load_iris(return_X_y=True)


def missing(n_rows: int) -> tuple[Any, Any]:
    """Return numbers of which a tenth is missing."""
    x, y = numbers(n_rows)
    x[np.random.default_rng(1).random(x.shape) < 0.1] = np.nan
    return x, y


def verify(clf: Any, x: Any, y: Any) -> Any:
    """Verify a fitted tree."""
    return polytomy.verify(clf, x, y)


JOBS: dict[str, Callable[[], Job]] = {
    "iris, until pure": lambda: tree(iris(), max_leaves=None),
    "1,000 x 20": lambda: tree(numbers(1000)),
    "10,000 x 20": lambda: tree(numbers(10_000)),
    "100,000 x 20, 8 leaves": lambda: tree(numbers(100_000), max_leaves=8),
    "100,000 x 20, 64 leaves": lambda: tree(numbers(100_000), max_leaves=64),
    "100,000 x 20, 1,000 leaves": lambda: tree(numbers(100_000), max_leaves=1000),
    "20,000 x 20, until pure": lambda: tree(numbers(20_000), max_leaves=None),
    "1,000,000 x 20, 64 leaves": lambda: tree(numbers(1_000_000), max_leaves=64),
    "100,000 x 200": lambda: tree(numbers(100_000, 200)),
    "100,000 x 20, hatano": lambda: tree(numbers(100_000), max_leaves=64, procedure="hatano"),
    "100,000 x 20, mansour-mcallester": lambda: tree(
        numbers(100_000), max_leaves=400, procedure="mansour-mcallester", gamma=0.4
    ),
    "100,000 x 20, kearns-mansour": lambda: tree(
        numbers(100_000), max_leaves=64, procedure="kearns-mansour"
    ),
    "100,000 x 20, entropy": lambda: tree(numbers(100_000), index="entropy"),
    "100,000 x 20, 10 classes": lambda: tree(numbers(100_000, n_classes=10)),
    "100,000 x 20, missing cells": lambda: tree(missing(100_000)),
    "100,000 x 20, weights": lambda: tree(numbers(100_000), weights=True),
    "100,000 x 10, 10 categories": lambda: tree(categories(100_000, 10)),
    "100,000 x 10, 1,000 categories": lambda: tree(categories(100_000, 1000)),
    "cost-complexity by folds, 10,000 x 20": lambda: tree(
        numbers(10_000), pruner="cost-complexity", random_state=0
    ),
    'max_leaves="cv", 10,000 x 20': lambda: tree(numbers(10_000), max_leaves="cv", random_state=0),
    "predict 200,000 rows": lambda: reading(lambda clf, x, _: clf.predict(x), max_leaves=64),
    "verify 200,000 rows": lambda: reading(verify, max_leaves=64),
    "report facts, 20,000 rows, 200 leaves": lambda: reading(
        lambda clf, x, y: clf.report_facts(x, y), 20_000, max_leaves=200
    ),
    "text of 1,000 leaves": lambda: reading(lambda clf, *_: clf.to_text(), 50_000, max_leaves=1000),
    "200 stumps, 100,000 x 20, logitboost": lambda: boosted(
        100_000, n_rounds=200, max_leaves=2, learning_rate=1.0, algorithm="logitboost"
    ),
    "200 stumps, 100,000 x 20, adaboost-real": lambda: boosted(
        100_000, n_rounds=200, max_leaves=2, learning_rate=1.0, algorithm="adaboost-real"
    ),
    "100 trees of 31, 3,000 x 20, logitboost": lambda: boosted(
        3000, n_rounds=100, max_leaves=31, learning_rate=0.1, algorithm="logitboost"
    ),
    "100 trees of 31, 3,000 x 20, adaboost-real": lambda: boosted(
        3000, n_rounds=100, max_leaves=31, learning_rate=0.1, algorithm="adaboost-real"
    ),
    "100 trees of 31, 100,000 x 20, logitboost": lambda: boosted(
        100_000, n_rounds=100, max_leaves=31, learning_rate=0.1, algorithm="logitboost"
    ),
}


def least_cpu_time(name: str) -> float:
    """Run a job for about a second, at least twice, and return its least CPU time."""
    job = JOBS[name]()
    least = total = 0.0
    runs = 0
    while runs < 2 or (total < 1.0 and runs < 200):
        begin = process_time()
        job()
        spent = process_time() - begin
        least = spent if runs == 0 else min(least, spent)
        total += spent
        runs += 1
    return least


def measured(src: str, name: str) -> float:
    """Run a job in a fresh process with one version."""
    command = [sys.executable, os.path.abspath(__file__), "--job", name]
    environment = {**os.environ, "PYTHONPATH": src, "PYTHONWARNINGS": "ignore"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{name} with {src}:\n{done.stderr}")
    return float(done.stdout.split()[-1])


def main() -> None:
    """Compare two versions job by job."""
    parser = argparse.ArgumentParser(description="Compare two versions of polytomy.")
    parser.add_argument("versions", nargs="*", help="the src folders of the old and new version")
    parser.add_argument("--only", default="", help="run the jobs whose name contains this text")
    parser.add_argument("--repeats", type=int, default=2, help="alternating processes (2)")
    parser.add_argument("--job", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.job:
        print(least_cpu_time(options.job))
        return
    if len(options.versions) != 2:
        parser.error("give two src folders")
    print(f"| {'job':42} | before | after | ratio |\n| --- | ---: | ---: | ---: |")
    for name in (n for n in JOBS if options.only in n):
        times = [
            [measured(os.path.abspath(src), name) for src in options.versions]
            for _ in range(options.repeats)
        ]
        before, after = (1e3 * min(column) for column in zip(*times, strict=True))
        print(
            f"| {name:42} | {before:,.1f} ms | {after:,.1f} ms | {after / before:.2f} |", flush=True
        )


if __name__ == "__main__":
    main()
