"""Model files: saving, loading and verifying fitted estimators.

An estimator registers the kind of model file that holds it with ``stored_as``, and ``load`` chooses
the class by the kind of the document. The functions below turn the fitted state of each class into
plain data and back; ``docs/reference/format`` specifies the result.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from polytomy import __version__
from polytomy._errors import ParameterError
from polytomy._numbers import is_integer
from polytomy.boost import (
    BoostCertificate,
    BoostParams,
    Checkpoint,
    EarlyStopping,
    Progress,
    resolve_earlier,
    rounds_from_plain,
    rounds_to_plain,
)
from polytomy.certify.verify import Report
from polytomy.costs import Costs
from polytomy.density import DensityModel
from polytomy.encode import checked_max_bins
from polytomy.ensemble import Ensemble
from polytomy.estimators.ensembles.learners import NO_FILE, LearnerFamily
from polytomy.estimators.fitting.teacher import Teacher
from polytomy.forest import ForestParams, NumbersOutOfBag, OutOfBag
from polytomy.format import (
    ModelFormatError,
    Node,
    Saved,
    check_number,
    load_file,
    load_saved,
    plain_number,
    refuse,
    to_bytes,
    to_document,
    write_bytes,
)
from polytomy.grow import GrowParams
from polytomy.index import index_of_moments
from polytomy.model import Model
from polytomy.prune import PRUNERS

from .memory import record_of, remember
from .parameters import BOOSTING, FOREST_ROWS, GROWTH, FitRecord

if TYPE_CHECKING:
    from .models import BaseTreeModel

PARAMETER_OBJECTS: dict[str, type[Any]] = {
    **PRUNERS,
    "early-stopping": EarlyStopping,
    "checkpoint": Checkpoint,
    "teacher": Teacher,
}
"""The classes of the objects that may be parameters, by their names in model files."""

_MAX_JOBS = 1 << 16

_PATHS = ("checkpoint",)  # parameters that name files, which no model file may decide

_BOUNDS = ("bound", "exponential_bound", "training_error")

_KINDS: dict[str, "type[BaseTreeModel]"] = {}  # by the kind of the document

_ALIKE: set["type[BaseTreeModel]"] = set()  # subclasses whose models are those of their base

_Class = TypeVar("_Class", bound="type[BaseTreeModel]")


def stored_as(kind: str) -> Callable[[_Class], _Class]:
    """Register an estimator as the class of model files of a kind."""

    def register(cls: _Class) -> _Class:
        _KINDS[kind] = cls
        return cls

    return register


def stored_as_base(cls: _Class) -> _Class:
    """Register a subclass whose fitted state is that of its base, and is loaded as such."""
    _ALIKE.add(cls)
    return cls


def save(clf: "BaseTreeModel", path: Any) -> None:
    """Write a fitted estimator to a model file: one JSON document of plain data.

    The file is replaced in one step: if writing fails, an existing file stays as it was.

    Parameters
    ----------
    clf : TreeClassifier, ForestRegressor, DensityTree, ...
        A fitted estimator.
    path : str or path-like
        The file to write. It is compressed if the name ends in ``.gz``.

    Raises
    ------
    ModelFormatError
        If the file cannot be written, or the model contains code of your own, such as an index
        function, that a model file cannot hold.
    """
    write_bytes(path, to_file_bytes(clf))


def to_file_bytes(clf: "BaseTreeModel") -> bytes:
    """Return the uncompressed content of a model file."""
    if type(clf) not in {*_KINDS.values(), *_ALIKE}:  # a subclass may have state that would be lost
        refuse("", f"a model file cannot hold a {type(clf).__name__}")
    check_is_fitted(clf)
    try:
        clf._check_parameters()
    except ModelFormatError:
        raise
    except (ValueError, TypeError) as error:  # set after fitting
        raise ModelFormatError(f"the parameters cannot be saved: {error}") from error
    saved = Saved(
        **clf._saved_parts(),
        parameters=clf._saved_parameters(),
        named_columns=hasattr(clf, "feature_names_in_"),
        library=f"polytomy {__version__}",
        training=record_of(clf),
    )
    return to_bytes(to_document(saved, PARAMETER_OBJECTS))


def load(path: Any) -> Any:
    """Read a fitted estimator from a model file.

    Nothing in the file is executed, and every value in it is checked. The certificate is computed
    again and compared with the one in the file. If a tree has splits by a family of your own,
    import the module of that family first.

    Parameters
    ----------
    path : str or path-like
        The file to read, compressed or not.

    Returns
    -------
    TreeClassifier, TreeRegressor, ForestClassifier, ForestRegressor, ...
        A fitted estimator of the class that was saved, with the same predictions, text and
        certificate.

    Raises
    ------
    ModelFormatError
        If the file is not a polytomy model file, is damaged, or has a newer format. The message
        names the place in the file.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from sklearn.datasets import load_iris
    >>> from polytomy import TreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = TreeClassifier(max_leaves=4).fit(X, y)
    >>> with TemporaryDirectory() as folder:
    ...     clf.save(Path(folder) / "iris.json")
    ...     again = load(Path(folder) / "iris.json")
    >>> again.to_text() == clf.to_text(), str(again.certificate_) == str(clf.certificate_)
    (True, True)
    """
    return load_file(path, PARAMETER_OBJECTS, _to_estimator)


def load_bytes(data: bytes) -> Any:
    """Return the fitted estimator in the content of a model file."""
    return load_saved(data, PARAMETER_OBJECTS, _to_estimator)


def verify(clf: Any, X: Any, y: Any = None, sample_weight: Any = None) -> Report:
    """Check a fitted estimator, its record and its certificate against its training data.

    The rows are sent down the trees again, in plain NumPy, by code that shares nothing with the
    code that grew them. For a tree, the counts or moments of every node, the gains, gammas, bounds
    and the conditions of the theorem are recomputed and compared with the stated ones. For a
    boosted model, the start votes, the node weights and leaf votes of every tree, the figures of
    every round (errors, Z, bounds) and the certificate are. For a density tree, which has no
    certificate, the bins, boxes, shares and densities of every node are, and the log-density of
    every row; a second fit checks the splits. Numbers must agree to a relative tolerance of 1e-9.

    Parameters
    ----------
    clf : TreeClassifier, ForestRegressor, DensityTree, ...
        A fitted estimator.
    X : array or data frame of shape (n_rows, n_columns), or lazy table
        The rows passed to ``fit``. Their order matters only if some rows were held out.
    y : array of shape (n_rows,) or str, default=None
        The classes, or the numbers, passed to ``fit``; for a lazy table the name of a column, or
        None for the target of a scan. A density tree ignores it.
    sample_weight : array of shape (n_rows,), default=None
        The weights passed to ``fit``.

    Returns
    -------
    Report
        ``ok`` is True if there are no discrepancies. ``findings`` lists the discrepancies and
        ``notes`` the facts that could not be checked.

    Notes
    -----
    A column that no split uses, and that never offered the best split, may hold other values within
    the same bins: nothing in the model depends on them.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from polytomy import BoostedTreeClassifier, TreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = TreeClassifier(max_leaves=4).fit(X, y)
    >>> verify(clf, X, y).ok
    True
    >>> print(verify(clf, X[1:], y[1:]).findings[0])
    sample: the number of rows is stated as 150, found 149
    >>> verify(BoostedTreeClassifier(5).fit(X, y), X, y).ok
    True
    """
    known: tuple[type[Any], ...] = tuple(_KINDS.values())
    if not isinstance(clf, known):
        names = ", ".join(sorted(cls.__name__ for cls in known))
        raise ParameterError(f"verify takes one of {names}; not a {type(clf).__name__}")
    check_is_fitted(clf)
    report: Report = clf._verify(X, y, sample_weight)
    return report


def check_common_parameters(clf: Any) -> None:
    """Raise an error for values that no estimator accepts in the parameters that all have."""
    checked_max_bins(clf.max_bins)
    check_integer("verbose", clf.verbose, 0)
    if clf.n_jobs is not None:
        check_integer("n_jobs", clf.n_jobs, -_MAX_JOBS)
        if clf.n_jobs == 0 or clf.n_jobs > _MAX_JOBS:
            raise ParameterError(f"n_jobs must not be {clf.n_jobs}")
    _check_class_weight("parameters.class_weight", getattr(clf, "class_weight", None))


def check_flag(name: str, value: Any) -> None:
    """Raise an error if a parameter is not a bool."""
    if not isinstance(value, bool | np.bool_):
        raise ParameterError(f"{name} must be True or False, got {value!r}")


def check_integer(name: str, value: Any, least: int) -> None:
    """Raise an error if a parameter is not an integer of at least ``least``."""
    if not is_integer(value) or value < least:
        raise ParameterError(f"{name} must be an integer of at least {least}, got {value!r}")


def _check_class_weight(place: str, value: Any) -> None:
    if value is None or (isinstance(value, str) and value == "balanced"):
        return
    if not isinstance(value, Mapping):
        refuse(place, f"must be a dictionary, 'balanced' or None, not {value!r}")
    for weight in value.values():
        is_number = isinstance(weight, int | float | np.integer | np.floating)
        if not is_number or not 0 <= weight < float("inf"):
            refuse(place, f"weights must be finite and not negative, not {weight!r}")


def _to_estimator(saved: Saved) -> Any:
    """Return a fitted estimator of the class that is registered for the document's kind."""
    model = saved.model
    clf = _with_parameters(_KINDS[saved.kind], saved.parameters)
    clf.n_features_in_ = len(model.schema)
    if saved.named_columns:
        clf.feature_names_in_ = np.array(model.schema.names, dtype=object)
    if not isinstance(model, DensityModel) and is_classifier(clf):
        clf.classes_ = model.classes
        _check_cost_matrix(clf)
    clf = clf._restore(saved)
    remember(clf, saved.training)
    return clf


