"""The rounds of boosting, and the certificate that bounds the training error."""

from collections.abc import Sequence
from math import isfinite
from typing import Any

from polytomy._types import FloatArray
from polytomy.certify import BoostedCertificate, RoundRecord
from polytomy.report.facts.json_values import log_spaced, rounded

MOST_ROUNDS = 2000  # with more rounds, only some are included
_KEPT = 800  # about this many


_FIELDS = (
    "epsilon",
    "alpha",
    "z",
    "training_error",
    "validation_error",
    "bound",
    "exponential_bound",
)

_WHY = {
    "adaboost": (
        "Each round multiplies the bound on the training error by Z = 2√(ε(1 - ε)), where ε is the "
        "weighted error of the round's tree. Z is below 1 for every tree that is better than "
        "random guessing, so the bound falls with every round."
    ),
    "adaboost-real": (
        "Each round multiplies the bound on the training error by Z, the factor by which the round "
        "changes the total weight of the rows. Z is below 1 if one class outweighs the other in "
        "some leaf, so the bound falls with every such round."
    ),
    "adaboost-mh": (
        "Each pair of a row and a class is a two-class problem: does the row belong to the class? "
        "The bound on the training error starts at half the number of classes, and each round "
        "multiplies it by Z, the factor by which the round changes the total weight of all pairs."
    ),
    "logitboost": (
        "The predicted probability of a misclassified row's own class is at most 1/2, so the row's "
        "log loss is at least one bit. The training error is therefore at most the mean log loss "
        "in bits."
    ),
    "samme": "No bound on the training error is known for SAMME.",
}


def rounds_facts(
    rounds: Sequence[RoundRecord], n_voting: int, test_errors: FloatArray | None
) -> dict[str, Any]:
    """Return the values of the rounds, one list for each quantity.

    Of many rounds only some are included, on a logarithmic grid. Quantities that an algorithm does
    not have are left out; values that are missing or infinite are null.
    """
    kept = _grid(len(rounds), n_voting)
    facts: dict[str, Any] = {"total": len(rounds), "voting": n_voting, "round": kept}
    for name in _FIELDS:
        values = [_finite(getattr(rounds[n - 1], name)) for n in kept]
        if any(value is not None for value in values):
            facts[name] = values
    if test_errors is not None:
        errors = test_errors.tolist()
        facts["test_error"] = [_finite(errors[n - 1]) if n <= len(errors) else None for n in kept]
    return facts


def _grid(n: int, voting: int) -> list[int]:
    """Return the rounds to include, counted from 1, with the last one that votes.

    >>> _grid(3, 2), len(_grid(100_000, 99_999)) < 900
    ([1, 2, 3], True)
    """
    if n <= MOST_ROUNDS:
        return list(range(1, n + 1))
    return sorted({*log_spaced(1, n, _KEPT).tolist(), voting} - {0})


def certificate_facts(certificate: BoostedCertificate, algorithm: str) -> dict[str, Any]:
    """Return the certificate: values with their meaning, why the bound holds, and violations."""
    holds = not certificate.findings
    rows = [
        ("training error", certificate.training_error, "measured on the training rows"),
        ("bound", certificate.bound, "upper bound on the training error"),
        ("looser bound", certificate.exponential_bound, "exp(-2 Σ (1/2 - ε)²)"),
    ]
    return {
        "claim": certificate.claim,
        "bounded": certificate.bound is not None,
        "holds": holds,
        "why": _WHY.get(algorithm, ""),
        "figures": [[name, f"{x:.6g}", means] for name, x, means in rows if x is not None],
        "findings": list(certificate.findings[:20]),
        "in_short": _conclusion(certificate, holds),
        "text": str(certificate),
    }


def _conclusion(certificate: BoostedCertificate, holds: bool) -> str:
    if certificate.bound is None:
        return "There is no bound to check."
    if not holds:
        return "The inequalities are violated, which indicates an error in polytomy."
    if certificate.bound >= 1:
        return "The bound held after every round, but it is not below 1 and so excludes nothing."
    return "The bound held after every round. It applies to the training rows, not to new rows."


def _finite(value: float | None) -> float | None:
    return None if value is None or not isfinite(value) else rounded(value)
