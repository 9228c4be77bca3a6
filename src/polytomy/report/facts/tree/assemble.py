"""All facts of a tree's report in one dictionary of plain data."""

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from polytomy import __version__
from polytomy._types import FloatArray
from polytomy.export import shares_note, to_text
from polytomy.model import Model
from polytomy.report.facts.columns import categories_in_tree, column_facts
from polytomy.report.facts.heading import LEAST_BUDGET, PAGE_BUDGET, TEXT_BUDGET, Heading
from polytomy.report.facts.json_values import json_size, rounded
from polytomy.tree import column_importances

from .details import NodeDetails, detail_facts, within_budget
from .nodes import Context, node_facts
from .pruning_path import path_facts
from .run import certificate_facts, growth_facts


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Facts that come from rows rather than from the model.

    Parameters
    ----------
    test : array of shape (nodes, classes), optional
        The weight of the test rows of each class at each node of ``model.kept``.
    test_rows : int, default=0
        The number of test rows.
    details : iterable of (node, details), optional
        Details of the nodes, those with the most rows first. The iterable is consumed only as far
        as the page has room.
    note : str, optional
        A sentence for the page if the rows are not those the tree was grown on.
    """

    test: FloatArray | None = None
    test_rows: int = 0
    details: Iterable[tuple[int, NodeDetails]] | None = None
    note: str | None = None


def tree_facts(
    model: Model, rows: Rows | None = None, title: str | None = None, target: str | None = None
) -> dict[str, Any]:
    """Return all facts of a tree's report.

    Parameters
    ----------
    model : Model
        The tree.
    rows : Rows, optional
        Test rows and details of nodes. By default the report is about the model alone.
    title : str, optional
        The heading. By default it names the target, if the target has a name.
    target : str, optional
        The target's name.

    Returns
    -------
    dict
        Plain data, ready for JSON and for ``polytomy.report.page.render``.

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
    facts = Heading(__version__, title, target).facts("tree", "Decision tree")
    with (
        warnings.catch_warnings()
    ):  # about weights that are not case counts; the certificate says so
        warnings.simplefilter("ignore", UserWarning)
        facts |= _model_facts(model, rows)
    if rows.details is not None:
        facts |= _details(model, rows.details, PAGE_BUDGET - json_size(facts))
    if rows.note is not None:
        facts["rows_note"] = rows.note
    return facts


def _model_facts(model: Model, rows: Rows) -> dict[str, Any]:
    schema = model.schema
    listing = categories_in_tree(model.kept, schema)
    shares = column_importances(model.kept, model.run.index, len(schema))
    path = path_facts(model.kept, model.kept_shares.counts, rows.test)
    return {
        "classes": model.class_names,
        "weighted": not np.array_equal(model.case_counts.sum(axis=1), model.tree.rows),
        **({} if model.honesty is None else {"honesty": shares_note(model)}),
        "contracted": bool(model.contracted),
        "columns": column_facts(schema, shares, listing),
        "nodes": node_facts(Context(model, listing, rows.test)),
        "path": path,
        "growth": growth_facts(model.certificate),
        "certificate": certificate_facts(model.certificate),
        "summary": _summary(model, rows, path),
        "text": _text(model),
    }


def _summary(model: Model, rows: Rows, path: Mapping[str, Any]) -> dict[str, Any]:
    tree, rules = model.tree, model.run.rules
    leaves = tree.leaves()
    questions = np.average(tree.depth[leaves], weights=tree.rows[leaves])
    facts: dict[str, Any] = {
        "leaves": tree.n_leaves,
        "depth": int(tree.depth.max()),
        "questions": rounded(questions, 6),
        "train_rows": int(tree.rows[0]),
        "train_error": rounded(path["errors"][-1] / path["total"]),
        "procedure": rules.procedure,
        "index": model.run.index.name,
    }
    if rows.test is not None:
        facts["test_rows"] = rows.test_rows
        facts["test_error"] = rounded(path["test_errors"][-1] / path["test_total"])
    if rules.max_leaves is not None:
        facts["max_leaves"] = int(rules.max_leaves)
    if model.pruning is not None:
        facts["pruned_by"] = model.pruning.by
    return facts


def _text(model: Model) -> str:
    """Return the tree as text, cut to a depth at which it fits into the page."""
    deepest = int(model.tree.depth.max())
    text = to_text(model, max_depth=min(max(deepest, 1), 12))
    for depth in (8, 6, 4, 3, 2, 1):
        if len(text) <= TEXT_BUDGET:
            break
        text = to_text(model, max_depth=depth)
    return text


def _details(model: Model, details: Iterable[tuple[int, NodeDetails]], room: int) -> dict[str, Any]:
    """Return the details of as many nodes as there is room for."""
    every = ((node, detail_facts(model.schema, one)) for node, one in details)
    kept, complete = within_budget(every, max(room, LEAST_BUDGET))
    facts: dict[str, Any] = {"details": kept}
    if not complete:
        facts["details_note"] = (
            "Alternative splits and distributions are included only for the "
            f"{len(kept)} nodes with the most rows."
        )
    return facts