def _check_cost_matrix(clf: Any) -> None:
    """Refuse costs that ``fit`` would reject for the classes of a model."""
    costs = getattr(clf, "cost_matrix", None)
    try:
        if costs is not None:
            Costs.of(costs, clf.classes_)
    except (ValueError, TypeError) as error:
        refuse("parameters.cost_matrix", str(error))


def _with_parameters(cls: type[Any], parameters: Mapping[str, Any]) -> Any:
    """Return an unfitted estimator, or refuse parameters that ``fit`` would reject."""
    unknown = sorted(set(parameters) - set(cls._get_param_names()))
    if unknown:
        refuse(f"parameters.{unknown[0]}", f"{cls.__name__} has no such parameter")
    clf = cls(**{name: None if name in _PATHS else v for name, v in parameters.items()})
    try:
        clf._check_parameters()
    except ModelFormatError:
        raise
    except (ValueError, TypeError, ArithmeticError) as error:
        refuse("parameters", str(error))
    return clf


def tree_parts(model: Model, record: FitRecord) -> dict[str, Any]:
    """Return the model and the fitted state of a tree, as arguments of ``Saved``."""
    fitted = {
        **({} if model.is_numeric else {"class_weight": record.class_weight}),
        "max_bins": record.max_bins,
        "n_rows": record.n_rows,
        "grown_with": _from_grow_params(record.params),
        **({} if record.smoothing is None else {"smoothing": record.smoothing}),
    }
    return {"model": model, "fitted": fitted, "held_out": record.held_out}


