"""A tree as JSON for people and other programs: what it asks, in words and in data, and counts.

This is not the model file: it cannot be loaded again, and says things in ways that read well.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from json import dumps
from math import isfinite
from typing import Any

import numpy as np

from polytomy.encode import ColumnSpec, NominalColumn
from polytomy.model import Model
from polytomy.table import Ranks, Times
from polytomy.tree import INTERVALS

from .branch_test import OneOf, branch_test, plain_value
from .captions import captions

_DEEPEST = 60  # steps inwards; the lines of deeper nodes would be mostly blank


def to_json(model: Model, nested: bool = True, indent: int = 1) -> str:
    """Return a model's tree as JSON.

    Parameters
    ----------
    model : Model
        What to write.
    nested : bool
        Write a node's children inside it, under ``"tree"``. If False, write all nodes one after the
        other under ``"nodes"``, where ``"child"`` is the place of a node: most readers of JSON
        cannot take trees that are hundreds of questions deep any other way.
    indent : int
        Blanks for each step inwards.

    Examples
    --------
    >>> from json import loads
    >>> from sklearn.datasets import load_iris
    >>> from polytomy import TreeClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> data = loads(to_json(TreeClassifier(max_leaves=2).fit(X, y)._model))
    >>> data["tree"]["question"]
    {'kind': 'ranges', 'column': 'petal length (cm)'}
    >>> data["tree"]["branches"][0]["answer"], data["tree"]["branches"][0]["at_most"]
    ('petal length (cm) <= 2.45', 2.45)
    >>> data["tree"]["branches"][0]["node"]["prediction"]
    0
    """
    head = {"classes": _classes(model), "columns": [_column(spec) for spec in model.schema]}
    opening = dumps(head, indent=indent, ensure_ascii=False)[: -len("\n}")]
    blank = " " * indent
    nodes = list(_nodes(model))
    if nested:
        return f'{opening},\n{blank}"tree": {"".join(_nested(nodes, blank))}\n}}\n'
    depths = model.tree.depth.tolist()
    listed = f",\n{blank * 2}".join(
        dumps({"id": v, "depth": depths[v], **node.flat()}, ensure_ascii=False)
        for v, node in enumerate(nodes)
    )
    return f'{opening},\n{blank}"nodes": [\n{blank * 2}{listed}\n{blank}]\n}}\n'


@dataclass(frozen=True, slots=True)
class _Node:
    """What is known of one node, and its branches, in words and in data, with their children."""

    facts: dict[str, Any]
    branches: list[tuple[dict[str, Any], int]]

    def flat(self) -> dict[str, Any]:
        """Return the node with the places of its children."""
        if not self.branches:
            return self.facts
        return {**self.facts, "branches": [{**b, "child": child} for b, child in self.branches]}


def _nested(nodes: list[_Node], blank: str) -> Iterator[str]:
    """Yield the text of the root, with all below it; a stack holds what is still to be written."""
    waiting: list[str | tuple[int, int]] = [(0, 1)]
    while waiting:
        step = waiting.pop()
        if isinstance(step, str):
            yield step
            continue
        node, level = nodes[step[0]], step[1]
        yield dumps(node.facts, ensure_ascii=False)[:-1]
        if not node.branches:
            yield "}"
            continue
        margin = "\n" + blank * min(level + 1, _DEEPEST)
        then: list[str | tuple[int, int]] = [f',{margin}"branches": [']
        for i, (branch, child) in enumerate(node.branches):
            start = dumps(branch, ensure_ascii=False)[:-1]
            then += [f'{"," if i else ""}{margin}{blank}{start}, "node": ', (child, level + 2), "}"]
        then.append("]}")
        waiting += reversed(then)


def _nodes(model: Model) -> Iterator[_Node]:
    classes, tree = _classes(model), model.tree
    for node, said in enumerate(captions(model)):
        facts: dict[str, Any] = {
            "prediction": classes[tree.label[node]],
            "share": said.share.share,
            "interval": [said.share.low, said.share.high],
            "rows": said.rows,
            "weights": [_number(w) for w in tree.counts[node].tolist()],
        }
        if said.asked:
            facts["question"] = _question(model, node, said.asked)
        own = node in tree.own
        children = zip(said.answers, tree.children(node).tolist(), strict=True)
        branches = [
            ({"answer": words, **({} if own else _test(model, node, branch))}, child)
            for branch, (words, child) in enumerate(children)
        ]
        yield _Node(facts, branches)


def _question(model: Model, node: int, asked: str) -> dict[str, Any]:
    if node in model.tree.own:
        return {"kind": "own", "own_kind": model.tree.own[node].kind, "asked": asked}
    kind = "ranges" if model.tree.kind[node] == INTERVALS else "categories"
    return {"kind": kind, "column": model.schema[int(model.tree.feature[node])].name}


def _classes(model: Model) -> list[Any]:
    return [_plain(c) for c in np.asarray(model.classes).tolist()]


def _test(model: Model, node: int, branch: int) -> dict[str, Any]:
    test = branch_test(model, node, branch)
    if isinstance(test, OneOf):
        listed = [_plain(v) for v in test.values]
        return {"one_of" if test.inside else "none_of": listed, "missing": test.missing}
    if not test.present:
        return {"known": False, "missing": test.missing}
    ends = {"above": test.low, "at_most": test.high}
    bounds = {name: _number(x) for name, x in ends.items() if x is not None}
    return {**bounds, "missing": test.missing}


def _column(spec: ColumnSpec) -> dict[str, Any]:
    if isinstance(spec, NominalColumn):
        return {"name": spec.name, "kind": "categories"}
    if isinstance(spec.scale, Times):
        scale = {"dtype": spec.scale.dtype, "zone": spec.scale.zone}
        return {"name": spec.name, "kind": "times", **scale}
    if isinstance(spec.scale, Ranks):
        return {
            "name": spec.name,
            "kind": "labels",
            "labels": [_plain(x) for x in spec.scale.labels],
        }
    return {"name": spec.name, "kind": "numbers"}


def _number(x: float) -> float | int | str:
    """Return a whole number as such, and an infinite one, which JSON has not, in words."""
    if not isfinite(x):
        return str(x)
    return int(x) if x == int(x) and abs(x) < 2**53 else x


def _plain(value: Any) -> Any:
    plain = plain_value(value)
    return plain if isinstance(plain, str | int | float | bool) else str(plain)
