"""Binary against multi-way trees of the same number of leaves, for five prices of a branch.

A greedy run takes the split with the largest gain divided by the price of its k branches. The
papers differ in this price: 1, g(k) of Mansour and McAllester, log2 k, ceil(log2 k) of Hatano, and
k - 1, the number of leaves that the split adds. Here all else is equal: one run in steepest order,
gini, no pruning. Beside them stand binary trees, and the three published procedures, which also
split the heaviest leaf first and restrict the number of branches.

Measured for 8, 16 and 32 leaves: index and error on the training rows, error on held-out rows,
leaves, questions asked of a row, before and after a node is joined with children that split on the
same column, and the mean number of branches. Nothing is chosen by the results.

The tables are all classification tables of the data folder (--data or $POLYTOMY_DATA), or those
that come with scikit-learn and polytomy. Larger ones are sampled.
"""

import argparse
import sys
from time import perf_counter

import numpy as np
import pandas as pd
from experiments import add_options, chosen_tables, finish, output_path, parsed, whole
from quality.learners.branch_price import GreedyTree, price_growers
from quality.plan import Plan, has_data, sampled_table, split
from quality.summary import compare, point_cell, row
from tables import Data

BASELINE = "binary"
SHOWN = {  # measure: its head, factor and digits
    "index": ("training index", 1, 3),
    "training_error": ("training error, %", 100, 1),
    "error": ("held-out error, %", 100, 1),
    "leaves": ("leaves", 1, 1),
    "questions": ("questions per row", 1, 2),
    "contracted": ("contracted", 1, 2),
    "arity": ("branches per split", 1, 2),
}
QUICK_TABLES = 6


def run(plan: Plan, max_arity: int) -> pd.DataFrame:
    """Run the fits of a plan; return a line for each."""
    growers, rows = price_growers(max_arity), []
    start, table, fold = perf_counter(), None, None
    for fit in plan.fits():
        if fit["table"] != table:
            table = fit["table"]
            print(f"[{perf_counter() - start:5.0f} s] {table}", flush=True)
        if fold != (table, fit["repeat"], fit["fold"]):
            fold = (table, fit["repeat"], fit["fold"])
            data = sampled_table(table, fit["max_rows"])
            train, test = split(data, fit["folds"], fit["repeat"], fit["fold"])
        rows.append(fit | measures(growers[fit["learner"]](train, fit["budget"]), test))
    return pd.DataFrame(rows)


def measures(tree: GreedyTree, test: Data) -> dict[str, float]:
    """Return the measures of a tree, by the names of ``SHOWN``."""
    answers = tree.answer(test.x)
    predicted = tree.classes[answers.probabilities.argmax(axis=1)]
    return {
        "index": tree.index,
        "training_error": tree.training_error,
        "error": float(np.mean(predicted != test.y)),
        "leaves": tree.n_leaves,
        "questions": float(answers.questions.mean()),
        "contracted": float(tree.contracted_questions(test.x).mean()),
        "arity": tree.arity,
    }


# ---- the results -------------------------------------------------------------------------------


def mean_lines(means: pd.DataFrame, learners: tuple[str, ...]) -> list[str]:
    """Return the means over the tables, for each budget and learner, as a Markdown table."""
    overall = means.groupby(level=["budget", "learner"]).mean()
    heads = [head for head, _, _ in SHOWN.values()]
    lines = [row("budget", ["", *heads]), row("---:", ["---", *["---:"] * len(heads)])]
    for budget in means.index.unique("budget"):
        for name in learners:
            values = overall.loc[(budget, name)]
            cells = [f"{by * values[m]:.{digits}f}" for m, (_, by, digits) in SHOWN.items()]
            lines.append(row(str(budget), [name, *cells]))
    return lines


def difference_lines(means: pd.DataFrame, learners: tuple[str, ...]) -> list[str]:
    """Return the held-out error minus that of binary trees as a Markdown table."""
    budgets = list(means.index.unique("budget"))
    lines = [
        row("", [f"{budget} leaves" for budget in budgets]),
        row("---", ["---:"] * len(budgets)),
    ]
    for name in learners:
        if name != BASELINE:
            found = compare(means, name, BASELINE, "error")
            lines.append(row(name, [point_cell(cell) for cell in found.itertuples()]))
    return lines


# ---- the command line --------------------------------------------------------------------------


def options(arguments: list[str] | None = None) -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_options(parser, folds=5, repeats=3)
    add = parser.add_argument
    budgets = (8, 16, 32)
    add("--budgets", nargs="+", type=whole(2), default=budgets, metavar="N", help="(8 16 32)")
    add("--max-arity", type=whole(2), default=8, metavar="N", help="most ranges or groups (8)")
    add("--max-rows", type=whole(20), default=5000, metavar="N", help="rows of a table (5000)")
    given = parsed(parser, arguments)
    if given.quick:
        given.folds, given.repeats = min(given.folds, 2), 1
        given.max_rows = min(given.max_rows, 1000)
    return given


def main(arguments: list[str] | None = None) -> int:
    """Run the comparison, print its tables and write all fits; return the exit code."""
    given = options(arguments)
    start = perf_counter()
    tables = tuple(chosen_tables(given, QUICK_TABLES))
    if not has_data():
        print("no data folder: the tables are those that come with scikit-learn and polytomy")
    learners = tuple(price_growers(given.max_arity))
    budgets = tuple(given.budgets)
    plan = Plan(tables, learners, budgets, given.folds, given.repeats, given.max_rows)
    rows = run(plan, given.max_arity)
    path = output_path(given, "branch_prices.csv")
    rows.to_csv(path, index=False)
    means = rows.groupby(["budget", "learner", "table"])[list(SHOWN)].mean()
    print(f"wrote {path}\n\n{len(tables)} tables, {plan.repeats} x {plan.folds} folds")
    print(f"differences of the held-out error to {BASELINE} trees in points, wins-losses")
    shown = {
        "branch prices": mean_lines(means, learners),
        "price differences": difference_lines(means, learners),
    }
    finish(given, shown, start)
    return 0


if __name__ == "__main__":
    sys.exit(main())
