"""All facts of a tree's report in one dictionary of plain data."""

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from polytomy import __version__
from polytomy._types import FloatArray
from polytomy.export import AnyModel, describe_costs, describe_origin, shares_note, to_text
from polytomy.model import Model
from polytomy.report.facts.columns import categories_in_tree, column_facts
from polytomy.report.facts.heading import LEAST_BUDGET, PAGE_BUDGET, TEXT_BUDGET, Heading
from polytomy.report.facts.json_values import json_size, rounded
from polytomy.tree import column_importances

from .details import NodeDetails, detail_facts, within_budget
from .edits import edits_facts
from .nodes import Context, node_facts
from .pruning_path import path_facts
from .run import certificate_facts, growth_facts
from .target import Outcomes, TargetFacts


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Facts that come from rows rather than from the model.

    Parameters
    ----------
    test : array of shape (nodes, classes) or Outcomes, optional
        The weight of the test rows of each class at each node of ``model.kept``; for a numeric
        target, their outcomes.
    test_rows : int, default=0
        The number of test rows.
    details : iterable of (node, details), optional
        Details of the nodes, those with the most rows first. The iterable is consumed only as far
        as the page has room.
    note : str, optional
        A sentence for the page if the rows are not those the tree was grown on.
    training : Outcomes, optional
        The outcomes of the training rows, for a numeric target.
    reserved : int, default=0
        The bytes of the page that other facts take.
    """

    test: FloatArray | Outcomes | None = None
    test_rows: int = 0
    details: Iterable[tuple[int, NodeDetails]] | None = None
    note: str | None = None
    training: Outcomes | None = None
    reserved: int = 0


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
    about = TargetFacts.of(model, rows.test, rows.training)
    facts = Heading(__version__, title, target).facts("tree", about.tree_name)
    with (
        warnings.catch_warnings()
    ):  # about weights that are not case counts; the certificate says so
        warnings.simplefilter("ignore", UserWarning)
        facts |= _model_facts(model, rows, about)
    if rows.details is not None:
        facts |= _details(model, rows.details, PAGE_BUDGET - json_size(facts) - rows.reserved)
    if rows.note is not None:
        facts["rows_note"] = rows.note
    return facts


def _model_facts(model: Model, rows: Rows, target: TargetFacts) -> dict[str, Any]:
    schema = model.schema
    listing = categories_in_tree(model.kept, schema)
    shares = column_importances(model.kept, model.run.index, len(schema))
    held = rows.test if isinstance(rows.test, np.ndarray) else None
    path = path_facts(model.kept, target, held)
    return {
        **target.heading(),
        "weighted": not np.array_equal(target.weight, model.kept.rows),
        **({} if model.honesty is None else {"honesty": shares_note(model)}),
        **({"origin": sentences} if (sentences := describe_origin(model)) else {}),
        **edits_facts(model),
        **({} if model.costs is None else {"costs": describe_costs(model)}),
        "contracted": bool(model.contracted),
        "columns": column_facts(schema, shares, listing),
        "nodes": node_facts(Context(model, listing, target)),
        "path": path,
        "growth": growth_facts(model.certificate),
        "certificate": certificate_facts(model.certificate),
        "summary": _summary(model, rows, path, target),
        "text": text_of(model),
    }


def edited_facts(model: Model, target: str | None = None) -> dict[str, Any]:
    """Return the facts of a tree that is being edited: those that an edit can change.

    They are those of ``tree_facts`` without the curves of growth and the text, and with a pruning
    path of one size: the page of a tree that is edited shows the whole tree.

    Parameters
    ----------
    model : Model
        The tree, not contracted.
    target : str, optional
        The target's name.

    Returns
    -------
    dict
        Plain data, ready for JSON.
    """
    about, rows = TargetFacts.of(model, None, None), Rows()
    listing = categories_in_tree(model.kept, model.schema)
    shares = column_importances(model.kept, model.run.index, len(model.schema))
    path = {
        "sizes": [model.kept.n_leaves],
        "errors": [rounded(about.errors[model.kept.leaves()].sum())],
        "toggles": [[]],
        "choices": {},
        "total": rounded(about.weight[0]),
    }
    with warnings.catch_warnings():  # about weights that are not case counts
        warnings.simplefilter("ignore", UserWarning)
        return {
            **Heading(__version__, None, target).facts("tree", about.tree_name),
            **about.heading(),
            "weighted": not np.array_equal(about.weight, model.kept.rows),
            **({} if model.honesty is None else {"honesty": shares_note(model)}),
            **({} if model.origin is None else {"origin": describe_origin(model)}),
            "contracted": False,
            "columns": column_facts(model.schema, shares, listing),
            "nodes": node_facts(Context(model, listing, about)),
            "path": path,
            "growth": {
                "index": [rounded(model.certificate.index_curve[0])],
                "index_name": model.run.index.name,
            },
            "certificate": certificate_facts(model.certificate),
            "summary": _summary(model, rows, path, about),
        }


def _summary(
    model: Model, rows: Rows, path: Mapping[str, Any], target: TargetFacts
) -> dict[str, Any]:
    tree, rules = model.tree, model.run.rules
    leaves = tree.leaves()
    questions = np.average(tree.depth[leaves], weights=tree.rows[leaves])
    error, test_error = path["errors"][-1] / path["total"], None
    facts: dict[str, Any] = {
        "leaves": tree.n_leaves,
        "depth": int(tree.depth.max()),
        "questions": rounded(questions, 6),
        "train_rows": int(tree.rows[0]),
        "train_error": rounded(error),
        "procedure": rules.procedure,
        "index": model.run.index.name,
    }
    if rows.test is not None:
        test_error = path["test_errors"][-1] / path["test_total"]
        facts |= {"test_rows": rows.test_rows, "test_error": rounded(test_error)}
    facts |= target.summary(error, test_error)
    if rules.max_leaves is not None:
        facts["max_leaves"] = int(rules.max_leaves)
    if model.pruning is not None:
        facts["pruned_by"] = model.pruning.by
    return facts


def text_of(model: AnyModel) -> str:
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
    every = (
        (node, detail_facts(model.schema, one, is_numeric=model.is_numeric))
        for node, one in details
    )
    kept, complete = within_budget(every, max(room, LEAST_BUDGET))
    facts: dict[str, Any] = {"details": kept}
    if not complete:
        facts["details_note"] = (
            "Alternative splits and distributions are included only for the "
            f"{len(kept)} nodes with the most rows."
        )
    return facts
