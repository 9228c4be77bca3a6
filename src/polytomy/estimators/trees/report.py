"""The report of a tree, with the details of its nodes: alternative splits and distributions."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from polytomy import theory
from polytomy._types import TIE, BranchArray, FloatArray, IntArray
from polytomy.encode import NumericTarget, Schema, Target, encode_with
from polytomy.estimators.base.rows import LabelledRows
from polytomy.estimators.fitting.growing import weights_at_nodes
from polytomy.estimators.reading.decisions import (
    Judged,
    ReportInput,
    decision_sections,
    own_weights,
)
from polytomy.estimators.reading.report import ReportedModel, name_of_target
from polytomy.export import class_shares
from polytomy.grow import GrowParams, NodeAlternatives, Option, alternatives
from polytomy.model import Model
from polytomy.predict import apply
from polytomy.prune import node_counts
from polytomy.report import (
    MOST_COLUMNS,
    Alternative,
    Evaluated,
    NodeDetails,
    Outcomes,
    Rows,
    Scored,
    growth_steps,
    json_size,
    tree_facts,
)
from polytomy.theory.rates import accepts
from polytomy.tree import CustomSplit, Tree, subtree_sums

_NO_DEFAULT = -1  # an alternative does not state where new categories would go
_SLACK = 1e3 * TIE  # of a node's impurity: gains that differ by less differ only by rounding


class ReportedTree(ReportedModel):
    """A tree with a report."""

    _model: Model

    def _collect_facts(self, given: ReportInput) -> dict[str, Any]:
        """Return the facts of the report."""
        training, test = self._both_rows(given, class_weight=True)
        target = name_of_target(given)
        judged = judged_tree(self, training, test)
        sections = decision_sections(self, given, judged, training, test, target)
        rows = replace(self._facts_of_rows(training, test), reserved=json_size(sections))
        return tree_facts(self._fitted_model(), rows, given.title, target) | sections

    def _facts_of_rows(self, given: LabelledRows | None, test: LabelledRows | None) -> Rows:
        """Return the facts that need rows: test weights, alternative splits, distributions."""
        model, threads = self._model, self._threads()
        facts: dict[str, Any] = {}
        if test is not None:
            test = test.with_weight()[0]
            at_nodes = _outcomes if model.is_numeric else _weights
            facts["test"] = at_nodes(model, test, threads)
            facts["test_rows"] = len(test.labels)
        if given is not None:
            rows = self._training_rows(given)
            if model.is_numeric:
                facts["training"] = _outcomes(model, rows, threads)
            facts["details"] = node_details(model, rows, self._fit_record.params, threads)
            facts["note"] = _note_on_tree_rows(model, rows, _weights(model, rows, threads))
        return Rows(**facts)


def _weights(model: Model, rows: LabelledRows, threads: int) -> FloatArray:
    """Return the weight of each class, or the moments, of rows at the nodes of the kept tree."""
    return weights_at_nodes(model.kept, model.schema, rows, threads)


def _outcomes(model: Model, rows: LabelledRows, threads: int) -> Outcomes:
    """Return what rows with a numeric target have at the nodes of the kept tree."""
    leaf = apply(model.kept, model.schema, rows.table, threads)
    return Outcomes.of(
        model.kept, model.kept_means.expected, leaf, np.asarray(rows.labels), rows.weights
    )


def _note_on_tree_rows(model: Model, rows: LabelledRows, weights: FloatArray) -> str | None:
    """Return a note if rows are not the training rows, or None. ``weights`` are those by node."""
    tree = model.kept
    scale = np.abs(tree.counts).max(axis=0)  # of the weights of a class, or of a moment
    close = bool((np.abs(weights - tree.counts) <= 1e-9 * (scale + float(tree.weight[0]))).all())
    if close and len(rows.labels) == tree.rows[0]:
        return None
    return (
        "The given rows are not those the tree was grown on, or it was grown on a part of them or "
        f"with other weights: it was grown on {tree.rows[0]:,} rows, and {len(rows.labels):,} are "
        "given. Alternative splits and distributions are those of the given rows, and test rows "
        "taken from them may be training rows of the tree."
    )


def judged_tree(
    model: Any, training: LabelledRows | None, test: LabelledRows | None
) -> Judged | None:
    """Return the test rows, otherwise the training rows, with the predictions of a tree."""
    given = training if test is None else test
    if given is None or model._is_numeric:
        return None
    rows, at = given.with_weight()
    weights = rows.weights if test is not None else own_weights(model, rows)
    leaf = model.apply(rows.table)
    shares = class_shares(model._model, model.smoothing)
    predicted = model.tree_.label[leaf]
    error = float(np.average(predicted != rows.labels, weights=weights))

    def predictions() -> Evaluated:
        own = np.ones(len(rows.labels)) if weights is None else weights
        return Evaluated(rows.labels, predicted, own, {}, shares=shares[leaf])

    which = "training" if test is None else "test"
    scored = Scored.in_leaves(leaf, rows.labels, weights, shares)
    return Judged(which, scored, error, predictions, at)


def node_details(
    model: Model, sample: LabelledRows, params: GrowParams, threads: int
) -> Iterator[tuple[int, NodeDetails]]:
    """Iterate over the details of the nodes that hold rows, those with the most rows first.

    Parameters
    ----------
    model : Model
        The model; the rows are routed down its kept tree.
    sample : LabelledRows
        The rows, with the weights used in growing.
    params : GrowParams
        How the tree was grown.
    threads : int
        The number of threads.
    """
    tree = model.kept
    leaf = apply(tree, model.schema, sample.table, threads)
    coded = encode_with(model.schema, sample.table)
    described = _Alternatives(model, coded.schema, _Measured.of(tree, leaf, sample.target))
    to_weights = _to_weights(sample.target, model.class_factors)
    distributions = _Distributions(tree, to_weights, 1 if model.is_numeric else None)
    for found in alternatives(
        coded,
        sample.target,
        tree,
        params,
        leaf_of_row=leaf,
        index=model.run.index,
        threads=threads,
    ):
        here, parent = distributions.of(found)
        column = distributions.column[found.node]
        yield found.node, NodeDetails(*described.of(found), column, here, parent)


@dataclass(frozen=True, slots=True, eq=False)
class _Measured:
    """The rows at the nodes of a tree in the unit of gains.

    ``counts`` are class counts or moments, ``total`` the weight of all rows, and ``gain`` the gain
    that a unit of an option's gain stands for.
    """

    counts: FloatArray
    total: float
    gain: float

    @classmethod
    def of(cls, tree: Tree, leaf: BranchArray, target: Target) -> "_Measured":
        if isinstance(target, NumericTarget):
            moments = subtree_sums(tree, target.moments(leaf, tree.n_nodes, tree.centre))
            return cls(moments, float(moments[0, 0]), target.impurity_unit)
        units = node_counts(tree, leaf, target)[0].astype(np.float64)
        return cls(units, float(units[0].sum()), 1.0)


def _to_weights(
    target: Target, class_factors: FloatArray | None
) -> Callable[[IntArray], FloatArray]:
    """Return a function that turns the units of a column into weights by class.

    For a numeric target, into the weight and the weighted sum of the numbers.
    """
    if not isinstance(target, NumericTarget):
        factors = 1.0 if class_factors is None else np.maximum(class_factors, TIE)
        unit = np.asarray(target.unit / factors)
        return lambda units: np.asarray(units * unit, dtype=np.float64)
    low = 0.0 if target.criterion == "poisson" else float(target.values.min())
    span = float(target.values.max()) - low

    def weight_and_sum(units: IntArray) -> FloatArray:
        above, weight = units[:, 0] * target.unit, units.sum(axis=1) * target.unit
        return np.column_stack([weight, low * weight + span * above])

    return weight_and_sum


class _Alternatives:
    """Turns options into the alternatives that the page shows, with the split that was chosen."""

    def __init__(self, model: Model, schema: Schema, rows: _Measured) -> None:
        self._model, self._schema, self._rules = model, schema, model.run.rules
        self._impurity: FloatArray = model.run.index.value(rows.counts)
        self._total, self._unit = rows.total, rows.gain
        splits = model.run.splits
        self._leaves = {n: splits[i - 1].leaves_before for n, i in growth_steps(model).items()}

    def of(self, found: NodeAlternatives) -> tuple[list[Alternative], list[Alternative]]:
        """Return the best split of each arity, and the best of each column not chosen."""
        node = found.node
        menu = [self._described(option, node) for option in found.menu]
        chosen = self._chosen(node)
        if chosen is not None:
            menu = _with(menu, chosen, _SLACK * float(self._impurity[node]) / self._total)
        asked = -1 if chosen is None else chosen.column
        return menu, self._rivals(found.options, node, asked)

    def _rivals(self, options: list[Option], node: int, asked: int) -> list[Alternative]:
        best: dict[int, Option] = {}
        for option in options:
            if option.feature == asked or not self._acceptable(option, node):
                continue
            rival = best.get(option.feature)
            if rival is None or self._score(option) > self._score(rival):
                best[option.feature] = option
        found = sorted(best.values(), key=lambda option: (-self._score(option), option.feature))
        return [self._described(option, node) for option in found[:MOST_COLUMNS]]

    def _described(self, option: Option, node: int) -> Alternative:
        split = option.cut.split(option.feature, self._schema, _NO_DEFAULT)
        scale = self._unit / self._total
        gain, score = option.gain * scale, self._score(option) * scale
        wide = not self._acceptable(option, node)
        return Alternative(option.arity, gain, score, option.feature, split, too_wide=wide)

    def _score(self, option: Option) -> float:
        return option.gain / self._price(option.arity)

    def _price(self, arity: int) -> float:
        return theory.price(self._rules.procedure, arity, self._rules.gamma)

    def _acceptable(self, option: Option, node: int) -> bool:
        """Whether the option's arity was acceptable when the node was split."""
        rules, leaves = self._rules, self._leaves.get(node, 1)
        return accepts(rules.procedure, option.arity, leaves, rules.max_leaves, rules.gamma)

    def _chosen(self, node: int) -> Alternative | None:
        """Return the node's own split as an alternative, with its gain on the given rows."""
        tree = self._model.kept
        split = tree.split(node)
        if split is None:
            return None
        inside = self._impurity[tree.children(node)].sum()
        gain = max(float(self._impurity[node] - inside), 0.0) / self._total
        column = -1 if isinstance(split, CustomSplit) else split.feature
        arity = tree.arity(node)
        return Alternative(arity, gain, gain / self._price(arity), column, split, chosen=True)


