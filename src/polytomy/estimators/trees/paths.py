"""The prunings of a fitted tree for every number of leaves, as estimators."""

from typing import Any

import numpy as np

from polytomy._errors import ParameterError
from polytomy._types import TIE, FloatArray, IntArray
from polytomy.certify import overgrown
from polytomy.estimators.base.parameters import check_not_negative
from polytomy.estimators.reading.sizes import Sizes
from polytomy.model import TWO_PRICES, Pruning
from polytomy.prune import ErrorBudget, PricedPath, PruningPath
from polytomy.theory import tree_cost
from polytomy.tree import Tree, contract

from .sensitivity import HeldOut, Rate, check_floors, choose_by_floor, with_selection


class _TargetSizes(Sizes):
    """The sizes of a path of a tree with a target, which may have costs and floors on rates."""

    def __init__(self, estimator: Any, held: HeldOut | None) -> None:
        tree, loss = estimator._model.grown, estimator._model.run.index.loss
        held_weight = None if held is None else weight_of(tree, held.counts)
        loss = f"mean {loss}" if tree.is_numeric else loss
        weights = float(tree.weight[0]), held_weight
        super().__init__(estimator, weights, loss, errors_are_losses=tree.is_numeric)
        self._held = held

    @property
    def training_costs(self) -> FloatArray | None:
        """The mean cost of a training row, in the unit of ``cost_matrix``; None without costs."""
        return self._mean_costs(
            self._rates()["training_error"], self._estimator._model.case_counts[0]
        )

    @property
    def validation_costs(self) -> FloatArray | None:
        """The mean cost of a held-out row; None without costs or held-out rows."""
        rate, held = self._rates()["validation_error"], self._held
        if rate is None or held is None or held.cases is None:
            return None
        scale = (self._held_weight or 1.0) / (held.cases.sum() or 1.0)
        return self._mean_costs(rate * scale, held.cases)

    def _costs(self) -> dict[str, FloatArray | None]:
        return {"training": self.training_costs, "validation": self.validation_costs}

    def _mean_costs(self, rate: FloatArray, cases: FloatArray) -> FloatArray | None:
        """Return mean costs, given errors per row and the rows of each class."""
        costs = self._estimator._model.costs
        if costs is None:
            return None
        return np.asarray(rate / costs.scale + cases @ np.diag(costs.matrix) / cases.sum())

    def _floor_choice(
        self, path: PruningPath | PricedPath, of: Any, floors: dict[str, float | None]
    ) -> tuple[int, tuple[Rate, ...]]:
        """Return the smallest size that keeps floors on the held-out rows, and its rates."""
        classes = self._estimator._model.classes
        return choose_by_floor(self.sizes, path.at_leaves, self._held, classes, of, floors)

    def _remarks(self) -> list[str]:
        costs = self._estimator._model.costs
        if costs is None:
            return super()._remarks()
        return [
            "Errors are fractions of the largest possible cost: 0.01 of the training rows is "
            f"{0.01 / costs.scale:.3g} per row."
        ]


