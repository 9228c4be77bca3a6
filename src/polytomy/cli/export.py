"""``polytomy export``: convert a model to code, a diagram, rules or another format."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from . import options
from .errors import CommandError

FORMATS = ("sql", "python", "c", "onnx", "dot", "mermaid", "rules", "json", "text")
DIALECTS = ("ansi", "duckdb", "postgres", "sqlite")


def export(
    model: options.ModelFile,
    to: Annotated[
        str,
        options.option(
            f"Format: {', '.join(FORMATS)}.",
            default=None,
            metavar="FORMAT",
            autocompletion=lambda: list(FORMATS),
        ),
    ],
    output: Annotated[
        Path,
        options.option(
            "File to write; - for stdout.",
            "--output",
            "-o",
            default="-",
            metavar="FILE",
            allow_dash=True,
        ),
    ] = Path("-"),
    dialect: Annotated[
        str | None,
        options.option(
            f"SQL dialect: {', '.join(DIALECTS)}.",
            default="ansi",
            metavar="NAME",
            autocompletion=lambda: list(DIALECTS),
        ),
    ] = None,
) -> None:
    """Convert a model to code, a diagram or another format.

    A boosted model or a forest can be exported to fewer formats than a tree. Code of a density tree
    returns the log-density of a row's box; it cannot be exported to onnx.
    """
    from .files import check_output, load_model, write_output

    if to not in FORMATS:
        message = f"must be one of {', '.join(FORMATS)}; got {to!r}"
        raise typer.BadParameter(message, param_hint="--to")
    if dialect is not None and to != "sql":
        raise typer.BadParameter("only applies to --to sql", param_hint="--dialect")
    if to == "onnx" and str(output) == "-" and sys.stdout.isatty():
        raise CommandError("ONNX is a binary format: add -o FILE, or pipe the output")
    check_output(output, model)
    content = convert(load_model(model), to, dialect)
    write_output(output, content)
    if str(output) != "-":
        typer.echo(f"Wrote {to} to {output}")


def convert(clf: Any, to: str, dialect: str | None) -> bytes:
    """Return a model in another format; text ends with a newline."""
    from .files import ensemble_word

    method = getattr(clf, f"to_{to}", None)
    if method is None:
        kind = "a model of many trees" if ensemble_word(clf) else "a density tree"
        raise CommandError(f"{kind} cannot be exported to {to}")
    result = method() if dialect is None else method(dialect=dialect)
    if to == "onnx":
        return bytes(result.SerializeToString())
    return (str(result).rstrip("\n") + "\n").encode("utf-8")
