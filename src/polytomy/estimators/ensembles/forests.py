"""ForestClassifier and ForestRegressor: many trees on random rows and columns, averaged."""

from typing import Any

import numpy as np

from polytomy._errors import ParameterError
from polytomy._types import AnyArray, FloatArray
from polytomy.ensemble import mean_shares
from polytomy.estimators.base.files import stored_as
from polytomy.estimators.base.models import ClassTarget, NumberTarget
from polytomy.estimators.base.parameters import document_parameters
from polytomy.estimators.trees.classifier import TreeClassifier
from polytomy.estimators.trees.regressor import TreeRegressor
from polytomy.grow import GrowParams
from polytomy.index import resolve_numeric

from .base_forest import Forest


@stored_as("forest")
@document_parameters
class ForestClassifier(Forest, ClassTarget):
    """A forest: many trees, each grown on random rows, whose class shares are averaged.

    Every tree is grown on a bootstrap sample of the rows, and every node chooses its split among a
    few columns drawn at random. The rows that a tree has not seen estimate the error of the forest
    on new rows, without holding any out.

    Parameters
    ----------
    n_estimators : int
        The number of trees.
    max_leaves : int or None
        The maximum number of leaves of each tree; None sets no limit.
    max_features : int, float, "sqrt", "log2" or None
        The number of columns that each node draws: a number, a fraction of the columns, their
        square root or logarithm, or all of them (None). If none of these columns can split the
        node, it draws further columns until one can. Families of your own are asked at every node.
    bootstrap : bool
        Draw the rows of each tree with replacement. A weight is a number of cases, each of which
        is drawn on its own.
    max_samples : int, float or None
        The number of rows to draw for each tree, or a fraction of them. None draws as many as
        there are; with ``bootstrap=False``, every tree then has all rows.
    oob_score : bool
        Compute the out-of-bag probabilities and error.
    index : str or callable
        The impurity measure: ``"gini"``, ``"entropy"``, ``"sqrt"``, ``"error"``, or a function.
        ``"auto"`` is ``"entropy"`` for ``"id3"`` and ``"gain-ratio"``, else ``"gini"``.
    warm_start : bool
        Keep the existing trees, and add to them up to ``n_estimators``, if ``fit`` is called again
        with the same rows.
    verbose : int
        1 shows a progress bar on a terminal and prints some lines elsewhere, 2 prints a line for
        every tree.
    random_state : int, RandomState or None
        The random seed. None is 0. A forest depends neither on the order of its rows nor on
        ``n_jobs``.

    Attributes
    ----------
    classes_ : ndarray
        The classes in ascending order.
    ensemble_ : Ensemble
        The trees that vote.
    estimators_ : list of TreeClassifier
        The trees as single classifiers; ``forest[3]`` is the fourth of them.
    oob_error_ : float
        The weighted error on the training rows, each classified by the trees that were grown
        without it. NaN if no row is out of bag.
    oob_score_ : float
        1 - ``oob_error_``.
    oob_decision_function_ : ndarray of shape (n_rows, n_classes)
        The out-of-bag probabilities of the rows passed to ``fit``; NaN for rows that are in every
        bag or have the weight 0. Not in a model file.
    oob_errors_ : dict of int to float
        The out-of-bag error after 1, 2, 5, 10, 20, ... trees.
    feature_importances_ : ndarray
        The fraction of the gain that each column contributes, as a mean over the trees.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : ndarray of str
        The names of the columns, if ``fit`` was given a data frame.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = ForestClassifier(50).fit(X, y)
    >>> 0.03 < forest.oob_error_ < 0.07
    True
    >>> forest.predict(X[:3])
    array([0, 0, 0])
    """

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        max_leaves: int | None = None,
        max_features: Any = "sqrt",
        bootstrap: bool = True,
        max_samples: Any = None,
        oob_score: bool = True,
        procedure: str = "per-leaf",
        gamma: float | None = None,
        index: Any = "auto",
        leaf_order: str = "auto",
        families: Any = "auto",
        max_arity: int = 2,
        max_depth: int | None = None,
        min_samples_split: int = 2,
        min_samples_leaf: int = 1,
        min_weight_fraction_leaf: float = 0.0,
        min_gain: float = 0.0,
        class_weight: Any = None,
        categorical_features: Any = "from_dtype",
        max_bins: int | str = 255,
        warm_start: bool = False,
        verbose: int = 0,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.max_leaves = max_leaves
        self.max_features = max_features
        self.bootstrap = bootstrap
        self.max_samples = max_samples
        self.oob_score = oob_score
        self.procedure = procedure
        self.gamma = gamma
        self.index = index
        self.leaf_order = leaf_order
        self.families = families
        self.max_arity = max_arity
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_gain = min_gain
        self.class_weight = class_weight
        self.categorical_features = categorical_features
        self.max_bins = max_bins
        self.warm_start = warm_start
        self.verbose = verbose
        self.random_state = random_state
        self.n_jobs = n_jobs

    def predict(self, X: Any) -> AnyArray:
        """Return the class with the largest mean share for each row.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_columns)
            The rows.

        Returns
        -------
        ndarray of shape (n_rows,)
            The predicted classes.
        """
        voted = self._votes(X)
        return np.asarray(self.classes_[voted.argmax(axis=1)])

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the probability of each class: its mean share in the leaves of the trees.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_columns)
            The rows.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            The probabilities, with classes in the order of ``classes_``.
        """
        return mean_shares(self._votes(X))

    @property
    def oob_decision_function_(self) -> FloatArray:
        """The out-of-bag probabilities of the rows passed to ``fit``."""
        return self._known_oob_forecast("probabilities")

    def _growth_index(self) -> Any:
        return self.index

    def _single_tree(self, params: GrowParams, shared: dict[str, Any]) -> TreeClassifier:
        return TreeClassifier(
            params.max_leaves, index=params.index, class_weight=self.class_weight, **shared
        )

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if not isinstance(self.index, str):
            raise ParameterError("index must be the name of an index: a model file holds no code")


@stored_as("regression-forest")
@document_parameters
class ForestRegressor(Forest, NumberTarget):
    """A regression forest: many trees, each grown on random rows, whose means are averaged.

    Every tree is grown on a bootstrap sample of the rows, and every node chooses its split among a
    few columns drawn at random. The rows that a tree has not seen estimate the error of the forest
    on new rows, without holding any out.

    Parameters
    ----------
    n_estimators : int
        The number of trees.
    max_leaves : int or None
        The maximum number of leaves of each tree; None sets no limit.
    max_features : int, float, "sqrt", "log2" or None
        The number of columns that each node draws: a number, a fraction of the columns, their
        square root or logarithm, or all of them (None). If none of these columns can split the
        node, it draws further columns until one can. Families of your own are asked at every node.
    bootstrap : bool
        Draw the rows of each tree with replacement. A weight is a number of cases, each of which
        is drawn on its own.
    max_samples : int, float or None
        The number of rows to draw for each tree, or a fraction of them. None draws as many as
        there are; with ``bootstrap=False``, every tree then has all rows.
    oob_score : bool
        Compute the out-of-bag numbers and error.
    criterion : {"squared_error", "poisson"}
        What splits reduce: the sum of squared deviations from the mean, or the Poisson deviance,
        which is for counts and other numbers of at least 0.
    warm_start : bool
        Keep the existing trees, and add to them up to ``n_estimators``, if ``fit`` is called again
        with the same rows.
    verbose : int
        1 shows a progress bar on a terminal and prints some lines elsewhere, 2 prints a line for
        every tree.
    random_state : int, RandomState or None
        The random seed. None is 0. A forest depends neither on the order of its rows nor on
        ``n_jobs``.

    Attributes
    ----------
    ensemble_ : Ensemble
        The trees that vote.
    estimators_ : list of TreeRegressor
        The trees as single regressors; ``forest[3]`` is the fourth of them.
    oob_error_ : float
        The weighted mean squared error on the training rows, each predicted by the trees that were
        grown without it. NaN if no row is out of bag.
    oob_score_ : float
        R2 of the same predictions.
    oob_prediction_ : ndarray of shape (n_rows,)
        The out-of-bag predictions for the rows passed to ``fit``; NaN for rows that are in every
        bag or have the weight 0. Not in a model file.
    oob_errors_ : dict of int to float
        The out-of-bag error after 1, 2, 5, 10, 20, ... trees.
    feature_importances_ : ndarray
        The fraction of the gain that each column contributes, as a mean over the trees.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : ndarray of str
        The names of the columns, if ``fit`` was given a data frame.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> forest = ForestRegressor(50).fit(X, y)
    >>> 0.35 < forest.oob_score_ < 0.5
    True
    >>> forest.predict(X[:3]).shape
    (3,)
    """

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        max_leaves: int | None = None,
        max_features: Any = 1 / 3,
        bootstrap: bool = True,
        max_samples: Any = None,
        oob_score: bool = True,
        procedure: str = "per-leaf",
        gamma: float | None = None,
        criterion: str = "squared_error",
        leaf_order: str = "auto",
        families: Any = "auto",
        max_arity: int = 2,
        max_depth: int | None = None,
        min_samples_split: int = 2,
        min_samples_leaf: int = 1,
        min_weight_fraction_leaf: float = 0.0,
        min_gain: float = 0.0,
        categorical_features: Any = "from_dtype",
        max_bins: int | str = 255,
        warm_start: bool = False,
        verbose: int = 0,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.max_leaves = max_leaves
        self.max_features = max_features
        self.bootstrap = bootstrap
        self.max_samples = max_samples
        self.oob_score = oob_score
        self.procedure = procedure
        self.gamma = gamma
        self.criterion = criterion
        self.leaf_order = leaf_order
        self.families = families
        self.max_arity = max_arity
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_gain = min_gain
        self.categorical_features = categorical_features
        self.max_bins = max_bins
        self.warm_start = warm_start
        self.verbose = verbose
        self.random_state = random_state
        self.n_jobs = n_jobs

    def predict(self, X: Any) -> FloatArray:
        """Return the mean over the trees of the mean in the leaf of each row.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_columns)
            The rows.

        Returns
        -------
        ndarray of shape (n_rows,)
            The predicted numbers.
        """
        voted = self._votes(X)
        return self._model.mean_numbers(voted)

    @property
    def oob_prediction_(self) -> FloatArray:
        """The out-of-bag predictions for the rows passed to ``fit``."""
        return self._known_oob_forecast("predictions")

    def _growth_index(self) -> str:
        return resolve_numeric(self.criterion).name

    def _fitted_criterion(self) -> str:
        return str(self._fit_record.params.grow.index)

    def _single_tree(self, params: GrowParams, shared: dict[str, Any]) -> TreeRegressor:
        return TreeRegressor(params.max_leaves, criterion=str(params.index), **shared)
