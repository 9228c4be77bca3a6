"""Write the tables and figures of docs/evidence.

    python benchmarks/evidence.py --collect    # first take the results of the study
    python benchmarks/evidence.py --update     # first take those of single trees, on more folds
    python benchmarks/evidence.py              # from docs/evidence/results.csv alone

docs/evidence/results.csv has the results of ``benchmarks/study.py`` by table, and
docs/evidence/intervals.csv those of ``benchmarks/intervals.py``. Both belong to the documentation,
so that tables, ranks and figures can be checked without running the study.
"""

import argparse
import sys
from pathlib import Path

import pandas as pd
from quality.evidence import (
    LARGER,
    MANY,
    ONE_TREE,
    OUR_MANY,
    OURS,
    SINGLE,
    SIZE,
    collect,
    error_table,
    interval_table,
    main_table,
    pair_table,
    rank_table,
    read,
    update,
)
from quality.figures import BUDGETS, save_figures
from quality.learners import BASELINE, EFFORTS, ENSEMBLE_BASELINE, GROUPS
from quality.learners.ensembles import DEFAULTS
from quality.summary import document_tables
from results import HERE, RESULTS, fill_document

PAGES = HERE.parent / "docs" / "evidence"


def pages(means: pd.DataFrame, leaves: pd.DataFrame) -> dict[str, dict[str, list[str]]]:
    """Return the tables of each page by the names of their markers."""
    uncounted = ["questions"]
    with_tree = MANY | {ONE_TREE: "one tree of 32 leaves, polytomy"}
    trees = means.loc[list(BUDGETS)].reset_index().assign(repeat=0, fold=0)
    small = [
        name for name in (BASELINE, *EFFORTS, *GROUPS["peers"][1:]) if name in set(trees["learner"])
    ]
    return {
        "small-trees.md": document_tables(trees, small, BASELINE),
        "index.md": {
            "main": main_table(means, SIZE, SINGLE, BASELINE, ["AUC", "leaves"]),
            "intervals": interval_table(leaves),
        },
        "tables.md": {
            "main": main_table(means, SIZE, SINGLE, BASELINE),
            "ranks": rank_table(means, BUDGETS, SINGLE),
            "pairs": pair_table(means, SIZE, SINGLE, OURS),
            "errors": error_table(means, SIZE, SINGLE),
        },
        "ensembles.md": {
            "defaults": main_table(means, DEFAULTS, with_tree, ENSEMBLE_BASELINE, uncounted),
            "equal": main_table(means, SIZE, LARGER, ENSEMBLE_BASELINE, uncounted),
            "ranks": rank_table(means, (DEFAULTS, SIZE), MANY),
            "pairs": pair_table(means, DEFAULTS, MANY, OUR_MANY),
            "errors": error_table(means, DEFAULTS, with_tree),
        },
    }


def main() -> int:
    """Collect results if asked, and write tables and figures; return the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--collect", action="store_true", help="write results.csv from the fits of the study")
    add("--update", action="store_true", help="replace the results of the learners of the study")
    add("--file", type=Path, default=RESULTS / "study.csv", help="the fits of the study")
    given = parser.parse_args()
    results = PAGES / "results.csv"
    if given.collect or given.update:
        fits = pd.read_csv(given.file)
        fits = fits[fits["half"] == "report"]
        made = update(pd.read_csv(results), fits) if given.update else collect(fits)
        made.to_csv(results, index=False)
    means = read(results)
    leaves = pd.read_csv(PAGES / "intervals.csv").set_index(["learner", "kind", "training_rows"])
    for name, tables in pages(means, leaves).items():
        fill_document(PAGES / name, tables)
    for path in save_figures(means, leaves, PAGES / "images"):
        print(f"wrote {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
