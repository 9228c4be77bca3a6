"""What a forest of any target can do: growing, out-of-bag figures, single trees and files."""

from abc import abstractmethod
from collections.abc import Iterator
from hashlib import sha256
from numbers import Integral
from typing import Any, Self

import numpy as np
from scipy.sparse import csr_matrix, hstack
from sklearn.utils import check_random_state

from polytomy._errors import ParameterError
from polytomy._numbers import is_integer
from polytomy._types import BranchArray, FloatArray, IntArray
from polytomy.certify import Run
from polytomy.certify.record import Rules, Split
from polytomy.certify.verify import Report
from polytomy.encode import NumericTarget, encode
from polytomy.ensemble import FOREST, Ensemble, Member, votes
from polytomy.estimators.base.callbacks import ProgressPrinter, RoundCallbacks, with_callbacks
from polytomy.estimators.base.files import record_of, remember
from polytomy.estimators.base.parameters import FitRecord, check_common_parameters, check_flag
from polytomy.estimators.base.snapshots import on_draft
from polytomy.estimators.reading.exports import ReadableModel
from polytomy.estimators.reading.one_tree import paths_to
from polytomy.export import members_to_text
from polytomy.forest import (
    ForestParams,
    ForestSample,
    OutOfBag,
    grow_forest,
    row_keys,
    verify_forest,
)
from polytomy.format import Saved
from polytomy.grow import GrowParams, resolved
from polytomy.index import Index
from polytomy.model import Model
from polytomy.predict import RoutedTable
from polytomy.theory import price
from polytomy.tree import Tree, column_importances, split_gains

from .files import ForestState, forest_parts, read_forest_parts
from .parameters import forest_params
from .reading import ReadableTrees
from .report import ReportedForest

_FREE = ("n_estimators", "warm_start", "oob_score", "verbose", "n_jobs")  # may change when warm