def read_tree_parts(saved: Saved) -> tuple[Model, FitRecord]:
    """Return the model and the fitted state that ``tree_parts`` wrote, checked."""
    model, held_out = saved.model, saved.held_out
    assert isinstance(model, Model)
    fitted, names = Node(dict(saved.fitted), "fitted"), ("max_bins", "n_rows", "grown_with")
    of_classes = () if model.is_numeric else ("class_weight",)
    smoothed = ("smoothing",) if "smoothing" in saved.fitted and of_classes else ()
    max_bins, rows, grown_with, *rest = fitted.fields(*names, *of_classes, *smoothed)
    weights, added = rest[: len(of_classes)], [part.number() for part in rest[len(of_classes) :]]
    if any(value < 0 for value in added):
        fitted.member("smoothing").fail("must not be negative")
    for weight in weights:
        _check_class_weight(weight.place, weight.value)
        weighting = "costs" if model.costs is not None else "classes"
        expected = weight.value is not None or model.costs is not None
        if expected != (model.run.weighting in ("classes", "costs")) or (
            expected and model.run.weighting != weighting
        ):
            refuse("run.weighting", f"does not agree with {weight.place} and the costs")
    rules = model.run.rules  # the constraints are stored there alone
    held = replace(rules.constraints, cost_unit=None)
    params = _to_grow_params(grown_with, monotonic=rules.monotonic, constraints=held)
    if params.procedure != rules.procedure:
        grown_with.fail("the procedure is not that of the run")
    if params.index != model.run.index.name:
        grown_with.fail("the index is not that of the run")
    n_rows = rows.whole(int(model.grown.rows[0]) + (0 if held_out is None else len(held_out)))
    if held_out is not None and held_out[-1] >= n_rows:
        refuse("held_out", f"row {held_out[-1]} does not exist: there are {n_rows} rows")
    bins = "auto" if max_bins.value == "auto" else max_bins.whole(2)
    class_weight = weights[0].value if weights else None
    smoothing = added[0] if added else None
    return model, FitRecord(params, class_weight, bins, n_rows, held_out, smoothing)


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
            "grow": _from_grow_params(state.params.grow),
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
            "grow": _from_grow_params(params.grow),
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
    grown = _to_grow_params(grow)
    try:
        values = {name: part.value for name, part in zip(FOREST_ROWS, own, strict=True)}
        params = ForestParams(**values, grow=grown)
    except (ValueError, TypeError, ArithmeticError) as problem:
        parameters.fail(str(problem))
    if model.is_numeric and grown.index != index_of_moments(model.members[0].tree.counts).name:
        grow.member("index").fail("is not that of the moments of the trees")
    _check_class_weight(of_target.place, weight)
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


def _from_grow_params(params: GrowParams) -> dict[str, Any]:
    return {name: getattr(params, name) for name in GROWTH}


def _to_grow_params(node: Node, **stored_elsewhere: Any) -> GrowParams:
    values = {n: part.value for n, part in zip(GROWTH, node.fields(*GROWTH), strict=True)}
    if not isinstance(values["index"], str):
        node.member("index").fail("must be the name of an index")
    try:
        return GrowParams(**values, **stored_elsewhere)
    except (ValueError, TypeError, ArithmeticError) as error:
        node.fail(str(error))


def _to_boost_params(node: Node, whole: Ensemble) -> BoostParams:
    *own, grow = node.fields(*BOOSTING, "grow")
    grown = _to_grow_params(grow)
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
