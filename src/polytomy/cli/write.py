"""Writing a result whole or not at all: to a file of another name first, then moved."""

import os
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

from .bad_input import BadInputError, reason
from .read import STDIO


def check_output(path: Path, *inputs: Path | None) -> None:
    """Refuse a place that cannot be written, before the work is done, or that is an input."""
    if str(path) == STDIO:
        return
    if path.is_dir():
        raise BadInputError(f"cannot write {path}: it is a folder")
    folder = path.resolve().parent
    if not folder.is_dir():
        raise BadInputError(f"cannot write {path}: there is no folder {path.parent}")
    target = path if path.exists() and not path.is_file() else folder  # a device has no folder
    if not os.access(target, os.W_OK):
        raise BadInputError(f"cannot write {path}: no permission to write in {target}")
    for given in inputs:
        if given is not None and path.exists() and given.exists() and path.samefile(given):
            raise BadInputError(f"writing {path} would replace what is read; choose another name")


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file, or stdout for ``-``; a file that is there already stays if this fails."""
    if str(path) == STDIO:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    try:
        if path.exists() and not path.is_file():  # a device or a pipe cannot be moved over
            with path.open("wb") as device:
                device.write(data)
        else:
            _replace(path.resolve(), data)  # a link stays a link
    except OSError as error:
        raise BadInputError(f"cannot write {path}: {reason(error)}") from None


def _replace(path: Path, data: bytes) -> None:
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    part = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.chmod(_mode(path))
        part.replace(path)
    except BaseException:  # a full disk, or Ctrl-C
        with suppress(OSError):
            part.unlink()
        raise


def _mode(path: Path) -> int:
    """Return the rights of the file that is there, or those a new file would get."""
    if path.exists():
        return path.stat().st_mode & 0o777
    mask = os.umask(0)  # there is no way to look without setting
    os.umask(mask)
    return 0o666 & ~mask
