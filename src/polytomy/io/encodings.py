"""The encoding and the delimiter of a text file."""

import codecs
import csv

from polytomy._errors import DataFileError

from .reading import Note

DELIMITERS = ",;\t|"
_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_CHUNK = 1 << 20  # bytes that are checked at a time
_SAMPLE = 1 << 16  # bytes that show the delimiter
_LINES = 50
_UNPRINTED = bytes(b for b in range(32) if b not in b"\t\n\r\f") + b"\x81\x8d\x8f\x90\x9d"


def find_encoding(data: bytes, name: str) -> tuple[str, list[Note]]:
    """Return the encoding of a text file: UTF-8, UTF-16 or, for any other text, Windows-1252.

    Parameters
    ----------
    data : bytes
        The content.
    name : str
        The name of the file, for messages.

    Returns
    -------
    encoding : str
        The name of the encoding.
    notes : list of Note
        A note if the encoding was guessed.

    Raises
    ------
    DataFileError
        If the file is no text in these encodings.
    """
    for mark, encoding in _MARKS.items():
        if data.startswith(mark):
            return encoding, []
    wrong = None if data.isascii() else _first_not_utf8(data)
    if wrong is None and b"\x00" not in data:
        return "utf-8-sig", []
    for encoding, place in (("utf-16-le", 1), ("utf-16-be", 0)):
        if _is_utf16(data, place):
            return encoding, []
    if wrong is None or data.translate(None, _UNPRINTED) != data:
        at = data.find(b"\x00") if wrong is None else wrong
        line = data.count(b"\n", 0, at) + 1
        raise DataFileError(
            f"{name}, line {line}: byte 0x{data[at]:02x} at offset {at} is neither UTF-8 nor "
            "Windows-1252; name the encoding of the file"
        )
    line = data.count(b"\n", 0, wrong) + 1
    text = f"{name} is not UTF-8 (line {line}): read as Windows-1252"
    return "cp1252", [Note(text, "encoding", "NAME", "reads another encoding")]


def _first_not_utf8(data: bytes) -> int | None:
    """Return the offset of the first byte that is not UTF-8, or None."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    for start in range(0, len(data), _CHUNK):
        kept = len(decoder.getstate()[0])  # bytes of an unfinished character
        try:
            decoder.decode(data[start : start + _CHUNK], final=start + _CHUNK >= len(data))
        except UnicodeDecodeError as error:
            return start - kept + error.start
    return None


def _is_utf16(data: bytes, place: int) -> bool:
    """Return whether most characters of the first lines have a zero byte at a place of two."""
    head = data[:_SAMPLE]
    zeros, others = head[place::2].count(0), head[1 - place :: 2].count(0)
    return len(data) % 2 == 0 and zeros > len(head) / 4 and others == 0


def find_delimiter(data: bytes, encoding: str) -> str:
    """Return the delimiter: one that occurs in the header, and in all first lines equally often.

    Parameters
    ----------
    data : bytes
        The content.
    encoding : str
        Its encoding.

    Returns
    -------
    str
        A comma, a semicolon, a tab or a bar; a comma if the content is not in this encoding.
    """
    try:
        text = codecs.getincrementaldecoder(encoding)("replace").decode(data[:_SAMPLE])
    except UnicodeError:  # UTF-16 and UTF-32 without a byte order mark
        return ","
    header = text[: text.find("\n") + 1 or None]
    unquoted = "".join(header.split('"')[::2])
    counted = sorted((d for d in DELIMITERS if d in unquoted), key=unquoted.count, reverse=True)
    if len(counted) < 2:
        return counted[0] if counted else ","
    lines = text.splitlines()[: _LINES + 1]
    if len(data) > _SAMPLE:
        lines = lines[:-1]  # the last one is not whole
    return max(counted, key=lambda d: (_is_regular(lines, d), unquoted.count(d)))


def _is_regular(lines: list[str], delimiter: str) -> bool:
    """Return whether all lines have as many cells as the first."""
    rows = [row for row in csv.reader(lines, delimiter=delimiter) if row]
    return all(len(row) == len(rows[0]) for row in rows)
