"""Python values to JSON values and back, with their types.

Null, booleans, text, lists, whole and finite numbers are themselves; a number with a point or an
exponent is a float. All else is an object that says its ``type``.
"""

from typing import Any

import numpy as np

from . import frames, scalars
from .arrays import from_array, to_array
from .errors import refusal, refuse, shown
from .limits import MAX_DIGITS
from .node import Node
from .objects import AbsentFamily, Known, family_name, fields_of, name_of

_DEEPEST = 24  # a parameter within parameters; what contains itself ends here
_ENDLESS = 10**MAX_DIGITS


def to_plain(value: Any, place: str, known: Known, depth: int = 0) -> Any:
    """Return a value as JSON holds it, or refuse what cannot be.

    >>> to_plain((1, 2.5, None), "families", {})
    {'type': 'tuple', 'items': [1, 2.5, None]}
    """
    if depth > _DEEPEST:
        refuse(place, "nests too deep, or contains itself")
    if value is None or type(value) in (bool, str):
        return value
    if type(value) is int and -_ENDLESS < value < _ENDLESS:
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
    if frames.is_pandas(value):
        return frames.to_pandas(value, lambda v, at: to_plain(v, at, known, depth + 1), place)
    if _is_column(value) and np.ndim(value) == 1:
        return _column(np.asarray(value), place, known, depth)
    name = name_of(value, known)
    if name is not None:
        held = {
            k: to_plain(v, f"{place}.{k}", known, depth + 1) for k, v in fields_of(value).items()
        }
        return {"type": "object", "name": name, "fields": held}
    family = family_name(value)
    if family is not None:
        return {"type": "family", "name": family}
    what = "a function" if callable(value) else f"of type {type(value).__name__}"
    raise refusal(place, f"is {what}, which a model file cannot hold: {_REMEDY}")


_REMEDY = (
    "give it as plain data (numbers, text, lists, dictionaries), or, where it is a parameter that "
    "the fitted model does without, set_params() another value before saving"
)


def _is_column(value: Any) -> bool:
    """Say whether a value is an array, or an index or series of a frame library."""
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
    if kind in frames.KINDS:
        return frames.from_pandas(kind, node, lambda end: from_plain(end, known))
    reader = _READERS.get(kind)
    if reader is None:
        node.fail(f"{shown(kind)} is no type of a model file")
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
            pair.fail("has a key that cannot be one")
        if twice:
            pair.fail(f"gives {shown(key)} a second time")
        found[key] = value
    return found


def _array(node: Node, known: Known) -> Any:
    _, dtype, values = node.fields("type", "dtype", "values")
    return array_of(dtype, values, known)


def array_of(dtype: Node, values: Node, known: Known) -> Any:
    """Return an array, also one of objects."""
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
        value.fail("must be one value")
    return from_array(dtype, value)[0]


def _object(node: Node, known: Known) -> Any:
    _, name, held = node.fields("type", "name", "fields")
    cls = known.get(name.text())
    if cls is None:
        name.fail(f"{shown(name.value)} is unknown")
    values = {key: from_plain(value, known) for key, value in held.members().items()}
    unknown = set(values) - set(cls.__dataclass_fields__)
    if unknown:
        held.fail(f"{shown(min(unknown))} is unknown")
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
