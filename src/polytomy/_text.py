"""Text for messages and labels."""

import re
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

_LISTED = 8  # names that a message lists
_CLOSE = 0.75  # the similarity of names that are likely to be meant
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE)
_ROUNDING = 1e-12  # a share that is this close to 0 or 1 differs from it by rounding errors only


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


def shorten_middle(text: str, width: int) -> str:
    """Return text, with its middle replaced by an ellipsis if it is longer than the width.

    >>> shorten_middle("the very long name of a column", 12)
    'the ve…olumn'
    """
    if len(text) <= width:
        return text
    tail = (width - 1) // 2
    return f"{text[: width - 1 - tail]}…{text[len(text) - tail :]}"


def distinct_names(names: Sequence[str], width: int) -> list[str]:
    """Return names of at most about ``width`` characters; different names stay different.

    Long names lose their middle. Names that would then look alike lose another part instead, and if
    that does not help either, they get their positions.

    >>> distinct_names(["income of 2019 in EUR", "income of 2020 in EUR"], 13)
    ['inco…9 in EUR', 'inco…0 in EUR']
    """
    short = [shorten_middle(name, width) for name in names]
    alike: dict[str, list[int]] = {}
    for i, text in enumerate(short):
        alike.setdefault(text, []).append(i)
    for group in alike.values():
        different = sorted({names[i] for i in group})
        if len(different) > 1:
            shown = _told_apart(different, width, set(short))
            for i in group:
                short[i] = shown.get(names[i]) or f"{names[i][: max(1, width - 4)]}…#{i}"
    return short


def _told_apart(names: Sequence[str], width: int, taken: set[str]) -> dict[str, str]:
    """Return different names with the same part left out of all, or nothing if there is none."""
    middle = width // 2
    for head in sorted(range(width), key=lambda n: (abs(n - middle), n)):
        tails = [
            name[len(name) - (width - 1 - head) :] if head < width - 1 else "" for name in names
        ]
        shown = [f"{name[:head]}…{tail}" for name, tail in zip(names, tails, strict=True)]
        if len(set(shown)) == len(names) and taken.isdisjoint(shown):
            return dict(zip(names, shown, strict=True))
    return {}


def percent(share: float, digits: int = 0) -> str:
    """Return a share as a percentage; only a share of 0 is 0%, and only one of 1 is 100%.

    Parameters
    ----------
    share : float
        The share.
    digits : int, default=0
        The number of decimals, unless up to two more are needed.

    Examples
    --------
    >>> percent(0.5), percent(0.999), percent(1.0), percent(1e-6), percent(0.123, 1)
    ('50%', '99.9%', '100%', '<0.01%', '12.3%')
    """
    return f"{percent_number(share, digits)}%"


def percent_number(share: float, digits: int = 0) -> str:
    """Return a share as a percentage without the sign; see ``percent``.

    >>> percent_number(0.5), percent_number(0.9996)
    ('50', '99.96')
    """
    if abs(share) < _ROUNDING or abs(share - 1) < _ROUNDING:
        return f"{100 * round(share):.{digits}f}"
    text = ""
    for decimals in range(digits, digits + 3):
        text = f"{100 * share:.{decimals}f}"
        if float(text) not in (0, 100):
            return text
    bound = 10.0**-decimals
    return f"<{bound:.{decimals}f}" if share < 0.5 else f">{100 - bound:.{decimals}f}"


def class_title(name: str) -> str:
    """Return a class's name as it reads beside numbers: "class 1" for the class 1.

    >>> class_title("1"), class_title("-0.5"), class_title("benign"), class_title("type 2")
    ('class 1', 'class -0.5', 'benign', 'type 2')
    """
    return f"class {name}" if _NUMBER.fullmatch(name) else name


def before_number(name: str) -> str:
    """Return a class's name in front of a number, with a colon if it ends in a digit.

    >>> before_number("1"), before_number("benign"), before_number("type 2")
    ('class 1:', 'benign', 'type 2:')
    """
    title = class_title(name)
    return f"{title}:" if title[-1:].isdigit() else title


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