class TreePath(_TargetSizes):
    """The prunings of a fitted tree with the fewest training errors, for every number of leaves.

    Sizes that no pruning has, or that save no error, are left out. Errors are weights of rows.

    Attributes
    ----------
    size : {"leaves", "nodes"}
        What the sizes count.
    sizes : ndarray of int
        The numbers of leaves (or nodes), ascending from 1.
    training_errors : ndarray of float
        The training errors of the prunings.
    validation_errors : ndarray of float or None
        The errors of the same prunings on the held-out rows, if any were given.
    srm_scores : ndarray of float
        The criterion of structural risk minimisation: training error rate + sqrt(size / m), for a
        training weight of m.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from polytomy import TreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> path = TreeClassifier(max_leaves=None).fit(X, y).pruning_path()
    >>> path.sizes[:4].tolist(), path.training_errors[:4].tolist()
    ([1, 2, 3, 4], [100.0, 50.0, 6.0, 4.0])
    >>> path.select("srm").n_leaves_
    3
    """

    def __init__(self, path: PruningPath, held: HeldOut | None, estimator: Any) -> None:
        super().__init__(estimator, held)
        self._path, self.size = path, path.size
        self.sizes: IntArray = path.sizes
        self.training_errors: FloatArray = path.training_errors
        self.validation_errors: FloatArray | None = path.validation_errors

    @property
    def srm_scores(self) -> FloatArray:
        """Training error rate + sqrt(size / m) of each pruning."""
        return self._path.srm_scores()

    def at(self, k: int) -> Any:
        """Return the estimator with the best pruning of at most ``k`` leaves, or nodes.

        Parameters
        ----------
        k : int
            The maximum size.

        Returns
        -------
        TreeClassifier or TreeRegressor
            The pruned estimator.
        """
        self._path.nodes_at(k)  # raises an error for a bad k
        return self._estimator.prune(ErrorBudget(select=int(k), size=self.size))

    def for_errors(self, errors: float) -> Any:
        """Return the estimator with the smallest tree that has at most ``errors`` training errors.

        Parameters
        ----------
        errors : float
            The maximum weight of misclassified training rows; for a regressor, the maximum squared
            error (or half deviance) of all training rows.

        Returns
        -------
        TreeClassifier or TreeRegressor
            The pruned estimator.
        """
        return self.at(self._path.for_errors(errors))

    def select(
        self,
        how: str | None = None,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        *,
        sensitivity: float | None = None,
        specificity: float | None = None,
        of: Any = None,
    ) -> Any:
        """Return the estimator that a criterion chooses; the smaller tree on a tie.

        Parameters
        ----------
        how : {"holdout", "srm", "cv"} or None, default=None
            ``"holdout"``: the fewest errors on the held-out rows of the path. ``"srm"``: the least
            of ``srm_scores``. ``"cv"``: cross-validation with the one-standard-error rule, which
            needs the training rows. None: the smallest tree that keeps the floors below; one that
            predicts a single class only if no other does.
        X : array or data frame, default=None
            The rows passed to ``fit``, for ``"cv"``.
        y : array, default=None
            The classes passed to ``fit``, for ``"cv"``.
        sample_weight : array, default=None
            The weights passed to ``fit``, for ``"cv"``.
        sensitivity : float or None, default=None
            The least share of the held-out rows of the class ``of`` that is predicted as such.
        specificity : float or None, default=None
            The least share of the other held-out rows that is not predicted as the class ``of``.
        of : Any, default=None
            The class that ``sensitivity`` and ``specificity`` are about.

        Returns
        -------
        TreeClassifier or TreeRegressor
            The pruned estimator. If floors chose it, its attribute ``selection_`` holds the rates
            that were found, with their intervals.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> from sklearn.model_selection import train_test_split
        >>> from polytomy import TreeClassifier
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> X, X_val, y, y_val = train_test_split(X, y, random_state=0, stratify=y)
        >>> clf = TreeClassifier(cost_matrix=[[0, 20], [1, 0]]).fit(X, y)
        >>> chosen = clf.pruning_path(X_val, y_val).select(sensitivity=0.9, of=0)
        >>> print(chosen.n_leaves_, chosen.selection_.rates[0])
        2 sensitivity 0.925 [0.821-0.970] on 53 held-out cases, at least 0.9
        """
        floors = {"sensitivity": sensitivity, "specificity": specificity}
        if check_floors(how, floors, of, "'holdout', 'srm' or 'cv'"):
            size, rates = self._floor_choice(self._path, of, floors)
            return with_selection(self.at(size), of, rates)
        if how not in ("holdout", "srm", "cv"):
            raise ParameterError(f"select must be 'holdout', 'srm' or 'cv', got {how!r}")
        if how == "cv":
            most = int(self.sizes[-1])
            budget = ErrorBudget(select="cv", max_size=most, size=self.size)
            return self._estimator.prune(budget, X=X, y=y, sample_weight=sample_weight)
        return self.at(self._path.select(how))

    def choices(self) -> dict[str, int]:
        """Return the sizes chosen by the criteria that need no further rows.

        Returns
        -------
        dict
            From ``"srm"``, and ``"holdout"`` if there are held-out rows, to a size.
        """
        chosen = {"srm": self._path.select("srm")}
        if self.validation_errors is not None:
            chosen["holdout"] = self._path.select("holdout")
        return chosen

    def to_frame(self) -> Any:
        """Return the path as a data frame.

        Returns
        -------
        DataFrame
            A frame of pandas, polars or pyarrow, whichever is installed.
        """
        return self._frame({"srm_score": self.srm_scores})

    def facts(self, X: Any = None, y: Any = None, sample_weight: Any = None) -> dict[str, Any]:
        """Return the error rates and the chosen sizes, for plotting.

        Parameters
        ----------
        X : array or data frame, default=None
            The rows passed to ``fit``, to add the choice of cross-validation.
        y : array, default=None
            The classes passed to ``fit``.
        sample_weight : array, default=None
            The weights passed to ``fit``.

        Returns
        -------
        dict
            ``leaves``, ``training_error``, ``validation_error``, ``loss`` (what the errors are) and
            ``choices``.
        """
        choices = self.choices()
        if X is not None:
            kept = self.select("cv", X, y, sample_weight)._model.kept
            choices["cv"] = kept.n_leaves if self.size == "leaves" else kept.n_nodes
        return {"leaves": self.sizes, **self._rates(), "loss": self._loss, "choices": choices}

    def __str__(self) -> str:
        chosen: dict[int, list[str]] = {}
        for how, size in self.choices().items():
            chosen.setdefault(size, []).append(how)
        marks = {size: ", ".join(names) for size, names in chosen.items()}
        return self._text({"SRM score": (self.srm_scores, 12, 4)}, marks)


