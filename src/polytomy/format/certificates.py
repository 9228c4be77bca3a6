"""What a certificate states, so that a reader of the file sees it and a loader can compare."""

from math import isclose, isnan
from typing import Any

from polytomy.certify import Certificate
from polytomy.model import Model

from .node import Node, plain_number

_NUMBERS = (
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
_WORDS = ("theorem", "why_not")  # for readers: another version may word them in another way
_CLOSE = 1e-9  # another machine may round in another way


def to_certificate(certificate: Certificate) -> dict[str, Any]:
    """Return what a certificate states as plain data."""
    return {
        "theorem": certificate.theorem,
        "covered": certificate.covered,
        "why_not": certificate.why_not,
        "leaves": certificate.leaves,
        **{name: plain_number(getattr(certificate, name)) for name in _NUMBERS},
        "pruned_leaves": None if certificate.pruned is None else certificate.pruned.leaves,
    }


def check_certificate(node: Node, model: Model) -> None:
    """Refuse a model whose own record does not bear out what its certificate states."""
    names = ("theorem", "covered", "why_not", "leaves", *_NUMBERS, "pruned_leaves")
    stated = dict(zip(names, node.fields(*names), strict=True))
    try:
        issued = to_certificate(model.certificate)
    except Exception as error:  # whatever a record no run could leave may lead to
        node.fail(f"none can be issued from this run ({type(error).__name__}: {error})")
    for name in _WORDS:
        if stated[name].value is not None:
            stated[name].text()
    for name in ("covered", "leaves", "pruned_leaves"):
        if type(stated[name].value) is not type(issued[name]) or stated[name].value != issued[name]:
            _differ(stated[name], issued[name])
    for name in _NUMBERS:
        own = Node(issued[name], name).number(infinite=True)
        check_number(stated[name], own)


def check_number(node: Node, own: float) -> None:
    """Refuse a stated number that is not the one worked out."""
    given = node.number(infinite=True)
    if isnan(given) and isnan(own):
        return
    if given != own and not isclose(given, own, rel_tol=_CLOSE, abs_tol=_CLOSE):
        _differ(node, plain_number(own))


def _differ(node: Node, own: Any) -> None:
    node.fail(f"is stated as {node.value!r}, but {own!r} follows from the model itself")
