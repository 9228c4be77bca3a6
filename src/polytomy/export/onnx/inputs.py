"""The inputs of a graph: their types, the first nodes of the graph, and rows as input arrays."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import count
from numbers import Real
from typing import Any, Literal

import numpy as np

from polytomy._errors import TableError
from polytomy._types import AnyArray
from polytomy.density import DensityModel
from polytomy.encode import ColumnSpec, NominalColumn, Schema, aligned
from polytomy.ensemble import Ensemble
from polytomy.export.phrasing import AnyModel
from polytomy.table import Nominal, Numbers, Ordered, Ranks, Table, Times, as_nominal
from polytomy.tree import Tree

from .graph import Graph

Kind = Literal["number", "ticks", "text", "amount"]

MATRIX = "X"  # the input that holds all columns, if they are all numbers
LABEL, PROBABILITIES = "label", "probabilities"  # the outputs of a classifier
VARIABLE = "variable"  # the output of a regressor; the name that other converters use
LOG_DENSITY, REGION = "log_density", "region"  # the outputs of a density tree

# Codes of categories in the graph. They start above 30: onnxruntime (1.23 to 1.31) unrolls sets of
# smaller numbers into chains, which overflow its stack or take very long on deep trees.
NO_CODE = 61  # not the code of any cell; the only member of a set without categories
UNKNOWN_CODE = 62  # in no set, so it always takes the default branch
MISSING_CODE = 63
FIRST_CODE = 64


@dataclass(frozen=True, slots=True)
class InputColumn:
    """A column as an input of the graph.

    ``keys`` are the categories or labels as the input holds them, in the order of their codes, or
    None if cells are compared as numbers. ``missing`` is the text of a missing cell.
    """

    column: int
    name: str
    kind: Kind
    keys: tuple[Any, ...] | None = None
    missing: str = ""
    unit: str = ""

    @property
    def description(self) -> str:
        """The values that the input expects."""
        if self.kind == "ticks":
            return f"ticks of {self.unit} as int64; the smallest int64 (NaT) means missing"
        if self.kind == "text":
            return f"text; {self.missing!r} means missing"
        return "numbers; NaN means missing"


def is_matrix(schema: Schema) -> bool:
    """Return whether all columns are numbers or booleans, so that one matrix holds them."""
    return all(_is_number(spec) for spec in schema)


def output_names(model: AnyModel | Ensemble) -> tuple[str, ...]:
    """Return the names of the outputs of a graph."""
    if isinstance(model, DensityModel):
        return LOG_DENSITY, REGION
    return (VARIABLE,) if model.is_numeric else (LABEL, PROBABILITIES)


def model_columns(model: AnyModel | Ensemble) -> tuple[InputColumn, ...]:
    """Return the columns that are inputs of the graph of a model; all of a density tree."""
    schema, outputs = model.schema, output_names(model)
    if isinstance(model, DensityModel):
        return input_columns(schema, [], outputs, every=True)
    trees = [m.tree for m in model.members] if isinstance(model, Ensemble) else [model.tree]
    return input_columns(schema, trees, outputs)


def input_columns(
    schema: Schema,
    trees: Iterable[Tree],
    outputs: Sequence[str] = (LABEL, PROBABILITIES),
    *,
    every: bool = False,
) -> tuple[InputColumn, ...]:
    """Return the columns that are inputs: those that trees split on, or all columns of a matrix.

    With ``every``, all columns are. Their names are not those of the outputs.
    """
    if is_matrix(schema):
        return tuple(InputColumn(j, spec.name, "number") for j, spec in enumerate(schema))
    used = {int(j) for tree in trees for j in np.unique(tree.feature) if j >= 0}
    used |= set(range(len(schema))) if every else set()
    # A graph needs at least one input, from which it takes the number of rows.
    return _renamed([_input_column(j, schema[j]) for j in sorted(used) or [0]], outputs)


def _renamed(columns: list[InputColumn], outputs: Sequence[str]) -> tuple[InputColumn, ...]:
    """Name each input after its column, with underscores appended until the name is unique."""
    taken = {"", *outputs}
    named = []
    for column in columns:
        name = unicode_text(column.name, "the name of a column")
        while name in taken:
            name += "_"
        taken.add(name)
        named.append(replace(column, name=name))
    return tuple(named)


def unicode_text(text: str, what: str) -> str:
    """Return text that ONNX can hold; raise an error if it has a lone surrogate."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise TableError(
            f"ONNX holds text in UTF-8, which cannot express {text!r}, {what}; replace it before "
            "fitting"
        ) from None
    return text


