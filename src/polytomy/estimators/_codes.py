"""Rows in the codes of a schema that is known already."""

from dataclasses import replace

import numpy as np

from polytomy._types import AnyArray, IntArray
from polytomy.encode import Coded, OrderedColumn, Schema, aligned
from polytomy.table import Ordered, Ranks, Table, Times


def coded_by(schema: Schema, table: Table) -> Coded:
    """Return a table in a schema's codes; rows it was made of get the codes they had.

    Values between two bins get the code of the nearer one above, those beyond the last its code.
    Categories that are new count as missing cells, and a column that has such cells only now is
    marked so in the schema that comes with the codes.
    """
    specs, columns = [], []
    for spec, column in zip(schema, aligned(table, schema), strict=True):
        if isinstance(spec, OrderedColumn):
            assert isinstance(column, Ordered)
            codes = _bins(column, spec)
        else:
            assert not isinstance(column, Ordered)
            codes = np.where(column < 0, spec.n_values, column)
        gone = spec.has_missing or bool((codes == spec.n_values).any())
        specs.append(replace(spec, has_missing=gone))
        columns.append(codes.astype(_code_dtype(spec.n_values + gone)))
    return Coded(Schema(tuple(specs)), tuple(columns), table.n_rows)


def _bins(column: Ordered, spec: OrderedColumn) -> IntArray:
    values: AnyArray = column.values
    if isinstance(column.scale, Times):
        gone = values == np.iinfo(np.int64).min
    elif isinstance(column.scale, Ranks) and values.dtype == np.int32:
        gone = values < 0
    else:
        gone = np.isnan(values) if values.dtype.kind == "f" else np.zeros(len(values), dtype=bool)
    codes = np.searchsorted(spec.high, values.astype(np.float64))
    codes = np.minimum(codes, max(spec.n_values - 1, 0))
    return np.where(gone, spec.n_values, codes)


def _code_dtype(n_codes: int) -> type[np.unsignedinteger]:
    if n_codes <= 1 << 8:
        return np.uint8
    return np.uint16 if n_codes <= 1 << 16 else np.uint32
