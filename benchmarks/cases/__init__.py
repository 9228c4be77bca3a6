"""All groups of cases, the ones of most weight first: they get their time before others do."""

from case import Group, Size

from cases import (
    boosting,
    categories,
    columns,
    encoded,
    kinds,
    leaves,
    predicting,
    procedures,
    real_tables,
    rows,
    small,
    voting,
)

MODULES = (
    rows,
    encoded,
    leaves,
    categories,
    small,
    predicting,
    boosting,
    columns,
    kinds,
    procedures,
    real_tables,
    voting,
)


def groups_of(size: Size) -> list[Group]:
    """Return the groups, in the order in which they run."""
    return [module.group(size) for module in MODULES]
