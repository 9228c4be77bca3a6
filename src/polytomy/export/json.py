"""A tree as JSON for other programs: splits in words and as data, counts and shares.

This is not the model file: polytomy cannot load it again.
"""

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from functools import partial
from json import dumps
from math import isfinite, isnan
from typing import Any

import numpy as np

from polytomy.density import DensityModel
from polytomy.encode import ColumnSpec, NominalColumn
from polytomy.model import Model
from polytomy.table import Ranks, Times
from polytomy.tree import INTERVALS

from .code.conditions import OneOf, branch_condition, plain_value
from .phrasing import (
    AnyModel,
    captions,
    describe_costs,
    describe_origin,
    log_entry,
    node_density,
    node_mean,
    node_share,
)

_DEEPEST = 60  # levels of indentation; deeper nodes are not indented further


def to_json(model: AnyModel, nested: bool = True, indent: int = 1) -> str:
    """Return a model's tree as JSON.

    ``"share"`` is the share of the predicted class to expect of new rows, ``"interval"`` its 95 %
    interval, and ``"training_share"`` its share of the training rows, whose ``"weights"`` are by
    class and without class weights. Without honest shares the two shares are the same.

    For a numeric target there are no ``"classes"``. ``"prediction"`` is the mean to expect of new
    rows, ``"interval"`` its 95 % interval, and ``"training_mean"`` and ``"deviation"`` are the mean
    and the standard deviation of the training rows, whose ``"weight"`` is one number.

    A node of a density tree has its ``"share"`` of the rows, its ``"density"`` and
    ``"log_density"``, and ``"relative"``, the density as a multiple of the mean.

    A tree that was found with a teacher, by search or by polishing has an ``"origin"``: what
    ``polytomy.model.Origin`` holds, the ``"expected_error"`` and the ``"training_error"`` of the
    tree, and the ``"text"`` that says so. One that was edited by hand also has the ``"edits"``.

    Parameters
    ----------
    model : Model or DensityModel
        The model to export.
    nested : bool, default=True
        Whether nodes contain their children, under ``"tree"``. If False, ``"nodes"`` lists all
        nodes, and ``"child"`` is the position of a node in the list; most JSON parsers cannot read
        trees hundreds of levels deep in the nested form.
    indent : int, default=1
        Number of spaces per level.

    Returns
    -------
    str
        The JSON document.

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
    classes = {}
    if not isinstance(model, DensityModel) and not model.is_numeric:
        classes = {"classes": _classes(model)}
    origin = {**_origin(model), **_costs(model)}
    head = {**classes, **origin, "columns": [_column(spec) for spec in model.schema]}
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


def _origin(model: AnyModel) -> dict[str, Any]:
    """Return the origin of a tree as a member of the document; none for a tree that was grown."""
    if isinstance(model, DensityModel) or model.origin is None:
        return {}
    facts, log = asdict(replace(model.origin, edits=None)), model.origin.edits
    if log is None:
        del facts["edits"]
    else:
        facts["edits"] = [log_entry(step, model.schema, model.classes) for step in log.steps]
    if facts["lesson"] is not None and isnan(facts["lesson"]["fidelity"]):
        facts["lesson"]["fidelity"] = None
    errors = {"expected_error": model.expected_error, "training_error": model.training_error}
    return {"origin": {**facts, **errors, "text": describe_origin(model)}}


def _costs(model: AnyModel) -> dict[str, Any]:
    """Return the costs of mistakes as a member of the document; none for a tree without costs."""
    if isinstance(model, DensityModel) or model.costs is None:
        return {}
    means = {"expected_cost": model.expected_cost, "training_cost": model.training_cost}
    matrix = model.costs.matrix.tolist()
    return {"costs": {"matrix": matrix, **means, "text": describe_costs(model)}}


@dataclass(frozen=True, slots=True)
class _Node:
    """The facts of one node, and its branches as words and data, each with its child."""

    facts: dict[str, Any]
    branches: list[tuple[dict[str, Any], int]]

    def flat(self) -> dict[str, Any]:
        """Return the facts of the node with the positions of its children."""
        if not self.branches:
            return self.facts
        return {**self.facts, "branches": [{**b, "child": child} for b, child in self.branches]}


def _nested(nodes: list[_Node], blank: str) -> Iterator[str]:
    """Yield the parts of the nested document; a stack holds those still to be written."""
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


def _nodes(model: AnyModel) -> Iterator[_Node]:
    tree = model.tree
    facts_of = _facts_of(model)
    for node, caption in enumerate(captions(model)):
        facts = facts_of(node)
        if caption.title:
            facts["question"] = _split(model, node, caption.title)
        own = node in tree.own
        children = zip(caption.branches, tree.children(node).tolist(), strict=True)
        branches = [
            ({"answer": words, **({} if own else _condition(model, node, branch))}, child)
            for branch, (words, child) in enumerate(children)
        ]
        yield _Node(facts, branches)


def _facts_of(model: AnyModel) -> Callable[[int], dict[str, Any]]:
    """Return the function that describes what a node predicts."""
    if isinstance(model, DensityModel):
        return partial(_density, model)
    return partial(_mean, model) if model.is_numeric else partial(_share, model, _classes(model))


def _density(model: DensityModel, node: int) -> dict[str, Any]:
    box = node_density(model, node)
    return {
        "share": box.share,
        "density": _number(box.density),
        "log_density": _number(float(model.log_density[node])),
        "relative": _number(box.relative),
        "rows": int(model.tree.rows[node]),
        "weight": _number(float(model.tree.counts[node, 0])),
    }


def _share(model: Model, classes: list[Any], node: int) -> dict[str, Any]:
    share = node_share(model, node)
    return {
        "prediction": classes[model.tree.label[node]],
        "share": share.share,
        "interval": [share.low, share.high],
        "training_share": share.training,
        "rows": int(model.tree.rows[node]),
        "weights": [_number(w) for w in model.case_counts[node].tolist()],
    }


def _mean(model: Model, node: int) -> dict[str, Any]:
    mean = node_mean(model, node)
    return {
        "prediction": mean.mean,
        "interval": [mean.low, mean.high],
        "training_mean": mean.training,
        "deviation": mean.deviation,
        "rows": int(model.tree.rows[node]),
        "weight": _number(mean.weight),
    }


def _split(model: AnyModel, node: int, title: str) -> dict[str, Any]:
    if node in model.tree.own:
        return {"kind": "own", "own_kind": model.tree.own[node].kind, "asked": title}
    kind = "ranges" if model.tree.kind[node] == INTERVALS else "categories"
    return {"kind": kind, "column": model.schema[int(model.tree.feature[node])].name}


def _classes(model: Model) -> list[Any]:
    return [_plain(c) for c in np.asarray(model.classes).tolist()]


def _condition(model: AnyModel, node: int, branch: int) -> dict[str, Any]:
    condition = branch_condition(model, node, branch)
    if isinstance(condition, OneOf):
        listed = [_plain(v) for v in condition.values]
        return {"one_of" if condition.inside else "none_of": listed, "missing": condition.missing}
    if not condition.present:
        return {"known": False, "missing": condition.missing}
    ends = {"above": condition.low, "at_most": condition.high}
    bounds = {name: _number(x) for name, x in ends.items() if x is not None}
    return {**bounds, "missing": condition.missing}


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
    """Return integers as int, and infinities, which JSON does not have, as text."""
    if not isfinite(x):
        return str(x)
    return int(x) if x == int(x) and abs(x) < 2**53 else x


def _plain(value: Any) -> Any:
    plain = plain_value(value)
    return plain if isinstance(plain, str | int | float | bool) else str(plain)
