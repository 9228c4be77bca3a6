"""Forests beside scikit-learn's: time on a random table, and held-out error on real tables.

Both libraries grow the same kind of trees: binary, gini, bootstrap, sqrt(columns) per node, with
the same limits and the same number of threads. With ``--task regression`` they are regression
trees, a third of the columns per node, and errors are relative: the mean squared error over the
variance of the held-out rows. ``--ours KEY=VALUE,...`` adds a configuration of ours to the errors.
The time of ours includes the out-of-bag error; scikit-learn computes none.
"""

import argparse
import sys
from collections.abc import Callable, Iterator
from time import perf_counter, process_time
from typing import Any

import numpy as np
import regression
from quality.plan import classification_tables, sampled_table, split
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from tables import Data, Recipe, table_of

from polytomy import ForestClassifier, ForestRegressor

LEAVES = (64, None)
FOLDS = 5
COLUMNS = {"classification": "sqrt", "regression": 1 / 3}  # that each node draws
OURS = {"classification": ForestClassifier, "regression": ForestRegressor}
THEIRS = {"classification": RandomForestClassifier, "regression": RandomForestRegressor}
TARGET = 1 / 5  # of scikit-learn's time


def options() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--task", choices=tuple(OURS), default="classification", help="the target")
    parser.add_argument("--rows", type=int, default=100_000, help="rows to time (100000)")
    parser.add_argument("--columns", type=int, default=20, help="columns to time (20)")
    parser.add_argument("--trees", type=int, default=100, help="trees of each forest (100)")
    parser.add_argument("--repeats", type=int, default=1, help="repeats; the shortest counts (1)")
    parser.add_argument("--jobs", type=int, default=2, help="threads of both libraries (2)")
    parser.add_argument("--tables", type=int, default=10, help="number of real tables (10)")
    parser.add_argument("--half", default="report", help="half of the tables: choose, report, all")
    parser.add_argument("--max-rows", type=int, default=5000, help="rows of a real table (5000)")
    parser.add_argument("--ours", action="append", default=[], help="a further configuration")
    parser.add_argument("--only", choices=("time", "error"), help="measure only one of the two")
    return parser.parse_args()


def main() -> int:
    """Measure and print both tables; return 1 if a forest takes too long."""
    given = options()
    too_slow = given.only != "error" and not print_times(given)
    if given.only != "time":
        errors(given)
    return int(too_slow)


# ---- time --------------------------------------------------------------------------------------


def print_times(given: argparse.Namespace) -> bool:
    """Print the time of both libraries, in turn; return whether ours is short enough."""
    data = table_of(Recipe(given.rows, given.columns, numeric=given.task == "regression"))
    print(
        "| leaves | polytomy s | scikit-learn s | ratio | ratio of CPU times | out-of-bag error |"
    )
    print("|---|---|---|---|---|---|")
    fast = True
    for leaves in LEAVES:
        shared = {"max_features": COLUMNS[given.task], "n_jobs": given.jobs}
        ours = OURS[given.task](given.trees, max_leaves=leaves, max_arity=2, **shared)
        theirs = THEIRS[given.task](given.trees, max_leaf_nodes=leaves, random_state=0, **shared)
        pairs = [(seconds(ours, data), seconds(theirs, data)) for _ in range(given.repeats)]
        (mine, my_cpu), (other, other_cpu) = np.min(pairs, axis=0)
        fast = fast and mine <= TARGET * other
        size = "no limit" if leaves is None else leaves
        ratios = f"{mine / other:.3f} | {my_cpu / other_cpu:.3f}"
        print(
            f"| {size} | {mine:.2f} | {other:.2f} | {ratios} | {ours.oob_error_:.4f} |", flush=True
        )
    return fast


def seconds(model: Any, data: Data) -> tuple[float, float]:
    """Return the time that a fit takes, and the CPU time of all threads."""
    start = perf_counter(), process_time()
    model.fit(data.x, data.y)
    return perf_counter() - start[0], process_time() - start[1]


# ---- error -------------------------------------------------------------------------------------


def errors(given: argparse.Namespace) -> None:
    """Print the held-out errors of all configurations on real tables, by 5-fold validation."""
    makers = contenders(given)
    names = list(makers)
    print(f"\n| table | {' | '.join(names)} | out of bag |\n|---|{'---|' * (len(names) + 1)}")
    means = []
    is_regression = given.task == "regression"
    tables = regression.names_of if is_regression else classification_tables
    for table in tables(given.half)[: given.tables]:
        wrong = np.zeros((FOLDS, len(names)))
        out_of_bag = []
        for fold, (train, test) in enumerate(folds_of(table, given)):
            for i, name in enumerate(names):
                model = makers[name]().fit(train.x, train.y)
                predicted = model.predict(test.x)
                if is_regression:
                    wrong[fold, i] = np.mean((predicted - test.y) ** 2) / np.var(test.y)
                else:
                    wrong[fold, i] = np.mean(predicted != test.y)
                if i == 0:
                    out_of_bag.append(1 - model.oob_score_)
        means.append(wrong.mean(axis=0))
        cells = " | ".join(f"{100 * mean:.2f}" for mean in means[-1])
        print(f"| {table} | {cells} | {100 * np.mean(out_of_bag):.2f} |", flush=True)
    found = np.array(means)
    cells = " | ".join(f"{100 * mean:.2f}" for mean in found.mean(axis=0))
    print(f"| mean | {cells} | |")


def folds_of(table: str, given: argparse.Namespace) -> Iterator[tuple[Data, Data]]:
    """Yield the training and the held-out rows of each fold of a real table."""
    if given.task == "classification":
        data = sampled_table(table, given.max_rows)
        yield from (split(data, FOLDS, 0, fold) for fold in range(FOLDS))
        return
    x, y = regression.regression_table(table, given.max_rows)
    for inside, outside in KFold(FOLDS, shuffle=True, random_state=0).split(x):
        yield Data(x.iloc[inside], y[inside]), Data(x.iloc[outside], y[outside])


def contenders(given: argparse.Namespace) -> dict[str, Callable[[], Any]]:
    """Return a function for each configuration that makes its estimator."""

    def ours(**changed: Any) -> Callable[[], Any]:
        return lambda: OURS[given.task](given.trees, n_jobs=given.jobs, **changed)

    def theirs() -> Any:
        shared = {"max_features": COLUMNS[given.task], "n_jobs": given.jobs, "random_state": 0}
        forest = THEIRS[given.task](given.trees, **shared)
        if given.task == "regression":
            return regression.one_hot(forest)
        nominal = make_column_selector(dtype_include="category")
        one_hot = (OneHotEncoder(handle_unknown="ignore", sparse_output=False), nominal)
        columns = make_column_transformer(one_hot, remainder="passthrough")
        return make_pipeline(columns, forest)

    made = {"polytomy": ours()}
    for text in given.ours:
        made[text] = ours(**dict(pair_of(part) for part in text.split(",")))
    return made | {"scikit-learn": theirs}


def pair_of(text: str) -> tuple[str, Any]:
    """Return the name and the value of a parameter written as NAME=VALUE."""
    name, _, value = text.partition("=")
    for kind in (int, float):
        try:
            return name, kind(value)
        except ValueError:
            continue
    return name, {"None": None, "True": True, "False": False}.get(value, value)


if __name__ == "__main__":
    sys.exit(main())
