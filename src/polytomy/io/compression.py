"""Compressed files, recognised by their content: gzip, zstd, xz, bzip2, and zip with one file."""

import bz2
import gzip
import lzma
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import IO, Any

from polytomy._errors import DataFileError

SUFFIXES = (".gz", ".zst", ".xz", ".bz2", ".zip")
HEAD = 8  # bytes that tell the format of a file
DAMAGED = (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError, zipfile.BadZipFile)
"""What reading a damaged file raises, apart from the errors of zstd."""
_MAGIC_BYTES = {
    b"\x1f\x8b": "gzip",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"\xfd7zXZ\x00": "xz",
    b"BZh": "bzip2",
    b"PK\x03\x04": "zip",
}


def compression_of(head: bytes) -> str | None:
    """Return how a file is compressed, given its first bytes; None if it is not."""
    return next((name for magic, name in _MAGIC_BYTES.items() if head.startswith(magic)), None)


def decompress(data: bytes, name: str) -> bytes:
    """Return the content of a compressed file, and any other content as it is.

    Parameters
    ----------
    data : bytes
        The content of the file.
    name : str
        The name of the file, for messages.
    """
    form = compression_of(data)
    if form is None:
        return data
    try:
        with _opened(BytesIO(data), form, name) as file:
            return file.read()
    except DataFileError:
        raise
    except Exception as error:
        if not isinstance(error, DAMAGED) and "zst" not in type(error).__module__.lower():
            raise
        raise DataFileError(f"{name} is a damaged {form} file: {error}") from None


@contextmanager
def open_decompressed(path: str) -> Iterator[IO[bytes]]:
    """Yield a file to read from, decompressed if it is compressed."""
    with Path(path).open("rb") as file:
        form = compression_of(file.read(HEAD))
        file.seek(0)
        if form is None:
            yield file
            return
        with _opened(file, form, path) as opened:
            yield opened


def _opened(file: IO[bytes], form: str, name: str) -> IO[bytes]:
    openers: dict[str, Callable[[Any], Any]] = {
        "gzip": gzip.open,
        "xz": lzma.open,
        "bzip2": bz2.open,
        "zip": lambda f: _member(f, name),
        "zstd": lambda f: _zstd(f, name),
    }
    opened: IO[bytes] = openers[form](file)
    return opened


def _member(file: IO[bytes], name: str) -> IO[bytes]:
    """Open the only file in a zip archive."""
    archive = zipfile.ZipFile(file)
    names = [m for m in archive.namelist() if not m.endswith("/") and not m.startswith("__MACOSX")]
    if "[Content_Types].xml" in names or "content.xml" in names:
        raise DataFileError(f"{name} is a spreadsheet or a document; save the table as CSV")
    if len(names) != 1:
        raise DataFileError(f"{name} holds {len(names)} files, but only one can be read")
    if archive.getinfo(names[0]).flag_bits & 1:
        raise DataFileError(f"{name} is encrypted")
    return archive.open(names[0])


def _zstd(file: IO[bytes], name: str) -> IO[bytes]:
    """Open a zstd file with the first module that is installed."""
    opened: IO[bytes]
    try:
        from compression import zstd  # type: ignore[import-not-found,unused-ignore]

        opened = zstd.open(file)
    except ImportError:
        try:
            import zstandard  # type: ignore[import-not-found,unused-ignore]

            opened = zstandard.open(file)
        except ImportError:
            opened = _zstd_of_pyarrow(file, name)
    return opened


def _zstd_of_pyarrow(file: IO[bytes], name: str) -> Any:
    try:
        import pyarrow as pa  # type: ignore[import-untyped,import-not-found,unused-ignore]
    except ImportError:
        raise DataFileError(
            f"reading {name} requires zstandard or pyarrow (pip install zstandard)"
        ) from None
    return pa.CompressedInputStream(pa.PythonFile(file, mode="r"), "zstd")
