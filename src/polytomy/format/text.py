"""A document as text: laid out to be read, and sealed with a checksum."""

import json
from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any

from .errors import refuse
from .limits import MAX_BYTES
from .nesting import survey

MARK = b'"checksum"'
_OPEN_LEVELS = 3  # objects that deep are spread over lines, deeper ones are not


def to_bytes(document: Mapping[str, Any]) -> bytes:
    """Return a document as UTF-8 text that ends with the checksum of all before it.

    >>> print(to_bytes({"format": 1, "start": [0.5, 2]}).decode()[:33])
    {
    "format": 1,
    "start": [0.5, 2],
    """
    parts = "".join(_laid_out(dict(document), 0))
    text = parts.removesuffix("\n}") + ",\n"
    try:
        data = text.encode()
    except UnicodeEncodeError:  # half of a surrogate pair, which only an escape can write
        data = json.dumps(dict(document), allow_nan=False).removesuffix("}").encode() + b",\n"
    whole = data + b'%s: "%s"\n}\n' % (MARK, digest(data).encode())
    if len(whole) > MAX_BYTES:
        refuse("", f"the model would take {len(whole) >> 20} MiB, more than a file may hold")
    survey(whole)
    return whole


def digest(data: bytes | memoryview) -> str:
    """Return the checksum of what stands before ``"checksum"``."""
    return f"sha256:{sha256(data).hexdigest()}"


def _laid_out(value: Any, level: int) -> Iterator[str]:
    """Yield text: outer objects and lists of objects on lines of their own, all else compact."""
    if isinstance(value, dict) and value and level < _OPEN_LEVELS:
        yield "{\n"
        for i, (key, held) in enumerate(value.items()):
            yield f"{',' + chr(10) if i else ''}{' ' * level}{_compact(key)}: "
            yield from _laid_out(held, level + 1)
        yield "\n}" if level == 0 else f"\n{' ' * level}}}"
    elif isinstance(value, list) and value and level < _OPEN_LEVELS and isinstance(value[0], dict):
        yield "["
        for i, held in enumerate(value):
            yield ",\n" + " " * level if i else "\n" + " " * level
            yield _compact(held)
        yield "]"
    else:
        yield _compact(value)


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(", ", ": "))
