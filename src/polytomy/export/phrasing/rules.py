"""Rules: one sentence per leaf, with its conditions, majority class, interval and rows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, overload

from polytomy._text import count
from polytomy.model import Model
from polytomy.table import frame_of
from polytomy.tree import CustomSplit

from .captions import describe_branches
from .path_conditions import PathCondition, conditions_after, describe_condition
from .shares import Share, largest_share


@dataclass(frozen=True, slots=True)
class Rule:
    """A leaf as a rule: the conditions of its path, its majority class and its rows."""

    leaf: int
    conditions: tuple[str, ...]
    share: Share
    rows: int

    def __str__(self) -> str:
        """Return ``if <conditions>: <class> <share> [<interval>], <n> rows``."""
        when = f"if {' and '.join(self.conditions)}" if self.conditions else "always"
        return f"{when}: {self.share}, {count(self.rows, 'row')}"


class Rules(Sequence[Rule]):
    """The rules of a tree, one for each leaf, most rows first; ``str`` returns one per line."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._rules = tuple(rules)

    @overload
    def __getitem__(self, at: int) -> Rule: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Rule]: ...
    def __getitem__(self, at: int | slice) -> Rule | Sequence[Rule]:
        return self._rules[at]

    def __len__(self) -> int:
        return len(self._rules)

    def __iter__(self) -> Iterator[Rule]:
        return iter(self._rules)

    def __str__(self) -> str:
        """Return one rule per line."""
        return "\n".join(map(str, self._rules))

    __repr__ = __str__

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the rules as columns.

        Returns
        -------
        dict of lists
            ``leaf``, ``rule`` (the conditions), ``prediction``, ``share``, the ends ``low`` and
            ``high`` of its interval, and ``rows``.
        """
        return {
            "leaf": [r.leaf for r in self],
            "rule": [" and ".join(r.conditions) or "always" for r in self],
            "prediction": [r.share.name for r in self],
            "share": [r.share.share for r in self],
            "low": [r.share.low for r in self],
            "high": [r.share.high for r in self],
            "rows": [r.rows for r in self],
        }

    def to_frame(self, backend: str | None = None) -> Any:
        """Return the rules as a data frame, with the columns of ``to_dict``.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            The library whose data frame is returned; by default the first that is installed.

        Returns
        -------
        data frame
        """
        return frame_of(self.to_dict(), backend)


def to_rules(model: Model) -> Rules:
    """Return one rule per leaf; all splits of a path on one column are combined.

    Parameters
    ----------
    model : Model
        The model.

    Returns
    -------
    Rules
        Sorted by the number of rows, largest first.
    """
    tree, names = model.tree, model.class_names
    rules = [
        Rule(
            leaf,
            _conditions(model, leaf),
            largest_share(tree.counts[leaf], names),
            int(tree.rows[leaf]),
        )
        for leaf in tree.leaves().tolist()
    ]
    return Rules(sorted(rules, key=lambda rule: (-rule.rows, rule.leaf)))


def _conditions(model: Model, leaf: int) -> tuple[str, ...]:
    """Return the conditions of a leaf's path, in the order in which columns appear on it."""
    tree = model.tree
    conditions: dict[Any, PathCondition | str] = {}
    for node, child in pairwise(tree.path(leaf)):
        split = tree.split(node)
        branch = tree.children(node).tolist().index(child)
        if isinstance(split, CustomSplit):
            conditions["own", node] = describe_branches(split, model.schema)[branch]
        elif split is not None:
            before = conditions.get(split.feature)
            earlier = None if isinstance(before, str) else before
            column = model.schema[split.feature]
            conditions[split.feature] = conditions_after(split, column, earlier)[branch]
    return tuple(
        condition
        if isinstance(condition, str)
        else describe_condition(condition, model.schema[key])
        for key, condition in conditions.items()
    )
