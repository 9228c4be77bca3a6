"""The gain ratio: the gain of a split, divided by the entropy of its branches.

A column with many categories has a large gain even if it says nothing about the class: with a
category for each row, the children are pure. Its branches have a large entropy, too, so the ratio
of the two is small. A ratio may also be large because both are small, as when one row is split off.
Therefore only the columns that gain at least as much as columns do on average are compared by it.
The gain of a column is that of its widest split, which refines the others. A column that nearly
lists the rows, with at least three branches for ten cases, does not count for the average, unless
all columns are like that.

Sources: J. R. Quinlan, "Induction of decision trees", Machine Learning 1 (1986), section 7, and
"C4.5: programs for machine learning" (1993).
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from numpy.typing import NDArray

from .index import TIE, entropy
from .splits import Column, Limits, Split, menu


def gain_ratio(split: Split) -> float:
    """Return the gain of a split divided by the split information, the entropy of its branches.

    Parameters
    ----------
    split : Split
        The split.

    Returns
    -------
    float
        The ratio; from 0 to 1 if the gain is one of entropy.

    Examples
    --------
    >>> import numpy as np
    >>> columns = [Column("town", ("a", "a", "b", "b")), Column("key", ("p", "q", "r", "s"))]
    >>> counts = np.array([[1, 0], [1, 0], [0, 1], [0, 1]])
    >>> found = [menu(columns, range(4), counts, Limits(entropy, ("values",)), [j]) for j in (0, 1)]
    >>> [(s.name, s.gain, gain_ratio(s)) for best in found for s in best.values()]
    [('town', 4.0, 1.0), ('key', 4.0, 0.5)]
    """
    return split.gain / float(entropy(split.children.sum(axis=1)))


def ratio_menu(
    columns: Sequence[Column],
    rows: Sequence[int],
    counts: NDArray[Any],
    limits: Limits,
    which: Sequence[int] | None = None,
    cases_per_weight: float = 1.0,
) -> dict[int, Split]:
    """Return the best split of each arity by gain ratio.

    Within a column, the gain chooses the split of each arity. Then the *merit* of a split is its
    gain ratio times F of the node, if its gain is at least the mean gain of the columns; otherwise
    it is its gain less F, so that such splits come last.

    Parameters
    ----------
    columns : sequence of Column
        The columns of the sample.
    rows : sequence of int
        The rows of the node.
    counts : ndarray of shape (sample, classes)
        The count vector of each row of the sample: its weight at the place of its class.
    limits : Limits
        The limits.
    which : sequence of int, default=None
        The positions of the columns that may be split on; None for all of them.
    cases_per_weight : float, default=1.0
        The cases that a weight of 1 stands for.

    Returns
    -------
    dict from int to Split
        The splits by arity, in ascending order, with their merits.

    Examples
    --------
    >>> import numpy as np
    >>> columns = [Column("key", ("p", "q", "r", "s")), Column("x", (1, 2, 3, 4))]
    >>> counts = np.array([[1, 0], [1, 0], [0, 1], [0, 1]])
    >>> best = ratio_menu(columns, range(4), counts, Limits(entropy, max_arity=2))
    >>> {k: (split.name, split.merit) for k, split in best.items()}
    {2: ('key', 4.0), 4: ('key', 2.0)}
    """
    whole = counts[list(rows)].sum(axis=0)
    value, cases = float(limits.index(whole)), float(whole.sum()) * cases_per_weight
    searched = range(len(columns)) if which is None else sorted(which)
    menus = [menu(columns, rows, counts, limits, [j]) for j in searched]
    found = [split for best in menus for split in best.values()]
    widest = [best[max(best)] for best in menus if best]
    plain = [split for split in widest if 10 * split.arity < (3 - TIE) * cases] or widest
    enough = sum(split.gain for split in plain) / max(len(plain), 1) - TIE * value
    merits = [gain_ratio(s) * value if s.gain >= enough else s.gain - value for s in found]
    ranked = [replace(s, merit=merit) for s, merit in zip(found, merits, strict=True)]
    chosen = {}
    for k in sorted({split.arity for split in ranked}):
        most = max(split.merit for split in ranked if split.arity == k)
        near = most - TIE * value
        chosen[k] = next(s for s in ranked if s.arity == k and s.merit >= near)
    return chosen
