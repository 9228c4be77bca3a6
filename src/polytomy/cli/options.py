"""Arguments and options that several verbs share."""

from pathlib import Path
from typing import Annotated

import typer

PROCEDURES = ("per-leaf", "hatano", "mansour-mcallester", "kearns-mansour")
INDICES = ("gini", "entropy", "sqrt", "error")
PRUNERS = (
    "reduced-error",
    "conservative",
    "error-budget",
    "chi-square",
    "cost-complexity",
    "pessimistic",
)
ALGORITHMS = ("auto", "adaboost", "adaboost-real", "adaboost-mh", "samme", "logitboost")

Data = Annotated[
    Path,
    typer.Argument(
        metavar="DATA",
        allow_dash=True,
        help="A table: CSV, TSV, Parquet, Arrow or Feather, plain or .gz; - is stdin.",
    ),
]
MaybeData = Annotated[
    Path | None,
    typer.Argument(metavar="[DATA]", allow_dash=True, help="A table, as in `polytomy fit`."),
]
ModelFile = Annotated[
    Path,
    typer.Argument(
        metavar="MODEL", allow_dash=True, help="A model that `polytomy fit` wrote; - is stdin."
    ),
]
Target = Annotated[str, typer.Option(metavar="COL", help="The column to tell.")]
MaybeTarget = Annotated[
    str | None, typer.Option("--target", metavar="COL", help="The column to tell.")
]
ModelOutput = Annotated[
    Path,
    typer.Option(
        "--output", "-o", metavar="FILE", allow_dash=True, help="Where the model goes; - is stdout."
    ),
]
Weights = Annotated[
    str | None, typer.Option(metavar="COL", help="A column of weights, read as case counts.")
]
Categorical = Annotated[
    list[str] | None,
    typer.Option(metavar="COL", help="Take a column for categories, whatever it looks like."),
]
Numeric = Annotated[
    list[str] | None,
    typer.Option(metavar="COL", help="Take a column for numbers; a cell that is none is refused."),
]
Drop = Annotated[list[str] | None, typer.Option(metavar="COL", help="Leave a column out.")]


def _not_zero(jobs: int | None) -> int | None:
    if jobs == 0:
        raise typer.BadParameter("0 threads do nothing; -1 is all there are")
    return jobs


DropUnlabelled = Annotated[
    bool, typer.Option("--drop-unlabelled", help="Leave out rows whose target is missing.")
]
TestFraction = Annotated[
    float,
    typer.Option(
        metavar="F", help="Keep this share of the rows from fitting and tell the error on them."
    ),
]
Seed = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=0,
        max=2**32 - 1,
        show_default="None",
        help="For whatever is drawn; --test-fraction then uses 0.",
    ),
]
Jobs = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        callback=_not_zero,
        show_default="None",
        help="Threads; -1 is all there are. The result is the same.",
    ),
]
