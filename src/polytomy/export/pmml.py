"""A model or a scorecard as PMML 4.4, an XML format that scoring engines read."""

import re
from collections.abc import Callable, Sequence
from importlib.metadata import version
from math import inf
from typing import TYPE_CHECKING, Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

import numpy as np

from polytomy._errors import ParameterError, TreeError
from polytomy._types import FloatArray
from polytomy.density import DensityModel
from polytomy.encode import ColumnSpec, OrderedColumn, Schema
from polytomy.ensemble import Ensemble
from polytomy.table import Times

from .code.conditions import (
    OneOf,
    branch_condition,
    is_boolean,
    is_labelled,
    plain_value,
    refuse_own_splits,
    split_columns,
    values_of,
)
from .code.vote_sum import ScoreTree, VoteSum, vote_sum
from .links import link_of
from .outputs import leaf_numbers, node_outputs
from .phrasing import AnyModel, Range, SchemaTree

if TYPE_CHECKING:
    from .scorecard import Scorecard

_NAMESPACE = "http://www.dmg.org/PMML-4_4"
_LARGEST = np.finfo(np.float64).max
_DEEPEST = 300  # levels of nodes, which writers and readers of XML nest
_SHORTEST_SET = 4  # values that are listed in an array
_TYPES = {str: "string", bool: "boolean", int: "integer", float: "double"}
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def to_pmml(model: AnyModel | Ensemble, target: str = "prediction", smoothing: float = 0.0) -> str:
    """Return a model as PMML 4.4.

    A tree is a ``TreeModel`` whose nodes have as many children as in the model. A forest is a
    ``MiningModel`` that averages trees. A boosted model is a chain: sums of trees, and a
    ``RegressionModel`` that turns them into probabilities.

    Missing cells, and values that are not in the training table, take the same branches as in the
    model; columns of times cannot be expressed. A density tree predicts the log-density of the
    row's box, as its code does.

    Parameters
    ----------
    model : Model, DensityModel or Ensemble
        The model to export.
    target : str, default="prediction"
        The name of the target.
    smoothing : float, default=0.0
        For a tree without honest shares, the weight added to each class.

    Returns
    -------
    str
        The XML document.

    Raises
    ------
    TreeError
        If the model has user-defined splits, columns of times, or names that XML cannot hold.
    """
    if isinstance(model, Ensemble):
        summed = vote_sum(model, "PMML")
        columns = split_columns(*summed.trees) or [_any_column(model.schema)]
        found = _ensemble_element(model, summed, columns, target)
    else:
        refuse_own_splits(model, "PMML")
        columns = split_columns(model)
        found = _model_element(model, target, smoothing)
    classes = [plain_value(c) for c in np.asarray(getattr(model, "classes", [])).tolist()]
    return _document(model.schema, columns, classes, target, found)


def scorecard_to_pmml(card: "Scorecard", target: str = "prediction") -> str:
    """Return a scorecard as a PMML ``Scorecard`` whose reason codes are the names of the columns.

    Parameters
    ----------
    card : Scorecard
        The scorecard.
    target : str, default="prediction"
        The name of the target.

    Returns
    -------
    str
        The XML document.
    """
    columns = [function.feature for function in card.functions]
    return _document(card.schema, columns, [], target, _scorecard_element(card, target))


def _document(
    schema: Schema, columns: Sequence[int], classes: Sequence[Any], target: str, model: Element
) -> str:
    if target in [schema[j].name for j in columns]:
        raise ParameterError(f"the target cannot have the name of the column {target!r}")
    root = Element("PMML", version="4.4", xmlns=_NAMESPACE)
    head = SubElement(root, "Header")
    SubElement(head, "Application", name="polytomy", version=version("polytomy"))
    dictionary = SubElement(root, "DataDictionary", numberOfFields=str(len(columns) + 1))
    for j in columns:
        _field(dictionary, schema[j])
    word = _type_of(classes, "the target") if classes else "double"
    kind = "categorical" if classes else "continuous"
    field = SubElement(dictionary, "DataField", name=_xml(target), optype=kind, dataType=word)
    _list(field, classes)
    root.append(model)
    indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root, "unicode") + "\n"


def _field(made: Element, column: ColumnSpec) -> None:
    name = _xml(column.name)
    if _holds_times(column):
        raise TreeError(
            f"column {column.name!r} holds times, which PMML compares in whole days or seconds; "
            "grow the tree on numbers instead"
        )
    if is_boolean(column):
        SubElement(made, "DataField", name=name, optype="categorical", dataType="boolean")
    elif is_labelled(column):
        values = [plain_value(v) for v in values_of(column)]
        field = SubElement(made, "DataField", name=name, optype="categorical")
        field.set("dataType", _type_of(values, f"column {column.name!r}"))
        if isinstance(column, OrderedColumn):
            field.set("optype", "ordinal")
            _list(field, values)
    else:
        SubElement(made, "DataField", name=name, optype="continuous", dataType="double")


