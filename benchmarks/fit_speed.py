"""The speed of TreeClassifier, as people call it, beside that of the peers.

The least time of the repeats counts; the figures to read are the ratios. Four races:

- raw: fit on a row-major float32 array, one tree of 64 leaves each
- iris: fit on 150 rows, everyone as it comes
- predict: the classes of all rows of the raw array, from trees of 64 leaves; scikit-learn's is
  grown on a part of the rows and takes one thread whatever it is given
- frame: fit on a pandas frame, half of it text; LightGBM's time includes making categories of it
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from racing import (
    PEER,
    TUNED,
    Aim,
    Case,
    Contestant,
    Data,
    Grade,
    grade_by,
    lightgbm_steps,
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
    import lightgbm  # noqa: F401  # used by racing
    import pandas as pd
    from sklearn.datasets import load_iris
    from sklearn.tree import DecisionTreeClassifier

    from polytomy import TreeClassifier
except ImportError as error:
    MISSING = error.name

RESULTS = Path(__file__).parent / "results" / "fit_speed.json"
PACKAGES = ("numpy", "pandas", "polytomy", "lightgbm", "scikit-learn")
COLUMNS, LEAVES = 20, 64
DISTINCT = 1000  # texts of each column of the frame
PEER_ROWS = 50_000  # that scikit-learn's tree of the predict race is grown on
IRIS_RUNS = 300  # so short that a repeat more costs nothing
OURS, SKLEARN = "TreeClassifier", "DecisionTree"


def make_frame(case: Case, seed: int = 0) -> "tuple[pd.DataFrame, np.ndarray]":
    """Draw a frame, half of its columns text and half numbers; some of either matter."""
    rng = np.random.default_rng(seed)
    half = case.columns // 2
    pool = np.array([f"label {i:03}" for i in range(DISTINCT)], dtype=object)
    codes = rng.integers(0, DISTINCT, (half, case.rows))
    numbers = rng.standard_normal((half, case.rows))
    effects = rng.standard_normal((2, DISTINCT))
    score = effects[0][codes[0]] + effects[1][codes[1]] / 2 + numbers[0] + numbers[1] * numbers[2]
    columns = {f"text{j}": pool[c] for j, c in enumerate(codes)}
    columns |= {f"number{j}": n for j, n in enumerate(numbers)}
    y = (score + rng.standard_normal(case.rows) > 0).astype(np.int64)
    return pd.DataFrame(columns), y


def with_categories(data: Data) -> Data:
    """Return the frame with its text as categories, which LightGBM insists on."""
    frame, y = data
    text = [name for name in frame.columns if name.startswith("text")]
    return frame.astype(dict.fromkeys(text, "category")), y


def leaves_of(model: Any) -> int:
    """Return the leaves of one of our trees or scikit-learn's."""
    known = isinstance(model, TreeClassifier)
    return model.n_leaves_ if known else int(model.get_n_leaves())


def fitter(race: str, name: str, model: Any, data: Data, **rest: Any) -> Contestant:
    """Return the contestant that fits a model; its grade is the training error."""

    def grade(fitted: Any) -> Grade:
        return leaves_of(fitted), float(1 - fitted.score(*data))

    return Contestant(race, name, (("fit", lambda d: model.fit(*d)),), data, grade, **rest)


def predictor(name: str, model: Any, data: Data) -> Contestant:
    """Return the contestant that predicts with a fitted model."""
    x, y = data

    def grade(predicted: np.ndarray) -> Grade:
        return leaves_of(model), float(np.mean(predicted != y))

    return Contestant("predict", name, (("predict", model.predict),), x, grade)


def our_model(case: Case, threads: int) -> "TreeClassifier":
    """Return our classifier as the large races use it."""
    return TreeClassifier(max_leaves=case.leaves, n_jobs=threads)


def raw_race(case: Case, data: Data, with_sklearn_tree: bool) -> list[Contestant]:
    """Return who fits the raw array."""
    x, y = data
    grade = partial(grade_by, lambda model: model.predict(x, raw_score=True), y)
    everyone = [
        fitter("raw", OURS, our_model(case, case.threads), data),
        Contestant("raw", PEER, lightgbm_steps(case), data, grade),
        Contestant("raw", TUNED, lightgbm_steps(case, force_col_wise=True), data, grade),
    ]
    if with_sklearn_tree:
        slow = DecisionTreeClassifier(max_leaf_nodes=case.leaves)
        everyone.append(fitter("raw", SKLEARN, slow, data, most_runs=1))
    return everyone


