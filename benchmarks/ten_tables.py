"""The figure of the boosting lecture: train and test error of boosted stumps on ten tables.

Schapire and Singer's comparison, as the lecture shows it: on the left of each pair of panels the
training error, on the right the error on held-out rows, against the number of rounds on a
logarithmic axis. AdaBoost votes with one weight for each stump; AdaBoost.MH, which for two classes
is our "adaboost-real", with the confidence of each leaf. Errors are means over the folds of
repeated stratified cross-validation.

The ten tables are read from the data folder (--data or $POLYTOMY_DATA). Those that it lacks are
named and left out; if it has none, the tables of two classes that
come with scikit-learn and polytomy take their place.
"""

import argparse
import sys
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from experiments import (
    add_options,
    finish,
    folds_of,
    output_path,
    panels,
    parsed,
    save_figure,
    whole,
)
from quality.plan import classification_tables, has_data, sampled_table
from quality.summary import row
from tables import Data, has_real_table

from polytomy import BoostedTreeClassifier
from polytomy.plot.axes import ensure_matplotlib
from polytomy.plot.palette import BLUE, VERMILION

TABLES = {  # the lecture's names: ours, and a column to leave out
    "labor": ("labor", None),
    "promoters": ("promoters", None),
    "hepatitis": ("hepatitis", None),
    "sonar": ("sonar", None),
    "ionosphere": ("ionosphere", None),
    "cleve": ("heart_cleveland", None),
    "votes": ("house_votes_84", None),
    "votes1": ("house_votes_84", "physician_fee_freeze"),
    "breast-w": ("breast_w", None),
    "crx": ("credit_a", None),
}
ALGORITHMS = {"AdaBoost": "adaboost", "AdaBoost.MH": "adaboost-real"}
LOOKS = {"AdaBoost": (VERMILION, "--"), "AdaBoost.MH": (BLUE, "-")}
SHOWN = (1, 10, 100, 1000)  # rounds
MOST_ROWS = 5000
PAIRS_PER_ROW = 2


@dataclass
class Curves:
    """The course of an algorithm on a table: a line for each fold, a column for each round."""

    train: np.ndarray
    test: np.ndarray
    bound: np.ndarray  # exp(-2 sum gamma^2), or NaN
    margin: np.ndarray  # for each fold the smallest margin of a training row at the end
    rows: np.ndarray  # training rows of each fold

    def zero_round(self) -> float:
        """Return the median first round without training errors; infinity if there is none."""
        return median_round(self.train == 0)

    def sure_round(self) -> float:
        """Return the median first round whose bound is less than one row; infinity if none."""
        return median_round(self.bound * self.rows[:, None] < 1)