def _is_number(spec: ColumnSpec) -> bool:
    if isinstance(spec, NominalColumn):
        return False
    if isinstance(spec.scale, Times):
        return False
    return isinstance(spec.scale, Numbers) or spec.scale.labels == (False, True)


def _input_column(column: int, spec: ColumnSpec) -> InputColumn:
    if _is_number(spec):
        return InputColumn(column, spec.name, "number")
    if isinstance(spec, NominalColumn):
        return _coded(column, spec.name, spec.categories)
    if isinstance(spec.scale, Times):
        zone = f" in UTC, shown as {spec.scale.zone}" if spec.scale.zone else ""
        return InputColumn(column, spec.name, "ticks", unit=f"{spec.scale.dtype}{zone}")
    assert not isinstance(spec.scale, Numbers)
    return _coded(column, spec.name, spec.scale.labels)


def _coded(column: int, name: str, keys: tuple[Any, ...]) -> InputColumn:
    if all(isinstance(key, str) for key in keys):
        for key in keys:
            unicode_text(key, f"a category of column {name!r}")
        return InputColumn(column, name, "text", tuple(map(str, keys)), _marker(keys))
    if not all(isinstance(key, Real | np.bool_) for key in keys):
        held = ", ".join(sorted({type(key).__name__ for key in keys}))
        raise TableError(
            f"ONNX represents categories as text or numbers, but column {name!r} has some of type "
            f"{held}; convert it to text before fitting"
        )
    numbers = tuple(float(key) for key in keys)
    if len(set(numbers)) < len(keys):
        raise TableError(
            f"column {name!r} has categories that are different integers but equal as doubles, "
            "which ONNX compares; convert it to text before fitting"
        )
    return InputColumn(column, name, "amount", numbers)


def _marker(keys: tuple[Any, ...]) -> str:
    """Return the text of a missing cell: empty, unless the empty text is a category."""
    marker = ""
    while marker in keys:
        marker = f"<{marker or 'missing'}>"
    return marker


_INPUT_TYPE = {"number": "DOUBLE", "amount": "DOUBLE", "ticks": "INT64", "text": "STRING"}


def add_inputs(graph: Graph, schema: Schema, columns: Sequence[InputColumn]) -> str:
    """Add the inputs of a graph; return the name of a matrix of doubles with one column each."""
    return _add_matrix(graph, columns) if is_matrix(schema) else _add_columns(graph, columns)


def _add_matrix(graph: Graph, columns: Sequence[InputColumn]) -> str:
    """Add one input that holds all columns, and return its name."""
    names = ", ".join(column.name for column in columns).encode("utf-8", "replace").decode()
    graph.input(MATRIX, "DOUBLE", len(columns), f"numbers, NaN if missing: {names}")
    return MATRIX


def _add_columns(graph: Graph, columns: Sequence[InputColumn]) -> str:
    """Add an input for each column, and join them to a matrix; return its name."""
    for column in columns:  # before any other value can take one of their names
        graph.input(column.name, _INPUT_TYPE[column.kind], 1, column.description)
    parts = [_as_double(graph, column) for column in columns]
    return graph.add("Concat", parts, "columns", axis=1)


def _as_double(graph: Graph, column: InputColumn) -> str:
    """Convert an input to doubles; return the name of the result."""
    name = column.name
    if column.keys is not None:
        return _codes(graph, column)
    if column.kind != "ticks":
        return name
    least = graph.constant("least", np.array(np.iinfo(np.int64).min))
    missing = graph.add("Equal", [name, least])
    ticks = graph.add("Cast", [name], to=graph.kind("DOUBLE"))
    return graph.add("Where", [missing, graph.constant("nan", np.array(np.nan)), ticks])


