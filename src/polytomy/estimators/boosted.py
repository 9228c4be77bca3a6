"""BoostedTreeClassifier: many small trees that vote."""

from collections.abc import Iterator
from numbers import Integral
from typing import Any, Self

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.utils.validation import check_is_fitted

from polytomy._errors import ParameterError, TargetError
from polytomy._types import AnyArray, FloatArray
from polytomy.boost import (
    BoostCertificate,
    Booster,
    BoostParams,
    Checkpoint,
    EarlyStopping,
    Progress,
    certify,
    probabilities,
    winners,
)
from polytomy.ensemble import Ensemble, staged_votes, votes
from polytomy.grow import GrowParams
from polytomy.table import Table

from ._boosted_reading import BoostedReading
from ._boosted_reporting import BoostedReporting
from ._boosting import Prepared, boosted, prepared
from ._callbacks import CallbackSupportMixin, with_callbacks
from ._exporting import Lasting
from ._input import labels_of, renamed, table_of
from ._progress import RoundCallbacks
from ._unharmed import unharmed
from ._votes import importances, margins_of


class BoostedTreeClassifier(
    BoostedReading, BoostedReporting, Lasting, CallbackSupportMixin, ClassifierMixin, BaseEstimator
):
    """Small trees, each grown on what those before it got wrong, that vote together.

    Parameters
    ----------
    n_rounds : int
        How many rounds at most; a round adds a tree (``logitboost`` with more than two classes:
        one for each class).
    algorithm : {"auto", "adaboost", "adaboost-real", "adaboost-mh", "samme", "logitboost"}
        ``auto`` is ``adaboost-real`` for two classes and ``adaboost-mh`` for more. ``adaboost`` and
        ``adaboost-real`` know two classes only.
    max_leaves : int or None
        The leaves of each tree. 2 is a stump. 8 with ``max_depth=1`` is one of up to 8 branches:
        a tree of one question has nothing else to spend leaves on, so "per-leaf" takes the one
        that gains most, however wide.
    index : str or callable
        By what trees are grown; ``auto`` is what the algorithm calls for.
    learning_rate : float
        What every vote is multiplied by.
    smoothing : "auto" or float
        What ``adaboost-real`` and ``adaboost-mh`` add to the weights in a leaf before they take its
        confidence, where the weights of all rows add up to 1; ``auto`` is half a row's weight.
    early_stopping : None, dict or EarlyStopping
        ``{"fraction": 0.1, "patience": 10}`` holds out rows and stops when they have not become
        better for so many rounds; the ensemble is then that of the best round. More keys:
        ``min_delta``, ``monitor`` ("error" or "loss"), ``X_val``, ``y_val``, ``sample_weight_val``.
    procedure, gamma, leaf_order, families, max_arity, max_depth, min_samples_split, \
min_samples_leaf, min_weight_fraction_leaf, min_gain
        How each tree is grown, as in ``TreeClassifier``.
    class_weight, categorical_features, max_bins
        As in ``TreeClassifier``.
    checkpoint : None, path or dict
        A file to keep progress in; a fit that finds one goes on from it, to exactly the ensemble
        of an uninterrupted run. ``{"path": ..., "rounds": 50, "seconds": 10}`` says how often.
    warm_start : bool
        Whether the next fit, on the same rows, goes on from the rounds there are.
    verbose : int
        1 shows a progress bar on a terminal and some lines elsewhere, 2 a line for every round.
    random_state : int, RandomState or None
        Which rows are held out by a fraction; None is 0. Nothing else is random.
    n_jobs : int or None
        The number of threads; the ensemble does not depend on it.

    Attributes
    ----------
    classes_ : ndarray
        The classes, in order.
    rounds_ : Rounds
        The record of every round: ``rounds_[3].epsilon``, or ``rounds_.epsilon`` for all of them.
    n_rounds_ : int
        The rounds that vote: all of them, or with early stopping those up to the best.
    ended_ : str or None
        Why the run ended before ``n_rounds``; None if it did not.
    ensemble_ : Ensemble
        The trees that vote.
    certificate_ : BoostCertificate
        The bound on the training error, the error, and whether one bounded the other throughout.
    feature_importances_ : ndarray
        Each column's share of what all splits gained.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> clf = BoostedTreeClassifier(5).fit(X, y)
    >>> print(clf.certificate_)
    adaboost-real, 5 rounds
      training error          0.0351494
      bound                   0.204283
      error <= prod Z: holds after every round
    """

    _model: Ensemble  # what ``table_of`` and readers take
    _params: BoostParams
    ended_: str | None

    def __init__(
        self,
        n_rounds: int = 100,
        *,
        algorithm: str = "auto",
        max_leaves: int | None = 2,
        index: Any = "auto",
        learning_rate: float = 1.0,
        smoothing: Any = "auto",
        early_stopping: Any = None,
        procedure: str = "per-leaf",
        gamma: float | None = None,
        leaf_order: str = "auto",
        families: Any = ("intervals", "values", "groups"),
        max_arity: int = 8,
        max_depth: int | None = None,
        min_samples_split: int = 2,
        min_samples_leaf: int = 1,
        min_weight_fraction_leaf: float = 0.0,
        min_gain: float = 0.0,
        class_weight: Any = None,
        categorical_features: Any = "from_dtype",
        max_bins: int = 255,
        checkpoint: Any = None,
        warm_start: bool = False,
        verbose: int = 0,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_rounds = n_rounds
        self.algorithm = algorithm
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

    @with_callbacks  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Boost on a table and its labels.

        Parameters
        ----------
        X : array or data frame of shape (rows, columns)
            Numbers, text, categories, dates; cells may be missing.
        y : array of shape (rows,)
            The classes: numbers or text, none missing, at least two.
        sample_weight : array of shape (rows,), optional
            Weights, read as case counts; rows of weight 0 are dropped.
        """
        params = self._boost_params()
        stopping = EarlyStopping.of(self.early_stopping)
        with unharmed(self):
            ready = prepared(self, params, (X, y, sample_weight), stopping)
            progress = self._earlier(ready) if self.warm_start else None
            callbacks = RoundCallbacks(
                self, {"X": X, "y": y}, self.n_rounds, lambda b: self._fitted(b, params)
            )
            outcome = boosted(ready, self, stopping, progress, callbacks)
        self._mark = ready.mark
        self._take(outcome.booster, params, outcome.best)
        self.ended_ = outcome.why
        callbacks.end()
        return self

    def fit_more(self, rounds: int) -> Self:
        """Add rounds to a fitted ensemble, on the rows it was fitted on.

        The codes of those rows are kept for this while the estimator lives; they are not part of a
        pickle or a copy. Early stopping and checkpoints have no say here.
        """
        check_is_fitted(self)
        _check_rounds("rounds", rounds)
        if not hasattr(self, "_booster"):
            raise ParameterError(
                "a copied or unpickled ensemble does not carry its training rows: "
                "set warm_start=True and a larger n_rounds, and fit again on the same rows"
            )
        self._take(self._booster.run(len(self._booster.rounds) + int(rounds)), self._params)
        return self

    def predict(self, X: Any) -> AnyArray:
        """Return the class with the most votes for each row."""
        chosen = winners(self._votes(X))
        return np.asarray(self.classes_[chosen])

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the probability of each class, in the order of ``classes_``.

        Two classes: 1/(1 + exp(-2 f)) of the votes f. ``adaboost-mh``: the same for each class,
        divided by the sum. ``samme`` and ``logitboost``: the softmax of the votes.
        """
        voted = self._votes(X)
        return probabilities(voted, self._model.algorithm)

    def predict_log_proba(self, X: Any) -> FloatArray:
        """Return the logarithms of ``predict_proba``."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def decision_function(self, X: Any) -> FloatArray:
        """Return the votes f: positive for the second of two classes, or one for each class."""
        voted = self._votes(X)
        return _decision(voted, len(self.classes_))

    def staged_predict(self, X: Any) -> Iterator[AnyArray]:
        """Yield the predictions after the first round, after the second, and so on."""
        for staged in self._staged(X):
            yield np.asarray(self.classes_[winners(staged)])

    def staged_predict_proba(self, X: Any) -> Iterator[FloatArray]:
        """Yield the probabilities after each round."""
        for staged in self._staged(X):
            yield probabilities(staged, self._model.algorithm)

    def staged_decision_function(self, X: Any) -> Iterator[FloatArray]:
        """Yield the votes after each round."""
        for staged in self._staged(X):
            yield _decision(staged, len(self.classes_))

    def staged_score(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """Yield the accuracy after each round."""
        for predicted in self.staged_predict(X):
            yield float(accuracy_score(y, predicted, sample_weight=sample_weight))

    def margins(self, X: Any, y: Any) -> FloatArray:
        """Return each row's margin, from -1 (all votes for a wrong class) to 1 (all for the right).

        It is the votes for the row's class less the most for any other, over the most that the
        ensemble's members could give.
        """
        voted = self._votes(X)
        classes, place = labels_of(y, len(voted))
        unknown = np.setdiff1d(classes, self.classes_)
        if len(unknown):
            raise TargetError(f"y has classes that were not fitted: {unknown.tolist()}")
        return margins_of(self._model, voted, np.searchsorted(self.classes_, classes)[place])

    @property
    def ensemble_(self) -> Ensemble:
        """The trees that vote."""
        check_is_fitted(self)
        return self._model

    @property
    def certificate_(self) -> BoostCertificate:
        """What the theorem says about the training error of the rounds that vote; print it."""
        check_is_fitted(self)
        rate = float(self._params.learning_rate)
        rounds = self.rounds_[: self.n_rounds_]
        return certify(self._model.algorithm, rounds, rate, len(self.classes_))

    @property
    def feature_importances_(self) -> FloatArray:
        """Each column's share of what all splits gained, weighted by what their trees count."""
        check_is_fitted(self)
        index = self._params.index_for(len(self.classes_))
        return importances(self._model, self.rounds_[: self.n_rounds_], index)

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

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the training rows."""
        state = dict(super().__getstate__())
        state.pop("_booster", None)
        return state

    def _boost_params(self) -> BoostParams:
        """Return the parameters, checked."""
        _check_rounds("n_rounds", self.n_rounds)
        Checkpoint.of(self.checkpoint)
        names = [name for name in GrowParams.__dataclass_fields__ if name != "index"]
        grow = GrowParams(**{name: getattr(self, name) for name in names})
        names = [name for name in BoostParams.__dataclass_fields__ if name != "grow"]
        return BoostParams(**{name: getattr(self, name) for name in names}, grow=grow)

    def _earlier(self, ready: Prepared) -> Progress | None:
        """Return the rounds there are, for a warm start."""
        if not hasattr(self, "_model"):
            return None
        if self._mark != ready.mark:
            raise ParameterError(
                "warm_start goes on with the same rows and parameters, and these differ; "
                "set warm_start=False to begin anew"
            )
        if self.n_rounds < len(self.rounds_):
            raise ParameterError(
                f"n_rounds={self.n_rounds} must be at least the {len(self.rounds_)} rounds there "
                "are already when warm_start=True"
            )
        return self._progress

    def _take(self, booster: Booster, params: BoostParams, best: int | None = None) -> None:
        """Become what the booster has come to; its best round is the last that votes."""
        self._booster = booster
        self._progress = booster.progress
        self.__dict__.update(self._fitted(booster, params, best))

    def _fitted(
        self, booster: Booster, params: BoostParams, best: int | None = None
    ) -> dict[str, Any]:
        """Return the attributes by which an estimator predicts what the booster has come to."""
        n_rounds = len(booster.rounds) if best is None else best
        return {
            "rounds_": booster.rounds,
            "n_rounds_": n_rounds,
            "ended_": booster.ended,
            "_params": params,
            "_model": booster.ensemble(self.classes_, n_rounds),
        }

    def _table(self, X: Any) -> Table:
        check_is_fitted(self)
        return renamed(table_of(self, X, reset=False), self._model.schema)

    def _votes(self, X: Any) -> FloatArray:
        return votes(self.ensemble_, self._table(X), effective_n_jobs(self.n_jobs))

    def _staged(self, X: Any) -> Iterator[FloatArray]:
        """Yield the votes after each round."""
        a_round = self.rounds_[0].trees if len(self.rounds_) else 1
        threads = effective_n_jobs(self.n_jobs)
        for n, staged in enumerate(staged_votes(self.ensemble_, self._table(X), threads), start=1):
            if n % a_round == 0:
                yield staged


def _decision(voted: FloatArray, n_classes: int) -> FloatArray:
    """Return votes as scikit-learn wants them: of two classes, one number."""
    if n_classes > 2:
        return voted
    return voted[:, 0] if voted.shape[1] == 1 else (voted[:, 1] - voted[:, 0]) / 2


def _check_rounds(name: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
        raise ParameterError(f"{name} must be an integer of at least 1, got {value!r}")
