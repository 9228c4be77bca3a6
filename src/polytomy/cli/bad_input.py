"""What is wrong with what the user gave, in one line; ``entry`` prints it and exits with 2."""

from collections.abc import Sequence
from difflib import get_close_matches

from polytomy import PolytomyError

_NAMED = 8  # columns that a message lists


class BadInputError(PolytomyError):
    """A file, a column or an option that cannot be used as it is."""


def check_known(names: Sequence[str], known: Sequence[str], source: str) -> None:
    """Refuse a column that a table does not have, and suggest one that it has."""
    for name in names:
        if name not in known:
            raise BadInputError(f"{source} has no column {name!r}{_instead(name, known)}")


def _instead(name: str, known: Sequence[str]) -> str:
    """Return the nearest name as a question, or else the first few there are."""
    lowered = {k.lower(): k for k in known}
    near = get_close_matches(name.lower(), lowered, n=1)
    if near:
        return f"; did you mean {lowered[near[0]]!r}?"
    some = ", ".join(known[:_NAMED])
    return f"; it has {some}{', ...' if len(known) > _NAMED else ''}"


def reason(error: OSError) -> str:
    """Return the system's own words for what went wrong with a file."""
    return (error.strerror or str(error)).lower()
