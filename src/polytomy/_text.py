"""Text for messages and labels."""

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

_LISTED = 8  # names that a message lists
_CLOSE = 0.75  # the similarity of names that are likely to be meant


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


def similar(name: str, known: Sequence[str]) -> str | None:
    """Return a known name that is likely to be meant, or None.

    >>> similar("Aeg", ["age", "town"]), similar("page", ["age", "town"]), similar("gate", ["age"])
    ('age', 'age', None)
    """
    lowered = {k.lower(): k for k in known}
    for near in get_close_matches(name.lower(), lowered, n=1):
        close = get_close_matches(name.lower(), [near], cutoff=_CLOSE)
        if close or sorted(near) == sorted(name.lower()):
            return lowered[near]
    return None


def listing(known: Sequence[str], what: str = "columns") -> str:
    """Return the first of all names, for a message about one that is not known.

    >>> listing(["age", "town"])
    'its columns are age, town'
    """
    if not known:
        return f"it has no {what}"
    some = ", ".join(known[:_LISTED])
    return f"its {what} are {some}{', ...' if len(known) > _LISTED else ''}"


def suggestion(name: str, known: Sequence[str], what: str = "columns") -> str:
    """Return what a message adds about a name that is not known: a similar one, or some of all.

    >>> suggestion("Aeg", ["age", "town"]), suggestion("x", ["age", "town"])
    ("did you mean 'age'?", 'its columns are age, town')
    """
    near = similar(name, known)
    return listing(known, what) if near is None else f"did you mean {near!r}?"
