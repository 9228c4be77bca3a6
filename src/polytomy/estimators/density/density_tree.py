"""DensityTree: where data are dense, as boxes."""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from sklearn.base import DensityMixin
from sklearn.utils import check_random_state

from polytomy._errors import ParameterError, TableError
from polytomy._numbers import is_integer
from polytomy._resample import assign_folds
from polytomy._types import AnyArray, FloatArray
from polytomy.certify.verify import Ledger, Report, StatedDensity, check_derivation, verify_density
from polytomy.density import DensityModel, cells_of, missing_odds, open_gaps, sample_table
from polytomy.encode import encode
from polytomy.estimators.base.callbacks import FitCallbacks, OnStep, with_callbacks
from polytomy.estimators.base.files import stored_as
from polytomy.estimators.base.input import FRAMES, frame_library
from polytomy.estimators.base.models import BaseTreeModel
from polytomy.estimators.base.parameters import (
    CV_LEAVES,
    check_common_parameters,
    check_not_negative,
    document_parameters,
)
from polytomy.estimators.base.rows import LabelledRows, case_weights
from polytomy.estimators.base.snapshots import on_draft
from polytomy.format import Node, Saved
from polytomy.grow import DensityPath, GrowParams, best_size, grow_density
from polytomy.index import DENSITY
from polytomy.predict import apply
from polytomy.table import Numbers, Ordered, Ranks, ScannedTable, Table, Times, frame_of
from polytomy.tree import contract, pruned

from .reading import ReadableDensity, ReportedDensity

_FOLDS = 5
_NO_TARGET = "it has no target; see score_samples, predict_region and apply"
_NO_RECORD = "it keeps no record of its growth"
_ABSENT = {
    **dict.fromkeys(("predict", "predict_proba", "predict_interval"), _NO_TARGET),
    "certificate_": "the theorems are about a target; polytomy.verify checks the tree without them",
    "held_out_": "its fit holds no rows out; pruning_path takes held-out rows",
    **dict.fromkeys(("plot_growth", "origin_"), _NO_RECORD),
}


@dataclass(frozen=True, slots=True)
class _Input:
    """The form of the rows of a fit: the library of a data frame, and columns of whole numbers."""

    library: str | None
    whole: tuple[bool, ...]

    @classmethod
    def of(cls, X: Any, table: Table) -> "_Input":
        whole = [isinstance(c, Ordered) and c.values.dtype.kind in "iu" for c in table.columns]
        if not isinstance(table, ScannedTable):
            return cls(frame_library(X), tuple(whole))
        own = type(X).__module__.partition(".")[0]
        library = own if own in FRAMES else FRAMES[0]
        return cls(library, tuple(whole))


class NoTarget(DensityMixin, BaseTreeModel):
    """Base class of the density estimators: y is ignored, and rows are all of one class."""

    def __getattr__(self, name: str) -> Any:
        """Explain the absence of what other trees have."""
        why = f": {_ABSENT[name]}" if name in _ABSENT else ""
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}{why}")

    def _learn_target(self, table: Table, y: Any, sample_weight: Any) -> LabelledRows:
        return self._target_to_verify(table, y, sample_weight)

    def _target_of(
        self,
        table: Table,
        y: Any,
        sample_weight: Any,
        name: str,  # noqa: ARG002
        *,
        class_weight: bool = True,  # noqa: ARG002
    ) -> LabelledRows:
        return self._target_to_verify(table, y, sample_weight)

    def _target_to_verify(
        self,
        table: Table,
        y: Any,  # noqa: ARG002
        sample_weight: Any,
    ) -> LabelledRows:
        labels = np.zeros(table.n_rows, dtype=np.uint16)
        return LabelledRows(table, labels, case_weights(sample_weight, labels), 1)


