"""The log of a tree that was edited by hand as a JSON value."""

from dataclasses import fields, replace
from typing import Any

from polytomy._errors import ParameterError, TreeError
from polytomy.certify import OPERATIONS, Cost, Edit, EditLog, Figures, Graft
from polytomy.encode import Schema
from polytomy.tree import Tree

from .node import Node
from .trees import from_tree, to_tree

_FIGURES = tuple(f.name for f in fields(Figures))
_STEP = tuple(f.name for f in fields(Edit))


def to_edits(log: EditLog, *, packed: bool = False) -> dict[str, Any]:
    """Return a log as a JSON value."""
    steps = [
        {
            "operation": step.operation,
            "node": int(step.node),
            "cost": {
                "gain_forgone": float(step.cost.gain_forgone),
                "before": _to_figures(step.cost.before),
                "after": _to_figures(step.cost.after),
            },
            "grafts": [
                {"node": int(g.node), "tree": to_tree(g.subtree, packed=packed)}
                for g in step.grafts
            ],
            "branches": [int(b) for b in step.branches],
            "label": None if step.label is None else int(step.label),
            "column": None if step.column is None else int(step.column),
            "is_searched": bool(step.is_searched),
            "reason": step.reason,
        }
        for step in log.steps
    ]
    start = to_tree(log.start, packed=packed)
    return {"start": start, "grown_by": log.grown_by, "steps": steps}


def from_edits(node: Node, schema: Schema, tree: Tree) -> EditLog:
    """Return the log that ``to_edits`` wrote; its steps must lead to the tree.

    Parameters
    ----------
    node : Node
        The JSON value.
    schema : Schema
        The columns.
    tree : Tree
        The edited tree, as it is stored: without classes that leaves were given by hand.
    """
    start, grown_by, steps = node.fields("start", "grown_by", "steps")
    first = from_tree(start, schema, tree.n_classes, tree.centre, costs=tree.costs)
    items = list(steps.items())
    log = EditLog(first, grown_by.text(), tuple(_from_step(item, schema, tree) for item in items))
    states = log.states()
    last = next(states)
    for item in items:
        try:
            last = next(states)
        except TreeError as error:
            item.fail(f"the step does not follow: {error}")
    if replace(last.tree, relabelled={}) != tree:
        node.fail("the steps do not lead to the tree of the model")
    return log


def _to_figures(figures: Figures) -> dict[str, Any]:
    held = {name: getattr(figures, name) for name in _FIGURES}
    return {n: v if v is None or n == "leaves" else float(v) for n, v in held.items()}


def _from_figures(node: Node) -> Figures:
    leaves, asked, index, error, bound, held_out = node.fields(*_FIGURES)
    held = None if held_out.value is None else held_out.number()
    numbers = asked.number(), index.number(), error.number(), bound.number()
    try:
        return Figures(leaves.whole(1), *numbers, held)
    except ParameterError as error:
        node.fail(str(error))


def _from_step(node: Node, schema: Schema, tree: Tree) -> Edit:
    operation, number, cost, grafts, branches, label, column, searched, reason = node.fields(*_STEP)
    forgone, before, after = cost.fields("gain_forgone", "before", "after")
    parts = []
    for item in grafts.items():
        at, part = item.fields("node", "tree")
        grafted = from_tree(part, schema, tree.n_classes, tree.centre, costs=tree.costs)
        parts.append(Graft(at.whole(0), grafted))
    try:
        return Edit(
            operation.word(OPERATIONS),
            number.whole(0),
            Cost(forgone.number(), _from_figures(before), _from_figures(after)),
            tuple(parts),
            tuple(branches.wholes(0).tolist()),
            None if label.value is None else label.whole(0, tree.n_classes - 1),
            None if column.value is None else column.whole(0, len(schema) - 1),
            searched.flag(),
            reason.text(),
        )
    except ParameterError as error:
        node.fail(str(error))
