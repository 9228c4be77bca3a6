"""The command ``polytomy``: its verbs, its version, and one line for whatever is wrong."""

import io
import sys
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import typer

from polytomy import PolytomyError, __version__

from .demo import demo

VERBS: dict[str, Callable[..., None]] = {"demo": demo}

_USAGE_ERROR = typer.BadParameter.__mro__[1]  # all misuse of a command; typer has no name for it

app = typer.Typer(
    name="polytomy",
    help="Decision trees whose nodes branch as many ways as the data deserve.",
    add_completion=False,
    rich_markup_mode=None,
)


@app.callback(invoke_without_command=True)
def polytomy(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Answer what comes without a verb."""
    if version:
        typer.echo(f"polytomy {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


for _name, _verb in VERBS.items():
    app.command(_name)(_verb)


def main(args: Sequence[str] | None = None) -> None:
    """Run the command line; bad input gets one line and exit code 2."""
    _print_what_can_be_printed()
    command: Any = typer.main.get_command(app)
    given = None if args is None else list(args)
    try:
        code = command.main(args=given, prog_name="polytomy", standalone_mode=False)
    except (KeyboardInterrupt, typer.Abort):
        sys.exit(130)
    except Exception as error:
        if not isinstance(error, (_USAGE_ERROR, PolytomyError)):
            raise
        said = error.format_message() if hasattr(error, "format_message") else str(error)
        typer.echo(f"polytomy: {' '.join(said.split())}", err=True)
        sys.exit(2)
    sys.exit(code)


def _print_what_can_be_printed() -> None:
    """Let an output that lacks a character, such as those that draw trees, show ``?`` for it."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
