"""A model as an ONNX graph."""

from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

import numpy as np

from polytomy._errors import ParameterError, TargetError
from polytomy._types import AnyArray
from polytomy.density import DensityModel
from polytomy.ensemble import FOREST, Ensemble, VoteScale
from polytomy.export.outputs import node_outputs
from polytomy.export.phrasing import AnyModel
from polytomy.tree import Tree

from .density import add_log_density
from .graph import Graph
from .inputs import (
    LABEL,
    PROBABILITIES,
    VARIABLE,
    add_inputs,
    model_columns,
    output_names,
    unicode_text,
)
from .trees import BinaryTests, TreeEnsemble, binary_tests

_CLASSES = "Outputs: the class, and the probability of each class in ascending order."
_NUMBERS = "Output: the predicted number."
_DENSITIES = "Outputs: the log-density of the row, and the node number of its box."
_PRECISION = "Numbers are compared in double precision, as in polytomy."


def to_onnx(model: AnyModel | Ensemble, smoothing: float = 0.0) -> Any:
    """Return a model as an ONNX graph, an ``onnx.ModelProto``.

    If all columns are numbers or booleans, the input is one matrix of doubles named ``X`` with the
    columns of the training table. Otherwise there is an input of shape (rows, 1) for each column
    that the model splits on, with the name of the column: doubles for numbers (NaN if missing),
    text for categories and ordered labels ("" if missing), int64 ticks for times (NaT if missing).
    The ``doc_string`` of each input describes it, and ``onnx_inputs`` converts a table.

    The outputs of a classifier are ``label``, of the type of the classes, and ``probabilities``,
    doubles of shape (rows, classes). That of a regressor is ``variable``, doubles of shape
    (rows, 1). Those of a density tree are ``log_density``, doubles of shape (rows, 1), and
    ``region``, the node number of each row's box. Its inputs are all columns, because a cell that
    training did not show lowers the density even if no split asks about its column.

    Thresholds are compared in double precision, so every row reaches the same leaf as in this
    library, whether its cells were float32, float64 or integers. The predictions of a
    tree are equal bit for bit. The votes of an ensemble are sums of doubles, which are exact for
    its scores; its probabilities may differ by rounding, and so may the log-densities of rows with
    cells beyond the ranges of training.

    The graph needs version 5 of ``ai.onnx.ml``, that is onnxruntime 1.23 or later.

    Parameters
    ----------
    model : Model, DensityModel or Ensemble
        The model to export; it must not have user-defined splits.
    smoothing : float, default=0.0
        For a tree without honest shares, the weight added to each class.

    Returns
    -------
    onnx.ModelProto

    Examples
    --------
    >>> import pytest
    >>> _ = pytest.importorskip("onnx")
    >>> session = pytest.importorskip("onnxruntime").InferenceSession
    >>> from polytomy import TreeClassifier
    >>> X = np.array([[0.0], [1.0], [np.nan], [3.0]])
    >>> clf = TreeClassifier(max_leaves=3, procedure="per-leaf").fit(X, [0, 1, 2, 1])
    >>> written = to_onnx(clf._model).SerializeToString()
    >>> session(written).run(["label"], {"X": X})[0].tolist()
    [0, 1, 2, 1]
    """
    if isinstance(model, Ensemble):
        if smoothing:
            raise ParameterError("smoothing applies to single trees, not to ensembles")
        return _write_ensemble(model)
    return _write_tree(model, smoothing)


def _write_tree(model: AnyModel, smoothing: float) -> Any:
    tree, leaves = model.tree, model.tree.leaves()
    graph = Graph(output_names(model))
    matrix, (tests,) = _add_inputs_and_tests(graph, model, [tree])
    leaf = _add_leaf(graph, tree, tests, matrix)
    if isinstance(model, DensityModel):
        add_log_density(graph, model, model_columns(model), matrix, leaf)
        return _finish(graph, _DENSITIES)
    outputs = node_outputs(model, smoothing)
    if model.is_numeric:
        means = graph.constant("means", outputs[leaves])
        graph.give("Gather", [means, leaf], VARIABLE, axis=0)
        graph.output(VARIABLE, "DOUBLE", ["rows", 1], "the mean of the leaf")
        return _finish(graph, _NUMBERS)
    classes = class_table(model.classes)
    label = graph.constant("labels", classes[tree.label[leaves]])
    shares = graph.constant("shares", outputs[leaves])
    graph.give("Gather", [label, leaf], LABEL)
    graph.give("Gather", [shares, leaf], PROBABILITIES, axis=0)
    return _finish_classes(graph, classes)


def _add_leaf(graph: Graph, tree: Tree, tests: BinaryTests, matrix: str) -> str:
    """Add the position of each row's leaf among the leaves; return its name.

    Results are looked up by it, so they are not rounded.
    """
    leaves = tree.leaves()
    number_of_leaf = np.zeros(tree.n_nodes)
    number_of_leaf[leaves] = np.arange(len(leaves))
    trees = TreeEnsemble()
    if tests.yes:
        trees.add_tree(tests, number_of_leaf)
    found = trees.add_to(graph, matrix, 1)
    number = graph.add("Cast", [found], to=graph.kind("INT64"))
    return graph.add("Squeeze", [number, graph.constant("axis", np.array([1]))], "leaf")