def _with(menu: list[Alternative], chosen: Alternative, slack: float) -> list[Alternative]:
    """Add the chosen split to the menu, in place of its equal if that is there."""
    others = [other for other in menu if not _alike(other, chosen, slack)]
    return sorted([*others, chosen], key=lambda other: (other.arity, not other.chosen))


def _alike(other: Alternative, chosen: Alternative, slack: float) -> bool:
    same = (other.arity, other.column) == (chosen.arity, chosen.column)
    return same and abs(other.gain - chosen.gain) <= slack


class _Distributions:
    """The distribution of the column that a node shows, and that of its parent.

    ``to_weights`` turns units into weights; the first ``n_weights`` of its columns add up to the
    weight of the rows, by default all.
    """

    def __init__(
        self,
        tree: Tree,
        to_weights: Callable[[IntArray], FloatArray],
        n_weights: int | None,
    ) -> None:
        self._tree, self._to_weights, self._n_weights = tree, to_weights, n_weights
        inner = np.where(np.diff(tree.child_start) > 0, tree.feature, tree.feature[tree.parent])
        self.column = inner.tolist()  # the column a node splits on, or that led to a leaf
        self._parents: dict[int, FloatArray] = {}

    def of(self, found: NodeAlternatives) -> tuple[FloatArray | None, FloatArray | None]:
        """Return the weights by code and class of a node, and by code of its parent."""
        node = found.node
        for child in self._tree.children(node).tolist():
            if self.column[child] >= 0:
                weights = self._to_weights(found.column_counts(self.column[child]))
                self._parents[child] = weights[:, : self._n_weights].sum(axis=1)
        if self.column[node] < 0:
            return None, None
        here = self._to_weights(found.column_counts(self.column[node]))
        return here, self._parents.pop(node, None)
