"""``polytomy density``: fit a density tree to a data file."""

from pathlib import Path
from typing import Annotated, Any

import typer

from . import options
from .errors import CommandError


def density(
    data: options.Data,
    *,
    output: options.ModelOutput,
    leaves: Annotated[
        str,
        options.option(
            "Maximum number of boxes. cv chooses it by cross-validation, none sets no limit.",
            "--leaves",
            default="cv",
            metavar="N|cv|none",
        ),
    ] = "cv",
    loss: Annotated[
        str,
        options.option(
            "What to minimise: likelihood or squared.", default="likelihood", metavar="NAME"
        ),
    ] = "likelihood",
    min_samples_leaf: Annotated[
        int,
        options.option("Minimum number of rows of a box with rows.", default="1", metavar="N"),
    ] = 1,
    weights: options.Weights = None,
    categorical: options.Categorical = None,
    numeric: options.Numeric = None,
    drop: options.Drop = None,
    sep: options.Sep = None,
    decimal: options.Decimal = None,
    encoding: options.Encoding = None,
    dayfirst: options.DayFirst = None,
    random_state: Annotated[int | None, options.seed_option("Random seed for folds.", "0")] = None,
    n_jobs: options.Jobs = None,
) -> None:
    """Fit a density tree to a data file, and print its boxes, the densest first.

    Columns that only identify rows (row numbers, mostly distinct text) are left out unless they are
    named in --categorical or --numeric. ``polytomy predict`` writes the log-density of rows.
    """
    reading = options.reading_options(dict(locals()))
    from polytomy import DensityTree
    from polytomy.estimators import remember
    from polytomy.io import ColumnRoles, read_unlabelled_data

    from .files import check_output, save_model
    from .progress import ProgressBar
    from .rows import record_of_table, with_names

    check_output(output, data)
    lists = tuple(categorical or ()), tuple(numeric or ()), tuple(drop or ())
    model = DensityTree(
        _number_of_leaves(leaves),
        loss=loss,
        min_samples_leaf=min_samples_leaf,
        random_state=random_state,
        n_jobs=n_jobs,
    )
    with ProgressBar("fitting"):
        roles = ColumnRoles(None, weights, *lists)
        table, row_weights, identifiers, found = read_unlabelled_data(data, roles, reading)
        with_names(model.fit(table, sample_weight=row_weights), table)
    remember(model, record_of_table(table, row_weights, weights, found, reading))
    save_model(model, output)
    for note in found.notes:
        typer.echo(note.for_command_line, err=True)
    for column in identifiers:
        typer.echo(f"Left out {column.name}: {column.reason}", err=True)
    if str(output) != "-":
        _print_boxes(model, output)


def _number_of_leaves(text: str) -> int | str | None:
    if text == "none":
        return None
    if text == "cv":
        return text
    try:
        return int(text)
    except ValueError:
        raise CommandError(f"--leaves must be a number, cv or none, not {text!r}") from None


def _print_boxes(model: Any, output: Path, most: int = 10) -> None:
    regions = model.to_rules()
    typer.echo(f"{model.n_leaves_} boxes, {model.tree_.rows[0]:,} rows")
    for region in regions[:most]:
        typer.echo(f"  {region}")
    if len(regions) > most:
        typer.echo(f"  ... {len(regions) - most} more; polytomy show {output}")
    typer.echo(f"Wrote {output}")
