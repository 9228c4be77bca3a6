"""``polytomy explain``: why a model says what it says of one row."""

from textwrap import wrap
from typing import Annotated

import typer

from . import options
from .bad_input import BadInputError


def explain(
    model: options.ModelFile,
    data: options.Data,
    row: Annotated[
        int,
        typer.Option(metavar="N", help="Which row: 1 is the first below the header."),
    ],
) -> None:
    """Tell one row's way down the tree: each question, its answer, and what the leaf holds."""
    import numpy as np
    from rich.console import Console

    from .models import load_model, names_of, read_for
    from .paint import coloured, width
    from .read import name_of

    clf = load_model(model)
    if not hasattr(clf, "explain"):
        raise BadInputError("this model is boosted, and no one path explains it; see polytomy show")
    sheet = read_for(clf, data)
    if not 1 <= row <= sheet.n_rows:
        said = f"{name_of(data)} has rows 1 to {sheet.n_rows:,}, got {row}"
        raise typer.BadParameter(said, param_hint="--row")
    told = clf.explain(sheet.take(np.array([row - 1])).select(names_of(clf)))
    console = Console(highlight=False, soft_wrap=True)
    for line in str(told).splitlines():
        folded = wrap(line, width(console), subsequent_indent="   ")
        console.print(coloured("\n".join(folded), [str(c) for c in clf.classes_]))
