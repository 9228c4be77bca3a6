"""The fitted state of ensembles, as model files hold it.

``docs/reference/format`` specifies the result.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from polytomy.boost import (
    BoostCertificate,
    BoostParams,
    Progress,
    resolve_earlier,
    rounds_from_plain,
    rounds_to_plain,
)
from polytomy.ensemble import Ensemble
from polytomy.estimators.base.files import grow_params_from_plain, grow_params_to_plain
from polytomy.estimators.base.parameters import FitRecord, check_class_weight
from polytomy.forest import ForestParams, NumbersOutOfBag, OutOfBag
from polytomy.format import ModelFormatError, Node, Saved, check_number, plain_number, refuse
from polytomy.index import index_of_moments

from .learners import NO_FILE, LearnerFamily
from .parameters import BOOSTING, FOREST_ROWS

_BOUNDS = ("bound", "exponential_bound", "training_error")


@dataclass(frozen=True, eq=False)
class BoostedState:
    """The fitted state of a boosted model: all its rounds, and which of them vote.

    Parameters
    ----------
    params : BoostParams
        The parameters of the fit.
    fingerprint : dict of str
        Hashes of the rows and parameters of the fit.
    progress : Progress
        All rounds, including those after the best one.
    n_rounds : int
        The number of rounds that vote.
    ended : str or None
        Why the fit ended early.
    """

    params: BoostParams
    fingerprint: dict[str, str]
    progress: Progress
    n_rounds: int
    ended: str | None

    @property
    def n_members(self) -> int:
        """The number of trees that vote."""
        return sum(r.trees for r in self.progress.rounds[: self.n_rounds])


def boosted_parts(
    model: Ensemble, state: BoostedState, certificate: BoostCertificate
) -> dict[str, Any]:
    """Return the ensemble and the fitted state of a boosted model, as arguments of ``Saved``."""
    for family in state.params.grow.families:
        if isinstance(family, LearnerFamily):
            raise ModelFormatError(NO_FILE.format(name=type(family.learner).__name__))
    progress = state.progress
    start = model.start if progress.start is None else progress.start
    whole = Ensemble(model.schema, model.classes, progress.members, start, model.algorithm)
    fitted = {
        "parameters": {
            **{name: getattr(state.params, name) for name in BOOSTING},
            "grow": grow_params_to_plain(state.params.grow),
        },
        "mark": dict(state.fingerprint),
        "n_rounds": int(state.n_rounds),
        "ended": state.ended,
        "exhausted": progress.ended,
    }
    rounds = rounds_to_plain(progress.rounds)
    stated = _stated_certificate(certificate)
    return {"model": whole, "fitted": fitted, "rounds": rounds, "certificate": stated}


def read_boosted_parts(saved: Saved) -> tuple[Ensemble, BoostedState]:
    """Return the ensemble that votes and the fitted state that ``boosted_parts`` wrote, checked."""
    whole = saved.model
    assert isinstance(whole, Ensemble)
    fitted = Node(dict(saved.fitted), "fitted")
    names = ("parameters", "mark", "n_rounds", "ended", "exhausted")
    parameters, mark, n_rounds, ended, exhausted = fitted.fields(*names)
    params = _to_boost_params(parameters, whole)
    rounds = rounds_from_plain(Node(dict(saved.rounds or {}), "rounds"), whole.members)
    state = BoostedState(
        params=params,
        fingerprint={name: part.text() for name, part in mark.members().items()},
        progress=Progress(whole.members, tuple(rounds), whole.start, _optional_text(exhausted)),
        n_rounds=n_rounds.whole(0, len(rounds)),
        ended=_optional_text(ended),
    )
    return whole.truncated(state.n_members), state


@dataclass(frozen=True, slots=True)
class ForestState:
    """The fitted state of a forest besides its trees.

    Parameters
    ----------
    params : ForestParams
        The parameters of the fit.
    seed : int
        The random seed.
    fingerprint : str
        A hash of the rows and parameters of the fit.
    oob_error : float or None, default=None
        The out-of-bag error; None if it was not computed.
    oob_errors : mapping of int to float, default={}
        The out-of-bag error after some numbers of trees.
    oob_score : float or None, default=None
        R2 out of bag, for a numeric target.
    """

    params: ForestParams
    seed: int
    fingerprint: str
    oob_error: float | None = None
    oob_errors: Mapping[int, float] = field(default_factory=dict)
    oob_score: float | None = None

    def with_figures(self, found: OutOfBag) -> "ForestState":
        """Return the state with the out-of-bag figures."""
        score = found.score if isinstance(found, NumbersOutOfBag) else None
        return replace(self, oob_error=found.error, oob_errors=dict(found.errors), oob_score=score)


def forest_parts(model: Ensemble, state: ForestState, record: FitRecord) -> dict[str, Any]:
    """Return the trees and the fitted state of a forest, as arguments of ``Saved``."""
    params = state.params
    fitted = {
        "parameters": {
            **{name: getattr(params, name) for name in FOREST_ROWS},
            "grow": grow_params_to_plain(params.grow),
        },
        **({} if model.is_numeric else {"class_weight": record.class_weight}),
        "max_bins": record.max_bins,
        "n_rows": record.n_rows,
        "seed": state.seed,
        "mark": state.fingerprint,
        "oob_error": _figure(state.oob_error),
        "oob_errors": [[n, _figure(error)] for n, error in state.oob_errors.items()],
        **({"oob_score": _figure(state.oob_score)} if model.is_numeric else {}),
    }
    return {"model": model, "fitted": fitted}


def read_forest_parts(saved: Saved) -> tuple[Ensemble, ForestState, FitRecord]:
    """Return the trees and the fitted state that ``forest_parts`` wrote, checked."""
    model = saved.model
    assert isinstance(model, Ensemble)
    names = ("parameters", "max_bins", "n_rows", "seed", "mark", "oob_error", "oob_errors")
    own_name = "oob_score" if model.is_numeric else "class_weight"
    fitted = Node(dict(saved.fitted), "fitted").fields(*names, own_name)
    parameters, max_bins, rows, seed, mark, error, errors, of_target = fitted
    weight = None if model.is_numeric else of_target.value
    *own, grow = parameters.fields(*FOREST_ROWS, "grow")
    grown = grow_params_from_plain(grow)
    try:
        values = {name: part.value for name, part in zip(FOREST_ROWS, own, strict=True)}
        params = ForestParams(**values, grow=grown)
    except (ValueError, TypeError, ArithmeticError) as problem:
        parameters.fail(str(problem))
    if model.is_numeric and grown.index != index_of_moments(model.members[0].tree.counts).name:
        grow.member("index").fail("is not that of the moments of the trees")
    check_class_weight(of_target.place, weight)
    bins = "auto" if max_bins.value == "auto" else max_bins.whole(2)
    pairs = [list(pair.items()) for pair in errors.items()]
    if any(len(pair) != 2 for pair in pairs):
        errors.fail("must be pairs of a number of trees and an error")
    state = ForestState(
        params,
        seed.whole(0),
        mark.text(),
        _optional_number(error),
        {n.whole(1, len(model)): part.number(infinite=True) for n, part in pairs},
        _optional_number(of_target) if model.is_numeric else None,
    )
    return model, state, FitRecord(params, weight, bins, rows.whole(1))


def check_stated_certificate(saved: Saved, issue: Callable[[], BoostCertificate]) -> None:
    """Refuse a boosted model whose rounds do not lead to the certificate in the file."""
    stated = Node(dict(saved.certificate or {}), "certificate")
    try:
        issued = _stated_certificate(issue())
    except (ArithmeticError, ValueError, TypeError) as error:
        stated.fail(f"no certificate can be issued for these rounds ({error})")
    given = dict(zip(issued, stated.fields(*issued), strict=True))
    for name, own in issued.items():
        if name in _BOUNDS and own is not None and given[name].value is not None:
            check_number(given[name], Node(own, name).number(infinite=True))
        elif name == "findings":
            findings = [finding.text() for finding in given[name].items()]
            if bool(findings) != bool(own):
                given[name].fail("are not those of these rounds")
        elif given[name].value != own:
            given[name].fail(f"is stated as {given[name].value!r}, but the rounds give {own!r}")


def _to_boost_params(node: Node, whole: Ensemble) -> BoostParams:
    *own, grow = node.fields(*BOOSTING, "grow")
    grown = grow_params_from_plain(grow)
    n_classes = len(whole.classes)
    try:
        values = {name: part.value for name, part in zip(BOOSTING, own, strict=True)}
        params = BoostParams(**resolve_earlier(values, n_classes), grow=grown)
        kind = params.kind(n_classes)
        index = params.index_for(n_classes)
    except (ValueError, TypeError, ArithmeticError) as error:
        node.fail(str(error))
    if kind.name != whole.algorithm:
        refuse("algorithm", f"is {whole.algorithm!r}, but the parameters give {kind.name!r}")
    if whole.n_outputs != (1 if kind.two_classes else n_classes):
        refuse("start", f"{kind.name} does not have {whole.n_outputs} outputs")
    counted = {"pairs": 2 * n_classes, "squares": 2}.get(index.name, n_classes)
    if any(member.tree.n_classes != counted for member in whole.members):
        refuse("members[0].tree.counts", f"{kind.name} has {counted} counts for each node")
    return params


def _figure(value: Any) -> Any:
    return plain_number(value) if isinstance(value, float) else value


def _optional_number(node: Node) -> float | None:
    return None if node.value is None else node.number(infinite=True)


def _optional_text(node: Node) -> str | None:
    return None if node.value is None else node.text()


def _stated_certificate(certificate: BoostCertificate) -> dict[str, Any]:
    """Return the statements of a certificate as plain data."""
    return {
        "algorithm": certificate.algorithm,
        "n_rounds": certificate.n_rounds,
        **{name: _figure(getattr(certificate, name)) for name in _BOUNDS},
        "findings": list(certificate.findings),
    }
