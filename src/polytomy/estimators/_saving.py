"""Fitted classifiers to model files; what reads them again, and knows the classes, is ``_files``.

Here they are told apart by what they have: the classes themselves offer ``save`` and import this.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from polytomy import __version__
from polytomy._errors import ParameterError
from polytomy.boost import Checkpoint, EarlyStopping
from polytomy.format import ModelFormatError, Saved, refuse, to_bytes, to_document, write_bytes
from polytomy.prune import PRUNERS

from ._boosted_files import saved_of_boosted
from ._grown_with import to_grown_with
from ._pruning import plan_of

KNOWN: dict[str, type[Any]] = {
    **PRUNERS,
    "early-stopping": EarlyStopping,
    "checkpoint": Checkpoint,
}
"""The objects that may stand among the parameters."""

_MOST_JOBS = 1 << 16
_HOME = __name__.rpartition(".")[0]


def save(clf: Any, path: Any) -> None:
    """Write a fitted classifier to a model file: one JSON document of plain data.

    Writing is atomic: whoever reads the path finds the old file or the new one, whole. A model
    that no file can hold, for instance one grown by an index function of your own, is refused with
    a ``ModelFormatError`` that says what to do.

    Parameters
    ----------
    clf : TreeClassifier or BoostedTreeClassifier
        A fitted classifier.
    path : str or path
        The file; compressed where its name ends in ``.gz``.
    """
    write_bytes(path, to_file_bytes(clf))


def to_file_bytes(clf: Any) -> bytes:
    """Return what ``save`` writes, not compressed."""
    if type(clf).__module__.rpartition(".")[0] != _HOME:  # a subclass may know more than we do
        refuse("", f"a {type(clf).__name__} is no classifier that a model file can hold")
    check_is_fitted(clf)
    parameters = clf.get_params(deep=False)
    try:
        check_parameters(clf)
    except ModelFormatError:
        raise
    except (ValueError, TypeError) as error:  # set since fitting, and nothing to fit with
        raise ModelFormatError(f"the parameters cannot be saved: {error}") from error
    facts: dict[str, Any] = {
        "parameters": parameters,
        "named_columns": hasattr(clf, "feature_names_in_"),
        "library": f"polytomy {__version__}",
    }
    saved = saved_of_boosted(clf, facts) if _is_boosted(clf) else _saved_of_tree(clf, facts)
    return to_bytes(to_document(saved, KNOWN))


def _saved_of_tree(clf: Any, facts: dict[str, Any]) -> Saved:
    fitted = {
        "class_weight": clf._class_weight,
        "max_bins": clf._max_bins,
        "n_rows": clf._n_rows,
        "grown_with": to_grown_with(clf._grown_with),
    }
    return Saved(clf._model, **facts, fitted=fitted, held_out=clf.held_out_)


def check_parameters(clf: Any) -> None:
    """Refuse parameters that fitting would refuse, but for those that are about the rows."""
    if _is_boosted(clf):
        clf._boost_params()
        EarlyStopping.of(clf.early_stopping)
        _check_flag("warm_start", clf.warm_start)
    else:
        plan = plan_of(clf.max_leaves, clf.overgrow, clf.pruner, clf.procedure)
        clf._grow_params(plan.max_leaves)
        _check_flag("contract", clf.contract)
        if not isinstance(clf.index, str):
            raise ParameterError("index must be the name of an index: a model file holds no code")
    _check_whole("max_bins", clf.max_bins, 2)
    _check_whole("verbose", clf.verbose, 0)
    if clf.n_jobs is not None:
        _check_whole("n_jobs", clf.n_jobs, -_MOST_JOBS)
        if clf.n_jobs == 0 or clf.n_jobs > _MOST_JOBS:
            raise ParameterError(f"n_jobs must not be {clf.n_jobs}")
    check_class_weight("parameters.class_weight", clf.class_weight)


def _is_boosted(clf: Any) -> bool:
    return hasattr(clf, "_boost_params")


def _check_whole(name: str, value: Any, least: int) -> None:
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or value < least:
        raise ParameterError(f"{name} must be an integer of at least {least}, got {value!r}")


def _check_flag(name: str, value: Any) -> None:
    if not isinstance(value, bool | np.bool_):
        raise ParameterError(f"{name} must be True or False, got {value!r}")


def check_class_weight(place: str, value: Any) -> None:
    if value is None or (isinstance(value, str) and value == "balanced"):
        return
    if not isinstance(value, Mapping):
        refuse(place, f"must be a dictionary, 'balanced' or None, not {value!r}")
    for weight in value.values():
        number = isinstance(weight, int | float | np.integer | np.floating)
        if not number or not 0 <= weight < float("inf"):
            refuse(place, f"weights must be finite and not negative, not {weight!r}")
