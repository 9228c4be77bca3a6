"""Text for messages and labels."""

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

_LISTED = 8  # names that a message lists


def one_line(value: Any) -> str:
    """Return a value as text on one line; characters that are not printable are escaped."""
    text = str(value)
    return text if text.isprintable() else "".join(map(_escaped, text))


def printable(text: str) -> str:
    r"""Return a text with line ends and tabs as they are, and other control characters escaped.

    >>> print(printable("a name with an escape \x1b[31m\nand a line end"))
    a name with an escape \x1b[31m
    and a line end
    """
    if text.isprintable():
        return text
    return "".join(c if c in "\n\t" else _escaped(c) for c in text)


def _escaped(character: str) -> str:
    if character.isprintable():
        return character
    return character.encode("unicode_escape").decode()


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


def suggestion(name: str, known: Sequence[str], what: str = "columns") -> str:
    """Return what a message adds about a name that is not known: a similar one, or some of all.

    >>> suggestion("Aeg", ["age", "town"]), suggestion("x", ["age", "town"])
    ("did you mean 'age'?", 'its columns are age, town')
    """
    lowered = {k.lower(): k for k in known}
    near = get_close_matches(name.lower(), lowered, n=1)
    if near:
        return f"did you mean {lowered[near[0]]!r}?"
    if not known:
        return f"it has no {what}"
    some = ", ".join(known[:_LISTED])
    return f"its {what} are {some}{', ...' if len(known) > _LISTED else ''}"
