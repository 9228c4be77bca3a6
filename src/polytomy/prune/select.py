"""Which of several prunings to take. They come from small to large, and ties go to the smaller."""

import numpy as np

from polytomy._types import TIE, AnyArray, FloatArray, IntArray


def first_least(scores: AnyArray) -> int:
    """Return the first place whose score is the least, within rounding.

    >>> first_least(np.array([0.4, 0.1 + 0.2, 0.3]))
    1
    """
    least = scores.min()
    return int(np.argmax(scores <= least + TIE * abs(least)))


def srm_scores(sizes: IntArray, errors: FloatArray, weight: float) -> FloatArray:
    """Return the score of structural risk minimisation: error + sqrt(leaves / m).

    ``errors`` are weighted counts, ``weight`` is m, the weight of the sample.
    """
    return np.asarray(errors / weight + np.sqrt(sizes / weight))


def one_standard_error(errors: FloatArray) -> int:
    """Return the first place within one standard error of the least mean error.

    Parameters
    ----------
    errors : ndarray of shape (folds, prunings)
        Error rates; the rule needs two folds or more.
    """
    mean = errors.mean(axis=0)
    best = first_least(mean)
    standard_error = errors[:, best].std(ddof=1) / np.sqrt(len(errors))
    limit = mean[best] + standard_error
    return int(np.argmax(mean <= limit + TIE * abs(limit)))
