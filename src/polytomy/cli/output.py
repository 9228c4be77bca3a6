"""Printing: summaries, wrapped lines and coloured classes."""

import re
from collections.abc import Sequence
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING

import typer

from polytomy._text import class_title

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

MAX_WIDTH = 100
_MIN_WIDTH = 40
_FIGURE = r"[<>]?\d+(?:\.\d+)?"  # of a percentage


def print_summary(lines: Sequence[tuple[str, str]], output: Path) -> None:
    """Print names and values in two columns, on stderr if the output goes to stdout."""
    to_stdout = str(output) == "-"
    for name, value in [*lines, ("model", "stdout" if to_stdout else str(output))]:
        typer.echo(f"{name:<19}{value}" if name else value, err=to_stdout)


def line_width(console: "Console") -> int:
    """Return the length of lines on a console."""
    return max(min(console.width, MAX_WIDTH), _MIN_WIDTH)


def print_wrapped(console: "Console", text: str, class_names: Sequence[str] = ()) -> None:
    """Print the lines of a text, wrapped, with coloured classes."""
    for line in text.splitlines():
        wrapped = wrap(line, line_width(console), subsequent_indent="   ")
        console.print(colour_classes("\n".join(wrapped), class_names))


def colour_classes(text: str, class_names: Sequence[str]) -> "Text":
    """Return a text with class names in colour, and tree lines and intervals dimmed."""
    from rich.text import Text

    from polytomy.export import CLASS_COLOURS

    coloured = Text(text)
    coloured.highlight_regex(r"(?m)^[│├└─ ]+", "dim")
    interval = rf"\[{_FIGURE}-{_FIGURE}\]( of \d+| \({_FIGURE}% of \d+( rows?)?\))?"
    coloured.highlight_regex(rf"{interval}|\(\d+ rows\)", "dim")
    for name, style in zip(class_names, CLASS_COLOURS, strict=False):
        title = re.escape(class_title(name))
        coloured.highlight_regex(rf"\b{title}\b(:? {_FIGURE}%)?", style)
    return coloured
