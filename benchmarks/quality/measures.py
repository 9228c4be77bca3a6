"""What the study measures of a tree on held-out rows."""

from collections.abc import Mapping
from time import perf_counter

import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score
from tables import Data

from polytomy.honesty import wilson
from quality.learners import Learner, Tree

FLOOR = 1e-3  # no probability is taken as less, so that one row cannot decide the log loss
LEAST_ROWS = 20  # held-out rows of a leaf whose interval is judged
Z = 1.959963984540054
MEASURES = {
    "error": "fraction of wrong predictions",
    "log_loss": f"mean negative log probability of the class, at least {FLOOR:g}",
    "auc": "area under the ROC curve; mean over the classes, each against the rest",
    "leaves": "leaves, of all trees",
    "questions": "mean number of nodes asked of a held-out row, in all trees",
    "depth": "largest number of nodes asked",
    "judged": f"leaves with at least {LEAST_ROWS} held-out rows",
    "coverage": "fraction of the judged leaves whose interval covers the held-out share",
    "width": "mean width of their intervals, relative to Wilson's on the training rows",
    "seconds": "time to fit",
}


def measure(learner: Learner, train: Data, test: Data, max_leaves: int) -> dict[str, float]:
    """Grow a tree and return its measures on held-out rows, by the names of ``MEASURES``.

    Classes are numbered from 0; those of the test rows may be missing from the training rows.
    """
    start = perf_counter()
    tree = learner.grow(train, max_leaves)
    seconds = perf_counter() - start
    answers = tree.answer(test.x)
    n_classes = max(train.n_classes, test.n_classes)
    probabilities = np.zeros((len(test.y), n_classes))
    probabilities[:, tree.classes] = answers.probabilities
    found = {
        "error": float(np.mean(probabilities.argmax(axis=1) != test.y)),
        "log_loss": log_loss(probabilities, test.y),
        "auc": auc(probabilities, test.y),
        "leaves": tree.n_leaves,
        "questions": float(answers.questions.mean()),
        "depth": tree.depth,
        "seconds": seconds,
    }
    if answers.leaf is None:
        return found | {"judged": 0, "coverage": np.nan, "width": np.nan}
    usual = training_intervals(tree, train)
    return found | judge_intervals(usual, tree.intervals(), answers.leaf, test.y)


def log_loss(probabilities: np.ndarray, y: np.ndarray) -> float:
    """Return the mean negative log probability of the classes, with a floor."""
    floored = np.maximum(probabilities, FLOOR)
    floored /= floored.sum(axis=1, keepdims=True)
    return float(-np.log(floored[np.arange(len(y)), y]).mean())


def auc(probabilities: np.ndarray, y: np.ndarray) -> float:
    """Return the area under the ROC curve, the mean over the classes that occur."""
    if probabilities.shape[1] == 2:
        return float(roc_auc_score(y, probabilities[:, 1])) if len(np.unique(y)) == 2 else np.nan
    occurring = [c for c in np.unique(y) if not (y == c).all()]
    areas = [roc_auc_score(y == c, probabilities[:, c]) for c in occurring]
    return float(np.mean(areas)) if areas else np.nan


def training_intervals(tree: Tree, data: Data) -> pd.DataFrame:
    """Return Wilson's interval of each leaf, for the share of its predicted class in training.

    Returns
    -------
    DataFrame
        Indexed by leaf number, with ``label`` (the predicted class), ``share``, ``low``, ``high``.
    """
    answers = tree.answer(data.x)
    label = tree.classes[answers.probabilities.argmax(axis=1)]
    rows = pd.DataFrame({"leaf": answers.leaf, "label": label, "right": label == data.y})
    leaves = rows.groupby("leaf").agg(
        label=("label", "first"), share=("right", "mean"), rows=("right", "size")
    )
    ends = [wilson(leaf.share, leaf.rows) for leaf in leaves.itertuples()]
    return leaves.assign(low=[low for low, _ in ends], high=[high for _, high in ends])


def judge_intervals(
    usual: pd.DataFrame, stated: pd.DataFrame | None, leaf: np.ndarray, y: np.ndarray
) -> dict[str, float]:
    """Judge the intervals of the leaves that have enough held-out rows.

    Parameters
    ----------
    usual : DataFrame
        The result of ``training_intervals``.
    stated : DataFrame or None
        The intervals to judge, with ``share``, ``low`` and ``high``; the usual ones if None.
    leaf, y : ndarray
        The leaf and the class of each held-out row.

    Returns
    -------
    dict
        ``judged``, ``coverage`` and ``width``.
    """
    stated = usual if stated is None else stated
    numbers, rows = np.unique(leaf, return_counts=True)
    chosen = [v for v in numbers[rows >= LEAST_ROWS] if v in usual.index]
    if not chosen:
        return {"judged": 0, "coverage": np.nan, "width": np.nan}
    covered = [covers(stated.loc[v], y[leaf == v] == usual.loc[v, "label"]) for v in chosen]
    width, usual_width = (float((t["high"] - t["low"])[chosen].mean()) for t in (stated, usual))
    return {
        "judged": len(chosen),
        "coverage": float(np.mean(covered)),
        "width": width / usual_width,
    }


def covers(interval: Mapping[str, float] | pd.Series, right: np.ndarray) -> bool:
    """Return whether an interval covers the share of right predictions among held-out rows.

    The held-out share has a sampling error of its own. Its 95 % half-width and that of the
    interval, on the side of the held-out share, are combined in quadrature.

    Parameters
    ----------
    interval : mapping
        ``share``, ``low`` and ``high``.
    right : ndarray of bool
        Whether each held-out row has the predicted class.
    """
    share, held_out, n = interval["share"], float(np.mean(right)), len(right)
    half = share - interval["low"] if held_out < share else interval["high"] - share
    noise = Z * np.sqrt(max(held_out * (1 - held_out), 0.25 / n) / n)
    return bool(abs(held_out - share) <= np.hypot(half, noise))
