"""The bytes of a model file: a JSON document with a format number, limits and a checksum.

Reading trusts nothing: the size, the nesting and the memory needed are checked before the text is
parsed. Writing keeps to the same limits, so that every file that is written can be read.

A change that an older reader would misread needs a new format number: ``docs/reference/format``
gets a new page, and the reader of the old format stays, as do the files under ``tests/format`` that
it reads.
"""

import gzip
import json
import os
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from math import inf
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import numpy as np

from polytomy._errors import ModelFormatError
from polytomy._files import write_atomically

from .node import refuse, shown

FORMAT = 3
"""The format number of the files that are written."""

READABLE = (1, 2, 3)
"""The format numbers that can be read."""

MAX_DEPTH = 64  # nested brackets
MAX_DIGITS = 30  # of a JSON integer; larger integers are written as text

_GZIP = b"\x1f\x8b"
_FIRST_MEMBER = re.compile(rb'\s*\{\s*"format"\s*:\s*([0-9]+)')
_CHECKSUM = b'"checksum"'
_OPEN_LEVELS = 3  # outer objects are spread over several lines, deeper ones are compact

_PIECE = 1 << 20  # bytes that are read from a pipe at once
_SMALLER = "fit fewer trees, or smaller ones, for example with a larger min_samples_leaf"
_UNCOMPRESSED = "save it under a name without .gz"

_Made = TypeVar("_Made")


@dataclass(frozen=True, slots=True)
class Limits:
    """The largest document that is read or written, in MiB.

    A small file that claims much memory was made to do so. So every file may need what
    ``ANY_FILE`` allows, and beyond that only ``ratio`` times its own size.
    """

    text: int  # of the file, compressed or not, and of its decompressed content
    memory: int  # of the parsed document, as estimated by check_size
    ratio: int = 0

    @property
    def n_bytes(self) -> int:
        """The largest number of bytes of text."""
        return self.text << 20

    def of_file(self, size: int) -> "Limits":
        """Return the limits for a file of this many bytes, compressed or not."""
        more = self.ratio * size >> 20
        text, memory = ANY_FILE.text + more, ANY_FILE.memory + more
        return Limits(min(self.text, text), min(self.memory, memory))


ANY_FILE = Limits(text=128, memory=512)
"""What a file of any size may need: reading a small one takes less than a gigabyte."""

MODEL_LIMITS = Limits(text=1024, memory=8192, ratio=64)
"""Limits of model files, which may be hostile."""

CHECKPOINT_LIMITS = Limits(text=1024, memory=8192, ratio=200)
"""Limits of checkpoints, which the same user wrote; their numbers are not packed."""


# ---- writing -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class EncodedJson:
    """A part of a document that is JSON text already, so that it need not be encoded again."""

    text: str

    @classmethod
    def of(cls, value: Any) -> "EncodedJson":
        """Encode a value."""
        return cls(json.dumps(value, allow_nan=False))


def to_bytes(document: Mapping[str, Any], limits: Limits = MODEL_LIMITS) -> bytes:
    """Return a document as UTF-8 text that ends with the checksum of everything before it.

    >>> print(to_bytes({"format": 1, "start": [0.5, 2]}).decode()[:33])
    {
    "format": 1,
    "start": [0.5, 2],
    """
    text = "".join(_layout(dict(document), 0)).removesuffix("\n}") + ",\n"
    try:
        data = text.encode()
    except UnicodeEncodeError:  # an unpaired surrogate: only an escape sequence can represent it
        whole = json.dumps(dict(document), allow_nan=False, default=lambda e: json.loads(e.text))
        data = whole.removesuffix("}").encode() + b",\n"
    data += b'%s: "%s"\n}\n' % (_CHECKSUM, _digest(data).encode())
    limits = limits.of_file(len(data))
    if len(data) > limits.n_bytes:
        refuse(
            "",
            f"the file would take {len(data) >> 20} MiB, and the limit is {limits.text} MiB: "
            f"{_SMALLER}",
        )
    check_size(data, limits, _SMALLER)
    return data


def write_bytes(path: Any, data: bytes) -> None:
    """Write a model file atomically; compressed if the path ends in ``.gz``."""
    try:
        write_atomically(path, _compressed(data) if Path(path).suffix == ".gz" else data)
    except (OSError, ValueError, TypeError) as error:
        start = f"cannot write {shown(str(path))}: "
        why = getattr(error, "strerror", None) or str(error).removeprefix(start)
        raise ModelFormatError(f"{start}{why}") from error


