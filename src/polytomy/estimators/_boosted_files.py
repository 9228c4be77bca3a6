"""What a model file holds of a boosted classifier besides its ensemble: rounds, and progress."""

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from polytomy.boost import BoostParams, Progress, Rounds, rounds_from_plain, rounds_to_plain
from polytomy.ensemble import Ensemble
from polytomy.format import Node, Saved, check_number, plain_number, refuse

from ._grown_with import from_grown_with, to_grown_with

if TYPE_CHECKING:
    from .boosted import BoostedTreeClassifier

_FITTED = ("parameters", "mark", "n_rounds", "ended", "exhausted")
_STATED = ("bound", "exponential_bound", "training_error")


def saved_of_boosted(clf: "BoostedTreeClassifier", facts: dict[str, Any]) -> Saved:
    """Return what to save of a fitted ensemble: all its rounds, also those that do not vote."""
    progress = clf._progress
    model = clf._model
    start = model.start if progress.start is None else progress.start
    whole = Ensemble(model.schema, model.classes, progress.members, start, model.algorithm)
    fitted = {
        "parameters": _to_params(clf._params),
        "mark": dict(clf._mark),
        "n_rounds": int(clf.n_rounds_),
        "ended": clf.ended_,
        "exhausted": progress.ended,
    }
    rounds = rounds_to_plain(clf.rounds_)
    return Saved(whole, **facts, fitted=fitted, rounds=rounds, certificate=_stated(clf))


def boosted_of(clf: "BoostedTreeClassifier", saved: Saved) -> "BoostedTreeClassifier":
    """Make an unfitted classifier the one that was saved."""
    whole = saved.model
    assert isinstance(whole, Ensemble)
    fitted = Node(dict(saved.fitted), "fitted")
    params, mark, n_rounds, ended, exhausted = fitted.fields(*_FITTED)
    clf._params = _from_params(params, whole)
    rounds = rounds_from_plain(Node(dict(saved.rounds or {}), "rounds"), whole.members)
    clf.rounds_ = Rounds(rounds)
    clf.n_rounds_ = n_rounds.whole(0, len(rounds))
    clf._mark = {name: part.text() for name, part in mark.members().items()}
    clf.ended_ = None if ended.value is None else ended.text()
    done = None if exhausted.value is None else exhausted.text()
    clf._progress = Progress(whole.members, tuple(rounds), whole.start, done)
    clf._model = whole.truncated(sum(r.trees for r in rounds[: clf.n_rounds_]))
    _check_certificate(clf, saved)
    return clf


def _figure(value: Any) -> Any:
    return plain_number(value) if isinstance(value, float) else value


def _to_params(params: BoostParams) -> dict[str, Any]:
    """Return the parameters the ensemble was fitted with, whatever was set later."""
    own = {f.name: getattr(params, f.name) for f in fields(BoostParams) if f.name != "grow"}
    return {**own, "grow": to_grown_with(params.grow)}


def _from_params(node: Node, whole: Ensemble) -> BoostParams:
    *own, grow = node.fields(*(f.name for f in fields(BoostParams)))
    names = [f.name for f in fields(BoostParams) if f.name != "grow"]
    grown = from_grown_with(grow)
    n_classes = len(whole.classes)
    try:
        values = {name: part.value for name, part in zip(names, own, strict=True)}
        params = BoostParams(**values, grow=grown)
        kind = params.kind(n_classes)
        index = params.index_for(n_classes)
    except (ValueError, TypeError, ArithmeticError) as error:
        node.fail(str(error))
    if kind.name != whole.algorithm:
        refuse("algorithm", f"is {whole.algorithm!r}, but the parameters say {kind.name}")
    if whole.n_outputs != (1 if kind.two_classes else n_classes):
        refuse("start", f"{kind.name} does not vote with {whole.n_outputs} numbers")
    counted = {"pairs": 2 * n_classes, "squares": 2}.get(index.name, n_classes)
    if any(member.tree.n_classes != counted for member in whole.members):
        refuse("members[0].tree.counts", f"{kind.name} counts {counted} numbers at each node")
    return params


def _stated(clf: "BoostedTreeClassifier") -> dict[str, Any]:
    """Return what the certificate states, for readers of the file."""
    certificate = clf.certificate_
    return {
        "algorithm": certificate.algorithm,
        "n_rounds": certificate.n_rounds,
        **{name: _figure(getattr(certificate, name)) for name in _STATED},
        "findings": list(certificate.findings),
    }


def _check_certificate(clf: "BoostedTreeClassifier", saved: Saved) -> None:
    """Refuse an ensemble whose rounds do not bear out what its certificate states."""
    stated = Node(dict(saved.certificate or {}), "certificate")
    try:
        issued = _stated(clf)
    except (ArithmeticError, ValueError, TypeError) as error:
        stated.fail(f"none can be issued from these rounds ({error})")
    given = dict(zip(issued, stated.fields(*issued), strict=True))
    for name, own in issued.items():
        if name in _STATED and own is not None and given[name].value is not None:
            check_number(given[name], Node(own, name).number(infinite=True))
        elif name == "findings":
            told = [finding.text() for finding in given[name].items()]
            if bool(told) != bool(own):
                given[name].fail("are not those of these rounds")
        elif given[name].value != own:
            given[name].fail(f"is stated as {given[name].value!r}, but the rounds say {own!r}")
