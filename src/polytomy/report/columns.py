"""The columns of a report: what each holds, its values where nodes speak of them, its weight."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np

from polytomy._text import one_line
from polytomy._types import UNSEEN, FloatArray, IntArray
from polytomy.encode import ColumnSpec, NominalColumn, OrderedColumn
from polytomy.export.moments import say_moment
from polytomy.model import Model
from polytomy.table import Ranks, Times
from polytomy.tree import CODES, CodeQuestion

from .numbers import exact, plain

FEW = 256  # a column with no more categories lists them all
MOST = 4000  # categories a column lists at most
_LONGEST = 200  # characters of a category


@dataclass(frozen=True, slots=True, eq=False)
class Listed:
    """Which categories of a column the report lists, and the place of each code among them."""

    codes: IntArray
    place: IntArray  # -1 where a code is not listed
    all: bool

    def branches(self, question: CodeQuestion) -> list[list[int]]:
        """Return the listed categories of each branch.

        Where not all are listed, the branch that takes new ones names none: those that no other
        branch names take it.
        """
        taken = question.code_to_branch
        out: list[list[int]] = []
        for branch in range(question.arity):
            if not self.all and branch == question.default_branch:
                out.append([])
                continue
            places = self.place[np.flatnonzero(taken == branch)]
            out.append(places[places >= 0].tolist())
        return out


def listed_categories(model: Model) -> dict[int, Listed]:
    """Return the categories to list of each column that has some."""
    columns = model.schema.of_kind("nominal")
    return {j: _listed(model, j, model.schema[j].n_values) for j in columns}


def _listed(model: Model, column: int, n_values: int) -> Listed:
    tree = model.kept
    if n_values <= FEW:
        return Listed(np.arange(n_values), np.arange(n_values), all=True)
    named = np.zeros(n_values, dtype=bool)
    for node in np.flatnonzero((tree.kind == CODES) & (tree.feature == column)).tolist():
        question = tree.question(node)
        assert isinstance(question, CodeQuestion)
        taken = question.code_to_branch
        named[np.flatnonzero((taken != UNSEEN) & (taken != question.default_branch))] = True
    codes = np.flatnonzero(named)[:MOST]
    place = np.full(n_values, -1)
    place[codes] = np.arange(len(codes))
    return Listed(codes, place, all=False)


def column_facts(
    model: Model, shares: FloatArray, listed: Mapping[int, Listed]
) -> list[dict[str, Any]]:
    """Return what a report says of each column."""
    return [
        {
            "name": one_line(spec.name),
            **_values(spec, listed.get(j)),
            "has_missing": bool(spec.has_missing),
            "importance": plain(shares[j]),
        }
        for j, spec in enumerate(model.schema)
    ]


def _values(spec: ColumnSpec, listed: Listed | None) -> dict[str, Any]:
    if isinstance(spec, NominalColumn):
        assert listed is not None
        names = [_short(spec.categories[code]) for code in listed.codes.tolist()]
        more = len(spec.categories) - len(names)
        return {"kind": "categories", "categories": names, **({"more": more} if more else {})}
    if isinstance(spec.scale, Ranks):
        return {"kind": "labels", "labels": [_short(label) for label in spec.scale.labels]}
    facts: dict[str, Any] = {"kind": "numbers"}
    if isinstance(spec.scale, Times):
        facts = {"kind": "times", "dtype": spec.scale.dtype}
        if spec.scale.zone is not None:
            facts["zone"] = spec.scale.zone
    return facts | _range(spec)


def _range(spec: OrderedColumn) -> dict[str, Any]:
    """Return the range of the training values, where it is finite; of times in words too."""
    if spec.n_values == 0 or not (isfinite(spec.low[0]) and isfinite(spec.high[-1])):
        return {}
    low, high = float(spec.low[0]), float(spec.high[-1])
    facts: dict[str, Any] = {"low": exact(low), "high": exact(high)}
    if isinstance(spec.scale, Times):
        facts["low_text"] = say_moment(int(low), spec.scale, spec)
        facts["high_text"] = say_moment(int(high), spec.scale, spec)
    return facts


def _short(value: Any) -> str:
    text = one_line(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
