"""Compare small trees on held-out rows: configurations of polytomy and other libraries.

Every learner grows trees of at most 4, 8, 16, 32 and 64 leaves on every classification table of the
data folder (--data or $POLYTOMY_DATA), in repeated stratified
folds. Without a data folder, the tables are those that come with scikit-learn and polytomy. For
each fit, one line is appended to a CSV file: held-out error, log loss, AUC, leaves, questions asked
per row, depth, coverage and width of the leaves' intervals, and the time of the fit. Fits that are
already in the file are not run again, so a study can be interrupted and extended.

Settings are chosen on one half of the tables (--half choose) and reported on the other (--half
report). A file is for one version of the library: --again drops the fits of an earlier one, and to
keep both, give the changed version a name with --ours NAME.

--only selects groups of learners: "main", the default, has our trees beside the best known of the
others; "effort" the efforts of TreeClassifier beside one-hot CART; "peers" all other libraries;
"ensembles" forests and boosted trees, where 0 leaves stands for the defaults of each library, and
16 for 100 trees of at most 16 leaves. A library that is not installed is left out.

With more than two classes, LightGBM grows a tree for each class: its leaves and questions are those
of all trees, and it has that much more room at the same budget.
"""

import argparse
import os
import sys
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")  # read when the libraries are loaded

import pandas as pd
from quality.learners import (
    BASELINE,
    ENSEMBLE_BASELINE,
    GROUPS,
    NAMES,
    Learner,
    is_installed,
    is_ours,
    learners_of,
)
from quality.measures import MEASURES, measure
from quality.plan import KEY, Plan, classification_tables, half_of, has_data, sampled_table, split
from quality.summary import document_tables, markdown_table, summary_lines
from results import HERE, fill_document, folder

COLUMNS = [*KEY, "call", "half", "rows", "classes", *MEASURES]
QUICK_TABLES = 12
README_BUDGETS = (8, 16, 32)
GROUP_BUDGETS = (4, 8, 16, 32)  # of --only
ENSEMBLE_BUDGETS = (0, 16)  # 0: the defaults of each library
ENSEMBLE_FOLDS = 2  # the first of the five; ensembles are slow and vary less
SHOWN_FAILURES = 10
DOCUMENT = HERE.parent / "docs" / "evidence" / "small-trees.md"
Key = tuple[Any, ...]


# ---- the file ----------------------------------------------------------------------------------


def read(path: Path) -> pd.DataFrame:
    """Return the fits of a file; none if it does not exist."""
    if not path.is_file():
        return pd.DataFrame(columns=COLUMNS)
    rows = pd.read_csv(path)
    if list(rows.columns) != COLUMNS:
        raise SystemExit(f"{path} is not a file of this study: its columns differ")
    return rows


