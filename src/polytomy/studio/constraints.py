"""The constraints that the side panel of the studio offers: parameters of the estimators."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from polytomy.estimators.edit_history import LIMITS

from .server import StudioError


@dataclass(frozen=True, slots=True)
class Constraint:
    """A parameter of the estimators with a field on the page.

    Parameters
    ----------
    name : str
        The parameter.
    label : str
        Its name on the page.
    kind : {"integer", "columns"}
        A whole number, or a direction for each column.
    least : int, default=1
        The smallest number.
    help : str, default=""
        A sentence about it.
    optional : bool, default=False
        Whether the field may be empty, for no limit.
    """

    name: str
    label: str
    kind: Literal["integer", "columns"]
    least: int = 1
    help: str = ""
    optional: bool = False

    @property
    def is_live(self) -> bool:
        """Whether it can change while a tree is edited, without growing it again."""
        return self.name in LIMITS

    def read(self, value: Any, columns: Sequence[str]) -> Any:
        """Return a value from the page as the estimators take it, or raise an error."""
        if self.kind == "columns":
            return _directions(value, columns)
        if value is None and self.optional:
            return None
        is_whole = isinstance(value, int) and not isinstance(value, bool)
        if not is_whole or not self.least <= value <= 10**9:
            raise StudioError(f"{self.label} must be a whole number from {self.least} on")
        return value

    def facts(self, value: Any, columns: Sequence[str]) -> dict[str, Any]:
        """Return the field of the page, with a value of the parameter."""
        if self.kind == "columns":
            given = (
                value if isinstance(value, dict) else dict(zip(columns, value or (), strict=False))
            )
            value = {str(columns.index(name)): int(given[name]) for name in given if given[name]}
        elif not isinstance(value, int):
            value = None
        return {**asdict(self), "live": self.is_live, "value": value}


CONSTRAINTS = (
    Constraint("max_leaves", "Most leaves", "integer", 1, "Of a tree that is grown.", True),
    Constraint("max_arity", "Most branches of a split", "integer", 2),
    Constraint("min_samples_leaf", "Fewest rows of a branch", "integer"),
    Constraint("max_depth", "Most questions for a row", "integer", 1, "", True),
    Constraint("monotonic_cst", "Direction", "columns"),
)
"""The constraints, in the order of the page."""


def read_constraints(given: Any, columns: Sequence[str]) -> dict[str, Any]:
    """Return the constraints of a request as parameters of the estimators."""
    known = {constraint.name: constraint for constraint in CONSTRAINTS}
    if not isinstance(given, dict) or not given.keys() <= known.keys():
        raise StudioError(f"constraints must be an object with the names {', '.join(known)}")
    return {name: known[name].read(value, columns) for name, value in given.items()}


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