def _type_of(values: Sequence[Any], what: str) -> str:
    """Return the type of values, which must be one."""
    types = {type(v) for v in values}
    word = _TYPES.get(next(iter(types)), "") if len(types) == 1 else ""
    if types == {int, float}:
        word = "double"
    if not word:
        named = " and ".join(sorted(t.__name__ for t in types)) or "no"
        raise TreeError(
            f"{what} has {named} values, which PMML cannot hold in one field; convert them to "
            "text before growing the tree"
        )
    return word


def _list(field: Element, values: Sequence[Any]) -> None:
    """List the values of a field: all others are invalid."""
    for value in values:
        SubElement(field, "Value", value=_value(value))


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return _xml(value) if isinstance(value, str) else repr(value)


def _xml(text: str) -> str:
    if _FORBIDDEN.search(text):
        raise TreeError(f"XML cannot hold the text {text[:60]!r}; replace it")
    return text


def _any_column(schema: Schema) -> int:
    """Return a column for trees without splits: every model of a document must have a field."""
    return next((j for j, column in enumerate(schema) if not _holds_times(column)), 0)


def _holds_times(column: ColumnSpec) -> bool:
    return isinstance(column, OrderedColumn) and isinstance(column.scale, Times)


def _mining_schema(schema: Schema, columns: Sequence[int], target: str | None) -> Element:
    mining = Element("MiningSchema")
    if target is not None:
        SubElement(mining, "MiningField", name=_xml(target), usageType="target")
    for j in columns:
        SubElement(mining, "MiningField", name=_xml(schema[j].name), invalidValueTreatment="asIs")
    return mining


def _model_element(model: AnyModel, target: str, smoothing: float) -> Element:
    outputs = node_outputs(model, smoothing)
    mining = _mining_schema(model.schema, split_columns(model), target)
    if isinstance(model, DensityModel) or model.is_numeric:
        numbers = leaf_numbers(model)
        return _tree_element(model, lambda v: repr(numbers[v]), [mining])
    values = [plain_value(c) for c in np.asarray(model.classes).tolist()]
    classes = [_value(c) for c in values]
    labels, shares = model.tree.label.tolist(), _Shares(classes, outputs, model.case_counts)
    head = [mining, _outputs(model.schema, target, values)]
    return _tree_element(model, lambda v: classes[labels[v]], head, shares)


class _Shares:
    """The probabilities and the training weight of each class at each node."""

    def __init__(self, classes: Sequence[str], shares: FloatArray, counts: FloatArray) -> None:
        self.classes, self.shares, self.counts = classes, shares.tolist(), counts.tolist()

    def write(self, node: Element, at: int) -> None:
        for name, share, n in zip(self.classes, self.shares[at], self.counts[at], strict=True):
            made = SubElement(node, "ScoreDistribution", value=name, recordCount=repr(n))
            made.set("probability", repr(share))


def _outputs(schema: Schema, target: str, classes: Sequence[Any]) -> Element:
    """Return the results of a classifier: its class and the probabilities of all classes.

    Some engines return the fields that are listed here and no others.
    """
    name = f"predicted_{target}"
    while name in schema.names:
        name += "_"
    output = Element("Output")
    field = SubElement(output, "OutputField", name=_xml(name), optype="categorical")
    field.attrib.update(dataType=_type_of(classes, "the target"), feature="predictedValue")
    for value in map(_value, classes):
        field = SubElement(output, "OutputField", name=f"probability({value})")
        field.attrib.update(optype="continuous", dataType="double", feature="probability")
        field.set("value", value)
    return output


