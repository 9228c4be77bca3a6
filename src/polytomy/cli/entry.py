"""The command ``polytomy``: its commands, and one line for any error in the input."""

import io
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import wraps
from typing import Annotated, Any

import typer

from polytomy import ParameterError, __version__

from .certify import certify
from .compare import CompareCommand, compare
from .demo import demo
from .density import density
from .errors import BAD_INPUT, FAILED, INTERRUPTED, in_options, message_for
from .explain import explain
from .export import export
from .fit import FitCommand, fit
from .predict import predict
from .prune import PruneCommand, prune
from .report import report
from .show import show
from .studio import StudioCommand, studio
from .terminal import escaped_consoles, guarded_streams

COMMANDS: dict[str, Callable[..., None]] = {
    "demo": demo,
    "fit": fit,
    "density": density,
    "predict": predict,
    "show": show,
    "explain": explain,
    "certify": certify,
    "prune": prune,
    "export": export,
    "report": report,
    "compare": compare,
    "studio": studio,
}
_COMMAND_CLASSES = {
    "fit": FitCommand,
    "prune": PruneCommand,
    "compare": CompareCommand,
    "studio": StudioCommand,
}

app = typer.Typer(
    name="polytomy",
    help="Decision trees with as many branches at each node as the data justify.",
    rich_markup_mode=None,
)


@app.callback(invoke_without_command=True)
def polytomy(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    """Handle the options before a command."""
    if version:
        typer.echo(f"polytomy {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def _guarded(name: str, command: Callable[..., None]) -> Callable[..., None]:
    """Return a command whose errors name its options, and that prints one line on Ctrl-C."""

    @wraps(command)
    def run(**given: Any) -> None:
        try:
            with escaped_consoles():
                command(**given)
        except ParameterError as error:
            raise ParameterError(in_options(str(error), _flags(name), _flags("fit"))) from error
        except KeyboardInterrupt:
            typer.echo("polytomy: interrupted", err=True)
            raise typer.Exit(INTERRUPTED) from None

    return run


def _flags(name: str) -> dict[str, str]:
    """Return the option for each parameter of a command, and for flags with their values."""
    group: Any = typer.main.get_command(app)
    params = [p for p in group.commands[name].params if p.opts[0].startswith("-")]
    flags = {p.name: max(p.opts, key=len) for p in params}
    flags |= {f"{p.name}=True": max(p.opts, key=len) for p in params if p.is_flag}
    flags |= {f"{p.name}=False": p.secondary_opts[0] for p in params if p.secondary_opts}
    if "teacher" in flags:
        flags["teacher=False"] = f"{flags['teacher']} none"
    return flags


for _name, _command in COMMANDS.items():
    app.command(_name, cls=_COMMAND_CLASSES.get(_name))(_guarded(_name, _command))


def main(args: Sequence[str] | None = None) -> None:
    """Run the command line; print one line and exit with code 2 on bad input."""
    _replace_unprintable_characters()
    with guarded_streams():
        _run(args)


def _run(args: Sequence[str] | None) -> None:
    command: Any = typer.main.get_command(app)
    given = None if args is None else list(args)
    try:
        with _one_line_warnings():
            code = command.main(args=given, prog_name="polytomy", standalone_mode=False)
            sys.stdout.flush()  # so that a full disk is noticed here
    except (KeyboardInterrupt, typer.Abort):
        sys.exit(INTERRUPTED)
    except BrokenPipeError:  # as in `polytomy export ... | head`
        _discard_stdout()
        sys.exit(FAILED)
    except Exception as error:
        message = message_for(error)
        if message is None:
            raise
        typer.echo(f"polytomy: {' '.join(message.split())}", err=True)
        if isinstance(error, OSError):
            _discard_stdout()
        sys.exit(BAD_INPUT)
    sys.exit(code)


def _discard_stdout() -> None:
    """Redirect stdout to nowhere, so that Python does not fail to flush it on exit."""
    with suppress(OSError, ValueError, io.UnsupportedOperation):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)


@contextmanager
def _one_line_warnings() -> Iterator[None]:
    """Print warnings as one line each, without their place in the source."""

    def show_line(message: Warning | str, *_: Any, **__: Any) -> None:
        text = getattr(message, "for_command_line", "") or str(message)
        typer.echo(f"polytomy: warning: {' '.join(text.split())}", err=True)

    with warnings.catch_warnings():
        warnings.filterwarnings("default", category=UserWarning)
        # Columns are matched by name when a file is read. scikit-learn does not see the names.
        warnings.filterwarnings("ignore", message="X does not have valid feature names")
        warnings.showwarning = show_line
        yield


def _replace_unprintable_characters() -> None:
    """Print ``?`` for characters that the encoding of stdout lacks, such as those of tree lines."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
