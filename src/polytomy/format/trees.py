"""Trees and the members of an ensemble as JSON values.

The numbers of large trees, or of many, are packed.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np

from polytomy._errors import FamilyError, PolytomyError, TreeError
from polytomy._types import FloatArray
from polytomy.encode import Schema
from polytomy.ensemble import Member
from polytomy.predict import check_fit
from polytomy.tree import CODES, OWN, Tree, check_tree, from_plain, to_plain

from . import values
from .node import Node, pack, plain_numbers, refuse

_MAX_INT32 = 2**31 - 1
_INTEGER_ARRAYS = (
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
_ARRAYS = (*_INTEGER_ARRAYS, "threshold", "counts")
_DTYPES = {"kind": np.int8, "child_start": np.int64, "threshold_start": np.int64}
_DTYPES |= {"code_to_branch_start": np.int64, "rows": np.int64}
_RAGGED = ("child", "threshold", "code_to_branch")
_MANY_NUMBERS = 1_000_000
_BY_NODE = ("feature", "parent", "missing_branch", "default_branch", "rows")


def are_large(trees: Iterable[Tree]) -> bool:
    """Return whether the trees of a document have so many numbers that they are packed."""
    sizes = [int(getattr(t, name).size) for t in trees for name in _ARRAYS]
    return sum(sizes) > _MANY_NUMBERS


def to_tree(tree: Tree, *, packed: bool = False) -> dict[str, Any]:
    """Return a tree as a JSON value; a user's own splits must be of a registered kind."""
    held: dict[str, Any]
    if packed:
        held = {name: pack(getattr(tree, name)) for name in _ARRAYS}
    else:
        held = {name: getattr(tree, name).tolist() for name in _INTEGER_ARRAYS}
        held["threshold"] = plain_numbers(tree.threshold)
        held["counts"] = _plain_rows(tree.counts)
    try:
        held["own"] = [[int(node), _own_to_plain(q)] for node, q in tree.own.items()]
    except FamilyError as error:
        refuse("", f"the tree cannot be saved: {error}")
    return held


def _own_to_plain(question: Any) -> Any:
    return values.to_plain(to_plain(question), f"a split of kind {question.kind!r}", {})


def _plain_rows(counts: Any) -> list[list[Any]]:
    n_rows, n_columns = counts.shape
    flat = plain_numbers(counts.ravel())
    return [flat[i * n_columns : (i + 1) * n_columns] for i in range(n_rows)]


def from_tree(
    node: Node,
    schema: Schema,
    n_classes: int | None = None,
    centre: float | None = None,
    fewest_rows: int = 1,
    costs: FloatArray | None = None,
) -> Tree:
    """Return the tree that ``to_tree`` wrote, after checking all its invariants.

    Parameters
    ----------
    node : Node
        The JSON value of the tree.
    schema : Schema
        The columns of the table the tree was grown on.
    n_classes : int, default=None
        The length of each node's count vector; None takes that of the root.
    centre : float or None, default=None
        For a numeric target, whose counts are moments: the number they are about.
    fewest_rows : int, default=1
        The fewest rows that a node may have.
    costs : ndarray of shape (classes, classes) or None, default=None
        The costs of labels, as in ``Tree``.
    """
    names = (*_ARRAYS, "own")
    fields = dict(zip(names, node.fields(*names), strict=True))
    n_nodes = len(fields["kind"].wholes(0, OWN))
    if not 0 < n_nodes < _MAX_INT32:
        fields["kind"].fail("a tree has at least one node")
    least = {"kind": 0, "child": 1, "rows": fewest_rows} | {f"{n}_start": 0 for n in _RAGGED}
    most = {"kind": OWN, "feature": len(schema) - 1, "parent": n_nodes - 1, "child": n_nodes - 1}
    lengths = dict.fromkeys(_BY_NODE, n_nodes) | {f"{n}_start": n_nodes + 1 for n in _RAGGED}
    arrays: dict[str, Any] = {
        name: fields[name]
        .wholes(
            least.get(name, -1),
            most.get(name, 2**53 if name == "rows" else _MAX_INT32),
            lengths.get(name),
        )
        .astype(_DTYPES.get(name, np.int32))
        for name in _INTEGER_ARRAYS
    }
    arrays["threshold"] = fields["threshold"].numbers(infinite=True)
    arrays["counts"] = fields["counts"].rows(n_nodes, n_classes)
    tree = Tree(**arrays, own=_own_splits(fields["own"]), centre=centre, costs=costs)
    return _checked(tree, node, schema, fewest_rows)


def _own_splits(node: Node) -> dict[int, Any]:
    found: dict[int, Any] = {}
    for pair in node.items():
        number, question = pair.items(2)
        if number.whole(0, _MAX_INT32) in found:
            number.fail("the node has two splits")
        found[number.whole(0)] = _own_split(question)
    return found


def _own_split(node: Node) -> Any:
    plain = values.from_plain(node, {})
    if type(plain) is not dict or type(plain.get("kind")) is not str:
        node.fail("must be a dictionary with a 'kind'")
    try:
        return from_plain(plain)
    except MemoryError:  # says nothing about the file
        raise
    except Exception as error:  # raised by the user's own code
        node.fail(f"cannot read a user-defined split ({error})")


def _checked(tree: Tree, node: Node, schema: Schema, fewest_rows: int) -> Tree:
    try:
        check_tree(tree, fewest_rows)
        check_fit(schema, tree)
    except TreeError as error:
        node.fail(str(error))
    except MemoryError:
        raise
    except Exception as error:  # raised by a user's own split
        node.fail(f"not a tree ({type(error).__name__}: {error})")
    asked = np.flatnonzero(tree.kind == CODES)
    known = np.array([spec.n_values for spec in schema])[tree.feature[asked]]
    beyond = np.diff(tree.code_to_branch_start)[asked] > known
    if beyond.any():
        at = int(asked[np.argmax(beyond)])
        node.fail(f"node {at} routes more categories than its column has")
    if not np.isfinite(tree.counts.sum()) or not tree.weight[0] > 0:
        refuse(f"{node.place}.counts", "the weight of the root must be positive and finite")
    return tree


def to_member(member: Member, *, packed: bool = False) -> dict[str, Any]:
    """Return a member of an ensemble, its tree and scores, as a JSON value."""
    scores = pack(member.scores) if packed else [plain_numbers(s) for s in member.scores]
    return {"tree": to_tree(member.tree, packed=packed), "scores": scores}


def from_members(node: Node, schema: Schema, n_outputs: int) -> tuple[Member, ...]:
    """Return the members that ``to_member`` wrote.

    Parameters
    ----------
    node : Node
        The JSON list of members.
    schema : Schema
        The columns of the table the trees were grown on.
    n_outputs : int
        The number of scores of each leaf; 0 takes that of each tree's root.
    """
    members: list[Member] = []
    for item in node.items():
        tree, scores = item.fields("tree", "scores")
        grown = from_tree(tree, schema, members[0].tree.n_classes if members else None)
        by_node = scores.rows(grown.n_nodes, n_outputs or None)
        try:
            members.append(Member(grown, by_node))
        except PolytomyError as error:
            scores.fail(str(error))
    return tuple(members)
