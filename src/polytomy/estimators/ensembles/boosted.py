"""BoostedTreeClassifier: a boosted ensemble of small trees."""

from collections.abc import Iterator
from functools import partial
from typing import Any, Self

import numpy as np
from sklearn.metrics import accuracy_score
from sklearn.utils.validation import _check_sample_weight

from polytomy._errors import ParameterError
from polytomy._types import AnyArray, FloatArray
from polytomy.boost import (
    BoostCertificate,
    Booster,
    BoostingSample,
    BoostParams,
    Checkpoint,
    EarlyStopping,
    HeldOut,
    Rounds,
    certify,
    fingerprint,
    probabilities,
    winners,
)
from polytomy.certify.verify import Report
from polytomy.encode import Schema, encode, fixed_point
from polytomy.ensemble import Ensemble, staged_votes, votes
from polytomy.estimators.base.callbacks import RoundCallbacks, with_callbacks
from polytomy.estimators.base.files import stored_as
from polytomy.estimators.base.input import labels_of
from polytomy.estimators.base.models import ClassTarget
from polytomy.estimators.base.parameters import (
    FitRecord,
    check_common_parameters,
    check_flag,
    document_parameters,
)
from polytomy.estimators.base.rows import LabelledRows, known_class_numbers
from polytomy.estimators.base.snapshots import on_draft
from polytomy.estimators.fitting.teacher import teaches_as
from polytomy.format import Saved

from .boosting import (
    Prepared,
    RunOptions,
    boost,
    check_classes,
    decision_of,
    earlier_progress,
    importances_of,
    margins_of,
    split_rows,
    verify_ensemble,
)
from .files import BoostedState, boosted_parts, check_stated_certificate, read_boosted_parts
from .parameters import boost_params, check_rounds, with_class_names
from .reading import ReadableEnsemble
from .report import ReportedEnsemble


