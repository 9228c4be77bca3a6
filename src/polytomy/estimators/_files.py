"""Model files to fitted classifiers, and, from ``_saving``, back."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from polytomy.ensemble import Ensemble
from polytomy.format import (
    ModelFormatError,
    Node,
    Saved,
    load_file,
    load_saved,
    refuse,
)
from polytomy.model import Model

from ._boosted_files import boosted_of
from ._grown_with import from_grown_with
from ._saving import KNOWN, check_class_weight, check_parameters, save, to_file_bytes
from .boosted import BoostedTreeClassifier
from .classifier import TreeClassifier

Estimator = TreeClassifier | BoostedTreeClassifier


def load(path: Any) -> Estimator:
    """Read a fitted classifier from a model file, compressed or not.

    Nothing in the file is executed and everything in it is checked; the certificate is worked out
    anew and compared with what the file states. A tree that asks questions of your own needs their
    module to be imported first.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    TreeClassifier or BoostedTreeClassifier
        It predicts, prints, certifies, verifies and prunes like the one that was saved.

    Raises
    ------
    ModelFormatError
        Where the file is no model file, was damaged, or is of a newer format. It says where.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = TreeClassifier(max_leaves=4).fit(X, y)
    >>> with TemporaryDirectory() as folder:
    ...     save(clf, Path(folder) / "iris.json")
    ...     again = load(Path(folder) / "iris.json")
    >>> again.to_text() == clf.to_text(), str(again.certificate_) == str(clf.certificate_)
    (True, True)
    """
    return load_file(path, KNOWN, _estimator)


def load_bytes(data: bytes) -> Estimator:
    """Return the classifier that the bytes of a model file hold."""
    return load_saved(data, KNOWN, _estimator)


def _estimator(saved: Saved) -> Estimator:
    model = saved.model
    cls = BoostedTreeClassifier if isinstance(model, Ensemble) else TreeClassifier
    clf = _with_parameters(cls, saved.parameters)
    clf.n_features_in_ = len(model.schema)
    if saved.named_columns:
        clf.feature_names_in_ = np.array(model.schema.names, dtype=object)
    clf.classes_ = model.classes
    if isinstance(clf, BoostedTreeClassifier):
        return boosted_of(clf, saved)
    return _tree_of(clf, saved)


def _tree_of(clf: TreeClassifier, saved: Saved) -> TreeClassifier:
    """Make an unfitted classifier the one that was saved."""
    model = saved.model
    assert isinstance(model, Model)
    names = ("class_weight", "max_bins", "n_rows", "grown_with")
    weight, max_bins, n_rows, grown_with = Node(dict(saved.fitted), "fitted").fields(*names)
    check_class_weight(weight.place, weight.value)
    if (weight.value is not None) != (model.run.weighting == "classes"):
        refuse("run.weighting", f"does not fit {weight.place}")
    clf._grown_with = from_grown_with(grown_with)
    if clf._grown_with.procedure != model.run.rules.procedure:
        grown_with.fail("the procedure is not that of the run")
    held = saved.held_out
    clf._n_rows = n_rows.whole(int(model.grown.rows[0]) + (0 if held is None else len(held)))
    if held is not None and held[-1] >= clf._n_rows:
        refuse("held_out", f"there are {clf._n_rows} rows, and no row {held[-1]}")
    clf._class_weight, clf._max_bins = weight.value, max_bins.whole(2)
    clf.held_out_, clf._model = held, model
    return clf


def _with_parameters(cls: type[Any], parameters: Mapping[str, Any]) -> Any:
    """Return an estimator with parameters that fitting would accept."""
    names = set(cls._get_param_names())
    unknown = sorted(set(parameters) - names)
    if unknown:
        refuse(f"parameters.{unknown[0]}", f"{cls.__name__} has no such parameter")
    clf = cls(**parameters)
    try:
        check_parameters(clf)
    except ModelFormatError:
        raise
    except (ValueError, TypeError, ArithmeticError) as error:
        refuse("parameters", str(error))
    return clf


__all__ = ["load", "load_bytes", "save", "to_file_bytes"]