def _codes(graph: Graph, column: InputColumn) -> str:
    """Replace categories by their codes; return the name of the result."""
    assert column.keys is not None
    keys, codes = list(column.keys), list(range(FIRST_CODE, FIRST_CODE + len(column.keys)))
    if column.kind == "text":
        keys, codes = [*keys, column.missing], [*codes, MISSING_CODE]
    elif not keys:  # an encoder needs a key; NaN is not equal to any number
        keys, codes = [np.nan], [UNKNOWN_CODE]
    found = graph.add_ml(
        "LabelEncoder",
        [column.name],
        "codes",
        keys_tensor=graph.tensor(np.array(keys, dtype=object if column.kind == "text" else float)),
        values_tensor=graph.tensor(np.array(codes, dtype=np.float64)),
        default_tensor=graph.tensor(np.array([UNKNOWN_CODE], dtype=np.float64)),
    )
    if column.kind == "text":
        return found
    # Runtimes differ in whether an encoder finds NaN, so NaN is replaced afterwards.
    missing = graph.add("IsNaN", [column.name])
    code = graph.constant("missing", np.array(float(MISSING_CODE)))
    return graph.add("Where", [missing, code, found])


def onnx_inputs(model: AnyModel | Ensemble, table: Table) -> dict[str, AnyArray]:
    """Return the rows of a table as the inputs of the graph that ``to_onnx`` returns.

    Parameters
    ----------
    model : Model, DensityModel or Ensemble
        The exported model.
    table : Table
        The rows; the table must have the columns of the model's schema.

    Returns
    -------
    dict of arrays
        The inputs by name, for ``InferenceSession.run``.

    Examples
    --------
    >>> from polytomy import TreeClassifier
    >>> X = {"town": np.array(["Ulm", "Rom", "Ulm", None], dtype=object), "x": np.arange(4.0)}
    >>> table = Table.of(X)
    >>> import pandas as pd
    >>> clf = TreeClassifier().fit(pd.DataFrame(X), [0, 1, 0, 1])
    >>> onnx_inputs(clf._model, table)["town"].ravel().tolist()
    ['Ulm', 'Rom', 'Ulm', '']
    """
    aligned_columns = aligned(table, model.schema)  # raises an error if the columns do not match
    cells: dict[str, AnyArray] = {}
    for into in model_columns(model):
        column = aligned_columns[into.column]
        if into.keys is None and isinstance(column, Ordered):
            own = _ticks(column) if into.kind == "ticks" else _numbers(column)
        else:
            own = _categories(as_nominal(table.columns[into.column]), into)
        cells[into.name] = own[:, np.newaxis]
    if is_matrix(model.schema):
        return {MATRIX: np.hstack(list(cells.values()))}
    return cells


def _numbers(column: Ordered) -> AnyArray:
    values = column.values.astype(np.float64)
    if isinstance(column.scale, Ranks):  # booleans; -1 is missing
        values[values < 0] = np.nan
    return values


def _ticks(column: Ordered) -> AnyArray:
    if column.values.dtype.kind == "f":  # a column without any values
        return np.full(len(column.values), np.iinfo(np.int64).min)
    return column.values


def _categories(column: Nominal, into: InputColumn) -> AnyArray:
    """Return the cells as text or as numbers; a cell of another type becomes an unknown value."""
    pool: list[Any]
    if into.kind == "text":
        other = _unknown_text(into)
        pool = [c if isinstance(c, str) else other for c in column.categories]
        return np.array([*pool, into.missing], dtype=object)[column.codes]
    known = into.keys or ()
    unknown = next(x + 0.5 for x in count() if x + 0.5 not in known)
    # An integer that is not a double must not be mistaken for a neighbouring one.
    pool = [
        float(c) if isinstance(c, Real | np.bool_) and float(c) == c else unknown
        for c in column.categories
    ]
    return np.array([*pool, np.nan])[column.codes]


def _unknown_text(into: InputColumn) -> str:
    """Return a text that is neither a category of a column nor its marker for missing cells."""
    text = "?"
    while text in (into.keys or ()) or text == into.missing:
        text += "?"
    return text
