"""From the bytes of a model file to what is made of them."""

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from .document import Saved, from_document
from .errors import ModelFormatError, refuse
from .objects import Known
from .read import parsed, read_bytes

_Made = TypeVar("_Made")


def load_saved(data: bytes, known: Known, make: Callable[[Saved], _Made]) -> _Made:
    """Return what ``make`` makes of the model that bytes hold.

    Where the checksum is wrong the model is refused, but it is looked at first: what is wrong in it
    says where the damage is.
    """
    document, broken = parsed(data)
    try:
        with np.errstate(all="ignore"):  # what is no number in the end is refused, not warned of
            made = make(from_document(document, known))
    except ModelFormatError as error:
        if broken is None:
            raise
        refuse("checksum", f"{broken}; {error}")
    except MemoryError:
        refuse("", "it takes more memory than there is")
    if broken is not None:
        refuse("checksum", broken)
    return made


def load_file(path: Any, known: Known, make: Callable[[Saved], _Made]) -> _Made:
    """Return what ``make`` makes of a model file; errors name the file."""
    try:
        return load_saved(read_bytes(path), known, make)
    except ModelFormatError as error:
        raise ModelFormatError(f"{path}: {error}") from error.__cause__
