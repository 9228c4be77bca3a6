"""Python values as JSON values, with their types.

None, booleans, strings, lists, integers and finite floats are written as such; a number with a
decimal point or an exponent is a float. Any other value is an object with a ``type``.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from polytomy._errors import FamilyError

from . import scalars
from .arrays import from_array, to_array
from .files import MAX_DIGITS
from .node import Node, format_error, refuse, shown

_MAX_NESTING = 24  # of parameters within parameters; also ends a value that contains itself
_INTEGER_LIMIT = 10**MAX_DIGITS

Known = Mapping[str, type[Any]]
"""The dataclasses that parameters may hold, such as pruners, by name."""


@dataclass(frozen=True)
class AbsentFamily:
    """A placeholder for a user's own family in a loaded model, since model files hold no code.

    The loaded model predicts as before. Fitting again needs the family itself.
    """

    name: str

    def propose(self, _node: Any, _ask: Any) -> Iterable[Any]:
        """Raise an error that explains how to restore the family."""
        raise FamilyError(
            f"the family {self.name!r} is your own code, which model files do not store: "
            "pass it with set_params(families=...) before fitting again"
        )


def to_plain(value: Any, place: str, known: Known, depth: int = 0) -> Any:
    """Return a value as a JSON value, or raise an error if model files cannot store it.

    >>> to_plain((1, 2.5, None), "families", {})
    {'type': 'tuple', 'items': [1, 2.5, None]}
    """
    if depth > _MAX_NESTING:
        refuse(place, "is nested too deeply or contains itself")
    if value is None or type(value) in (bool, str):
        return value
    if type(value) is int and -_INTEGER_LIMIT < value < _INTEGER_LIMIT:
        return value
    if type(value) is float and np.isfinite(value):
        return value
    if type(value) in (list, tuple):
        items = [to_plain(v, f"{place}[{i}]", known, depth + 1) for i, v in enumerate(value)]
        return items if type(value) is list else {"type": "tuple", "items": items}
    if type(value) is dict:
        return {
            "type": "dict",
            "items": [
                [
                    to_plain(k, place, known, depth + 1),
                    to_plain(v, f"{place}[{shown(k)}]", known, depth + 1),
                ]
                for k, v in value.items()
            ],
        }
    return _special(value, place, known, depth)


def _special(value: Any, place: str, known: Known, depth: int) -> Any:
    scalar = scalars.to_scalar(value, place)
    if scalar is not None:
        return scalar
    if isinstance(value, np.generic):
        held = to_array(np.array([value]), place)
        return {"type": "scalar", "dtype": held["dtype"], "value": held["values"]}
    if scalars.is_pandas(value):
        return scalars.to_pandas(value, lambda v, at: to_plain(v, at, known, depth + 1), place)
    if _is_column(value) and np.ndim(value) == 1:
        return _column(np.asarray(value), place, known, depth)
    name = next((name for name, cls in known.items() if type(value) is cls), None)
    if name is not None:
        held = {
            f.name: to_plain(getattr(value, f.name), f"{place}.{f.name}", known, depth + 1)
            for f in fields(value)
        }
        return {"type": "object", "name": name, "fields": held}
    family = _family_name(value)
    if family is not None:
        return {"type": "family", "name": family}
    what = "a function" if callable(value) else f"of type {type(value).__name__}"
    raise format_error(place, f"is {what}, which model files cannot store: {_REMEDY}")


def _family_name(value: Any) -> str | None:
    """Return the name of a user's own family, or None if the value is not a family."""
    name = getattr(value, "name", None)
    is_one = isinstance(name, str) and callable(getattr(value, "propose", None))
    return str(name) if is_one and not isinstance(value, type) else None


_REMEDY = (
    "pass plain data (numbers, text, lists, dictionaries) or, if the fitted model does not need "
    "the parameter, replace it with set_params() before saving"
)


def _is_column(value: Any) -> bool:
    """Return whether a value is an array, or an index or series of a data frame library."""
    if isinstance(value, np.ndarray):
        return True
    library = type(value).__module__.split(".")[0]
    return library in ("pandas", "polars") and type(value).__name__ in ("Index", "Series")


def _column(values: Any, place: str, known: Known, depth: int) -> dict[str, Any]:
    if values.dtype.kind != "O":
        return {"type": "array", **to_array(values, place)}
    return {
        "type": "array",
        "dtype": "object",
        "values": to_plain(values.tolist(), place, known, depth + 1),
    }


def from_plain(node: Node, known: Known) -> Any:
    """Return the value that ``to_plain`` wrote."""
    value = node.value
    if value is None or type(value) in (bool, str, int):
        return value
    if type(value) is float:
        return node.number()
    if type(value) is list:
        return [from_plain(item, known) for item in node.items()]
    kind = node.member("type").text()
    if kind in scalars.READERS:
        found = scalars.from_scalar(kind, node)
        node.fields(*("type", "value", *(("fold", "zone") if kind == "datetime" else ())))
        return found
    if kind in scalars.PANDAS_KINDS:
        return scalars.from_pandas(kind, node, lambda end: from_plain(end, known))
    reader = _READERS.get(kind)
    if reader is None:
        node.fail(f"{shown(kind)} is not a type that model files support")
    return reader(node, known)


def _tuple(node: Node, known: Known) -> tuple[Any, ...]:
    _, items = node.fields("type", "items")
    return tuple(from_plain(item, known) for item in items.items())


def _dict(node: Node, known: Known) -> dict[Any, Any]:
    _, items = node.fields("type", "items")
    found: dict[Any, Any] = {}
    for pair in items.items():
        key, value = (from_plain(part, known) for part in pair.items(2))
        try:
            twice = key in found
        except TypeError:
            pair.fail("the key is not hashable")
        if twice:
            pair.fail(f"duplicate key {shown(key)}")
        found[key] = value
    return found


def _array(node: Node, known: Known) -> Any:
    _, dtype, values = node.fields("type", "dtype", "values")
    return array_of(dtype, values, known)


def array_of(dtype: Node, values: Node, known: Known) -> Any:
    """Return an array, which may be one of objects."""
    if dtype.value != "object":
        return from_array(dtype, values)
    cells = [from_plain(v, known) for v in values.items()]
    found = np.empty(len(cells), dtype=object)
    for i, cell in enumerate(cells):  # one by one: cells may be lists
        found[i] = cell
    return found


def _scalar(node: Node, _known: Known) -> Any:
    _, dtype, value = node.fields("type", "dtype", "value")
    if len(list(value.items(1))) != 1:
        value.fail("must hold one value")
    return from_array(dtype, value)[0]


def _object(node: Node, known: Known) -> Any:
    _, name, held = node.fields("type", "name", "fields")
    cls = known.get(name.text())
    if cls is None:
        name.fail(f"unknown object {shown(name.value)}")
    values = {key: from_plain(value, known) for key, value in held.members().items()}
    unknown = set(values) - set(cls.__dataclass_fields__)
    if unknown:
        held.fail(f"unknown field {shown(min(unknown))}")
    try:
        return cls(**values)
    except (ValueError, TypeError, ArithmeticError) as error:
        node.fail(str(error))


def _family(node: Node, _known: Known) -> AbsentFamily:
    _, name = node.fields("type", "name")
    return AbsentFamily(name.text())


_READERS = {
    "tuple": _tuple,
    "dict": _dict,
    "array": _array,
    "scalar": _scalar,
    "object": _object,
    "family": _family,
}
