"""Draw rows from a density tree."""

import numpy as np

from polytomy._types import MISSING, AnyArray, FloatArray, IntArray
from polytomy.encode import ColumnSpec, NominalColumn
from polytomy.table import Nominal, Ordered, Ranks, Table, Times

from .model import DensityModel


def sample_table(model: DensityModel, n_rows: int, random: np.random.RandomState) -> Table:
    """Return rows drawn from the density inside the boxes.

    Values that training did not show, such as those beyond the range of a column, are not drawn.

    Parameters
    ----------
    model : DensityModel
        The model.
    n_rows : int
        The number of rows.
    random : RandomState
        The source of randomness.

    Returns
    -------
    Table
        The rows, with columns of the same kinds as in training.
    """
    leaves = model.tree.leaves()
    shares = np.exp(model.log_share[leaves])
    drawn = leaves[random.choice(len(leaves), size=n_rows, p=shares / shares.sum())]
    columns = [_draw(model, j, drawn, random) for j in range(len(model.schema))]
    pairs = zip(model.schema, columns, model.cells, strict=True)
    made = [_column(spec, codes, cells.edges, random) for spec, codes, cells in pairs]
    return Table(tuple(made), n_rows)


def _draw(
    model: DensityModel, column: int, drawn: IntArray, random: np.random.RandomState
) -> IntArray:
    """Return a code of a column for each row, given the leaves of the rows."""
    codes = np.empty(len(drawn), dtype=np.int64)
    lengths = model.cells[column].lengths
    for leaf in np.unique(drawn).tolist():
        rows = np.flatnonzero(drawn == leaf)
        weight = np.where(model.boxes.inside[leaf][column], lengths / lengths.max(), 0.0)
        codes[rows] = random.choice(len(weight), size=len(rows), p=weight / weight.sum())
    return codes


def _column(
    spec: ColumnSpec, codes: IntArray, edges: FloatArray, random: np.random.RandomState
) -> Ordered | Nominal:
    missing = codes == spec.n_values
    if isinstance(spec, NominalColumn):
        return Nominal(
            spec.name, np.where(missing, MISSING, codes).astype(np.int32), spec.categories
        )
    values = _values(np.minimum(codes, max(spec.n_values - 1, 0)), edges, random)
    if isinstance(spec.scale, Ranks):
        ranks = np.clip(np.floor(values + 0.5), 0, len(spec.scale.labels) - 1)
        return Ordered(spec.name, np.where(missing, MISSING, ranks).astype(np.int32), spec.scale)
    if isinstance(spec.scale, Times):
        ticks = np.where(missing, np.iinfo(np.int64).min, np.rint(values)).astype(np.int64)
        return Ordered(spec.name, ticks, spec.scale)
    return Ordered(spec.name, np.where(missing, np.nan, values), spec.scale)


def _values(codes: IntArray, edges: FloatArray, random: np.random.RandomState) -> AnyArray:
    """Return a number in the cell of each code."""
    if not len(edges):
        return np.full(len(codes), np.nan)
    share = random.random_sample(len(codes))
    low, high = edges[codes], edges[codes + 1]
    return np.asarray(low * (1 - share) + high * share)
