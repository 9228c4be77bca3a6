"""Sets of categories in words."""

from collections.abc import Sequence

import numpy as np

from polytomy._text import one_line
from polytomy.encode import NominalColumn
from polytomy.tree import CategorySplit

SET_WIDTH = 48  # characters of a set of categories; longer sets are shortened


def branch_categories(split: CategorySplit, branch: int, column: NominalColumn) -> list[str]:
    """Return the names of the categories that take a branch, each on one line."""
    codes = np.flatnonzero(split.code_to_branch == branch)
    return [one_line(column.categories[code]) for code in codes.tolist()]


def describe_categories(
    name: str | None,
    categories: Sequence[str],
    *,
    missing: bool = False,
    unseen: bool = False,
    other: bool = False,
    width: int = SET_WIDTH,
) -> str:
    """Return a set of categories in words: ``town in {Ulm, Rome} (or missing or unseen)``.

    Parameters
    ----------
    name : str or None
        The column's name, or None to leave it out: ``{Ulm, Rome} (or missing or unseen)``.
    categories : sequence of str
        The categories.
    missing, unseen, other : bool, default=False
        Whether missing cells, categories that are not in the training table, and a pool of rare
        and new categories belong to the set.
    width : int, default=48
        Characters of the set; if it is longer, categories in its middle are left out.

    Examples
    --------
    >>> describe_categories("town", ["Ulm"]), describe_categories("town", [], missing=True)
    ('town is Ulm', 'town is missing')
    """
    said = (("missing", missing), ("unseen", unseen), ("other", other))
    more = [word for word, there in said if there]
    if not categories:
        verb, words = "is", " or ".join(more)
        more = []
    elif len(categories) == 1:
        verb, words = "is", categories[0]
    else:
        verb, words = "in", format_set(categories, width)
    if name is not None:
        words = f"{one_line(name)} {verb} {words}"
    return f"{words} (or {' or '.join(more)})" if more else words


def format_set(names: Sequence[str], width: int = SET_WIDTH) -> str:
    """Return ``{a, b, c}``, or ``{a, b, +17 more, z}`` if that is wider than ``width``.

    >>> format_set([f"n{i}" for i in range(40)], 30)
    '{n0, n1, n2, +36 more, n39}'
    """
    if len(names) <= 3 or sum(map(len, names)) + 2 * len(names) <= width:
        return "{" + ", ".join(names) + "}"
    room = width - len(f"{{+{len(names)} more, {names[-1]}}}")
    kept = 0
    while kept < len(names) - 2 and len(names[kept]) + 2 <= room:
        room -= len(names[kept]) + 2
        kept += 1
    kept = max(kept, 1)
    shown = [*names[:kept], f"+{len(names) - kept - 1} more", names[-1]]
    return "{" + ", ".join(shown) + "}"
