"""The standard streams of a command: no control characters from data, and errors when closed.

Names and cells come from files that others wrote. A terminal obeys some characters, such as
those that set its title or overwrite earlier lines, so whatever a command prints as text is
escaped. Model files, CSV and code are written to ``sys.stdout.buffer``, which is left alone unless
it is a terminal.
"""

import errno
import io
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any, BinaryIO, cast

from polytomy._text import printable

_NAMES = {"stdin": "standard input", "stdout": "standard output"}


@contextmanager
def guarded_streams() -> Iterator[None]:
    """Escape what is printed as text, and let closed streams raise errors when they are used."""
    before = sys.stdin, sys.stdout, sys.stderr
    _occupy_closed_descriptors()
    with ExitStack() as stack:
        if sys.stdin is None:
            sys.stdin = _closed("stdin")
        if sys.stdout is None:
            sys.stdout = _closed("stdout")
        if sys.stderr is None:  # nobody reads messages; the exit code remains
            sys.stderr = stack.enter_context(open(os.devnull, "w", encoding="utf-8"))
        sys.stdout, sys.stderr = EscapedStream(sys.stdout), EscapedStream(sys.stderr)
        try:
            yield
        finally:
            sys.stdin, sys.stdout, sys.stderr = before


@contextmanager
def escaped_consoles() -> Iterator[None]:
    """Escape the text that rich prints, but not the codes that it adds for colours and bars."""
    from rich.console import Console
    from rich.segment import Segment

    render = Console.render

    def escaped(self: Console, *args: Any, **kwargs: Any) -> Iterator[Segment]:
        for segment in render(self, *args, **kwargs):
            yield segment if segment.control else Segment(printable(segment.text), segment.style)

    Console.render = escaped  # type: ignore[method-assign]
    try:
        yield
    finally:
        Console.render = render  # type: ignore[method-assign]


class EscapedStream:
    """A text stream that escapes characters that are not printable.

    Parameters
    ----------
    stream : text stream
        Where the text is written. Its other attributes, such as ``buffer``, are those of this
        stream, too.
    """

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    @property
    def rich_proxied_file(self) -> Any:
        """The stream for rich, whose text is escaped by ``escaped_consoles``."""
        return self._stream

    @property
    def encoding(self) -> str:
        """UTF-8: any text can be written; the stream itself replaces characters that it lacks.

        typer writes to ``buffer`` instead if it finds ASCII here.
        """
        return "utf-8"

    def write(self, text: str) -> int:
        """Write a text, escaped."""
        return int(self._stream.write(printable(text)))

    def writelines(self, lines: Any) -> None:
        """Write several texts, escaped."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def escaped_on_terminal(stream: BinaryIO) -> BinaryIO:
    """Return a stream of bytes that escapes control characters if it is a terminal.

    Parameters
    ----------
    stream : binary file
        Where UTF-8 text is written.

    Returns
    -------
    binary file
        The stream itself if it is a file or a pipe.
    """
    return cast(BinaryIO, _EscapedBytes(stream)) if stream.isatty() else stream


class _EscapedBytes:
    """A stream of UTF-8 text that escapes characters that are not printable."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def write(self, data: bytes) -> int:
        self._stream.write(printable(data.decode("utf-8", "backslashreplace")).encode("utf-8"))
        return len(data)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class _ClosedDevice(io.RawIOBase):
    """A device that can neither be read nor written."""

    def __init__(self, name: str) -> None:
        self._name = name

    def readable(self) -> bool:
        return True

    def writable(self) -> bool:
        return True

    def readinto(self, _: Any) -> int:
        raise OSError(errno.EBADF, f"{self._name} is closed")

    def write(self, _: Any) -> int:
        raise OSError(errno.EBADF, f"{self._name} is closed")


def _closed(stream: str) -> io.TextIOWrapper:
    """Return a stream that raises an error when it is used, for one that the caller closed."""
    device: Any = _ClosedDevice(_NAMES[stream])
    return io.TextIOWrapper(device, encoding="utf-8", write_through=True)


def _occupy_closed_descriptors() -> None:
    """Open the null device for closed standard streams, so that no file takes their place."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            with suppress(OSError):
                os.open(os.devnull, os.O_RDWR)
