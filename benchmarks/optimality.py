"""How far trees are from the best ones of their size, and the search beside other solvers.

``bounds`` fits our default tree on real tables and prints its training error, the bound and the
time. ``contree`` finds the best trees of depth 2 and 3 on all thresholds of numeric columns, and
``streed`` those of 8 leaves and depth 4 on a few thresholds of each column, with both libraries;
the optimum must be the same. A library that is not installed is skipped.

    python benchmarks/optimality.py [bounds|contree|streed ...] [--seconds 10] [--tables NAME ...]
"""

import argparse
import sys
from collections.abc import Iterator
from time import perf_counter

import numpy as np
import pandas as pd
from quality.plan import classification_tables
from tables import real_table

from polytomy import TreeClassifier
from polytomy.encode import Target, encode
from polytomy.optimal import DistinctRows, ErrorBounds, SearchLimits, bound_errors
from polytomy.table import Table

try:
    from pycontree import ConTree
except ImportError:
    ConTree = None
try:
    from pystreed import STreeDClassifier
except ImportError:
    STreeDClassifier = None

PARTS = {"bounds": TreeClassifier, "contree": ConTree, "streed": STreeDClassifier}
LEAVES = (3, 4, 6, 8)
MOST_ROWS = 5000
STREED_DEPTH, STREED_NODES, STREED_THRESHOLDS = 4, 7, 5
NUMERIC = ("banknote", "diabetes_pima", "ionosphere", "sonar", "breast_w", "wdbc", "wine")


def options() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", help=f"what to measure: {', '.join(PARTS)} (all)")
    parser.add_argument("--seconds", type=float, default=10.0, help="time limit of a search (10)")
    parser.add_argument("--tables", nargs="*", help="real tables (all, or the numeric ones)")
    return parser.parse_args()


def main() -> int:
    """Measure and print; return 1 if two solvers disagree."""
    given = options()
    agree = True
    for part in given.parts or PARTS:
        if PARTS[part] is None:
            print(f"{part}: py{part} is not installed")
        elif part == "bounds":
            print_bounds(given.tables or classification_tables(), given.seconds)
        else:
            agree &= compare(part, given.tables or NUMERIC, given.seconds)
    return 0 if agree else 1


def print_bounds(tables: list[str], seconds: float) -> None:
    """Print the training error of our trees, and what the search proves about each size."""
    print(
        f"{'table':18}{'rows':>6}{'columns':>8}{'leaves':>7}{'error':>8}{'bound':>8}{'best':>8}{'s':>7}"
    )
    for name in tables:
        data = real_table(name).first(MOST_ROWS)
        for leaves in LEAVES:
            clf = TreeClassifier(leaves, honest=False).fit(data.x, data.y)
            found = clf.optimality(data.x, data.y, time_limit=seconds, max_leaves=leaves)
            shares = "".join(f"{100 * v:7.1f}%" for v in (found.error, found.bound, found.best))
            shape = f"{data.x.shape[0]:6}{data.x.shape[1]:8}"
            print(f"{name:18}{shape}{leaves:7}{shares}{found.seconds:7.2f}", flush=True)


def compare(part: str, tables: tuple[str, ...], seconds: float) -> bool:
    """Print errors and times of both solvers; return whether the optima are the same."""
    print(
        f"{'table':18}{'rows':>6}{'columns':>8}{'depth':>6}{'ours':>6}{'s':>9}{part:>9}{'s':>9}{'ratio':>7}"
    )
    agree = True
    for name in tables:
        for X, y, depth, leaves in problems(part, name):
            start = perf_counter()
            ours = best_errors(X, y, SearchLimits(leaves, seconds, depth))
            middle = perf_counter()
            theirs = PEERS[part](X, y, depth, seconds)
            times = middle - start, perf_counter() - middle
            is_exact = ours.lower == ours.upper and max(times) < seconds
            agree &= not is_exact or ours.lower == theirs
            shown = f"{ours.upper}" if ours.lower == ours.upper else f">={ours.lower}"
            print(
                f"{name:18}{len(y):6}{X.shape[1]:8}{depth:6}{shown:>6}{times[0]:9.3f}{theirs:9}"
                f"{times[1]:9.3f}{times[1] / times[0]:7.1f}",
                flush=True,
            )
    return agree


def problems(part: str, name: str) -> Iterator[tuple[pd.DataFrame, np.ndarray, int, int]]:
    """Yield columns, classes, the maximum depth and the maximum number of leaves."""
    data = real_table(name)
    columns = data.x.select_dtypes("number").dropna(axis=1).astype("float64")
    if part == "contree":
        yield from ((columns, data.y, depth, 2**depth) for depth in (2, 3))
    else:
        yield binarised(columns), data.y, STREED_DEPTH, STREED_NODES + 1


def binarised(columns: pd.DataFrame) -> pd.DataFrame:
    """Return a column of zeros and ones for each of a few quantiles of every column."""
    shares = np.arange(1, STREED_THRESHOLDS + 1) / (STREED_THRESHOLDS + 1)
    tests = {
        f"{name} > {value:g}": (columns[name] > value).astype(int)
        for name in columns
        for value in np.unique(np.quantile(columns[name], shares))
    }
    return pd.DataFrame({name: test for name, test in tests.items() if test.nunique() == 2})


def best_errors(X: pd.DataFrame, y: np.ndarray, limits: SearchLimits) -> ErrorBounds:
    """Return our bounds on the errors of the best tree; every value has a bin of its own."""
    coded = encode(Table.of(X.astype("float64")), max_bins=len(X) + 1)
    rows = DistinctRows.of(coded, Target.of(y), ("ordered",))
    return bound_errors(rows, limits)


def contree_errors(X: pd.DataFrame, y: np.ndarray, depth: int, seconds: float) -> int:
    """Return the errors of ConTree's tree."""
    model = ConTree(max_depth=depth, time_limit=seconds)
    model.fit(X, y)
    return int((model.predict(X) != y).sum())


def streed_errors(X: pd.DataFrame, y: np.ndarray, depth: int, seconds: float) -> int:
    """Return the errors of STreeD's tree."""
    model = STreeDClassifier(
        max_depth=depth, max_num_nodes=STREED_NODES, cost_complexity=0.0, time_limit=seconds
    )
    model.fit(X.to_numpy(), y)
    return int((model.predict(X.to_numpy()) != y).sum())


PEERS = {"contree": contree_errors, "streed": streed_errors}

if __name__ == "__main__":
    sys.exit(main())
