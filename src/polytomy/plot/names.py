"""Names in figures: on one line or a few, shortened, never empty."""

from collections.abc import Sequence
from typing import Any

from polytomy._text import distinct_names, one_line, shorten_middle

_JOINTS = " _/-"  # a line may end after these
_EARLIEST = 1 / 3  # of a line; an earlier break would leave it too short
NAMELESS = "(no name)"


def shown(name: Any) -> str:
    """Return a column's name on one line.

    >>> shown("a column"), shown("")
    ('a column', '(no name)')
    """
    text = one_line(name)
    return text if text.strip() else NAMELESS


def shown_names(names: Sequence[Any], width: int, most: int) -> list[str]:
    """Return columns' names that fit on at most ``most`` lines; different names stay different.

    >>> shown_names(["a", "long_" * 9 + "2019", "long_" * 9 + "2020"], 14, 2)
    ['a', 'long_long…ong_2019', 'long_long…ong_2020']
    """
    texts = [shown(name) for name in names]
    least = int(_EARLIEST * width) * (most - 1) + width  # characters that always fit
    short = distinct_names(texts, least)
    fits = ["…" not in "".join(wrapped(text, width, most)) for text in texts]
    return [text if fit else cut for text, cut, fit in zip(texts, short, fits, strict=True)]


def wrapped(text: str, width: int, most: int) -> list[str]:
    """Return text on at most ``most`` lines, the last of them shortened if necessary.

    Lines end after blanks, dashes, slashes and underscores and before capitals if possible. If the
    text fits, lines are about equally long. A question mark at the end is never alone.

    >>> wrapped("mean concave points of all nuclei", 16, 2)
    ['mean concave', 'points o… nuclei']
    >>> wrapped("od280/od315_of_diluted_wines?", 24, 2)
    ['od280/od315_of_', 'diluted_wines?']
    >>> wrapped("householdIncomeBeforeTax?", 16, 2)
    ['householdIncome', 'BeforeTax?']
    """
    if text.endswith("?") and len(text) > 1:
        *first, last = wrapped(text[:-1], width, most)
        return [*first, f"{last}?"]
    lines, whole = _filled(text, width, most)
    if whole and len(lines) > 1:
        for narrower in range(len(text) // len(lines), width):
            even, also = _filled(text, narrower, len(lines))
            if also:
                return even
    return lines


def _filled(text: str, width: int, most: int) -> tuple[list[str], bool]:
    """Fill one line after the other; return the lines, and whether no word was broken."""
    lines: list[str] = []
    whole = True
    while len(text) > width and len(lines) < most - 1:
        # a blank just beyond the line is not shown
        ends = [i for i in range(1, width + 1) if _is_joint(text[i - 1], text[i])]
        end = width if text[width] == " " else max(ends, default=0)
        if end < max(1, _EARLIEST * width):
            end, whole = width, False
        lines.append(text[:end].rstrip())
        text = text[end:].lstrip()
    return [*lines, shorten_middle(text, width)], whole and len(text) <= width


def _is_joint(before: str, after: str) -> bool:
    """Return whether a line may end between two characters."""
    return before in _JOINTS or (after.isupper() and (before.islower() or before.isdigit()))