@teaches_as("boosted")
@stored_as("boosted")
@document_parameters
class BoostedTreeClassifier(ReadableEnsemble, ReportedEnsemble, ClassTarget):
    """A boosted ensemble of small trees.

    Every round grows a tree on rows weighted by the errors of the trees before it; the trees then
    vote together.

    Parameters
    ----------
    n_rounds : int
        The maximum number of rounds. A round adds one tree, or with ``"logitboost"`` and more than
        two classes one tree per class.
    algorithm : {"auto", "adaboost", "adaboost-real", "adaboost-mh", "samme", "logitboost"}
        The boosting algorithm. ``"auto"`` is ``"logitboost"``; if ``estimator`` or ``index`` is
        given, neither of which that allows, it is ``"adaboost-real"`` for two classes and
        ``"adaboost-mh"`` for more. ``"adaboost"`` and ``"adaboost-real"`` support two classes only.
    estimator : None or classifier
        None boosts trees. A scikit-learn classifier that takes ``sample_weight`` is boosted
        instead: its prediction is the only split of a round's tree, with a leaf for each class.
    max_leaves : int or None
        The maximum number of leaves of each tree; None sets no limit. 2 gives stumps: a model that
        can be read, one table for each column. 8 usually errs less. With ``max_depth=1``, 8 gives
        stumps of up to 8 branches: procedure ``"per-leaf"`` then takes the split with the largest
        gain, regardless of its number of branches.
    index : str or callable
        The impurity measure of the trees. ``"auto"`` is the one that the algorithm calls for.
    learning_rate : "auto" or float
        The factor by which every vote is multiplied, above 0. ``"auto"`` is 1 for AdaBoost; for
        ``"logitboost"`` it is 0.3 with stumps, and 0.1 with larger trees.
    smoothing : "auto" or float
        The weight that ``"adaboost-real"``, ``"adaboost-mh"`` and ``"logitboost"`` add to each
        class of a leaf before they compute its vote, if the weights of all rows sum to 1. It
        limits the votes of leaves with few rows. ``"auto"`` is half the weight of one row.
    early_stopping : None, dict or EarlyStopping
        When to stop early. ``{"fraction": 0.1, "patience": 10}`` holds out a tenth of the rows and
        stops after 10 rounds without improvement on them; the rounds up to the best one vote. Other
        keys are ``min_delta``, ``monitor`` (``"error"`` or ``"loss"``), ``X_val``, ``y_val`` and
        ``sample_weight_val``. None runs all rounds.
    checkpoint : None, path or dict
        A file to save the progress in. A fit that finds the file continues from it, and ends with
        exactly the ensemble of an uninterrupted fit. ``{"path": ..., "rounds": 50, "seconds": 10}``
        sets how often it is written.
    warm_start : bool
        Continue from the existing rounds if ``fit`` is called again with the same rows.
    verbose : int
        1 shows a progress bar on a terminal and prints some lines elsewhere, 2 prints a line for
        every round.
    random_state : int, RandomState or None
        The random seed for holding out rows for early stopping. None is 0. Nothing else is random,
        unless ``estimator`` is.

    Attributes
    ----------
    classes_ : ndarray
        The classes in ascending order.
    rounds_ : Rounds
        The record of every round: ``rounds_[3].epsilon``, or ``rounds_.epsilon`` for all rounds.
    n_rounds_ : int
        The number of rounds that vote: all rounds, or with early stopping those up to the best.
    ended_ : str or None
        Why the fit ended before ``n_rounds``; None if it did not.
    ensemble_ : Ensemble
        The trees that vote.
    certificate_ : BoostCertificate
        The bound on the training error, the error itself, and whether the bound held after every
        round.
    feature_importances_ : ndarray
        The fraction of the total gain that each column contributes, if trees are boosted.
    held_out_ : ndarray of int or None
        The rows passed to ``fit`` that were held out for early stopping. None if there are none, or
        if the model was loaded from a file.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : ndarray of str
        The names of the columns, if ``fit`` was given a data frame.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> clf = BoostedTreeClassifier(5).fit(X, y)
    >>> print(clf.certificate_)
    logitboost, 5 rounds
      training error          0.0527241
      bound                   0.328008
      error <= log loss in bits: holds after every round
    """

    _model: Ensemble
    _state: BoostedState
    ended_: str | None

    def __init__(
        self,
        n_rounds: int = 100,
        *,
        algorithm: str = "auto",
        estimator: Any = None,
        max_leaves: int | None = 2,
        index: Any = "auto",
        learning_rate: Any = "auto",
        smoothing: Any = "auto",
        early_stopping: Any = None,
        procedure: str = "per-leaf",
        gamma: float | None = None,
        leaf_order: str = "auto",
        families: Any = "auto",
        max_arity: int = 8,
        max_depth: int | None = None,
        min_samples_split: int = 2,
        min_samples_leaf: int = 1,
        min_weight_fraction_leaf: float = 0.0,
        min_gain: float = 0.0,
        class_weight: Any = None,
        categorical_features: Any = "from_dtype",
        max_bins: int | str = 255,
        checkpoint: Any = None,
        warm_start: bool = False,
        verbose: int = 0,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_rounds = n_rounds
        self.algorithm = algorithm
        self.estimator = estimator
        self.max_leaves = max_leaves
        self.index = index
        self.learning_rate = learning_rate
        self.smoothing = smoothing
        self.early_stopping = early_stopping
        self.procedure = procedure
        self.gamma = gamma
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
        self.checkpoint = checkpoint
        self.warm_start = warm_start
        self.verbose = verbose
        self.random_state = random_state
        self.n_jobs = n_jobs

    @on_draft
    @with_callbacks  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Boost trees on labelled rows.

        If fitting fails or is interrupted, the estimator is left as it was.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_columns), or lazy table
            Numbers, text, categories or dates. Cells may be missing. A lazy table is read in
            pieces: a scan (``polytomy.scan``), a polars ``LazyFrame``, a DuckDB relation or a
            pyarrow ``Dataset``.
        y : array of shape (n_rows,) or str, default=None
            The classes, as numbers or text. At least two classes; none may be missing.
            For a lazy table, the name of a column, or None for the target of a scan.
        sample_weight : array of shape (n_rows,) or str, default=None
            The weights of the rows, read as case counts. Rows of weight 0 are dropped. None gives
            every row the weight 1.

        Returns
        -------
        BoostedTreeClassifier
            The fitted estimator.
        """
        params = self._boost_params()
        stopping = EarlyStopping.of(self.early_stopping)
        rows = self._learn_rows(X, y, sample_weight)
        if self.estimator is not None:
            params = with_class_names(params, self.classes_)
        ready, self._fit_record = self._prepare(rows, params, stopping)
        return self._boost(ready, {"X": X, "y": y})

    def _boost(self, ready: Prepared, data: dict[str, Any]) -> Self:
        """Boost on rows that are ready; ``data`` is for callbacks."""
        stopping = EarlyStopping.of(self.early_stopping)
        progress = earlier_progress(self, ready) if self.warm_start else None
        attributes = partial(self._attributes, params=ready.params, prints=ready.fingerprint)
        callbacks = RoundCallbacks(self, data, self.n_rounds, attributes)
        checkpoint = Checkpoint.of(self.checkpoint)
        options = RunOptions(self.n_rounds, stopping, checkpoint, self.verbose)
        outcome = boost(ready, options, progress, callbacks)
        self._booster = outcome.booster
        self.__dict__.update(attributes(outcome.booster, best=outcome.best, ended=outcome.ended))
        callbacks.end()
        return self

    def fit_more(self, rounds: int) -> Self:
        """Add rounds to a fitted ensemble, on the rows it was fitted on.

        The encoded rows are kept for this in memory, but not in a pickle, a copy or a model file.
        Early stopping and checkpoints do not apply.

        Parameters
        ----------
        rounds : int
            The number of rounds to add.

        Returns
        -------
        BoostedTreeClassifier
            The estimator itself.
        """
        with self._draft(same_rows=True) as draft:
            draft._add_rounds(rounds)
        return self

    def _add_rounds(self, rounds: int) -> None:
        self._fitted_model()
        check_rounds("rounds", rounds)
        if not hasattr(self, "_booster"):
            raise ParameterError(
                "a copied, unpickled or loaded ensemble does not carry its training rows: set "
                "warm_start=True and a larger n_rounds, and fit again on the same rows"
            )
        booster = self._booster.run(len(self._booster.rounds) + int(rounds))
        state = self._state
        self.__dict__.update(self._attributes(booster, state.params, state.fingerprint))

    def predict(self, X: Any) -> AnyArray:
        """Return the class with the most votes for each row.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_columns), or lazy table
            The rows.

        Returns
        -------
        ndarray of shape (n_rows,)
            The predicted classes.
        """
        chosen = winners(self._votes(X))
        return np.asarray(self.classes_[chosen])

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the probability of each class.

        For two classes it is 1/(1 + exp(-2 f)) of the votes f. For ``"adaboost-mh"`` it is the same
        for each class, divided by the sum, and for ``"samme"`` and ``"logitboost"`` it is the
        softmax of the votes.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_columns), or lazy table
            The rows.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            The probabilities, with classes in the order of ``classes_``.
        """
        voted = self._votes(X)
        return probabilities(voted, self._model.algorithm)

    def decision_function(self, X: Any) -> FloatArray:
        """Return the votes.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_columns), or lazy table
            The rows.

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_classes)
            For two classes one number, positive for the second class; for more, one per class.
        """
        voted = self._votes(X)
        return decision_of(voted, len(self.classes_))

    def staged_predict(self, X: Any) -> Iterator[AnyArray]:
        """Yield the predicted classes after each round.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_columns), or lazy table
            The rows.

        Yields
        ------
        ndarray of shape (n_rows,)
            The predicted classes.
        """
        for staged in self._staged_votes(X):
            yield np.asarray(self.classes_[winners(staged)])

    def staged_predict_proba(self, X: Any) -> Iterator[FloatArray]:
        """Yield the probability of each class after each round.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_columns), or lazy table
            The rows.

        Yields
        ------
        ndarray of shape (n_rows, n_classes)
            The probabilities.
        """
        for staged in self._staged_votes(X):
            yield probabilities(staged, self._model.algorithm)

    def staged_decision_function(self, X: Any) -> Iterator[FloatArray]:
        """Yield the votes after each round.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_columns), or lazy table
            The rows.

        Yields
        ------
        ndarray of shape (n_rows,) or (n_rows, n_classes)
            The votes, as ``decision_function`` returns them.
        """
        for staged in self._staged_votes(X):
            yield decision_of(staged, len(self.classes_))

    def staged_score(self, X: Any, y: Any = None, sample_weight: Any = None) -> Iterator[float]:
        """Yield the accuracy after each round.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_columns), or lazy table
            The rows.
        y : array of shape (n_rows,) or str, default=None
            Their classes; for a lazy table, the name of a column, or None for the target of a scan.
        sample_weight : array of shape (n_rows,), default=None
            Their weights.

        Yields
        ------
        float
            The accuracy.
        """
        X, y, sample_weight = self._lazy_rows(X, y, sample_weight)
        for predicted in self.staged_predict(X):
            yield float(accuracy_score(labels_of(y), predicted, sample_weight=sample_weight))

    def margins(self, X: Any, y: Any = None) -> FloatArray:
        """Return the margin of each row: positive if the row is classified correctly.

        The margin is the votes for the row's class minus the most votes for any other class,
        divided by the largest difference that the members could give.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_columns), or lazy table
            The rows.
        y : array of shape (n_rows,) or str, default=None
            Their classes; for a lazy table, the name of a column, or None for the target of a scan.

        Returns
        -------
        ndarray of shape (n_rows,)
            Margins from -1 (all votes for a wrong class) to 1 (all votes for the right class).

        Examples
        --------
        >>> clf = BoostedTreeClassifier(3, algorithm="adaboost-real")
        >>> clf = clf.fit([[1], [2], [3]], ["a", "a", "b"])
        >>> clf.margins([[1], [3]], ["a", "a"]).round(2)
        array([ 1.  , -0.68])
        """
        X, y, _ = self._lazy_rows(X, y, None)
        voted = self._votes(X)
        numbers = known_class_numbers(y, len(voted), self.classes_, "y")
        return margins_of(self._model, voted, numbers)

    @property
    def ensemble_(self) -> Ensemble:
        """The trees that vote."""
        ensemble: Ensemble = self._fitted_model()
        return ensemble

    @property
    def certificate_(self) -> BoostCertificate:
        """The bound on the training error of the rounds that vote, and the error itself."""
        model = self._fitted_model()
        rate = float(self._state.params.learning_rate)
        rounds = self.rounds_[: self.n_rounds_]
        return certify(model.algorithm, rounds, rate, len(self.classes_))

    @property
    def feature_importances_(self) -> FloatArray:
        """The fraction of the total gain that each column contributes."""
        model = self._fitted_model()
        index = self._state.params.index_for(len(self.classes_))
        return importances_of(model, self.rounds_[: self.n_rounds_], index)

    @property
    def held_out_(self) -> AnyArray | None:
        """The rows passed to ``fit`` that were held out for early stopping, or None."""
        self._fitted_model()
        return self._fit_record.held_out

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the training rows."""
        state = dict(super().__getstate__())
        state.pop("_booster", None)
        return state

    def _boost_params(self) -> BoostParams:
        """Return the parameters of boosting, checked."""
        check_rounds("n_rounds", self.n_rounds)
        Checkpoint.of(self.checkpoint)
        return boost_params(self)

    def _prepare(
        self, given: LabelledRows, params: BoostParams, stopping: EarlyStopping | None
    ) -> tuple[Prepared, FitRecord]:
        """Hold out and encode the rows of a fit."""
        check_classes(params, self.classes_)
        rows, outside, numbers = split_rows(given, stopping, self.random_state)
        threads = self._threads()
        units = None if rows.weights is None else fixed_point(rows.weights, len(rows.labels))[0]
        coded = encode(rows.table, units, self.max_bins, threads)
        held_out = self._held_out(stopping, outside, coded.schema)
        sample = BoostingSample.of(coded, rows.labels, rows.n_classes, rows.weights)
        params = params.resolved(sample)
        prints = fingerprint(sample, params, held_out)
        ready = Prepared(params, sample, rows.table, held_out, prints, threads)
        n_rows = given.table.n_rows
        return ready, FitRecord(params, self.class_weight, self.max_bins, n_rows, numbers)

    def _held_out(
        self, stopping: EarlyStopping | None, outside: LabelledRows | None, schema: Schema
    ) -> HeldOut | None:
        """Return the rows to evaluate every round on: those held out, or given to stopping."""
        if stopping is not None and stopping.X_val is not None:
            outside = self._validation_rows(stopping, schema)
        if outside is None:
            return None
        return HeldOut.of(outside.table, outside.labels, outside.weights)

    def _validation_rows(self, stopping: EarlyStopping, schema: Schema) -> LabelledRows:
        """Return the held-out rows that the user passed to early stopping."""
        table = self._read_table(stopping.X_val, schema)
        labels = known_class_numbers(stopping.y_val, table.n_rows, self.classes_, "y_val")
        weights = stopping.sample_weight_val
        if weights is not None:
            weights = _check_sample_weight(
                weights, stopping.X_val, dtype=np.float64, ensure_non_negative=True
            )
        return LabelledRows(table, labels, weights, len(self.classes_))

    def _attributes(
        self,
        booster: Booster,
        params: BoostParams,
        prints: dict[str, str],
        best: int | None = None,
        ended: str | None = None,
    ) -> dict[str, Any]:
        """Return the attributes of an estimator that is fitted with the rounds of a booster.

        ``best`` is the last round that votes; None stands for all rounds.
        """
        n_rounds = len(booster.rounds) if best is None else best
        why = booster.ended if ended is None else ended
        state = BoostedState(params, prints, booster.progress, n_rounds, why)
        return self._attributes_of_state(state, booster.ensemble(self.classes_, n_rounds))

    def _attributes_of_state(self, state: BoostedState, model: Ensemble) -> dict[str, Any]:
        return {
            "rounds_": Rounds(state.progress.rounds),
            "n_rounds_": state.n_rounds,
            "ended_": state.ended,
            "_fit_record": self._fit_record,
            "_state": state,
            "_model": model,
        }

    def _check_parameters(self) -> None:
        self._boost_params()
        EarlyStopping.of(self.early_stopping)
        check_flag("warm_start", self.warm_start)
        check_common_parameters(self)

    def _saved_parts(self) -> dict[str, Any]:
        return boosted_parts(self._model, self._state, self.certificate_)

    def _restore(self, saved: Saved) -> Self:
        model, state = read_boosted_parts(saved)
        # A model file does not record the rows of a boosted fit.
        self._fit_record = FitRecord(state.params, self.class_weight, self.max_bins, None)
        self.__dict__.update(self._attributes_of_state(state, model))
        check_stated_certificate(saved, lambda: self.certificate_)
        return self

    def _verify(self, X: Any, y: Any, sample_weight: Any) -> Report:
        given = self._rows_to_verify(X, y, sample_weight)
        training, held_out = self._split_to_verify(given)
        rounds = self.rounds_, self.n_rounds_
        return verify_ensemble(
            self._model, self._state, rounds, self.certificate_, training, held_out
        )

    def _split_to_verify(self, given: LabelledRows) -> tuple[LabelledRows, LabelledRows | None]:
        """Return the training rows and the held-out rows of the fit."""
        record, stopping = self._fit_record, EarlyStopping.of(self.early_stopping)
        if record.held_out is not None and len(given.labels) == record.n_rows:
            return self._training_rows(given), given.take(record.held_out)
        if stopping is not None and stopping.X_val is not None:
            held_out = self._validation_rows(stopping, self._model.schema)
            return given.with_weight()[0], held_out
        if record.n_rows is None and stopping is not None and (given.labels >= 0).all():
            # The model was loaded: the same rows and the same seed give the same split.
            return split_rows(given, stopping, self.random_state)[:2]
        return given.with_weight()[0], None

    def _votes(self, X: Any) -> FloatArray:
        table = self._read_table(X)
        return votes(self._model, table, self._threads())

    def _staged_votes(self, X: Any) -> Iterator[FloatArray]:
        """Yield the votes after each round."""
        table = self._read_table(X)
        per_round = self.rounds_[0].trees if len(self.rounds_) else 1
        staged = staged_votes(self._model, table, self._threads())
        for n, voted in enumerate(staged, start=1):
            if n % per_round == 0:
                yield voted
