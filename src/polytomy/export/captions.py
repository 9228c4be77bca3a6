"""What a drawing writes at the nodes and edges of a tree."""

from dataclasses import dataclass

from polytomy._text import one_line
from polytomy.model import Model
from polytomy.tree import OwnQuestion

from .shares import Share, largest_share
from .words import answers


@dataclass(frozen=True, slots=True)
class Caption:
    """A node in words.

    ``asked`` is empty at a leaf; ``answers`` has one entry for each child.
    """

    asked: str
    share: Share
    rows: int
    answers: tuple[str, ...]

    @property
    def support(self) -> str:
        """The largest class, its share, and the rows."""
        return f"{self.share.name} {self.share.share:.0%} of {self.rows} rows"


def captions(model: Model) -> list[Caption]:
    """Return what to write at each node; a user's own question is in its own words."""
    names = model.class_names
    return [_caption(model, node, names) for node in range(model.tree.n_nodes)]


def _caption(model: Model, node: int, names: list[str]) -> Caption:
    tree = model.tree
    share = largest_share(tree.counts[node], names)
    rows = int(tree.rows[node])
    question = tree.question(node)
    if question is None:
        return Caption("", share, rows, ())
    if isinstance(question, OwnQuestion):
        asked, own = question.branching.describe(model.schema.names)
        return Caption(one_line(asked).rstrip("?"), share, rows, tuple(map(one_line, own)))
    name = one_line(model.schema[question.feature].name)
    return Caption(name, share, rows, tuple(answers(question, model.schema)))
