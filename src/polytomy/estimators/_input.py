"""What users of scikit-learn pass, to a table and labels, with scikit-learn's own checks."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_sample_weight,
    check_array,
    column_or_1d,
    validate_data,
)

from polytomy._errors import ParameterError, TargetError
from polytomy._types import AnyArray, FloatArray
from polytomy.encode import Schema
from polytomy.table import Table, checked_names, is_missing

_CHUNK = 1 << 16  # labels looked at together
_MOST = 1 << 16  # classes


def is_frame(data: Any) -> bool:
    """Return whether data have named columns, as a data frame or a Table has."""
    return hasattr(data, "columns") or hasattr(data, "column_names")


def table_of(
    estimator: BaseEstimator, X: Any, *, reset: bool, schema: Schema | None = None
) -> Table:
    """Return X as a table; remember its columns when fitting, compare them with those otherwise.

    ``schema`` is that of the fitted columns, for an estimator that is still at it.
    """
    data = X
    if is_frame(X):
        checked_names(_names(X))
    elif not _is_plain_matrix(X):
        matrix = _mixed(X) if isinstance(X, list | tuple) else X
        data = check_array(matrix, dtype=None, ensure_all_finite=False, estimator=estimator)
    try:
        validate_data(estimator, data, reset=reset, skip_check_array=True)
    except ValueError as error:
        raise ValueError(_with_remedy(estimator, X, str(error))) from None
    if not reset:  # what was a category when fitting is one now
        known = estimator._model.schema if schema is None else schema
        return Table.of(data, nominal=known.of_kind("nominal"))
    chosen = estimator.categorical_features
    nominal = () if _is_from_dtype(chosen) else _chosen_columns(chosen, data)
    return Table.of(data, nominal=nominal)


def _mixed(rows: Any) -> Any:
    """Return rows of text and numbers as objects: NumPy would turn the numbers into text."""
    plain = np.asarray(rows, dtype=None) if len(rows) else rows
    is_text = getattr(plain, "dtype", np.dtype(float)).kind in "US"
    return np.array(rows, dtype=object) if is_text else rows


def _is_plain_matrix(X: Any) -> bool:
    """Say whether X is an array that scikit-learn's checks, 60 us of them, would pass as it is."""
    return type(X) is np.ndarray and X.ndim == 2 and X.size > 0 and X.dtype.kind in "fiub"


def labels_of(y: Any, n_rows: int) -> tuple[AnyArray, AnyArray]:
    """Return the classes in order and each row's class number."""
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None")
    values = np.asarray(y)
    if values.ndim != 1:
        values = column_or_1d(values, warn=True)
    if len(values) != n_rows:
        raise TargetError(f"X has {n_rows} rows but y has {len(values)}")
    gone = _count_missing(values)
    if gone:
        raise TargetError(
            f"Input y contains NaN: {gone} of {n_rows} labels are missing. "
            "Drop those rows, for example with known = ~pandas.isna(y); X[known], y[known]"
        )
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        raise TargetError("Input y contains infinity; labels must be classes")
    if values.dtype.kind == "O":
        values = _comparable(values)
    if values.dtype.kind not in "iubUS":  # whole numbers and text are classes for sure
        check_classification_targets(values)
    return _numbered(values)


def check_classes(classes: AnyArray) -> None:
    """Refuse more classes than a tree can tell apart."""
    if len(classes) > _MOST:
        raise TargetError(
            f"y has {len(classes):,} classes, and a tree can tell {_MOST:,} apart; is it a number "
            "to predict? Then cut it into a few ranges first"
        )


def class_numbers(y: Any, n_rows: int, classes: AnyArray) -> AnyArray:
    """Return each row's place among classes that are known, -1 where it is of none of them."""
    given, numbers = labels_of(y, n_rows)
    known = {name: number for number, name in enumerate(np.asarray(classes).tolist())}
    return np.array([known.get(name, -1) for name in given.tolist()])[numbers]