def append(path: Path, rows: list[dict[str, Any]]) -> None:
    """Append fits to a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    frame = pd.DataFrame(rows, columns=COLUMNS)
    frame.to_csv(path, mode="a", header=not path.is_file(), index=False)


def keys_of(rows: pd.DataFrame) -> set[Key]:
    """Return the keys of fits."""
    return set(rows[list(KEY)].itertuples(index=False, name=None))


def forget(path: Path, learners: Iterable[str]) -> None:
    """Drop the fits of learners from a file."""
    rows = read(path)
    kept = rows[~rows["learner"].isin(list(learners))]
    if len(kept) < len(rows):
        kept.to_csv(path, index=False)


def check_calls(rows: pd.DataFrame, learners: dict[str, Learner]) -> None:
    """Refuse a learner whose name the file uses for other parameters."""
    for name, learner in learners.items():
        others = set(rows.loc[rows["learner"] == name, "call"]) - {learner.call}
        if others:
            raise SystemExit(
                f"in this file, {name!r} is {others.pop()}, not {learner.call}; "
                "choose another name or another file"
            )


# ---- running -----------------------------------------------------------------------------------


def run_fold(
    fits: list[dict[str, Any]], names: list[str], further: list[str]
) -> tuple[list[dict[str, Any]], list[str]]:
    """Run fits on one fold of a table; return their lines, and messages about failures."""
    learners = learners_of(names, further)
    first = fits[0]
    data = sampled_table(first["table"], first["max_rows"])
    train, test = split(data, first["folds"], first["repeat"], first["fold"])
    facts = {"half": half_of(first["table"]), "rows": len(data.y), "classes": data.n_classes}
    rows, failures = [], []
    for fit in fits:
        learner = learners[fit["learner"]]
        try:
            measures = measure(learner, train, test, fit["budget"])
        except Exception as error:  # one failure must not end the study
            words = ", ".join(f"{key} {fit[key]}" for key in ("learner", "table", "fold", "budget"))
            failures.append(f"{words}: {type(error).__name__}: {error}")
        else:
            rows.append(fit | {"call": learner.call} | facts | measures)
    return rows, failures


def run(plan: Plan, path: Path, given: argparse.Namespace) -> list[str]:
    """Run the fits of a plan that are not in the file; return messages about failures."""
    done = keys_of(read(path))
    folds: dict[Key, list[dict[str, Any]]] = {}
    for fit in plan.fits():
        if tuple(fit[key] for key in KEY) not in done:
            folds.setdefault((fit["table"], fit["repeat"], fit["fold"]), []).append(fit)
    failures: list[str] = []
    total, finished, start = sum(map(len, folds.values())), 0, perf_counter()
    print(f"{total} fits to run, {len(done)} in {path}", flush=True)
    with ProcessPoolExecutor(given.processes) as pool:
        waiting = {
            pool.submit(run_fold, fits, given.learners, given.ours): key
            for key, fits in folds.items()
        }
        for future in as_completed(waiting):
            rows, failed = future.result()
            append(path, rows)
            failures += failed
            finished += len(rows) + len(failed)
            passed = perf_counter() - start
            table, repeat, fold = waiting[future]
            print(
                f"[{passed:5.0f} s, {finished / total:4.0%}] {table}, fold {repeat}.{fold}: "
                f"{len(rows)} fits" + (f", {len(failed)} failed" if failed else ""),
                flush=True,
            )
    return failures


# ---- the command line --------------------------------------------------------------------------


def options(arguments: list[str] | None = None) -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_learner_options(parser)
    add_plan_options(parser)
    add = parser.add_argument
    add("--file", type=Path, help="CSV file (study.csv in benchmarks/results)")
    add("--processes", type=int, default=2, metavar="N", help="processes of one thread each (2)")
    add(
        "--again", action="store_true", help="drop polytomy's fits from the file and run them again"
    )
    add("--summary", action="store_true", help="only print the summary of the file")
    add("--table", action="store_true", help="only print error and questions as Markdown")
    add("--write", action="store_true", help="write the tables of docs/evidence/small-trees.md")
    given = parser.parse_args(arguments)
    if given.data is not None:  # the processes read the variable
        os.environ["POLYTOMY_DATA"] = str(given.data.resolve())
    given.named = given.learners
    if given.named is None:
        given.named = list(dict.fromkeys(n for g in given.only or ["main"] for n in GROUPS[g]))
    given.learners = [name for name in given.named if name in NAMES]
    try:
        given.all = learners_of(given.learners, given.ours)
    except ValueError as error:
        parser.error(str(error))
    if len(given.all) < len(given.learners) + len(given.ours) or "" in given.all:
        parser.error("every learner needs a name of its own")
    given.ensembles = "ensembles" in (given.only or ())
    if given.ensembles and len(given.only) > 1:
        parser.error("ensembles have budgets of their own; select them alone")
    if given.baseline is None:
        given.baseline = ENSEMBLE_BASELINE if given.ensembles else BASELINE
    if given.write and given.ensembles:
        parser.error("benchmarks/evidence.py writes the tables of ensembles")
    if given.write and given.quick:
        parser.error("the document is not written from a quick study")
    if given.baseline not in given.all:
        parser.error(f"the baseline {given.baseline!r} is not among {', '.join(given.all)}")
    return given


def add_learner_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that choose learners."""
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--only",
        nargs="+",
        choices=GROUPS,
        metavar="GROUP",
        help=f"groups of learners: {', '.join(GROUPS)} (main)",
    )
    which.add_argument(
        "--learners",
        nargs="*",
        choices=NAMES,
        metavar="NAME",
        help=f"some of: {', '.join(NAMES)}",
    )
    parser.add_argument(
        "--ours",
        action="append",
        default=[],
        metavar="NAME:KEY=VALUE,...",
        help="a further configuration of TreeClassifier; may be repeated",
    )
    parser.add_argument(
        "--baseline",
        metavar="NAME",
        help=f"compare the others with this ({BASELINE}; of ensembles, {ENSEMBLE_BASELINE})",
    )


