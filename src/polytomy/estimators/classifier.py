"""TreeClassifier: a decision tree with as many branches per node as the data justify."""

from copy import copy
from dataclasses import replace
from numbers import Real
from typing import Any, Self

import numpy as np
from scipy.sparse import csr_matrix

from polytomy._errors import ParameterError
from polytomy._types import AnyArray, BranchArray, FloatArray, IntArray
from polytomy.certify import Certificate, Run, Weighting, overgrown
from polytomy.certify.verify import Derivation, Ledger, Report, verify_kept, verify_run
from polytomy.encode import Schema
from polytomy.export import class_shares
from polytomy.format import Saved
from polytomy.grow import GrowParams, Growth
from polytomy.honesty import Honesty
from polytomy.model import Model, Pruning
from polytomy.predict import apply
from polytomy.prune import Pessimistic, ReducedError
from polytomy.tree import Tree, column_importances, contract

from .base import LabelledRows
from .callbacks import FitCallbacks, with_callbacks
from .files import check_common_parameters, check_flag, read_tree_parts, stored_as, tree_parts
from .growing import (
    Growing,
    carry_out,
    learn_from_folds,
    plan_growth,
    run_of,
    settle_plan,
    split_rows,
)
from .parameters import FitRecord, document_parameters, grow_params
from .pruning import PrunableTree
from .reading import ReadableTree
from .reporting import ReportedTree

_MAY_RAISE = tuple(p.name for p in (Pessimistic, ReducedError))  # pruners that raise subtrees


