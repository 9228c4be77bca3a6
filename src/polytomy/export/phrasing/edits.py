"""The edits of a tree in words and as plain data."""

from dataclasses import asdict
from typing import Any

import numpy as np

from polytomy._text import class_title, count, one_line
from polytomy._types import AnyArray
from polytomy.certify import Edit
from polytomy.encode import NominalColumn, OrderedColumn, Schema
from polytomy.table import Ranks, Times
from polytomy.tree import CategorySplit, IntervalSplit, NodeSplit

from .captions import describe_branches


def log_entry(edit: Edit, schema: Schema, classes: AnyArray) -> dict[str, Any]:
    """Return a step as plain data: text, numbers, lists and dictionaries.

    Parameters
    ----------
    edit : Edit
        The step.
    schema : Schema
        The columns.
    classes : array
        The classes.

    Returns
    -------
    dict
        ``operation``, ``node``, what belongs to the operation, ``reason``, ``cost`` and ``text``.
    """
    facts: dict[str, Any] = {"operation": edit.operation, "node": int(edit.node)}
    if edit.operation == "split":
        split = edit.grafts[0].subtree.split(0)
        assert isinstance(split, IntervalSplit | CategorySplit)
        spec = schema[split.feature]
        facts["column"] = spec.name
        thresholds, groups, missing = arguments_of(split, spec)
        if thresholds is not None:
            facts |= {"thresholds": list(map(_plain, thresholds)), "missing": missing}
        else:
            facts["groups"] = [list(map(_plain, group)) for group in groups or ()]
        facts["searched"] = edit.is_searched
    elif edit.operation == "merge":
        facts["branches"] = list(edit.branches)
    elif edit.operation == "regrow":
        facts["leaves"] = edit.grafts[0].subtree.n_leaves
    elif edit.label is not None:
        facts["class"] = _plain(classes[edit.label])
    elif edit.column is not None:
        facts |= {"column": schema[edit.column].name, "regrown": [int(g.node) for g in edit.grafts]}
    cost = {
        "gain_forgone": edit.cost.gain_forgone,
        "before": asdict(edit.cost.before),
        "after": asdict(edit.cost.after),
    }
    return {**facts, "reason": edit.reason, "cost": cost, "text": edit_text(edit, schema, classes)}


def edit_text(edit: Edit, schema: Schema, classes: AnyArray) -> str:
    """Return a step in words."""
    node = edit.node
    if edit.operation == "split":
        split = edit.grafts[0].subtree.split(0)
        assert split is not None
        text = f"split node {node}: {' | '.join(describe_branches(split, schema, 32))}"
    elif edit.operation == "merge":
        branches = " and ".join(map(str, edit.branches))
        text = f"merge branches {branches} of node {node}"
    elif edit.operation == "regrow":
        leaves = count(edit.grafts[0].subtree.n_leaves, "leaf", "leaves")
        text = f"regrow node {node} with {leaves}"
    elif edit.label is not None:
        text = f"relabel node {node} as {class_title(one_line(classes[edit.label]))}"
    elif edit.column is not None:
        column = one_line(schema[edit.column].name)
        regrown = f", {count(len(edit.grafts), 'node')} regrown" if edit.grafts else ""
        text = f"ban column {column} below node {node}{regrown}"
    else:
        text = f"{edit.operation} node {node}"
    return text + (f" ({one_line(edit.reason)})" if edit.reason else "")


def arguments_of(
    split: NodeSplit, spec: OrderedColumn | NominalColumn
) -> tuple[tuple[Any, ...] | None, tuple[tuple[Any, ...], ...] | None, Any]:
    """Return a split as the arguments ``thresholds``, ``groups`` and ``missing`` of ``split``."""
    if isinstance(split, IntervalSplit):
        assert isinstance(spec, OrderedColumn)
        ranges, missing = len(split.thresholds) + 1, split.missing_branch
        place = None if missing < 0 else "own" if missing >= ranges else missing
        return tuple(_threshold(spec, t) for t in split.thresholds.tolist()), None, place
    assert isinstance(split, CategorySplit)
    assert isinstance(spec, NominalColumn)
    groups: list[list[Any]] = [[] for _ in range(split.arity)]
    for category, branch in zip(spec.categories, split.code_to_branch.tolist(), strict=False):
        if branch >= 0:
            groups[branch].append(category)
    if split.missing_branch >= 0:
        groups[split.missing_branch].append(None)
    return None, tuple(map(tuple, groups)), None


def _threshold(spec: OrderedColumn, value: float) -> Any:
    """Return a threshold in the column's own values; half a tick of a time is a number."""
    scale = spec.scale
    if isinstance(scale, Times) and value == round(value):
        return scale.at(value)
    if isinstance(scale, Ranks) and (value - 0.5).is_integer() and 0 <= value < len(scale.labels):
        return scale.labels[int(value - 0.5)]
    return value


def _plain(value: Any) -> Any:
    """Return a value that JSON can hold."""
    if isinstance(value, np.generic) and not isinstance(value, np.datetime64 | np.timedelta64):
        value = value.item()
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)
