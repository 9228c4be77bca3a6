"""Objects among the parameters: those of the library, by name and fields, and users' families."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from polytomy._errors import FamilyError

Known = Mapping[str, type[Any]]
"""The dataclasses that may stand among the parameters, such as pruners, by name."""


@dataclass(frozen=True)
class AbsentFamily:
    """Stands where a user's own family stood when the model was saved: code is not saved.

    All that was grown is there, and predicts. Growing anew needs the family itself.
    """

    name: str

    def propose(self, _node: Any, _ask: Any) -> Iterable[Any]:
        """Say what to do."""
        raise FamilyError(
            f"the family {self.name!r} is your own code, which a model file does not hold: "
            "put it back with set_params(families=...) before fitting again"
        )


def name_of(value: Any, known: Known) -> str | None:
    """Return the name of a known object's class; None if it is not known, or is a subclass."""
    return next((name for name, cls in known.items() if type(value) is cls), None)


def fields_of(value: Any) -> dict[str, Any]:
    """Return an object's fields."""
    return {f.name: getattr(value, f.name) for f in fields(value)}


def family_name(value: Any) -> str | None:
    """Return the name of a user's own family; None if it is none."""
    name = getattr(value, "name", None)
    is_one = isinstance(name, str) and callable(getattr(value, "propose", None))
    return str(name) if is_one and not isinstance(value, type) else None
