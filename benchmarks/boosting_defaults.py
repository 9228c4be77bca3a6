"""Compare settings of BoostedTreeClassifier, to choose its defaults.

    python benchmarks/boosting_defaults.py                     # half an hour
    python benchmarks/boosting_defaults.py --tables wine car   # a trial

The tables are those of the choosing half of the study; the last line is XGBoost. Prints the mean
error and log loss over the tables. docs/evidence/ensembles.md has the results.
"""

import argparse
import os
from functools import partial

os.environ.setdefault("OMP_NUM_THREADS", "1")  # read when the libraries are loaded

import numpy as np
import pandas as pd
from quality.learners import Learner, is_installed, learners_of
from quality.learners.ensembles import DEFAULTS, EIGHT, Ensemble, grow_boosted
from quality.measures import measure
from quality.plan import classification_tables, sampled_table, split
from tables import Data

MAX_ROWS, FOLDS, FIRST = 2000, 5, 2
PEER = "XGBoost"


def grow(
    data: Data,
    _budget: int,
    /,
    max_leaves: int = EIGHT,
    penalty: float | None = None,
    **params: object,
) -> Ensemble:
    """Fit a BoostedTreeClassifier; the penalty is in rows, as XGBoost has it."""
    if penalty is not None:
        params["smoothing"] = 0.5 * penalty / len(data.y)
    if params.get("algorithm") == "adaboost":
        several = len(np.unique(data.y)) > 2
        params["algorithm"] = "adaboost-mh" if several else "adaboost-real"
    return grow_boosted(data, max_leaves, **params)


SETTINGS = {
    "trees of 8 leaves": {},
    "without penalty": {"penalty": 0.0},
    "with a penalty of 3": {"penalty": 3.0},
    "16 leaves": {"max_leaves": 16},
    "16 leaves without penalty": {"max_leaves": 16, "penalty": 0.0},
    "4 leaves": {"max_leaves": 4},
    "stumps, the default": {"max_leaves": 2},
    "stumps of up to 8 branches": {"max_depth": 1, "learning_rate": 0.1},
    "rate 0.2": {"learning_rate": 0.2},
    "at least 5 rows in a leaf": {"min_samples_leaf": 5},
    "binary splits": {"max_arity": 2},
    "early stopping": {"early_stopping": {"fraction": 0.1, "monitor": "loss"}},
    "AdaBoost, stumps": {"algorithm": "adaboost", "max_leaves": 2},
    "AdaBoost, 16 leaves": {"algorithm": "adaboost", "max_leaves": 16},
    "AdaBoost, 16 leaves, rate 0.1": {
        "algorithm": "adaboost",
        "max_leaves": 16,
        "learning_rate": 0.1,
    },
}


def main() -> None:
    """Print a line for each setting."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tables", nargs="+", metavar="NAME", help="these tables only")
    given = parser.parse_args()
    learners = {name: Learner(name, partial(grow, **more)) for name, more in SETTINGS.items()}
    if is_installed(PEER):
        learners |= learners_of([PEER], [])
    found = []
    for table in given.tables or classification_tables("choose"):
        data = sampled_table(table, MAX_ROWS)
        for fold in range(FIRST):
            train, test = split(data, FOLDS, 0, fold)
            for name, learner in learners.items():
                made = measure(learner, train, test, DEFAULTS)
                found.append({"setting": name, "table": table} | made)
    rows = pd.DataFrame(found).groupby(["setting", "table"])[["error", "log_loss"]].mean()
    for name in learners:
        mean = rows.loc[name].mean()
        print(f"| {name} | {100 * mean['error']:.1f} | {mean['log_loss']:.3f} |")


if __name__ == "__main__":
    main()
