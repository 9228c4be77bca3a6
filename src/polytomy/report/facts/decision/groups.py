"""Error rates of groups of rows, such as those of a region."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from polytomy._text import one_line, shorten
from polytomy._types import AnyArray, IntArray
from polytomy.evaluate import Rate, group_rates
from polytomy.report.facts.boosted import Evaluated
from polytomy.report.facts.json_values import rounded, rounded_list
from polytomy.table import is_missing

from .curves import shown_classes

_MOST_COUNTS = 15_000  # numbers of rows of groups at thresholds
_MOST_GROUPS = 30  # larger numbers of groups are joined
_MOST_NUMBERS = 12  # more different numbers are cut into ranges
_RANGES = 5
_LONGEST = 80  # characters of a group's name
_DIGITS = 5
MISSING, OTHERS = "(missing)", "(all other groups)"


@dataclass(frozen=True, slots=True, eq=False)
class Grouping:
    """The group of each row.

    Attributes
    ----------
    name : str
        What the groups are, such as the name of a column.
    labels : list of str
        The names of the groups.
    numbers : ndarray of int
        The number of each row's group.
    unseen : list of bool
        Whether the model has never seen rows of the group in training; empty if it is not known.
    """

    name: str
    labels: list[str]
    numbers: IntArray
    unseen: list[bool]


def grouping(name: str, cells: AnyArray, known: Any = None) -> Grouping:
    """Return the groups of rows: the largest ones, missing cells, and all others together.

    Parameters
    ----------
    name : str
        What the groups are.
    cells : ndarray
        The cell of each row. More than 12 different numbers are cut into ranges.
    known : collection, default=None
        The cells that the model was fitted on; None if that is not known.
    """
    gone = np.array([is_missing(cell) for cell in cells.tolist()], dtype=bool)
    held = cells[~gone]
    names, places = _ranges(held) if _is_wide(held) else _values(held)
    order = np.argsort(-np.bincount(places, minlength=len(names)), kind="stable")
    most = len(names) if len(names) <= _MOST_GROUPS else _MOST_GROUPS - 1
    shown = np.sort(order[:most])
    place = np.full(len(names) + 1, most, dtype=np.int64)
    place[shown] = np.arange(most)
    numbers = np.empty(len(cells), dtype=np.int64)
    numbers[~gone] = place[places]
    labels = [shorten(one_line(names[i]), _LONGEST) for i in shown.tolist()]
    if most < len(names):
        labels.append(OTHERS)
    numbers[gone] = len(labels)
    if gone.any():
        labels.append(MISSING)
    unseen = []
    if known is not None:
        seen = {one_line(cell) for cell in known}
        unseen = [label not in seen and label not in (OTHERS, MISSING) for label in labels]
    return Grouping(one_line(name), labels, numbers, unseen)


def _is_wide(held: AnyArray) -> bool:
    if held.dtype.kind not in "iuf":
        return False
    return bool(np.isfinite(held).all()) and len(np.unique(held)) > _MOST_NUMBERS


def _values(held: AnyArray) -> tuple[list[Any], IntArray]:
    """Return the different cells, and the place of each row's cell among them."""
    if held.dtype.kind != "O":
        values, places = np.unique(held, return_inverse=True)
        is_number = held.dtype.kind == "f"
        return [f"{v:g}" for v in values] if is_number else values.tolist(), places
    number: dict[Any, int] = {}
    places = np.array([number.setdefault(one_line(cell), len(number)) for cell in held.tolist()])
    names = list(number)
    order = np.array(sorted(range(len(names)), key=names.__getitem__), dtype=np.int64)
    rank = np.empty(len(names), dtype=np.int64)
    rank[order] = np.arange(len(names))
    return [names[i] for i in order], rank[places.astype(np.int64)]


def _ranges(held: AnyArray) -> tuple[list[str], IntArray]:
    """Cut numbers into ranges with about equally many rows."""
    ends = np.unique(np.quantile(held, np.arange(1, _RANGES) / _RANGES, method="lower"))
    places = np.searchsorted(ends, held)
    used, places = np.unique(places, return_inverse=True)
    parts = [held[places == i] for i in range(len(used))]
    spans = [(f"{part.min():.6g}", f"{part.max():.6g}") for part in parts]
    return [low if low == high else f"{low} to {high}" for low, high in spans], places


def group_facts(
    rows: Evaluated,
    groups: Grouping,
    n_classes: int,
    which: str,
    curves: Sequence[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """Return the error rates of each group, and the rates of each class to choose.

    Parameters
    ----------
    rows : Evaluated
        Rows with their actual and predicted classes.
    groups : Grouping
        Their groups.
    n_classes : int
        The number of classes.
    which : {"training", "test", "out-of-bag"}
        What the rows are.
    curves : sequence of mappings, default=()
        The facts about the thresholds of classes, if the groups are to follow them.
    """
    shown = shown_classes(rows.labels, rows.weights, n_classes)
    found = {
        k: group_rates(rows.labels, rows.predicted, groups.numbers, k, rows.weights) for k in shown
    }
    listed = [
        {
            "name": groups.labels[one.group],
            "weight": rounded(one.weight),
            "rows": one.error.rows,
            "error": _rate(one.error),
            **({"unseen": True} if groups.unseen and groups.unseen[one.group] else {}),
        }
        for one in found[shown[0]]
    ]
    classes = [
        {
            "class": k,
            "base": [_rate(one.base) for one in rates],
            "selected": [_rate(one.selected) for one in rates],
            "false_positive": [_rate(one.false_positive) for one in rates],
            "false_negative": [_rate(one.false_negative) for one in rates],
        }
        for k, rates in found.items()
    ]
    facts = {"name": groups.name, "rows": which, "groups": listed, "classes": classes}
    if rows.shares is None or not curves:
        return facts
    every = max(1, -(-len(listed) * sum(len(c["threshold"]) for c in curves) // _MOST_COUNTS))
    order = [one.group for one in found[shown[0]]]
    for one in classes:
        curve = next((curve for curve in curves if curve["class"] == one["class"]), None)
        if curve is not None:
            one.update(_at_thresholds(rows, groups.numbers, order, curve, every))
    return facts


def _at_thresholds(
    rows: Evaluated, group: IntArray, order: list[int], curve: Mapping[str, Any], every: int
) -> dict[str, Any]:
    """Return the rows of each group that are selected, rightly and wrongly, at some thresholds.

    ``at`` are the numbers of the thresholds: every so many, the last one, and the one that the
    section on decisions begins with.
    """
    assert rows.shares is not None
    k, threshold = curve["class"], np.array(curve["threshold"], dtype=np.float64)
    at = np.unique([*range(0, len(threshold), every), len(threshold) - 1, curve["own"]])
    # The first threshold selects no row, whatever its number.
    first = 1 + np.searchsorted(-threshold[1:], -rows.shares[:, k], side="left")
    n = max(order) + 1
    found = {}
    for name, of in (("right", rows.labels == k), ("wrong", rows.labels != k)):
        cells = group[of] * (len(threshold) + 1) + first[of]
        counts = np.bincount(cells, rows.weights[of], minlength=n * (len(threshold) + 1))
        summed = counts.reshape(n, -1).cumsum(axis=1)[:, at]
        found[name] = [rounded_list(summed[number], 10) for number in order]
    return {"at": at.tolist(), **found}


def _rate(rate: Rate) -> list[int | float] | None:
    """Return a rate with its interval and the number of rows; None without rows."""
    if rate.rows == 0:
        return None
    return [*rounded_list((rate.value, rate.low, rate.high), _DIGITS), rate.rows]