def median_round(reached: np.ndarray) -> float:
    """Return the median over the folds of the first round that is reached."""
    first = np.where(reached.any(axis=1), reached.argmax(axis=1) + 1.0, np.inf)
    return float(np.sort(first)[len(first) // 2])


# ---- running -----------------------------------------------------------------------------------


def ten_tables() -> dict[str, tuple[str, str | None]]:
    """Return the tables at hand, and say which are missing."""
    found = {name: how for name, how in TABLES.items() if has_data() and has_real_table(how[0])}
    missing = [name for name in TABLES if name not in found]
    if missing:
        print(f"not in the data folder: {', '.join(missing)}")
    if not found:
        found = {name: (name, None) for name in classification_tables(task="binary")}
        print(f"instead: {', '.join(found)}")
    return found


def table_of(name: str, without: str | None) -> Data:
    """Read a table, without a column."""
    data = sampled_table(name, MOST_ROWS)
    return data if without is None else Data(data.x.drop(columns=without), data.y)


def curves_of(data: Data, algorithm: str, given: argparse.Namespace) -> Curves:
    """Boost on every fold of a table."""
    lines: dict[str, list[Any]] = {name: [] for name in Curves.__annotations__}
    for train, test in folds_of(data, given):
        model = BoostedTreeClassifier(
            given.rounds, algorithm=algorithm, max_leaves=given.leaves, n_jobs=1
        ).fit(train.x, train.y)
        if not model.rounds_:
            raise SystemExit(f"{algorithm} took no round: {model.ended_}")
        errors = [np.mean(predicted != test.y) for predicted in model.staged_predict(test.x)]
        lines["train"].append(lengthened(model.rounds_.training_error, given.rounds))
        lines["test"].append(lengthened(errors, given.rounds))
        lines["bound"].append(lengthened(model.rounds_.exponential_bound, given.rounds))
        lines["margin"].append(model.margins(train.x, train.y).min())
        lines["rows"].append(len(train.y))
    return Curves(**{name: np.array(values) for name, values in lines.items()})


def lengthened(values: Any, rounds: int) -> np.ndarray:
    """Return one value for each round; a run that ended early keeps its last one."""
    values = np.asarray(values, dtype=float)
    return np.concatenate([values, np.full(rounds - len(values), values[-1])])


# ---- the results -------------------------------------------------------------------------------


def error_lines(found: dict[str, dict[str, Curves]], rounds: int) -> list[str]:
    """Return the errors after 1, 10, 100 and 1,000 rounds as a Markdown table."""
    shown = [n for n in SHOWN if n <= rounds]
    heads = [f"{part} {n:,}" for part in ("train", "test") for n in shown]
    lines = [row("", ["algorithm", *heads]), row("---", ["---", *["---:"] * len(heads)])]
    for table, by_algorithm in found.items():
        for algorithm, curves in by_algorithm.items():
            errors = [e[:, n - 1].mean() for e in (curves.train, curves.test) for n in shown]
            lines.append(row(table, [algorithm, *(f"{100 * error:.1f}" for error in errors)]))
    return lines


def bound_lines(found: dict[str, dict[str, Curves]], rounds: int) -> list[str]:
    """Return when the training error is zero, measured and promised, as a Markdown table."""
    heads = [
        "rows",
        *(f"rounds to zero, {name}" for name in ALGORITHMS),
        "promised by the bound, AdaBoost",
        f"bound at {rounds:,}",
        "least margin, AdaBoost",
        "least margin, AdaBoost.MH",
    ]
    lines = [row("", heads), row("---", ["---:"] * len(heads))]
    for table, (plain, real) in ((t, c.values()) for t, c in found.items()):
        # the median, as of the other figures: a mean of bounds is that of the worst fold
        bound = np.median(plain.bound[:, -1])
        cells = [
            f"{plain.rows.mean():.0f}",
            round_words(plain.zero_round(), rounds),
            round_words(real.zero_round(), rounds),
            round_words(plain.sure_round(), rounds),
            f"{bound:.2g}",
            *(f"{np.median(curves.margin):+.3f}" for curves in (plain, real)),
        ]
        lines.append(row(table, cells))
    return lines


def round_words(number: float, rounds: int) -> str:
    """Return a number of rounds as text."""
    return f"{number:,.0f}" if np.isfinite(number) else f"over {rounds:,}"


def draw(found: dict[str, dict[str, Curves]], rounds: int) -> Any:
    """Draw two panels for each table: train on the left, test on the right."""
    high = -(-len(found) // PAIRS_PER_ROW)
    figure, grid = panels(high, 2 * PAIRS_PER_ROW, (5.6 * PAIRS_PER_ROW, 1.75 * high + 0.5))
    # a curve of 1,000 steps needs no more points than the axis has pixels
    at = np.unique(np.geomspace(1, rounds, 120).round().astype(int))
    for i, (table, by_algorithm) in enumerate(found.items()):
        pair = grid[i // PAIRS_PER_ROW, 2 * (i % PAIRS_PER_ROW) :][:2]
        for ax, part in zip(pair, ("train", "test"), strict=True):
            for algorithm, curves in by_algorithm.items():
                colour, line = LOOKS[algorithm]
                errors = 100 * getattr(curves, part).mean(axis=0)[at - 1]
                ax.plot(at, errors, color=colour, ls=line, lw=1.4, label=algorithm)
            ax.set_xscale("log")
            ax.set_xlim(1, max(rounds, 2))
            ax.xaxis.set_major_formatter("{x:g}")
            ax.set_title(f"{table}, {part}", fontsize=9)
            ax.tick_params(labelsize=7)
            ax.grid(alpha=0.25)
    for spare in grid.ravel()[2 * len(found) :]:
        spare.remove()
    handles, labels = grid[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=2, frameon=False)
    figure.supxlabel("rounds", fontsize=9)
    figure.supylabel("error in %", fontsize=9)
    return figure


# ---- the command line --------------------------------------------------------------------------


def options(arguments: list[str] | None = None) -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_options(parser, folds=10, repeats=3)
    parser.add_argument("--rounds", type=whole(1), default=1000, metavar="N", help="rounds (1000)")
    parser.add_argument(
        "--leaves", type=whole(2), default=2, metavar="N", help="leaves of a tree (2: stumps)"
    )
    given = parsed(parser, arguments)
    if given.quick:
        given.rounds, given.folds, given.repeats = min(given.rounds, 100), min(given.folds, 3), 1
    return given


def main(arguments: list[str] | None = None) -> int:
    """Run the experiment, print its tables and write the figure; return the exit code."""
    given = options(arguments)
    ensure_matplotlib()  # before the work, not after it
    start = perf_counter()
    at_hand = ten_tables()
    unknown = sorted(set(given.tables or ()) - set(at_hand))
    if unknown:
        raise SystemExit(f"not among the tables at hand: {', '.join(unknown)}")
    found: dict[str, dict[str, Curves]] = {}
    for table in given.tables or at_hand:
        data = table_of(*at_hand[table])
        found[table] = {name: curves_of(data, a, given) for name, a in ALGORITHMS.items()}
        print(f"[{perf_counter() - start:5.0f} s] {table}: {len(data.y)} rows", flush=True)
    save_figure(draw(found, given.rounds), given, output_path(given, "ten_tables.png"))
    print(f"\n{given.repeats} x {given.folds} folds, trees of {given.leaves} leaves, errors in %")
    tables = {
        "ten tables": error_lines(found, given.rounds),
        "bounds": bound_lines(found, given.rounds),
    }
    finish(given, tables, start)
    return 0


if __name__ == "__main__":
    sys.exit(main())
