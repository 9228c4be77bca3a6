"""Fitted models as documents: a model or an ensemble together with its estimator's facts."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from itertools import pairwise
from math import frexp, isfinite
from typing import Any, TypeVar

import numpy as np

from polytomy._errors import ModelFormatError, ParameterError, PolytomyError, TreeError
from polytomy._types import AnyArray, FloatArray, IntArray
from polytomy.certify.verify import Ledger, check_derivation, check_raised
from polytomy.costs import Costs
from polytomy.density import DensityModel
from polytomy.encode import Schema
from polytomy.ensemble import FOREST, Ensemble, Member, VoteScale, means_member, shares_member
from polytomy.honesty import Honesty
from polytomy.index import index_of_moments
from polytomy.io import TrainingRecord
from polytomy.model import Model, Pruning
from polytomy.theory import Prices
from polytomy.tree import Tree, count_tolerance

from .files import FORMAT, load_document, read_bytes
from .memory import from_training, to_training
from .node import Node, plain_numbers, refuse, shown
from .runs import check_certificate, from_origin, from_run, to_certificate, to_origin, to_run
from .schema import from_columns, to_columns
from .trees import are_large, from_members, from_tree, to_member, to_tree
from .values import Known, array_of, from_plain, to_plain

_HEAD = ("format", "library", "kind", "parameters", "fitted", "named_columns", "columns")
_GROWN = ("tree", "run", "pruning", "contracted", "held_out", "certificate")
_MEMBERS = {
    "tree": (*_HEAD, "classes", *_GROWN, "class_factors", "honesty", "origin"),
    "regression-tree": (*_HEAD, "centre", *_GROWN, "honesty", "origin"),
    "boosted": (*_HEAD, "classes", "algorithm", "start", "members", "rounds", "certificate"),
    "forest": (*_HEAD, "classes", "members"),
    "regression-forest": (*_HEAD, "centre", "unit", "members"),
    "density": (*_HEAD, "missing_odds", "smoothing", "tree"),
}
"""The members of the document of each kind of model."""
_FORMAT_2 = {
    kind: tuple(name for name in members if name != "origin") for kind, members in _MEMBERS.items()
}
_FORMAT_1 = {"tree": (*_HEAD, "classes", *_GROWN), "boosted": _MEMBERS["boosted"]}
_MEMBERS_OF = {1: _FORMAT_1, 2: _FORMAT_2, FORMAT: _MEMBERS}
_HONESTY = tuple(f.name for f in fields(Honesty))
_WHOLE = ("folds", "leaves", "covered", "mark")
CHECKPOINT = "checkpoint"  # the ``kind`` of a checkpoint's document, see polytomy.boost

_Made = TypeVar("_Made")


@dataclass(frozen=True, eq=False)
class Saved:
    """The content of a model file.

    Parameters
    ----------
    model : Model, Ensemble or DensityModel
        The tree model, the trees of a boosted model or a forest, or the density tree.
    parameters : mapping
        The estimator's parameters.
    fitted : mapping, default={}
        The estimator's other fitted state, as plain values.
    named_columns : bool, default=False
        Whether the column names came with the table, rather than being generated for an array.
    library : str, default=""
        The library and version that wrote the file, such as ``"polytomy 0.1.0"``.
    held_out : ndarray, default=None
        For a tree: the row numbers that were held out from growing, in ascending order.
    rounds : mapping of lists, default=None
        For an ensemble: the record of every round, by field.
    certificate : mapping, default=None
        For an ensemble: the statements of its certificate. That of a tree is computed.
    training : TrainingRecord, default=None
        What is remembered of the training data.
    """

    model: Model | Ensemble | DensityModel
    parameters: Mapping[str, Any]
    fitted: Mapping[str, Any] = field(default_factory=dict)
    named_columns: bool = False
    library: str = ""
    held_out: IntArray | None = None
    rounds: Mapping[str, list[Any]] | None = None
    certificate: Mapping[str, Any] | None = None
    training: TrainingRecord | None = None

    @property
    def kind(self) -> str:
        """The kind of the model file, such as "tree" or "regression-forest"."""
        if isinstance(self.model, DensityModel):
            return "density"
        if isinstance(self.model, Ensemble) and not self.model.is_forest:
            return "boosted"
        kind = "forest" if isinstance(self.model, Ensemble) else "tree"
        return f"regression-{kind}" if self.model.is_numeric else kind


def to_document(saved: Saved, known: Known) -> dict[str, Any]:
    """Return the document of a fitted model, or raise an error if it cannot be stored.

    Parameters
    ----------
    saved : Saved
        The model and its estimator's facts.
    known : mapping
        The dataclasses that parameters may hold, by name.
    """
    model = saved.model
    run = to_run(model.run, model.grown) if isinstance(model, Model) else None
    if isinstance(model, Model) and model.run.found != (model.origin is not None):
        refuse("origin", "trees that were found have an origin, and those that were grown do not")
    head = {
        "format": FORMAT,
        "library": saved.library,
        "kind": saved.kind,
        "parameters": _to_values(saved.parameters, "parameter", known),
        "fitted": _to_values(saved.fitted, "fitted", known),
        "named_columns": bool(saved.named_columns),
        "columns": to_columns(model.schema),
        **({} if saved.training is None else {"training": to_training(saved.training)}),
    }
    packed = are_large(_trees(model))
    if isinstance(model, DensityModel):
        return {
            **head,
            "missing_odds": plain_numbers(np.array(model.missing_odds)),
            "smoothing": float(model.prior),
            "tree": to_tree(model.tree, packed=packed),
        }
    classes = {"classes": _to_classes(np.asarray(model.classes))}
    if isinstance(model, Ensemble) and model.is_forest:  # leaves vote with their shares or means
        scale = model.scale
        target = classes if scale is None else {"centre": scale.centre, "unit": scale.unit}
        trees = [to_tree(member.tree, packed=packed) for member in model.members]
        return {**head, **target, "members": trees}
    if isinstance(model, Ensemble):
        rounds = {name: list(values) for name, values in (saved.rounds or {}).items()}
        stated = dict(saved.certificate or {})
        return {
            **head,
            **classes,
            "algorithm": model.algorithm,
            "start": plain_numbers(model.start),
            "members": [to_member(member, packed=packed) for member in model.members],
            "rounds": rounds,
            "certificate": stated,
        }
    pruning, factors = model.pruning, model.class_factors
    assert model.kept.centre == model.grown.centre  # it is stored once
    weighed: dict[str, Any] = {"class_factors": None if factors is None else plain_numbers(factors)}
    if model.costs is not None:
        weighed["costs"] = _to_costs(model.costs)
    return {
        **head,
        **({"centre": model.grown.centre} if model.is_numeric else classes),
        "tree": to_tree(model.grown, packed=packed),
        "run": run,
        "pruning": None if pruning is None else _to_pruning(pruning, packed=packed),
        "contracted": bool(model.contracted),
        "held_out": None if saved.held_out is None else saved.held_out.tolist(),
        "certificate": to_certificate(model.certificate),
        **({} if model.is_numeric else weighed),
        "honesty": None if model.honesty is None else _to_honesty(model.honesty),
        "origin": None if model.origin is None else to_origin(model.origin, packed=packed),
    }


def _trees(model: Model | Ensemble | DensityModel) -> list[Tree]:
    """Return the trees of a document that may be large."""
    if isinstance(model, Ensemble):
        return [member.tree for member in model.members]
    if isinstance(model, DensityModel):
        return [model.tree]
    return [model.grown, *([] if model.pruning is None else [model.pruning.tree])]


@np.errstate(all="ignore")  # invalid numbers raise errors, not warnings
def from_document(document: Mapping[str, Any], known: Known) -> Saved:
    """Return the content of a document after checking every part of it.

    The ``rounds`` and the ``certificate`` of an ensemble are returned unchecked: this package does
    not know about boosting.
    """
    node = Node(document, "")
    number = node.member("format").whole(1, FORMAT)
    if node.member("kind").value == CHECKPOINT:
        refuse("", "the file is a checkpoint of a boosting run, not a model file")
    members = _MEMBERS_OF[number]
    kind = node.member("kind").text()
    if kind not in members:
        refuse(
            "kind",
            f"must be one of {', '.join(members)}; not {shown(kind)}, which a newer version of "
            "polytomy may read",
        )
    names = members[kind]
    if number == FORMAT and "training" in node.members():
        names = (*names, "training")
    if kind == "tree" and number == FORMAT and "costs" in document:
        names = (*names, "costs")  # only written if mistakes have costs
    held = dict(zip(names, node.fields(*names), strict=True))
    schema = from_columns(held["columns"])
    classes = _from_classes(held["classes"], known) if "classes" in held else np.empty(0)
    common: dict[str, Any] = {
        "parameters": _from_values(held["parameters"], known),
        "fitted": _from_values(held["fitted"], known),
        "named_columns": held["named_columns"].flag(),
        "library": held["library"].text(),
        "training": from_training(held["training"]) if "training" in held else None,
    }
    if kind == "density":
        return Saved(_from_density(held, schema), **common)
    if kind == "boosted":
        ensemble = _from_ensemble(held, schema, classes)
        rounds, stated = held["rounds"].members(), held["certificate"].members()
        columns = {name: [item.value for item in part.items()] for name, part in rounds.items()}
        plain = {name: part.value for name, part in stated.items()}
        return Saved(ensemble, **common, rounds=columns, certificate=plain)
    if kind in ("forest", "regression-forest"):
        return Saved(_from_forest(held, schema, classes), **common)
    if number == 1:  # written before shares could be honest
        common["parameters"] = {"honest": False, **common["parameters"]}
    model = _from_model(held, schema, classes)
    check_certificate(held["certificate"], model, words=number == FORMAT)
    return Saved(model, **common, held_out=_from_held_out(held["held_out"]))


def load_saved(data: bytes, known: Known, make: Callable[[Saved], _Made]) -> _Made:
    """Return ``make(saved)`` for the model in the bytes of a model file."""
    return load_document(data, lambda document: make(from_document(document, known)))


def load_file(path: Any, known: Known, make: Callable[[Saved], _Made]) -> _Made:
    """Return ``make(saved)`` for a model file; errors begin with its path."""
    try:
        return load_saved(read_bytes(path), known, make)
    except ModelFormatError as error:
        raise ModelFormatError(f"{path}: {error}") from error.__cause__


def _from_ensemble(held: dict[str, Node], schema: Schema, classes: AnyArray) -> Ensemble:
    if len(classes) < 2:
        held["classes"].fail("a boosted model has at least two classes")
    start = held["start"].numbers()
    members = from_members(held["members"], schema, len(start))
    try:
        ensemble = Ensemble(schema, classes, members, start, held["algorithm"].text())
    except PolytomyError as error:
        held["start"].fail(str(error))
    if not isfinite(ensemble.reach):
        held["members"].fail("the votes add up to more than a 64-bit float can hold")
    return ensemble


def _from_forest(held: dict[str, Node], schema: Schema, classes: AnyArray) -> Ensemble:
    scale = _from_vote_scale(held) if "centre" in held else None
    members: list[Member] = []
    for item in held["members"].items():
        if scale is None:
            members.append(shares_member(from_tree(item, schema, len(classes))))
            continue
        known = members[0].tree.n_classes if members else None
        tree = from_tree(item, schema, known, scale.centre)
        try:
            members.append(means_member(tree, scale))
        except PolytomyError as error:
            item.fail(str(error))
    if not members:
        held["members"].fail("a forest has at least one tree")
    start = np.zeros(len(classes) if scale is None else 1)
    return Ensemble(schema, classes, tuple(members), start, FOREST, scale)


def _from_vote_scale(held: dict[str, Node]) -> VoteScale:
    scale = VoteScale(held["centre"].number(), held["unit"].number())
    if not (scale.unit > 0 and frexp(scale.unit)[0] == 0.5):
        held["unit"].fail("must be a power of two")
    return scale


def _from_model(held: dict[str, Node], schema: Schema, classes: AnyArray) -> Model:
    centre = held["centre"].number() if "centre" in held else None
    costs = None if "costs" not in held else _from_costs(held["costs"], len(classes))
    relative = None if costs is None else costs.relative
    grown = from_tree(held["tree"], schema, len(classes) or None, centre, costs=relative)
    origin = None if "origin" not in held else from_origin(held["origin"], grown, schema)
    run = from_run(held["run"], grown, len(schema), found=origin is not None)
    if grown.is_numeric and run.index is not (fits := index_of_moments(grown.counts)):
        refuse("run.index", f"is {run.index.name}, but the moments are those of {fits.name}")
    pruning = held["pruning"].optional()
    kept = None
    if pruning is not None:
        # Format 1 has no prices.
        names = ("by", "overgrown", "tree", *(("prices",) if "honesty" in held else ()))
        by, overgrown, tree, *prices = pruning.fields(*names)
        size = None if overgrown.value is None else overgrown.whole(1)
        at = _from_prices(prices[0], len(schema)) if prices else None
        cut = from_tree(tree, schema, grown.n_classes, centre, costs=relative)
        kept = Pruning(cut, by.text(), size, at)
        if at is not None and size is None:
            overgrown.fail("must be the budget of leaves, because there are prices")
        most = size if kept.is_refined and size is not None else grown.n_leaves
        if kept.tree.n_leaves > most:
            tree.fail(f"the pruned tree has {kept.tree.n_leaves} leaves, more than {most}")
        apart = np.abs(kept.tree.counts[0] - grown.counts[0])
        if not (apart <= count_tolerance(grown)).all():
            tree.fail("the pruned tree has other training rows than the grown one")
        if not kept.is_refined:
            _check_kept(tree, kept, grown)
    return Model(
        schema,
        grown,
        classes,
        run,
        held["contracted"].flag(),
        kept,
        _from_factors(held.get("class_factors"), run.weighting, len(classes)),
        _from_honesty(held.get("honesty")),
        origin,
        costs,
    )


def _check_kept(node: Node, kept: Pruning, grown: Tree) -> None:
    """Refuse a kept tree that does not follow from the grown one."""
    ledger = Ledger()
    try:
        if kept.may_raise:
            check_raised(ledger, kept.tree, grown)
        else:
            check_derivation(ledger, kept.tree, grown)
    except TreeError as error:
        node.fail(str(error))
    findings = ledger.report().findings
    if findings:
        node.fail(f"is no pruning of the grown tree: {findings[0].what}")


def _from_density(held: dict[str, Node], schema: Schema) -> DensityModel:
    tree = from_tree(held["tree"], schema, 1, fewest_rows=0)
    odds = held["missing_odds"].numbers(len(schema))
    for at, (spec, value) in enumerate(zip(schema, odds.tolist(), strict=True)):
        if value < 0 or (spec.has_missing and value == 0):
            refuse(f"missing_odds[{at}]", "must be positive")
    prior = held["smoothing"].number()
    if prior < 0:
        held["smoothing"].fail("must not be negative")
    if tree.own:
        held["tree"].fail("a density tree has no user-defined splits")
    model = DensityModel(schema, tuple(odds.tolist()), tree, prior)
    if not all(inside.any() for box in model.boxes.inside for inside in box):
        held["tree"].fail("a box holds no value of a column")
    return model


def _from_factors(node: Node | None, weighting: str, n_classes: int) -> FloatArray | None:
    of_classes = weighting in ("classes", "costs")
    if node is None or node.value is None:
        if node is not None and of_classes:
            node.fail("must list the weights of the classes")
        return None
    if not of_classes:
        node.fail("must be null, because the classes have no weights")
    factors = node.numbers(n_classes)
    if not (factors >= 0).all() or not (factors > 0).any():
        node.fail("must not be negative, nor all 0")
    return factors


def _to_costs(costs: Costs) -> dict[str, Any]:
    return {"matrix": [plain_numbers(row) for row in costs.matrix], "scale": costs.scale}


def _from_costs(node: Node, n_classes: int) -> Costs:
    matrix, scale = node.fields("matrix", "scale")
    rows = np.array([row.numbers(n_classes) for row in matrix.items(n_classes)])
    if len(rows) != n_classes:
        matrix.fail("must have a row for each class")
    try:
        costs = Costs.of(rows, np.arange(n_classes))
    except ParameterError as error:
        matrix.fail(str(error))
    costs = replace(costs, scale=scale.number())
    if not (costs.scale > 0 and np.isfinite(costs.factors).all() and (costs.factors > 0).all()):
        scale.fail("must be positive, and so must the weights of the classes")
    return costs


def _to_honesty(honesty: Honesty) -> dict[str, Any]:
    values = {name: getattr(honesty, name) for name in _HONESTY}
    return {name: value for name, value in values.items() if name != "mark" or value}


def _from_honesty(node: Node | None) -> Honesty | None:
    if node is None or node.value is None:
        return None
    names = tuple(n for n in _HONESTY if n != "mark" or n in node.members())  # of earlier versions
    parts = dict(zip(names, node.fields(*names), strict=True))
    try:
        values: dict[str, Any] = {
            name: part.whole(0) if name in _WHOLE else part.number() for name, part in parts.items()
        }
        return Honesty(**values)
    except ParameterError as error:
        node.fail(str(error))


def _from_prices(node: Node, n_columns: int) -> Prices | None:
    if node.value is None:
        return None
    optional = ("columns",) if "columns" in node.members() else ()
    leaf, question, *rest = node.fields("leaf", "question", *optional)
    columns = tuple(rest[0].numbers(n_columns).tolist()) if rest else ()
    prices = Prices(leaf.number(), question.number(), columns)
    if min(prices.leaf, prices.question, *prices.columns) < 0:
        node.fail("prices must not be negative")
    return prices


def _to_prices(prices: Prices) -> dict[str, Any]:
    columns = {"columns": list(prices.columns)} if prices.columns else {}
    return {"leaf": prices.leaf, "question": prices.question, **columns}


def _to_pruning(pruning: Pruning, *, packed: bool) -> dict[str, Any]:
    size, prices = pruning.overgrown, pruning.prices
    return {
        "by": pruning.by,
        "overgrown": None if size is None else int(size),
        "tree": to_tree(pruning.tree, packed=packed),
        "prices": None if prices is None else _to_prices(prices),
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
        values.fail("there must be 1 to 65536 classes")
    names = classes.tolist() if classes.dtype.kind != "M" else list(classes)
    for i, (one, next_one) in enumerate(pairwise(names)):
        try:
            ascends = bool(one < next_one)
            hash(one)
        except Exception:  # raised by arbitrary objects
            ascends = False
        if not ascends:
            refuse(f"{values.place}[{i + 1}]", "the classes must be distinct and ascending")
    return classes


def _from_held_out(node: Node) -> IntArray | None:
    if node.value is None:
        return None
    rows = node.wholes(0, 2**32 - 1)
    if not len(rows) or not (np.diff(rows) > 0).all():
        node.fail("must be at least one row number, in ascending order")
    return rows
