"""``polytomy explain``: explain one prediction step by step."""

from typing import Annotated

import typer

from . import options


def explain(
    model: options.ModelFile,
    data: options.Data,
    row: Annotated[
        int,
        options.option(
            "Number of the row to explain; 1 is the first row below the header.",
            default=None,
            metavar="N",
        ),
    ],
) -> None:
    """Explain the prediction for one row, step by step.

    For a tree, prints the branch that the row takes at each node, and its leaf. For a boosted model
    or a forest, prints what each column adds to the prediction.
    """
    import numpy as np
    from rich.console import Console

    from polytomy.io import display_name, read_for_model

    from .files import class_names, load_model, schema_of
    from .output import print_wrapped
    from .rows import reading_of

    clf = load_model(model)
    table = read_for_model(data, schema_of(clf), reading_of(clf))
    if not 1 <= row <= table.n_rows:
        message = f"{display_name(data)} has rows 1 to {table.n_rows:,}, got {row}"
        raise typer.BadParameter(message, param_hint="--row")
    explanation = clf.explain(table.take(np.array([row - 1])))
    console = Console(highlight=False, soft_wrap=True)
    print_wrapped(console, str(explanation), class_names(clf))
