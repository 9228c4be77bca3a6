"""The rounds of boosting and the certificate, as plain data."""

from collections.abc import Sequence
from math import isfinite
from typing import Any, Protocol

import numpy as np

from polytomy._types import FloatArray
from polytomy.plot.rounds import RoundRecord

from .numbers import plain

MOST_ROUNDS = 2000  # rounds above this are thinned
_KEPT = 800  # to about so many


class RoundFigures(RoundRecord, Protocol):
    """What is told of a round: what is drawn of it, and what its tree did."""

    @property
    def epsilon(self) -> float | None:
        """The weighted error of the round's tree."""

    @property
    def alpha(self) -> float:
        """What the tree's vote counts."""

    @property
    def z(self) -> float:
        """By what factor the round changed the loss."""

    @property
    def leaves(self) -> int:
        """The leaves of the round's trees together."""

    @property
    def trees(self) -> int:
        """How many trees the round added."""


class Certificate(Protocol):
    """What is known of the training error."""

    @property
    def bound(self) -> float | None:
        """What the training error is at most."""

    @property
    def exponential_bound(self) -> float | None:
        """The looser bound."""

    @property
    def training_error(self) -> float | None:
        """What it is."""

    @property
    def claim(self) -> str:
        """The inequalities that were checked after every round."""

    @property
    def findings(self) -> tuple[str, ...]:
        """In which rounds they fail."""


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
        "Each round multiplies the bound by Z = 2√(ε(1 - ε)), where ε is the weighted error of "
        "the round's tree. That is below 1 for every tree that is better than a coin, so the "
        "bound falls with every round, and the training error must follow."
    ),
    "adaboost-real": (
        "Each round multiplies the bound by Z, the weight that all rows have together once the "
        "round's tree has voted. A leaf in which one class outweighs the other brings it below 1, "
        "so the bound falls, and the training error must follow."
    ),
    "adaboost-mh": (
        "Each pair of a row and a class is a question of its own: is the row of it? The bound "
        "starts from half the number of classes, and each round multiplies it by Z, the weight "
        "that all pairs have together once the round's tree has voted."
    ),
    "logitboost": (
        "A row that is misclassified has a probability of at most 1/2 for its own class, which "
        "costs at least one bit. So the share of such rows is at most the mean log loss in bits."
    ),
    "samme": (
        "No bound on the training error is known for SAMME; the errors themselves are all there "
        "is to tell."
    ),
}


def rounds_facts(
    rounds: Sequence[RoundFigures], n_voting: int, test_errors: FloatArray | None
) -> dict[str, Any]:
    """Return the figures of the rounds, a list each; of many rounds some, on a logarithmic grid.

    Figures that an algorithm does not have are left out; null is where one is missing or infinite.
    """
    kept = _grid(len(rounds), n_voting)
    facts: dict[str, Any] = {"total": len(rounds), "voting": n_voting, "round": kept}
    for name in _FIELDS:
        values = [_figure(getattr(rounds[n - 1], name)) for n in kept]
        if any(value is not None for value in values):
            facts[name] = values
    if test_errors is not None:
        errors = test_errors.tolist()
        facts["test_error"] = [_figure(errors[n - 1]) if n <= len(errors) else None for n in kept]
    return facts


def _grid(n: int, voting: int) -> list[int]:
    """Return the rounds to tell, counted from 1; the last that votes is one of them.

    >>> _grid(3, 2), len(_grid(100_000, 99_999)) < 900
    ([1, 2, 3], True)
    """
    if n <= MOST_ROUNDS:
        return list(range(1, n + 1))
    spread = np.unique(np.rint(np.geomspace(1, n, _KEPT)).astype(np.int64))
    return sorted({*spread.tolist(), voting} - {0})


def certificate_facts(certificate: Certificate, algorithm: str) -> dict[str, Any]:
    """Return the certificate: its figures with what they mean, why there is a bound, and findings.

    The text is what printing the certificate shows.
    """
    holds = not certificate.findings
    rows = [
        ("training error", certificate.training_error, "measured, on the rows fitted on"),
        ("bound", certificate.bound, "what the theorem says it is at most"),
        ("looser bound", certificate.exponential_bound, "exp(-2 Σ (1/2 - ε)²)"),
    ]
    return {
        "claim": certificate.claim,
        "bounded": certificate.bound is not None,
        "holds": holds,
        "why": _WHY.get(algorithm, ""),
        "figures": [[name, f"{x:.6g}", means] for name, x, means in rows if x is not None],
        "findings": list(certificate.findings[:20]),
        "in_short": _in_short(certificate, holds),
        "text": str(certificate),
    }


def _in_short(certificate: Certificate, holds: bool) -> str:
    if certificate.bound is None:
        return "There is no bound to check."
    if not holds:
        return "The inequalities FAIL; this should not happen."
    if certificate.bound >= 1:
        return "The bound held after every round. It says little yet: it is not below 1."
    return "The bound held after every round. It speaks of the rows fitted on, not of new ones."


def _figure(value: float | None) -> float | None:
    return None if value is None or not isfinite(value) else plain(value)
