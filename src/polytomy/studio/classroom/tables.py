"""The tables that a lesson can be about: those that come with the library, and the user's own."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from sklearn.datasets import load_iris

from polytomy._errors import ParameterError
from polytomy.data import load_cars, load_tennis
from polytomy.io import LabelledTable
from polytomy.table import Table


@dataclass(frozen=True, slots=True)
class TeachingTable:
    """A table to choose for a lesson.

    Parameters
    ----------
    title : str
        Its name on the page.
    about : str
        A sentence about it.
    load : callable
        Returns its rows.
    """

    title: str
    about: str
    load: Callable[[], LabelledTable]


def own_table(rows: LabelledTable) -> TeachingTable:
    """Return the user's table as one to choose; raise an error if its target is not classes."""
    if rows.task != "classification":
        raise ParameterError(
            f"{rows.target!r} holds numbers, and the classroom teaches trees that predict classes; "
            "choose a target with classes, or cut the numbers into ranges first"
        )
    if rows.weights is not None:
        raise ParameterError("the classroom counts rows, so that weights cannot be used there")
    if len(np.unique(rows.labels)) < 2:
        raise ParameterError(f"all rows have the same {rows.target!r}: there is nothing to learn")
    return TeachingTable("Your table", f"Predict {rows.target}.", lambda: rows)


def _tennis() -> LabelledTable:
    columns, play = load_tennis()
    return LabelledTable(Table.of(columns), play, None, "play")


def _cars() -> LabelledTable:
    columns, origin = load_cars()
    columns.pop("name")  # it identifies the cars
    return LabelledTable(Table.of(columns), origin, None, "origin")


def _iris() -> LabelledTable:
    bunch = load_iris()
    names = [name.removesuffix(" (cm)") for name in bunch.feature_names]
    columns = dict(zip(names, bunch.data.T, strict=True))
    return LabelledTable(Table.of(columns), bunch.target_names[bunch.target], None, "species")


BUNDLED = {
    "tennis": TeachingTable(
        "Play tennis",
        "14 days, 4 columns of categories. The first example of the textbooks.",
        _tennis,
    ),
    "iris": TeachingTable("Iris flowers", "150 flowers of 3 species, 4 columns of numbers.", _iris),
    "cars": TeachingTable("Cars", "392 cars from 3 regions, 7 columns of numbers.", _cars),
}
"""The tables that come with the library, by name."""
