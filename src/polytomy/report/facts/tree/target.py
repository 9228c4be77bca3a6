"""The facts that depend on the kind of target: classes with shares, or numbers with means."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any, ClassVar, cast

import numpy as np

from polytomy._types import AnyArray, FloatArray
from polytomy.export import MeanScale, target_format
from polytomy.export.phrasing.p_values import anova_p_chance
from polytomy.model import Model
from polytomy.prune import AdjustedPChance, adjusted_p_chance
from polytomy.report.facts.json_values import rounded, rounded_list, unrounded
from polytomy.report.facts.predicted import number_facts
from polytomy.tree import Tree

_DIGITS = 8  # of shares: the page rounds them to whole percents, and must round halves correctly


@dataclass(frozen=True, slots=True, eq=False)
class Outcomes:
    """The numbers of rows at each node of a tree, compared with the means to expect there.

    Attributes
    ----------
    weight, mean : ndarrays of shape (nodes,)
        The weight and the mean of the rows; the mean is 0 without rows.
    squared, absolute : ndarrays of shape (nodes,)
        The weighted sums of the squared and the absolute errors of the expected mean.
    """

    weight: FloatArray
    mean: FloatArray
    squared: FloatArray
    absolute: FloatArray

    @classmethod
    def of(
        cls,
        tree: Tree,
        expected: FloatArray,
        leaf: AnyArray,
        values: FloatArray,
        weights: FloatArray | None,
    ) -> "Outcomes":
        """Return the outcomes of rows.

        Parameters
        ----------
        tree : Tree
            The tree.
        expected : ndarray of shape (nodes,)
            The mean to expect at each node.
        leaf : ndarray of int
            The leaf of each row.
        values : ndarray of float
            The number of each row.
        weights : ndarray of float or None
            The weight of each row; None if all are 1.
        """
        w = np.ones(len(values)) if weights is None else weights
        sums = np.zeros((4, tree.n_nodes))
        at, rows = leaf.astype(np.int64), np.arange(len(values))
        while len(at):  # from the leaves up to the root
            y, held = values[rows], w[rows]
            far = y - expected[at]
            terms = held * np.array([np.ones(len(y)), y, far * far, np.abs(far)])
            sums += [np.bincount(at, weights=term, minlength=tree.n_nodes) for term in terms]
            above = tree.parent[at].astype(np.int64)
            at, rows = above[above >= 0], rows[above >= 0]
        weight, total, squared, absolute = sums
        mean = np.divide(total, weight, out=np.zeros(tree.n_nodes), where=weight > 0)
        return cls(weight, mean, squared, absolute)


class TargetFacts(ABC):
    """What a report says about the target of a model, for each kind of target.

    ``model`` is the model, ``test`` what is known of the test rows at each node of ``model.kept``,
    and ``training`` the same for the training rows, if they are given and the kind needs it.
    """

    tree_name: ClassVar[str]  # the kind of model, for the title
    has_risk_bound: ClassVar[bool]  # whether structural risk minimisation applies

    @staticmethod
    def of(model: Model, test: Any = None, training: Any = None) -> "TargetFacts":
        """Return the facts for the kind of a model's target."""
        if model.is_numeric:
            return NumberFacts(model, test, training)
        return ClassFacts(model, test)

    @property
    @abstractmethod
    def weight(self) -> FloatArray:
        """The weight of the training rows at each node of ``model.kept``."""

    @property
    @abstractmethod
    def errors(self) -> FloatArray:
        """The training errors of each node as a leaf: a weight, or a sum of squared errors."""

    @property
    @abstractmethod
    def test_errors(self) -> FloatArray | None:
        """The errors of the test rows at each node as a leaf, or None without test rows."""

    @property
    @abstractmethod
    def test_total(self) -> float:
        """The weight of the test rows."""

    @property
    @abstractmethod
    def p_chance(self) -> AdjustedPChance:
        """The p-values of the splits of ``model.kept``."""

    @abstractmethod
    def heading(self) -> dict[str, Any]:
        """Return the facts about the target as a whole."""

    @abstractmethod
    def node(self, node: int) -> dict[str, Any]:
        """Return the prediction of a node, and what the rows there have."""

    @abstractmethod
    def summary(self, error: float, test_error: float | None) -> dict[str, Any]:
        """Return the figures of the summary that follow from the mean errors of the tree."""


