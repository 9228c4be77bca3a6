"""Model files and output files; ``-`` is stdin or stdout."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, BinaryIO

import typer

from polytomy._files import replacing

from .errors import CommandError, reason
from .terminal import escaped_on_terminal

if TYPE_CHECKING:
    from polytomy._types import AnyArray
    from polytomy.encode import Schema

STDIO = "-"


def check_output(path: Path, *inputs: Any) -> None:
    """Raise an error before any work if a file cannot be written or is one of the inputs."""
    if str(path) == STDIO:
        return
    given_paths = [p for given in inputs for p in (given if isinstance(given, list) else [given])]
    if path.is_dir():
        raise CommandError(f"cannot write {path}: it is a folder")
    folder = path.resolve().parent
    if not folder.is_dir():
        raise CommandError(f"cannot write {path}: folder {path.parent} does not exist")
    place = path if path.exists() and not path.is_file() else folder  # a device has no folder
    if not os.access(place, os.W_OK):
        raise CommandError(f"cannot write {path}: no permission to write in {place}")
    for given in given_paths:
        if given is not None and path.exists() and given.exists() and path.samefile(given):
            raise CommandError(f"cannot write {path}: it is also an input; choose another name")


def check_overwrite(path: Path, force: bool) -> None:
    """Ask before a file is replaced, or raise an error without a terminal."""
    if force or str(path) == STDIO or not path.is_file():
        return
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise CommandError(f"{path} exists; add --force to replace it")
    typer.confirm(f"{path} exists. Replace it?", abort=True, err=True)


def write_output(path: Path, data: bytes) -> None:
    """Write a file atomically, or write to stdout or a device."""
    with open_output(path) as file:
        file.write(data)


@contextmanager
def open_output(path: Path) -> Iterator[BinaryIO]:
    """Yield a file that replaces another one at the end of the block, stdout, or a device.

    Control characters are escaped on a terminal.
    """
    if str(path) == STDIO:
        sys.stdout.flush()
        yield escaped_on_terminal(sys.stdout.buffer)
        sys.stdout.buffer.flush()
        return
    try:
        if path.exists() and not path.is_file():  # a device or a pipe cannot be replaced
            with path.open("wb") as device:
                yield escaped_on_terminal(device)
        else:
            with replacing(path) as file:
                yield file
    except OSError as error:
        raise CommandError(f"cannot write {path}: {reason(error)}") from None


def load_predictor(path: Path) -> Any:
    """Return the classifier or regressor in a model file; raise an error for a density tree."""
    model = load_model(path)
    if is_density(model):
        raise CommandError(f"{path} holds a density tree; this command needs a model with a target")
    return model


def is_density(model: Any) -> bool:
    """Return whether a model is a density tree."""
    from polytomy import DensityTree

    return isinstance(model, DensityTree)


def load_model(path: Path) -> Any:
    """Return the estimator in a model file."""
    from polytomy import load
    from polytomy.io import read_bytes

    if str(path) != STDIO:
        if not path.exists():
            raise CommandError(f"model file not found: {path}")
        if path.is_dir():
            raise CommandError(f"{path} is a folder, not a model file")
        return load(path)
    with TemporaryDirectory() as folder:
        file = Path(folder, "model.json")
        file.write_bytes(read_bytes(path))
        return load(file)


def save_model(clf: Any, path: Path) -> None:
    """Write an estimator to a model file."""
    try:
        if str(path) != STDIO and (path.is_file() or not path.exists()):
            clf.save(path)  # writes atomically
            return
        with TemporaryDirectory() as folder:
            file = Path(folder, "model.json")
            clf.save(file)
            data = file.read_bytes()
    except OSError as error:
        raise CommandError(f"cannot write {path}: {reason(error)}") from None
    write_output(path, data)


def schema_of(clf: Any) -> "Schema":
    """Return the columns that an estimator was fitted on."""
    schema: Schema = clf._model.schema
    return schema


def classes_of(clf: Any) -> "AnyArray | None":
    """Return the classes of a classifier; None for a regressor."""
    classes: AnyArray | None = getattr(clf, "classes_", None)
    return classes


def class_names(clf: Any) -> list[str]:
    """Return the names of the classes to colour in text; none for a regressor."""
    classes = classes_of(clf)
    return [] if classes is None else [str(c) for c in classes]


def ensemble_word(clf: Any) -> str | None:
    """Return "boosted" or "a forest" for a model of many trees, and None for a single tree."""
    from polytomy import BoostedTreeClassifier, ForestClassifier, ForestRegressor

    if isinstance(clf, BoostedTreeClassifier):
        return "boosted"
    return "a forest" if isinstance(clf, ForestClassifier | ForestRegressor) else None
