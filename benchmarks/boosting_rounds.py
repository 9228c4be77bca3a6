"""Boosting with one thread, in CPU time, against LightGBM: stumps and trees of 31 leaves.

    python benchmarks/boosting_rounds.py

Both libraries fit the same arrays in the same process, in turn; the least time counts.
"""

from collections.abc import Callable
from time import process_time
from typing import Any

import lightgbm
import numpy as np

from polytomy import BoostedTreeClassifier

CASES = (  # rows, rounds, leaves
    (3_000, 100, 31),
    (100_000, 100, 31),
    (3_000, 200, 2),
    (100_000, 200, 2),
)
REPEATS = 3


def table(n_rows: int) -> tuple[Any, Any]:
    """Return twenty normal columns, and two classes that depend on five of them."""
    random = np.random.default_rng(0)
    x = random.standard_normal((n_rows, 20)).astype(np.float32)
    score = x[:, 0] + x[:, 1] * x[:, 2] + np.sin(3 * x[:, 3]) + 0.5 * x[:, 4]
    return x, (score + random.standard_normal(n_rows) > 0).astype(int)


def least(job: Callable[[], Any]) -> float:
    """Return the least CPU time of a job."""
    times = []
    for _ in range(REPEATS):
        begin = process_time()
        job()
        times.append(process_time() - begin)
    return min(times)


def light_gbm(x: Any, y: Any, rounds: int, leaves: int) -> Callable[[], Any]:
    """Return a job that boosts with LightGBM."""
    params = {
        "objective": "binary",
        "num_leaves": leaves,
        "learning_rate": 0.1,
        "min_data_in_leaf": 1,
        "num_threads": 1,
        "verbose": -1,
    }
    return lambda: lightgbm.train(
        params, lightgbm.Dataset(x, label=y, params=params), num_boost_round=rounds
    )


def ours(x: Any, y: Any, **params: Any) -> Callable[[], Any]:
    """Return a job that boosts with polytomy."""
    return lambda: BoostedTreeClassifier(learning_rate=0.1, n_jobs=1, **params).fit(x, y)


def main() -> None:
    """Print a row for each case and algorithm."""
    print("| rows | rounds | leaves | algorithm | ours | LightGBM | ratio |")
    print("| ---: | ---: | ---: | --- | ---: | ---: | ---: |")
    for n_rows, rounds, leaves in CASES:
        x, y = table(n_rows)
        theirs = least(light_gbm(x, y, rounds, leaves))
        for name, more in (
            ("logitboost", {}),
            ("adaboost-real", {}),
            ("logitboost, max_arity=2", {"max_arity": 2}),
        ):
            algorithm = name.split(",")[0]
            job = ours(x, y, n_rounds=rounds, max_leaves=leaves, algorithm=algorithm, **more)
            time = least(job)
            print(
                f"| {n_rows:,} | {rounds} | {leaves} | {name} | {1e3 * time:,.0f} ms "
                f"| {1e3 * theirs:,.0f} ms | {time / theirs:.2f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
