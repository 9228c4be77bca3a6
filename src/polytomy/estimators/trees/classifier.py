"""TreeClassifier: a decision tree with as many branches per node as the data justify."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from polytomy._errors import ParameterError
from polytomy._numbers import is_real
from polytomy._types import AnyArray, FloatArray
from polytomy.costs import frame_as_pairs
from polytomy.estimators.base.files import stored_as
from polytomy.estimators.base.models import ClassTarget
from polytomy.estimators.base.parameters import (
    check_common_parameters,
    check_flag,
    document_parameters,
    grow_params,
)
from polytomy.estimators.fitting.plan import plan_growth
from polytomy.export import class_shares
from polytomy.grow import GrowParams
from polytomy.model import Model
from polytomy.optimal import Optimality
from polytomy.predict import apply

from .optimality import optimality_of
from .single_tree import SingleTree
from .split_table import SplitTable, split_table


@stored_as("tree")
@document_parameters
class TreeClassifier(SingleTree, ClassTarget):
    """A decision tree with as many branches per node as the data justify.

    Parameters
    ----------
    max_leaves : int, None or "cv"
        The maximum number of leaves. None grows until no leaf can be split. ``"cv"`` chooses by
        cross-validation among the best prunings of a tree of up to 1,024 leaves.
    effort : {"fast", "balanced", "thorough"}
        How much time to spend on a better tree of the same size. ``"fast"`` has a quick teacher, a
        quick search and polishing, on tables of up to 8,000 rows; ``"balanced"`` has a teacher and
        polishes the splits; ``"thorough"`` also searches.
    teacher : None, False, "forest", "boosted", "forest+boosted", estimator or Teacher
        A model whose forecasts replace part of the labels that the tree is grown on; see
        ``polytomy.Teacher``. None takes that of ``effort``: for ``"fast"`` a forest of 40 trees, if
        it errs less than single trees. False has none. What the tree shows and promises is that of
        the rows with their labels.
    search : None, 0, 1, 2 or (beam, depth)
        Search beyond the best split of the first nodes, and polish the tree: 1 tries 6 splits at
        the root, 2 also 3 at each child; a beam and a depth set both. None takes that of
        ``effort``: ``"thorough"`` searches four levels, and ``"fast"`` three in a quicker way, on
        tables of up to 8,000 rows; a search set here has no quick teacher. 0 is none. For
        ``"priced"`` only. Ctrl-C ends the search and
        keeps the best tree so far; it ends the whole fit if ``search`` is None and ``effort`` is
        ``"fast"``.
    time_limit : float or None
        The number of seconds after which the search tries no further split and keeps the best tree
        so far. None sets no limit. The tree may then depend on the speed of the machine.
    index : {"auto", "gini", "entropy", "sqrt", "error"} or callable
        The impurity measure. A callable maps arrays of class counts, with classes on the last axis,
        to values. ``"auto"`` is ``"entropy"`` for ``"id3"`` and ``"gain-ratio"``, else ``"gini"``.
    question_price : float or None
        For ``"priced"``: what one more question for every row must save, as a fraction of what the
        tree saves in all, at least 0. Larger values give wider trees with fewer questions. None is
        ``0.03 + 0.9 / max(max_leaves, 8)`` for the effort ``"fast"``: 0.1425 up to 8 leaves, 0.086
        for 16, 0.058 for 32; with its quick teacher 0.55 takes the place of 0.9, which is 0.0988,
        0.064 and 0.047. It is 0.08 with ``"cv"``, and 0.05 for the other efforts.
    branch_price : float or None
        For ``"priced"``: how many times the worth of the budget's last leaf a further branch of a
        wide split must gain, at least 0. None is 1 where the effort ``"fast"`` searches on the
        labels, else 2.
    scoring : {"error", "log_loss", "roc_auc"}, str or callable
        What ``max_leaves="cv"`` chooses the number of leaves by: one of these, the name of a scorer
        of scikit-learn, or a scorer.
    honest : bool
        Learn by cross-fitting how far the class shares at leaves hold for new rows. Then shares are
        shrunk towards those of the nodes above, and their intervals are widened, accordingly.
        ``predict_proba`` returns these shares, and text, rules, plots and reports show them beside
        those of the training rows. If False, all show the shares of the training rows.
    smoothing : float
        A weight that is added to each class of a leaf in ``predict_proba``, at least 0. For
        ``honest=False`` only.
    overgrow : float
        Grow ``overgrow * max_leaves`` leaves, then keep the pruning of ``max_leaves`` leaves with
        the fewest training errors; with ``"priced"`` the one with the least cost, and 1 grows
        ``2 * max_leaves + 16``. Not for ``"hatano"`` and ``"mansour-mcallester"``.
    contract : bool
        Merge a node with those of its children that split on the same column. It can then have more
        than ``max_arity`` branches.
    pruner : None, str or pruner
        How to prune the grown tree: ``"reduced-error"``, ``"conservative"``, ``"chi-square"``,
        ``"error-budget"``, ``"cost-complexity"``, ``"pessimistic"``, or an object from
        ``polytomy.prune``. None does not prune.
    random_state : int, RandomState or None
        The random seed for holding out rows for a pruner, for folds and for a teacher. None gives
        other rows in every fit, except that honest leaves have fixed folds and a teacher a fixed
        seed then. Growing a tree is not random; the quick teacher always draws the same halves.
    verbose : int
        1 prints a line at the end of the fit, 2 a line for every split.

    Attributes
    ----------
    classes_ : ndarray
        The classes in ascending order.
    tree_ : Tree
        The tree that predicts. ``apply`` returns its node numbers.
    origin_ : Origin or None
        How the tree was found, if a teacher, a search, polishing or edits by hand took part. None
        for the quick teacher, the search and the polishing of the default; the certificate names
        and covers them.
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
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> clf = TreeClassifier(max_leaves=4).fit(X, y)
    >>> clf.n_leaves_, round(clf.score(X, y), 3)
    (3, 0.96)
    """

    _model: Model

    def __init__(
        self,
        max_leaves: int | str | None = 32,
        *,
        effort: str = "fast",
        teacher: Any = None,
        search: Any = None,
        time_limit: float | None = None,
        procedure: str = "priced",
        question_price: float | None = None,
        branch_price: float | None = None,
        scoring: Any = "error",
        gamma: float | None = None,
        index: Any = "auto",
        leaf_order: str = "auto",
        families: Any = "auto",
        max_arity: int = 8,
        max_depth: int | None = None,
        min_samples_split: int = 2,
        min_samples_leaf: int = 1,
        min_weight_fraction_leaf: float = 0.0,
        min_gain: float = 0.0,
        honest: bool = True,
        smoothing: float = 0.0,
        overgrow: float = 1.0,
        contract: bool = True,
        pruner: Any = None,
        class_weight: Any = None,
        cost_matrix: Any = None,
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
        self.effort = effort
        self.teacher = teacher
        self.search = search
        self.time_limit = time_limit
        self.procedure = procedure
        self.question_price = question_price
        self.branch_price = branch_price
        self.scoring = scoring
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
        self.honest = honest
        self.smoothing = smoothing
        self.overgrow = overgrow
        self.contract = contract
        self.pruner = pruner
        self.class_weight = class_weight
        self.cost_matrix = cost_matrix
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

    def predict(self, X: Any) -> AnyArray:
        """Return the class with the largest training weight in the leaf of each row.

        With ``cost_matrix``, it is the class of least cost.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_columns), or lazy table
            The rows.

        Returns
        -------
        ndarray of shape (n_rows,)
            The predicted classes.
        """
        leaves = self.apply(X)
        class_of_node = np.asarray(self.classes_[self.tree_.label])
        return np.asarray(class_of_node[leaves])

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the class shares to expect of new rows in the leaf of each row.

        These are shares of rows, or of their case weights; ``class_weight`` does not change them.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_columns), or lazy table
            The rows.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            The probabilities, with classes in the order of ``classes_``.
        """
        leaves = self.apply(X)
        return class_shares(self._model, self.smoothing)[leaves]

    def cost(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return the mean cost of the predictions for rows, by ``cost_matrix``.

        For scikit-learn's model selection, ``lambda clf, X, y: -clf.cost(X, y)`` is a scorer.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_columns), or lazy table
            The rows.
        y : array of shape (n_rows,) or str, default=None
            The classes; for a lazy table, the name of a column, or None for the target of a scan.
        sample_weight : array of shape (n_rows,) or str, default=None
            The weights of the rows; class weights do not count.

        Returns
        -------
        float
            The mean cost of a row. Without ``cost_matrix`` it is the error rate.

        Examples
        --------
        >>> from sklearn.datasets import load_breast_cancer
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> clf = TreeClassifier(8, cost_matrix={(0, 1): 20}).fit(X, y)
        >>> round(clf.cost(X, y), 3), round(1 - clf.score(X, y), 3)
        (0.097, 0.097)
        """
        costs = self._fitted_model().costs
        rows = self._read_rows(X, y, sample_weight, class_weight=False)
        leaves = apply(self.tree_, self._model.schema, rows.table, self._threads())
        said = self.tree_.label[leaves]
        wrong = said != rows.labels if costs is None else costs.matrix[rows.labels, said]
        return float(np.average(wrong, weights=rows.weights))

    def optimality(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        time_limit: float = 10.0,
        max_leaves: int | None = None,
    ) -> Optimality:
        """Return how far the training error is from that of the best tree of the same size.

        Branch and bound proves that no tree with as many leaves has a smaller error than the bound,
        whatever its splits: ranges of the same bins of ordered columns, groups of categories,
        missing cells in any branch. The bound only grows with time, and is exact for small tables
        and sizes. Rows are needed again because a model holds counts of its own nodes only.

        A tree of multi-way splits is a tree of binary splits with the same leaves, so the bound
        holds for any arity. It ignores what else restricts a tree, such as ``min_samples_leaf``: it
        holds, but the best tree within the restriction may have a larger error. The result lists
        these parameters as ``relaxed``.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_columns), or lazy table
            The rows passed to ``fit``.
        y : array of shape (n_rows,) or str, default=None
            The classes passed to ``fit``; for a lazy table, the name of a column, or None for the
            target of a scan.
        sample_weight : array of shape (n_rows,), default=None
            The weights passed to ``fit``.
        time_limit : float, default=10.0
            The time for the search, in seconds. ``inf`` searches until the best error is known.
        max_leaves : int or None, default=None
            Compare with trees of at most this many leaves: at least as many as the tree has, at
            most 64. None takes the number of leaves of the tree; if that exceeds 64, only the
            unavoidable error is counted.

        Returns
        -------
        Optimality
            The error of the tree, the bound, and the smallest error known to be possible.
            Printed, it is a sentence.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> clf = TreeClassifier(max_leaves=4).fit(X, y)
        >>> print(clf.optimality(X, y))
        3 leaves, 4.0 %; no such tree does better
        >>> print(clf.optimality(X, y, max_leaves=5))
        5 leaves, 4.0 %; the best such tree has 1.3 %
        """
        self._fitted_model()
        rows = self._rows_of_fit(X, y, sample_weight)
        if rows is None:
            raise ParameterError("optimality needs the training rows: pass X and y")
        return optimality_of(
            self._model,
            rows,
            self._fit_record.params,
            (max_leaves, time_limit),
            self._threads(),
        )

    def split_table(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, node: int = 0
    ) -> SplitTable:
        """Return the information gain of every column at a node: its best split of each arity.

        Splits are those of the families and limits of the fit, chosen by information gain,
        whatever the ``index`` of the tree. Rows are needed again because a model holds counts of
        its own splits only.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_columns), or lazy table
            The rows passed to ``fit``.
        y : array of shape (n_rows,) or str, default=None
            The classes passed to ``fit``; for a lazy table, the name of a column, or None for the
            target of a scan.
        sample_weight : array of shape (n_rows,), default=None
            The weights passed to ``fit``.
        node : int, default=0
            A node of ``tree_``; 0 is the root.

        Returns
        -------
        SplitTable
            A sequence of splits that can be printed, the column with the largest gain first: the
            column, the number of branches, the split in words, its gain in bits, as a share of the
            node's entropy and divided by the entropy of the branches, its p-value, plain and
            adjusted for the choice of the split, and whether the tree has it. ``to_frame()``
            returns a data frame. A column that gains nothing has one line with 1 branch.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> clf = TreeClassifier(procedure="id3").fit(X, y)
        >>> for split in clf.split_table(X, y)[:2]:
        ...     print(split.column, split.split, round(split.gain, 3), split.chosen)
        petal length (cm) <= 2.45 | > 2.45 0.918 True
        petal width (cm) <= 0.8 | > 0.8 0.918 False
        """
        self._fitted_model()
        rows = self._rows_of_fit(X, y, sample_weight)
        if rows is None:
            raise ParameterError("split_table needs the training rows: pass X and y")
        return split_table(self._model, rows, self._fit_record.params, node, self._threads())

    def _grow_params(self, max_leaves: Any) -> GrowParams:
        """Return the growth parameters of a run, checked."""
        smoothing: Any = self.smoothing
        if not is_real(smoothing) or not 0 <= float(smoothing) < np.inf:
            raise ParameterError(
                f"smoothing must be a number of at least 0, got {self.smoothing!r}"
            )
        return grow_params(self, max_leaves=max_leaves)

    def _saved_parameters(self) -> dict[str, Any]:
        parameters = super()._saved_parameters()
        costs = frame_as_pairs(parameters["cost_matrix"])
        if costs is not None and not isinstance(costs, Mapping):
            costs = np.asarray(costs, dtype=np.float64).tolist()
        parameters["cost_matrix"] = costs
        return parameters

    def _smoothing(self) -> float:
        return float(self.smoothing)

    def _check_parameters(self) -> None:
        plan = plan_growth(self)
        self._grow_params(plan.max_leaves)
        check_flag("contract", self.contract)
        check_flag("honest", self.honest)
        if not isinstance(self.index, str):
            raise ParameterError("index must be the name of an index: a model file holds no code")
        if not isinstance(self.scoring, str):
            raise ParameterError("scoring must be the name of a scorer: a model file holds no code")
        check_common_parameters(self)
