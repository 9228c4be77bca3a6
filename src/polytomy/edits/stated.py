"""Splits as people state them: thresholds of an ordered column, or groups of categories."""

import sys
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

import numpy as np

from polytomy._errors import ParameterError
from polytomy._numbers import is_integer, is_real
from polytomy._types import UNSEEN, BranchArray, IntArray
from polytomy.encode import NominalColumn, OrderedColumn
from polytomy.index import Index
from polytomy.table import Ranks, Times, is_missing
from polytomy.tree import CategorySplit, IntervalSplit

from .rows import EditRows

OWN = "own"
"""The place of missing cells: a branch of their own."""
_SHOWN = 5
_LARGEST = sys.float_info.max


def stated_thresholds(
    edited: EditRows,
    rows: IntArray,
    column: int,
    thresholds: Any,
    missing: Any,
    index: Index,
) -> IntervalSplit:
    """Return a split of an ordered column at given thresholds, or raise an error.

    Parameters
    ----------
    edited : EditRows
        The rows of the session.
    rows : ndarray of int
        The rows of the node to split.
    column : int
        The column.
    thresholds : sequence
        Numbers, or times or labels of an ordered category: rows up to each of them go left.
    missing : int, "own" or None
        The branch of missing cells; None for the one with the largest gain.
    index : Index
        The index function of the gain.

    Returns
    -------
    IntervalSplit
        The split. Its branch for new values is not chosen yet.
    """
    spec = edited.schema[column]
    if not isinstance(spec, OrderedColumn):
        raise ParameterError(f"column {spec.name!r} has categories: pass groups, not thresholds")
    cuts = _cuts(spec, thresholds)
    arity = len(cuts) + 1
    place = _place(missing, arity)
    split = IntervalSplit(column, cuts, UNSEEN if place is None else place, 0)
    is_gone = edited.is_missing(column, rows)
    if place is None and is_gone.any():
        split = _best_place(edited, rows, split, index)
    return split


def stated_groups(
    edited: EditRows, node: int, rows: IntArray, column: int, groups: Any
) -> CategorySplit:
    """Return a split of a categorical column into given groups, or raise an error.

    Parameters
    ----------
    edited : EditRows
        The rows of the session.
    node : int
        The node to split.
    rows : ndarray of int
        Its rows.
    column : int
        The column.
    groups : sequence
        One sequence of categories for each branch. None stands for missing cells, and ``...`` as a
        group for all categories that are not listed.

    Returns
    -------
    CategorySplit
        The split. Its branch for new values is not chosen yet.
    """
    spec = edited.schema[column]
    if not isinstance(spec, NominalColumn):
        raise ParameterError(f"column {spec.name!r} is ordered: pass thresholds, not groups")
    listed = _listed_groups(groups)
    branch = _branch_of_codes(spec, listed)
    codes = np.unique(edited.coded.columns[column][rows]).astype(np.int64)
    left = [int(code) for code in codes if branch[code] == UNSEEN]
    if left and ... in listed:
        branch[left] = listed.index(...)
    elif left:
        names = [None if code == spec.n_values else spec.categories[code] for code in left]
        raise ParameterError(
            f"categories {_listed(names)} of node {node} are in no group; add them, or pass ... as "
            "a group for all others"
        )
    last = int(np.flatnonzero(branch[:-1] != UNSEEN).max(initial=-1)) + 1
    split = CategorySplit(column, branch[:last].copy(), int(branch[-1]), 0)
    if split.arity < len(listed):
        raise ParameterError(f"group {len(listed) - 1} of {spec.name!r} has no categories")
    return split


def _listed_groups(groups: Any) -> list[Any]:
    """Return the categories of each group; ``...`` stays what it is."""
    if isinstance(groups, str) or not isinstance(groups, Iterable):
        raise ParameterError(f"groups must be a list of lists of categories, got {groups!r}")
    listed = [g if g is ... else _categories(g) for g in groups]
    if len(listed) < 2:
        raise ParameterError("a split needs at least two groups; ... is all other categories")
    if sum(g is ... for g in listed) > 1:
        raise ParameterError("only one group can be ..., all other categories")
    return listed


def _branch_of_codes(spec: NominalColumn, listed: list[Any]) -> BranchArray:
    """Return the group of each code that is listed; the last code is that of missing cells."""
    code_of = {category: code for code, category in enumerate(spec.categories)}
    branch = np.full(spec.n_values + 1, UNSEEN, dtype=np.int32)
    for number, group in enumerate(listed):
        for category in () if group is ... else group:
            code = spec.n_values if is_missing(category) else code_of.get(category)
            if code is None:
                raise ParameterError(f"column {spec.name!r} has no category {category!r}")
            if branch[code] != UNSEEN:
                raise ParameterError(f"category {category!r} is listed twice")
            branch[code] = number
    return branch


def _categories(group: Any) -> Sequence[Any]:
    if isinstance(group, str) or not isinstance(group, Iterable):
        raise ParameterError(f"a group must be a list of categories, got {group!r}")
    return list(group)


def _cuts(spec: OrderedColumn, thresholds: Any) -> Any:
    if isinstance(thresholds, str) or not isinstance(thresholds, Iterable):
        thresholds = [thresholds]
    cuts = [_cut(spec, value) for value in thresholds]
    if not cuts:
        raise ParameterError("thresholds must have at least one value")
    if any(not low < high for low, high in pairwise(cuts)):
        raise ParameterError(f"thresholds must ascend, got {_listed(cuts)}")
    return np.array(cuts)


def _cut(spec: OrderedColumn, value: Any) -> float:
    """Return a threshold as a number of the column's scale."""
    scale = spec.scale
    if isinstance(scale, Ranks) and value in scale.labels:
        return scale.labels.index(value) + 0.5
    is_number = is_real(value)
    if is_number and abs(value) <= _LARGEST:
        return float(value)
    if isinstance(scale, Times) and not is_number:
        if isinstance(value, datetime) and value.tzinfo is not None:
            value = value.astimezone(UTC).replace(tzinfo=None)
        try:
            return float(np.array(value, dtype=scale.dtype).view(np.int64))
        except (TypeError, ValueError):
            pass
    known = f"one of {_listed(scale.labels)}" if isinstance(scale, Ranks) else "a finite number"
    known = "a time" if isinstance(scale, Times) else known
    raise ParameterError(f"a threshold of {spec.name!r} must be {known}, got {value!r}")


def _place(missing: Any, arity: int) -> int | None:
    """Return the branch for missing cells; None if it is to be chosen."""
    if missing is None:
        return None
    if isinstance(missing, str) and missing == OWN:
        return arity
    if not is_integer(missing) or not 0 <= missing < arity:
        raise ParameterError(
            f"missing must be a branch from 0 to {arity - 1}, 'own' or None, got {missing!r}"
        )
    return int(missing)


def _best_place(
    edited: EditRows, rows: IntArray, split: IntervalSplit, index: Index
) -> IntervalSplit:
    """Return the split with the missing cells in the range where it gains most."""
    ranges = split.arity
    apart = IntervalSplit(split.feature, split.thresholds, ranges, 0)
    counts = edited.counts(edited.branches(apart, rows), rows, ranges + 1)
    known, gone = counts[:-1], counts[-1]
    added = index.value(known + gone) - index.value(known)
    return IntervalSplit(split.feature, split.thresholds, int(added.argmin()), 0)


def _listed(values: Sequence[Any]) -> str:
    shown = [f"{v:.10g}" if isinstance(v, float) else repr(v) for v in values[:_SHOWN]]
    return ", ".join([*shown, *(["..."] if len(values) > _SHOWN else [])])
