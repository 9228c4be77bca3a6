"""The command ``polytomy``: its verbs, its version, and one line for whatever is wrong."""

import io
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import wraps
from typing import Annotated, Any

import typer

from polytomy import PolytomyError, __version__

from .bad_input import reason
from .certify import certify
from .compare import compare
from .demo import demo
from .explain import explain
from .export import export
from .fit import fit
from .predict import predict
from .prune import prune
from .report import report
from .show import show

VERBS: dict[str, Callable[..., None]] = {
    "demo": demo,
    "fit": fit,
    "predict": predict,
    "show": show,
    "explain": explain,
    "certify": certify,
    "prune": prune,
    "export": export,
    "report": report,
    "compare": compare,
}
INTERRUPTED = 130  # what shells say of a command ended by Ctrl-C
BROKEN_PIPE = 1  # the reader has gone, as in `polytomy export ... | head`; as typer and rich say

_USAGE_ERROR = typer.BadParameter.__mro__[1]  # all misuse of a command; typer has no name for it

app = typer.Typer(
    name="polytomy",
    help="Decision trees whose nodes branch as many ways as the data deserve.",
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


def _interruptible(verb: Callable[..., None]) -> Callable[..., None]:
    """Return a verb that ends in one line on Ctrl-C; outputs are written whole or not at all."""

    @wraps(verb)
    def run(**given: Any) -> None:
        try:
            verb(**given)
        except KeyboardInterrupt:
            typer.echo("polytomy: interrupted", err=True)
            raise typer.Exit(INTERRUPTED) from None

    return run


for _name, _verb in VERBS.items():
    app.command(_name)(_interruptible(_verb))


def main(args: Sequence[str] | None = None) -> None:
    """Run the command line; bad input gets one line and exit code 2."""
    _print_what_can_be_printed()
    command: Any = typer.main.get_command(app)
    given = None if args is None else list(args)
    try:
        with _warnings_in_a_line():
            code = command.main(args=given, prog_name="polytomy", standalone_mode=False)
            sys.stdout.flush()  # a full disk shows here, not when Python ends
    except (KeyboardInterrupt, typer.Abort):
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        _drop_stdout()
        sys.exit(BROKEN_PIPE)
    except Exception as error:
        said = _line_about(error)
        if said is None:
            raise
        typer.echo(f"polytomy: {' '.join(said.split())}", err=True)
        if isinstance(error, OSError):
            _drop_stdout()
        sys.exit(2)
    sys.exit(code)


def _line_about(error: Exception) -> str | None:
    """Return what is wrong with the input, or None where the fault is ours."""
    if isinstance(error, (_USAGE_ERROR, PolytomyError)):
        return error.format_message() if hasattr(error, "format_message") else str(error)
    if isinstance(error, OSError):
        return f"cannot write {error.filename or 'the output'}: {reason(error)}"
    return None


def _drop_stdout() -> None:
    """Keep Python from trying once more, and complaining, when it ends."""
    with suppress(OSError, ValueError, io.UnsupportedOperation):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


@contextmanager
def _warnings_in_a_line() -> Iterator[None]:
    """Show warnings as the command line shows everything: in a line, without places in sources."""

    def show_line(message: Warning | str, *_: Any, **__: Any) -> None:
        typer.echo(f"polytomy: warning: {' '.join(str(message).split())}", err=True)

    with warnings.catch_warnings():
        warnings.filterwarnings("default", category=UserWarning)
        # Names are compared by us, before scikit-learn sees columns whose names it cannot see.
        warnings.filterwarnings("ignore", message="X does not have valid feature names")
        warnings.showwarning = show_line
        yield


def _print_what_can_be_printed() -> None:
    """Let an output that lacks a character, such as those that draw trees, show ``?`` for it."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
