"""Freund and Schapire's comparison: a stump and a tree like C4.5's, alone, boosted and bagged.

One line for each table: the error on held-out rows in percent, by stratified cross-validation.

- The stump is the best split into two branches. Boosting uses its weights: AdaBoost for two
  classes, AdaBoost.MH for more, where Freund and Schapire's AdaBoost.M2 also counts pairs of a row
  and a class.
- The tree takes the split with the largest gain ratio, stops at nodes of three rows and is pruned
  by C4.5's pessimistic estimate. Boosting draws the rows of each tree by their weights, since on
  weights a tree without training errors ends the run; --reweight passes the weights instead. The
  algorithm is AdaBoost for two classes, SAMME for more.
- Bagging fits the same learner on bootstrap samples; the class with the most votes wins.

The tables are all classification tables of the data folder (--data or $POLYTOMY_DATA), or those
that come with scikit-learn and polytomy. Larger ones are sampled.
"""

import argparse
import sys
from time import perf_counter
from typing import Any
from zlib import crc32

import numpy as np
import pandas as pd
from experiments import (
    add_options,
    chosen_tables,
    finish,
    folds_of,
    output_path,
    panels,
    parsed,
    save_figure,
    whole,
)
from quality.plan import has_data, sampled_table
from quality.summary import compare, row
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from tables import Data

from polytomy import BoostedTreeClassifier, TreeClassifier
from polytomy.plot.axes import ensure_matplotlib
from polytomy.plot.palette import BLUE

LEARNERS = ("stump", "tree")
WAYS = ("alone", "boosted", "bagged")
COLUMNS = [f"{learner} {way}" for learner in LEARNERS for way in WAYS]
PAIRS = (  # the first is compared with the second
    ("stump boosted", "stump alone"),
    ("stump bagged", "stump alone"),
    ("stump boosted", "stump bagged"),
    ("tree boosted", "tree alone"),
    ("tree bagged", "tree alone"),
    ("tree boosted", "tree bagged"),
    ("stump boosted", "tree alone"),
)
DRAWN = (PAIRS[0], PAIRS[2], PAIRS[3], PAIRS[5], PAIRS[6])
QUICK_TABLES = 6


# ---- learners ----------------------------------------------------------------------------------


def stump(is_category: list[bool]) -> TreeClassifier:
    """Return the best split into two branches."""
    return TreeClassifier(
        2,
        procedure="per-leaf",
        max_arity=2,
        honest=False,
        categorical_features=is_category,
        n_jobs=1,
    )


def tree(is_category: list[bool]) -> TreeClassifier:
    """Return a tree like C4.5's: by gain ratio, with pessimistic pruning."""
    return TreeClassifier(
        None,
        procedure="gain-ratio",
        pruner="pessimistic",
        min_samples_split=4,
        contract=False,
        honest=False,
        categorical_features=is_category,
        n_jobs=1,
    )


