"""The columns of a tree or an ensemble: kind, range or categories, importance."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from polytomy._text import one_line, shorten
from polytomy._types import UNSEEN, FloatArray, IntArray
from polytomy.encode import ColumnSpec, NominalColumn, OrderedColumn, Schema
from polytomy.ensemble import Ensemble
from polytomy.export import format_time
from polytomy.table import Ranks, Times
from polytomy.tree import CODES, CategorySplit, Tree

from .json_values import rounded, unrounded

_ALL_LISTED = 256  # a tree's report lists all categories of a column with at most this many
_MOST_LISTED = 4000  # categories of a column in a tree's report
_LONGEST = 200  # characters of a category or label


@dataclass(frozen=True, slots=True, eq=False)
class ListedCategories:
    """The categories of a column that a report lists.

    Parameters
    ----------
    codes : array of int
        The codes of the listed categories, ascending.
    total : int
        The number of categories of the column.
    longest : int, optional
        Longer names are cut to this many characters; by default none are.
    """

    codes: IntArray
    total: int
    longest: int | None = None

    @property
    def complete(self) -> bool:
        """Whether every category is listed."""
        return len(self.codes) == self.total

    def branches(self, split: CategorySplit) -> list[list[int]]:
        """Return, for each branch of a split, the positions of its categories in the list.

        If the list is incomplete, the default branch gets no positions: it receives every category
        that no other branch names.
        """
        position = np.full(self.total, -1)
        position[self.codes] = np.arange(len(self.codes))
        out: list[list[int]] = []
        for branch in range(split.arity):
            if not self.complete and branch == split.default_branch:
                out.append([])
                continue
            found = position[np.flatnonzero(split.code_to_branch == branch)]
            out.append(found[found >= 0].tolist())
        return out


Listing = Mapping[int, ListedCategories]
"""The listed categories of each categorical column, by column number."""


def categories_in_tree(tree: Tree, schema: Schema) -> dict[int, ListedCategories]:
    """Return the categories to list for a tree: all of them, or those that its splits name."""
    return {j: _in_tree(tree, j, schema[j].n_values) for j in schema.of_kind("nominal")}


def _in_tree(tree: Tree, column: int, total: int) -> ListedCategories:
    if total <= _ALL_LISTED:
        return ListedCategories(np.arange(total), total, _LONGEST)
    named = np.zeros(total, dtype=bool)
    for node in np.flatnonzero((tree.kind == CODES) & (tree.feature == column)).tolist():
        split = tree.split(node)
        assert isinstance(split, CategorySplit)
        branch = split.code_to_branch
        named[np.flatnonzero((branch != UNSEEN) & (branch != split.default_branch))] = True
    return ListedCategories(np.flatnonzero(named)[:_MOST_LISTED], total, _LONGEST)


def categories_in_ensemble(
    ensemble: Ensemble, most: int | None = None
) -> dict[int, ListedCategories]:
    """Return the categories to list for an ensemble: all of them, or those with large scores.

    Parameters
    ----------
    ensemble : Ensemble
        The ensemble.
    most : int, optional
        List at most this many categories of a column: those with the largest scores, without
        those that have long names. By default all are listed.
    """
    merged = ensemble.additive
    functions = {} if merged is None else {f.feature: f for f in merged.functions}
    listing = {}
    for j in ensemble.schema.of_kind("nominal"):
        column = ensemble.schema[j]
        assert isinstance(column, NominalColumn)
        total = len(column.categories)
        codes = np.arange(total)
        if most is not None and total > most:
            if j in functions:
                codes = np.argsort(-np.abs(functions[j].scores).max(axis=1), kind="stable")
            short = [c for c in codes.tolist() if len(str(column.categories[c])) <= _LONGEST]
            codes = np.sort(np.array(short[:most] or codes[:1], dtype=np.int64))
        listing[j] = ListedCategories(codes, total)
    return listing


def column_facts(schema: Schema, importances: FloatArray, listing: Listing) -> list[dict[str, Any]]:
    """Return the name, kind, values and importance of each column."""
    return [
        {
            "name": one_line(column.name),
            **_values(column, listing.get(j)),
            "has_missing": bool(column.has_missing),
            "importance": rounded(importances[j]),
        }
        for j, column in enumerate(schema)
    ]


def _values(column: ColumnSpec, listed: ListedCategories | None) -> dict[str, Any]:
    """Return a column's kind and values; ``more`` is the number of categories not listed."""
    if isinstance(column, NominalColumn):
        assert listed is not None
        names = [_name(column.categories[code], listed.longest) for code in listed.codes.tolist()]
        more = listed.total - len(names)
        return {"kind": "categories", "categories": names, **({"more": more} if more else {})}
    if isinstance(column.scale, Ranks):
        return {"kind": "labels", "labels": [_name(x, _LONGEST) for x in column.scale.labels]}
    facts: dict[str, Any] = {"kind": "numbers"}
    if isinstance(column.scale, Times):
        facts = {"kind": "times", "dtype": column.scale.dtype}
        if column.scale.zone is not None:
            facts["zone"] = column.scale.zone
    return facts | _range(column)


def _name(value: Any, longest: int | None) -> str:
    return one_line(value) if longest is None else shorten(one_line(value), longest)


def _range(column: OrderedColumn) -> dict[str, Any]:
    """Return the range of the finite training values and a typical one; times also as text.

    Bins hold about equally many rows, so a value of the middle bin is typical.
    """
    finite = np.concatenate((column.low, column.high))
    finite = np.sort(finite[np.isfinite(finite)])
    if len(finite) == 0:
        return {}
    values = {"low": finite[0], "high": finite[-1], "middle": finite[len(finite) // 2]}
    facts: dict[str, Any] = {name: unrounded(float(x)) for name, x in values.items()}
    if isinstance(column.scale, Times):
        for name, ticks in values.items():
            facts[f"{name}_text"] = format_time(int(ticks), column.scale, column)
    return facts
