"""A model to an ONNX graph."""

from collections.abc import Iterable
from importlib.metadata import version
from typing import Any

import numpy as np

from polytomy._errors import ParameterError
from polytomy._types import AnyArray
from polytomy.encode import Schema
from polytomy.ensemble import Ensemble
from polytomy.model import Model
from polytomy.tree import Tree

from .classes import class_table
from .columns import add_columns, add_matrix
from .ensemble import Trees
from .graph import Graph
from .links import add_probabilities
from .lower import Tests, lowered
from .readings import LABEL, PROBABILITIES, is_matrix, readings_of

_SAYS = (
    "Outputs: the class, and the probability of each class in ascending order. "
    "Comparisons are in double, as in the library the model comes from."
)


def to_onnx(model: Model | Ensemble, smoothing: float = 0.0) -> Any:
    """Return a model as an ONNX graph, an ``onnx.ModelProto``.

    Inputs: where every column is plain numbers (or yes and no), one matrix of doubles named ``X``
    with the columns of the training table. Otherwise an input of shape (rows, 1) for each column
    that is asked about, named as the column: doubles for numbers, with NaN for missing; text for
    categories and labels, with "" for missing; int64 ticks for times, with NaT's for missing.
    Each input's ``doc_string`` says so, and ``onnx_inputs`` makes them of a table.

    Outputs: ``label``, whole numbers or text as the classes are, and ``probabilities``, doubles of
    shape (rows, classes).

    Every threshold is compared in double, so rows end in the same leaf as here, whether they were
    float32, float64 or whole numbers before they became double. A tree's classes and probabilities
    are then looked up, and equal bit for bit; an ensemble's votes are summed in double, which is
    exact for its scores, and its probabilities differ from ours by rounding alone.

    The graph needs version 5 of ``ai.onnx.ml``: onnxruntime 1.23 or later.

    Parameters
    ----------
    model : Model or Ensemble
        What to write. Trees with users' own questions are refused.
    smoothing : float
        Of a tree: what is added to each class count before shares are taken.

    Examples
    --------
    >>> import pytest
    >>> _ = pytest.importorskip("onnx")
    >>> session = pytest.importorskip("onnxruntime").InferenceSession
    >>> from polytomy import TreeClassifier
    >>> X = np.array([[0.0], [1.0], [np.nan], [3.0]])
    >>> clf = TreeClassifier(max_leaves=3).fit(X, [0, 1, 2, 1])
    >>> written = to_onnx(clf._model).SerializeToString()
    >>> session(written).run(["label"], {"X": X})[0].tolist()
    [0, 1, 2, 1]
    """
    if isinstance(model, Ensemble):
        if smoothing:
            raise ParameterError("smoothing is for a tree; an ensemble's leaves vote as they are")
        return _write_ensemble(model)
    return _write_tree(model, smoothing)


def _write_tree(model: Model, smoothing: float) -> Any:
    tree = model.tree
    graph = Graph((LABEL, PROBABILITIES))
    matrix, (tests,) = _asked(graph, model.schema, [tree])
    # The tree says which leaf; what the leaf says is looked up, so that no rounding can matter.
    leaves = tree.leaves()
    place = np.zeros(tree.n_nodes)
    place[leaves] = np.arange(len(leaves))
    trees = Trees()
    if tests.yes:
        trees.plant(tests, place)
    found = trees.add_to(graph, matrix, 1)
    number = graph.add("Cast", [found], to=graph.kind("INT64"))
    leaf = graph.add("Squeeze", [number, graph.constant("axis", np.array([1]))], "leaf")
    counts = tree.counts[leaves]
    smooth = counts + smoothing
    classes = class_table(model.classes)
    label = graph.constant("labels", classes[counts.argmax(axis=1)])
    shares = graph.constant("shares", smooth / smooth.sum(axis=1, keepdims=True))
    graph.give("Gather", [label, leaf], LABEL)
    graph.give("Gather", [shares, leaf], PROBABILITIES, axis=0)
    return _finish(graph, classes)


def _write_ensemble(model: Ensemble) -> Any:
    graph = Graph((LABEL, PROBABILITIES))
    matrix, all_tests = _asked(graph, model.schema, [member.tree for member in model.members])
    trees, start = Trees(), model.start.copy()
    for member, tests in zip(model.members, all_tests, strict=True):
        if not tests.yes:  # one leaf, which votes the same for every row
            start += member.scores[0]
            continue
        # A leaf of the operator adds to one output, so a tree is planted for each it speaks to.
        for output in np.flatnonzero(member.scores.any(axis=0)).tolist():
            trees.plant(tests, member.scores[:, output], output)
    votes = trees.add_to(graph, matrix, model.n_outputs)
    votes = graph.add("Add", [votes, graph.constant("start", start)], "votes")
    if model.n_outputs == 1:
        above = graph.add("Greater", [votes, graph.constant("zero", np.array(0.0))])
        chosen = graph.add("Cast", [above], to=graph.kind("INT64"))
        winner = graph.add("Squeeze", [chosen, graph.constant("axis", np.array([1]))], "winner")
    else:
        winner = graph.add("ArgMax", [votes], "winner", axis=1, keepdims=0)
    classes = class_table(model.classes)
    graph.give("Gather", [graph.constant("labels", classes), winner], LABEL)
    add_probabilities(graph, votes, model.algorithm, model.n_outputs, PROBABILITIES)
    return _finish(graph, classes)


def _asked(graph: Graph, schema: Schema, trees: Iterable[Tree]) -> tuple[str, list[Tests]]:
    """Add the inputs; return the name of the matrix they make, and the trees' tests on it."""
    grown = list(trees)
    asked = {int(j) for tree in grown for j in np.unique(tree.feature) if j >= 0}
    readings = readings_of(schema, asked)
    places = {reading.place: (at, reading) for at, reading in enumerate(readings)}
    tests = [lowered(tree, places) for tree in grown]
    add = add_matrix if is_matrix(schema) else add_columns
    return add(graph, readings), tests


def _finish(graph: Graph, classes: AnyArray) -> Any:
    kinds = {"O": "STRING", "b": "BOOL", "f": "DOUBLE", "i": "INT64", "u": "UINT64"}
    names = ", ".join(map(str, classes[:20].tolist())) + (", ..." if len(classes) > 20 else "")
    graph.output(LABEL, kinds[classes.dtype.kind], ["rows"], "the class")
    shape = ["rows", len(classes)]
    graph.output(PROBABILITIES, "DOUBLE", shape, f"of the classes {names}")
    return graph.finish(_SAYS, version("polytomy"))