@stored_as("tree")
@document_parameters
class TreeClassifier(ReadableTree, PrunableTree, ReportedTree):
    """A decision tree with as many branches per node as the data justify.

    Parameters
    ----------
    max_leaves : int, None or "cv"
        The maximum number of leaves. None grows until no leaf can be split. ``"cv"`` chooses by
        cross-validation among the best prunings of a tree of up to 1,024 leaves.
    index : {"gini", "entropy", "sqrt", "error"} or callable
        The impurity measure. A callable maps arrays of class counts, with classes on the last axis,
        to values.
    question_price : float
        For ``"priced"``: what one more question for every row must save, as a fraction of what the
        tree saves in all, at least 0. Larger values give wider trees with fewer questions.
    branch_price : float
        For ``"priced"``: how many times the worth of the budget's last leaf a further branch of a
        wide split must gain, at least 0.
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
        Merge a node with those of its children that split on the same column.
    pruner : None, str or pruner
        How to prune the grown tree: ``"reduced-error"``, ``"conservative"``, ``"chi-square"``,
        ``"error-budget"``, ``"cost-complexity"``, ``"pessimistic"``, or an object from
        ``polytomy.prune``. None does not prune.
    random_state : int, RandomState or None
        The random seed for holding out rows for a pruner, and for folds. None gives other rows in
        every fit, except that honest leaves have fixed folds then. Growing a tree is not random.
    verbose : int
        1 prints a line at the end of the fit, 2 a line for every split.

    Attributes
    ----------
    classes_ : ndarray
        The classes in ascending order.
    tree_ : Tree
        The tree that predicts. ``apply`` returns its node numbers.
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
        procedure: str = "priced",
        question_price: float = 0.08,
        branch_price: float = 2.0,
        scoring: Any = "error",
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
        honest: bool = True,
        smoothing: float = 0.0,
        overgrow: float = 1.0,
        contract: bool = True,
        pruner: Any = None,
        class_weight: Any = None,
        categorical_features: Any = "from_dtype",
        max_bins: int | str = "auto",
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.max_leaves = max_leaves
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
        self.categorical_features = categorical_features
        self.max_bins = max_bins
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @with_callbacks  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow a tree on labelled rows.

        If fitting fails or is interrupted, the estimator is left as it was.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_columns)
            Numbers, text, categories or dates. Cells may be missing.
        y : array of shape (n_rows,)
            The classes, as numbers or text. None may be missing.
        sample_weight : array of shape (n_rows,), default=None
            The weights of the rows, read as case counts. Rows of weight 0 are dropped. None gives
            every row the weight 1.

        Returns
        -------
        TreeClassifier
            The fitted estimator.
        """
        with self._rollback():
            check_flag("contract", self.contract)
            check_flag("honest", self.honest)
            plan = plan_growth(self)
            growing = Growing(self._grow_params(plan.max_leaves), self._threads())
            given = self._learn_rows(X, y, sample_weight)
            fraction, seed = plan.held_fraction, self.random_state
            rows, held_out, numbers = split_rows(given, fraction, seed)
            callbacks = FitCallbacks(self, {"X": X, "y": y}, growing.params.max_leaves)
            coded = growing.encode(rows, self.max_bins)
            plan = settle_plan(plan, self, growing, (coded, rows), self._as_classifier)
            pruning = None
            if plan.two_prices is None:
                growth = growing.grow(coded, rows, callbacks.on_step)
            else:
                growth, pruning = growing.grow_priced(coded, rows, plan, callbacks.on_step)
            run = run_of(growth, self._weighting(rows))
            model = Model(
                coded.schema,
                growth.tree,
                self.classes_,
                run,
                self.contract,
                pruning,
                rows.class_factors,
            )
            n_rows = given.table.n_rows
            self._fit_record = FitRecord(
                growing.params, self.class_weight, self.max_bins, n_rows, numbers
            )
            model = carry_out(plan, model, growing, (coded, rows, held_out), seed)
            if self.honest:
                learned = learn_from_folds(
                    plan, model, growing, (coded, rows, held_out), growth.params, seed
                )
                model = replace(model, honesty=learned)
            self._model = model
            callbacks.end()
            self._print_summary()
        return self

    def predict(self, X: Any) -> AnyArray:
        """Return the class with the largest training weight in the leaf of each row.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_columns)
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
        X : array or data frame of shape (n_rows, n_columns)
            The rows.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            The probabilities, with classes in the order of ``classes_``.
        """
        leaves = self.apply(X)
        return class_shares(self._model, self.smoothing)[leaves]

    def apply(self, X: Any) -> BranchArray:
        """Return the leaf of each row.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_columns)
            The rows.

        Returns
        -------
        ndarray of shape (n_rows,)
            Node numbers of ``tree_``.
        """
        table = self._read_table(X)
        return apply(self.tree_, self._model.schema, table, self._threads())

    def decision_path(self, X: Any) -> csr_matrix:
        """Return the nodes on the path of each row.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_columns)
            The rows.

        Returns
        -------
        csr_matrix of shape (n_rows, n_nodes)
            1 for each node of ``tree_`` that a row visits.
        """
        leaves = self.apply(X)
        paths = {int(leaf): self.tree_.path(int(leaf)) for leaf in np.unique(leaves)}
        visited = [paths[int(leaf)] for leaf in leaves]
        indices = np.concatenate(visited)
        starts = np.concatenate(([0], np.cumsum([len(p) for p in visited])))
        shape = (len(leaves), self.tree_.n_nodes)
        return csr_matrix((np.ones(len(indices), dtype=np.int64), indices, starts), shape=shape)

    def get_depth(self) -> int:
        """Return the depth of the tree: the maximum number of splits on a path.

        Returns
        -------
        int
            The depth; 0 for a tree of one leaf.

        Examples
        --------
        >>> clf = TreeClassifier(procedure="per-leaf").fit([[1], [2], [3]], ["a", "b", "a"])
        >>> clf.get_depth(), clf.get_n_leaves()
        (1, 3)
        """
        return int(self.tree_.depth.max())

    def get_n_leaves(self) -> int:
        """Return the number of leaves.

        Returns
        -------
        int
            The number of leaves of ``tree_``.
        """
        return self.tree_.n_leaves

    @property
    def tree_(self) -> Tree:
        """The tree that predicts."""
        tree: Tree = self._fitted_model().tree
        return tree

    @property
    def certificate_(self) -> Certificate:
        """The theorem that covers the run, its gamma, and the bound that follows."""
        certificate: Certificate = self._fitted_model().certificate
        return certificate

    @property
    def n_leaves_(self) -> int:
        """The number of leaves."""
        return self.get_n_leaves()

    @property
    def depth_(self) -> int:
        """The maximum number of splits on a path."""
        return self.get_depth()

    @property
    def n_questions_(self) -> float:
        """The mean number of splits on the path of a training row."""
        leaves = self.tree_.leaves()
        return float(np.average(self.tree_.depth[leaves], weights=self.tree_.rows[leaves]))

    @property
    def feature_importances_(self) -> FloatArray:
        """The fraction of the total gain that each column contributes.

        Splits by a family of your own have no column, so their gain counts in the total only.
        """
        model = self._fitted_model()
        return column_importances(model.kept, model.run.index, self.n_features_in_)

    @property
    def held_out_(self) -> IntArray | None:
        """The rows passed to ``fit`` that were held out for a pruner, or None."""
        self._fitted_model()
        return self._fit_record.held_out

    def _grow_params(self, max_leaves: Any) -> GrowParams:
        """Return the growth parameters of a run, checked."""
        smoothing: Any = self.smoothing
        is_number = type(smoothing) is not bool and isinstance(smoothing, Real)
        if not is_number or not 0 <= float(smoothing) < np.inf:
            raise ParameterError(
                f"smoothing must be a number of at least 0, got {self.smoothing!r}"
            )
        return grow_params(self, max_leaves=max_leaves)

    def _as_classifier(
        self, schema: Schema, growth: Growth, tree: Tree, factors: FloatArray | None
    ) -> Self:
        """Return a fitted copy whose tree is a pruning of a grown one, for scorers.

        Its honest shares are those of the prior. ``factors`` are the class weights.
        """
        other = copy(self)
        record = FitRecord(growth.params, self.class_weight, self.max_bins, None)
        other._fit_record = record
        pruning = Pruning(tree, "cross-validation")
        run, honesty = run_of(growth), Honesty() if self.honest else None
        other._model = Model(
            schema, growth.tree, self.classes_, run, self.contract, pruning, factors, honesty
        )
        return other

    def _weighting(self, rows: LabelledRows) -> Weighting:
        if self.class_weight is not None:
            return "classes"
        return "none" if rows.target.units is None else "rows"

    def _print_summary(self) -> None:
        if self.verbose >= 2:
            weight = self._model.grown.counts[0].sum()
            for split in self._model.run.splits:
                gain = split.gain / weight
                print(f"leaf {split.leaf}: {split.arity} branches, gain {gain:.4g}")
        if self.verbose:
            print(f"{self.n_leaves_} leaves, {self.n_questions_:.2f} questions per row")

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

    def _saved_parts(self) -> dict[str, Any]:
        return tree_parts(self._model, self._fit_record)

    def _restore(self, saved: Saved) -> Self:
        self._model, self._fit_record = read_tree_parts(saved)
        return self

    def _verify(self, X: Any, y: Any, sample_weight: Any) -> Report:
        model, certificate = self._model, self.certificate_
        rows = self._training_rows(self._rows_to_verify(X, y, sample_weight))
        data = rows.table, rows.labels, rows.weights
        run, tree = _certified(model)
        report = verify_run(run, certificate, tree, model.schema, *data)
        report += self._verify_names(certificate)
        if model.contracted or model.pruning is not None:
            expected = contract(model.kept) if model.contracted else model.kept
            report += verify_kept(
                self.tree_, expected, certificate, model.schema, data, _derivation(model, tree)
            )
        return report

    def _verify_names(self, certificate: Certificate) -> Report:
        """Check the names of the classes, and the words of the certificate against new ones."""
        ledger, model = Ledger(), self._model
        ledger.begin("classes, and words of the certificate")
        ledger.holds(
            np.array_equal(np.asarray(self.classes_), np.asarray(model.classes)),
            "classes_",
            f"they are {self.classes_}, but the model's are {model.classes}",
        )
        fresh = replace(model).certificate
        for name in ("theorem", "why_not"):
            ledger.same(getattr(certificate, name), getattr(fresh, name), "certificate", name)
        return ledger.report()


def _derivation(model: Model, own: Tree) -> Derivation | None:
    """Return what the kept tree was derived from; None if subtrees may have been raised."""
    pruning = model.pruning
    if pruning is not None and pruning.by in _MAY_RAISE:
        return None
    prices = None if pruning is None else pruning.prices
    return Derivation(model.grown, contract(own) if model.contracted else own, prices)


def _certified(model: Model) -> tuple[Run, Tree]:
    """Return the run and the tree that the certificate covers."""
    if model.pruning is None or model.pruning.overgrown is None:
        return model.run, model.grown
    return overgrown(model.run, model.grown, model.pruning.overgrown)
