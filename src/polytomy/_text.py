"""Text for messages and labels."""

from typing import Any


def one_line(value: Any) -> str:
    """Return a value as text on one line; characters that are not printable are escaped."""
    text = str(value)
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
