"""The same cells as tables of every library."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

CELLS = {
    "count": [3, 1, None, 2, 3, 1, 2, 2],
    "share": [0.5, None, 0.25, 0.75, 0.5, 0.1, 0.9, 0.3],
    "sure": [True, False, True, True, False, False, True, False],
    "town": ["Ulm", "Rom", None, "Ulm", "Bonn", "Rom", "Bonn", "Rom"],
    "size": ["small", "large", "medium", "small", None, "large", "large", "small"],
    "colour": ["red", "blue", "red", None, "blue", "green", "red", "green"],
    "day": [dt.datetime(2024, 1, d) for d in (5, 1, 9, 3, 7, 2, 8)] + [None],
}
SIZES = ["small", "medium", "large"]


def as_pandas(nullable=False):
    number = (
        {"count": "Int64", "share": "Float64"} if nullable else {"count": float, "share": float}
    )
    frame = pd.DataFrame({k: pd.Series(v, dtype=number.get(k)) for k, v in CELLS.items()})
    frame["size"] = pd.Categorical(CELLS["size"], categories=SIZES, ordered=True)
    frame["colour"] = pd.Categorical(CELLS["colour"], categories=["violet", "red", "green", "blue"])
    if nullable:
        frame["town"] = frame["town"].astype("string")
        frame["sure"] = frame["sure"].astype("boolean")
    return frame


def as_polars():
    return pl.DataFrame(CELLS).with_columns(
        pl.col("size").cast(pl.Enum(SIZES)), pl.col("colour").cast(pl.Categorical)
    )


def as_arrow():
    columns = {k: pa.array(v) for k, v in CELLS.items()}
    columns["colour"] = columns["colour"].dictionary_encode()
    order = pa.DictionaryArray.from_arrays(
        pa.array([None if s is None else SIZES.index(s) for s in CELLS["size"]], pa.int32()),
        pa.array(SIZES),
        ordered=True,
    )
    columns["size"] = order
    return pa.table(columns)


def as_arrays():
    """Return the cells as NumPy arrays; sizes are unordered text there."""
    out = {}
    for name, cells in CELLS.items():
        if name in ("count", "share"):
            out[name] = np.array([np.nan if c is None else c for c in cells])
        elif name == "sure":
            out[name] = np.array(cells)
        elif name == "day":
            out[name] = np.array(cells, dtype="datetime64[us]")
        else:
            out[name] = np.array(cells, dtype=object)
    return out


MAKERS = {
    "pandas": as_pandas,
    "pandas-nullable": lambda: as_pandas(nullable=True),
    "pandas-arrow": lambda: as_arrow().to_pandas(types_mapper=pd.ArrowDtype),
    "polars": as_polars,
    "arrow": as_arrow,
    "numpy": as_arrays,
}


@pytest.fixture(params=MAKERS)
def kind_of_table(request):
    return request.param


@pytest.fixture
def made(kind_of_table):
    return MAKERS[kind_of_table]()