class PricedTreePath(_TargetSizes):
    """The prunings of a fitted tree with the least cost, for every number of leaves.

    Errors and questions are those of the cheapest pruning of each size, so neither needs to fall
    with the size.

    Attributes
    ----------
    sizes : ndarray of int
        The numbers of leaves, ascending from 1.
    costs : ndarray of float
        The cost of each pruning, with the prices of its leaves, as a fraction of the weight.
    training_errors : ndarray of float
        The weight of the misclassified training rows.
    questions : ndarray of float
        The mean number of questions asked of a training row.
    validation_errors : ndarray of float or None
        The errors on the held-out rows, if any were given.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from polytomy import TreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> path = TreeClassifier(max_leaves=None).fit(X, y).pruning_path(merge=True)
    >>> path.sizes[:4].tolist(), path.training_errors[:4].tolist()
    ([1, 2, 3, 4], [100.0, 50.0, 6.0, 4.0])
    >>> path.questions[:4].round(2).tolist()
    [0.0, 1.0, 1.67, 2.03]
    """

    def __init__(self, path: PricedPath, held: HeldOut | None, estimator: Any) -> None:
        tree = estimator._model.grown
        super().__init__(estimator, held)
        self._path = path
        self._scale = float(tree.errors[0]) if tree.is_numeric else self._weight
        figures = path.figures(None if held is None else held.counts)
        self.sizes: IntArray = path.sizes
        self.costs: FloatArray = path.totals / self._weight
        self.training_errors: FloatArray = figures.training_errors
        self.questions: FloatArray = figures.questions / self._weight
        self.validation_errors: FloatArray | None = figures.validation_errors

    def __repr__(self) -> str:
        return f"<priced pruning path of {len(self)} sizes, from 1 to {self.sizes[-1]} leaves>"

    def at(self, k: int) -> Any:
        """Return the estimator with the cheapest pruning of at most ``k`` leaves.

        Parameters
        ----------
        k : int
            The maximum number of leaves.

        Returns
        -------
        TreeClassifier or TreeRegressor
            The pruned estimator.
        """
        return self._with_pruning(self._path.at(k), int(k))

    def for_errors(self, errors: float) -> Any:
        """Return the estimator with the smallest tree that has at most ``errors`` training errors.

        Parameters
        ----------
        errors : float
            The maximum weight of misclassified training rows; for a regressor, the maximum squared
            error (or half deviance) of all training rows.

        Returns
        -------
        TreeClassifier or TreeRegressor
            The pruned estimator.
        """
        check_not_negative("errors", errors)
        enough = self.training_errors <= float(errors) + TIE * self._scale
        if not enough.any():
            raise ParameterError(
                f"no pruning on the path has at most {errors:g} training errors, the fewest are "
                f"{self.training_errors.min():g}"
            )
        return self._exactly(int(np.argmax(enough)))

    def select(
        self,
        how: str | None = None,
        *,
        sensitivity: float | None = None,
        specificity: float | None = None,
        of: Any = None,
    ) -> Any:
        """Return the estimator that a criterion chooses; the smaller tree on a tie.

        Parameters
        ----------
        how : {"cost", "holdout"} or None, default=None
            The least cost, or the fewest errors on the held-out rows of the path. None: the
            smallest tree that keeps the floors below; one that predicts a single class only if no
            other does.
        sensitivity : float or None, default=None
            The least share of the held-out rows of the class ``of`` that is predicted as such.
        specificity : float or None, default=None
            The least share of the other held-out rows that is not predicted as the class ``of``.
        of : Any, default=None
            The class that ``sensitivity`` and ``specificity`` are about.

        Returns
        -------
        TreeClassifier or TreeRegressor
            The pruned estimator. If floors chose it, its attribute ``selection_`` holds the rates
            that were found, with their intervals.
        """
        floors = {"sensitivity": sensitivity, "specificity": specificity}
        if check_floors(how, floors, of, "'cost' or 'holdout'"):
            size, rates = self._floor_choice(self._path, of, floors)
            return with_selection(self._with_pruning(self._path.exactly(size), size), of, rates)
        if how == "cost":
            return self._exactly(int(np.searchsorted(self.sizes, self._path.best_size())))
        if how != "holdout":
            raise ParameterError(f"select must be 'cost' or 'holdout', got {how!r}")
        if self.validation_errors is None:
            raise ParameterError("select('holdout') needs a path with held-out rows")
        return self._exactly(int(np.argmin(self.validation_errors)))

    def _exactly(self, which: int) -> Any:
        size = int(self.sizes[which])
        return self._with_pruning(self._path.exactly(size), size)

    def _with_pruning(self, tree: Tree, size: int) -> Any:
        """Return the estimator with a pruning of at most ``size`` leaves.

        Its certificate bounds the error of the pruning only if the run's own tree of that size
        costs at least as much. It may cost less if branches were not merged, or if the size was
        not chosen by its cost.
        """
        model, prices = self._estimator._model, self._path.prices
        own = overgrown(model.run, model.grown, size)[1]
        limit = tree_cost(contract(own) if model.contracted else own, model.run.index, prices)
        pruning = Pruning(tree, TWO_PRICES, size, prices)
        if tree_cost(tree, model.run.index, prices) > limit + TIE * max(limit, self._scale):
            pruning = Pruning(tree, TWO_PRICES)
        return self._estimator._with_pruning(pruning)

    def to_frame(self) -> Any:
        """Return the path as a data frame.

        Returns
        -------
        DataFrame
            A frame of pandas, polars or pyarrow, whichever is installed.
        """
        return self._frame({"questions": self.questions, "cost": self.costs})

    def facts(self) -> dict[str, Any]:
        """Return the error rates, the questions and the chosen size, for plotting.

        Returns
        -------
        dict
            ``leaves``, ``training_error``, ``validation_error``, ``loss`` (what the errors are),
            ``questions`` and ``choices``.
        """
        return {
            "leaves": self.sizes,
            **self._rates(),
            "loss": self._loss,
            "questions": self.questions,
            "choices": {"cost": self._path.best_size()},
        }

    def __str__(self) -> str:
        others = {"questions": (self.questions, 12, 2), "cost": (self.costs, 10, 4)}
        return self._text(others, {self._path.best_size(): "least cost"})


def weight_of(tree: Tree, counts: FloatArray) -> float:
    """Return the weight of all rows, given the counts or moments at the nodes of a tree."""
    return float(counts[0, 0] if tree.is_numeric else counts[0].sum())
