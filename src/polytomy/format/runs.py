"""The record of a run, the origin of a tree and its certificate as JSON values.

The certificate is stored for people who read the file. A loader computes it again and compares.
"""

from dataclasses import fields, replace
from math import isclose, isnan
from typing import Any, get_args

import numpy as np

from polytomy._errors import ParameterError
from polytomy.certify import (
    Certificate,
    Lesson,
    Origin,
    Retired,
    Rules,
    Run,
    Split,
    Weighting,
    with_smaller_gamma,
)
from polytomy.encode import Schema
from polytomy.index import INDICES, NUMERIC, Index
from polytomy.model import Model
from polytomy.theory import LEAF_ORDERS, PROCEDURES
from polytomy.tree import LEAF, UNCONSTRAINED, Constraints, Tree

from .edits import from_edits, to_edits
from .node import Node, plain_number, plain_numbers, refuse

_FAMILIES = ("intervals", "values", "groups")
_ORDERS = ("heaviest", "steepest")
_SPLIT = ("leaf", "arity", "gain", "weight", "price", "best_binary_gain", "leaves_before")
_CERTIFICATE_NUMBERS = (
    "gamma",
    "weak_gamma",
    "achieved_gamma",
    "bound",
    "error_bound",
    "power_bound",
    "fallback_bound",
    "per_leaf_gamma",
    "per_leaf_bound",
    "index",
    "training_error",
)
_CERTIFICATE_TEXTS = ("theorem", "why_not")  # not compared: another version may reword them
_OPTIONAL = ("monotonic", "constraints")  # rules that a file states only if there are any
_COLUMNS = ("never", "first")  # constraints that list columns
_TOLERANCE = 1e-9  # another machine may round differently


def to_run(run: Run, tree: Tree) -> dict[str, Any]:
    """Return the record as a JSON value; the splits as one list for each of their fields."""
    indices = _indices(tree)
    if run.index.number is None or run.index.name not in indices:  # a pickled index is a copy
        refuse(
            "index",
            f"{run.index.name!r} is your own function, which model files cannot store: "
            f"use one of {', '.join(indices)}, or save the model with pickle",
        )
    for number, split in enumerate(run.splits):
        if list(split.children) != tree.children(split.leaf).tolist():
            refuse(f"run.splits[{number}]", "the record does not match the tree")
    rules = {f.name: getattr(run.rules, f.name) for f in fields(Rules)}
    best = [s.best_binary_gain for s in run.splits]
    return {
        "rules": {
            **{name: value for name, value in rules.items() if name not in _OPTIONAL},
            "families": list(run.rules.families),
            **({"monotonic": list(run.rules.monotonic)} if run.rules.monotonic else {}),
            **_to_constraints(run.rules.constraints),
        },
        "index": run.index.name,
        "weighting": run.weighting,
        "stopped": run.stopped,
        "splits": {
            "leaf": [int(s.leaf) for s in run.splits],
            "arity": [s.arity for s in run.splits],
            "gain": _column([s.gain for s in run.splits]),
            "weight": _column([s.weight for s in run.splits]),
            "price": _column([s.price for s in run.splits]),
            "best_binary_gain": [None if b is None else float(b) for b in best],
            "leaves_before": [int(s.leaves_before) for s in run.splits],
        },
        "retired": {
            "leaf": [int(r.leaf) for r in run.retired],
            "reason": [r.reason for r in run.retired],
            "leaves": [int(r.leaves) for r in run.retired],
        },
    }


def _indices(tree: Tree) -> dict[str, Index]:
    """Return the indices by name that a tree of this target may have."""
    return NUMERIC if tree.is_numeric else INDICES


def _column(values: list[float]) -> list[Any]:
    return plain_numbers(np.array(values, dtype=np.float64))