def _layout(value: Any, level: int) -> Iterator[str]:
    """Yield text: outer objects and lists of objects over several lines, the rest compact."""
    if isinstance(value, dict) and value and level < _OPEN_LEVELS:
        yield "{\n"
        for i, (key, held) in enumerate(value.items()):
            yield f"{',' + chr(10) if i else ''}{' ' * level}{_compact(key)}: "
            yield from _layout(held, level + 1)
        yield "\n}" if level == 0 else f"\n{' ' * level}}}"
    elif _is_list_of_objects(value) and level < _OPEN_LEVELS:
        yield "["
        for i, held in enumerate(value):
            yield ",\n" + " " * level if i else "\n" + " " * level
            yield held.text if isinstance(held, EncodedJson) else _compact(held)
        yield "]"
    else:
        yield _compact(value)


def _is_list_of_objects(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict | EncodedJson)


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(", ", ": "))


def _digest(data: bytes | memoryview) -> str:
    return f"sha256:{sha256(data).hexdigest()}"


def _compressed(data: bytes) -> bytes:
    packed = gzip.compress(data, mtime=0)  # without a time, so that equal models give equal bytes
    limits = MODEL_LIMITS.of_file(len(packed))
    if len(data) > limits.n_bytes:
        refuse("", f"the file would be too small for what it unpacks to: {_UNCOMPRESSED}")
    check_size(data, limits, _UNCOMPRESSED)
    return packed


# ---- reading -------------------------------------------------------------------------------------


def read_bytes(path: Any, limits: Limits = MODEL_LIMITS) -> bytes:
    """Return the content of a file, up to one byte more than the limit."""
    try:
        with Path(path).open("rb") as file:
            # The size first: read() allocates all it may read. It is 0 for pipes.
            size = min(os.fstat(file.fileno()).st_size, limits.n_bytes) + 1
            parts = [file.read(size)]
            while parts[-1] and sum(map(len, parts)) <= limits.n_bytes:
                parts.append(file.read(_PIECE))
            return b"".join(parts) if parts[1:] and parts[1] else parts[0]
    except (OSError, ValueError, TypeError) as error:
        why = getattr(error, "strerror", None) or error
        raise ModelFormatError(f"cannot read the file: {why}") from error


def load_document(
    data: bytes, make: Callable[[dict[str, Any]], _Made], limits: Limits = MODEL_LIMITS
) -> _Made:
    """Parse the bytes of a model file and return ``make(document)``.

    A wrong checksum is always an error, but the document is read first: an invalid value shows
    where the file is damaged.
    """
    document, broken = parsed(data, limits)
    try:
        with np.errstate(all="ignore"):  # invalid numbers raise errors, not warnings
            made = make(document)
    except ModelFormatError as error:
        if broken is None:
            raise
        refuse("checksum", f"{broken}; {error}")
    except MemoryError:
        refuse("", "not enough memory to read the file")
    if broken is not None:
        refuse("checksum", broken)
    return made


def parsed(data: bytes, limits: Limits = MODEL_LIMITS) -> tuple[dict[str, Any], str | None]:
    """Return the document in the bytes of a file, and the problem with its checksum or None.

    >>> parsed(to_bytes({"format": 1, "start": [0.5]}))
    ({'format': 1, 'start': [0.5]}, None)
    >>> parsed(b'{"format": 7}')
    Traceback (most recent call last):
    polytomy._errors.ModelFormatError: format 7 is newer than this version of polytomy can read \
(3): upgrade polytomy
    """
    limits = limits.of_file(len(data))
    if data.startswith(_GZIP):
        data = _decompressed(data, limits)
    if len(data) > limits.n_bytes:
        refuse("", f"the file is larger than {limits.text} MiB, the limit")
    number = _FIRST_MEMBER.match(data[:4096])
    if number is None:
        refuse("", "not a polytomy model file")
    _check_format(int(number.group(1)) if len(number.group(1)) < 10 else inf)
    check_size(data, limits)
    document = _from_json(data)
    return document, _checksum_problem(data, document)


def _decompressed(data: bytes, limits: Limits) -> bytes:
    """Return the content of a gzip file of one member, up to the size limit."""
    stream = zlib.decompressobj(wbits=31)
    try:
        found = stream.decompress(data, limits.n_bytes + 1)
    except zlib.error as error:
        refuse("", f"the gzip file is damaged ({error})")
    if len(found) > limits.n_bytes:
        refuse("", f"the decompressed file is larger than {limits.text} MiB, the limit")
    if not stream.eof:
        refuse("", "the gzip file is truncated")
    if stream.unused_data:
        refuse("", f"{len(stream.unused_data)} bytes follow the end of the gzip file")
    return found


def _check_format(number: float) -> None:
    """Raise an error for a format number that this version cannot read."""
    if number in READABLE:
        return
    if number > FORMAT:
        name = f"{number:.0f}" if number < 10**9 else "(a number of more than nine digits)"
        refuse(
            "",
            f"format {name} is newer than this version of polytomy can read ({FORMAT}): "
            "upgrade polytomy",
        )
    refuse("", f"format {number:.0f} does not exist")


