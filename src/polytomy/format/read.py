"""From bytes to a document, trusting nothing: not their size, their nesting, or their numbers."""

import json
import re
import zlib
from collections import Counter
from math import inf
from pathlib import Path
from typing import Any, NoReturn

from .errors import ModelFormatError, refuse, shown
from .limits import MAX_BYTES, MAX_DIGITS
from .nesting import survey
from .text import MARK, digest
from .versions import check_known

_GZIP = b"\x1f\x8b"
_FORMAT = re.compile(rb'\s*\{\s*"format"\s*:\s*([0-9]+)')
_BY_HAND = "the file was damaged or edited after it was written"


def read_bytes(path: Any) -> bytes:
    """Return what a file holds, but not more than any model file does."""
    try:
        with Path(path).open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except (OSError, ValueError, TypeError) as error:
        why = getattr(error, "strerror", None) or error
        raise ModelFormatError(f"cannot read it: {why}") from error


def parsed(data: bytes) -> tuple[dict[str, Any], str | None]:
    """Return the document that bytes hold, and what is wrong with its checksum, if anything is.

    >>> from .text import to_bytes
    >>> parsed(to_bytes({"format": 1, "start": [0.5]}))
    ({'format': 1, 'start': [0.5]}, None)
    >>> parsed(b'{"format": 7}')
    Traceback (most recent call last):
    polytomy._errors.ModelFormatError: format 7 is newer than this library knows, 1: upgrade \
polytomy
    """
    if data.startswith(_GZIP):
        data = _unpacked(data)
    if len(data) > MAX_BYTES:
        refuse("", f"it is larger than {MAX_BYTES >> 20} MiB, which no model file is")
    number = _FORMAT.match(data[:4096])
    if number is None:
        refuse("", 'this is no model file: one begins with {"format": and a number')
    check_known(int(number.group(1)) if len(number.group(1)) < 10 else inf)
    survey(data)
    document = _from_json(data)
    return document, _broken_seal(data, document)


def _unpacked(data: bytes) -> bytes:
    """Return what gzip packed, in one piece and not more than a model file holds."""
    unpacking = zlib.decompressobj(wbits=31)
    try:
        found = unpacking.decompress(data, MAX_BYTES + 1)
    except zlib.error as error:
        refuse("", f"it is no sound gzip file ({error})")
    if len(found) > MAX_BYTES:
        refuse("", f"unpacked it is larger than {MAX_BYTES >> 20} MiB, which no model file is")
    if not unpacking.eof:
        refuse("", "the gzip file is cut short")
    if unpacking.unused_data:
        refuse("", f"{len(unpacking.unused_data)} bytes follow the end of the gzip file")
    return found


def _from_json(data: bytes) -> dict[str, Any]:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        refuse("", f"byte {error.start} is no UTF-8 text")
    try:
        found = json.loads(
            text, object_pairs_hook=_object, parse_constant=_constant, parse_int=_whole
        )
    except json.JSONDecodeError as error:
        if not text.rstrip().endswith("}"):
            refuse("", "the file is cut short")
        refuse(f"line {error.lineno}, column {error.colno}", f"no JSON ({error.msg})")
    except (RecursionError, MemoryError) as error:
        refuse("", f"it is too much to read ({type(error).__name__})")
    if type(found) is not dict:  # it begins with one, so something follows its end
        refuse("", "a model file holds one object")
    return found


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = Counter(name for name, _ in pairs).most_common(1)[0][0]
        refuse(shown(twice), "the key comes twice in one object")
    return found


def _constant(name: str) -> NoReturn:
    refuse("", f'{name} is no number of JSON; a model file says "{name.lower()}" where it means it')


def _whole(digits: str) -> Any:
    """Return a whole number; infinity for an endless one, which is refused where it stands."""
    return int(digits) if len(digits) <= MAX_DIGITS + 1 else inf


def _broken_seal(data: bytes, document: dict[str, Any]) -> str | None:
    """Take the checksum out of a document; return what is wrong with it."""
    if next(reversed(document)) != "checksum":
        document.pop("checksum", None)
        return "is missing at the end"
    stated = document.pop("checksum")
    with memoryview(data) as view:
        found = digest(view[: data.rfind(MARK)])
    return None if stated == found else f"does not fit: {_BY_HAND}"