def from_run(node: Node, tree: Tree, n_columns: int, *, found: bool = False) -> Run:
    """Return the record that ``to_run`` wrote; it must match the tree.

    ``found`` is whether the tree has an origin. Its record then claims nothing of a run.
    """
    rules, index, weighting, stopped, splits, retired = node.fields(
        "rules", "index", "weighting", "stopped", "splits", "retired"
    )
    of_classes = ("classes", "costs")
    ways = [w for w in get_args(Weighting) if w not in of_classes or not tree.is_numeric]
    weigh: Any = weighting.word(ways)
    indices = _indices(tree)
    if found:
        _check_found(stopped, splits, retired)
    return Run(
        rules=_rules(rules, n_columns),
        index=indices[index.word(tuple(indices))],
        splits=_splits(splits, tree),
        retired=_retired(retired, tree),
        weighting=weigh,
        stopped=None if stopped.value is None else stopped.word(("callback", "overgrown")),
        found=found,
    )


def _check_found(stopped: Node, splits: Node, retired: Node) -> None:
    if stopped.value is not None:
        stopped.fail("must be null, because the tree has an origin")
    for item in splits.member("best_binary_gain").items():
        if item.value is not None:
            item.fail("must be null, because the tree has an origin")
    for item in retired.member("leaf").items():
        item.fail("the tree has an origin, so no leaf was given up")


def _rules(node: Node, n_columns: int) -> Rules:
    always = [f.name for f in fields(Rules) if f.name not in _OPTIONAL]
    optional = [name for name in _OPTIONAL if name in node.members()]
    found = node.fields(*always, *optional)
    procedure, order, gamma, max_leaves, families, own, rows, share = found[: len(always)]
    rest = dict(zip(optional, found[len(always) :], strict=True))
    name = procedure.word(PROCEDURES)
    leaf_order: Any = order.word(_ORDERS)
    if leaf_order not in LEAF_ORDERS[name]:
        order.fail(f"{name} uses the leaf order {LEAF_ORDERS[name][0]}")
    asks_gamma = name == "mansour-mcallester"
    promised = gamma.number() if asks_gamma else None
    if promised is not None and not 0 < promised < 1:
        gamma.fail("must lie between 0 and 1")
    if not asks_gamma and gamma.value is not None:
        gamma.fail(f"must be null for {name}")
    least = share.number()
    if not 0 <= least <= 0.5:
        share.fail("must be a number from 0 to 0.5")
    return Rules(
        procedure=name,
        order=leaf_order,
        gamma=promised,
        max_leaves=None if max_leaves.value is None else max_leaves.whole(1),
        families=tuple(f.word(_FAMILIES) for f in families.items()),
        own_families=own.flag(),
        min_samples_leaf=rows.whole(1),
        min_weight_fraction_leaf=least,
        monotonic=tuple(rest["monotonic"].wholes(-1, 1).tolist()) if "monotonic" in rest else (),
        constraints=_constraints(rest.get("constraints"), n_columns),
    )


def _to_constraints(held: Constraints) -> dict[str, Any]:
    """Return the constraints that are set, as a member of a JSON object; empty if none is."""
    stated = {
        f.name: getattr(held, f.name)
        for f in fields(Constraints)
        if getattr(held, f.name) != getattr(UNCONSTRAINED, f.name)
    }
    plain = {
        name: [list(v) if isinstance(v, tuple) else v for v in value]
        if isinstance(value, tuple)
        else float(value)
        for name, value in stated.items()
    }
    return {"constraints": plain} if plain else {}


def _constraints(node: Node | None, n_columns: int) -> Constraints:
    if node is None:
        return UNCONSTRAINED
    known = [f.name for f in fields(Constraints)]
    stated = [name for name in known if name in node.members()]
    values: dict[str, Any] = {}
    for name, part in zip(stated, node.fields(*stated), strict=True):
        if name in _COLUMNS:
            values[name] = tuple(part.wholes(0, n_columns - 1).tolist())
        elif name == "after":
            columns = part.items(n_columns)
            values[name] = tuple(tuple(c.wholes(0, n_columns - 1).tolist()) for c in columns)
        elif name == "costs":
            values[name] = tuple(part.numbers(n_columns).tolist())
        else:
            values[name] = part.number()
    try:
        return Constraints(**values)
    except ParameterError as error:
        node.fail(str(error))


