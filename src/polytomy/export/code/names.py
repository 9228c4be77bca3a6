"""Identifiers of columns in generated code."""

import re
from collections.abc import Callable, Collection, Sequence

from polytomy.encode import Schema

_LONGEST = 40  # characters


def unique_identifiers(
    schema: Schema,
    columns: Sequence[int],
    is_allowed: Callable[[str], bool],
    reserved: Collection[str],
    *,
    lower: bool,
) -> dict[int, str]:
    """Return a readable identifier for each column, all of them different.

    Parameters
    ----------
    schema : Schema
        The columns.
    columns : sequence of int
        Those that need an identifier.
    is_allowed : callable
        Whether the target language allows an identifier; if not, it is prefixed with ``x_``.
    reserved : collection of str
        Identifiers that the generated code uses otherwise.
    lower : bool
        Whether identifiers are in lower case.
    """
    named: dict[int, str] = {}
    used = set(reserved)
    for j in columns:
        text = schema[j].name.lower() if lower else schema[j].name
        name = re.sub(r"[^A-Za-z0-9]+", "_", text).strip("_")[:_LONGEST].strip("_")
        if not is_allowed(name):
            name = f"x_{name}".rstrip("_")
        while name in used:
            name = f"{name}_{j}"
        used.add(name)
        named[j] = name
    return named
