"""Captions of nodes and branches: what diagrams, pages and JSON write beside them."""

from dataclasses import dataclass

from polytomy._text import one_line
from polytomy._types import UNSEEN
from polytomy.encode import ColumnSpec, NominalColumn, OrderedColumn, Schema
from polytomy.tree import CategorySplit, CustomSplit, IntervalSplit, NodeSplit

from .categories import SET_WIDTH, branch_categories, describe_categories
from .predictions import AnyModel, Prediction, node_prediction
from .ranges import branch_range, describe_range


@dataclass(frozen=True, slots=True)
class Caption:
    """A node in words.

    ``title`` is the column of the node's split, or the title of a user-defined split; it is empty
    at a leaf. ``branches`` describes each branch.
    """

    title: str
    prediction: Prediction
    rows: int
    branches: tuple[str, ...]

    @property
    def support(self) -> str:
        """The prediction and the rows; at a split, what the training rows show."""
        say = self.prediction.of_training if self.title else self.prediction.in_full
        return say(self.rows)


def captions(model: AnyModel) -> list[Caption]:
    """Return the caption of each node of a model's tree."""
    return [_caption(model, node) for node in range(model.tree.n_nodes)]


def _caption(model: AnyModel, node: int) -> Caption:
    tree = model.tree
    prediction = node_prediction(model, node)
    rows = int(tree.rows[node])
    split = tree.split(node)
    if split is None:
        return Caption("", prediction, rows, ())
    if isinstance(split, CustomSplit):
        branches = [one_line(words) for words in split.branching.describe(model.schema.names)[1]]
    else:
        branches = describe_branches(split, model.schema)
    return Caption(split_title(split, model.schema), prediction, rows, tuple(branches))


def split_title(split: NodeSplit, schema: Schema) -> str:
    """Return the column of a split, or the title of a user-defined split without question mark."""
    if isinstance(split, CustomSplit):
        return one_line(split.branching.describe(schema.names)[0]).rstrip("?")
    return one_line(schema[split.feature].name)


def describe_branches(
    split: NodeSplit, schema: Schema, width: int = SET_WIDTH, *, named: bool = True
) -> list[str]:
    """Return each branch of a split in words, such as ``age <= 30``.

    Parameters
    ----------
    split : NodeSplit
        The split.
    schema : Schema
        The columns.
    width : int, default=48
        Characters of a set of categories.
    named : bool, default=True
        Whether to include the column's name. User-defined splits always include their title.
    """
    if isinstance(split, CustomSplit):
        title, own = split.branching.describe(schema.names)
        return [f"{title} {branch}" for branch in own]
    column = schema[split.feature]
    branches = range(split.arity)
    return [describe_branch(split, b, column, width, named=named) for b in branches]


def describe_branch(
    split: IntervalSplit | CategorySplit,
    branch: int,
    column: ColumnSpec,
    width: int = SET_WIDTH,
    *,
    named: bool = True,
) -> str:
    """Return one branch of a split on a column in words.

    Missing cells are mentioned if the node had some in training. ``unseen`` marks the branch
    of categories that are not in the training table.
    """
    if isinstance(split, CategorySplit):
        assert isinstance(column, NominalColumn)
        return describe_categories(
            column.name if named else None,
            branch_categories(split, branch, column),
            missing=branch == split.missing_branch,
            unseen=branch == split.default_branch,
            width=width,
        )
    assert isinstance(column, OrderedColumn)
    seen = split.missing_branch != UNSEEN
    return describe_range(branch_range(split, branch), column, missing=seen, named=named)