def _from_json(data: bytes) -> dict[str, Any]:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        refuse("", f"byte {error.start} is not valid UTF-8")
    try:
        found = json.loads(
            text, object_pairs_hook=_object, parse_constant=_constant, parse_int=_integer
        )
    except json.JSONDecodeError as error:
        if not text.rstrip().endswith("}"):
            refuse("", "the file is truncated")
        refuse(f"line {error.lineno}, column {error.colno}", f"invalid JSON ({error.msg})")
    except (RecursionError, MemoryError) as error:
        refuse("", f"the file is too large to read ({type(error).__name__})")
    if type(found) is not dict:  # the text begins with an object, so something follows it
        refuse("", "the file must contain exactly one JSON object")
    return found


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = Counter(name for name, _ in pairs).most_common(1)[0][0]
        refuse(shown(twice), "duplicate key in an object")
    return found


def _constant(name: str) -> NoReturn:
    refuse("", f'{name} is not valid JSON; model files use the text "{name.lower()}"')


def _integer(digits: str) -> Any:
    """Return an integer, or infinity if it has too many digits; the field's check rejects it."""
    return int(digits) if len(digits) <= MAX_DIGITS + 1 else inf


def _checksum_problem(data: bytes, document: dict[str, Any]) -> str | None:
    """Remove the checksum from a document; return a sentence if it is missing or wrong."""
    if next(reversed(document)) != "checksum":
        document.pop("checksum", None)
        return "missing at the end of the file"
    stated = document.pop("checksum")
    with memoryview(data) as view:
        found = _digest(view[: data.rfind(_CHECKSUM)])
    return None if stated == found else "wrong: the file was damaged or edited after it was written"


# ---- nesting and memory, estimated before parsing ------------------------------------------------

_CHUNK = 1 << 16
_QUOTE, _COMMA, _COLON = b'",:'
_OPEN, _CLOSE = np.frombuffer(b"[{", np.uint8), np.frombuffer(b"]}", np.uint8)
# Estimated bytes of memory for each element of the document:
_PER_VALUE = 72  # short text, or a float with its array slot; and its list slot
_PER_KEY = 160  # its text, its dictionary slot, and a key-value pair while parsing
_PER_BRACKET = 320  # a small dictionary or list
_PER_CHARACTER = 6  # of text: it may be packed numbers of one byte each, for arrays of 64 bits


def check_size(data: bytes, limits: Limits = MODEL_LIMITS, advice: str = "") -> None:
    """Raise an error for JSON text that is nested too deeply or needs too much memory.

    Brackets and commas inside strings do not count. Invalid JSON may be miscounted after its first
    error, but a parser stops there too. The error for memory ends with the ``advice``.

    >>> check_size(b'{"a": [1, 2, "[[["]}')
    >>> check_size(b"[" * 100)
    Traceback (most recent call last):
    polytomy._errors.ModelFormatError: brackets are nested more than 64 deep
    """
    # Replace escapes by two bytes each, so that every remaining quote begins or ends a string.
    plain = data.replace(b"\\\\", b"..").replace(b'\\"', b"..") if b"\\" in data else data
    depth, inside, memory = 0, False, len(data) * _character_width(data)
    start = 0
    while start < len(plain):
        if inside:  # skip the rest of the text
            end = plain.find(b'"', start)
            end = len(plain) if end < 0 else end
            memory += _PER_CHARACTER * (end - start)
            start = end
        part = np.frombuffer(plain, np.uint8, min(_CHUNK, len(plain) - start), start)
        start += len(part)
        if not len(part):
            break
        in_text = np.logical_xor.accumulate(part == _QUOTE) ^ inside
        opened = ((part == _OPEN[0]) | (part == _OPEN[1])) & ~in_text
        closed = ((part == _CLOSE[0]) | (part == _CLOSE[1])) & ~in_text
        steps = opened.astype(np.int8) - closed.astype(np.int8)
        depths = depth + np.cumsum(steps, dtype=np.int64)
        if int(depths.max()) > MAX_DEPTH:
            refuse("", f"brackets are nested more than {MAX_DEPTH} deep")
        commas, keys = (int(((part == mark) & ~in_text).sum()) for mark in (_COMMA, _COLON))
        memory += _PER_VALUE * commas + _PER_KEY * keys + _PER_BRACKET * int(opened.sum())
        memory += _PER_CHARACTER * int(in_text.sum())
        if memory > limits.memory << 20:
            refuse(
                "",
                f"the document needs more than {limits.memory} MiB of memory, the limit"
                f"{advice and ': '}{advice}",
            )
        depth, inside = int(depths[-1]), bool(in_text[-1])


def _character_width(data: bytes) -> int:
    """Return the number of bytes Python uses for each character of decoded UTF-8 text."""
    widest = int(np.frombuffer(data, np.uint8).max(initial=0))
    return 4 if widest >= 0xF0 else 2 if widest >= 0xC4 else 1
