"""A node of a JSON document with its path, and checked access to its value.

Long lists of numbers may be packed: one text instead of the numbers, see ``pack``.
"""

from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from math import inf, isfinite, isnan, nan
from typing import Any, NoReturn

import numpy as np

from polytomy._errors import ModelFormatError
from polytomy._types import AnyArray, FloatArray, IntArray

_WORDS = {"nan": nan, "inf": inf, "-inf": -inf}
_LARGEST = 2**63 - 1
_INTEGERS = ("int8", "int16", "int32", "int64")
_PACKED = (*_INTEGERS, "float64")  # the types of packed numbers


def format_error(place: str, sentence: str) -> ModelFormatError:
    """Return the error for a place in the document, such as ``tree.child[17]``."""
    return ModelFormatError(f"{place}: {sentence}" if place else sentence)


def refuse(place: str, sentence: str) -> NoReturn:
    """Raise the error for a place in the document."""
    raise format_error(place, sentence)


def shown(value: object) -> str:
    """Return a value for a message: in ASCII characters, at most 60 of them."""
    try:
        text = ascii(value)
    except (RecursionError, ValueError):  # ValueError: integers of thousands of digits
        return f"a {type(value).__name__}"
    return text if len(text) <= 60 else f"{text[:57]}..."


@dataclass(frozen=True, slots=True)
class Node:
    """A value of a document and its path.

    >>> Node({"child": [1, 2]}, "").fields("child")[0].wholes(0, 1)
    Traceback (most recent call last):
    polytomy._errors.ModelFormatError: child[1]: must be an integer from 0 to 1, not 2
    """

    value: Any
    place: str

    def fail(self, sentence: str) -> NoReturn:
        """Raise an error about this value."""
        refuse(self.place, sentence)

    def fields(self, *names: str) -> tuple["Node", ...]:
        """Return the members of an object that must have exactly these names."""
        held = self._object()
        for name in names:
            if name not in held:
                self.fail(f"member {name!r} is missing")
        unknown = [name for name in held if name not in names]
        if unknown:
            self.fail(f"unknown member {shown(unknown[0])}")
        return tuple(self._at(name) for name in names)

    def members(self) -> dict[str, "Node"]:
        """Return all members of an object."""
        return {name: self._at(name) for name in self._object()}

    def member(self, name: str) -> "Node":
        """Return one member of an object that may have others."""
        if name not in self._object():
            self.fail(f"member {name!r} is missing")
        return self._at(name)

    def items(self, length: int | None = None) -> Iterator["Node"]:
        """Return the items of a list."""
        held = self._list(length)
        return (Node(item, f"{self.place}[{i}]") for i, item in enumerate(held))

    def optional(self) -> "Node | None":
        """Return this node, or None if the value is null."""
        return None if self.value is None else self

    def flag(self) -> bool:
        """Return a boolean."""
        if type(self.value) is not bool:
            self.fail(f"must be true or false, not {shown(self.value)}")
        return bool(self.value)

    def text(self) -> str:
        """Return a string."""
        if type(self.value) is not str:
            self.fail(f"must be text, not {shown(self.value)}")
        return str(self.value)

    def word(self, known: Sequence[str]) -> str:
        """Return a string that must be one of those in ``known``."""
        if self.text() not in known:
            self.fail(f"must be one of {', '.join(known)}; not {shown(self.value)}")
        return str(self.value)

    def whole(self, least: int, most: int = _LARGEST) -> int:
        """Return an integer that must lie in a range."""
        if type(self.value) is not int or not least <= self.value <= most:
            self.fail(f"must be an integer {_range(least, most)}, not {shown(self.value)}")
        return int(self.value)

    def number(self, *, infinite: bool = False) -> float:
        """Return a number; with ``infinite``, "nan", "inf" and "-inf" are allowed too."""
        value = self.value
        if infinite and type(value) is str and value in _WORDS:
            return _WORDS[value]
        if type(value) is int or (type(value) is float and isfinite(value)):
            return float(value)
        if type(value) is float:
            self.fail("number too large for a 64-bit float")
        raise format_error(self.place, f"must be a number, not {shown(value)}")

    def wholes(self, least: int, most: int = _LARGEST, length: int | None = None) -> IntArray:
        """Return a list of integers that must lie in a range."""
        if self._is_packed():
            return self._packed_wholes(least, most, length)
        held = self._list(length)
        fits = not set(map(type, held)) - {int}
        if not fits or (held and not least <= min(held) <= max(held) <= most):
            for item in self.items():
                item.whole(least, most)
        return np.array(held, dtype=np.int64)

    def numbers(self, length: int | None = None, *, infinite: bool = False) -> FloatArray:
        """Return a list of numbers."""
        if self._is_packed():
            found = self._packed_numbers(infinite=infinite)
            self._check_length(len(found), length)
            return found
        held = self._list(length)
        if not set(map(type, held)) - {int, float}:
            found = np.array(held, dtype=np.float64)
            if np.isfinite(found).all():
                return found
        return np.array([item.number(infinite=infinite) for item in self.items()], np.float64)

    def rows(self, n_rows: int, n_columns: int | None = None) -> FloatArray:
        """Return a list of lists of numbers, all of the same length, at least 1."""
        if self._is_packed():
            cells = self._packed_numbers()
            n_columns = n_columns or max(1, len(cells) // n_rows)
            self._check_length(len(cells), n_rows * n_columns)
            return cells.reshape(n_rows, n_columns)
        if n_columns is None:
            first = next(self.items(n_rows), self)
            n_columns = len(first._list())
            if n_columns == 0:
                first.fail("must not be empty")
        held = self._list(n_rows)
        flat: list[Any] = []
        if all(type(row) is list and len(row) == n_columns for row in held):
            flat = list(chain.from_iterable(held))
        if not flat or set(map(type, flat)) - {int, float}:  # row by row, to find the place
            flat = [x for row in self.items() for x in row.numbers(n_columns).tolist()]
        found = np.array(flat, dtype=np.float64).reshape(n_rows, n_columns)
        if not np.isfinite(found).all():
            for row in self.items():
                row.numbers(n_columns)
        return found

    def _at(self, name: str) -> "Node":
        return Node(self.value[name], f"{self.place}.{name}" if self.place else name)

    def _object(self) -> dict[str, Any]:
        if type(self.value) is not dict:
            self.fail(f"must be an object, not {shown(self.value)}")
        return self.value

    def _list(self, length: int | None = None) -> list[Any]:
        if type(self.value) is not list:
            self.fail(f"must be a list, not {shown(self.value)}")
        self._check_length(len(self.value), length)
        return self.value

    def _check_length(self, found: int, length: int | None) -> None:
        if length is not None and found != length:
            self.fail(f"must have {length} items, not {found}")

    def _is_packed(self) -> bool:
        return type(self.value) is dict

    def _packed(self, dtypes: Sequence[str]) -> AnyArray:
        """Return packed numbers of one of these types."""
        dtype = next(iter(self._object()), "")
        if dtype not in dtypes:
            self.fail(f"must be a list, or packed as one of {', '.join(dtypes)}")
        (text,) = self.fields(dtype)
        held = text.text()
        try:
            data = b64decode(held, validate=True)
        except (Base64Error, ValueError):
            text.fail("is not in base 64")
        stored = np.dtype(dtype).newbyteorder("<")
        if len(data) % stored.itemsize:
            text.fail(f"does not hold whole numbers of type {dtype}")
        return np.frombuffer(data, dtype=stored).astype(dtype, copy=False)

    def _packed_wholes(self, least: int, most: int, length: int | None) -> IntArray:
        found = self._packed(_INTEGERS)
        self._check_length(len(found), length)
        wrong = (found < least) | (found > most)
        if wrong.any():
            at = int(np.argmax(wrong))
            Node(int(found[at]), f"{self.place}[{at}]").whole(least, most)
        return found.astype(np.int64)

    def _packed_numbers(self, *, infinite: bool = False) -> FloatArray:
        found = self._packed(_PACKED).astype(np.float64)
        wrong = ~np.isfinite(found)
        if not infinite and wrong.any():
            refuse(f"{self.place}[{int(np.argmax(wrong))}]", "must be a finite number")
        return found


def plain_number(value: float) -> float | str:
    """Return a number as documents write it: "nan", "inf" and "-inf" as text."""
    if isfinite(value):
        return float(value)
    return "nan" if isnan(value) else "inf" if value > 0 else "-inf"


def plain_numbers(values: FloatArray) -> list[Any]:
    """Return numbers as documents write them: as integers if all of them are integers."""
    if not np.isfinite(values).all():
        return [plain_number(v) for v in values.tolist()]
    if _are_integral(values):
        return list(values.astype(np.int64).tolist())
    return list(values.tolist())


def pack(values: AnyArray, *, narrow: bool = True) -> dict[str, str]:
    """Return numbers as one text: their bytes, little-endian, in base 64, with their type.

    Parameters
    ----------
    values : ndarray
        Integers or 64-bit floats.
    narrow : bool, default=True
        Whether numbers that are all integers are stored in the smallest type that holds them.

    >>> pack(np.array([1.0, 2.0]))
    {'int8': 'AQI='}
    """
    dtype = _narrowest(values) if narrow else "float64"
    stored = np.ascontiguousarray(values, dtype=np.dtype(dtype).newbyteorder("<"))
    return {dtype: b64encode(stored.data).decode("ascii")}


def _narrowest(values: AnyArray) -> str:
    if values.dtype.kind == "f" and not _are_integral(values):
        return "float64"
    low, high = int(values.min(initial=0)), int(values.max(initial=0))
    return next(t for t in _INTEGERS if np.iinfo(t).min <= low and high <= np.iinfo(t).max)


def _are_integral(values: FloatArray) -> bool:
    """Return whether all numbers are integers, which a 64-bit float holds exactly."""
    whole = (values == np.rint(values)) & (np.abs(values) < 2.0**53)
    return bool((whole & ~((values == 0) & np.signbit(values))).all())  # -0 would lose its sign


def _range(least: int, most: int) -> str:
    return f"from {least} to {most}" if most < _LARGEST else f"of at least {least}"
