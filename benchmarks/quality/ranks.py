"""Average ranks of learners over tables: Friedman's test and Nemenyi's critical difference.

The formulas are those of Demšar, Statistical Comparisons of Classifiers over Multiple Data Sets
(Journal of Machine Learning Research 7, 2006).
"""

from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import f, studentized_range

LEVEL = 0.05


class Friedman(NamedTuple):
    """Friedman's statistic, the F of Iman and Davenport, and its p-value."""

    chi2: float
    f: float
    p: float


def average_ranks(values: pd.DataFrame) -> pd.Series:
    """Return the mean rank of each learner; 1 is the smallest value of a table.

    Parameters
    ----------
    values : DataFrame
        A row for each table, a column for each learner. Equal values share their mean rank.

    Returns
    -------
    Series
        By learner, the smallest rank first.

    Examples
    --------
    >>> errors = pd.DataFrame({"a": [0.1, 0.2], "b": [0.3, 0.2], "c": [0.2, 0.1]})
    >>> average_ranks(errors).to_dict()
    {'c': 1.5, 'a': 1.75, 'b': 2.75}
    """
    if values.isna().any(axis=None):
        raise ValueError("every learner needs a value for every table")
    return values.round(9).rank(axis=1).mean().sort_values(kind="stable")


def friedman(ranks: pd.Series, n_tables: int) -> Friedman:
    """Return the test of whether all learners are equally good, from their average ranks."""
    k, n = len(ranks), n_tables
    chi2 = 12 * n / (k * (k + 1)) * (float(np.square(ranks).sum()) - k * (k + 1) ** 2 / 4)
    ratio = (n - 1) * chi2 / (n * (k - 1) - chi2)
    return Friedman(chi2, ratio, float(f.sf(ratio, k - 1, (k - 1) * (n - 1))))


def critical_difference(n_learners: int, n_tables: int, level: float = LEVEL) -> float:
    """Return how far two average ranks must be apart to differ significantly, by Nemenyi's test.

    The test allows for the comparison of all pairs.
    """
    quantile = studentized_range.ppf(1 - level, n_learners, np.inf) / np.sqrt(2)
    return float(quantile * np.sqrt(n_learners * (n_learners + 1) / (6 * n_tables)))


def groups(ranks: pd.Series, difference: float) -> list[tuple[str, str]]:
    """Return the largest runs of learners whose ranks are not significantly different.

    Returns
    -------
    list of (str, str)
        First and last learner of each run of at least two, best run first; no run is part of
        another.
    """
    ranks = ranks.sort_values(kind="stable")
    found: list[tuple[str, str]] = []
    reached = -1
    for i, rank in enumerate(ranks):
        last = int(np.flatnonzero(ranks <= rank + difference)[-1])
        if last > max(i, reached):
            found.append((ranks.index[i], ranks.index[last]))
        reached = max(reached, last)
    return found