def weights_of(
    X: Any, labels: tuple[AnyArray, AnyArray], sample_weight: Any, class_weight: Any
) -> FloatArray | None:
    """Return the rows' weights times their classes', or None where all are 1.

    ``labels`` are the classes, and each row's place among them.
    """
    weights = None
    if sample_weight is not None:
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64)
    if class_weight is not None:
        classes, places = labels
        own = compute_sample_weight(class_weight, classes[places])
        weights = own if weights is None else weights * own
    return weights


def renamed(table: Table, schema: Schema) -> Table:
    """Give an array's columns the names of the fitted frame; names were compared already."""
    return table if table.names == schema.names else table.with_names(schema.names)


def _numbered(values: AnyArray) -> tuple[AnyArray, AnyArray]:
    """Return the distinct values in order, and the place of each in as few bytes as it needs."""
    if values.dtype.kind in "iu" and int(values.max()) - int(values.min()) < 1 << 16:
        return _numbered_by_counting(values)
    classes, labels = np.unique(values, return_inverse=True)
    return classes, labels.astype(np.uint16 if len(classes) <= 1 << 16 else np.uint32)


def _numbered_by_counting(values: AnyArray) -> tuple[AnyArray, AnyArray]:
    """Do so for whole numbers of a small range: no sorting, and a little at a time.

    Whole arrays of offsets would be the most memory that fitting ten million rows takes.
    """
    wide = np.uint64 if values.dtype.kind == "u" else np.int64
    least = values.min().astype(wide)
    parts = [slice(at, at + _CHUNK) for at in range(0, len(values), _CHUNK)]
    present = np.zeros(int(values.max().astype(wide) - least) + 1, dtype=bool)
    for part in parts:
        present[(values[part].astype(wide) - least).astype(np.intp)] = True
    place = (np.cumsum(present) - 1).astype(np.uint16)
    labels = np.empty(len(values), dtype=np.uint16)
    for part in parts:
        labels[part] = place[(values[part].astype(wide) - least).astype(np.intp)]
    classes = np.flatnonzero(present).astype(wide) + least
    return classes.astype(values.dtype), labels


def _count_missing(values: AnyArray) -> int:
    if values.dtype.kind == "f":
        return int(np.isnan(values).sum())
    if values.dtype.kind in "mM":
        return int(np.isnat(values).sum())
    return sum(map(is_missing, values.tolist())) if values.dtype.kind == "O" else 0


def _comparable(values: AnyArray) -> AnyArray:
    kinds = {type(v).__name__ for v in values.tolist()}
    if len(kinds) > 1 and "str" in kinds:
        raise TypeError(
            f"y mixes {' and '.join(sorted(kinds))}; labels must be all text (string) or all "
            "numbers: convert them with y.astype(str)"
        )
    return values


def _is_from_dtype(chosen: Any) -> bool:
    return chosen is None or (isinstance(chosen, str) and chosen == "from_dtype")


def _chosen_columns(chosen: Any, data: Any) -> Sequence[str | int]:
    """Return the columns ``categorical_features`` names: a mask, positions or names."""
    picks = np.asarray(chosen)
    names = _names(data)
    if picks.ndim != 1 or picks.dtype.kind not in "biuUSO":
        raise ParameterError(
            f"categorical_features must be 'from_dtype', a mask, positions or names; got {chosen!r}"
        )
    if picks.dtype.kind == "b":
        if len(picks) != len(names):
            raise ParameterError(
                f"categorical_features is a mask of {len(picks)} for {len(names)} columns"
            )
        return np.flatnonzero(picks).tolist()
    return list(picks.tolist())


def _names(data: Any) -> list[str]:
    if not is_frame(data):
        return [f"x{j}" for j in range(data.shape[1])]
    if isinstance(data, Table):
        return list(data.names)
    names = getattr(data, "column_names", None)  # pyarrow's word for them
    return [str(n) for n in (data.columns if names is None else names)]


def _with_remedy(estimator: BaseEstimator, X: Any, message: str) -> str:
    known = getattr(estimator, "feature_names_in_", None)
    if known is None or not is_frame(X) or sorted(_names(X)) != sorted(known):
        return message
    arrow = hasattr(X, "column_names")  # a pyarrow table is not indexed by names
    names = "list(model.feature_names_in_)"
    picked = f"X.select({names})" if arrow else f"X[{names}]"
    return f"{message}To put them in order: X = {picked}\n"
