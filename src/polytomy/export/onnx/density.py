"""The log-density of a density tree as an ONNX graph, also of cells that training did not show."""

from typing import NamedTuple

import numpy as np

from polytomy.density import ColumnCells, DensityModel, has_tails, tail_scale
from polytomy.encode import ColumnSpec

from .graph import Graph
from .inputs import LOG_DENSITY, MISSING_CODE, REGION, UNKNOWN_CODE, InputColumn


def add_log_density(
    graph: Graph, model: DensityModel, columns: tuple[InputColumn, ...], matrix: str, leaf: str
) -> None:
    """Add the outputs of a density tree.

    Parameters
    ----------
    graph : Graph
        The graph.
    model : DensityModel
        The model.
    columns : tuple of InputColumn
        All columns, in the order of the matrix.
    matrix, leaf : str
        The names of the matrix of all columns, and of each row's position among the leaves.
    """
    leaves = model.tree.leaves()
    inside = graph.constant("log_density_of_leaves", model.log_density[leaves])
    scores = graph.add("Gather", [inside, leaf])
    axis = graph.constant("columns_axis", np.array([1]))
    outside = graph.add("ReduceSum", [_outside(graph, model, columns, matrix, leaf), axis])
    column = graph.add("Unsqueeze", [scores, axis])
    graph.give("Add", [column, outside], LOG_DENSITY)
    graph.give("Gather", [graph.constant("nodes", leaves.astype(np.int64)), leaf], REGION)
    graph.output(LOG_DENSITY, "DOUBLE", ["rows", 1], "the log-density of the row")
    graph.output(REGION, "INT64", ["rows"], "the node number of the row's box")


class _Constants(NamedTuple):
    """What the graph compares the cells of one column with."""

    low: float  # where the tails begin
    high: float
    scale: float  # of the tails
    seen: float  # what a known value adds
    has_missing: bool  # whether training showed missing cells
    log_length: float  # what a missing cell adds, if training showed some
    missing: float  # codes; NaN, which equals nothing, if cells are compared as numbers
    unknown: float

    @classmethod
    def of(cls, spec: ColumnSpec, cells: ColumnCells, column: InputColumn) -> "_Constants":
        low, high, scale = -np.inf, np.inf, 1.0
        if has_tails(spec) and spec.n_values:
            low, high, scale = float(cells.edges[0]), float(cells.edges[-1]), tail_scale(cells)
        is_coded = column.keys is not None
        return cls(
            low,
            high,
            scale,
            0.0 if spec.n_values or is_coded else -np.inf,
            spec.has_missing,
            float(np.log(cells.lengths[-1])) if spec.has_missing else 0.0,
            MISSING_CODE if is_coded else np.nan,
            UNKNOWN_CODE if is_coded else np.nan,
        )


def _outside(
    graph: Graph, model: DensityModel, columns: tuple[InputColumn, ...], matrix: str, leaf: str
) -> str:
    """Add what each cell adds to the log-density of the box: 0 if it is inside the box."""
    every = map(_Constants.of, model.schema, model.cells, columns)
    held = {
        name: graph.constant(name, np.array(values, dtype=bool if name == "has_missing" else float))
        for name, values in zip(_Constants._fields, zip(*every, strict=True), strict=True)
    }
    zero, one, two = (graph.constant("number", np.array(x)) for x in (0.0, 1.0, 2.0))
    by_leaf = graph.constant("log_inside", model.log_inside[model.tree.leaves()])
    inside = graph.add("Gather", [by_leaf, leaf], axis=0)
    new = graph.add("Sub", [graph.constant("log_unseen", np.log(model.unseen)), inside])
    below, above = (
        graph.add("Sub", [held["low"], matrix]),
        graph.add("Sub", [matrix, held["high"]]),
    )
    far = graph.add("Max", [below, above, zero])
    ratio = graph.add("Add", [graph.add("Div", [far, held["scale"]]), one])
    fall = graph.add("Mul", [graph.add("Log", [ratio]), two])
    tail = graph.add("Sub", [graph.add("Sub", [new, graph.add("Log", [held["scale"]])]), fall])
    known = graph.add("Where", [graph.add("Greater", [far, zero]), tail, held["seen"]])
    is_unknown = graph.add("Equal", [matrix, held["unknown"]])
    shown = graph.add("Where", [is_unknown, new, known])
    is_code = graph.add("Equal", [matrix, held["missing"]])
    is_missing = graph.add("Or", [graph.add("IsNaN", [matrix]), is_code])
    missing = graph.add("Where", [held["has_missing"], held["log_length"], new])
    return graph.add("Where", [is_missing, missing, shown])
