"""The boxes of a density tree as regions in words."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np

from polytomy.density import DensityModel
from polytomy.encode import NominalColumn, OrderedColumn
from polytomy.table import Ranks, Times, frame_of

from .predictions import Density, node_density
from .rules import leaf_conditions


@dataclass(frozen=True, slots=True)
class Region:
    """A box: a leaf of a density tree.

    Attributes
    ----------
    leaf : int
        The node number of the leaf.
    conditions : tuple of str
        What the splits say of the box, in words.
    bounds : dict
        For each column, by name: the two ends of an ordered column, or a tuple of categories or
        labels. Missing cells in the box are listed as None: after the ends, or among the
        categories.
    share : float
        The share of the rows to expect in the box.
    rows : int
        The number of training rows in it.
    density : float
        The density in the box: the share per unit of volume.
    relative : float
        The density as a multiple of that of an even spread over the whole table's box.
    """

    leaf: int
    conditions: tuple[str, ...]
    bounds: dict[str, tuple[Any, ...]]
    share: float
    rows: int
    density: float
    relative: float

    @property
    def where(self) -> str:
        """The conditions in one line."""
        return " and ".join(self.conditions) or "everywhere"

    def __str__(self) -> str:
        """Return ``<conditions>: <share> of rows, density <d> (<times> the mean), <n> rows``."""
        return f"{self.where}: {Density(self.share, self.density, self.relative).of(self.rows)}"


class Regions(Sequence[Region]):
    """The boxes of a density tree, densest first; ``str`` returns one per line."""

    def __init__(self, regions: Sequence[Region]) -> None:
        self._regions = tuple(regions)

    @overload
    def __getitem__(self, at: int) -> Region: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Region]: ...
    def __getitem__(self, at: int | slice) -> Region | Sequence[Region]:
        return self._regions[at]

    def __len__(self) -> int:
        return len(self._regions)

    def __iter__(self) -> Iterator[Region]:
        return iter(self._regions)

    def __str__(self) -> str:
        """Return one box per line."""
        return "\n".join(map(str, self._regions))

    __repr__ = __str__

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the boxes as columns.

        Returns
        -------
        dict of lists
            ``leaf``, ``region`` (the conditions), ``share``, ``rows``, ``density`` and
            ``relative`` (the density as a multiple of the mean).
        """
        return {
            "leaf": [r.leaf for r in self],
            "region": [r.where for r in self],
            "share": [r.share for r in self],
            "rows": [r.rows for r in self],
            "density": [r.density for r in self],
            "relative": [r.relative for r in self],
        }

    def to_frame(self, backend: str | None = None) -> Any:
        """Return the boxes as a data frame, with the columns of ``to_dict``.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, default=None
            The library whose data frame is returned; None for the first that is installed.

        Returns
        -------
        data frame
        """
        return frame_of(self.to_dict(), backend)


def regions_of(model: DensityModel) -> dict[int, Region]:
    """Return the box of each leaf of a density tree, by node number."""
    return {leaf: _region(model, leaf) for leaf in model.tree.leaves().tolist()}


def to_regions(model: DensityModel) -> Regions:
    """Return the boxes of a density tree, densest first."""
    found = regions_of(model).values()
    return Regions(sorted(found, key=lambda region: (-region.relative, region.leaf)))


def _region(model: DensityModel, leaf: int) -> Region:
    box = node_density(model, leaf)
    return Region(
        leaf,
        leaf_conditions(model, leaf),
        {spec.name: _bounds(model, leaf, j) for j, spec in enumerate(model.schema)},
        box.share,
        int(model.tree.rows[leaf]),
        box.density,
        box.relative,
    )


def _bounds(model: DensityModel, leaf: int, column: int) -> tuple[Any, ...]:
    spec, edges = model.schema[column], model.cells[column].edges
    inside = model.boxes.inside[leaf][column]
    missing = (None,) if spec.has_missing and inside[-1] else ()
    codes = np.flatnonzero(inside[: spec.n_values])
    if not len(codes):
        return missing
    if isinstance(spec, NominalColumn):
        return (*(spec.categories[code] for code in codes.tolist()), *missing)
    assert isinstance(spec, OrderedColumn)
    low, high = float(edges[codes[0]]), float(edges[codes[-1] + 1])
    if isinstance(spec.scale, Ranks):
        return (*spec.scale.labels[round(low + 0.5) : round(high + 0.5)], *missing)
    if isinstance(spec.scale, Times):
        return (spec.scale.at(low), spec.scale.at(high), *missing)
    return (low, high, *missing)
