"""A tree to plain data and back: its arrays, and users' own questions."""

from typing import Any

import numpy as np

from polytomy._errors import FamilyError, TreeError
from polytomy.encode import Schema
from polytomy.predict import check_fit
from polytomy.tree import CODES, OWN, Tree, check_tree, from_plain, to_plain

from . import plain
from .errors import refuse
from .node import Node, plain_numbers

_MOST = 2**31 - 1
_WHOLE = (
    "kind",
    "feature",
    "parent",
    "child_start",
    "child",
    "threshold_start",
    "code_to_branch_start",
    "code_to_branch",
    "missing_branch",
    "default_branch",
    "rows",
)
_DTYPES = {"kind": np.int8, "child_start": np.int64, "threshold_start": np.int64}
_DTYPES |= {"code_to_branch_start": np.int64, "rows": np.int64}
_BY_NODE = ("feature", "parent", "missing_branch", "default_branch", "rows")


def to_tree(tree: Tree) -> dict[str, Any]:
    """Return a tree as plain data; questions of a user's own must be of a registered kind."""
    held: dict[str, Any] = {name: getattr(tree, name).tolist() for name in _WHOLE}
    held["threshold"] = plain_numbers(tree.threshold)
    held["counts"] = _plain_rows(tree.counts)
    try:
        held["own"] = [[int(node), _plain_question(q)] for node, q in tree.own.items()]
    except FamilyError as error:
        refuse("", f"this tree cannot be saved: {error}")
    return held


def _plain_question(question: Any) -> Any:
    told = to_plain(question)
    return plain.to_plain(told, f"a question of kind {question.kind!r}", {})


def _plain_rows(counts: Any) -> list[list[Any]]:
    n_rows, n_columns = counts.shape
    flat = plain_numbers(counts.ravel())
    return [flat[i * n_columns : (i + 1) * n_columns] for i in range(n_rows)]


def from_tree(node: Node, schema: Schema, n_classes: int | None = None) -> Tree:
    """Return the tree that ``to_tree`` wrote, with all its invariants checked.

    Parameters
    ----------
    node : Node
        The tree.
    schema : Schema
        The columns it asks about.
    n_classes : int, optional
        How many numbers each node counts; by default as many as the root does.
    """
    names = (*_WHOLE, "threshold", "counts", "own")
    fields = dict(zip(names, node.fields(*names), strict=True))
    n_nodes = len(list(fields["kind"].items()))
    if not 0 < n_nodes < _MOST:
        fields["kind"].fail("a tree has at least one node")
    least = {"kind": 0, "child": 1, "rows": 1} | {f"{n}_start": 0 for n in _RAGGED}
    most = {"kind": OWN, "feature": len(schema) - 1, "parent": n_nodes - 1, "child": n_nodes - 1}
    lengths = dict.fromkeys(_BY_NODE, n_nodes) | {f"{n}_start": n_nodes + 1 for n in _RAGGED}
    arrays: dict[str, Any] = {
        name: fields[name]
        .wholes(
            least.get(name, -1),
            most.get(name, 2**53 if name == "rows" else _MOST),
            lengths.get(name),
        )
        .astype(_DTYPES.get(name, np.int32))
        for name in _WHOLE
    }
    arrays["threshold"] = fields["threshold"].numbers(infinite=True)
    arrays["counts"] = fields["counts"].rows(n_nodes, n_classes)
    tree = Tree(**arrays, own=_questions(fields["own"]))
    return _checked(tree, node, schema)


_RAGGED = ("child", "threshold", "code_to_branch")


def _questions(node: Node) -> dict[int, Any]:
    found: dict[int, Any] = {}
    for pair in node.items():
        number, question = pair.items(2)
        if number.whole(0, _MOST) in found:
            number.fail("the node asks two questions")
        found[number.whole(0)] = _question(question)
    return found


def _question(node: Node) -> Any:
    told = plain.from_plain(node, {})
    if type(told) is not dict or type(told.get("kind")) is not str:
        node.fail("must be a question with its kind")
    try:
        return from_plain(told)
    except Exception as error:  # a user's own code reads it
        node.fail(f"no question can be made of this ({error})")


def _checked(tree: Tree, node: Node, schema: Schema) -> Tree:
    try:
        check_tree(tree)
        check_fit(tree, schema)
    except TreeError as error:
        node.fail(str(error))
    except Exception as error:  # of a user's own question
        node.fail(f"not a tree ({type(error).__name__}: {error})")
    asked = np.flatnonzero(tree.kind == CODES)
    known = np.array([spec.n_values for spec in schema])[tree.feature[asked]]
    beyond = np.diff(tree.code_to_branch_start)[asked] > known
    if beyond.any():
        at = int(asked[np.argmax(beyond)])
        node.fail(f"node {at} asks about more categories than its column has")
    if not np.isfinite(tree.counts.sum()) or not tree.counts[0].sum() > 0:
        refuse(f"{node.place}.counts", "the root weighs nothing, or too much to be a number")
    return tree
