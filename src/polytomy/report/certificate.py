"""A certificate as figures with what they mean, in its own words."""

import warnings
from typing import Any

from polytomy.certify import Certificate
from polytomy.certify.generalization import Generalization
from polytomy.certify.words import bound_figures, gamma_figures, meaning


def certificate_facts(certificate: Certificate) -> dict[str, Any]:
    """Return what a certificate says, for a page."""
    facts: dict[str, Any] = {
        "covered": bool(certificate.covered),
        "theorem": certificate.theorem,
        "text": str(certificate),
        "figures": _figures(certificate),
        "in_short": meaning(certificate).removeprefix("In short: "),
    }
    if certificate.why_not is not None:
        facts["why_not"] = certificate.why_not
    with warnings.catch_warnings():  # it warns of weights that are no case counts, and says it too
        warnings.simplefilter("ignore", UserWarning)
        facts["generalization"] = _on_new_rows(certificate.generalization())
    return facts


def _figures(certificate: Certificate) -> list[list[str]]:
    promised = "promised" if certificate.covered else "not promised, but computed"
    bounds = [
        [name, measured, f"measured; {promised}: at most {bound}"]
        for name, measured, bound in bound_figures(certificate)
    ]
    return [*map(list, gamma_figures(certificate)), *bounds]


def _on_new_rows(bounds: Generalization) -> list[list[str]]:
    told = bounds.assumptions
    occam = ["Occam bound", "none", bounds.occam_why_not or ""]
    if bounds.bits is not None:
        vacuous = "vacuous; " if bounds.vacuous else ""
        what = f"{vacuous}{bounds.bits} bits; {told['occam']}"
        occam = ["Occam bound", f"{bounds.occam:.4f}", what]
    thumb = f"error + sqrt(leaves/m); {told['rule_of_thumb']}"
    rows = [
        ["training error", f"{bounds.training_error:.4f}", told["training_error"]],
        occam,
        ["rule of thumb", f"{bounds.rule_of_thumb_error:.4f}", thumb],
    ]
    if bounds.vc is not None:
        rows.append(["VC dimension", f"{bounds.vc.lower}..{bounds.vc.upper:.5g}", told["vc"]])
    return rows
