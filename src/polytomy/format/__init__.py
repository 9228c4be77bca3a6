"""Model files: one JSON document with a format number and a checksum, and nothing executable.

In reading order: ``files`` (bytes and checksum), ``node`` (checked access to JSON values),
``values``, ``scalars`` and ``arrays`` (Python values), ``schema``, ``trees`` and ``runs`` (parts of
a model), ``document`` (the whole). The format is specified in ``docs/reference/format``.
"""

from polytomy._errors import ModelFormatError

from .document import CHECKPOINT, Saved, from_document, load_file, load_saved, to_document
from .files import (
    CHECKPOINT_LIMITS,
    FORMAT,
    EncodedJson,
    load_document,
    parsed,
    read_bytes,
    to_bytes,
    write_bytes,
)
from .node import Node, plain_number, plain_numbers, refuse
from .runs import check_number
from .trees import from_members, to_member
from .values import AbsentFamily

__all__ = [
    "CHECKPOINT",
    "CHECKPOINT_LIMITS",
    "FORMAT",
    "AbsentFamily",
    "EncodedJson",
    "ModelFormatError",
    "Node",
    "Saved",
    "check_number",
    "from_document",
    "from_members",
    "load_document",
    "load_file",
    "load_saved",
    "parsed",
    "plain_number",
    "plain_numbers",
    "read_bytes",
    "refuse",
    "to_bytes",
    "to_document",
    "to_member",
    "write_bytes",
]
