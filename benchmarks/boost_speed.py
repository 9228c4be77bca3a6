"""The speed of boosting, as people call it, beside that of the peers.

The least time of the repeats counts; the figures to read are the ratios. Two races, both from a
row-major float64 array:

- stumps: 20 rounds of the lecture's AdaBoost on stumps, beside scikit-learn's
- rounds: 200 rounds of trees of 2 leaves, beside LightGBM's
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from racing import (
    PEER,
    Aim,
    Case,
    Contestant,
    Data,
    Grade,
    machine,
    make_data,
    print_aims,
    print_head,
    print_race,
    refuse_without,
    run_in_turn,
    save,
)

MISSING = None  # a peer that is not installed
try:
    import lightgbm
    from sklearn.ensemble import AdaBoostClassifier
    from sklearn.tree import DecisionTreeClassifier

    from polytomy import BoostedTreeClassifier
except ImportError as error:
    MISSING = error.name

RESULTS = Path(__file__).parent / "results" / "boost_speed.json"
PACKAGES = ("numpy", "polytomy", "lightgbm", "scikit-learn")
COLUMNS, STUMPS, ROUNDS = 20, 20, 200
SKLEARN = "AdaBoostClassifier"
SLOW_RUNS = 2  # of scikit-learn's, which takes seconds
ALGORITHMS = ("adaboost", "adaboost-real", "logitboost")


def ours(race: str, algorithm: str, case: Case, data: Data, n_rounds: int) -> Contestant:
    """Return our contestant: a fit from the raw array, by one algorithm."""

    def fit(given: Data) -> Any:
        return BoostedTreeClassifier(n_rounds, algorithm=algorithm, n_jobs=case.threads).fit(*given)

    def grade(fitted: Any) -> Grade:
        return n_rounds, float(fitted.rounds_[-1].training_error)

    return Contestant(race, f"ours, {algorithm}", (("fit", fit),), data, grade)


def stumps_race(case: Case, data: Data) -> list[Contestant]:
    """Return who boosts 20 stumps."""
    model = AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=STUMPS)

    def grade(fitted: Any) -> Grade:
        return len(fitted.estimators_), float(1 - fitted.score(*data))

    steps = (("fit", lambda given: model.fit(*given)),)
    slow = Contestant("stumps", SKLEARN, steps, data, grade, most_runs=SLOW_RUNS)
    return [ours("stumps", "adaboost", case, data, STUMPS), slow]


def rounds_race(case: Case, data: Data) -> list[Contestant]:
    """Return who boosts 200 rounds of trees of 2 leaves."""
    x, y = data
    params = {"objective": "binary", "num_leaves": 2, "num_threads": case.threads, "verbose": -1}

    def train(given: Data) -> Any:
        return lightgbm.train(params, lightgbm.Dataset(*given), num_boost_round=ROUNDS)

    def grade(booster: Any) -> Grade:
        return ROUNDS, float(np.mean((booster.predict(x, raw_score=True) > 0) != y))

    peer = Contestant("rounds", PEER, (("fit", train),), data, grade)
    return [*(ours("rounds", name, case, data, ROUNDS) for name in ALGORITHMS), peer]


def aims(everyone: Sequence[Contestant]) -> list[Aim]:
    """Return our targets."""
    least = {(c.race, c.name): c.least for c in everyone}
    mine = "ours, adaboost"
    stumps = least["stumps", mine] / least["stumps", SKLEARN]
    rounds = least["rounds", f"{mine}-real"] / least["rounds", PEER]
    return [
        Aim("20 stumps", stumps, 1 / 40, f"of {SKLEARN}"),
        Aim("200 rounds of 2 leaves", rounds, 1.0, f"of {PEER}"),
    ]


def options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=100_000, help="of the table (100000)")
    parser.add_argument("--threads", type=int, default=2, help="of every contestant (2)")
    parser.add_argument("--repeats", type=int, default=5, help="runs of every contestant (5)")
    given = parser.parse_args()
    if min(given.rows, given.threads, given.repeats) < 1:
        parser.error("the numbers must be at least 1")
    return given


def main() -> int:
    """Run the races; return the exit code."""
    given = options()
    if refuse_without(MISSING):
        return 1
    case = Case(given.rows, COLUMNS, 2, given.threads)
    where = machine(PACKAGES)
    print_head(case, where)
    x, y = make_data(case)
    data = (x.astype(np.float64), y)
    stumps, rounds = stumps_race(case, data), rounds_race(case, data)
    run_in_turn(stumps, given.repeats)
    print_race("20 stumps", stumps, SKLEARN)
    run_in_turn(rounds, given.repeats)
    print_race("200 rounds of 2 leaves", rounds)
    everyone = [*stumps, *rounds]
    targets = aims(everyone)
    print_aims(targets)
    outcome = {"case": asdict(case), "machine": where, "targets": [t.plain() for t in targets]}
    save(RESULTS, outcome | {"contestants": [c.plain() for c in everyone]})
    return 0


if __name__ == "__main__":
    sys.exit(main())
