"""Values as text on one line."""

from typing import Any


def one_line(value: Any) -> str:
    """Return a value as text without line breaks or other characters that do not print."""
    text = str(value)
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
