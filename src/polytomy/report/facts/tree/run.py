"""The run that grew a tree: its curves, and its certificate as a table of values."""

import warnings
from typing import Any

import numpy as np

from polytomy.certify import Certificate
from polytomy.certify.description import Generalization
from polytomy.certify.text import bound_figures, gamma_figures, loss_name, summary
from polytomy.plot import bound_label, growth_title
from polytomy.report.facts.json_values import log_spaced, rounded_list

_MOST_POINTS = 600  # of a curve
_DIGITS = 6


def growth_facts(certificate: Certificate) -> dict[str, Any]:
    """Return the curves of a run with the text of their legend."""
    at = _thinned(len(certificate.leaves_curve))
    facts: dict[str, Any] = {
        "leaves": certificate.leaves_curve[at].tolist(),
        "index": rounded_list(certificate.index_curve[at], _DIGITS),
    }
    if not certificate.tree.is_numeric:  # otherwise the index is the error
        facts["error"] = rounded_list(certificate.error_curve[at], _DIGITS)
    bound = certificate.bound_curve[at]
    if certificate.steps and np.isfinite(bound).all():
        facts["bound"] = rounded_list(bound, _DIGITS)
    label = bound_label(certificate)
    return facts | {
        "bound_holds": bool(certificate.bound_holds),
        "bound_label": label.replace(" on I(T)", "") if certificate.tree.is_numeric else label,
        "procedure": certificate.run.rules.procedure,
        "index_name": certificate.run.index.name,
        "title": growth_title(certificate),
    }


def _thinned(n: int) -> Any:
    """Return at most ``_MOST_POINTS`` of n positions, denser at the start, with the last one."""
    if n <= _MOST_POINTS:
        return np.arange(n)
    return log_spaced(1, n, _MOST_POINTS) - 1


def certificate_facts(certificate: Certificate) -> dict[str, Any]:
    """Return a certificate as tables of values with their meaning, and as text."""
    facts: dict[str, Any] = {
        "covered": bool(certificate.covered),
        "theorem": certificate.theorem,
        "text": str(certificate),
        "figures": _values(certificate),
        "in_short": _conclusion(certificate),
    }
    if certificate.why_not is not None:
        facts["why_not"] = certificate.why_not
    with warnings.catch_warnings():  # about weights that are not case counts; the text says so too
        warnings.simplefilter("ignore", UserWarning)
        bounds = certificate.generalization()
    is_numeric = certificate.tree.is_numeric
    facts["generalization"] = (
        _numeric_loss(certificate, bounds) if is_numeric else _generalization(bounds)
    )
    return facts


def _conclusion(certificate: Certificate) -> str:
    """Return the conclusion without its reference to a method: the page has a table instead."""
    text = summary(certificate).removeprefix("In short: ")
    sentences = text.split(". ")
    if "generalization()" in sentences[-1]:
        return ". ".join(sentences[:-1]) + "."
    return text


def _values(certificate: Certificate) -> list[list[str]]:
    kind = "guaranteed upper bound" if certificate.bound_holds else "bound, not guaranteed"
    bounds = [
        [name, measured, f"measured; {kind}: {bound}"]
        for name, measured, bound in bound_figures(certificate)
    ]
    return [*map(list, gamma_figures(certificate)), *bounds]


def _numeric_loss(certificate: Certificate, bounds: Generalization) -> list[list[str]]:
    """Return the mean loss of a numeric target, and why it has no bound for new rows."""
    measured = f"{bounds.training_error:.4g}", bounds.assumptions["training_error"]
    return [
        [f"mean {loss_name(certificate)}", *measured],
        ["Occam bound", "none", bounds.occam_why_not or ""],
    ]


def _generalization(bounds: Generalization) -> list[list[str]]:
    """Return the bounds on the error of new rows: name, value and assumptions."""
    assumptions = bounds.assumptions
    occam = ["Occam bound", "none", bounds.occam_why_not or ""]
    if bounds.bits is not None:
        vacuous = "vacuous; " if bounds.vacuous else ""
        detail = f"{vacuous}{bounds.bits} bits; {assumptions['occam']}"
        occam = ["Occam bound", f"{bounds.occam:.4f}", detail]
    rule = f"error + sqrt(leaves/m); {assumptions['rule_of_thumb']}"
    rows = [
        ["training error", f"{bounds.training_error:.4f}", assumptions["training_error"]],
        occam,
        ["rule of thumb", f"{bounds.rule_of_thumb_error:.4f}", rule],
    ]
    if bounds.vc is not None:
        vc = f"{bounds.vc.lower}..{bounds.vc.upper:.5g}"
        rows.append(["VC dimension", vc, assumptions["vc"]])
    return rows
