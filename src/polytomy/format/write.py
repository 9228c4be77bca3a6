"""Files written whole or not at all."""

import gzip
import os
from contextlib import suppress
from pathlib import Path
from secrets import token_hex
from stat import S_IMODE
from typing import Any

from .errors import ModelFormatError, shown


def write_whole(path: Any, data: bytes) -> None:
    """Write a file; whoever reads the path finds the old file or the new one, whole.

    On any failure, a full disk or an interruption included, the old file stays and nothing is left
    behind.
    """
    target = Path(path)
    if target.is_symlink():  # the file it points to is replaced, not the link
        target = target.resolve()
    if target.exists() and not target.is_file():  # a device must not be replaced by a file
        raise OSError(f"cannot write {shown(str(path))}: it is a folder or a device, not a file")
    _write(target, data)


def write_bytes(path: Any, data: bytes) -> None:
    """Write a model file whole; a path that ends in ``.gz`` is compressed."""
    try:
        write_whole(path, _packed(data) if Path(path).suffix == ".gz" else data)
    except (OSError, ValueError, TypeError) as error:
        start = f"cannot write {shown(str(path))}: "
        why = getattr(error, "strerror", None) or str(error).removeprefix(start)
        raise ModelFormatError(f"{start}{why}") from error


def _write(target: Path, data: bytes) -> None:
    draft = target.parent / f".polytomy-{token_hex(8)}.tmp"
    try:
        with draft.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        with suppress(OSError):  # keep the old file's permissions, if there is one
            os.chmod(draft, S_IMODE(target.stat().st_mode))
        os.replace(draft, target)
    except BaseException:
        with suppress(OSError):
            draft.unlink()
        raise
    _settle(target.parent)


def _packed(data: bytes) -> bytes:
    return gzip.compress(data, mtime=0)  # no time: the same model, the same bytes


def _settle(folder: Path) -> None:
    """Make the new name survive a power cut, where folders can be synced."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
