"""Captions of nodes and branches: what diagrams, pages and JSON write beside them."""

from dataclasses import dataclass

from polytomy._text import one_line
from polytomy._types import UNSEEN
from polytomy.encode import ColumnSpec, NominalColumn, OrderedColumn, Schema
from polytomy.model import Model
from polytomy.tree import CategorySplit, CustomSplit, IntervalSplit, NodeSplit

from .categories import SET_WIDTH, branch_categories, describe_categories
from .counts import count
from .ranges import branch_range, describe_range
from .shares import Share, largest_share


@dataclass(frozen=True, slots=True)
class Caption:
    """A node in words.

    ``asked`` is the column of the node's split, or the title of a user-defined split; it is empty
    at a leaf. ``answers`` describes each branch.
    """

    asked: str
    share: Share
    rows: int
    answers: tuple[str, ...]

    @property
    def support(self) -> str:
        """The majority class, its share and the number of rows."""
        return f"{self.share.name} {self.share.share:.0%} of {count(self.rows, 'row')}"


def captions(model: Model) -> list[Caption]:
    """Return the caption of each node of a model's tree."""
    names = model.class_names
    return [_caption(model, node, names) for node in range(model.tree.n_nodes)]


def _caption(model: Model, node: int, names: list[str]) -> Caption:
    tree = model.tree
    share = largest_share(tree.counts[node], names)
    rows = int(tree.rows[node])
    question = tree.split(node)
    if question is None:
        return Caption("", share, rows, ())
    if isinstance(question, CustomSplit):
        asked, own = question.branching.describe(model.schema.names)
        return Caption(one_line(asked).rstrip("?"), share, rows, tuple(map(one_line, own)))
    name = one_line(model.schema[question.feature].name)
    return Caption(name, share, rows, tuple(describe_branches(question, model.schema)))


def describe_branches(
    question: NodeSplit, schema: Schema, width: int = SET_WIDTH, *, named: bool = True
) -> list[str]:
    """Return each branch of a split in words, such as ``age <= 30``.

    Parameters
    ----------
    question : NodeSplit
        The split.
    schema : Schema
        The columns.
    width : int, default=48
        Characters of a set of categories.
    named : bool, default=True
        Whether to include the column's name. User-defined splits always include their title.
    """
    if isinstance(question, CustomSplit):
        asked, own = question.branching.describe(schema.names)
        return [f"{asked} {answer}" for answer in own]
    column = schema[question.feature]
    branches = range(question.arity)
    return [describe_branch(question, b, column, width, named=named) for b in branches]


def describe_branch(
    question: IntervalSplit | CategorySplit,
    branch: int,
    column: ColumnSpec,
    width: int = SET_WIDTH,
    *,
    named: bool = True,
) -> str:
    """Return one branch of a split on a column in words.

    Missing cells are mentioned if the node had some in training. ``other`` marks the branch of
    categories that are not in the training table.
    """
    if isinstance(question, CategorySplit):
        assert isinstance(column, NominalColumn)
        return describe_categories(
            column.name if named else None,
            branch_categories(question, branch, column),
            missing=branch == question.missing_branch,
            other=branch == question.default_branch,
            width=width,
        )
    assert isinstance(column, OrderedColumn)
    seen = question.missing_branch != UNSEEN
    return describe_range(branch_range(question, branch), column, missing=seen, named=named)
