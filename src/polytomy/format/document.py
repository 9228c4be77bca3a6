"""A model or an ensemble, and what its estimator adds, to a document of plain data and back."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from polytomy._types import AnyArray, IntArray
from polytomy.encode import Schema
from polytomy.ensemble import Ensemble
from polytomy.model import Model, Pruning

from .certificates import check_certificate, to_certificate
from .columns import from_columns, to_columns
from .ensembles import from_ensemble, to_ensemble
from .errors import refuse
from .node import Node
from .objects import Known
from .plain import array_of, from_plain, to_plain
from .runs import from_run, to_run
from .trees import from_tree, to_tree
from .versions import FORMAT

_HEAD = ("format", "library", "kind", "parameters", "fitted", "named_columns", "columns", "classes")
_TREE = (*_HEAD, "tree", "run", "pruning", "contracted", "held_out", "certificate")
_BOOSTED = (*_HEAD, "algorithm", "start", "members", "rounds", "certificate")


@dataclass(frozen=True, eq=False)
class Saved:
    """What a document holds.

    Parameters
    ----------
    model : Model or Ensemble
        What predicts.
    parameters : mapping
        The estimator's parameters.
    fitted : mapping
        What else the estimator knows since it was fitted, as plain values.
    named_columns : bool
        Whether the columns' names came with the table, or were made up for an array.
    library : str
        Who wrote it, such as ``"polytomy 0.1.0"``.
    held_out : ndarray or None
        The rows that were kept from growing, ascending; of a tree.
    rounds : mapping of lists, or None
        The figures of every round, by name; of an ensemble.
    certificate : mapping or None
        What an ensemble's certificate states; a model's own is worked out.
    """

    model: Model | Ensemble
    parameters: Mapping[str, Any]
    fitted: Mapping[str, Any] = field(default_factory=dict)
    named_columns: bool = False
    library: str = ""
    held_out: IntArray | None = None
    rounds: Mapping[str, list[Any]] | None = None
    certificate: Mapping[str, Any] | None = None


def to_document(saved: Saved, known: Known) -> dict[str, Any]:
    """Return a document of plain data, or refuse what cannot be one.

    Parameters
    ----------
    saved : Saved
        A model or an ensemble, and what belongs to it.
    known : mapping
        The dataclasses that may stand among the parameters, by name.
    """
    model = saved.model
    run = to_run(model.run, model.grown) if isinstance(model, Model) else None
    head = {
        "format": FORMAT,
        "library": saved.library,
        "kind": "tree" if isinstance(model, Model) else "boosted",
        "parameters": _to_values(saved.parameters, "parameter", known),
        "fitted": _to_values(saved.fitted, "fitted", known),
        "named_columns": bool(saved.named_columns),
        "columns": to_columns(model.schema),
        "classes": _to_classes(np.asarray(model.classes)),
    }
    if isinstance(model, Ensemble):
        rounds = {name: list(values) for name, values in (saved.rounds or {}).items()}
        stated = dict(saved.certificate or {})
        return {**head, **to_ensemble(model), "rounds": rounds, "certificate": stated}
    pruning = model.pruning
    return {
        **head,
        "tree": to_tree(model.grown),
        "run": run,
        "pruning": None if pruning is None else _to_pruning(pruning),
        "contracted": bool(model.contracted),
        "held_out": None if saved.held_out is None else saved.held_out.tolist(),
        "certificate": to_certificate(model.certificate),
    }


@np.errstate(all="ignore")  # what is no number in the end is refused, not warned of
def from_document(document: Mapping[str, Any], known: Known) -> Saved:
    """Return what a document holds, every part of it checked.

    Of an ensemble, ``rounds`` and ``certificate`` are left as they are, for a reader who knows
    what boosting is.
    """
    node = Node(document, "")
    node.member("format").whole(FORMAT, FORMAT)
    kind = node.member("kind").word(("tree", "boosted"))
    parts = _TREE if kind == "tree" else _BOOSTED
    held = dict(zip(parts, node.fields(*parts), strict=True))
    schema = from_columns(held["columns"])
    classes = _from_classes(held["classes"], known)
    common: dict[str, Any] = {
        "parameters": _from_values(held["parameters"], known),
        "fitted": _from_values(held["fitted"], known),
        "named_columns": held["named_columns"].flag(),
        "library": held["library"].text(),
    }
    if kind == "boosted":
        ensemble = from_ensemble(held, schema, classes)
        rounds, stated = held["rounds"].members(), held["certificate"].members()
        columns = {name: [item.value for item in part.items()] for name, part in rounds.items()}
        plain = {name: part.value for name, part in stated.items()}
        return Saved(ensemble, **common, rounds=columns, certificate=plain)
    model = _from_model(held, schema, classes)
    check_certificate(held["certificate"], model)
    return Saved(model, **common, held_out=_from_held_out(held["held_out"]))


def _from_model(held: dict[str, Node], schema: Schema, classes: AnyArray) -> Model:
    grown = from_tree(held["tree"], schema, len(classes))
    run = from_run(held["run"], grown)
    pruning = held["pruning"].optional()
    kept = None
    if pruning is not None:
        by, overgrown, tree = pruning.fields("by", "overgrown", "tree")
        size = None if overgrown.value is None else overgrown.whole(1)
        kept = Pruning(from_tree(tree, schema, len(classes)), by.text(), size)
        if kept.tree.n_leaves > grown.n_leaves:
            tree.fail("the pruned tree has more leaves than the grown one")
        if not np.allclose(kept.tree.counts[0], grown.counts[0], rtol=1e-9):
            tree.fail("the pruned tree does not hold the rows of the grown one")
    return Model(schema, grown, classes, run, held["contracted"].flag(), kept)


def _to_pruning(pruning: Pruning) -> dict[str, Any]:
    size = pruning.overgrown
    return {
        "by": pruning.by,
        "overgrown": None if size is None else int(size),
        "tree": to_tree(pruning.tree),
    }


def _to_values(values: Mapping[str, Any], what: str, known: Known) -> dict[str, Any]:
    return {name: to_plain(value, f"{what} {name}", known) for name, value in values.items()}


def _from_values(node: Node, known: Known) -> dict[str, Any]:
    return {name: from_plain(value, known) for name, value in node.members().items()}


def _to_classes(classes: AnyArray) -> dict[str, Any]:
    held: dict[str, Any] = to_plain(classes, "classes", {})
    return {"dtype": held["dtype"], "values": held["values"]}


def _from_classes(node: Node, known: Known) -> AnyArray:
    dtype, values = node.fields("dtype", "values")
    classes: AnyArray = array_of(dtype, values, known)
    if not 1 <= len(classes) <= 1 << 16:
        values.fail("there must be from 1 to 65536 classes")
    names = classes.tolist() if classes.dtype.kind != "M" else list(classes)
    for i, (one, next_one) in enumerate(pairwise(names)):
        try:
            ascends = bool(one < next_one)
            hash(one)
        except Exception:  # objects of all sorts
            ascends = False
        if not ascends:
            refuse(f"{values.place}[{i + 1}]", "the classes must be distinct and ascend")
    return classes


def _from_held_out(node: Node) -> IntArray | None:
    if node.value is None:
        return None
    rows = node.wholes(0, 2**32 - 1)
    if not len(rows) or not (np.diff(rows) > 0).all():
        node.fail("must be rows in ascending order, at least one")
    return rows