def _tree_element(
    grown: SchemaTree,
    score: Callable[[int], str],
    head: Sequence[Element],
    shares: _Shares | None = None,
) -> Element:
    """Return a tree; ``score`` returns that of a leaf, and ``head`` are the elements before it."""
    tree = grown.tree
    if tree.depth.max() > _DEEPEST:
        raise TreeError(f"PMML nests nodes, and this tree is {tree.depth.max()} deep; prune it")
    made = Element(
        "TreeModel",
        functionName="regression" if shares is None else "classification",
        splitCharacteristic="multiSplit",
        missingValueStrategy="none",
        noTrueChildStrategy="returnNullPrediction",
    )
    made.extend(head)
    nodes = [SubElement(made, "Node", id="0")]
    SubElement(nodes[0], "True")
    for v in range(tree.n_nodes):
        node = nodes[v]
        node.set("recordCount", str(int(tree.rows[v])))
        if tree.is_leaf(v):
            node.set("score", score(v))
            if shares is not None:
                shares.write(node, v)
            continue
        column = grown.schema[int(tree.feature[v])]
        children = tree.children(v).tolist()
        for branch, child in enumerate(children):
            below = SubElement(node, "Node", id=str(child))
            below.append(_predicate(column, branch_condition(grown, v, branch)))
            nodes.extend([below] * (child - len(nodes) + 1))
            nodes[child] = below
    return made


def _predicate(column: ColumnSpec, condition: Range | OneOf) -> Element:
    name = _xml(column.name)
    if isinstance(condition, OneOf):
        held = _set_predicate(name, [plain_value(v) for v in condition.values], condition.inside)
    elif not condition.present:
        return _simple(name, "isMissing") if condition.missing else Element("False")
    elif is_boolean(column):
        low = -inf if condition.low is None else condition.low
        high = inf if condition.high is None else condition.high
        values = [x for x in (False, True) if low < x <= high]
        if len(values) == 2:
            return Element("True") if condition.missing else _simple(name, "isNotMissing")
        held = _set_predicate(name, values, inside=True)
    else:
        bounds = _bounds(name, condition)
        if not bounds:
            return Element("True") if condition.missing else _simple(name, "isNotMissing")
        held = _joined("and", bounds)
    if not condition.missing:
        return held
    if held.tag == "False":
        return _simple(name, "isMissing")
    return _joined("or", [_simple(name, "isMissing"), held])


def _bounds(name: str, condition: Range) -> list[Element]:
    made = []
    pairs = ((condition.low, "greaterThan", "greaterOrEqual"),)
    for bound, operator, without in (*pairs, (condition.high, "lessOrEqual", "lessThan")):
        if bound == -inf:  # has no literal: the smallest number takes its place
            made.append(_simple(name, without, repr(-float(_LARGEST))))
        elif bound is not None:
            made.append(_simple(name, operator, repr(bound)))
    return made


def _set_predicate(name: str, values: Sequence[Any], inside: bool) -> Element:
    if not values:
        return Element("False") if inside else _simple(name, "isNotMissing")
    plain = all(isinstance(v, str) and re.fullmatch(r"[A-Za-z0-9_.-]+", v) for v in values)
    if plain and len(values) >= _SHORTEST_SET:
        operator = "isIn" if inside else "isNotIn"
        made = Element("SimpleSetPredicate", field=name, booleanOperator=operator)
        array = SubElement(made, "Array", n=str(len(values)), type="string")
        array.text = " ".join(values)
        return made
    operator, joint = ("equal", "or") if inside else ("notEqual", "and")
    return _joined(joint, [_simple(name, operator, _value(v)) for v in values])


def _simple(name: str, operator: str, value: str | None = None) -> Element:
    made = Element("SimplePredicate", field=name, operator=operator)
    if value is not None:
        made.set("value", value)
    return made


def _joined(operator: str, parts: Sequence[Element]) -> Element:
    """Return one or more predicates as one."""
    if len(parts) == 1:
        return parts[0]
    made = Element("CompoundPredicate", booleanOperator=operator)
    made.extend(parts)
    return made


def _ensemble_element(
    model: Ensemble, summed: VoteSum, columns: Sequence[int], target: str
) -> Element:
    link = link_of(model)
    if link == "logistic-shares":
        raise TreeError(
            "PMML cannot express the probabilities of algorithm 'adaboost-mh'; fit with "
            "algorithm='logitboost' or 'samme'"
        )
    kind = "regression" if model.is_numeric else "classification"
    values = [plain_value(c) for c in np.asarray(model.classes).tolist()]
    classes = [_value(c) for c in values]
    made = Element("MiningModel", functionName=kind)
    made.append(_mining_schema(model.schema, columns, target))
    if classes:
        made.append(_outputs(model.schema, target, values))
    if model.is_forest:
        made.append(_averaged(model, columns, classes))
        return made
    votes = ["votes"] if model.n_outputs == 1 else [f"votes({c})" for c in classes]
    chain = SubElement(made, "Segmentation", multipleModelMethod="modelChain")
    for k, name in enumerate(votes):
        chain.append(_segment(k + 1, _sum_element(model.schema, summed, columns, k, name)))
    chain.append(_segment(len(votes) + 1, _link_element(votes, classes, target)))
    return made


