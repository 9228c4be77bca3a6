"""Boosted stumps: trees of one question each, which vote, and whose votes can be read.

The table comes with scikit-learn: 569 lumps from Wisconsin, 30 measurements of their cells, benign
or malignant. Half of the rows train, a quarter is held out to see when to stop, and a quarter is
kept for the end. The lecture's AdaBoost shows its bound round by round; its confidence-rated
sibling, whose Z is the trees' own sqrt index, gives the tables to read.

Run ``python boosted_stumps.py [folder]``: the plots go to the folder, by default the current one.
"""

import argparse
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from polytomy import BoostedTreeClassifier
from polytomy.index import INDICES

try:
    import matplotlib as mpl
except ImportError:
    mpl = None

ROUNDS, PATIENCE = 400, 100
READABLE = 10  # stumps that still make a short table
SHOWN = (1, 2, 3, 5, 10, 20, 50, 100, 200, 400)  # rounds
SEED = 0


class Part(NamedTuple):
    """Some of the rows."""

    rows: Any
    labels: np.ndarray


def parts() -> tuple[Part, Part, Part]:
    """Return the rows to train on, to hold out, and to keep for the end."""
    cases = load_breast_cancer(as_frame=True)
    labels = cases.target_names[cases.target]
    rows, rest, y, y_rest = train_test_split(
        cases.data, labels, test_size=0.5, stratify=labels, random_state=SEED
    )
    held, kept, y_held, y_kept = train_test_split(
        rest, y_rest, test_size=0.5, stratify=y_rest, random_state=SEED
    )
    return Part(rows, y), Part(held, y_held), Part(kept, y_kept)


# ---- the lecture's AdaBoost ------------------------------------------------------------------


def boosted(training: Part, held: Part) -> BoostedTreeClassifier:
    """Boost as the lecture does, until the held-out rows have not become better for long."""
    stopping = {"X_val": held.rows, "y_val": held.labels, "patience": PATIENCE}
    model = BoostedTreeClassifier(ROUNDS, algorithm="adaboost", early_stopping=stopping)
    return model.fit(*training)


def print_rounds(model: BoostedTreeClassifier) -> None:
    """Print what was recorded of some rounds, the best and the last among them."""
    print("round     eps   alpha       Z     bound  exp bound  training  held out")
    last = len(model.rounds_)
    for number in sorted({n for n in SHOWN if n <= last} | {model.n_rounds_, last}):
        r = model.rounds_[number - 1]
        print(
            f"{number:5}  {r.epsilon:6.4f}  {r.alpha:6.3f}  {r.z:6.4f}  {r.bound:8.2g}  "
            f"{r.exponential_bound:9.2g}  {r.training_error:8.2%}  {r.validation_error:8.2%}"
        )


def print_findings(model: BoostedTreeClassifier, n_rows: int) -> None:
    """Say in words what the rounds show."""
    rounds = model.rounds_
    wrong = np.flatnonzero(rounds.training_error > 0)
    clean = int(wrong[-1]) + 2 if len(wrong) else 1  # the first round from which on none is wrong
    if clean <= len(rounds):
        print(f"From round {clean} on no training row is wrong.")
    else:
        print(
            f"After the last round {rounds.training_error[-1]:.2%} of the training rows are wrong."
        )
    promised = np.flatnonzero(rounds.bound * n_rows < 1)
    if len(promised):
        said = f"A bound below one row of {n_rows} leaves none to be wrong: so from round"
        print(f"{said} {promised[0] + 1} on.")
    print(f"The run ended after {len(rounds)} rounds: {model.ended_ or 'all were done'}.")


# ---- a model to read -------------------------------------------------------------------------


def print_tables(training: Part, kept: Part) -> BoostedTreeClassifier:
    """Boost a few confidence-rated stumps; print their tables, and add one row up by hand."""
    model = BoostedTreeClassifier(READABLE, algorithm="adaboost-real", smoothing=0.0)
    model.fit(*training)
    leaves = [m.tree.counts[m.tree.leaves()] for m in model.ensemble_.members]
    index = np.array([INDICES["sqrt"].value(counts).sum() for counts in leaves])
    furthest = np.abs(model.rounds_.z - index).max()
    print(f"Z and the sqrt index of the tree differ by at most {furthest:.0e} in any round.\n")
    readable = BoostedTreeClassifier(READABLE, algorithm="adaboost-real").fit(*training)
    print(readable.to_text())
    row = kept.rows.iloc[[0]]
    vote, said = readable.decision_function(row)[0], readable.predict(row)[0]
    share = readable.predict_proba(row).max()
    print(f"\nThe first row kept for the end gets {vote:+.3f} votes: {said}, with {share:.1%}.")
    return readable


def plot(
    model: BoostedTreeClassifier, readable: BoostedTreeClassifier, data: Part
) -> dict[str, Any]:
    """Draw rounds, margins and scores; return the figures by name."""
    rounds = model.plot_rounds()
    margins = model.plot_margins(*data)
    margins.set_title(f"margins of the training rows, {model.n_rounds_} rounds", fontsize=10)
    scores = readable.plot_scores()
    return {"rounds": rounds.figure, "margins": margins.figure, "scores": scores[0].figure}


def main() -> None:
    """Boost, print, draw."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, default=Path(), help="for the plots")
    folder = parser.parse_args().folder

    training, held, kept = parts()
    print(f"{len(training.labels)} rows train, {len(held.labels)} are held out, ", end="")
    print(f"{len(kept.labels)} are kept for the end.\n\nAdaBoost as in the lecture, on stumps:\n")
    model = boosted(training, held)
    print_rounds(model)
    print()
    print_findings(model, len(training.labels))
    print(f"Round {model.n_rounds_} was the best on the held-out rows; the rounds up to it vote.\n")
    print(model.certificate_)

    print(f"\n{READABLE} confidence-rated stumps, to be read:\n")
    readable = print_tables(training, kept)
    flattered = model.rounds_[model.n_rounds_ - 1].validation_error
    print(
        f"The {flattered:.2%} of the held-out rows picked the best of {len(model.rounds_)} rounds."
    )
    for name, one in (("AdaBoost", model), (f"{READABLE} readable stumps", readable)):
        print(f"{name}: {1 - one.score(*kept):.2%} of the rows kept for the end are wrong.")

    if mpl is None:
        print('\nFor the plots: pip install "polytomy[plot]"')
        return
    mpl.use("Agg")
    folder.mkdir(parents=True, exist_ok=True)
    figures = plot(model, readable, training)
    print()
    for name, figure in figures.items():
        path = folder / f"boosted_stumps_{name}.png"
        figure.savefig(path, dpi=120)
        print(f"wrote {path}")


if __name__ == "__main__":
    main()
