"""Which class a node says: its training majority."""

import numpy as np

from polytomy._types import TIE, AnyArray, IntArray


def majority(counts: AnyArray) -> IntArray:
    """Return the heaviest class over the last axis of counts, the lower one on a tie.

    Weights that are no whole numbers were rounded to fixed point, so sums that are equal may differ
    in their last bits: within 1e-12 of the whole they are a tie.

    >>> majority(np.array([[2.0, 1.0], [5.0, 5.000000000000004]])).tolist()
    [0, 0]
    """
    most = counts.max(axis=-1, keepdims=True)
    tied = counts >= most - TIE * counts.sum(axis=-1, keepdims=True)
    return np.asarray(tied.argmax(axis=-1), dtype=np.int64)
