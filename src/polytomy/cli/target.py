"""The column to tell, and the weights: taken from a table, or refused in a line."""

from typing import TYPE_CHECKING

import numpy as np

from .bad_input import BadInputError

if TYPE_CHECKING:
    from polytomy._types import AnyArray, FloatArray

    from .sheet import Sheet

MOST_CLASSES = 10_000


def labels_in(sheet: "Sheet", target: str) -> "AnyArray":
    """Return the classes of all rows; none may be missing."""
    values = sheet.column(target)
    gone = missing_rows(values)
    if len(gone) == len(values):
        raise BadInputError(f"target {target!r} is missing in all {len(values)} rows")
    if len(gone):
        raise BadInputError(
            f"target {target!r} is missing in {len(gone)} of {len(values)} rows, first in row "
            f"{gone[0] + 1}; fill them in, or leave those rows out with --drop-unlabelled"
        )
    return _plain(values)


def _plain(values: "AnyArray") -> "AnyArray":
    """Return labels as text, booleans or whole numbers, so that 1 and 1.0 are one class."""
    cells = values.tolist()
    if values.dtype.kind == "O" and all(isinstance(c, bool) for c in cells):
        return np.array(cells, dtype=np.bool_)
    if values.dtype.kind in "OM":
        return np.array([str(c) for c in cells])
    whole = values.dtype.kind == "f" and (np.abs(values) < 2**53).all() and not (values % 1).any()
    return values.astype(np.int64) if whole else values


def checked_classes(labels: "AnyArray", target: str) -> None:
    """Refuse labels that no classifier can learn: one class only, or as good as one a row."""
    if labels.dtype.kind == "f" and (labels % 1 != 0).any():
        raise BadInputError(
            f"target {target!r} holds numbers with decimals, such as {labels[labels % 1 != 0][0]:g}"
            "; this tells classes apart: cut it into ranges first"
        )
    classes = np.unique(labels)
    n, rows = len(classes), len(labels)
    if n == 1:
        held = classes.tolist()[0]
        raise BadInputError(
            f"target {target!r} is {held!r} in all {rows} rows: there is nothing to tell apart"
        )
    if n > MOST_CLASSES or (n > rows / 2 and n > 20):
        raise BadInputError(
            f"target {target!r} has {n:,} different values in {rows:,} rows, too many to be classes"
        )


def with_labels(sheet: "Sheet", target: str) -> "Sheet":
    """Return the rows whose target is not missing."""
    values = sheet.column(target)
    gone = missing_rows(values)
    return sheet.take(np.delete(np.arange(len(values)), gone)) if len(gone) else sheet


def weights_in(sheet: "Sheet", name: str | None) -> "FloatArray | None":
    """Return a column of weights, or None without a name."""
    if name is None:
        return None
    values = sheet.column(name)
    if values.dtype.kind not in "iufb":
        raise BadInputError(f"weights {name!r} must be numbers; some cells are not")
    weights = np.asarray(values, dtype=np.float64)
    wrong = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if len(wrong):
        said = "missing" if np.isnan(weights[wrong[0]]) else f"{weights[wrong[0]]:g}"
        raise BadInputError(
            f"weights {name!r} must be numbers of at least 0; row {wrong[0] + 1} has {said}"
        )
    if not weights.any():
        raise BadInputError(f"weights {name!r} are 0 in all {len(weights)} rows")
    return weights


def missing_rows(values: "AnyArray") -> "AnyArray":
    """Return the places of missing cells."""
    from polytomy.table import is_missing

    if values.dtype.kind == "f":
        return np.flatnonzero(np.isnan(values))
    if values.dtype.kind in "mM":
        return np.flatnonzero(np.isnat(values))
    if values.dtype.kind != "O":
        return np.empty(0, dtype=np.intp)
    return np.array([i for i, v in enumerate(values.tolist()) if is_missing(v)], dtype=np.intp)
