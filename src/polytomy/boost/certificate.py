"""The certificate of an ensemble: the theorem's bounds beside the measured training error."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import exp, isclose, isinf, sqrt

from .rounds import Round, Rounds

_SLACK = 1e-9
_TINY = 1e-290  # smaller numbers lose precision
_CLAIMS = {
    "adaboost": "error <= prod Z <= exp(-2 sum (1/2 - eps)^2)",
    "adaboost-real": "error <= prod Z",
    "adaboost-mh": "error <= C/2 prod Z",
    "logitboost": "error <= log loss in bits",
    "samme": "no bound is known for SAMME",
}


@dataclass(frozen=True)
class BoostCertificate:
    """The bounds on an ensemble's training error, checked round by round.

    The bounds hold for the training rows only.

    Attributes
    ----------
    algorithm : str
        The name of the boosting algorithm.
    n_rounds : int
        The number of rounds.
    bound, exponential_bound : float or None
        The bounds from the theorem after the last round; None if there is no theorem.
    training_error : float or None
        The measured training error after the last round; None without rounds.
    findings : tuple of str
        The rounds in which an inequality fails; that would be an error in the library.
    """

    algorithm: str
    n_rounds: int
    bound: float | None
    exponential_bound: float | None
    training_error: float | None
    findings: tuple[str, ...]

    @property
    def claim(self) -> str:
        """The inequalities, checked after every round."""
        claim = _CLAIMS[self.algorithm]
        if self.algorithm == "adaboost" and self.exponential_bound is None:
            return _CLAIMS["adaboost-real"]
        return claim

    @property
    def holds(self) -> bool:
        """Whether the inequalities hold after every round."""
        return not self.findings

    def __str__(self) -> str:
        lines = [f"{self.algorithm}, {self.n_rounds} round{'' if self.n_rounds == 1 else 's'}"]
        if self.training_error is not None:
            lines.append(f"  training error          {self.training_error:.6g}")
        if self.bound is not None:
            lines.append(f"  bound                   {self.bound:.6g}")
        if self.exponential_bound is not None:
            lines.append(f"  exp(-2 sum (1/2-eps)^2) {self.exponential_bound:.6g}")
        result = "holds after every round" if self.holds else "FAILS"
        checked = self.claim if self.algorithm == "samme" else f"{self.claim}: {result}"
        return "\n".join([*lines, f"  {checked}", *(f"  {f}" for f in self.findings)])


def certify(
    algorithm: str, rounds: Rounds, learning_rate: float, n_classes: int | None = None
) -> BoostCertificate:
    """Check the bounds of a boosting run after every round, from the recorded figures alone.

    Parameters
    ----------
    algorithm : str
        The name of the boosting algorithm.
    rounds : Rounds
        The records of the rounds.
    learning_rate : float
        The learning rate of the run.
    n_classes : int, optional
        The number of classes. It gives the initial bound of ``adaboost-mh``; without it, the bound
        of the first round is not checked.

    Returns
    -------
    BoostCertificate
        The bounds and the result of the check.

    Examples
    --------
    >>> from polytomy.boost import Round
    >>> one = Round(0.2, 0.693, 0.8, 0.8, 0.83527, 0.2, None, None, 2, 1)
    >>> print(certify("adaboost", Rounds([one]), 1.0))
    adaboost, 1 round
      training error          0.2
      bound                   0.8
      exp(-2 sum (1/2-eps)^2) 0.83527
      error <= prod Z <= exp(-2 sum (1/2 - eps)^2): holds after every round
    """
    checker = _Checker(algorithm, learning_rate == 1, _first_bound(algorithm, n_classes))
    findings = [
        f"round {number}: {found}"
        for number, record in enumerate(rounds, start=1)
        for found in checker.findings(record)
    ]
    last = rounds[-1] if len(rounds) else None
    return BoostCertificate(
        algorithm=algorithm,
        n_rounds=len(rounds),
        bound=None if last is None else last.bound,
        exponential_bound=None if last is None else last.exponential_bound,
        training_error=None if last is None else last.training_error,
        findings=tuple(findings),
    )


class _Checker:
    """Follows the bounds through the rounds; comparisons with nan fail."""

    def __init__(self, algorithm: str, full_rate: bool, bound: float | None) -> None:
        self._discrete = algorithm == "adaboost" and full_rate
        self._bound, self._exponential = bound, 1.0

    def findings(self, r: Round) -> Iterator[str]:
        """Yield the inconsistencies of the next round."""
        if r.bound is None:
            return
        if not r.training_error <= r.bound + _SLACK:
            yield f"error {r.training_error} above bound {r.bound}"
        before, self._bound = self._bound, r.bound
        if before is not None and not _is_product(r.bound, before, r.z):
            yield f"bound {r.bound} is not {before} times Z = {r.z}"
        if self._discrete and r.epsilon is not None:
            yield from self._of_epsilon(r, r.bound, r.epsilon)

    def _of_epsilon(self, r: Round, bound: float, epsilon: float) -> Iterator[str]:
        """Yield the inconsistencies with the tree's error."""
        self._exponential *= exp(-2.0 * (0.5 - epsilon) ** 2)
        if not bound <= self._exponential * (1 + _SLACK):
            yield f"bound {bound} above exp(-2 sum (1/2 - eps)^2) = {self._exponential}"
        recorded = r.exponential_bound
        if recorded is None or not isclose(
            recorded, self._exponential, rel_tol=1e-6, abs_tol=_TINY
        ):
            yield f"{recorded} is not exp(-2 sum (1/2 - eps)^2) = {self._exponential}"
        least = 2.0 * sqrt(epsilon * (1.0 - epsilon))
        if epsilon and not isclose(r.z, least, rel_tol=1e-6):
            yield f"Z = {r.z} is not 2 sqrt(eps (1 - eps)) = {least}"


def _first_bound(algorithm: str, n_classes: int | None) -> float | None:
    """Return the bound before the first round, or None if it is not known."""
    if algorithm in ("adaboost", "adaboost-real"):
        return 1.0
    return n_classes / 2 if algorithm == "adaboost-mh" and n_classes is not None else None


def _is_product(bound: float, before: float, z: float) -> bool:
    """Return whether a bound is the one before times Z, as far as precision allows."""
    if isinf(bound) or isinf(before):  # overflow: no comparison is possible
        return True
    return isclose(bound, before * z, rel_tol=1e-8, abs_tol=_TINY)
