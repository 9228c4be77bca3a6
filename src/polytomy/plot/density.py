"""The density of one or two columns: boxes over points, or a line."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from polytomy._errors import ParameterError
from polytomy._text import one_line
from polytomy._types import AnyArray, FloatArray
from polytomy.density import DensityModel
from polytomy.encode import NominalColumn, OrderedColumn, missing_cells
from polytomy.table import Ordered, Ranks, Table

from .axes import axes_or_new
from .palette import BLUE, INK

_DOTS = 5000  # points that are drawn at most


def plot_density(
    model: DensityModel, columns: Sequence[str | int], table: Table | None = None, ax: Any = None
) -> Any:
    """Draw the density of two columns as boxes, or of one as a line.

    Parameters
    ----------
    model : DensityModel
        The model.
    columns : sequence of str or int
        One or two columns. The density is summed over the others.
    table : Table or None, default=None
        Rows to draw as points.
    ax : matplotlib Axes, default=None
        The axes to draw on. None makes a new figure.

    Returns
    -------
    matplotlib Axes
        The axes.
    """
    chosen = [_position(model, column) for column in columns]
    if len(chosen) not in (1, 2) or len(set(chosen)) < len(chosen):
        raise ParameterError(f"choose one column or two different ones, got {list(columns)!r}")
    ax = axes_or_new(ax, 7.0, 5.0)
    grids = [_grid(model, j) for j in chosen]
    if len(chosen) == 1:
        _draw_line(model, chosen[0], grids[0], ax)
    else:
        _draw_boxes(model, chosen, grids, ax)
    for j, axis in zip(chosen, (ax.xaxis, ax.yaxis), strict=False):
        _label(model, j, axis)
    if table is not None:
        _draw_points(model, table, chosen, ax)
    return ax


def marginal(model: DensityModel, columns: Sequence[int]) -> FloatArray:
    """Return the density of the cells of one or two columns, summed over all other columns.

    Parameters
    ----------
    model : DensityModel
        The model.
    columns : sequence of int
        The columns.

    Returns
    -------
    ndarray
        The probability of each cell per unit of length or area, by the codes of each column; those
        of missing cells are left out.
    """
    shape = [model.schema[j].n_values for j in columns]
    total = np.zeros(shape)
    for leaf in model.tree.leaves().tolist():
        inside = [model.boxes.inside[leaf][j][:n] for j, n in zip(columns, shape, strict=True)]
        log = model.log_share[leaf] - model.boxes.log_length[leaf, list(columns)].sum()
        total[np.ix_(*(np.flatnonzero(part) for part in inside))] += np.exp(log)
    return total


def _position(model: DensityModel, column: str | int) -> int:
    names = model.schema.names
    if isinstance(column, str) and column in names:
        return names.index(column)
    if not isinstance(column, str) and -len(names) <= int(column) < len(names):
        return int(column) % len(names)
    raise ParameterError(f"no column {column!r}; the columns are {list(names)}")


def _grid(model: DensityModel, column: int) -> FloatArray:
    """Return where the cells of a column end on its axis; categories have places 0, 1, ..."""
    spec, edges = model.schema[column], model.cells[column].edges
    if not spec.n_values:
        raise ParameterError(f"column {spec.name!r} has no values to draw")
    if isinstance(spec, NominalColumn):
        return np.arange(spec.n_values + 1, dtype=np.float64) - 0.5
    return edges if edges[0] < edges[-1] else np.array([edges[0] - 0.5, edges[0] + 0.5])


def _draw_line(model: DensityModel, column: int, grid: FloatArray, ax: Any) -> None:
    dense = marginal(model, [column])
    ax.stairs(dense, grid, fill=True, color=BLUE, alpha=0.35)
    ax.stairs(dense, grid, color=BLUE)
    ax.set_ylabel("density")
    ax.set_ylim(bottom=0)


def _draw_boxes(
    model: DensityModel, columns: Sequence[int], grids: Sequence[FloatArray], ax: Any
) -> None:
    from matplotlib.colors import LogNorm  # noqa: PLC0415

    dense = marginal(model, columns)
    most = dense.max()
    norm = LogNorm(max(dense.min(), most * 1e-6), most)
    mesh = ax.pcolormesh(*grids, dense.T, norm=norm, cmap="Blues", alpha=0.9, linewidth=0)
    ax.figure.colorbar(mesh, ax=ax, label="density")
    if len(model.schema) > 2:
        return
    for leaf in model.tree.leaves().tolist():
        _draw_outline(model, leaf, columns, grids, ax)


def _draw_outline(
    model: DensityModel, leaf: int, columns: Sequence[int], grids: Sequence[FloatArray], ax: Any
) -> None:
    """Draw the outline of a leaf of a table of two columns; its categories may be in pieces."""
    from matplotlib.patches import Rectangle  # noqa: PLC0415

    inside = [model.boxes.inside[leaf][j] for j in columns]
    (x, y) = [_pieces(part, grid) for part, grid in zip(inside, grids, strict=True)]
    for left, right in x:
        for low, high in y:
            size = right - left, high - low
            ax.add_patch(
                Rectangle((left, low), *size, fill=False, edgecolor=INK, linewidth=0.5, alpha=0.7)
            )


def _pieces(inside: AnyArray, grid: FloatArray) -> list[tuple[float, float]]:
    """Return the ends of the runs of cells that are inside a box."""
    held = np.concatenate(([0], inside[: len(grid) - 1], [0])).astype(np.int8)
    first, end = np.flatnonzero(np.diff(held) > 0), np.flatnonzero(np.diff(held) < 0)
    return list(zip(grid[first].tolist(), grid[end].tolist(), strict=True))


def _draw_points(model: DensityModel, table: Table, columns: Sequence[int], ax: Any) -> None:
    step = max(1, -(-table.n_rows // _DOTS))
    values = [_places(model, table, j)[::step] for j in columns]
    if len(columns) == 1:
        values.append(np.zeros(len(values[0])))
    ax.plot(*values, ".", color=INK, markersize=2, alpha=0.6)


def _places(model: DensityModel, table: Table, column: int) -> AnyArray:
    """Return where the cells of a column lie on its axis; nan if they are missing."""
    spec, cells = model.schema[column], table.columns[column]
    if isinstance(spec, NominalColumn):
        known = {name: place for place, name in enumerate(spec.categories)}
        return np.array([known.get(v, np.nan) for v in cells.values.tolist()], dtype=np.float64)
    assert isinstance(cells, Ordered)
    return np.where(missing_cells(cells), np.nan, cells.values.astype(np.float64))


def _label(model: DensityModel, column: int, axis: Any) -> None:
    spec = model.schema[column]
    axis.set_label_text(one_line(spec.name))
    names: Sequence[Any] = ()
    if isinstance(spec, NominalColumn):
        names = spec.categories
    elif isinstance(spec, OrderedColumn) and isinstance(spec.scale, Ranks):
        names = spec.scale.labels
    if names:
        axis.set_ticks(range(len(names)), [one_line(name) for name in names])