@stored_as("density")
@document_parameters
class DensityTree(NoTarget, ReadableDensity, ReportedDensity):
    """A density estimate made of boxes: a tree whose leaves are regions of even density.

    A tree divides the space of the columns into boxes, each of which is as dense as its share of
    the rows divided by its volume. Splits have as many branches as the data justify and maximise
    the log-likelihood gained per added box; a branch may be an empty part of the range. The
    boxes can be read, drawn over the points and sampled from, and the log-density of a row is an
    outlier score.

    Ordered columns are measured by their length, in units of the column (the unit of times is that
    of their type, such as nanoseconds), and categories are counted: the density of a row is that of
    its numbers, times the probability of its categories. A missing cell is one more category. The
    range of a column reaches half a step beyond its least and its greatest value, where a step is
    the distance to the next value, but at most the mean distance of neighbouring values. So whole
    numbers are one unit long each, and their densities add up to 1. A value that is repeated very
    often has a box of the width of the space around it. A gap of more than four times the median
    distance can be a box of its own.

    A value that training did not show still has a density. Each such outcome of a column (below
    the range, above it, missing, or a new category) has the probability 1/(n + k) for n rows and k
    outcomes, by Laplace's rule, and beyond the range the density falls with the square of the
    distance, to half of its probability within a tenth of the range.

    Parameters
    ----------
    max_leaves : int, None or "cv"
        The maximum number of boxes. None divides until no split gains. ``"cv"`` chooses the number
        with the best held-out loss in five-fold cross-validation, up to the number of rows and
        1,024.
    loss : {"likelihood", "squared"}
        What to minimise: the negative log-likelihood, or the integrated squared error, which looks
        at the densest regions only.
    min_samples_leaf : int
        The minimum number of rows (not their weight) in each box that is not empty.
    smoothing : float
        The number of rows that are spread evenly over the box of each node before its rows are
        divided among its children, at least 0. With 0, empty boxes have no density.
    random_state : int, RandomState or None
        The random seed for the folds of ``max_leaves="cv"``. None always gives the same folds.
    verbose : int
        1 prints a line at the end of the fit.

    Attributes
    ----------
    tree_ : Tree
        The tree. ``apply`` returns its node numbers.
    n_leaves_ : int
        The number of boxes.
    depth_ : int
        The depth: the maximum number of splits on a path.
    feature_importances_ : ndarray
        The fraction of the gained log-likelihood that each column contributes.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : ndarray of str
        The names of the columns, if ``fit`` was given a data frame.

    Examples
    --------
    >>> import numpy as np
    >>> from polytomy import DensityTree
    >>> X = np.concatenate([np.arange(0, 10, 0.1), np.arange(100, 110, 0.1)])[:, np.newaxis]
    >>> model = DensityTree(max_leaves=3).fit(X)
    >>> print(model.to_text())
    200 rows: mean density 0.00909
    ├─ x0 <= 9.95          49.40% of rows, density 0.0489 (5.43 times the mean), 100 rows
    ├─ 9.95 < x0 <= 99.95  1.21% of rows, density 0.000134 (0.0148 times the mean), 0 rows
    └─ x0 > 99.95          49.40% of rows, density 0.0492 (5.43 times the mean), 100 rows
    >>> model.score_samples([[5.0], [50.0]]).round(2)
    array([-3.02, -8.92])
    """

    _model: DensityModel
    _input: _Input

    def __init__(
        self,
        max_leaves: int | str | None = "cv",
        *,
        loss: str = "likelihood",
        max_arity: int = 8,
        max_depth: int | None = None,
        min_samples_leaf: int = 1,
        smoothing: float = 3.0,
        categorical_features: Any = "from_dtype",
        max_bins: int | str = "auto",
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.max_leaves = max_leaves
        self.loss = loss
        self.max_arity = max_arity
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.smoothing = smoothing
        self.categorical_features = categorical_features
        self.max_bins = max_bins
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @on_draft
    @with_callbacks  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Divide the space of the columns into boxes.

        If fitting fails or is interrupted, the estimator is left as it was.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_columns), or lazy table
            Numbers, text, categories or dates. Cells may be missing, but not infinite.
        y : None, default=None
            Ignored; scikit-learn's pipelines pass it.
        sample_weight : array of shape (n_rows,), default=None
            The weights of the rows, read as case counts. Rows of weight 0 are dropped. None gives
            every row the weight 1.

        Returns
        -------
        DensityTree
            The fitted estimator.
        """
        self._check_parameters()
        given = self._learn_rows(X, y, sample_weight)
        _check_finite(given.table)
        rows = given.with_weight()[0]
        params = self._grow_params(len(rows.labels))
        callbacks = FitCallbacks(self, {"X": X}, params.max_leaves)
        grown = self._grown(rows, params, callbacks.on_step)
        path = DensityPath(grown, self.loss)
        size = grown.tree.n_leaves
        if self._by_cv:
            size = self._best_size(rows, params, size)
        tree = contract(pruned(grown.tree, path.nodes_at(size))[0])
        self._model, self._input = replace(grown, tree=tree), _Input.of(X, given.table)
        callbacks.end()
        if self.verbose:
            mean = float(np.average(self._scores(rows.table), weights=rows.weights))
            print(f"{self.n_leaves_} boxes, mean log-density {mean:.4g} of the training rows")
        return self

    def score_samples(self, X: Any) -> FloatArray:
        """Return the log-density of each row: the lower, the more of an outlier it is.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_columns), or lazy table
            The rows.

        Returns
        -------
        ndarray of shape (n_rows,)
            The natural logarithms of the densities. -inf for infinite cells.
        """
        return self._scores(self._read_table(X))

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:  # noqa: ARG002
        """Return the log-likelihood of rows: the sum of their log-densities.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_columns), or lazy table
            The rows.
        y : None, default=None
            Ignored.
        sample_weight : array of shape (n_rows,), default=None
            The weights of the rows. None gives every row the weight 1.

        Returns
        -------
        float
            The sum.
        """
        scores = self.score_samples(X)
        weights = case_weights(sample_weight, scores)
        return float((scores if weights is None else scores * weights).sum())

    def sample(self, n_samples: Any = 1, random_state: Any = None) -> Any:
        """Draw rows from the density inside the boxes.

        Values that training did not show, such as those beyond the range of a column, are not
        drawn. Columns of whole numbers stay whole.

        Parameters
        ----------
        n_samples : int, default=1
            The number of rows.
        random_state : int, RandomState or None, default=None
            The random seed. None draws other rows in every call.

        Returns
        -------
        ndarray or data frame of shape (n_samples, n_columns)
            The rows: a data frame of the same library if ``fit`` was given one, else an array.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from polytomy import DensityTree
        >>> model = DensityTree(max_leaves=8).fit(load_iris().data)
        >>> model.sample(2, random_state=0).shape
        (2, 4)
        """
        model = self._fitted_model()
        if not is_integer(n_samples) or n_samples < 1:
            raise ParameterError(f"n_samples must be an integer of at least 1, got {n_samples!r}")
        table = sample_table(model, int(n_samples), check_random_state(random_state))
        pairs = zip(table.columns, self._input.whole, strict=True)
        columns: dict[str, Any] = {c.name: _cells(c, is_whole) for c, is_whole in pairs}
        if self._input.library is not None:
            return frame_of(columns, self._input.library)
        return np.column_stack(list(columns.values()))

    @property
    def _by_cv(self) -> bool:
        return isinstance(self.max_leaves, str)

    def _grow_params(self, n_rows: int = CV_LEAVES) -> GrowParams:
        """Return the growth parameters, checked together with all others."""
        if self._by_cv and self.max_leaves != "cv":
            raise ParameterError(
                "max_leaves must be an integer of at least 1, None or 'cv', got "
                f"{self.max_leaves!r}"
            )
        if not isinstance(self.loss, str) or self.loss not in DENSITY:
            raise ParameterError(f"loss must be one of {', '.join(DENSITY)}, got {self.loss!r}")
        check_not_negative("smoothing", self.smoothing)
        check_common_parameters(self)
        return GrowParams(
            max_leaves=min(CV_LEAVES, n_rows) if self._by_cv else self.max_leaves,  # type: ignore[arg-type]
            families=("intervals", "groups"),
            max_arity=self.max_arity,
            max_depth=self.max_depth,
            min_samples_leaf=self.min_samples_leaf,
        )

    def _grown(
        self, rows: LabelledRows, params: GrowParams, on_step: OnStep | None = None
    ) -> DensityModel:
        """Return the model of a tree grown on rows, before pruning."""
        coded = open_gaps(encode(rows.table, rows.target.units, self.max_bins, self._threads()))
        odds = missing_odds(coded, rows.weights)
        cells = cells_of(coded.schema, odds)
        threads = self._threads()
        tree = grow_density(coded, rows.target, cells, params, self.loss, threads, on_step)
        return DensityModel(coded.schema, odds, tree, float(self.smoothing))

    def _best_size(self, rows: LabelledRows, params: GrowParams, largest: int) -> int:
        """Return the number of boxes with the least held-out loss."""
        n_folds = min(_FOLDS, len(rows.labels))
        if n_folds < 2 or largest < 2:
            return 1
        seed = 0 if self.random_state is None else self.random_state
        fold = assign_folds(rows.labels, n_folds, check_random_state(seed))
        paths = []
        for k in range(n_folds):
            inside, held_out = (
                rows.take(np.flatnonzero(fold != k)),
                rows.take(np.flatnonzero(fold == k)),
            )
            model = self._grown(inside, params)
            paths.append(DensityPath(model, self.loss, held_out.table, held_out.weights))
        return best_size(paths, largest)

    def _scores(self, table: Table) -> FloatArray:
        model: DensityModel = self._fitted_model()
        leaves = apply(model.tree, model.schema, table, self._threads())
        return model.score_rows(table, leaves)

    def _verify(self, X: Any, y: Any, sample_weight: Any) -> Report:
        model = self._model
        rows = self._rows_to_verify(X, y, sample_weight).with_weight()[0]
        stated = StatedDensity(
            model.tree,
            model.schema,
            model.missing_odds,
            model.prior,
            model.log_density,
            self._scores(rows.table),
        )
        report = verify_density(stated, rows.table, rows.weights)
        return report + self._verify_fit(rows) if report.ok else report

    def _verify_fit(self, rows: LabelledRows) -> Report:
        """Check the parameters, and that the tree is a pruning of what they grow on the rows."""
        ledger, tree = Ledger(), self.tree_
        ledger.begin("parameters and columns of whole numbers")
        ledger.same(self._model.prior, float(self.smoothing), "model", "smoothing")
        for column, is_whole in zip(rows.table.columns, self._input.whole, strict=True):
            what = "it has numbers that are not whole"
            ledger.holds(not is_whole or _are_whole(column), f"column {column.name!r}", what)
        grown = self._grown(rows, self._grow_params(len(rows.labels)))
        check_derivation(ledger, tree, grown.tree)
        path = DensityPath(grown, self.loss)
        if tree != contract(pruned(grown.tree, path.nodes_at(tree.n_leaves))[0]):
            ledger.note(
                "The tree is a pruning of what its parameters grow, but not the most likely one of "
                "its size: it was pruned after the fit, or the fit was stopped."
            )
        if self._by_cv:
            ledger.note(
                "The number of boxes was chosen by cross-validation, which is not repeated."
            )
        return ledger.report()

    def _check_parameters(self) -> None:
        self._grow_params()

    def _saved_parts(self) -> dict[str, Any]:
        fitted = {"library": self._input.library, "whole": list(self._input.whole)}
        return {"model": self._model, "fitted": fitted}

    def _restore(self, saved: Saved) -> Self:
        assert isinstance(saved.model, DensityModel)
        library, whole = Node(dict(saved.fitted), "fitted").fields("library", "whole")
        if library.value is not None:
            library.word(FRAMES)
        flags = [item.flag() for item in whole.items(len(saved.model.schema))]
        self._model, self._input = saved.model, _Input(library.value, tuple(flags))
        return self


def _check_finite(table: Table) -> None:
    for column in table.columns:
        if isinstance(column, Ordered) and column.values.dtype.kind == "f":
            is_infinite = np.isinf(column.values)
            if is_infinite.any():
                row = int(np.argmax(is_infinite))
                raise TableError(
                    f"column {column.name!r} has an infinite value in row {row}; a density needs a "
                    "finite range: replace it, for example by a missing cell"
                )


def _are_whole(column: Any) -> bool:
    values = column.values
    return values.dtype.kind != "f" or bool((np.isnan(values) | (values == np.rint(values))).all())


def _cells(column: Any, is_whole: bool) -> AnyArray:
    """Return the cells of a sampled column as a user would write them."""
    values: AnyArray = column.values
    scale = getattr(column, "scale", None)
    if isinstance(scale, Times):
        return values.view(scale.dtype)
    if isinstance(scale, Ranks):
        labels = np.array([*scale.labels, None], dtype=object)
        return labels[values]
    if isinstance(scale, Numbers) and is_whole:
        whole = np.rint(values)
        return whole if np.isnan(whole).any() else whole.astype(np.int64)
    return values
