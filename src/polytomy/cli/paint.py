"""What the demo prints: text that reads the same without colours, and colours that help."""

import re
from collections.abc import Sequence
from textwrap import wrap
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from polytomy.export import explain, to_text
from polytomy.predict import apply

if TYPE_CHECKING:
    from polytomy.model import Model
    from polytomy.table import Table

    from .demo import Score

WIDEST = 100
_CLASS_STYLES = ("green", "magenta", "cyan", "yellow", "blue", "red")


def heading(console: Console, n_train: int, n_held: int) -> None:
    """Say what is about to be seen."""
    console.print(Text("Where was a car made?", style="bold"))
    said = (
        f"A tree grown on {n_train} cars of 1970 to 1982; {n_held} others are held out. "
        "A leaf shows its commonest origin, that origin's share, the share's 95 % interval, "
        "and how many cars the leaf holds."
    )
    _paragraph(console, said)
    console.print()


def tree(console: Console, model: "Model") -> None:
    """Draw a model's tree."""
    text = to_text(model, max_width=width(console))
    console.print(coloured(text, model.class_names))
    console.print()


def scores(console: Console, rows: "Sequence[Score]", n_held: int) -> None:
    """Set the trees side by side, and say what one held-out car weighs."""
    head = f"{'':<14}{'leaves':>6}{'questions':>12}{'training':>12}{'held-out':>12}"
    under = f"{'':<14}{'':>6}{'a car':>12}{'error':>12}{'error':>12}"
    console.print(Text(f"{head}\n{under}", style="bold"))
    for row in rows:
        line = Text(f"{row.name:<14}{row.leaves:>6}{row.questions:>12.2f}")
        line.append(f"{row.train_error:>12.1%}")
        line.append(f"{row.held_error:>12.1%}", style="bold")
        console.print(line)
    console.print(Text(f"One car of the {n_held} held out is {1 / n_held:.1%}.", style="dim"))
    console.print()


def car(console: Console, model: "Model", name: str, row: "Table", origin: str) -> None:
    """Explain one car: its way down the tree, and whether the tree is right."""
    leaf = int(apply(model.tree, model.schema, row)[0])
    told = explain(model, row, leaf)
    asked = f"The {name} was held out. Why does the tree say {told.share.name}?"
    console.print(Text(asked, style="bold"))
    for line in str(told).splitlines():
        folded = wrap(line, width(console), subsequent_indent="   ")
        console.print(coloured("\n".join(folded), model.class_names))
    verdict = "and so it was" if told.share.name == origin else f"but it was made in {origin}"
    console.print(coloured(f"The tree says {told.share.name}, {verdict}.", model.class_names))


def _paragraph(console: Console, text: str) -> None:
    console.print(Text("\n".join(wrap(text, width(console)))))


def width(console: Console) -> int:
    """Return how wide lines may be on a console."""
    return max(min(console.width, WIDEST), 40)


def coloured(text: str, class_names: Sequence[str]) -> Text:
    """Colour the classes with their shares; lines and brackets step back."""
    painted = Text(text)
    painted.highlight_regex(r"(?m)^[│├└─ ]+", "dim")
    painted.highlight_regex(r"\[\d+-\d+\]( of \d+)?|\(\d+ rows\)", "dim")
    for name, style in zip(class_names, _CLASS_STYLES, strict=False):
        painted.highlight_regex(rf"\b{re.escape(name)}\b( \d+%)?", style)
    return painted
