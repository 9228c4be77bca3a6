"""Reading a table: CSV, TSV, Parquet, Arrow or Feather, plain or gzipped, from a file or stdin."""

import gzip
import sys
import zlib
from collections.abc import Mapping
from pathlib import Path, PurePath

from .bad_input import BadInputError, reason
from .binary import format_of, read_binary
from .csv_file import read_csv
from .kinds import Kind
from .sheet import Sheet

STDIO = "-"
_BINARY = (".parquet", ".pq", ".arrow", ".feather", ".ipc")
_TABS = (".tsv", ".tab")


def read_table(path: Path, kinds: Mapping[str, Kind] | None = None) -> Sheet:
    """Read a table; ``-`` is stdin.

    Parquet and Arrow are known by how they begin, whatever they are called; all else is text.

    Parameters
    ----------
    path : Path
        The file.
    kinds : mapping, optional
        What some columns are to be read as; the others are read as what they look like in a CSV
        file, and as what they are in others. Columns the file does not have are ignored.
    """
    name = name_of(path)
    data = _unzipped(read_bytes(path), name)
    form = format_of(data)
    if form is not None:
        return read_binary(data, name, form, kinds or {})
    suffix = _suffix(path)
    if suffix in _BINARY and data:
        raise BadInputError(f"{name} is not the {suffix[1:]} file that its name says it is")
    if not data.strip():
        raise BadInputError(f"{name} is empty; a table begins with a line of column names")
    if data[:1] in (b"{", b"["):
        raise BadInputError(f"{name} looks like JSON, such as a model file, not like a table")
    return read_csv(data, name, "\t" if suffix in _TABS else None, kinds or {})


def name_of(path: Path) -> str:
    """Return what to call a file in messages."""
    return "stdin" if str(path) == STDIO else str(path)


def read_bytes(path: Path) -> bytes:
    """Return what a file holds, or say why it cannot be read."""
    if str(path) == STDIO:
        return sys.stdin.buffer.read()
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise BadInputError(f"there is no file {path}") from None
    except IsADirectoryError:
        raise BadInputError(f"{path} is a folder, not a file") from None
    except OSError as error:
        raise BadInputError(f"cannot read {path}: {reason(error)}") from None


def _unzipped(data: bytes, name: str) -> bytes:
    if not data.startswith(b"\x1f\x8b"):
        return data
    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as error:
        raise BadInputError(f"{name} is a broken gzip file: {error}") from None


def _suffix(path: Path) -> str:
    """Return the ending that names the format, in lower case, without ``.gz``."""
    plain = PurePath(path.name[:-3]) if path.name.lower().endswith(".gz") else path
    return plain.suffix.lower()
