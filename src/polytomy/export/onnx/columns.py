"""The first part of a graph: from the inputs to one matrix of doubles that the trees ask about."""

from collections.abc import Sequence

import numpy as np

from .graph import Graph
from .readings import FIRST_CODE, MATRIX, MISSING_CODE, UNKNOWN_CODE, Reading

_INPUT_TYPE = {"number": "DOUBLE", "amount": "DOUBLE", "ticks": "INT64", "text": "STRING"}


def add_matrix(graph: Graph, readings: Sequence[Reading]) -> str:
    """Add one input that holds every column, and return its name."""
    names = ", ".join(reading.name for reading in readings)
    graph.input(MATRIX, "DOUBLE", len(readings), f"numbers, NaN if missing: {names}")
    return MATRIX


def add_columns(graph: Graph, readings: Sequence[Reading]) -> str:
    """Add an input for each column and what turns them into a matrix; return the matrix's name."""
    for reading in readings:  # all of them before anything else takes one of their names
        graph.input(reading.name, _INPUT_TYPE[reading.kind], 1, reading.says)
    parts = [_as_double(graph, reading.name, reading) for reading in readings]
    return graph.add("Concat", parts, "columns", axis=1)


def _as_double(graph: Graph, name: str, reading: Reading) -> str:
    if reading.keys is not None:
        return _codes(graph, name, reading)
    if reading.kind != "ticks":
        return name
    least = graph.constant("least", np.array(np.iinfo(np.int64).min))
    gone = graph.add("Equal", [name, least])
    ticks = graph.add("Cast", [name], to=graph.kind("DOUBLE"))
    return graph.add("Where", [gone, graph.constant("nan", np.array(np.nan)), ticks])


def _codes(graph: Graph, name: str, reading: Reading) -> str:
    """Look the categories' codes up; a category that is not there is unknown."""
    assert reading.keys is not None
    keys, codes = list(reading.keys), list(range(FIRST_CODE, FIRST_CODE + len(reading.keys)))
    if reading.kind == "text":
        keys, codes = [*keys, reading.missing], [*codes, MISSING_CODE]
    elif not keys:  # an encoder without keys is none; NaN equals nothing
        keys, codes = [np.nan], [UNKNOWN_CODE]
    found = graph.add_ml(
        "LabelEncoder",
        [name],
        "codes",
        keys_tensor=graph.tensor(np.array(keys, dtype=object if reading.kind == "text" else float)),
        values_tensor=graph.tensor(np.array(codes, dtype=np.float64)),
        default_tensor=graph.tensor(np.array([UNKNOWN_CODE], dtype=np.float64)),
    )
    if reading.kind == "text":
        return found
    # Whether an encoder finds NaN is up to the runtime, so it is not asked to.
    gone = graph.add("IsNaN", [name])
    code = graph.constant("missing", np.array(float(MISSING_CODE)))
    return graph.add("Where", [gone, code, found])
