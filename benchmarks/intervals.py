"""Judge the 95 % intervals of leaves by the number of training rows in the leaf.

The study judges only leaves with at least 20 held-out rows, and with four fifths of the rows for
training these are large leaves, whose intervals are easy. Here the folds change places: a tree
grows on one fifth of the rows, and the other four fifths judge its leaves, so that a leaf of five
training rows meets about twenty new ones. The tables are those of the reporting half with at least
500 rows. The output is the fraction of intervals that hold, and the mean share of the predicted
class: claimed, and among new rows.

    python benchmarks/intervals.py [--leaves 16] [--write]
"""

import argparse
import os
import sys
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")  # read when the libraries are loaded

import numpy as np
import pandas as pd
from quality.evidence import SIZE_NAMES
from quality.learners import BASELINE, Tree, learners_of
from quality.measures import LEAST_ROWS, covers, training_intervals
from quality.plan import classification_tables, sampled_table, split
from results import HERE
from tables import Data

LEAST_TABLE = 500  # rows of a table: a fifth of fewer is too small to grow 16 leaves
MAX_ROWS = 5000
FOLDS = 5
SIZES = [0, 10, 30, 100, np.inf]  # training rows of the leaves that are pooled
FILE = HERE.parent / "docs" / "evidence" / "intervals.csv"


def judged_leaves(tree: Tree, train: Data, test: Data) -> pd.DataFrame:
    """Return the leaves with enough new rows, under the intervals they state and the usual ones.

    Returns
    -------
    DataFrame
        A row for each leaf and kind of interval: ``kind`` (``"stated"`` if the tree states
        intervals, and ``"training"``), ``rows`` (of training), ``claimed``, ``actual`` and
        ``holds``.
    """
    usual = training_intervals(tree, train)
    kinds = {"stated": tree.intervals(), "training": usual}
    leaf = tree.answer(test.x).leaf
    found = []
    for number, new_rows in zip(*np.unique(leaf, return_counts=True), strict=True):
        if new_rows < LEAST_ROWS or number not in usual.index:
            continue
        right = test.y[leaf == number] == usual.loc[number, "label"]
        for kind, intervals in kinds.items():
            if intervals is not None:
                interval = intervals.loc[number]
                found.append(
                    {
                        "kind": kind,
                        "rows": int(usual.loc[number, "rows"]),
                        "claimed": interval["share"],
                        "actual": right.mean(),
                        "holds": covers(interval, right),
                    }
                )
    return pd.DataFrame(found)


def measured(names: list[str], leaves: int, half: str) -> pd.DataFrame:
    """Return the judged leaves of all learners, tables and folds."""
    parts = []
    for table in classification_tables(half):
        data = sampled_table(table, MAX_ROWS)
        if len(data.y) < LEAST_TABLE:
            continue
        for fold in range(FOLDS):
            test, train = split(data, FOLDS, 0, fold)  # the fifth is for training
            for name, learner in learners_of(names).items():
                found = judged_leaves(learner.grow(train, leaves), train, test)
                parts.append(found.assign(learner=name, table=table))
        print(f"{table}: {len(data.y)} rows", file=sys.stderr, flush=True)
    return pd.concat(parts)


def pooled(leaves: pd.DataFrame) -> pd.DataFrame:
    """Return the share of intervals that hold and the mean shares, by learner, kind and size."""
    sizes = pd.cut(leaves["rows"], SIZES, right=False, labels=SIZE_NAMES)
    keys = ["learner", "kind", sizes.rename("training_rows")]
    grouped = leaves.groupby(keys, observed=True, sort=False)
    made = grouped[["holds", "claimed", "actual"]].mean().assign(leaves=grouped.size())
    return made.sort_index().round(4)


def main() -> None:
    """Measure, print and, if asked, write the file that the figure is drawn from."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--leaves", type=int, default=16, help="budget of a tree (16)")
    parser.add_argument("--half", default="report", help="half of the tables (report)")
    parser.add_argument("--data", type=Path, help="folder of tables with a catalog.json")
    parser.add_argument("--write", action="store_true", help="write docs/evidence/intervals.csv")
    given = parser.parse_args()
    if given.data is not None:
        os.environ["POLYTOMY_DATA"] = str(given.data.resolve())
    made = pooled(measured(["fast", "balanced", BASELINE], given.leaves, given.half))
    print(made.to_string())
    if given.write:
        made.to_csv(FILE)
        print(f"wrote {FILE}")


if __name__ == "__main__":
    main()
