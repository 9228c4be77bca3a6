"""
Boosted stumps, a readable ensemble
===================================

Trees with one split each add up to one table of scores for each column.

The table comes with scikit-learn: 569 breast tumours from Wisconsin, benign or malignant, with 30
measurements of their cells. Half of the rows are for training, a quarter for early stopping and a
quarter for the final test. AdaBoost, as in the lecture, shows its bound round by round. Its
confidence-rated variant, whose Z is the sqrt index of the trees, gives the tables to read.
"""

from typing import Any, NamedTuple

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from polytomy import BoostedTreeClassifier
from polytomy.index import INDICES

ROUNDS, PATIENCE = 400, 100
READABLE = 10  # number of stumps of the readable model
SHOWN = (1, 2, 3, 5, 10, 20, 50, 100, 200, 400)  # rounds to print
SEED = 0


class Part(NamedTuple):
    """A part of the table."""

    rows: Any
    labels: np.ndarray


def parts() -> tuple[Part, Part, Part]:
    """Return the rows for training, for early stopping and for the final test."""
    cases = load_breast_cancer(as_frame=True)
    labels = cases.target_names[cases.target]
    rows, rest, y, y_rest = train_test_split(
        cases.data, labels, test_size=0.5, stratify=labels, random_state=SEED
    )
    held, test, y_held, y_test = train_test_split(
        rest, y_rest, test_size=0.5, stratify=y_rest, random_state=SEED
    )
    return Part(rows, y), Part(held, y_held), Part(test, y_test)


# ---- AdaBoost as in the lecture --------------------------------------------------------------


def boosted(training: Part, held: Part) -> BoostedTreeClassifier:
    """Boost with AdaBoost until the held-out rows no longer improve."""
    stopping = {"X_val": held.rows, "y_val": held.labels, "patience": PATIENCE}
    model = BoostedTreeClassifier(ROUNDS, algorithm="adaboost", early_stopping=stopping)
    return model.fit(*training)


def print_rounds(model: BoostedTreeClassifier) -> None:
    """Print the figures of some rounds, including the best and the last."""
    print("round     eps   alpha       Z     bound  exp bound  training  held out")
    last = len(model.rounds_)
    for number in sorted({n for n in SHOWN if n <= last} | {model.n_rounds_, last}):
        r = model.rounds_[number - 1]
        print(
            f"{number:5}  {r.epsilon:6.4f}  {r.alpha:6.3f}  {r.z:6.4f}  {r.bound:8.2g}  "
            f"{r.exponential_bound:9.2g}  {r.training_error:8.2%}  {r.validation_error:8.2%}"
        )


def print_findings(model: BoostedTreeClassifier, n_rows: int) -> None:
    """Print when the training error and its bound reach zero, and why the run ended."""
    rounds = model.rounds_
    wrong = np.flatnonzero(rounds.training_error > 0)
    clean = int(wrong[-1]) + 2 if len(wrong) else 1  # the first round without errors
    if clean <= len(rounds):
        print(f"From round {clean} on, the training error is 0.")
    else:
        print(f"After the last round the training error is {rounds.training_error[-1]:.2%}.")
    promised = np.flatnonzero(rounds.bound * n_rows < 1)
    if len(promised):
        print(
            f"From round {promised[0] + 1} on, the bound is below 1/{n_rows}, which proves that "
            "no training row is wrong."
        )
    print(f"The run ended after {len(rounds)} rounds: {model.ended_ or 'all rounds are done'}.")


# ---- a model to read -------------------------------------------------------------------------


def print_tables(training: Part, test: Part) -> BoostedTreeClassifier:
    """Boost a few confidence-rated stumps; print their tables and the votes on one row."""
    model = BoostedTreeClassifier(READABLE, algorithm="adaboost-real", smoothing=0.0)
    model.fit(*training)
    leaves = [m.tree.counts[m.tree.leaves()] for m in model.ensemble_.members]
    index = np.array([INDICES["sqrt"].value(counts).sum() for counts in leaves])
    difference = np.abs(model.rounds_.z - index).max()
    print(f"Largest difference between Z and the sqrt index of a tree: {difference:.0e}\n")
    readable = BoostedTreeClassifier(READABLE, algorithm="adaboost-real").fit(*training)
    print(readable.to_text())
    row = test.rows.iloc[[0]]
    vote, predicted = readable.decision_function(row)[0], readable.predict(row)[0]
    share = readable.predict_proba(row).max()
    print(f"\nFirst test row: {vote:+.3f} votes, predicted {predicted} ({share:.1%}).")
    return readable


# %%
# AdaBoost, round by round
# ------------------------

training, held, test = parts()
print(f"{len(training.labels)} training rows, {len(held.labels)} held-out rows, ", end="")
print(f"{len(test.labels)} test rows.\n\nAdaBoost with stumps:\n")
model = boosted(training, held)
print_rounds(model)
print()
print_findings(model, len(training.labels))
print(f"Best round on the held-out rows: {model.n_rounds_}. Later rounds are dropped.\n")
print(model.certificate_)

# %%

model.plot_rounds()
plt.show()

# %%
# The margins of the training rows: how clearly the votes are right.

margins = model.plot_margins(*training)
margins.set_title(f"margins of the training rows, {model.n_rounds_} rounds", fontsize=10)
plt.show()

# %%
# Confidence-rated stumps
# -----------------------
# A few of them are a model to read.

readable = print_tables(training, test)
optimistic = model.rounds_[model.n_rounds_ - 1].validation_error
print(f"Held-out error of the best round: {optimistic:.2%} (optimistic: it chose the round).")
for name, one in (("AdaBoost", model), (f"{READABLE} readable stumps", readable)):
    print(f"Test error, {name}: {1 - one.score(*test):.2%}")

# %%

readable.plot_scores()
plt.show()