class ClassFacts(TargetFacts):
    """Facts about classes; ``test`` has the weight of the test rows by node and class."""

    tree_name = "Decision tree"
    has_risk_bound = True

    def __init__(self, model: Model, test: FloatArray | None) -> None:
        self._model, self._test = model, test

    @property
    def weight(self) -> FloatArray:
        """The weight of the training rows at each node, without class weights."""
        return np.asarray(self._model.kept_shares.counts.sum(axis=1))

    @property
    def errors(self) -> FloatArray:
        """The weight of the training rows that are not of the node's class."""
        return misclassified(self._model.kept, self._model.kept_shares.counts)

    @property
    def test_errors(self) -> FloatArray | None:
        """The weight of the test rows that are not of the node's class."""
        return None if self._test is None else misclassified(self._model.kept, self._test)

    @property
    def test_total(self) -> float:
        """The weight of the test rows."""
        return 0.0 if self._test is None else float(self._test[0].sum())

    @property
    def p_chance(self) -> AdjustedPChance:
        """The p-values of the splits, by chi-square."""
        tree = self._model.kept
        if self._model.costs is not None:  # a test counts cases, whatever their mistakes cost
            tree = replace(tree, counts=self._model.kept_shares.counts)
        return adjusted_p_chance(tree, self._model.schema)

    def heading(self) -> dict[str, Any]:
        """Return the names of the classes."""
        return {"classes": self._model.class_names}

    def node(self, node: int) -> dict[str, Any]:
        """Return the class counts of a node, its class and the share to expect."""
        shares, label = self._model.kept_shares, int(self._model.kept.label[node])
        facts: dict[str, Any] = {"counts": rounded_list(shares.counts[node])}
        if self._test is not None:
            facts["test"] = rounded_list(self._test[node])
        facts |= {"label": label, "share": rounded(float(shares.expected[node, label]), _DIGITS)}
        interval = float(shares.low[node, label]), float(shares.high[node, label])
        return facts | _certainty(interval, _DIGITS, doubtful=bool(shares.is_doubtful[node]))

    def summary(self, error: float, test_error: float | None) -> dict[str, Any]:
        """Return the mean costs, if mistakes have costs; otherwise the error rates say it all."""
        del error, test_error
        costs = self._model.costs
        if costs is None or self._model.training_cost is None:
            return {}
        facts = {"train_cost": rounded(self._model.training_cost)}
        if self._test is not None and self.test_total > 0:
            leaves = self._model.kept.leaves()
            wrong = costs.of_labels(self._test[leaves])
            label = self._model.kept.label[leaves]
            total = float(wrong[np.arange(len(leaves)), label].sum())
            facts["test_cost"] = rounded(total / self.test_total)
        return facts


class NumberFacts(TargetFacts):
    """Facts about numbers; ``test`` and ``training`` are ``Outcomes``."""

    tree_name = "Regression tree"
    has_risk_bound = False

    def __init__(self, model: Model, test: Outcomes | None, training: Outcomes | None) -> None:
        self._model, self._test, self._training = model, test, training

    @property
    def weight(self) -> FloatArray:
        """The weight of the training rows at each node."""
        return self._model.kept_means.weight

    @property
    def errors(self) -> FloatArray:
        """The squared errors of the expected mean, summed over the training rows of each node."""
        means = self._model.kept_means
        return means.weight * (means.deviation**2 + (means.expected - means.training) ** 2)

    @property
    def test_errors(self) -> FloatArray | None:
        """The squared errors of the expected mean, summed over the test rows of each node."""
        return None if self._test is None else self._test.squared

    @property
    def test_total(self) -> float:
        """The weight of the test rows."""
        return 0.0 if self._test is None else float(self._test.weight[0])

    @property
    def p_chance(self) -> AdjustedPChance:
        """The p-values of the splits, by analysis of variance."""
        return anova_p_chance(replace(self._model, contracted=False))

    def heading(self) -> dict[str, Any]:
        """Return how numbers are written, and the range of the leaves' means."""
        form, scale = target_format(self._model), MeanScale.of(self._model)
        return {"numbers": number_facts(form, scale.low, scale.high)}

    def node(self, node: int) -> dict[str, Any]:
        """Return the mean to expect at a node, and the mean and deviation of its rows."""
        means = self._model.kept_means
        facts: dict[str, Any] = {
            "weight": rounded(means.weight[node]),
            "mean": unrounded(float(means.training[node])),  # the page subtracts means
            "deviation": rounded(means.deviation[node]),
            "expected": unrounded(float(means.expected[node])),
        }
        if self._training is not None:
            facts["absolute"] = rounded(self._training.absolute[node])
        if self._test is not None:
            test, mean = self._test, unrounded(float(self._test.mean[node]))
            errors = rounded_list((test.squared[node], test.absolute[node]))
            facts["test"] = [rounded(test.weight[node]), mean, *errors]
        interval = float(means.low[node]), float(means.high[node])
        return facts | _certainty(interval, 15, doubtful=bool(means.is_doubtful[node]))

    def summary(self, error: float, test_error: float | None) -> dict[str, Any]:
        """Return R2 of the training and the test rows, where it is defined."""
        variances = {"train_r2": (error, float(self._model.kept_means.deviation[0]) ** 2)}
        if test_error is not None:
            variances["test_r2"] = test_error, self._test_variance()
        return {
            name: rounded(1 - mean / variance)
            for name, (mean, variance) in variances.items()
            if variance > 0
        }

    def _test_variance(self) -> float:
        """Return the variance of the test rows."""
        test = cast(Outcomes, self._test)
        gap = test.mean[0] - self._model.kept_means.expected[0]
        return float(test.squared[0] / test.weight[0] - gap * gap)


def misclassified(tree: Tree, counts: FloatArray) -> FloatArray:
    """Return the weight of the rows at each node that are not of its class."""
    return np.asarray(counts.sum(axis=1) - counts[np.arange(len(counts)), tree.label])


def _certainty(interval: tuple[float, float], digits: int, *, doubtful: bool) -> dict[str, Any]:
    """Return the 95 % interval, and a mark if expected and training values disagree."""
    mark = {"doubtful": True} if doubtful else {}
    return {"interval": rounded_list(interval, digits), **mark}
