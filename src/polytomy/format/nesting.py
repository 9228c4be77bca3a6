"""A look at JSON text before it is parsed: how deep it nests and how much memory it will take."""

import numpy as np

from .errors import refuse
from .limits import MAX_DEPTH, MAX_MEMORY

_CHUNK = 1 << 20
_QUOTE, _COMMA, _COLON = b'",:'
_OPEN, _CLOSE = np.frombuffer(b"[{", np.uint8), np.frombuffer(b"]}", np.uint8)
_PER_VALUE = 72  # short text, or a float and its place in an array; and its place in a list
_PER_KEY = 160  # its text, its place in a dictionary, and its pair while those are collected
_PER_BRACKET = 320  # a small dictionary or list


def survey(data: bytes) -> None:
    """Refuse JSON that nests too deep, or whose values would take too much memory.

    Brackets and commas inside of strings do not count. What is no JSON at all may be counted wrong
    from its first error on, which is as far as a parser gets.

    >>> survey(b'{"a": [1, 2, "[[["]}')
    >>> survey(b"[" * 100)
    Traceback (most recent call last):
    polytomy._errors.ModelFormatError: brackets nest more than 64 deep
    """
    # Two bytes for two, so that what is left of a quote is a real one.
    plain = data.replace(b"\\\\", b"..").replace(b'\\"', b"..") if b"\\" in data else data
    depth, inside, taken = 0, False, len(data) * _width(data)
    for start in range(0, len(plain), _CHUNK):
        part = np.frombuffer(plain, np.uint8, min(_CHUNK, len(plain) - start), start)
        in_text = np.logical_xor.accumulate(part == _QUOTE) ^ inside
        opened = ((part == _OPEN[0]) | (part == _OPEN[1])) & ~in_text
        closed = ((part == _CLOSE[0]) | (part == _CLOSE[1])) & ~in_text
        steps = opened.astype(np.int8) - closed.astype(np.int8)
        depths = depth + np.cumsum(steps, dtype=np.int64)
        if int(depths.max()) > MAX_DEPTH:
            refuse("", f"brackets nest more than {MAX_DEPTH} deep")
        commas, keys = (int(((part == mark) & ~in_text).sum()) for mark in (_COMMA, _COLON))
        taken += _PER_VALUE * commas + _PER_KEY * keys + _PER_BRACKET * int(opened.sum())
        if taken > MAX_MEMORY:
            refuse("", f"it holds more than fits {MAX_MEMORY >> 20} MiB of memory")
        depth, inside = int(depths[-1]), bool(in_text[-1])


def _width(data: bytes) -> int:
    """Return how many bytes Python takes for each character of UTF-8 text: as the widest needs."""
    widest = int(np.frombuffer(data, np.uint8).max(initial=0))
    return 4 if widest >= 0xF0 else 2 if widest >= 0xC4 else 1
