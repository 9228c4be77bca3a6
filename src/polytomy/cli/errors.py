"""Errors of the command line, the line printed for each, and the exit codes."""

import re
from collections.abc import Mapping
from traceback import walk_tb

import typer

from polytomy import PolytomyError

FAILED = 1  # verification found discrepancies, or the reader of a pipe has gone
BAD_INPUT = 2
INTERRUPTED = 130  # the code that shells report after Ctrl-C

_USAGE_ERROR = typer.BadParameter.__mro__[1]  # click's UsageError, which typer does not export


class CommandError(PolytomyError):
    """A request that cannot be carried out with this model, file or combination of options."""


def message_for(error: Exception) -> str | None:
    """Return the line to print for an error in the input, or None for an error in the program."""
    if isinstance(error, _USAGE_ERROR):
        return str(error.format_message())  # type: ignore[attr-defined]
    if isinstance(error, PolytomyError):
        return f"{error}{_hint(error)}"
    if isinstance(error, OSError):
        module = _imported_module(error)
        if module is not None:
            return f"cannot import {module}: {reason(error)}"
        return f"cannot write {error.filename or 'the output'}: {reason(error)}"
    return None


def _imported_module(error: OSError) -> str | None:
    """Return the module during whose import a command raised an error, or None."""
    frames = (frame for frame, _ in walk_tb(error.__traceback__))
    names = (f.f_globals["__name__"] for f in frames if f.f_code.co_name == "<module>")
    return next(names, None)


def _hint(error: PolytomyError) -> str:
    """Return the option that helps with an error of a reader, which does not know of options."""
    from polytomy.io import (
        MissingLabelsError,
        NotClassesError,
        TargetNotFoundError,
        TimeTargetError,
    )

    if isinstance(error, MissingLabelsError):
        if error.words:
            return (
                ", leave these rows out with --drop-unlabelled, or keep "
                f"{'it as a class' if len(error.words) == 1 else 'these as classes'} with "
                "--task classification"
            )
        return ", or leave these rows out with --drop-unlabelled"
    if isinstance(error, TargetNotFoundError):
        return "; name the target with --target COL"
    if isinstance(error, NotClassesError):
        return "; --task regression without --boost fits a regression tree"
    if isinstance(error, TimeTargetError):
        return ", or take each for a class with --task classification"
    return ""


_QUOTED = (
    r"""(?<!\w)'(?:[^'\\]|\\.)*'(?!\w)|"(?:[^"\\]|\\.)*\""""  # as repr writes, not apostrophes
)
_COLUMN = r"\bcolumn \w+"  # the name of a column, without quotation marks
_SETTING = r"\b(?P<name>[a-z_]+)=(?P<value>'[^']*'|True|False|[0-9.]*[0-9])"  # as in Python
_WORDS = re.compile(rf"{_QUOTED}|{_COLUMN}|{_SETTING}|\b[a-z_]+\b")


def in_options(message: str, flags: Mapping[str, str], of_fit: Mapping[str, str] = {}) -> str:
    """Return a message about parameters of an estimator with the names of the options instead.

    A parameter whose name is a word of English is replaced only where the sentence begins with it,
    or where it has a value, and nothing is replaced within quotation marks or directly after the
    word "column".

    Parameters
    ----------
    message : str
        The message.
    flags : mapping
        The option for each parameter, and for some of them with a value, such as
        ``"teacher=False"``.
    of_fit : mapping, default={}
        The same of the command that fits models, for other parameters with a value.

    Returns
    -------
    str
        The message.

    Examples
    --------
    >>> in_options("never_ask names 'never_ask' twice", {"never_ask": "--never-ask"})
    "--never-ask names 'never_ask' twice"
    >>> in_options("it needs effort='fast'", {"effort": "--effort"})
    'it needs --effort fast'
    """

    def option_for(found: re.Match[str]) -> str:
        word, name, value = found[0], found["name"], found["value"]
        if name is not None:
            known, plain = {**of_fit, **flags}, value.strip("'")
            return known.get(word, f"{known[name]} {plain}" if name in known else word)
        is_name = "_" in word or (found.start() == 0 and message[found.end() :].startswith(" must"))
        return flags.get(word, word) if is_name else word

    return _WORDS.sub(option_for, message)


def reason(error: OSError) -> str:
    """Return the system's description of an error, in lower case."""
    return (error.strerror or str(error)).lower()
