"""Files written whole or not at all."""

import gzip
from pathlib import Path
from typing import Any

from polytomy._files import write_atomically

from .errors import ModelFormatError, shown


def write_bytes(path: Any, data: bytes) -> None:
    """Write a model file whole; a path that ends in ``.gz`` is compressed."""
    try:
        write_atomically(path, _packed(data) if Path(path).suffix == ".gz" else data)
    except (OSError, ValueError, TypeError) as error:
        start = f"cannot write {shown(str(path))}: "
        why = getattr(error, "strerror", None) or str(error).removeprefix(start)
        raise ModelFormatError(f"{start}{why}") from error


def _packed(data: bytes) -> bytes:
    return gzip.compress(data, mtime=0)  # no time: the same model, the same bytes
