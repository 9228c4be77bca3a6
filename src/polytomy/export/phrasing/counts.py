"""Counts with their nouns."""


def count(n: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun in the singular or the plural.

    >>> count(1, "row"), count(2, "row"), count(0, "leaf", "leaves")
    ('1 row', '2 rows', '0 leaves')
    """
    return f"{n} {noun if n == 1 else plural or f'{noun}s'}"