def _averaged(model: Ensemble, columns: Sequence[int], classes: Sequence[str]) -> Element:
    """Return the trees of a forest."""
    segments = Element("Segmentation", multipleModelMethod="average")
    for t, member in enumerate(model.members, 1):
        grown, scores = ScoreTree(model.schema, member.tree, member.scores), member.scores
        head = [_mining_schema(model.schema, split_columns(grown) or columns[:1], None)]
        if model.scale is not None:
            means = (model.scale.centre + model.scale.unit * scores[:, 0]).tolist()
            element = _tree_element(grown, [repr(x) for x in means].__getitem__, head)
        else:
            best = [classes[k] for k in scores.argmax(axis=1).tolist()]
            shares = _Shares(classes, scores, scores * member.tree.rows[:, None])
            element = _tree_element(grown, best.__getitem__, head, shares)
        segments.append(_segment(t, element))
    return segments


def _sum_element(
    schema: Schema, summed: VoteSum, columns: Sequence[int], output: int, name: str
) -> Element:
    """Return the sum of the scores for an output, as a field with a name."""
    made = Element("MiningModel", functionName="regression")
    made.append(_mining_schema(schema, columns, None))
    field = SubElement(SubElement(made, "Output"), "OutputField", name=name)
    field.attrib.update(optype="continuous", dataType="double", feature="predictedValue")
    segments = SubElement(made, "Segmentation", multipleModelMethod="sum")
    start = Element("TreeModel", functionName="regression")
    start.append(_mining_schema(schema, columns[:1], None))
    SubElement(SubElement(start, "Node", score=repr(float(summed.start[output]))), "True")
    segments.append(_segment(0, start))
    for t, tree in enumerate(summed.trees, 1):
        scores = [repr(x) for x in tree.scores[:, output].tolist()]
        head = [_mining_schema(schema, split_columns(tree) or columns[:1], None)]
        segments.append(_segment(t, _tree_element(tree, scores.__getitem__, head)))
    return made


def _link_element(votes: Sequence[str], classes: Sequence[str], target: str) -> Element:
    """Return the model from votes to probabilities."""
    method = "logit" if len(votes) == 1 else "softmax"
    made = Element("RegressionModel", functionName="classification", normalizationMethod=method)
    mining = SubElement(made, "MiningSchema")
    SubElement(mining, "MiningField", name=_xml(target), usageType="target")
    for name in votes:
        SubElement(mining, "MiningField", name=name)
    if len(votes) == 1:
        table = SubElement(made, "RegressionTable", intercept="0", targetCategory=classes[1])
        SubElement(table, "NumericPredictor", name=votes[0], coefficient="2")
        SubElement(made, "RegressionTable", intercept="0", targetCategory=classes[0])
        return made
    for name, c in zip(votes, classes, strict=True):
        table = SubElement(made, "RegressionTable", intercept="0", targetCategory=c)
        SubElement(table, "NumericPredictor", name=name, coefficient="1")
    return made


def _segment(number: int, element: Element) -> Element:
    made = Element("Segment", id=str(number))
    SubElement(made, "True")
    made.append(element)
    return made


def _scorecard_element(card: "Scorecard", target: str) -> Element:
    columns = [function.feature for function in card.functions]
    made = Element(
        "Scorecard",
        functionName="regression",
        initialScore=repr(card.plain(card.base_points)),
        useReasonCodes="true",
        reasonCodeAlgorithm="pointsBelow",
    )
    made.append(_mining_schema(card.schema, columns, target))
    output = SubElement(made, "Output")
    score = SubElement(output, "OutputField", name="score", optype="continuous", dataType="double")
    score.set("feature", "predictedValue")
    for rank in range(1, min(len(columns), 4) + 1):
        field = SubElement(output, "OutputField", name=f"reason {rank}", optype="categorical")
        field.attrib.update(dataType="string", feature="reasonCode", rank=str(rank))
    listed = SubElement(made, "Characteristics")
    for function, tree in zip(card.functions, card.trees(), strict=True):
        column = card.schema[function.feature]
        points = tree.scores[tree.tree.leaves(), 0]
        characteristic = SubElement(listed, "Characteristic", name=_xml(f"points: {column.name}"))
        characteristic.set("reasonCode", _xml(column.name))
        characteristic.set("baselineScore", repr(card.plain(float(points.max()))))
        for branch, child in enumerate(tree.tree.children(0).tolist()):
            partial = repr(card.plain(float(tree.scores[child, 0])))
            attribute = SubElement(characteristic, "Attribute", partialScore=partial)
            attribute.append(_predicate(column, branch_condition(tree, 0, branch)))
    return made
