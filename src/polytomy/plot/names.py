"""Names in figures: on one line or a few, shortened, never empty."""

from typing import Any

from polytomy._text import one_line

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


def cut(text: str, width: int) -> str:
    """Return text with its middle left out if it is longer than the width.

    Both ends are kept, because names often differ at the end.

    >>> cut("the very long name of a column", 12)
    'the ve…olumn'
    """
    if len(text) <= width:
        return text
    tail = (width - 1) // 2
    return f"{text[: width - 1 - tail]}…{text[len(text) - tail :]}"


def wrapped(text: str, width: int, most: int) -> list[str]:
    """Return text on at most ``most`` lines, the last of them shortened if necessary.

    Lines end after blanks, dashes, slashes and underscores if possible. If the text fits, lines are
    about equally long.

    >>> wrapped("mean concave points of all nuclei", 16, 2)
    ['mean concave', 'points o… nuclei']
    >>> wrapped("od280/od315_of_diluted_wines?", 24, 2)
    ['od280/od315_of_', 'diluted_wines?']
    """
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
        ends = [i + 1 for i in range(width) if text[i] in _JOINTS]
        end = width if text[width] == " " else max(ends, default=0)
        if end < max(1, _EARLIEST * width):
            end, whole = width, False
        lines.append(text[:end].rstrip())
        text = text[end:].lstrip()
    return [*lines, cut(text, width)], whole and len(text) <= width
