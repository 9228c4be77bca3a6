"""Everything a report page shows of a tree, as one dictionary of plain data."""

import json
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from polytomy import __version__
from polytomy._text import one_line
from polytomy._types import FloatArray
from polytomy.export import to_text
from polytomy.model import Model

from .certificate import certificate_facts
from .columns import column_facts, listed_categories
from .details import Detail, detail_facts, within_budget
from .growth import growth_facts
from .importances import importances
from .nodes import Context, node_facts
from .numbers import plain
from .path import path_facts

FORMAT = 1
BUDGET = 1_650_000  # characters of JSON; details are left out until the rest fits
_LEAST = 250_000  # characters that details may take whatever the rest takes
_TEXT = 60_000  # characters of the drawing in text


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """What rows tell besides the model: test rows at the nodes, and the details of nodes."""

    test: FloatArray | None = None  # weight of each class of the test rows at each kept node
    test_rows: int = 0
    details: Iterable[tuple[int, Detail]] | None = None  # of the nodes with the most rows first
    note: str | None = None  # where the rows are not those the tree was grown on


def tree_facts(
    model: Model, rows: Rows | None = None, title: str | None = None, target: str | None = None
) -> dict[str, Any]:
    """Return all facts of a tree's report.

    Parameters
    ----------
    model : Model
        The tree, as it is kept.
    rows : Rows, optional
        What rows told.
    title : str, optional
        The heading; by default it names the target, if that has a name.
    target : str, optional
        The target's name.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from polytomy import TreeClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> facts = tree_facts(TreeClassifier(max_leaves=3).fit(X, y)._model)
    >>> facts["title"], facts["nodes"][1]["answer"], facts["path"]["sizes"]
    ('Decision tree', 'petal length (cm) <= 2.45', [1, 2, 3])
    """
    rows = Rows() if rows is None else rows
    with warnings.catch_warnings():  # of weights that are no case counts; the certificate tells it
        warnings.simplefilter("ignore", UserWarning)
        facts = _head(model, title, target) | _body(model, rows)
    if rows.details is not None:
        facts |= _details(model, rows.details, BUDGET - _size(facts))
    if rows.note is not None:
        facts["rows_note"] = rows.note
    return facts


def _head(model: Model, title: str | None, target: str | None) -> dict[str, Any]:
    named = "Decision tree" if target is None else f"Decision tree for {one_line(target)}"
    head = {
        "kind": "tree",
        "format": FORMAT,
        "version": __version__,
        "title": named if title is None else one_line(title),
    }
    if target is not None:
        head["target"] = one_line(target)
    return head | {
        "classes": model.class_names,
        "weighted": model.run.weighting != "none",
        "contracted": bool(model.contracted),
    }


def _body(model: Model, rows: Rows) -> dict[str, Any]:
    listed = listed_categories(model)
    shares = importances(model.kept, model.run.index, len(model.schema))
    path = path_facts(model.kept, rows.test)
    return {
        "columns": column_facts(model, shares, listed),
        "nodes": node_facts(Context(model, listed, rows.test)),
        "path": path,
        "growth": growth_facts(model.certificate),
        "certificate": certificate_facts(model.certificate),
        "summary": _summary(model, rows, path),
        "text": _drawn(model),
    }


def _summary(model: Model, rows: Rows, path: Mapping[str, Any]) -> dict[str, Any]:
    tree, rules = model.tree, model.run.rules
    leaves = tree.leaves()
    questions = np.average(tree.depth[leaves], weights=tree.rows[leaves])
    facts: dict[str, Any] = {
        "leaves": tree.n_leaves,
        "depth": int(tree.depth.max()),
        "questions": plain(questions, 6),
        "train_rows": int(tree.rows[0]),
        "train_error": plain(path["errors"][-1] / path["total"]),
        "procedure": rules.procedure,
        "index": model.run.index.name,
    }
    if rows.test is not None:
        facts["test_rows"] = rows.test_rows
        facts["test_error"] = plain(path["test_errors"][-1] / path["test_total"])
    if rules.max_leaves is not None:
        facts["max_leaves"] = int(rules.max_leaves)
    if model.pruning is not None:
        facts["pruned_by"] = model.pruning.by
    return facts


def _drawn(model: Model) -> str:
    """Return the tree in text, as deep as a page has room for."""
    deepest = int(model.tree.depth.max())
    text = to_text(model, max_depth=min(max(deepest, 1), 12))
    for depth in (8, 6, 4, 3, 2, 1):
        if len(text) <= _TEXT:
            break
        text = to_text(model, max_depth=depth)
    return text


def _details(model: Model, details: Iterable[tuple[int, Detail]], room: int) -> dict[str, Any]:
    """Return as many details as there is room for; no more than these are looked at."""
    told = ((node, detail_facts(model.schema, detail)) for node, detail in details)
    kept, all_there = within_budget(told, max(room, _LEAST))
    facts: dict[str, Any] = {"details": kept}
    if not all_there:
        facts["details_note"] = (
            f"Options and distributions are kept for the {len(kept)} nodes with the most rows."
        )
    return facts


def _size(facts: Mapping[str, Any]) -> int:
    return len(json.dumps(facts, separators=(",", ":")))
