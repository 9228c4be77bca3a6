"""Guess the split: a tree grown by a student, node by node, beside that of the grower."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from polytomy._errors import ParameterError
from polytomy._resample import hold_out
from polytomy._types import TIE
from polytomy.encode import NominalColumn, encode_with
from polytomy.estimators import TreeClassifier, edit
from polytomy.export.phrasing.p_values import format_p
from polytomy.index import INDICES
from polytomy.io import LabelledTable
from polytomy.io.labelled import column_cells
from polytomy.prune import adjusted_p_chance
from polytomy.report.facts.tree.distribution import distribution_facts
from polytomy.studio import requests
from polytomy.table import Numbers, is_missing
from polytomy.theory import LEAF_ORDERS, acceptable, price

from .tree_view import differences, path_words, split_words, tree_nodes
from .working import INDEX_TEXTS, PRICES, worked_node, worked_split

HELD_OUT = 0.25  # of the rows of a table that is large enough
_ROWS_TO_HOLD_OUT = 60
_MOST_ROWS = 40  # of a node that is shown as a table
_MOST_CELLS = 12  # columns of that table
_MOST_COLUMNS = 200  # that are shown, and can be guessed
_MOST_CLASSES = 12  # counted for each value of a column
_MOST_TESTED = 12  # columns whose best split gets a p-value
MOST_LEAVES = 64

Stated: TypeAlias = tuple[str, dict[str, Any]]
"""A split as arguments of ``EditSession.split``: the column, and the others."""


@dataclass(frozen=True, slots=True)
class Guess:
    """A guess and what was made of it."""

    node: int
    column: str | None  # None leaves the node a leaf
    split: str
    points: float | None  # the worth of the guess as a share of the best worth
    best: str
    kept: str = ""  # "mine", "grower" or, before the choice, ""


class Lesson:
    """A tree that a student grows by guessing splits; the numbers come after each guess.

    Parameters
    ----------
    rows : LabelledTable
        The rows. If there are enough of them, a quarter is held out for the comparison at the end.
    index : str, default="entropy"
        A name in ``INDEX_TEXTS``.
    procedure : str or None, default=None
        A name in ``PRICES``: whose price divides the gains. None takes "id3" if all columns have
        categories, and otherwise "per-leaf".
    max_leaves : int, default=8
        The largest number of leaves.
    """

    def __init__(
        self,
        rows: LabelledTable,
        *,
        index: str = "entropy",
        procedure: str | None = None,
        max_leaves: int = 8,
    ) -> None:
        kinds = {column.kind for column in rows.table.columns}
        self.index, self.max_leaves = index, max_leaves
        self.procedure = procedure or ("id3" if kinds == {"nominal"} else "per-leaf")
        self._rows, self._held_out = rows, None
        if len(rows) >= _ROWS_TO_HOLD_OUT:
            parts = hold_out(rows.strata, HELD_OUT, np.random.RandomState(0))
            self._rows, self._held_out = map(rows.take, parts)
        self._session = self._new_session()
        start = self._session.estimator()
        self._schema = start._model.schema
        self.classes = [str(c) for c in start.classes_.tolist()]
        self._coded = encode_with(self._schema, self._rows.table)
        self._labels = np.searchsorted(start.classes_, self._rows.labels)
        self.guesses: list[Guess] = []
        self._stopped: tuple[int, ...] = ()
        self._stops: list[tuple[int, ...]] = []  # before each guess
        self._done = False
        self._found: dict[int, Any] = {}  # alternatives of leaves
        self._node = self._next_node()
        self._reveal: dict[str, Any] | None = None
        self._splits: dict[str, Stated | None] = {}  # those to choose from after a guess

    # ---- what the page calls ---------------------------------------------------------------------

    def pick(self, given: Mapping[str, Any]) -> None:
        """Turn to another open leaf."""
        self._check_phase("guess")
        self._node = requests.member(given, "node", self.open_leaves())

    def guess(self, given: Mapping[str, Any]) -> None:
        """Take a guess, and work out the numbers."""
        self._check_phase("guess")
        assert self._node is not None
        stated = None if given.get("stop") is True else self._stated(given)
        mine = None if stated is None else self._worked(*stated)
        best = _as_stated(self._best(self._node))
        table, winner = self._columns_by_worth(self._node), self._worked(*best)
        points = None if mine is None else min(mine["worth"] / winner["worth"], 1.0)
        self._splits = {"mine": stated, "grower": best}
        self._reveal = {
            "mine": mine,
            "winner": winner,
            "same": mine is not None and _same_split(mine, winner),
            "points": points,
            "columns": table,
            "index": asdict(INDEX_TEXTS[self.index]),
            "price": PRICES[self.procedure],
        }
        self.guesses.append(
            Guess(
                node=self._node,
                column=None if mine is None else mine["column"],
                split="a leaf" if mine is None else mine["split"],
                points=points,
                best=f"{winner['column']}: {winner['split']}",
            )
        )

    def go_on(self, given: Mapping[str, Any]) -> None:
        """Go on with the student's split or the grower's."""
        self._check_phase("reveal")
        assert self._reveal is not None
        assert self._node is not None
        kept = requests.choice(given, "with", ("mine", "grower"), "mine")
        self._stops.append(self._stopped)
        chosen = self._splits[kept]
        if chosen is None:
            self._stopped += (self._node,)
        else:
            column, arguments = chosen
            self._session.split(self._node, column, **arguments)
        self.guesses[-1] = replace(self.guesses[-1], kept=kept)
        self._reveal = None
        self._found.clear()
        self._node = self._next_node()

    def undo(self, _given: Mapping[str, Any]) -> None:
        """Take the last guess back, or the end of the lesson."""
        if self._done:
            self._done = False
        elif self._reveal is not None:
            self._reveal = None
            self.guesses.pop()
        elif self.guesses:
            last = self.guesses.pop()
            self._stopped = self._stops.pop()
            if last.kept == "grower" or last.column is not None:
                self._session.undo()
            self._found.clear()
            self._node = last.node
        else:
            raise ParameterError("there is no guess to take back")

    def finish(self, _given: Mapping[str, Any]) -> None:
        """End the lesson and compare the trees."""
        if self._reveal is not None:
            raise ParameterError("go on with one of the splits first")
        self._done = True

    # ---- what the page shows ---------------------------------------------------------------------

    @property
    def phase(self) -> str:
        """Return "guess", "reveal", "end" (no leaf can be split any more) or "compare"."""
        if self._done:
            return "compare"
        if self._reveal is not None:
            return "reveal"
        return "end" if self._node is None else "guess"

    def view(self) -> dict[str, Any]:
        """Return what the page shows. Before a guess, it has counts but no gains."""
        open_leaves = self.open_leaves()
        nodes = tree_nodes(self._session.tree_, self._schema)
        for node in nodes:
            is_leaf = node["column"] is None
            node["open"] = node["id"] in open_leaves
            node["stopped"] = is_leaf and node["id"] in self._stopped
        view = {
            "phase": self.phase,
            "target": self._rows.target,
            "classes": self.classes,
            "rows": len(self._rows),
            "held_out": 0 if self._held_out is None else len(self._held_out),
            "index": self.index,
            "index_name": INDEX_TEXTS[self.index].name,
            "procedure": self.procedure,
            "max_leaves": self.max_leaves,
            "tree": nodes,
            "node": self._node,
            "guesses": [asdict(guess) for guess in self.guesses],
            "here": None,
            "reveal": None,
            "compare": None,
        }
        if self.phase in ("guess", "reveal"):
            assert self._node is not None
            view["here"] = self._here(self._node, nodes)
        if self._reveal is not None:
            view["reveal"] = self._reveal
        if self.phase == "compare":
            view["compare"] = self._compare()
        return view

    def open_leaves(self) -> list[int]:
        """Return the leaves that could be split, the oldest first."""
        leaves = [v for v in self._session.tree_.leaves().tolist() if self._impurity()[v] > 0]
        return [v for v in leaves if v not in self._stopped and self._options(v)]

    # ---- the rows of a node ----------------------------------------------------------------------

    def _here(self, node: int, nodes: list[dict[str, Any]]) -> dict[str, Any]:
        """Return the rows of a node as the student sees them before the guess."""
        rows = self._rows_of(node)
        columns = [self._column_counts(j, rows) for j in range(len(self._schema))[:_MOST_COLUMNS]]
        return {
            "path": path_words(nodes, node),
            "rows": len(rows),
            "columns": columns,
            "left_out": max(len(self._schema) - _MOST_COLUMNS, 0),
            "cells": self._cells(rows) if len(rows) <= _MOST_ROWS else None,
        }

    def _rows_of(self, node: int) -> Any:
        return np.flatnonzero(self._session.estimator().apply(self._rows.table) == node)

    def _column_counts(self, column: int, rows: Any) -> dict[str, Any]:
        """Return the rows of each class for every value, or range, of a column."""
        spec = self._schema[column]
        codes, k = self._coded.columns[column][rows].astype(np.int64), len(self.classes)
        n_codes = spec.n_values + spec.has_missing
        held = np.bincount(codes * k + self._labels[rows], minlength=n_codes * k)
        facts = distribution_facts(
            spec, held.reshape(n_codes, k).astype(np.float64), None, most_classes=_MOST_CLASSES
        )
        if isinstance(spec, NominalColumn):
            states = "values" if self.procedure == "id3" else "arity"
        else:
            states = "thresholds" if isinstance(spec.scale, Numbers) else "arity"
        distinct = int((held.reshape(n_codes, k).sum(axis=1) > 0).sum())
        return {"name": spec.name, "states": states, "distinct": distinct, **facts}

    def _cells(self, rows: Any) -> dict[str, Any]:
        """Return the rows of a small node as a table."""
        names = list(self._schema.names[:_MOST_CELLS])
        part = self._rows.table.take(rows)
        columns = [[_cell(v) for v in column_cells(part, name).tolist()] for name in names]
        return {
            "columns": names,
            "rows": [list(row) for row in zip(*columns, strict=True)],
            "labels": self._labels[rows].tolist(),
        }

    # ---- splits ----------------------------------------------------------------------------------

    def _new_session(self) -> Any:
        clf = TreeClassifier(
            max_leaves=None,
            procedure=self.procedure,
            index=self.index,
            honest=False,
            effort="fast",
            contract=False,
        )
        held = self._held_out
        return edit(
            clf,
            self._rows.table,
            self._rows.labels,
            X_val=None if held is None else held.table,
            y_val=None if held is None else held.labels,
        )

    def _impurity(self) -> Any:
        """Return the impurity of each node, divided by the weight of all rows."""
        tree = self._session.tree_
        return INDICES[self.index].value(tree.counts) / float(tree.weight[0])

    def _next_node(self) -> int | None:
        """Return the leaf that the grower splits next; ties are broken as by the grower."""
        leaves, impurity = self.open_leaves(), self._impurity()
        if not leaves:
            return None
        if LEAF_ORDERS[self.procedure][0] == "heaviest":
            enough = max(impurity[v] for v in leaves) - TIE * impurity[0]
            return next(v for v in leaves if impurity[v] >= enough)
        best = {v: self._best(v) for v in leaves}
        enough = max(map(self._worth, best.values())) - TIE * impurity[0]
        equals = [v for v in leaves if self._worth(best[v]) >= enough]
        return min(equals, key=lambda v: (*self._precedence(best[v]), v))

    def _options(self, node: int) -> list[Any]:
        """Return the best splits of a leaf that the budget allows."""
        if node not in self._found:
            leaves = self._session.figures.leaves
            self._found[node] = [
                option
                for option in self._session.alternatives(node)
                if acceptable(self.procedure, option.branches, leaves, self.max_leaves)
            ]
        found: list[Any] = self._found[node]
        return found

    def _worth(self, option: Any) -> float:
        return float(option.gain) / price(self.procedure, option.branches)

    def _best(self, node: int) -> Any:
        """Return the split that the grower takes at a node."""
        options = self._options(node)
        enough = max(map(self._worth, options)) - TIE * self._impurity()[node]
        return min((o for o in options if self._worth(o) >= enough), key=self._precedence)

    def _precedence(self, option: Any) -> tuple[int, int]:
        """Return the order of equal splits: fewer branches, then the first column."""
        return option.branches, self._schema.names.index(option.column)

    def _columns_by_worth(self, node: int) -> list[dict[str, Any]]:
        """Return the best split of each column, the best column first."""
        best: dict[str, Any] = {}
        for option in self._options(node):
            known = best.get(option.column)
            if known is None or self._worth(option) > self._worth(known):
                best[option.column] = option
        winner = self._best(node).column
        ranked = sorted(best.values(), key=lambda o: (o.column != winner, -self._worth(o)))
        tested = [self._worked(*_as_stated(option)) for option in ranked[:_MOST_TESTED]]
        size = float(self._session.tree_.weight[0]) / float(self._session.tree_.weight[node])
        plain = [
            {
                "column": option.column,
                "split": option.split,
                "gain": {"value": option.gain * size},
                "price": price(self.procedure, option.branches),
                "worth": self._worth(option) * size,
                "p_adjusted": None,
            }
            for option in ranked[_MOST_TESTED:]
        ]
        none = [
            {"column": name, "split": None, "gain": {"value": 0.0}, "price": None, "worth": 0.0}
            for name in self._schema.names
            if name not in best
        ]
        return (tested + plain + none)[:_MOST_COLUMNS]

    def _stated(self, given: Mapping[str, Any]) -> Stated:
        """Return the split that a guess describes."""
        column = given.get("column")
        if not isinstance(column, str):
            raise ParameterError("choose a column, or leave the node a leaf")
        thresholds = requests.numbers(given, "thresholds")
        if thresholds is not None:
            return column, {"thresholds": sorted(set(thresholds))}
        if given.get("arity") is not None:
            return column, {"arity": requests.whole(given, "arity", 2, MOST_LEAVES)}
        options = [o for o in self._options(self._at()) if o.column == column]
        if options:
            return _as_stated(max(options, key=self._worth))
        return column, self._one_group_each(column)

    def _one_group_each(self, column: str) -> dict[str, Any]:
        """Return the split of id3 on a column of categories that gains nothing."""
        names = self._schema.names
        spec = self._schema[names.index(column)] if column in names else None
        if self.procedure != "id3" or not isinstance(spec, NominalColumn):
            return {}
        codes = np.unique(self._coded.columns[names.index(column)][self._rows_of(self._at())])
        values = [*spec.categories, None]  # the last code is that of missing cells
        return {"groups": [[values[code]] for code in codes.tolist()]}

    def _worked(self, column: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return a split worked out; the tree stays as it is."""
        node = self._at()
        leaves = self._session.figures.leaves
        self._session.split(node, column, **arguments)
        tree = self._session.tree_
        self._session.undo()
        words = split_words(tree, self._schema, node)
        if not acceptable(self.procedure, len(words), leaves, self.max_leaves):
            raise ParameterError(self._too_wide(len(words), leaves))
        chance = adjusted_p_chance(tree, self._schema)
        worked = worked_split(self.index, self.procedure, tree.counts[tree.children(node)], words)
        return {
            "column": column,
            "split": " | ".join(words),
            **worked,
            "p_value": format_p(float(chance.plain[node])),
            "p_adjusted": format_p(float(chance.p[node])),
            "rough": bool(chance.few[node]),
        }

    def _too_wide(self, k: int, leaves: int) -> str:
        if self.procedure == "kearns-mansour" and k > 2:
            return f"this lesson has binary splits only, and that split has {k} branches"
        return (
            f"a split with {k} branches is too wide: the tree has {leaves} of at most "
            f"{self.max_leaves} leaves"
        )

    def _at(self) -> int:
        assert self._node is not None
        return self._node

    def _check_phase(self, phase: str) -> None:
        if self.phase != phase:
            wanted = {"guess": "to guess", "reveal": "to choose"}[phase]
            raise ParameterError(f"there is no split {wanted} now: the lesson is at {self.phase!r}")

    # ---- the end ---------------------------------------------------------------------------------

    def _compare(self) -> dict[str, Any]:
        """Return the student's tree beside the grower's of as many leaves."""
        mine = self._session
        grower = self._new_session()
        grower.regrow(0, max_leaves=max(mine.figures.leaves, 2))
        points = [guess.points for guess in self.guesses if guess.points is not None]
        return {
            "mine": asdict(mine.figures),
            "grower": asdict(grower.figures),
            "grower_tree": tree_nodes(grower.tree_, self._schema),
            "differences": differences(mine.tree_, grower.tree_, self._schema),
            "points": sum(points) / len(points) if points else None,
            "guesses": len(points),
            "root": worked_node(self.index, mine.tree_.counts[0])["value"],
        }


def _as_stated(option: Any) -> Stated:
    return option.column, {"arity": option.branches}


def _same_split(mine: dict[str, Any], other: dict[str, Any]) -> bool:
    counts = [[b["counts"] for b in split["branches"]] for split in (mine, other)]
    return bool(mine["column"] == other["column"] and counts[0] == counts[1])


def _cell(value: Any) -> str:
    if is_missing(value):
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)
