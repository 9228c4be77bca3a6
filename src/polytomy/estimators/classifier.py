"""TreeClassifier: the estimator people meet first."""

from numbers import Real
from typing import Any, Self

import numpy as np
from joblib import effective_n_jobs
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from polytomy._errors import ParameterError
from polytomy._types import AnyArray, BranchArray, FloatArray, IntArray
from polytomy.certify import Certificate, Weighting
from polytomy.encode import encode
from polytomy.grow import GrowParams
from polytomy.model import Model
from polytomy.predict import apply
from polytomy.report.importances import importances
from polytomy.tree import Tree

from ._callbacks import Callbacks, CallbackSupportMixin, with_callbacks
from ._drawing import Drawing
from ._exporting import Exporting
from ._input import check_classes, labels_of, renamed, table_of, weights_of
from ._prunable import Prunable
from ._pruning import Growing, kept_by, plan_of
from ._reading import Reading
from ._record import run_of
from ._reporting import Reporting
from ._sample import Sample, parted
from ._unharmed import unharmed


class TreeClassifier(
    Reading,
    Exporting,
    Drawing,
    Reporting,
    Prunable,
    CallbackSupportMixin,
    ClassifierMixin,
    BaseEstimator,
):
    """A decision tree whose nodes branch as many ways as the data deserve.

    Parameters
    ----------
    max_leaves : int, None or "cv"
        The budget: at most so many leaves. None grows until nothing can be split; "cv" lets
        cross-validation choose among the best prunings of up to 1,024 leaves.
    procedure : {"per-leaf", "hatano", "mansour-mcallester", "kearns-mansour"}
        How wide a question may be and what it must gain: by the leaf (ours), or as in the papers.
    gamma : float or None
        The advantage "mansour-mcallester" counts on; refused by the others.
    index : {"gini", "entropy", "sqrt", "error"} or callable
        What a leaf weighs; a callable maps count vectors to values over the last axis.
    leaf_order : {"auto", "heaviest", "steepest"}
        Which leaf comes next: the heaviest (the published three), or the best score ("per-leaf").
    families : tuple
        What a node may ask: "intervals", "values", "groups", or objects of your own.
    max_arity : int
        The most branches of intervals and groups.
    max_depth : int or None
        The most questions on a path of the grown tree.
    min_samples_split, min_samples_leaf : int
        The fewest rows, not weight, a node must have to be split, and a child to be made.
    min_weight_fraction_leaf : float
        The least weight of a child, as a share of the sample's.
    min_gain : float
        What a split must gain, as a share of the sample's weight.
    smoothing : float
        Added to each class's weight in ``predict_proba``.
    overgrow : float
        Grow to ``overgrow * max_leaves`` leaves, then keep the pruning of ``max_leaves`` with the
        fewest training errors. For "per-leaf" and "kearns-mansour".
    contract : bool
        Merge a node with children that ask about the same column.
    pruner : None, str or pruner
        How to prune the grown tree: "reduced-error", "conservative", "chi-square", "error-budget",
        "cost-complexity", "pessimistic", or an object from ``polytomy.prune``.
    class_weight : dict, "balanced" or None
        Weights of the classes, multiplied with the rows'.
    categorical_features : "from_dtype", mask, positions or names
        Which columns are categories. By default text and unordered categories are.
    max_bins : int
        The most bins of an ordered column.
    n_jobs : int or None
        Threads, as in scikit-learn. The tree does not depend on it.
    random_state : int, RandomState or None
        For the rows a pruner keeps back, and for folds; growing draws nothing.
    verbose : int
        1 prints a line when done, 2 a line for every step.

    Attributes
    ----------
    classes_ : ndarray
        The classes, in order.
    tree_ : Tree
        The tree that predicts; ``apply`` returns its node numbers.
    certificate_ : Certificate
        Which theorem covers the run, with which gamma, and what bound follows.
    n_leaves_, depth_ : int
        Its leaves, and the most questions on a path.
    n_questions_ : float
        The mean number of questions a training row is asked.
    feature_importances_ : ndarray
        Each column's share of what all splits gained.
    held_out_ : ndarray or None
        The rows of X that a pruner kept back, by number.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> clf = TreeClassifier(max_leaves=4).fit(X, y)
    >>> clf.n_leaves_, round(clf.score(X, y), 3)
    (4, 0.973)
    """

    _model: Model
    held_out_: IntArray | None
    _class_weight: Any

    def __init__(
        self,
        max_leaves: int | str | None = 32,
        *,
        procedure: str = "per-leaf",
        gamma: float | None = None,
        index: Any = "gini",
        leaf_order: str = "auto",
        families: Any = ("intervals", "values", "groups"),
        max_arity: int = 8,
        max_depth: int | None = None,
        min_samples_split: int = 2,
        min_samples_leaf: int = 1,
        min_weight_fraction_leaf: float = 0.0,
        min_gain: float = 0.0,
        smoothing: float = 0.0,
        overgrow: float = 1.0,
        contract: bool = True,
        pruner: Any = None,
        class_weight: Any = None,
        categorical_features: Any = "from_dtype",
        max_bins: int = 255,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.max_leaves = max_leaves
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
        self.smoothing = smoothing
        self.overgrow = overgrow
        self.contract = contract
        self.pruner = pruner
        self.class_weight = class_weight
        self.categorical_features = categorical_features
        self.max_bins = max_bins
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @with_callbacks  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow a tree on a table and its labels.

        Parameters
        ----------
        X : array or data frame of shape (rows, columns)
            Numbers, text, categories, dates; cells may be missing.
        y : array of shape (rows,)
            The classes: numbers or text, none missing.
        sample_weight : array of shape (rows,), optional
            Weights, read as case counts; rows of weight 0 are dropped.
        """
        with unharmed(self):
            return self._fit(X, y, sample_weight)

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> Self:
        plan = plan_of(self.max_leaves, self.overgrow, self.pruner, self.procedure)
        growing = Growing(self._grow_params(plan.max_leaves), self._threads())
        table = table_of(self, X, reset=True)
        self.classes_, labels = labels_of(y, table.n_rows)
        check_classes(self.classes_)
        self._class_weight = self.class_weight  # what verifying weighs by, whatever is set later
        given = Sample(table, labels, self._weights(X, labels, sample_weight), len(self.classes_))
        sample, held, self.held_out_ = parted(given, plan.held_fraction, self.random_state)
        self._grown_with, self._max_bins = growing.params, self.max_bins
        self._n_rows = table.n_rows
        callbacks = Callbacks(self, {"X": X, "y": y}, growing.params.max_leaves)
        coded = encode(sample.table, sample.target.units, self.max_bins, growing.threads)
        growth = growing.on(coded, sample, callbacks.on_step)
        run = run_of(growth, self._weighting(sample))
        model = Model(coded.schema, growth.tree, self.classes_, run, self.contract)
        self._model = kept_by(plan, model, growing, (coded, sample, held), self.random_state)
        callbacks.end()
        self._say_done()
        return self

    def predict(self, X: Any) -> AnyArray:
        """Return the class with the most training weight in each row's leaf."""
        leaves = self.apply(X)
        class_of_node = np.asarray(self.classes_[self.tree_.label])
        return np.asarray(class_of_node[leaves])

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the class shares of each row's leaf, smoothed, in the order of ``classes_``."""
        leaves = self.apply(X)
        counts = self.tree_.counts + self.smoothing
        shares = counts / counts.sum(axis=1, keepdims=True)
        return np.asarray(shares[leaves])

    def predict_log_proba(self, X: Any) -> FloatArray:
        """Return the logarithms of ``predict_proba``."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def apply(self, X: Any) -> BranchArray:
        """Return the leaf each row ends in, as a node number of ``tree_``."""
        check_is_fitted(self)
        table = table_of(self, X, reset=False)
        threads = effective_n_jobs(self.n_jobs)
        return apply(self.tree_, self._model.schema, renamed(table, self._model.schema), threads)

    def decision_path(self, X: Any) -> csr_matrix:
        """Return a sparse matrix that is 1 where a row visits a node of ``tree_``."""
        leaves = self.apply(X)
        paths = {int(leaf): self.tree_.path(int(leaf)) for leaf in np.unique(leaves)}
        visited = [paths[int(leaf)] for leaf in leaves]
        indices = np.concatenate(visited)
        starts = np.concatenate(([0], np.cumsum([len(p) for p in visited])))
        shape = (len(leaves), self.tree_.n_nodes)
        return csr_matrix((np.ones(len(indices), dtype=np.int64), indices, starts), shape=shape)

    @property
    def tree_(self) -> Tree:
        """The tree that predicts."""
        check_is_fitted(self)
        return self._model.tree

    @property
    def certificate_(self) -> Certificate:
        """What the boosting theorems promise about the grown tree; print it."""
        check_is_fitted(self)
        return self._model.certificate

    @property
    def n_leaves_(self) -> int:
        """The number of leaves."""
        return self.tree_.n_leaves

    @property
    def depth_(self) -> int:
        """The most questions on a path."""
        return int(self.tree_.depth.max())

    @property
    def n_questions_(self) -> float:
        """The mean number of questions a training row is asked."""
        leaves = self.tree_.leaves()
        return float(np.average(self.tree_.depth[leaves], weights=self.tree_.rows[leaves]))

    @property
    def feature_importances_(self) -> FloatArray:
        """Each column's share of what all splits gained; a user's own questions have no column."""
        check_is_fitted(self)
        return importances(self._model.kept, self._model.run.index, self.n_features_in_)

    def __sklearn_is_fitted__(self) -> bool:
        """Say whether ``fit`` has finished."""
        return hasattr(self, "_model")

    def __sklearn_tags__(self) -> Any:
        """Missing cells, text and categories are welcome."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags

    def _grow_params(self, max_leaves: Any) -> GrowParams:
        """Return the growth parameters, checked, with the budget of the run."""
        smoothing: Any = self.smoothing
        is_number = type(smoothing) is not bool and isinstance(smoothing, Real)
        if not is_number or not 0 <= float(smoothing) < np.inf:
            raise ParameterError(
                f"smoothing must be a number of at least 0, got {self.smoothing!r}"
            )
        fields = {name: getattr(self, name) for name in GrowParams.__dataclass_fields__}
        return GrowParams(**{**fields, "max_leaves": max_leaves})

    def _weights(self, X: Any, labels: AnyArray, sample_weight: Any) -> FloatArray | None:
        """Return the rows' weights times their classes', or None where all are 1."""
        return weights_of(X, (self.classes_, labels), sample_weight, self._class_weight)

    def _weighting(self, sample: Sample) -> Weighting:
        if self._class_weight is not None:
            return "classes"
        return "none" if sample.target.units is None else "rows"

    def _say_done(self) -> None:
        if self.verbose >= 2:
            weight = self._model.grown.counts[0].sum()
            for split in self._model.run.splits:
                gain = split.gain / weight
                print(f"leaf {split.leaf}: {split.arity} branches, gain {gain:.4g}")
        if self.verbose:
            print(f"{self.n_leaves_} leaves, {self.n_questions_:.2f} questions a row")
