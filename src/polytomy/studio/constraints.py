"""The constraints that the side panel of the studio offers: parameters of the estimators."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from polytomy.estimators.edit_history import LIMITS

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
    kind : {"integer", "number", "columns", "directions"}
        A whole number, a number, a list of columns, or a direction for each column.
    least : int, default=1
        The smallest number.
    help : str, default=""
        A sentence about it.
    optional : bool, default=False
        Whether the field may be empty, for no limit.
    """

    name: str
    label: str
    kind: Literal["integer", "number", "columns", "directions"]
    least: int = 1
    help: str = ""
    optional: bool = False

    @property
    def is_live(self) -> bool:
        """Whether it can change while a tree is edited, without growing it again."""
        return self.name in LIMITS

    def read(self, value: Any, columns: Sequence[str]) -> Any:
        """Return a value from the page as the estimators take it, or raise an error."""
        if self.kind == "directions":
            return _directions(value, columns)
        if self.kind == "columns":
            return _names(value, columns)
        if value is None and self.optional:
            return None
        is_whole = self.kind == "integer"
        if (
            type(value) not in ((int,) if is_whole else (int, float))
            or not self.least <= value < _MOST
        ):
            what = "a whole number" if is_whole else "a number"
            raise StudioError(f"{self.label} must be {what} from {self.least} on")
        return value

    def facts(self, value: Any, columns: Sequence[str]) -> dict[str, Any]:
        """Return the field of the page, with a value of the parameter."""
        if self.kind == "directions":
            each = dict(enumerate(value)) if isinstance(value, Sequence) else value or {}
            value = {_position(name, columns): int(each[name]) for name in each if each[name]}
        elif self.kind == "columns":
            given = [value] if isinstance(value, str | int) else value or ()
            value = [_position(name, columns) for name in given]
        elif not isinstance(value, int | float):
            value = None
        return {**asdict(self), "live": self.is_live, "value": value}


CONSTRAINTS = (
    Constraint("max_leaves", "Most leaves", "integer", 1, "Of a tree that is grown.", True),
    Constraint("max_arity", "Most branches of a split", "integer", 2),
    Constraint("min_samples_leaf", "Fewest rows of a branch", "integer"),
    Constraint("max_depth", "Most questions for a row", "integer", 1, "", True),
    Constraint("min_child_share", "Smallest share of a branch", "number", 0),
    Constraint("min_difference", "Least difference of branches", "number", 0),
    Constraint("never_ask", "Never ask about", "columns"),
    Constraint("columns_first", "Ask first about", "columns"),
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


def _names(value: Any, columns: Sequence[str]) -> list[str] | None:
    """Return the names of the columns at some positions; None if there are none."""
    is_list = isinstance(value, list)
    if not is_list or not all(type(j) is int and 0 <= j < len(columns) for j in value):
        raise StudioError("columns must be a list of positions")
    return [columns[j] for j in value] or None


def _directions(value: Any, columns: Sequence[str]) -> dict[str, int] | None:
    """Return the direction of the columns that have one, by name; None if none has."""
    if not isinstance(value, dict):
        raise StudioError("directions must be an object: a direction for each column's position")
    found = {}
    for place, direction in value.items():
        if not (place.isdecimal() and int(place) < len(columns)) or direction not in (-1, 0, 1):
            raise StudioError("directions must be -1, 0 or 1, for positions of columns")
        if direction:
            found[columns[int(place)]] = direction
    return found or None
