"""Atomic file writes."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from stat import S_IMODE
from time import time
from typing import Any, BinaryIO

_DRAFT = ".polytomy-{}.tmp"
_STALE = 3600.0  # seconds; no draft takes that long
_swept: set[Path] = set()


def write_atomically(path: Any, data: bytes) -> None:
    """Replace a file in one step; see ``replacing``.

    Parameters
    ----------
    path : str or path-like
        The file to write. Its folder must exist.
    data : bytes
        The complete content.
    """
    with replacing(path) as file:
        file.write(data)


@contextmanager
def replacing(path: Any) -> Iterator[BinaryIO]:
    """Yield a file to write, which replaces another one in one step at the end of the block.

    A reader sees either the old content or the new, never a mix. A symbolic link keeps pointing at
    the file that is replaced, and an existing file keeps its permissions. If anything fails,
    including an interrupt, the old file is untouched and the temporary file is removed. Those that
    killed processes left behind are removed after an hour.

    Parameters
    ----------
    path : str or path-like
        The file to write. Its folder must exist.

    Yields
    ------
    file
        The new content is written to it.

    Raises
    ------
    OSError
        If the file cannot be written, or ``path`` is a folder or a device.
    """
    target = Path(path)
    if target.is_symlink():
        target = target.resolve()
    if target.exists() and not target.is_file():
        raise OSError(f"{path} is a folder or a device, not a file")
    _sweep(target.parent)
    draft = target.parent / _DRAFT.format(token_hex(8))
    try:
        with draft.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        with suppress(OSError):
            os.chmod(draft, S_IMODE(target.stat().st_mode))
        os.replace(draft, target)
    except BaseException:
        with suppress(OSError):
            draft.unlink()
        raise
    _sync_folder(target.parent)


def _sweep(folder: Path) -> None:
    """Remove drafts that killed processes have left in a folder; once for each folder."""
    if folder in _swept:
        return
    _swept.add(folder)
    with suppress(OSError):
        for draft in folder.glob(_DRAFT.format("*")):
            with suppress(OSError):
                if draft.stat().st_mtime < time() - _STALE:
                    draft.unlink()


def _sync_folder(folder: Path) -> None:
    """Make a rename survive a power failure, on systems where a folder can be synced."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