def _splits(node: Node, tree: Tree) -> tuple[Split, ...]:
    leaf, arity, gain, weight, price, best, before = node.fields(*_SPLIT)
    inner = np.flatnonzero(tree.kind != LEAF)
    n = len(inner)
    leaves = leaf.wholes(0, tree.n_nodes - 1, n)
    if not np.array_equal(np.sort(leaves), inner):
        leaf.fail("must list every inner node of the tree exactly once")
    _check_order(leaf, leaves, tree)
    arities = arity.wholes(2, tree.n_nodes, n)
    _same(arity, arities, np.diff(tree.child_start)[leaves], "children in the tree")
    sizes = 1 + np.concatenate(([0], np.cumsum(arities - 1)))[:-1]
    _same(before, before.wholes(1, tree.n_nodes, n), sizes[:n], "leaves at that step")
    gains, weights, prices = (_not_negative(f, n) for f in (gain, weight, price))
    if n and not (prices > 0).all():
        refuse(f"{price.place}[{int(np.argmin(prices))}]", "must be above 0")
    binary = [_best(item) for item in best.items(n)]
    figures = zip(leaves.tolist(), gains.tolist(), weights.tolist(), prices.tolist(), strict=True)
    return tuple(
        Split(at, tuple(tree.children(at).tolist()), g, w, p, binary[i], int(sizes[i]))
        for i, (at, g, w, p) in enumerate(figures)
    )


def _check_order(leaf: Node, leaves: Any, tree: Tree) -> None:
    """Raise an error for a node that is split before its parent."""
    when = np.full(tree.n_nodes + 1, -1)
    when[leaves] = np.arange(len(leaves))
    early = when[leaves] < when[tree.parent[leaves]]  # the root's parent reads the last entry, -1
    if early.any():
        refuse(f"{leaf.place}[{int(np.argmax(early))}]", "is split before its parent")


def _same(node: Node, stated: Any, counted: Any, what: str) -> None:
    wrong = stated != counted
    if wrong.any():
        at = int(np.argmax(wrong))
        refuse(f"{node.place}[{at}]", f"is {stated[at]}, but there are {counted[at]} {what}")


def _not_negative(node: Node, length: int) -> Any:
    found = node.numbers(length)
    if (found < 0).any():
        refuse(f"{node.place}[{int(np.argmax(found < 0))}]", "must not be negative")
    return found


def _best(node: Node) -> float | None:
    if node.value is None:
        return None
    value = node.number()
    if value < 0:
        node.fail("must not be negative")
    return value


def _retired(node: Node, tree: Tree) -> tuple[Retired, ...]:
    leaf, reason, leaves = node.fields("leaf", "reason", "leaves")
    numbers = leaf.wholes(0, tree.n_nodes - 1)
    n = len(numbers)
    inner = tree.kind[numbers] != LEAF
    if inner.any():
        refuse(f"{leaf.place}[{int(np.argmax(inner))}]", "is not a leaf of the tree")
    sizes = leaves.wholes(1, tree.n_leaves, n).tolist()
    reasons = [r.text() for r in reason.items(n)]
    pairs = zip(numbers.tolist(), reasons, sizes, strict=True)
    return tuple(Retired(*facts) for facts in pairs)


# ---- the origin ----------------------------------------------------------------------------------


def to_origin(origin: Origin, *, packed: bool = False) -> dict[str, Any]:
    """Return the origin of a tree as a JSON value."""
    taught = origin.lesson
    lesson = None
    if taught is not None:
        lesson = {
            "name": taught.name,
            "validation": taught.validation,
            "error": float(taught.error),
            "mix": float(taught.mix),
            "synthetic_rows": int(taught.synthetic_rows),
            "fidelity": plain_number(taught.fidelity),
        }
    return {
        "lesson": lesson,
        "search": None if origin.search is None else [int(n) for n in origin.search],
        "polishing": int(origin.polishing),
        **({} if origin.edits is None else {"edits": to_edits(origin.edits, packed=packed)}),
    }


