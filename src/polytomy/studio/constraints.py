"""The constraints that the side panel of the studio offers: parameters of the estimators."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from polytomy._numbers import is_finite, is_real
from polytomy.estimators.editing.history import LIMITS

from .server import StudioError

_MOST = 10**9  # no limit is larger


@dataclass(frozen=True, slots=True)
class Constraint:
    """A parameter of the estimators with a field on the page.

    Parameters
    ----------
    name : str
        The parameter.
    label : str
        Its name on the page.
    kind : {"integer", "number", "columns", "directions", "costs", "after"}
        A whole number, a number, a list of columns, a direction or a number for each column, or a
        list of columns for each column.
    least : int, default=1
        The smallest number.
    help : str, default=""
        A sentence about it.
    optional : bool, default=False
        Whether the field may be empty, for no limit.
    most : float, default=1e9
        The largest number.
    word : str, default=""
        A word that may stand in the place of the number.
    word_label : str, default=""
        What the word means.
    """

    name: str
    label: str
    kind: Literal["integer", "number", "columns", "directions", "costs", "after"]
    least: int = 1
    help: str = ""
    optional: bool = False
    most: float = _MOST
    word: str = ""
    word_label: str = ""

    @property
    def is_live(self) -> bool:
        """Whether it can change while a tree is edited, without growing it again."""
        return self.name in LIMITS

    def read(self, value: Any, columns: Sequence[str]) -> Any:
        """Return a value from the page as the estimators take it, or raise an error."""
        readers = {"directions": _directions, "columns": _names, "costs": _costs, "after": _after}
        if self.kind in readers:
            return None if value is None else readers[self.kind](value, columns)
        if (value is None and self.optional) or (self.word and value == self.word):
            return value
        is_whole = self.kind == "integer"
        if (
            type(value) not in ((int,) if is_whole else (int, float))
            or not self.least <= value <= self.most
        ):
            what = "a whole number" if is_whole else "a number"
            end = "on" if self.most == _MOST else f"to {self.most:g}"
            raise StudioError(f"{self.label} must be {what} from {self.least} {end}")
        return value

    def facts(self, value: Any, columns: Sequence[str]) -> dict[str, Any]:
        """Return the field of the page, with a value of the parameter."""
        value = value.tolist() if isinstance(value, np.ndarray) else value
        if self.kind == "directions":
            each = dict(enumerate(value)) if isinstance(value, Sequence) else value or {}
            value = {_position(name, columns): int(each[name]) for name in each if each[name]}
        elif self.kind == "costs":
            value = {_position(n, columns): float(cost) for n, cost in (value or {}).items()}
        elif self.kind == "after":
            value = {_position(n, columns): _places(o, columns) for n, o in (value or {}).items()}
        elif self.kind == "columns":
            value = _places(value, columns)
        elif not isinstance(value, int | float) and not (self.word and value == self.word):
            value = None
        return {**asdict(self), "live": self.is_live, "value": value}


CONSTRAINTS = (
    Constraint(
        "max_leaves",
        "Most leaves",
        "integer",
        help="Of a tree that is grown.",
        optional=True,
        word="cv",
        word_label="by cross-validation",
    ),
    Constraint("max_arity", "Most branches of a split", "integer", 2),
    Constraint("min_samples_leaf", "Fewest rows in a branch", "integer"),
    Constraint("max_depth", "Most questions per row", "integer", 1, "", True),
    Constraint("min_child_share", "Smallest share of a branch", "number", 0, most=0.5),
    Constraint("min_difference", "Least difference between branches", "number", 0),
    Constraint("never_ask", "Never ask about", "columns"),
    Constraint("columns_first", "Ask first about", "columns"),
    Constraint("only_after", "Ask only below others", "after"),
    Constraint("column_cost", "Cost of asking about columns", "costs", 0),
    Constraint("monotonic_cst", "Direction of columns", "directions"),
)
"""The constraints, in the order of the page."""


def read_constraints(given: Any, columns: Sequence[str]) -> dict[str, Any]:
    """Return the constraints of a request as parameters of the estimators."""
    known = {constraint.name: constraint for constraint in CONSTRAINTS}
    if not isinstance(given, dict) or not given.keys() <= known.keys():
        raise StudioError(f"constraints must be an object with the names {', '.join(known)}")
    return {name: known[name].read(value, columns) for name, value in given.items()}


def _position(column: Any, columns: Sequence[str]) -> int:
    return columns.index(column) if isinstance(column, str) else int(column)


def _places(value: Any, columns: Sequence[str]) -> list[int]:
    """Return the positions of columns; a single one is a list of it."""
    given = [value] if isinstance(value, str | int) else value or ()
    return [_position(name, columns) for name in given]


def _by_name(value: Any, columns: Sequence[str]) -> dict[str, Any]:
    """Return an object whose names are positions of columns with the names of these columns."""
    known = {str(place): name for place, name in enumerate(columns)}
    if not isinstance(value, dict) or not value.keys() <= known.keys():
        raise StudioError("an object must have positions of columns as its names")
    return {known[place]: held for place, held in value.items()}


def _costs(value: Any, columns: Sequence[str]) -> dict[str, float] | None:
    """Return the cost of each column that has one, by name; None if none has."""
    found = _by_name(value, columns)
    if not all(is_finite(cost) and cost >= 0 for cost in found.values()):
        raise StudioError("costs must be numbers of at least 0, for positions of columns")
    return {name: float(cost) for name, cost in found.items() if cost} or None


def _after(value: Any, columns: Sequence[str]) -> dict[str, list[str]] | None:
    """Return the columns that must be asked above each column, by name; None if there are none."""
    found = {name: _names(others, columns) for name, others in _by_name(value, columns).items()}
    return {name: others for name, others in found.items() if others} or None


def _names(value: Any, columns: Sequence[str]) -> list[str] | None:
    """Return the names of the columns at some positions; None if there are none."""
    is_list = isinstance(value, list)
    if not is_list or not all(type(j) is int and 0 <= j < len(columns) for j in value):
        raise StudioError("columns must be a list of positions")
    return [columns[j] for j in value] or None


def _directions(value: Any, columns: Sequence[str]) -> dict[str, int] | None:
    """Return the direction of the columns that have one, by name; None if none has."""
    found = _by_name(value, columns)
    if not all(is_real(direction) and direction in (-1, 0, 1) for direction in found.values()):
        raise StudioError("directions must be -1, 0 or 1, for positions of columns")
    return {name: direction for name, direction in found.items() if direction} or None
