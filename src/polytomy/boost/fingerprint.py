"""The fingerprint of a run: equal fingerprints give equal ensembles."""

from collections.abc import Sequence
from dataclasses import fields
from hashlib import sha256
from numbers import Real
from typing import Any

import numpy as np

from polytomy.encode import NominalColumn, Schema, sort_categories
from polytomy.table import Nominal, Table

from .params import BoostParams
from .sample import BoostingSample, HeldOut

_NOT_FOR_BOOSTING = ("index", "branch_price", "columns_per_node", "seed", "constraints")


def fingerprint(
    sample: BoostingSample,
    params: BoostParams,
    held_out: HeldOut | None = None,
    hashes: Sequence[int] | None = None,
) -> dict[str, str]:
    """Return hashes and text that identify the columns, the rows and the parameters of a run.

    The order of the training rows does not matter, as it does not for the ensemble.

    Parameters
    ----------
    sample : BoostingSample
        The training rows.
    params : BoostParams
        The parameters.
    held_out : HeldOut, optional
        The held-out rows.
    hashes : sequence of int, optional
        The sums of ``row_hashes`` over the parts of the training rows, if ``sample`` does not have
        them all.

    Returns
    -------
    dict of str
        The entries "columns", "rows" and "parameters".
    """
    sums = [n % 2**64 for n in (row_hashes(sample) if hashes is None else hashes)]
    text = f"{sample.n_classes} classes {sample.n_all} rows {sums}"
    rows = sha256(text.encode())
    if held_out is not None:
        _update_table(rows, held_out.table)
        _update(rows, held_out.labels)
        _update(rows, held_out.shares)
    return {
        "columns": _of_schema(sample.coded.schema),
        "rows": rows.hexdigest(),
        "parameters": _of_params(params),
    }


def _of_schema(schema: Schema) -> str:
    digest = sha256()
    for spec in schema:
        digest.update(f"{spec.kind} {spec.name!r} {spec.has_missing}".encode())
        if isinstance(spec, NominalColumn):
            digest.update(repr(spec.categories).encode())
        else:
            _update(digest, spec.low)
            _update(digest, spec.high)
    return digest.hexdigest()


def row_hashes(sample: BoostingSample) -> list[int]:
    """Return two sums of hashes, which identify training rows in any order.

    Parameters
    ----------
    sample : BoostingSample
        The training rows, or a part of them.

    Returns
    -------
    list of int
        The sums, modulo 2^64.
    """
    hashes = sample.coded.row_hashes(sample.labels, sample.shares.view(np.uint64))
    sums = []
    for _ in range(2):
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1)):
            hashes ^= hashes >> np.uint64(shift)  # every bit comes to affect every other
            hashes *= np.uint64(factor)
        sums.append(int(hashes.sum()))
    return sums


def _of_params(params: BoostParams) -> str:
    grow = params.grow
    texts = [
        f"{f.name}={_text_of(getattr(grow, f.name))}"
        for f in fields(grow)
        if f.name not in _NOT_FOR_BOOSTING
    ]
    texts += [
        f"{f.name}={_text_of(getattr(params, f.name))}" for f in fields(params) if f.name != "grow"
    ]
    return " ".join(texts)


def _text_of(value: Any) -> str:
    """Return a parameter as text that is the same in every process."""
    if isinstance(value, list | tuple):
        return f"({','.join(map(_text_of, value))})"
    if callable(value):
        return f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', type(value))}"
    if value is None or isinstance(value, str | bool):
        return repr(value)
    if isinstance(value, Real):
        return repr(float(value))
    return str(getattr(value, "name", type(value)))


def _update_table(digest: Any, table: Table) -> None:
    """Add the cells of a table in a form that does not depend on the library that held them."""
    for column in table.columns:
        if isinstance(column, Nominal):
            categories, new_code, _ = sort_categories(column)
            digest.update(repr(categories).encode())
            _update(digest, new_code[column.codes])
        else:
            _update(digest, column.values.astype(np.float64))


def _update(digest: Any, array: Any) -> None:
    digest.update(f"{array.dtype} {array.shape}".encode())
    digest.update(np.ascontiguousarray(array).data if array.dtype.kind != "M" else array.tobytes())