def _write_ensemble(model: Ensemble) -> Any:
    graph = Graph(output_names(model))
    grown = [member.tree for member in model.members]
    matrix, all_tests = _add_inputs_and_tests(graph, model, grown)
    trees, start = TreeEnsemble(), model.start.copy()
    for member, tests in zip(model.members, all_tests, strict=True):
        if not tests.yes:  # a single leaf adds the same to every row
            start += member.scores[0]
            continue
        # A leaf of the operator has one target, so a tree is added once per output.
        for output in np.flatnonzero(member.scores.any(axis=0)).tolist():
            trees.add_tree(tests, member.scores[:, output], output)
    votes = trees.add_to(graph, matrix, model.n_outputs)
    votes = graph.add("Add", [votes, graph.constant("start", start)], "votes")
    if model.scale is not None:
        return _finish_numbers(graph, votes, model.scale, len(model))
    if model.n_outputs == 1 and not model.is_forest:
        above = graph.add("Greater", [votes, graph.constant("zero", np.array(0.0))])
        chosen = graph.add("Cast", [above], to=graph.kind("INT64"))
        winner = graph.add("Squeeze", [chosen, graph.constant("axis", np.array([1]))], "winner")
    else:
        winner = graph.add("ArgMax", [votes], "winner", axis=1, keepdims=0)
    classes = class_table(model.classes)
    graph.give("Gather", [graph.constant("labels", classes), winner], LABEL)
    _add_probabilities(graph, votes, model.algorithm, model.n_outputs)
    return _finish_classes(graph, classes)


def _add_inputs_and_tests(
    graph: Graph, model: AnyModel | Ensemble, trees: Sequence[Tree]
) -> tuple[str, list[BinaryTests]]:
    """Add the inputs; return the name of their matrix, and the trees' tests of its columns."""
    columns = model_columns(model)
    inputs = {column.column: (at, column) for at, column in enumerate(columns)}
    tests = [binary_tests(tree, inputs) for tree in trees]
    return add_inputs(graph, model.schema, columns), tests


def _finish_classes(graph: Graph, classes: AnyArray) -> Any:
    kinds = {"O": "STRING", "b": "BOOL", "f": "DOUBLE", "i": "INT64", "u": "UINT64"}
    names = ", ".join(map(str, classes[:20].tolist())) + (", ..." if len(classes) > 20 else "")
    graph.output(LABEL, kinds[classes.dtype.kind], ["rows"], "the class")
    shape = ["rows", len(classes)]
    graph.output(PROBABILITIES, "DOUBLE", shape, f"of the classes {names}")
    return _finish(graph, _CLASSES)


def _finish_numbers(graph: Graph, votes: str, scale: VoteScale, trees: int) -> Any:
    """Add the mean of the votes as a number, as ``VoteScale.mean`` computes it."""
    mean = graph.add("Div", [votes, graph.constant("trees", np.array(float(trees)))])
    scaled = graph.add("Mul", [mean, graph.constant("unit", np.array(scale.unit))])
    graph.give("Add", [scaled, graph.constant("centre", np.array(scale.centre))], VARIABLE)
    graph.output(VARIABLE, "DOUBLE", ["rows", 1], "the mean over the trees")
    return _finish(graph, _NUMBERS)


def _finish(graph: Graph, outputs: str) -> Any:
    return graph.finish(f"{outputs} {_PRECISION}", version("polytomy"))


def _add_probabilities(graph: Graph, votes: str, algorithm: str, n_outputs: int) -> None:
    """Add the conversion of votes to probabilities, as in ``predict_proba``.

    They are the softmax of the votes; a single output f stands for -f and f. For ``adaboost-mh``,
    which decides about each class separately, they are the softmax of log 1/(1 + exp(-2 f)).
    """
    if algorithm == FOREST:  # the sums of class shares, scaled to a sum of 1
        axis = graph.constant("classes", np.array([1]))
        total = graph.add("ReduceSum", [votes, axis], keepdims=1)
        graph.give("Div", [votes, total], PROBABILITIES)
        return
    if n_outputs == 1:
        against = graph.add("Neg", [votes])
        scores = graph.add("Concat", [against, votes], axis=1)
    elif algorithm == "adaboost-mh":
        scores = _log_sigmoid(graph, graph.add("Add", [votes, votes]))
    else:
        scores = votes
    graph.give("Softmax", [scores], PROBABILITIES, axis=1)


def _log_sigmoid(graph: Graph, x: str) -> str:
    """Add log 1/(1 + exp(-x)) as min(x, 0) - log(1 + exp(-|x|)), which cannot overflow.

    onnxruntime has no Softplus for doubles.
    """
    small = graph.add("Exp", [graph.add("Neg", [graph.add("Abs", [x])])])
    one = graph.constant("one", np.array(1.0))
    rest = graph.add("Log", [graph.add("Add", [small, one])])
    below = graph.add("Min", [x, graph.constant("zero", np.array(0.0))])
    return graph.add("Sub", [below, rest])


def class_table(classes: AnyArray) -> AnyArray:
    """Return the classes as int64, uint64, double, bool or text, or raise an error."""
    given = np.asarray(classes)
    kind = given.dtype.kind
    if kind == "O":
        held = np.array(given.tolist())
        same = held.ndim == 1 and all(type(c) is type(given[0]) for c in given)
        kind = held.dtype.kind if same else "O"
        given = held if same else given
    if kind == "U":
        for name in given.tolist():
            unicode_text(name, "a class")
        return given.astype(object)
    if kind == "u" and given.dtype.itemsize == 8 and given.max(initial=0) > np.iinfo(np.int64).max:
        return given
    if kind in "iu":
        return given.astype(np.int64)
    if kind == "f":
        return given.astype(np.float64)
    if kind == "b":
        return given
    kinds = ", ".join(sorted({type(c).__name__ for c in given.tolist()}))
    raise TargetError(
        f"ONNX represents labels as numbers, booleans or text; the classes are of type {kinds}; "
        "convert them to text before fitting"
    )
