"""Rules: one sentence per leaf, with its conditions, its prediction and its rows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Protocol, overload

from polytomy.encode import Schema
from polytomy.model import Model
from polytomy.table import frame_of
from polytomy.tree import CustomSplit, Tree

from .captions import describe_branches
from .origin import describe_origin
from .path_conditions import PathCondition, conditions_after, describe_condition
from .predictions import Prediction, node_prediction


class SchemaTree(Protocol):
    """A tree with its columns: a model, or a tree of an ensemble."""

    @property
    def schema(self) -> Schema:
        """The columns."""

    @property
    def tree(self) -> Tree:
        """The tree."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A leaf as a rule: the conditions of its path, its prediction and its rows."""

    leaf: int
    conditions: tuple[str, ...]
    prediction: Prediction
    rows: int

    def __str__(self) -> str:
        """Return ``if <conditions>: <class> <share> [<interval>] (<training share> of <n> rows)``.

        A share that is not a forecast is followed by ``, <n> rows``. For a numeric target:
        ``if <conditions>: mean <mean> [<interval>] (<training mean> in <n> rows)``.
        """
        when = f"if {self.condition}" if self.conditions else self.condition
        return f"{when}: {self.prediction.as_consequence(self.rows)}"

    @property
    def condition(self) -> str:
        """The conditions as one, ``always`` if there are none."""
        return " and ".join(self.conditions) or "always"


class Rules(Sequence[Rule]):
    """The rules of a tree, one for each leaf, most rows first; ``str`` returns one per line.

    ``origin`` says how the tree was found, if no growth procedure made it: sentences that ``str``
    adds after the rules.
    """

    def __init__(self, rules: Sequence[Rule], origin: Sequence[str] = ()) -> None:
        self._rules, self.origin = tuple(rules), tuple(origin)

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
        """Return one rule per line, and the origin of the tree."""
        return "\n".join([*map(str, self._rules), *self.origin])

    __repr__ = __str__

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the rules as columns.

        Returns
        -------
        dict of lists
            ``leaf``, ``rule`` (the conditions), ``prediction``, ``share`` (to expect of new rows;
            of the training rows if ``honest`` is False), the ends ``low`` and ``high`` of its 95 %
            interval, ``rows``, ``training_share``, and ``doubtful`` (whether the two shares
            disagree: they are at least 0.2 apart, or new rows favour another class).
            For a numeric target, ``mean`` (to expect of new rows) takes the place of
            ``prediction`` and ``share``, and ``training_mean`` and ``deviation``, the standard
            deviation of the training rows, that of ``training_share``.
        """
        lines = [
            {"leaf": r.leaf, "rule": r.condition, **r.prediction.columns(r.rows)} for r in self
        ]
        names = lines[0] if lines else ()
        return {name: [line[name] for line in lines] for name in names}

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
    tree = model.tree
    rules = [
        Rule(leaf, leaf_conditions(model, leaf), node_prediction(model, leaf), int(tree.rows[leaf]))
        for leaf in tree.leaves().tolist()
    ]
    most_rows_first = sorted(rules, key=lambda rule: (-rule.rows, rule.leaf))
    return Rules(most_rows_first, describe_origin(model))


def leaf_conditions(model: SchemaTree, leaf: int) -> tuple[str, ...]:
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