class Forest(ReadableModel, ReadableTrees, ReportedForest):
    """Base class of the forests: growing, warm starts, out-of-bag figures, and single trees."""

    _model: Ensemble
    _state: ForestState
    n_estimators: int
    oob_score: bool
    warm_start: bool
    verbose: int
    max_bins: int | str
    n_features_in_: int

    @on_draft
    @with_callbacks  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Grow the trees on labelled rows.

        If fitting fails or is interrupted, the estimator is left as it was.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_columns), or lazy table
            Numbers, text, categories or dates. Cells may be missing. A lazy table is read in
            pieces: a scan (``polytomy.scan``), a polars ``LazyFrame``, a DuckDB relation or a
            pyarrow ``Dataset``.
        y : array of shape (n_rows,) or str, default=None
            The target: classes, or numbers for a regressor. None may be missing.
            For a lazy table, the name of a column, or None for the target of a scan.
        sample_weight : array of shape (n_rows,) or str, default=None
            The weights of the rows, read as case counts. Rows of weight 0 are dropped. None gives
            every row the weight 1.

        Returns
        -------
        self
            The fitted estimator.
        """
        params = self._forest_params()
        given = self._learn_rows(X, y, sample_weight)
        rows, numbers = given.with_weight()
        threads = self._threads()
        coded = encode(rows.table, rows.case_units, self.max_bins, threads)
        sample = ForestSample(coded, rows.target, rows.table)
        n_rows = given.table.n_rows
        self._fit_record = FitRecord(params, self._class_weight(), self.max_bins, n_rows)
        state = ForestState(params, self._seed(), self._fingerprint(sample))
        earlier = self._earlier_members(state) if self.warm_start else ()
        out_of_bag = self._grow(sample, state, earlier, {"X": X, "y": y})
        self._oob_forecast = None
        if out_of_bag is not None:
            known = out_of_bag.forecast
            forecast = np.full((n_rows, *known.shape[1:]), np.nan)
            forecast[slice(None) if numbers is None else numbers] = known
            self._oob_forecast = forecast
        return self

    def _grow(
        self,
        sample: ForestSample,
        state: ForestState,
        earlier: tuple[Member, ...],
        data: dict[str, Any],
    ) -> OutOfBag | None:
        """Grow the trees that are missing, and set the fitted attributes."""
        members = list(earlier)
        schema, classes, scale = sample.coded.schema, self._classes_of_model(), sample.scale
        out_of_bag = OutOfBag.of(sample.target) if self.oob_score else None

        def fitted(_: Any = None) -> dict[str, Any]:
            ended = state if out_of_bag is None else state.with_figures(out_of_bag)
            start = np.zeros(1 if self._is_numeric else len(classes))
            model = Ensemble(schema, classes, tuple(members), start, FOREST, scale)
            return {"_model": model, "_state": ended, "_fit_record": self._fit_record}

        n_trees = int(self.n_estimators)
        callbacks = RoundCallbacks(self, data, n_trees, fitted, "tree")
        grown = grow_forest(
            sample,
            state.params,
            range(n_trees),
            state.seed,
            threads=self._threads(),
            out_of_bag=self.oob_score,
            existing=earlier,
        )
        with ProgressPrinter(self.verbose, n_trees, "tree") as printer:
            for number, one in enumerate(grown, start=1):
                if number > len(earlier):
                    members.append(one.member)
                if out_of_bag is not None:
                    out_of_bag.add(one, number)
                printer.done(number, lambda: _figures(members[-1], out_of_bag))
                if callbacks.round_done(number):
                    grown.close()
                    break
        self.__dict__.update(fitted())
        callbacks.end()
        return out_of_bag

    def apply(self, X: Any) -> BranchArray:
        """Return the leaf of each row in each tree.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_columns), or lazy table
            The rows.

        Returns
        -------
        ndarray of shape (n_rows, n_trees)
            Node numbers.
        """
        table, threads = self._read_table(X), self._threads()
        routed = RoutedTable.of(table, self._model.schema)
        leaves = [routed.leaves(member.tree, threads) for member in self._model.members]
        return np.stack(leaves, axis=1)

    def decision_path(self, X: Any) -> tuple[csr_matrix, IntArray]:
        """Return the nodes on the path of each row in each tree.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_columns), or lazy table
            The rows.

        Returns
        -------
        indicator : csr_matrix of shape (n_rows, n_nodes)
            1 for each node that a row visits. The columns are the nodes of all trees, one tree
            after the other.
        n_nodes_ptr : ndarray of shape (n_trees + 1,)
            Tree i has the columns from ``n_nodes_ptr[i]`` to ``n_nodes_ptr[i + 1]``.
        """
        leaves = self.apply(X)
        trees = [member.tree for member in self._model.members]
        paths = [paths_to(tree, leaves[:, i]) for i, tree in enumerate(trees)]
        starts = np.concatenate(([0], np.cumsum([tree.n_nodes for tree in trees])))
        return csr_matrix(hstack(paths)), starts

    def to_text(self, max_width: int = 100) -> str:
        """Return a summary of the trees: their sizes, and the columns they split on.

        Parameters
        ----------
        max_width : int, default=100
            The maximum length of a line.

        Returns
        -------
        str
            The text. ``forest[0].to_text()`` shows a single tree.
        """
        return members_to_text(self._fitted_model(), max_width)

    def __len__(self) -> int:
        return len(self._fitted_model())

    def __getitem__(self, number: Any) -> Any:
        """Return a tree of the forest as an estimator."""
        members = self._fitted_model().members
        if not is_integer(number):
            raise TypeError(f"the trees of a forest are numbered, got {number!r}")
        return self._as_tree(members[number])

    def __iter__(self) -> Iterator[Any]:
        return map(self._as_tree, self._fitted_model().members)

    @property
    def estimators_(self) -> list[Any]:
        """The trees as single estimators."""
        return list(self)

    @property
    def ensemble_(self) -> Ensemble:
        """The trees that vote."""
        ensemble: Ensemble = self._fitted_model()
        return ensemble

    @property
    def oob_error_(self) -> float:
        """The out-of-bag error; NaN if no row is out of bag."""
        self._fitted_model()
        error = self._state.oob_error
        if error is None:
            raise AttributeError("there is no out-of-bag error with oob_score=False")
        return error

    @property
    def oob_score_(self) -> float:
        """The out-of-bag accuracy, or R2 of a regressor; NaN if no row is out of bag."""
        error = self.oob_error_
        return 1.0 - error if self._state.oob_score is None else self._state.oob_score

    @property
    def oob_errors_(self) -> dict[int, float]:
        """The out-of-bag error after 1, 2, 5, 10, 20, ... trees."""
        self._fitted_model()
        return dict(self._state.oob_errors)

    @property
    def feature_importances_(self) -> FloatArray:
        """The fraction of the gain that each column contributes, as a mean over the trees."""
        model, index = self._fitted_model(), self._index()
        n_columns = len(model.schema)
        total = np.zeros(n_columns)
        for member in model.members:
            total += column_importances(member.tree, index, n_columns)
        whole = total.sum()
        return total / whole if whole > 0 else total

    def _forest_params(self) -> ForestParams:
        """Return the parameters of the forest, checked."""
        n_trees: Any = self.n_estimators
        if not is_integer(n_trees) or n_trees < 1:
            raise ParameterError(f"n_estimators must be an integer of at least 1, got {n_trees!r}")
        check_flag("oob_score", self.oob_score)
        check_flag("warm_start", self.warm_start)
        return forest_params(self, index=self._growth_index())

    @abstractmethod
    def _growth_index(self) -> Any:
        """Return the impurity measure that the parameters name."""

    @abstractmethod
    def _single_tree(self, params: GrowParams, shared: dict[str, Any]) -> Any:
        """Return an unfitted tree with growth parameters, of which ``shared`` holds most."""

    def _index(self) -> Index:
        return resolved(self._fit_record.params.grow.index, len(self._classes_of_model()))

    def _known_oob_forecast(self, name: str) -> FloatArray:
        """Return the out-of-bag forecasts, or raise an error that calls them by a name."""
        self._fitted_model()
        forecast: FloatArray | None = getattr(self, "_oob_forecast", None)
        if forecast is None:
            raise AttributeError(
                f"there are no out-of-bag {name}: a model file does not hold them, and "
                "oob_score=False does not compute them"
            )
        return forecast

    def _seed(self) -> int:
        given = 0 if self.random_state is None else self.random_state
        random = check_random_state(given)  # raises an error for what is no seed
        is_seed = isinstance(given, Integral)
        return int(given if is_seed else random.randint(np.iinfo(np.int32).max))

    def _fingerprint(self, sample: ForestSample) -> str:
        """Return a hash that identifies the rows, in any order, and the parameters."""
        digest = sha256()
        target = sample.target
        keys, units = row_keys(sample.coded, target), target.case_units[0]
        pairs = np.stack((keys, np.ones_like(keys) if units is None else units.view(np.uint64)))
        digest.update(np.ascontiguousarray(pairs[:, np.lexsort(pairs)]).data)
        if isinstance(target, NumericTarget):  # keys depend on the ranks of the numbers only
            digest.update(np.unique(target.values).data)
        chosen = {k: v for k, v in self.get_params(deep=False).items() if k not in _FREE}
        digest.update(repr(sorted(chosen.items())).encode())
        return digest.hexdigest()

    def _earlier_members(self, state: ForestState) -> tuple[Member, ...]:
        """Return the existing trees, for a warm start."""
        if not self.__sklearn_is_fitted__():
            return ()
        if self._state.fingerprint != state.fingerprint:
            raise ParameterError(
                "warm_start continues with the same rows and parameters, and these differ; set "
                "warm_start=False to start again"
            )
        if self.n_estimators < len(self._model):
            raise ParameterError(
                f"n_estimators={self.n_estimators} must be at least the {len(self._model)} trees "
                "that exist already if warm_start=True"
            )
        return self._model.members

    def _as_tree(self, member: Member) -> Any:
        """Return a tree of the forest as a fitted estimator."""
        params: GrowParams = self._fit_record.params.grow
        shared = {
            **{name: getattr(params, name) for name in _TREE_PARAMETERS},
            "honest": False,
            "contract": False,
            "categorical_features": self.categorical_features,
            "max_bins": self.max_bins,
            "n_jobs": self.n_jobs,
        }
        tree = self._single_tree(params, shared)
        for name in ("classes_", "n_features_in_", "feature_names_in_"):
            if hasattr(self, name):
                setattr(tree, name, getattr(self, name))
        run = _run_of(member.tree, params, self._index())
        classes = self._classes_of_model()
        tree._model = Model(self._model.schema, member.tree, classes, run, contracted=False)
        tree._fit_record = FitRecord(params, self._class_weight(), self.max_bins, None)
        record = record_of(self)
        if record is not None:
            remember(tree, record.on_other_rows(int(member.tree.rows[0])))
        return tree

    def _check_parameters(self) -> None:
        self._forest_params()
        check_common_parameters(self)

    def _saved_parts(self) -> dict[str, Any]:
        return forest_parts(self._model, self._state, self._fit_record)

    def _restore(self, saved: Saved) -> Self:
        self._model, self._state, self._fit_record = read_forest_parts(saved)
        return self

    def _verify(self, X: Any, y: Any, sample_weight: Any) -> Report:
        rows = self._rows_to_verify(X, y, sample_weight).with_weight()[0]
        state = self._state
        return verify_forest(
            self._model,
            state.params,
            state.seed,
            state.oob_error,
            (rows.table, rows.labels, rows.weights),
        )

    def _votes(self, X: Any) -> FloatArray:
        table = self._read_table(X)
        return votes(self._model, table, self._threads())


_TREE_PARAMETERS = (
    "procedure",
    "gamma",
    "leaf_order",
    "families",
    "max_arity",
    "max_depth",
    "min_samples_split",
    "min_samples_leaf",
    "min_weight_fraction_leaf",
    "min_gain",
)  # that a tree of a forest has


def _figures(member: Member, out_of_bag: OutOfBag | None) -> str:
    """Return the figures of a tree as text, for the progress of a fit."""
    form = ".4g" if member.tree.is_numeric else ".4f"
    error = "" if out_of_bag is None else f", out-of-bag error {out_of_bag.error:{form}}"
    return f"{member.tree.n_leaves} leaves{error}"


def _run_of(tree: Tree, params: GrowParams, index: Index) -> Run:
    """Return the record of the growth of a tree, as far as the tree tells.

    A tree does not know which leaves were given up and why, nor the gains of the binary splits that
    wider ones have beaten.
    """
    gains, values = split_gains(tree, index), index.value(tree.counts)
    inner = np.flatnonzero(np.diff(tree.child_start) > 0)
    first = tree.child[tree.child_start[inner]]  # children are numbered in the order of the splits
    splits, leaves = [], 1
    for node in inner[np.argsort(first)].tolist():
        arity = tree.arity(node)
        children = tuple(tree.children(node).tolist())
        own = price(params.procedure, arity, params.gamma)
        gain = float(gains[node])
        binary = gain if arity == 2 else None
        splits.append(Split(node, children, gain, float(values[node]), own, binary, leaves))
        leaves += arity - 1
    families = tuple(family for family in params.families if isinstance(family, str))
    rules = Rules(
        procedure=params.procedure,
        order=params.order,
        gamma=params.gamma,
        max_leaves=params.max_leaves,
        families=families,
        own_families=len(families) < len(params.families),
        min_samples_leaf=params.min_samples_leaf,
        min_weight_fraction_leaf=float(params.min_weight_fraction_leaf),
    )
    return Run(rules, index, tuple(splits), (), "rows")
