"""
A forest
========

Out-of-bag error, importances, and the time beside scikit-learn's.

The table is random: 20,000 rows of 20 columns, of which seven matter, one of them a text column of
eleven towns. Half of the rows are held out, to compare their error with the out-of-bag error, which
needs no held-out rows. scikit-learn's forest gets the towns as one column each.
"""

from time import perf_counter
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from polytomy import ForestClassifier

ROWS, COLUMNS, TREES, JOBS = 20_000, 20, 100, 2
TOWNS = ["Bonn", "Cork", "Faro", "Gent", "Graz", "Kiel", "Lund", "Metz", "Oulu", "Pisa", "Riga"]


def draw(seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Draw a table, and a class that depends on some of its columns."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((ROWS, COLUMNS - 1))
    town = rng.integers(0, len(TOWNS), ROWS)
    score = x[:, 0] - x[:, 1] / 2 + x[:, 2] * x[:, 3] + np.sin(3 * x[:, 4]) + x[:, 5] ** 2 - 1
    score += rng.standard_normal(len(TOWNS))[town] + rng.standard_normal(ROWS) / 2
    frame = pd.DataFrame(x, columns=[f"x{j}" for j in range(COLUMNS - 1)])
    return frame.assign(town=np.array(TOWNS)[town]), np.where(score > 0, "yes", "no")


def timed_fit(model: Any, rows: pd.DataFrame, labels: np.ndarray) -> float:
    """Fit a model and return the time in seconds."""
    start = perf_counter()
    model.fit(rows, labels)
    return perf_counter() - start


def rivals(leaves: int | None) -> tuple[ForestClassifier, Any]:
    """Return both forests: the same kind of trees, of the same size."""
    ours = ForestClassifier(TREES, max_leaves=leaves, n_jobs=JOBS)
    theirs = RandomForestClassifier(TREES, max_leaf_nodes=leaves, n_jobs=JOBS, random_state=0)
    text = (OneHotEncoder(sparse_output=False), make_column_selector(dtype_exclude="number"))
    columns = make_column_transformer(text, remainder="passthrough")
    return ours, make_pipeline(columns, theirs)


# %%
# Errors and times of both libraries.

X, y = draw()
half = ROWS // 2
train, test = (X[:half], y[:half]), (X[half:], y[half:])
print(f"{half:,} rows, {COLUMNS} columns, {TREES} trees, {JOBS} threads\n")
print("leaves      out-of-bag error   test error   scikit-learn's      s   scikit-learn's")
for leaves in (64, None):
    ours, theirs = rivals(leaves)
    seconds, their_seconds = timed_fit(ours, *train), timed_fit(theirs, *train)
    errors = ours.oob_error_, 1 - ours.score(*test), 1 - theirs.score(*test)
    size = "no limit" if leaves is None else str(leaves)
    print(f"{size:<12}{errors[0]:>16.3f}{errors[1]:>13.3f}{errors[2]:>17.3f}", end="")
    print(f"{seconds:>7.2f}{their_seconds:>17.2f}")

# %%
# The out-of-bag error by the number of trees, and the importances of the columns.

figure, (curve, bars) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
curve.plot(list(ours.oob_errors_), list(ours.oob_errors_.values()), "o-")
curve.set(xlabel="trees", ylabel="out-of-bag error", ylim=(0, None))
order = np.argsort(-ours.feature_importances_)[:8]
bars.barh(X.columns[order], ours.feature_importances_[order])
bars.invert_yaxis()
bars.set(xlabel="importance")
plt.show()

# %%
# The first tree begins with these branches.

print(ours[0].to_text(max_depth=1))
