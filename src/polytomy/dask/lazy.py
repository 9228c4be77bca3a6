"""Lazy predictions for Dask collections."""

from typing import Any

import dask.array as da
import numpy as np
from dask import delayed

from polytomy._types import AnyArray
from polytomy.encode import Coded, decoded

from .partitions import is_collection, table_parts


def _predicted(estimator: Any, method: str, like: AnyArray, X: Any) -> AnyArray:
    """Return the predictions for one partition; ``like`` is an empty array of them."""
    if len(X) == 0:
        return like
    return np.asarray(getattr(estimator, method)(X))


class LazyPredictions:
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

    def _predicted(self, method: str, X: Any) -> Any:
        local = getattr(super(), method)
        if not is_collection(X):
            return local(X)
        schema = self._fitted_model().schema  # type: ignore[attr-defined]
        codes = tuple(np.zeros(1, dtype=np.uint8) for _ in schema)
        like = local(decoded(Coded(schema, codes, 1)))[:0]
        estimator = delayed(self, pure=True)
        width = like.shape[1:]
        known = X.chunks[0] if hasattr(X, "chunks") else None
        blocks = []
        for i, part in enumerate(table_parts(X).parts):
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
