"""Model files: one JSON document with a number, a checksum, and nothing that could be executed.

*document*: a model and what belongs to it, as plain data. *text*: the document laid out and sealed.
*read* and *write*: bytes from and to disk. Every value that is read is asked what it is, by a
``Node`` that knows its place; ``docs/format`` is the specification.
"""

from .certificates import check_number
from .document import Saved, from_document, to_document
from .errors import ModelFormatError, refuse
from .files import load_file, load_saved
from .node import Node, plain_number
from .objects import AbsentFamily
from .read import parsed
from .text import to_bytes
from .versions import FORMAT
from .write import write_bytes

__all__ = [
    "FORMAT",
    "AbsentFamily",
    "ModelFormatError",
    "Node",
    "Saved",
    "check_number",
    "from_document",
    "load_file",
    "load_saved",
    "parsed",
    "plain_number",
    "refuse",
    "to_bytes",
    "to_document",
    "write_bytes",
]
