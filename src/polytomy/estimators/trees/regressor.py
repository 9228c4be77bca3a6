"""TreeRegressor: a regression tree with as many branches per node as the data justify."""

from typing import Any

import numpy as np

from polytomy._errors import ParameterError
from polytomy._types import FloatArray
from polytomy.estimators.base.files import stored_as
from polytomy.estimators.base.models import NumberTarget
from polytomy.estimators.base.parameters import (
    check_common_parameters,
    check_flag,
    document_parameters,
    grow_params,
)
from polytomy.estimators.fitting.plan import plan_growth
from polytomy.grow import GrowParams
from polytomy.index import resolve_numeric
from polytomy.model import Model

from .single_tree import SingleTree


@stored_as("regression-tree")
@document_parameters
class TreeRegressor(SingleTree, NumberTarget):
    """A regression tree with as many branches per node as the data justify.

    Parameters
    ----------
    max_leaves : int, None or "cv"
        The maximum number of leaves. None grows until no leaf can be split. ``"cv"`` chooses by
        cross-validation among the best prunings of a tree of up to 1,024 leaves.
    criterion : {"squared_error", "poisson"}
        What splits reduce: the sum of squared deviations from the mean, or the Poisson deviance,
        which is for counts and other numbers of at least 0.
    effort : {"fast", "balanced", "thorough"}
        How much time to spend on a better tree of the same size. ``"fast"`` grows it on the labels;
        ``"balanced"`` has a teacher and polishes the splits; ``"thorough"`` also searches.
    teacher : None, False, "forest", estimator or Teacher
        A model whose forecasts replace part of the labels that the tree is grown on; see
        ``polytomy.Teacher``. None takes that of ``effort``, False has none. What the tree shows and
        promises is that of the rows with their labels.
    search : None, 0, 1, 2 or (beam, depth)
        Search beyond the best split of the first nodes, and polish the tree: 1 tries 6 splits at
        the root, 2 also 3 at each child; a beam and a depth set both. None takes that of
        ``effort``, 0 is none. For ``"priced"`` only. Ctrl-C ends the search and keeps the best tree
        so far.
    time_limit : float or None
        The number of seconds after which the search tries no further split and keeps the best tree
        so far. None sets no limit. The tree may then depend on the speed of the machine.
    question_price : float or None
        For ``"priced"``: what one more question for every row must save, as a fraction of what the
        tree saves in all, at least 0. Larger values give wider trees with fewer questions. None is
        0.08 for the effort ``"fast"`` and 0.05 for the others.
    branch_price : float or None
        For ``"priced"``: how many times the worth of the budget's last leaf a further branch of a
        wide split must gain, at least 0. None is 2.
    scoring : "squared_error", str or callable
        What ``max_leaves="cv"`` chooses the number of leaves by: the squared error, the name of a
        scorer of scikit-learn, or a scorer.
    honest : bool
        Learn by cross-fitting how far the means at leaves hold for new rows. Then means are shrunk
        towards those of the nodes above, and their intervals are widened, accordingly. ``predict``
        returns these means, and text, rules, plots and reports show them beside those of the
        training rows.
    overgrow : float
        Grow this many times ``max_leaves``, then keep the best pruning of ``max_leaves`` leaves.
        For ``"priced"``, 1 grows more leaves than the budget in any case.
    contract : bool
        Merge a node with those of its children that split on the same column. It can then have more
        than ``max_arity`` branches.
    pruner : str, pruner or None
        Prune the grown tree: ``"reduced-error"``, ``"error-budget"``, ``"cost-complexity"``, or an
        object from ``polytomy.prune``. They count squared errors.
    random_state : int, RandomState or None
        The seed for held-out rows, folds and a teacher, whose seed is fixed if it is None.
    verbose : int
        1 prints the size of the tree, 2 also every split.

    Attributes
    ----------
    tree_ : Tree
        The tree that predicts. ``apply`` returns its node numbers.
    origin_ : Origin or None
        How the tree was found, if a teacher, a search, polishing or edits by hand took part.
    certificate_ : Certificate
        The theorem that covers the run, its gamma, and the bound that follows.
    n_leaves_ : int
        The number of leaves.
    depth_ : int
        The depth: the maximum number of splits on a path.
    n_questions_ : float
        The mean number of splits on the path of a training row.
    feature_importances_ : ndarray
        The fraction of the total gain that each column contributes.
    held_out_ : ndarray of int or None
        The rows passed to ``fit`` that were held out for a pruner.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : ndarray of str
        The names of the columns, if ``fit`` was given a data frame.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> reg = TreeRegressor(max_leaves=8).fit(X, y)
    >>> reg.n_leaves_, round(reg.score(X, y), 2)
    (8, 0.49)
    """

    _model: Model

    def __init__(
        self,
        max_leaves: int | str | None = 32,
        *,
        criterion: str = "squared_error",
        effort: str = "fast",
        teacher: Any = None,
        search: Any = None,
        time_limit: float | None = None,
        procedure: str = "priced",
        question_price: float | None = None,
        branch_price: float | None = 2.0,
        scoring: Any = "squared_error",
        gamma: float | None = None,
        leaf_order: str = "auto",
        families: Any = "auto",
        max_arity: int = 8,
        max_depth: int | None = None,
        min_samples_split: int = 2,
        min_samples_leaf: int = 1,
        min_weight_fraction_leaf: float = 0.0,
        min_gain: float = 0.0,
        honest: bool = True,
        overgrow: float = 1.0,
        contract: bool = True,
        pruner: Any = None,
        monotonic_cst: Any = None,
        never_ask: Any = None,
        columns_first: Any = None,
        only_after: Any = None,
        column_cost: Any = None,
        min_child_share: float = 0.0,
        min_difference: float = 0.0,
        categorical_features: Any = "from_dtype",
        max_bins: int | str = "auto",
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.max_leaves = max_leaves
        self.criterion = criterion
        self.effort = effort
        self.teacher = teacher
        self.search = search
        self.time_limit = time_limit
        self.procedure = procedure
        self.question_price = question_price
        self.branch_price = branch_price
        self.scoring = scoring
        self.gamma = gamma
        self.leaf_order = leaf_order
        self.families = families
        self.max_arity = max_arity
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_gain = min_gain
        self.honest = honest
        self.overgrow = overgrow
        self.contract = contract
        self.pruner = pruner
        self.monotonic_cst = monotonic_cst
        self.never_ask = never_ask
        self.columns_first = columns_first
        self.only_after = only_after
        self.column_cost = column_cost
        self.min_child_share = min_child_share
        self.min_difference = min_difference
        self.categorical_features = categorical_features
        self.max_bins = max_bins
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def predict(self, X: Any) -> FloatArray:
        """Return the mean to expect of new rows in the leaf of each row.

        The honest mean or, with ``honest=False``, that of the training rows.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_columns), or lazy table
            The rows.

        Returns
        -------
        ndarray of shape (n_rows,)
            The predicted numbers.
        """
        leaves = self.apply(X)
        return np.asarray(self._model.node_means.expected[leaves])

    def predict_interval(self, X: Any) -> FloatArray:
        """Return the 95 % interval of the mean in the leaf of each row.

        It is an interval for the mean of many new rows in that leaf, not for a single one.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_columns), or lazy table
            The rows.

        Returns
        -------
        ndarray of shape (n_rows, 2)
            The ends of the intervals.

        Examples
        --------
        >>> reg = TreeRegressor(max_leaves=2).fit([[1], [2], [3], [4]], [0.0, 0.0, 1.0, 1.0])
        >>> reg.predict_interval([[1]]).shape
        (1, 2)
        """
        means, leaves = self._fitted_model().node_means, self.apply(X)
        return np.column_stack([means.low[leaves], means.high[leaves]])

    def _grow_params(self, max_leaves: Any) -> GrowParams:
        return grow_params(self, index=resolve_numeric(self.criterion).name, max_leaves=max_leaves)

    def _fitted_criterion(self) -> str:
        return str(self._fitted_model().run.index.name)

    def _check_parameters(self) -> None:
        plan = plan_growth(self)
        self._grow_params(plan.max_leaves)
        check_flag("contract", self.contract)
        check_flag("honest", self.honest)
        if not isinstance(self.scoring, str):
            raise ParameterError("scoring must be the name of a scorer: a model file holds no code")
        check_common_parameters(self)