def iris_race() -> list[Contestant]:
    """Return who fits iris."""
    data = load_iris(return_X_y=True)
    models = {OURS: TreeClassifier(), SKLEARN: DecisionTreeClassifier()}
    return [fitter("iris", name, model, data) for name, model in models.items()]


def predict_race(case: Case, data: Data) -> list[Contestant]:
    """Return who predicts the raw array."""
    x, y = data
    peer = DecisionTreeClassifier(max_leaf_nodes=case.leaves, random_state=0)
    peer.fit(x[:PEER_ROWS], y[:PEER_ROWS])
    ours = [our_model(case, threads).fit(x, y) for threads in sorted({1, case.threads})]
    everyone = [predictor(f"{OURS} jobs={model.n_jobs}", model, data) for model in ours]
    return [*everyone, predictor(SKLEARN, peer, data)]


def frame_race(case: Case) -> list[Contestant]:
    """Return who fits the frame."""
    data = make_frame(case)
    frame, y = data

    def scores(model: Any) -> np.ndarray:
        return model.predict(with_categories((frame, y))[0], raw_score=True)

    grade = partial(grade_by, scores, y)
    known = {PEER: lightgbm_steps(case), TUNED: lightgbm_steps(case, force_col_wise=True)}
    first = ("categories", with_categories)
    peers = [Contestant("frame", n, (first, *steps), data, grade) for n, steps in known.items()]
    return [fitter("frame", OURS, our_model(case, case.threads), data), *peers]


def aims(everyone: Sequence[Contestant]) -> list[Aim]:
    """Return our targets, less those whose peer has not run."""
    least = {(c.race, c.name): c.least for c in everyone}
    wanted = [
        ("raw", OURS, PEER, 1 / 4),
        ("raw", OURS, SKLEARN, 1 / 50),
        ("iris", OURS, SKLEARN, 2.0),
        *(("predict", c.name, SKLEARN, 1.0) for c in everyone if c.race == "predict"),
        ("frame", OURS, PEER, 1 / 2),
    ]
    return [
        Aim(
            race + name.removeprefix(OURS),
            least[race, name] / least[race, peer],
            limit,
            f"of {peer}",
        )
        for race, name, peer, limit in wanted
        if (race, peer) in least and name != peer
    ]


def options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000, help="of the tables (1000000)")
    parser.add_argument("--threads", type=int, default=2, help="of every contestant (2)")
    parser.add_argument("--repeats", type=int, default=7, help="runs of every contestant (7)")
    away = "leave scikit-learn's tree out of the raw race, where it takes 40 s, once"
    parser.add_argument("--skip-sklearn-tree", action="store_true", help=away)
    given = parser.parse_args()
    if min(given.rows, given.threads, given.repeats) < 1:
        parser.error("the numbers must be at least 1")
    if given.rows < LEAVES:
        parser.error(f"--rows must be at least {LEAVES}")
    return given


def run_races(case: Case, repeats: int, with_sklearn_tree: bool) -> list[Contestant]:
    """Run all races, one after the other, and print each; return everyone who took part."""
    data = make_data(case)
    raw = raw_race(case, data, with_sklearn_tree)
    run_in_turn(raw, repeats)
    print_race("fit, raw array", raw)
    iris = iris_race()
    run_in_turn(iris, IRIS_RUNS, quiet=True)
    print_race("fit, iris", iris, SKLEARN, "ms")
    predict = predict_race(case, data)
    run_in_turn(predict, repeats)
    print_race("predict, raw array", predict, SKLEARN, "ms")
    frame = frame_race(case)
    run_in_turn(frame, repeats)
    print_race("fit, frame with text", frame)
    return [*raw, *iris, *predict, *frame]


def main() -> int:
    """Run the races; return the exit code."""
    given = options()
    if refuse_without(MISSING):
        return 1
    case = Case(given.rows, COLUMNS, LEAVES, given.threads)
    where = machine(PACKAGES)
    print_head(case, where)
    everyone = run_races(case, given.repeats, not given.skip_sklearn_tree)
    targets = aims(everyone)
    print_aims(targets)
    if given.skip_sklearn_tree:
        print(f"target: raw, at most 1/50 of {SKLEARN}: not measured (--skip-sklearn-tree)")
    plain = [t.plain() | {"unit": t.unit} for t in targets]  # two of them differ in the peer alone
    outcome = {"case": asdict(case), "machine": where, "targets": plain}
    save(RESULTS, outcome | {"contestants": [c.plain() for c in everyone]})
    return 0


if __name__ == "__main__":
    sys.exit(main())
