"""What a model file remembers of its training data: where the labels were, and which rows."""

from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any, Self

import numpy as np

from polytomy._types import AnyArray
from polytomy.table import Column, Nominal, Ranks, ScannedTable, Table

from .labelled import LabelledTable
from .reading import ReadingOptions


@dataclass(frozen=True, slots=True)
class TrainingRecord:
    """The file that a model was fitted on, and how its rows were read and split.

    Parameters
    ----------
    target : str or None
        The column to predict; None for a density tree.
    n_rows : int
        The number of rows of the file, without those whose target is missing if they were left out.
    n_fitted : int
        The number of rows that the model was fitted on; the others were held out as test rows.
    version : str
        The version of polytomy that fitted the model.
    time : str, default=None
        When, in UTC: "2026-01-31T12:00:00Z".
    test_fraction : float, default=0.0
        The fraction of rows that was held out.
    seed : int, default=0
        The random seed that chose them.
    weights : str, default=None
        The column with the weights of the rows.
    drop_unlabelled : bool, default=False
        Whether rows without a target were left out.
    reading : ReadingOptions, default=ReadingOptions()
        How text was read.
    fingerprint : str, default=None
        A hash of all rows of the file, in their order; see ``fingerprint_of``.
    chosen_on : str, default=None
        The fingerprint of the rows on which pruning chose the size of the tree.
    """

    target: str | None
    n_rows: int
    n_fitted: int
    version: str
    time: str | None = None
    test_fraction: float = 0.0
    seed: int = 0
    weights: str | None = None
    drop_unlabelled: bool = False
    reading: ReadingOptions = field(default_factory=ReadingOptions)
    fingerprint: str | None = None
    chosen_on: str | None = None

    def on_other_rows(self, n_rows: int) -> Self:
        """Return the record of a model with the same columns that was fitted on other rows.

        Parameters
        ----------
        n_rows : int
            The number of those rows, which are not known to be those of a file.

        Returns
        -------
        TrainingRecord
            The record, with the target and the formats of this one.
        """
        unknown: dict[str, Any] = {"test_fraction": 0.0, "seed": 0, "fingerprint": None}
        return replace(self, n_rows=n_rows, n_fitted=n_rows, chosen_on=None, **unknown)


def fingerprint_of(rows: LabelledTable) -> str:
    """Return a hash of the rows with their labels and weights, which depends on their order.

    Numbers count by their value, and categories by their text, whatever types they have.

    Parameters
    ----------
    rows : LabelledTable
        The rows.

    Returns
    -------
    str
        32 hexadecimal digits.

    Examples
    --------
    >>> whole, real = np.array([1, 2]), np.array([1.0, 2.0])
    >>> made = [LabelledTable(Table.of({"x": x}), x, None, "y") for x in (whole, real, real[::-1])]
    >>> a, b, c = map(fingerprint_of, made)
    >>> a == b, a == c
    (True, False)
    """
    return fingerprint_of_table(rows.table, rows.labels, rows.weights)


def fingerprint_of_table(table: Table, labels: AnyArray | None, weights: AnyArray | None) -> str:
    """Return the fingerprint of a table with labels and weights, if there are any.

    Parameters
    ----------
    table : Table
        The columns. Those of a scanned table are read once.
    labels, weights : array or None
        The labels and the weights of the rows.

    Returns
    -------
    str
        32 hexadecimal digits.
    """
    hashes = {name: blake2b(digest_size=16) for name in table.names}
    parts: Any = [(0, table)]
    if isinstance(table, ScannedTable):
        parts = table.parts()
    for _, part in parts:
        for column in part.columns:
            hashes[column.name].update(_bytes_of(column))
    whole = blake2b(digest_size=16)
    for name, digest in hashes.items():
        whole.update(repr(name).encode())
        whole.update(digest.digest())
    for values in (labels, weights):
        if values is not None:
            whole.update(_bytes_of_labels(values))
    return whole.hexdigest()


def _bytes_of(column: Column) -> bytes:
    if isinstance(column, Nominal):
        return _bytes_of_codes(column.codes, column.categories)
    if isinstance(column.scale, Ranks) and column.values.dtype.kind != "b":
        return _bytes_of_codes(column.values, column.scale.labels)
    return _bytes_of_numbers(column.values)


def _bytes_of_codes(codes: AnyArray, categories: Any) -> bytes:
    """Return a hash of the category of each row; a missing cell, -1, takes the last entry."""
    digests = [blake2b(repr(c).encode(), digest_size=8).digest() for c in categories]
    table = np.frombuffer(b"".join([*digests, bytes(8)]), dtype=np.int64)
    return table[codes].tobytes()


def _bytes_of_numbers(values: AnyArray) -> bytes:
    if values.dtype.kind in "mM":
        return values.view(np.int64).tobytes()
    numbers = values.astype(np.float64) + 0.0  # -0.0 becomes 0.0
    numbers[np.isnan(numbers)] = np.nan
    return numbers.tobytes()


def _bytes_of_labels(labels: AnyArray) -> bytes:
    if labels.dtype.kind in "biuf":
        return _bytes_of_numbers(labels)
    return "\x00".join(map(str, labels.tolist())).encode("utf-8", "surrogatepass")