def from_origin(node: Node, tree: Tree, schema: Schema) -> Origin | None:
    """Return the origin that ``to_origin`` wrote, or None if the tree was grown."""
    if node.value is None:
        return None
    edited = ("edits",) if "edits" in node.members() else ()
    lesson, search, polishing, *edits = node.fields("lesson", "search", "polishing", *edited)
    taught = None
    if lesson.value is not None:
        name, validation, error, mix, rows, fidelity = lesson.fields(
            *(f.name for f in fields(Lesson))
        )
        figures = error.number(), mix.number(), rows.whole(0), fidelity.number(infinite=True)
        try:
            taught = Lesson(name.text(), validation.text(), *figures)
            if not tree.is_numeric:
                taught.check_classes()
        except ParameterError as problem:
            lesson.fail(str(problem))
    sizes = None if search.value is None else search.wholes(1, length=2).tolist()
    log = from_edits(edits[0], schema, tree) if edits else None
    return Origin(taught, None if sizes is None else (sizes[0], sizes[1]), polishing.whole(0), log)


# ---- the certificate -----------------------------------------------------------------------------


def to_certificate(certificate: Certificate) -> dict[str, Any]:
    """Return the statements of a certificate as a JSON value."""
    return {
        "theorem": certificate.theorem,
        "covered": certificate.covered,
        "why_not": certificate.why_not,
        "leaves": certificate.leaves,
        **{name: plain_number(getattr(certificate, name)) for name in _CERTIFICATE_NUMBERS},
        "pruned_leaves": None if certificate.pruned is None else certificate.pruned.leaves,
    }


def check_certificate(node: Node, model: Model, *, words: bool) -> None:
    """Raise an error if the certificate in a file differs from the one its model gives.

    ``words`` says whether its sentences must be those of today, too.
    """
    names = ("theorem", "covered", "why_not", "leaves", *_CERTIFICATE_NUMBERS, "pruned_leaves")
    stated = dict(zip(names, node.fields(*names), strict=True))
    gamma = stated["gamma"].number(infinite=True)
    try:
        certificate = _weakened(model.certificate, stated["covered"].value, gamma)
        issued = to_certificate(certificate)
    except MemoryError:  # says nothing about the file
        raise
    except Exception as error:  # an impossible record may lead to any error
        node.fail(f"no certificate follows from this run ({type(error).__name__}: {error})")
    for name in _CERTIFICATE_TEXTS:
        if stated[name].value is not None:
            stated[name].text()
    exact = ("covered", "leaves", "pruned_leaves")
    is_own = model.certificate.covered == issued["covered"]  # not that of an earlier version
    for name in (*exact, *(_CERTIFICATE_TEXTS if words and is_own else ())):
        if type(stated[name].value) is not type(issued[name]) or stated[name].value != issued[name]:
            _differ(stated[name], issued[name])
    for name in _CERTIFICATE_NUMBERS:
        check_number(stated[name], Node(issued[name], name).number(infinite=True))


def _weakened(certificate: Certificate, covered: Any, gamma: float) -> Certificate:
    """Return the certificate of a model, or a weaker one that its file may state instead.

    Earlier versions did not look for the largest gamma of a ``mansour-mcallester`` run: they state
    the gamma that the run was given, or that the theorem does not cover the run.
    """
    if certificate.run.judged_by.procedure != "mansour-mcallester" or not 0 <= gamma <= 1:
        return certificate
    if covered is False:
        return replace(with_smaller_gamma(certificate, gamma), covered=False)
    return with_smaller_gamma(certificate, min(gamma, certificate.gamma))


def check_number(node: Node, computed: float) -> None:
    """Raise an error if a stated number differs from the computed one."""
    given = node.number(infinite=True)
    if isnan(given) and isnan(computed):
        return
    if given != computed and not isclose(given, computed, rel_tol=_TOLERANCE, abs_tol=_TOLERANCE):
        _differ(node, plain_number(computed))


def _differ(node: Node, computed: Any) -> None:
    node.fail(f"is {node.value!r}, but the model gives {computed!r}")
