"""Boosting of other classifiers: the prediction of a learner is a split, with a branch per class.

A round's tree then has one split, which the learner fitted on the round's weights answers. Votes,
weights, bounds and margins are those of any other tree.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter

from polytomy._errors import FamilyError, ParameterError
from polytomy._types import AnyArray, BranchArray, FloatArray, LabelArray
from polytomy.grow import NodeRows, SplitQuery
from polytomy.table import Column, Ordered, Ranks, Table, Times
from polytomy.tree import register_kind

NO_FILE = (
    "a boosted {name} cannot be written to a file: model files, checkpoints and exports hold trees "
    "only. Use pickle"
)


@register_kind
@dataclass(frozen=True, eq=False)
class LearnerSplit:
    """A split by the class that a fitted learner predicts.

    Parameters
    ----------
    learner : classifier
        A scikit-learn classifier fitted on class numbers.
    predicted : ndarray of int
        The class numbers that it predicted for the node's rows, in ascending order: the branches.
    otherwise : int
        The branch of a row for which it predicts another class.
    classes : tuple of str, default=()
        The names of all classes; empty if they are not known.
    """

    kind: ClassVar[str] = "learner"
    learner: Any
    predicted: LabelArray
    otherwise: int
    classes: tuple[str, ...] = ()

    @property
    def arity(self) -> int:
        """The number of branches."""
        return len(self.predicted)

    def route(self, table: Table) -> BranchArray:
        """Return the branch of the class that is predicted for each row."""
        if not table.n_rows:
            return np.zeros(0, dtype=np.int32)
        answers = np.asarray(self.learner.predict(_matrix(table)))
        branches = np.searchsorted(self.predicted, answers).clip(max=self.arity - 1)
        known = self.predicted[branches] == answers
        return np.where(known, branches, self.otherwise).astype(np.int32)

    def describe(self, names: Sequence[str]) -> tuple[str, list[str]]:
        """Return the learner's name, and each predicted class."""
        del names
        numbers = self.predicted.tolist()
        classes = [f"as {self.classes[n]}" if self.classes else f"as class {n}" for n in numbers]
        return f"predicted by {type(self.learner).__name__}", classes

    def to_plain(self) -> dict[str, Any]:
        """Raise an error: a file cannot hold a learner."""
        raise FamilyError(NO_FILE.format(name=type(self.learner).__name__))

    @classmethod
    def from_plain(cls, data: dict[str, Any]) -> "LearnerSplit":
        """Raise an error: a file cannot hold a learner."""
        raise FamilyError(f"a model file cannot hold a learner, but this one has {data!r}")


@dataclass(frozen=True, eq=False)
class LearnerFamily:
    """The family of one split: by the prediction of a learner fitted on the node's rows.

    Parameters
    ----------
    learner : classifier
        A scikit-learn classifier whose ``fit`` takes ``sample_weight``. It is cloned, and itself
        neither fitted nor changed.
    classes : tuple of str, default=()
        The names of the classes, for texts.

    Raises
    ------
    ParameterError
        If it is something else.
    """

    needs_classes: ClassVar[bool] = True  # the nodes must hold classes, not working responses
    learner: Any
    classes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        learner = self.learner
        if isinstance(learner, type) or not hasattr(learner, "get_params"):
            raise ParameterError(
                "estimator must be None or an instance of a scikit-learn classifier, such as "
                f"GaussianNB(); got {learner!r}"
            )
        if not is_classifier(learner) or not hasattr(learner, "predict"):
            raise ParameterError(f"estimator must be a classifier, got {learner!r}")
        if _weight_name(learner) is None:
            raise ParameterError(
                "boosting gives rows weights, and the fit of this estimator (in a pipeline, of its "
                f"last step) does not take sample_weight: {learner!r}"
            )
        object.__setattr__(self, "learner", clone(learner))

    @cached_property
    def name(self) -> str:
        """The learner with its parameters, as text."""
        return " ".join(repr(self.learner).split())

    def propose(self, node: NodeRows, query: SplitQuery) -> Iterator[LearnerSplit]:
        """Fit the learner; propose its split, unless it predicts the same class for all rows."""
        del query
        labels, weights = _labels_and_weights(node.class_weights)
        given = _matrix(node.table)
        weighted = {str(_weight_name(self.learner)): weights}
        learner = clone(self.learner).fit(given, labels, **weighted)
        answers = np.asarray(learner.predict(given))
        predicted, branches = np.unique(answers, return_inverse=True)
        if len(predicted) > 1:
            heaviest = int(np.bincount(branches, weights).argmax())
            yield LearnerSplit(learner, predicted, heaviest, self.classes)


def _labels_and_weights(class_weights: FloatArray) -> tuple[LabelArray, FloatArray]:
    """Return the class number of each row, and its weight; the mean weight is 1.

    AdaBoost.MH counts a row once for each class l: in column 2l if it has that class, else in 2l+1.
    """
    by_pairs = np.count_nonzero(class_weights[0]) > 1
    own = class_weights[:, 0::2] if by_pairs else class_weights
    weights = class_weights.sum(axis=1)
    return own.argmax(axis=1), weights / weights.mean()


def _weight_name(learner: BaseEstimator) -> str | None:
    """Return the argument of ``fit`` for the weights, or None if there is none."""
    if isinstance(learner, Pipeline):
        step, last = learner.steps[-1]
        inner = None if isinstance(last, str) else _weight_name(last)
        return None if inner is None else f"{step}__{inner}"
    return "sample_weight" if has_fit_parameter(learner, "sample_weight") else None


def _matrix(table: Table) -> AnyArray:
    """Return the cells of a table: numbers, or objects if a column is categorical."""
    columns = [_numbers(c) if isinstance(c, Ordered) else c.values for c in table.columns]
    return np.column_stack(columns)


def _numbers(column: Column) -> FloatArray:
    """Return an ordered column as numbers: ticks of times, positions of labels; NaN if missing."""
    assert isinstance(column, Ordered)
    numbers = column.values.astype(np.float64)
    if isinstance(column.scale, Times):
        numbers[column.values == np.iinfo(np.int64).min] = np.nan
    if isinstance(column.scale, Ranks):
        numbers[column.values < 0] = np.nan
    return numbers
