"""The number of the format, and what to say about others.

A change that an older reader would misread bumps the number: ``docs/format`` gets a new file, the
reader of the old number stays, and so do the files under ``tests/format`` that it must read.
"""

from .errors import refuse

FORMAT = 1
"""The number of the format that is written."""

READABLE = (1,)
"""The numbers that can be read."""


def check_known(number: float) -> None:
    """Refuse a format that this version cannot read."""
    if number in READABLE:
        return
    if number > FORMAT:
        said = f"{number:.0f}" if number < 10**9 else "of more than nine digits"
        refuse("", f"format {said} is newer than this library knows, {FORMAT}: upgrade polytomy")
    refuse("", f"format {number:.0f} is none that was ever written")
