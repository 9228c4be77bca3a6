"""One sentence per leaf: when, what, how sure, from how many rows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, overload

from polytomy.model import Model
from polytomy.table import frame_of
from polytomy.tree import OwnQuestion

from .known import Known, knows, say_known
from .shares import Share, largest_share
from .words import answers


@dataclass(frozen=True, slots=True)
class Rule:
    """A leaf as a sentence."""

    leaf: int
    conditions: tuple[str, ...]
    share: Share
    rows: int

    def __str__(self) -> str:
        """Return the sentence."""
        when = f"if {' and '.join(self.conditions)}" if self.conditions else "always"
        return f"{when}: {self.share}, {self.rows} rows"


class Rules(Sequence[Rule]):
    """The rules of a tree, one for each leaf, most rows first; ``str`` prints them."""

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
        """Return one sentence a line."""
        return "\n".join(map(str, self._rules))

    __repr__ = __str__

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the rules as columns."""
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
        """Return the rules as a data frame of pandas, polars or pyarrow.

        Without a name, of the first of these that is installed.
        """
        return frame_of(self.to_dict(), backend)


def to_rules(model: Model) -> Rules:
    """Return a model's rules. What a path says of one column is said once."""
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
    tree = model.tree
    told: dict[Any, Known | str] = {}
    for node, child in pairwise(tree.path(leaf)):
        question = tree.question(node)
        branch = tree.children(node).tolist().index(child)
        if isinstance(question, OwnQuestion):
            told[("own", node)] = answers(question, model.schema)[branch]
        elif question is not None:
            before = told.get(question.feature)
            earlier = None if isinstance(before, str) else before
            column = model.schema[question.feature]
            told[question.feature] = knows(question, column, earlier)[branch]
    return tuple(
        known if isinstance(known, str) else say_known(known, model.schema[key])
        for key, known in told.items()
    )
