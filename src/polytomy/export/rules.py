"""One sentence per leaf: when, what, how sure, from how many rows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, overload

from polytomy._text import one_line
from polytomy._types import UNSEEN
from polytomy.encode import NominalColumn, OrderedColumn
from polytomy.model import Model
from polytomy.table import frame_of
from polytomy.tree import CodeQuestion, IntervalQuestion

from .shares import Share, largest_share
from .words import Range, answers, branch_range, say_range, say_set


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
    said: dict[Any, Range | _Reaching | str] = {}
    for node, child in pairwise(tree.path(leaf)):
        question = tree.question(node)
        branch = tree.children(node).tolist().index(child)
        if isinstance(question, IntervalQuestion):
            known = branch_range(question, branch)
            before = said.get(question.feature)
            said[question.feature] = known.within(before) if isinstance(before, Range) else known
        elif isinstance(question, CodeQuestion):
            column = model.schema[question.feature]
            reaching = _Reaching.of(question, branch, column.n_values)
            earlier = said.get(question.feature)
            both = reaching.within(earlier) if isinstance(earlier, _Reaching) else reaching
            said[question.feature] = both
        elif question is not None:
            said[("own", node)] = answers(question, model.schema)[branch]
    return tuple(_said(model, key, known) for key, known in said.items())


@dataclass(frozen=True, slots=True)
class _Reaching:
    """Which categories take a path, whether missing cells do, and whether new categories do."""

    codes: frozenset[int]
    missing: bool
    other: bool

    @classmethod
    def of(cls, question: CodeQuestion, branch: int, n_categories: int) -> "_Reaching":
        """Return what takes one branch; what the node did not see takes its default."""
        taken = question.code_to_branch.tolist()
        taken += [UNSEEN] * (n_categories - len(taken))
        default = question.default_branch
        codes = {c for c, b in enumerate(taken) if (default if b == UNSEEN else b) == branch}
        own = question.missing_branch
        missing = (default if own == UNSEEN else own) == branch
        return cls(frozenset(codes), missing, default == branch)

    def within(self, other: "_Reaching") -> "_Reaching":
        """Return what takes both branches."""
        return _Reaching(
            self.codes & other.codes, self.missing and other.missing, self.other and other.other
        )


def _said(model: Model, key: Any, known: Range | _Reaching | str) -> str:
    if isinstance(known, str):
        return known
    column = model.schema[key]
    if isinstance(known, _Reaching):
        assert isinstance(column, NominalColumn)
        held = [one_line(column.categories[code]) for code in sorted(known.codes)]
        return say_set(column.name, held, known.missing and column.has_missing, known.other)
    assert isinstance(column, OrderedColumn)
    return say_range(known, column, missing=column.has_missing)
