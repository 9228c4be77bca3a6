"""The certificate of an ensemble: what the theorem promises, beside what was measured."""

from dataclasses import dataclass
from math import isclose, sqrt

from .rounds import Rounds

_SLACK = 1e-9
_CLAIMS = {
    "adaboost": "error <= prod Z <= exp(-2 sum (1/2 - eps)^2)",
    "adaboost-real": "error <= prod Z",
    "adaboost-mh": "error <= C/2 prod Z",
    "logitboost": "error <= log loss in bits",
    "samme": "no bound is known for SAMME",
}


@dataclass(frozen=True)
class BoostCertificate:
    """What is known of an ensemble's training error.

    ``bound`` and ``exponential_bound`` are the theorem's, ``training_error`` is measured; ``claim``
    is the chain of inequalities, and ``findings`` says in which rounds it fails: nowhere, unless
    the code is wrong. Bounds speak of the training rows only.
    """

    algorithm: str
    n_rounds: int
    bound: float | None
    exponential_bound: float | None
    training_error: float | None
    findings: tuple[str, ...]

    @property
    def claim(self) -> str:
        """The inequalities that were checked after every round."""
        claim = _CLAIMS[self.algorithm]
        if self.algorithm == "adaboost" and self.exponential_bound is None:
            return _CLAIMS["adaboost-real"]
        return claim

    @property
    def holds(self) -> bool:
        """Whether the chain held after every round."""
        return not self.findings

    def __str__(self) -> str:
        lines = [f"{self.algorithm}, {self.n_rounds} rounds"]
        if self.training_error is not None:
            lines.append(f"  training error          {self.training_error:.6g}")
        if self.bound is not None:
            lines.append(f"  bound                   {self.bound:.6g}")
        if self.exponential_bound is not None:
            lines.append(f"  exp(-2 sum (1/2-eps)^2) {self.exponential_bound:.6g}")
        said = "holds after every round" if self.holds else "FAILS"
        checked = self.claim if self.algorithm == "samme" else f"{self.claim}: {said}"
        return "\n".join([*lines, f"  {checked}", *(f"  {f}" for f in self.findings)])


def certify(algorithm: str, rounds: Rounds, learning_rate: float) -> BoostCertificate:
    """Check the chain of inequalities, round by round.

    >>> from polytomy.boost.rounds import Round
    >>> one = Round(0.2, 0.693, 0.8, 0.8, 0.8353, 0.2, None, None, 2, 1)
    >>> print(certify("adaboost", Rounds([one]), 1.0))
    adaboost, 1 rounds
      training error          0.2
      bound                   0.8
      exp(-2 sum (1/2-eps)^2) 0.8353
      error <= prod Z <= exp(-2 sum (1/2 - eps)^2): holds after every round
    """
    findings = []
    before = None
    for number, r in enumerate(rounds, start=1):
        if r.bound is None:
            continue
        if r.training_error > r.bound + _SLACK:
            findings.append(f"round {number}: error {r.training_error} above bound {r.bound}")
        if before is not None and not isclose(
            r.bound, before * r.z, rel_tol=_SLACK, abs_tol=1e-290
        ):
            findings.append(f"round {number}: bound {r.bound} is not {before} times Z = {r.z}")
        if r.exponential_bound is not None and r.bound > r.exponential_bound * (1 + _SLACK):
            findings.append(f"round {number}: bound {r.bound} above {r.exponential_bound}")
        discrete = algorithm == "adaboost" and learning_rate == 1 and r.epsilon
        if discrete and not isclose(r.z, _least_z(r.epsilon or 0.0), rel_tol=1e-6):
            findings.append(f"round {number}: Z = {r.z} is not 2 sqrt(eps (1 - eps))")
        before = r.bound
    last = rounds[-1] if len(rounds) else None
    return BoostCertificate(
        algorithm=algorithm,
        n_rounds=len(rounds),
        bound=None if last is None else last.bound,
        exponential_bound=None if last is None else last.exponential_bound,
        training_error=None if last is None else last.training_error,
        findings=tuple(findings),
    )


def _least_z(epsilon: float) -> float:
    return 2.0 * sqrt(epsilon * (1.0 - epsilon))
