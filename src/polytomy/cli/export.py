"""``polytomy export``: a model as SQL, as source, as a graph, as sentences."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from . import options
from .bad_input import BadInputError

FORMATS = ("sql", "python", "c", "onnx", "dot", "mermaid", "rules", "json", "text")
DIALECTS = ("ansi", "duckdb", "postgres", "sqlite")


def export(
    model: options.ModelFile,
    to: Annotated[
        str,
        typer.Option(
            metavar="FORMAT", autocompletion=lambda: list(FORMATS), help=f"{', '.join(FORMATS)}."
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="FILE", allow_dash=True, help="Where it goes; - is stdout."
        ),
    ] = Path("-"),
    dialect: Annotated[
        str | None,
        typer.Option(
            show_default="ansi",
            autocompletion=lambda: list(DIALECTS),
            help=f"Of SQL: {', '.join(DIALECTS)}.",
        ),
    ] = None,
) -> None:
    """Write a model in another form."""
    from .models import load_model
    from .write import check_output, write_bytes

    if to not in FORMATS:
        said = f"must be one of {', '.join(FORMATS)}; got {to!r}"
        raise typer.BadParameter(said, param_hint="--to")
    if dialect is not None and to != "sql":
        raise typer.BadParameter("is for --to sql", param_hint="--dialect")
    if to == "onnx" and str(output) == "-" and sys.stdout.isatty():
        raise BadInputError("ONNX is no text for a terminal: add -o FILE, or pipe it")
    check_output(output, model)
    written = exported(load_model(model), to, dialect)
    write_bytes(output, written)
    if str(output) != "-":
        typer.echo(f"Wrote {to} to {output}")


def exported(clf: Any, to: str, dialect: str | None) -> bytes:
    """Return a model in another form; text ends with a line break."""
    method = getattr(clf, f"to_{to}", None)
    if method is None:
        raise BadInputError(f"a boosted model cannot be exported to {to}")
    made = method() if dialect is None else method(dialect=dialect)
    if to == "onnx":
        return bytes(made.SerializeToString())
    return (str(made).rstrip("\n") + "\n").encode("utf-8")
