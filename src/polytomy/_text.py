"""Text for messages and labels."""

from typing import Any


def one_line(value: Any) -> str:
    """Return a value as text on one line; characters that are not printable are escaped."""
    text = str(value)
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def shorten(text: str, width: int) -> str:
    """Return text, with its end replaced by an ellipsis if it is longer than the width.

    >>> shorten("abcdef", 4), shorten("abcd", 4)
    ('abc…', 'abcd')
    """
    return text if len(text) <= width else text[: width - 1] + "…"


def count(n: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun in the singular or the plural.

    >>> count(1, "row"), count(2, "row"), count(0, "leaf", "leaves")
    ('1 row', '2 rows', '0 leaves')
    """
    return f"{n} {noun if n == 1 else plural or f'{noun}s'}"