def add_plan_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that choose tables, folds and sizes."""
    add = parser.add_argument
    add("--data", type=Path, metavar="PATH", help="folder of tables with a catalog.json")
    add("--half", choices=("choose", "report", "all"), default="all", help="of the tables (all)")
    add("--task", choices=("binary", "multiclass", "all"), default="all", help="of tables (all)")
    add("--tables", nargs="+", metavar="NAME", help="these tables only")
    add("--budgets", nargs="+", type=int, metavar="N", help="leaves (4 8 16 32; 64 without --only)")
    add("--folds", type=int, metavar="N", help="folds (5)")
    add("--first", type=int, metavar="N", help="run only the first N folds of each repeat (all)")
    add("--repeats", type=int, metavar="N", help="repeats of the folds (2; with --only 1)")
    add("--max-rows", type=int, metavar="N", help="sample larger tables down to this (5000)")
    add(
        "--quick",
        action="store_true",
        help=f"{QUICK_TABLES} tables of at most 1000 rows, 3 folds, 8 and 32 leaves (with --only "
        "all four sizes), unless given",
    )


def plan_of(given: argparse.Namespace) -> Plan:
    """Return the plan that the command line asks for."""
    tables = classification_tables(given.half, given.task)
    unknown = set(given.tables or ()) - set(tables)
    if unknown:
        raise SystemExit(f"not among the chosen tables: {', '.join(sorted(unknown))}")
    if given.quick:
        tables = tables[:: max(1, len(tables) // QUICK_TABLES)][:QUICK_TABLES]
    usual = ((8, 32), 3, 1, 1000) if given.quick else ((4, 8, 16, 32, 64), 5, 2, 5000)
    first = given.first
    if given.only:
        usual = (GROUP_BUDGETS, usual[1], 1, usual[3])
    if given.ensembles:
        usual = (ENSEMBLE_BUDGETS, *usual[1:])
        first = ENSEMBLE_FOLDS if first is None else first
    asked = (given.budgets, given.folds, given.repeats, given.max_rows)
    budgets, folds, repeats, max_rows = (
        u if a is None else a for a, u in zip(asked, usual, strict=True)
    )
    return Plan(
        tuple(given.tables or tables),
        tuple(given.all),
        tuple(budgets),
        folds,
        repeats,
        max_rows,
        first,
    )


def shown_plan(plan: Plan, given: argparse.Namespace, rows: pd.DataFrame) -> Plan:
    """Return the plan with the learners that have results in the file, installed or not.

    Those that are neither installed nor in the file are named in a line of output.
    """
    present = {*plan.learners, *rows["learner"]}
    for name in given.named:
        if not is_installed(name):
            where = "its results are in the file" if name in present else "left out"
            print(f"{name} is not installed: {where}")
    further = [name for name in plan.learners if name not in given.named]
    return replace(plan, learners=(*(n for n in given.named if n in present), *further))


def main() -> int:
    """Run the study and print its summary; return the exit code."""
    given = options()
    plan = plan_of(given)
    name = "study.csv"
    if not has_data():
        name = "study-bundled.csv"
        print("no data folder: the tables are those that come with scikit-learn and polytomy")
    path = given.file or folder(given.quick) / name
    to_run = not given.summary and not given.table
    if given.again and to_run:
        forget(path, filter(is_ours, given.all))
    check_calls(read(path), given.all)
    failures = []
    if to_run:
        failures = run(plan, path, given)
    rows = read(path)
    plan = shown_plan(plan, given, rows)
    wanted = {tuple(fit.values()) for fit in plan.fits()}
    rows = rows[[key in wanted for key in rows[list(KEY)].itertuples(index=False, name=None)]]
    if given.table:
        print(*markdown_table(rows, plan.learners, README_BUDGETS), sep="\n")
        return 0
    print()
    for name, call in rows.groupby("learner")["call"].first().items():
        print(f"{name}: {call}")
    print(
        f"\n{given.half} tables, {plan.repeats} x {plan.folds} folds, at most {plan.max_rows} rows"
    )
    print(*summary_lines(rows, plan.learners, given.baseline), sep="\n")
    for line in failure_lines(failures):
        print(line)
    if given.write:
        fill_document(DOCUMENT, document_tables(rows, plan.learners, given.baseline))
    return 1 if failures else 0


def failure_lines(failures: list[str]) -> list[str]:
    """Return the first failures, and how many more there are."""
    lines = [f"failed: {message}" for message in failures[:SHOWN_FAILURES]]
    more = len(failures) - len(lines)
    return [*lines, f"{more} more fits failed"] if more else lines


if __name__ == "__main__":
    sys.exit(main())
