"""What a model file remembers of its training data."""

import re
from typing import Any

from polytomy._errors import DataFileError
from polytomy.io import ReadingOptions, TrainingRecord, format_named

from .node import Node

_READING = ("sep", "decimal", "encoding", "dayfirst", "formats")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", re.ASCII)
_FINGERPRINT = re.compile(r"[0-9a-f]{32}")
_MEMBERS = (
    "target",
    "n_rows",
    "n_fitted",
    "version",
    "time",
    "test_fraction",
    "seed",
    "weights",
    "drop_unlabelled",
    "reading",
    "fingerprint",
    "chosen_on",
)


def to_training(record: TrainingRecord) -> dict[str, Any]:
    """Return a record of training data as plain data.

    Parameters
    ----------
    record : TrainingRecord
        The record.
    """
    plain = {name: getattr(record, name) for name in _MEMBERS}
    reading: dict[str, Any] = {name: getattr(record.reading, name) for name in _READING}
    return plain | {"reading": reading | {"formats": dict(record.reading.formats)}}


def from_training(node: Node) -> TrainingRecord:
    """Return the record that ``to_training`` wrote, checked.

    Parameters
    ----------
    node : Node
        The member ``training``.
    """
    held = dict(zip(_MEMBERS, node.fields(*_MEMBERS), strict=True))
    n_rows = held["n_rows"].whole(1)
    fraction = held["test_fraction"].number()
    if not 0 <= fraction < 1:
        held["test_fraction"].fail("must be at least 0 and less than 1")
    return TrainingRecord(
        target=_text(held["target"]),
        n_rows=n_rows,
        n_fitted=held["n_fitted"].whole(1, n_rows),
        version=held["version"].text(),
        time=_text(held["time"], _TIME),
        test_fraction=fraction,
        seed=held["seed"].whole(0),
        weights=_text(held["weights"]),
        drop_unlabelled=held["drop_unlabelled"].flag(),
        reading=_from_reading(held["reading"]),
        fingerprint=_text(held["fingerprint"], _FINGERPRINT),
        chosen_on=_text(held["chosen_on"], _FINGERPRINT),
    )


def _from_reading(node: Node) -> ReadingOptions:
    *texts, dayfirst, formats = node.fields(*_READING)
    named: dict[str, str] = {}
    for name, part in formats.members().items():
        try:
            named[name] = format_named(part.text()).name
        except DataFileError as error:
            part.fail(str(error))
    first = None if dayfirst.value is None else dayfirst.flag()
    sep, decimal, encoding = map(_text, texts)
    try:
        return ReadingOptions(sep, decimal, encoding, first, named)
    except DataFileError as error:
        node.fail(str(error))


def _text(node: Node, pattern: re.Pattern[str] | None = None) -> str | None:
    if node.value is None:
        return None
    if pattern is not None and pattern.fullmatch(node.text()) is None:
        node.fail("has the wrong form")
    return node.text()