class Resampled(ClassifierMixin, BaseEstimator):
    """A classifier that is fitted on rows drawn by their weights, with replacement."""

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def fit(self, X: Any, y: Any, sample_weight: Any) -> "Resampled":
        """Draw as many rows as there are, and fit a clone on them.

        The seed is a checksum of the weights, so that every round draws anew.
        """
        rng = np.random.default_rng(crc32(sample_weight.tobytes()))
        drawn = rng.choice(len(y), len(y), p=sample_weight / sample_weight.sum())
        self.fitted_ = clone(self.estimator).fit(X[drawn], y[drawn])
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Return the class of each row."""
        return self.fitted_.predict(X)


def boosted(learner: str, data: Data, is_category: list[bool], given: argparse.Namespace) -> Any:
    """Return a boosted learner, not yet fitted."""
    for_two = data.n_classes == 2
    if learner == "stump":
        algorithm = "adaboost" if for_two else "adaboost-mh"
        return BoostedTreeClassifier(
            given.rounds,
            algorithm=algorithm,
            max_arity=2,
            categorical_features=is_category,
            n_jobs=1,
        )
    weak = tree(is_category)
    return BoostedTreeClassifier(
        given.rounds,
        algorithm="adaboost" if for_two else "samme",
        estimator=weak if given.reweight else Resampled(weak),
        n_jobs=1,
    )


def bagged_votes(learner: Any, train: Data, x: np.ndarray, n: int, n_classes: int) -> np.ndarray:
    """Return the votes for each class of n clones, each fitted on a bootstrap sample."""
    rng = np.random.default_rng(0)
    cells, votes = train.x.to_numpy(), np.zeros((len(x), n_classes), dtype=int)
    for _ in range(n):
        drawn = rng.integers(0, len(cells), len(cells))
        fitted = clone(learner).fit(cells[drawn], train.y[drawn])
        votes[np.arange(len(x)), fitted.predict(x)] += 1
    return votes


# ---- running -----------------------------------------------------------------------------------


def as_numbers(data: Data) -> tuple[Data, list[bool]]:
    """Return a table of numbers, and which columns number categories; missing cells are NaN.

    Boosting passes learners an array, and text in arrays is slow to read.
    """
    is_category = [data.x[name].dtype == "category" for name in data.x]
    columns = [
        data.x[name].cat.codes.where(data.x[name].notna()) if nominal else data.x[name]
        for name, nominal in zip(data.x, is_category, strict=True)
    ]
    cells = np.column_stack([column.to_numpy(np.float64) for column in columns])
    return Data(pd.DataFrame(cells), data.y), is_category


def fold_errors(
    train: Data, test: Data, is_category: list[bool], given: argparse.Namespace
) -> dict[str, float]:
    """Return the held-out error of each learner, alone, boosted and bagged."""
    cells, x, n_classes = (
        train.x.to_numpy(),
        test.x.to_numpy(),
        max(train.n_classes, test.n_classes),
    )
    found = {}
    for name, make in (("stump", stump), ("tree", tree)):
        alone = make(is_category)
        together = boosted(name, train, is_category, given)
        predicted = {
            "alone": alone.fit(cells, train.y).predict(x),
            "boosted": together.fit(cells, train.y).predict(x),
            "bagged": bagged_votes(alone, train, x, given.rounds, n_classes).argmax(axis=1),
        }
        found |= {f"{name} {way}": float(np.mean(p != test.y)) for way, p in predicted.items()}
    return found


def table_errors(name: str, given: argparse.Namespace) -> dict[str, float]:
    """Return the mean error over the folds of a table."""
    data, is_category = as_numbers(sampled_table(name, given.max_rows))
    folds = [fold_errors(train, test, is_category, given) for train, test in folds_of(data, given)]
    return {column: float(np.mean([fold[column] for fold in folds])) for column in COLUMNS}


# ---- the results -------------------------------------------------------------------------------


def error_lines(errors: pd.DataFrame) -> list[str]:
    """Return the error of every table, and the means, as a Markdown table."""
    lines = [row("", COLUMNS), row("---", ["---:"] * len(COLUMNS))]
    for name, values in [*errors.iterrows(), ("mean", errors.mean())]:
        lines.append(row(str(name), [f"{100 * values[column]:.1f}" for column in COLUMNS]))
    return lines


def pair_lines(errors: pd.DataFrame, rounds: int) -> list[str]:
    """Return wins, ties and losses of each comparison as a Markdown table."""
    means = errors.melt(ignore_index=False, var_name="learner", value_name="error")
    means = means.rename_axis("table").assign(budget=rounds).reset_index()
    means = means.set_index(["budget", "learner", "table"]).sort_index()
    heads = ["wins", "ties", "losses", "mean difference, points", "p"]
    lines = [row("", heads), row("---", ["---:"] * len(heads))]
    for first, second in PAIRS:
        found = compare(means, first, second, "error").loc[rounds]
        cells = [f"{found[name]:.0f}" for name in ("wins", "ties", "losses")]
        difference = f"{100 * found.difference:+z.1f} ± {100 * found.se:.1f}"
        p = f"{found.p:.3f}" if found.p >= 0.0005 else "< 0.001"
        lines.append(row(f"{first} against {second}", [*cells, difference, p]))
    return lines


def draw(errors: pd.DataFrame) -> Any:
    """Draw a point for each table: the error of one learner against that of another."""
    figure, grid = panels(1, len(DRAWN), (2.5 * len(DRAWN), 2.7))
    for ax, (first, second) in zip(grid[0], DRAWN, strict=True):
        x, y = 100 * errors[first], 100 * errors[second]
        top = 1.04 * max(x.max(), y.max(), 1.0)
        ax.plot([0, top], [0, top], color="grey", lw=0.8)
        ax.plot(x, y, "o", color=BLUE, markersize=4, alpha=0.7)
        ax.set(xlim=(0, top), ylim=(0, top), aspect="equal")
        ax.set_xlabel(f"{first}, error in %", fontsize=8)
        ax.set_ylabel(f"{second}, error in %", fontsize=8)
        ax.tick_params(labelsize=7)
        ax.grid(alpha=0.25)
    return figure


# ---- the command line --------------------------------------------------------------------------


def options(arguments: list[str] | None = None) -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_options(parser, folds=10, repeats=1)
    add = parser.add_argument
    add("--rounds", type=whole(1), default=50, metavar="N", help="rounds, and bagged trees (50)")
    add("--max-rows", type=whole(20), default=500, metavar="N", help="rows of a table (500)")
    add("--reweight", action="store_true", help="boost trees on weights, not on drawn rows")
    given = parsed(parser, arguments)
    if given.quick:
        given.rounds, given.folds = min(given.rounds, 10), min(given.folds, 3)
    return given


def main(arguments: list[str] | None = None) -> int:
    """Run the comparison, print its tables and write the figure; return the exit code."""
    given = options(arguments)
    ensure_matplotlib()  # before the work, not after it
    start = perf_counter()
    tables = chosen_tables(given, QUICK_TABLES)
    if not has_data():
        print("no data folder: the tables are those that come with scikit-learn and polytomy")
    found = {}
    for table in tables:
        found[table] = table_errors(table, given)
        print(f"[{perf_counter() - start:5.0f} s] {table}", flush=True)
    errors = pd.DataFrame.from_dict(found, orient="index")
    path = output_path(given, "freund_schapire.png")
    errors.rename_axis("table").to_csv(path.with_suffix(".csv"))
    save_figure(draw(errors), given, path)
    print(
        f"\n{given.repeats} x {given.folds} folds, {given.rounds} rounds, at most {given.max_rows} "
        "rows, errors in %"
    )
    finish(
        given,
        {"errors": error_lines(errors.sort_index()), "pairs": pair_lines(errors, given.rounds)},
        start,
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
