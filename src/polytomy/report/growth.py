"""How a tree grew, against what its certificate promises."""

from typing import Any

import numpy as np

from polytomy.certify import Certificate

from .numbers import plain_list

_MOST = 600  # points of a curve
_DIGITS = 6


def growth_facts(certificate: Certificate) -> dict[str, Any]:
    """Return the curves of a run, and the words of their legend."""
    at = _thinned(len(certificate.leaves_curve))
    rules = certificate.run.rules
    facts: dict[str, Any] = {
        "leaves": certificate.leaves_curve[at].tolist(),
        "index": plain_list(certificate.index_curve[at], _DIGITS),
        "error": plain_list(certificate.error_curve[at], _DIGITS),
    }
    bound = certificate.bound_curve[at]
    if certificate.steps and np.isfinite(bound).all():
        facts["bound"] = plain_list(bound, _DIGITS)
    covered = "covered" if certificate.covered else "not covered by a theorem"
    return facts | {
        "covered": bool(certificate.covered),
        "promise": _promise(certificate),
        "procedure": rules.procedure,
        "index_name": certificate.run.index.name,
        "title": f"Growth by {rules.procedure}: {covered}",
    }


def _promise(certificate: Certificate) -> str:
    if not certificate.covered:
        return "bound on I(T), not promised"
    if certificate.run.rules.procedure in ("hatano", "mansour-mcallester"):
        return "bound on I(T), promised at the end"
    return "bound on I(T)"


def _thinned(n: int) -> Any:
    """Return places among n, closer together at the start, the last among them."""
    if n <= _MOST:
        return np.arange(n)
    return np.unique(np.rint(np.geomspace(1, n, _MOST)).astype(int)) - 1
