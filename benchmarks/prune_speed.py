"""The speed of the pruning path on a large tree.

A tree of about 20,000 leaves is grown on 1,000,000 rows with noisy classes. Timed are the best
prunings of every size up to 500, with the errors on as many held-out rows; reading one of them and
building its tree; and every other pruner. The shortest time of the repeats counts.
"""

import argparse
import sys
from collections.abc import Callable
from functools import partial
from time import perf_counter

import numpy as np

from polytomy.encode import Target, encode
from polytomy.grow import GrowParams, grow
from polytomy.index import INDICES
from polytomy.predict import apply
from polytomy.prune import PRUNERS, Evidence, PruningPath, node_counts, resolve
from polytomy.table import Table
from polytomy.tree import pruned

TARGET = 2.0  # seconds for the path


def make(rows: int, seed: int) -> tuple[Table, np.ndarray]:
    """Draw ten columns, and three classes that depend on them with noise."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((rows, 10)).astype(np.float32)
    score = x[:, 0] + x[:, 1] * x[:, 2] + np.sin(3 * x[:, 3]) + rng.standard_normal(rows)
    return Table.of(x), np.digitize(score, [-0.7, 0.7])


def shortest_time(run: Callable[[], object], repeats: int) -> float:
    """Return the shortest time of several runs in seconds."""
    times = []
    for _ in range(repeats):
        start = perf_counter()
        run()
        times.append(perf_counter() - start)
    return min(times)


def options() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000, help="number of rows (1000000)")
    parser.add_argument("--leaves", type=int, default=20_000, help="leaves of the tree (20000)")
    parser.add_argument("--size", type=int, default=500, help="largest size of the path (500)")
    parser.add_argument("--threads", type=int, default=2, help="threads for growing (2)")
    parser.add_argument("--repeats", type=int, default=7, help="number of repeats (7)")
    return parser.parse_args()


def main() -> int:
    """Grow, prune and print the times; return the exit code."""
    given = options()
    table, labels = make(given.rows, 0)
    start = perf_counter()
    coded, target = encode(table, threads=given.threads), Target.of(labels)
    tree = grow(coded, target, GrowParams(max_leaves=given.leaves), threads=given.threads).tree
    print(
        f"{tree.n_leaves:,} leaves on {given.rows:,} rows, grown in {perf_counter() - start:.1f} s"
    )
    rest, held_labels = make(given.rows, 1)
    leaf = apply(tree, coded.schema, rest, given.threads)
    held, _ = node_counts(tree, leaf, Target.of(held_labels))

    path = PruningPath(tree, given.size, held)
    cut = path.nodes_at(given.size)
    evidence = Evidence(schema=coded.schema, index=INDICES["gini"], held=held)
    jobs: dict[str, Callable[[], object]] = {
        f"path up to size {given.size}": lambda: PruningPath(tree, given.size, held),
        "path of all sizes": lambda: PruningPath(tree, None, held),
        "read one pruning": lambda: path.nodes_at(given.size),
        "build its tree": lambda: pruned(tree, cut),
    }
    for name in PRUNERS:
        jobs[f"nodes to prune, {name}"] = partial(resolve(name).cut, tree, evidence)
    times = {name: shortest_time(job, given.repeats) for name, job in jobs.items()}
    for name, seconds in times.items():
        print(f"{name:<32}{1000 * seconds:10.1f} ms")
    taken = next(iter(times.values()))
    print(f"the path took {taken:.3f} s; the target is at most {TARGET:g} s")
    return 0 if taken <= TARGET else 1


if __name__ == "__main__":
    sys.exit(main())
