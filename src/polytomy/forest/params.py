"""The parameters of a forest, validated."""

from dataclasses import dataclass, field
from math import isqrt
from numbers import Integral
from typing import Any

from polytomy._errors import ParameterError
from polytomy._numbers import is_real
from polytomy.grow import GrowParams

FEATURE_RULES = ("sqrt", "log2")
"""The values of ``max_features`` that are words."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ForestParams:
    """How to grow the trees of a forest.

    Parameters
    ----------
    max_features : int, float, "sqrt", "log2" or None, default="sqrt"
        The number of columns that each node draws: a number, a fraction of the columns, their
        square root or logarithm rounded down (at least 1), or all of them.
    bootstrap : bool, default=True
        Whether rows are drawn with replacement.
    max_samples : int, float or None, default=None
        The number of rows to draw for each tree, or a fraction of them. None draws as many as
        there are; with ``bootstrap=False`` every tree then has all rows.
    grow : GrowParams, default=GrowParams(max_leaves=None)
        The growth parameters of each tree.
    """

    max_features: Any = "sqrt"
    bootstrap: bool = True
    max_samples: Any = None
    grow: GrowParams = field(default_factory=lambda: GrowParams(max_leaves=None))

    def __post_init__(self) -> None:
        value = self.max_features
        is_word = isinstance(value, str) and value in FEATURE_RULES
        if value is not None and not is_word and not _is_amount(value):
            raise ParameterError(
                "max_features must be 'sqrt', 'log2', None, an integer of at least 1 or a fraction "
                f"above 0 and at most 1, got {value!r}"
            )
        if not isinstance(self.bootstrap, bool):
            raise ParameterError(f"bootstrap must be True or False, got {self.bootstrap!r}")
        if self.max_samples is not None and not _is_amount(self.max_samples):
            raise ParameterError(
                "max_samples must be None, an integer of at least 1 or a fraction above 0 and at "
                f"most 1, got {self.max_samples!r}"
            )
        if self.grow.procedure == "priced":
            raise ParameterError(
                "procedure='priced' is for single trees; use 'per-leaf' for a forest"
            )

    def columns_per_node(self, n_columns: int) -> int | None:
        """Return the number of columns that each node draws; None if it searches all of them.

        Parameters
        ----------
        n_columns : int
            The number of columns of the table.

        Returns
        -------
        int or None
            The number of columns.

        Examples
        --------
        >>> rules = ("sqrt", "log2", 0.3, 7, None)
        >>> [ForestParams(max_features=rule).columns_per_node(20) for rule in rules]
        [4, 4, 6, 7, None]
        """
        rule = self.max_features
        if rule == "sqrt":
            drawn = isqrt(n_columns)
        elif rule == "log2":
            drawn = n_columns.bit_length() - 1
        elif rule is None:
            drawn = n_columns
        else:
            drawn = amount_of(rule, n_columns)
        return None if drawn >= n_columns else max(1, drawn)


def amount_of(value: Any, whole: int) -> int:
    """Return a number, or a fraction of a whole as a number rounded down, at least 1."""
    return int(value) if isinstance(value, Integral) else max(1, int(float(value) * whole))


def _is_amount(value: Any) -> bool:
    """Return whether a value is a number of things of at least 1, or a fraction of them."""
    if not is_real(value):
        return False
    return int(value) >= 1 if isinstance(value, Integral) else 0 < float(value) <= 1
