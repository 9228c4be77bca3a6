"""Model files: saving, loading and verifying fitted estimators.

An estimator registers the kind of model file that holds it with ``stored_as``, and ``load`` chooses
the class by the kind of the document. The estimators turn their fitted state into plain data and
back; ``docs/reference/format`` specifies the result.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from polytomy import __version__
from polytomy._errors import ParameterError
from polytomy.boost import Checkpoint, EarlyStopping
from polytomy.certify.verify import Report
from polytomy.costs import Costs
from polytomy.density import DensityModel
from polytomy.format import (
    ModelFormatError,
    Node,
    Saved,
    load_file,
    load_saved,
    refuse,
    to_bytes,
    to_document,
    write_bytes,
)
from polytomy.grow import GrowParams
from polytomy.io import TrainingRecord
from polytomy.prune import PRUNERS

from .parameters import GROWTH

if TYPE_CHECKING:
    from .models import BaseTreeModel

PARAMETER_OBJECTS: dict[str, type[Any]] = {
    **PRUNERS,
    "early-stopping": EarlyStopping,
    "checkpoint": Checkpoint,
}
"""The classes of the objects that may be parameters, by their names in model files."""

_PATHS = ("checkpoint",)  # parameters that name files, which no model file may decide

_KINDS: dict[str, "type[BaseTreeModel]"] = {}  # by the kind of the document
_ALIKE: set["type[BaseTreeModel]"] = set()  # subclasses whose models are those of their base
_Class = TypeVar("_Class", bound="type[BaseTreeModel]")
_Parameter = TypeVar("_Parameter", bound=type[Any])


def stored_as(kind: str) -> Callable[[_Class], _Class]:
    """Register an estimator as the class of model files of a kind."""

    def register(cls: _Class) -> _Class:
        _KINDS[kind] = cls
        return cls

    return register


def stored_as_parameter(name: str) -> Callable[[_Parameter], _Parameter]:
    """Register the class of objects that may be parameters, by its name in model files."""

    def register(cls: _Parameter) -> _Parameter:
        PARAMETER_OBJECTS[name] = cls
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


def grow_params_to_plain(params: GrowParams) -> dict[str, Any]:
    """Return growth parameters as plain data."""
    return {name: getattr(params, name) for name in GROWTH}


def grow_params_from_plain(node: Node, **stored_elsewhere: Any) -> GrowParams:
    """Return the growth parameters of a model file, checked."""
    values = {n: part.value for n, part in zip(GROWTH, node.fields(*GROWTH), strict=True)}
    if not isinstance(values["index"], str):
        node.member("index").fail("must be the name of an index")
    try:
        return GrowParams(**values, **stored_elsewhere)
    except (ValueError, TypeError, ArithmeticError) as error:
        node.fail(str(error))


def remember(clf: "BaseTreeModel", record: TrainingRecord | None) -> None:
    """Attach what is known of the training data to a fitted estimator.

    Estimators that are derived from it, by pruning or editing, copy the record with the rest of its
    attributes; a new fit drops it (``SnapshotEstimator._draft``).

    Parameters
    ----------
    clf : TreeClassifier, ForestRegressor, DensityTree, ...
        The estimator.
    record : TrainingRecord or None
        The record; it holds for this fit only.
    """
    clf._training_record = record


def forget_choice(clf: "BaseTreeModel") -> None:
    """Drop the rows that chose the size of a tree from its record: it has another size now.

    Parameters
    ----------
    clf : TreeClassifier, TreeRegressor or DensityTree
        The estimator.
    """
    record = record_of(clf)
    if record is not None:
        remember(clf, replace(record, chosen_on=None))


def record_of(clf: "BaseTreeModel") -> TrainingRecord | None:
    """Return what is known of the training data of a fitted estimator, or None.

    Parameters
    ----------
    clf : TreeClassifier, ForestRegressor, DensityTree, ...
        The estimator.

    Returns
    -------
    TrainingRecord or None
        The record, unless the estimator was fitted again.
    """
    record: TrainingRecord | None = getattr(clf, "_training_record", None)
    return record
