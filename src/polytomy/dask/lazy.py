"""Lazy predictions for Dask collections."""

from typing import Any

import dask.array as da
import narwhals as nw
import numpy as np
from dask import compute, delayed
from sklearn.metrics import accuracy_score, r2_score

from polytomy._types import AnyArray
from polytomy.encode import Coded, decoded
from polytomy.estimators.base.input import check_known_columns, is_frame, names_of
from polytomy.estimators.base.models import BaseTreeModel

from .partitions import is_collection, table_parts


def _predicted(estimator: Any, method: str, like: AnyArray, X: Any) -> AnyArray:
    """Return the predictions for one partition; ``like`` is an empty array of them."""
    if len(X) == 0:
        return like
    known = getattr(estimator, "feature_names_in_", None)
    if known is not None and is_frame(X):
        check_known_columns(known, names_of(X))
        X = nw.from_native(X, eager_only=True).select(list(known)).to_native()
    return np.asarray(getattr(estimator, method)(X))


def _joined(cells: Any) -> Any:
    """Return the cells of a list of parts as one array; other cells as they are."""
    return (
        np.concatenate([np.asarray(part) for part in cells]) if isinstance(cells, list) else cells
    )


class LazyPredictions(BaseTreeModel):
    """Adds predictions for Dask collections to an estimator of ``polytomy``."""

    def predict(self, X: Any) -> Any:
        """Return the prediction for each row.

        Parameters
        ----------
        X : dask DataFrame, dask Array, list of delayed tables, or local rows
            The rows.

        Returns
        -------
        dask Array or ndarray of shape (n_rows,)
            The predictions, which are computed lazily for a Dask collection.
        """
        return self._predicted("predict", X)

    def apply(self, X: Any) -> Any:
        """Return the leaf of each row.

        Parameters
        ----------
        X : dask DataFrame, dask Array, list of delayed tables, or local rows
            The rows.

        Returns
        -------
        dask Array or ndarray
            Node numbers, as ``apply`` of the local estimator returns them.
        """
        return self._predicted("apply", X)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return the share of rows that are predicted correctly, or R2 for numbers.

        Parameters
        ----------
        X : dask DataFrame, dask Array, list of delayed tables, or local rows
            The rows.
        y : dask Series or Array, list of delayed arrays, array, or str, default=None
            The target, or the name of a column of ``X``.
        sample_weight : like y, default=None
            The weights of the rows.

        Returns
        -------
        float
            The score.
        """
        if not is_collection(X):
            return float(super().score(X, y, sample_weight))
        columns = [name for name in (y, sample_weight) if isinstance(name, str)]
        target = X[y] if isinstance(y, str) else y
        weights = X[sample_weight] if isinstance(sample_weight, str) else sample_weight
        predicted = self.predict(X.drop(columns=columns) if columns else X)
        found, target, weights = compute(predicted, target, weights)
        target, weights = (_joined(part) for part in (target, weights))
        metric = r2_score if self._is_numeric else accuracy_score
        return float(metric(target, found, sample_weight=weights))

    def _predicted(self, method: str, X: Any) -> Any:
        local = getattr(super(), method)
        if not is_collection(X):
            return local(X)
        schema = self._fitted_model().schema
        codes = tuple(np.zeros(1, dtype=np.uint8) for _ in schema)
        like = local(decoded(Coded(schema, codes, 1)))[:0]
        estimator = delayed(self, pure=True)
        width = like.shape[1:]
        known = X.chunks[0] if hasattr(X, "chunks") else None
        blocks = []
        given = table_parts(X)
        if given.names is not None and hasattr(self, "feature_names_in_"):
            check_known_columns(list(self.feature_names_in_), given.names)
            given = table_parts(X[list(self.feature_names_in_)])  # the others need not be read
        for i, part in enumerate(given.parts):
            n_rows = np.nan if known is None else known[i]
            found = delayed(_predicted)(estimator, method, like, part)
            blocks.append(da.from_delayed(found, (n_rows, *width), like.dtype, meta=like))
        return da.concatenate(blocks, allow_unknown_chunksizes=True)


class LazyProbabilities(LazyPredictions):
    """Adds probabilities for Dask collections to a classifier of ``polytomy``."""

    def predict_proba(self, X: Any) -> Any:
        """Return the probability of each class.

        Parameters
        ----------
        X : dask DataFrame, dask Array, list of delayed tables, or local rows
            The rows.

        Returns
        -------
        dask Array or ndarray of shape (n_rows, n_classes)
            The probabilities, which are computed lazily for a Dask collection.
        """
        return self._predicted("predict_proba", X)

    def predict_log_proba(self, X: Any) -> Any:
        """Return the logarithm of the probability of each class.

        Parameters
        ----------
        X : dask DataFrame, dask Array, list of delayed tables, or local rows
            The rows.

        Returns
        -------
        dask Array or ndarray of shape (n_rows, n_classes)
            The logarithms, which are computed lazily for a Dask collection.
        """
        return self._predicted("predict_log_proba", X)
