"""Teacher: a model whose forecasts replace part of the labels that a tree is grown on."""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, NamedTuple, TypeVar

import numpy as np
from sklearn.base import BaseEstimator, clone, is_classifier, is_regressor
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from polytomy._errors import ParameterError
from polytomy._numbers import is_integer, is_real
from polytomy._resample import assign_folds
from polytomy._types import AnyArray, FloatArray
from polytomy.encode import Coded
from polytomy.estimators.base.files import stored_as_parameter
from polytomy.estimators.base.rows import LabelledRows, NumericRows
from polytomy.forest import ForestSample
from polytomy.table import native_cells, native_rows
from polytomy.teach import (
    Blend,
    Forecasts,
    Mixture,
    forest_forecasts,
    known_rows,
    mix_rows,
    soft_sample,
)

BOTH = "forest+boosted"
"""The mean of two teachers."""
NAMES = ("forest", "boosted", BOTH)
"""The teachers of this library."""
BOOSTED_ROWS = 20_000
"""The largest number of rows that boosting is fitted to in each fold."""
_NAMED = ", ".join(map(repr, NAMES))
_SYNTHETIC = (12_000, 200_000)  # the least and the largest number of synthetic rows by "auto"
_MOST_EACH = 0.75  # the largest weight of a synthetic row, as a multiple of that of a real one
_TREES_PER_ROUND = 4  # of "forest+boosted"

OnTree = Callable[[int], Any]

_OWN: dict[str, type[Any]] = {}  # estimators of this library that teach out of fold, by name
_Class = TypeVar("_Class", bound=type[Any])


def teaches_as(name: str) -> Callable[[_Class], _Class]:
    """Register an estimator of this library as the teacher of a name."""

    def register(cls: _Class) -> _Class:
        _OWN[name] = cls
        return cls

    return register


@stored_as_parameter("teacher")
@dataclass(repr=False)
class Teacher(BaseEstimator):
    """A model that softens the labels a tree is grown on.

    The target of a row is a mixture of its label and the teacher's forecast for it, by a teacher
    that has not seen that label. Synthetic rows, which have the teacher's forecast alone, fill the
    space between the rows. What a tree shows and promises (counts, shares, certificate, tests) is
    still that of the real rows with their labels.

    Parameters
    ----------
    estimator : {"forest", "boosted", "forest+boosted"} or estimator, default="forest"
        ``"forest"`` is a forest with at least 3 rows in a leaf; its forecasts are out of bag.
        ``"boosted"`` is a ``BoostedTreeClassifier`` of trees with 8 leaves, for classes only; its
        forecasts are out of fold. ``"forest+boosted"`` is the mean of both, also for classes only,
        and the forest alone if there are fewer rows than folds. Any estimator of scikit-learn is
        refitted out of fold; one that is fitted already is used as it is, and should not have seen
        the rows.
    n_estimators : int, default=200
        The number of trees for ``"forest"``, and of rounds for ``"boosted"``. For
        ``"forest+boosted"`` it is the number of trees, and there is one round for four of them.
    mix : float, default=0.5
        The share of the label in the target of a row, from 0 to 1.
    synthetic_rows : int or "auto", default="auto"
        The number of synthetic rows, 0 for none. ``"auto"`` takes four times as many as there are
        rows, at least 12,000 and at most 200,000.
    synthetic_weight : float, default=1.0
        The weight of all synthetic rows, as a multiple of that of the real ones. None of them
        weighs more than 0.75 times as much as a real row.
    folds : int, default=5
        The number of folds for forecasts out of fold.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from polytomy import TreeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> teacher = Teacher(n_estimators=50)
    >>> clf = TreeClassifier(max_leaves=4, teacher=teacher, random_state=0).fit(X, y)
    >>> clf.origin_.lesson.name
    'forest of 50 trees'
    """

    estimator: Any = "forest"
    _: KW_ONLY
    n_estimators: int = 200
    mix: float = 0.5
    synthetic_rows: int | str = "auto"
    synthetic_weight: float = 1.0
    folds: int = 5

    @classmethod
    def of(cls, value: Any) -> "Teacher":
        """Return the teacher that the parameter of a tree describes.

        Parameters
        ----------
        value : str, estimator or Teacher
            The parameter.

        Returns
        -------
        Teacher
            The teacher itself, or one with the defaults.
        """
        return value if isinstance(value, Teacher) else cls(value)

    def check(self, *, is_numeric: bool, by_name: bool = False) -> None:
        """Raise an error for wrong parameters, or for an estimator that does not fit the target.

        Parameters
        ----------
        is_numeric : bool
            Whether the target is a number.
        by_name : bool, default=False
            Whether the estimator may be the name of one of another library, as in a model file.
        """
        if not (by_name and isinstance(self.estimator, str)):
            self._check_estimator(is_numeric=is_numeric)
        for name, least in (("n_estimators", 1), ("folds", 2)):
            value = getattr(self, name)
            if not is_integer(value) or value < least:
                raise ParameterError(
                    f"{name} of a teacher must be an integer of at least {least}, got {value!r}"
                )
        if not is_real(self.mix) or not 0 <= self.mix <= 1:
            raise ParameterError(f"mix must be a number from 0 to 1, got {self.mix!r}")
        rows = self.synthetic_rows
        if rows != "auto" and not (is_integer(rows) and int(rows) >= 0):
            raise ParameterError(
                f"synthetic_rows must be 'auto' or an integer of at least 0, got {rows!r}"
            )
        weight = self.synthetic_weight
        if not is_real(weight) or not 0 < weight < np.inf:
            raise ParameterError(f"synthetic_weight must be a number above 0, got {weight!r}")

    def _check_estimator(self, *, is_numeric: bool) -> None:
        model = self.estimator
        wanted = "regressor" if is_numeric else "classifier"
        if isinstance(model, str):
            if model not in NAMES:
                raise ParameterError(
                    f"teacher must be {_NAMED} or an estimator, got {model!r}; a model file holds "
                    "only the name of another estimator: set it again before fitting"
                )
            if is_numeric and model != "forest":
                raise ParameterError(
                    f"teacher={model!r} is for classes; use 'forest' or any regressor of "
                    "scikit-learn for a numeric target"
                )
            return
        if isinstance(model, type):
            raise ParameterError(f"teacher must be an instance, such as {model.__name__}()")
        if not hasattr(model, "fit") or not hasattr(model, "predict"):
            raise ParameterError(f"teacher must be {_NAMED} or an estimator, got {model!r}")
        if not (is_regressor(model) if is_numeric else is_classifier(model)):
            raise ParameterError(f"the teacher of this tree must be a {wanted}, got {model!r}")

    @property
    def is_fitted(self) -> bool:
        """Whether it is an estimator that is fitted already."""
        return not isinstance(self.estimator, str) and _is_fitted(self.estimator)

    def by_name(self) -> "Teacher":
        """Return the teacher in the form that a model file holds.

        Returns
        -------
        Teacher
            The teacher, with the name of an estimator of another library instead of the estimator.
        """
        model = self.estimator
        return self if isinstance(model, str) else replace(self, estimator=type(model).__name__)

    def blend(self, n_real: int, n_synthetic: int) -> Blend:
        """Return how labels, forecasts and synthetic rows are weighed.

        Parameters
        ----------
        n_real : int
            The number of real rows.
        n_synthetic : int
            The number of synthetic rows.

        Returns
        -------
        Blend
            The weights.
        """
        most = _MOST_EACH * n_synthetic / n_real
        return Blend(float(self.mix), min(float(self.synthetic_weight), most))

    @property
    def n_rounds(self) -> int:
        """The number of rounds of boosting."""
        trees = int(self.n_estimators)
        return max(1, trees // _TREES_PER_ROUND) if self.estimator == BOTH else trees

    def adds_boosting(self, n_rows: int) -> bool:
        """Return whether the forecasts of a forest are averaged with those of boosting.

        Parameters
        ----------
        n_rows : int
            The number of rows; fewer than ``folds`` are too few for boosting.

        Returns
        -------
        bool
            Whether they are.
        """
        return self.estimator == BOTH and n_rows >= self.folds

    def n_synthetic(self, n_real: int) -> int:
        """Return the number of synthetic rows.

        Parameters
        ----------
        n_real : int
            The number of real rows.

        Returns
        -------
        int
            The number; 0 for none.
        """
        if self.synthetic_rows != "auto":
            return int(self.synthetic_rows)
        least, most = _SYNTHETIC
        return min(max(4 * n_real, least), most)


# ---- rows for estimators of other libraries ----------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class NativeRows:
    """The rows of a fit as the user passed them, for estimators of other libraries.

    Parameters
    ----------
    data : array, data frame or Table
        All rows.
    numbers : ndarray of int
        The rows that are meant.
    """

    data: Any
    numbers: AnyArray

    def take(self, rows: AnyArray) -> "NativeRows":
        """Return some of these rows."""
        return NativeRows(self.data, self.numbers[rows])

    @property
    def rows(self) -> Any:
        """The rows, of the same type as ``data``."""
        return native_rows(self.data, self.numbers)

    def mixed(self, mixture: Mixture) -> Any:
        """Return synthetic rows, of the same type as ``data``."""
        return native_cells(self.data, self.numbers[mixture.source])


# ---- teaching ----------------------------------------------------------------------------------


class TeachingRows(NamedTuple):
    """The real rows: their codes, their labels, the rows as the user passed them, the classes.

    ``native`` is None if no teacher needs it.
    """

    coded: Coded
    rows: LabelledRows
    native: NativeRows | None
    classes: AnyArray

    def take(self, rows: AnyArray) -> "TeachingRows":
        """Return some of these rows."""
        native = None if self.native is None else self.native.take(rows)
        return TeachingRows(self.coded.take(rows), self.rows.take(rows), native, self.classes)


@dataclass(frozen=True, slots=True, eq=False)
class Taught:
    """The rows that a tree is grown on, and what is known of the teacher.

    Parameters
    ----------
    coded : Coded
        The codes of the real and the synthetic rows.
    target : Target
        Their soft targets.
    forecast : ndarray
        The teacher's forecasts for the real rows.
    name : str
        The teacher in words.
    validation : str
        How its error was measured.
    error : float
        Its error.
    mix : float
        The share of the labels.
    synthetic_rows : int
        The number of synthetic rows.
    """

    coded: Coded
    target: Any
    forecast: FloatArray
    name: str
    validation: str
    error: float
    mix: float
    synthetic_rows: int


def teach(
    teacher: Teacher,
    given: TeachingRows,
    index: Any,
    random_state: Any,
    threads: int,
    on_tree: OnTree | None = None,
) -> Taught:
    """Return the rows that a tree with a teacher is grown on.

    Parameters
    ----------
    teacher : Teacher
        The teacher.
    given : TeachingRows
        The real rows.
    index : str or callable
        The index function, or the criterion of a numeric target.
    random_state : int, RandomState or None
        The random seed; None for a fixed one.
    threads : int
        The number of threads.
    on_tree : callable or None, default=None
        Called with the number of trees of a forest so far.

    Returns
    -------
    Taught
        The rows, with softened targets.
    """
    seed = 0 if random_state is None else int(check_random_state(random_state).randint(1 << 31))
    coded, rows = given.coded, given.rows
    n_synthetic = teacher.n_synthetic(coded.n_rows)
    mixture = mix_rows(coded, n_synthetic, seed, rows.weights) if n_synthetic else None
    asked: list[_Answer] = []
    if teacher.estimator in ("forest", BOTH):
        sample = ForestSample(coded, rows.target, rows.table)
        grown = forest_forecasts(
            sample,
            mixture,
            int(teacher.n_estimators),
            index_of_forest(index),
            seed=seed,
            threads=threads,
            on_tree=on_tree,
        )
        name = f"forest of {grown.n_trees} trees"
        asked.append(_Answer(grown.forecasts, name, "out-of-bag"))
    if not asked or teacher.adds_boosting(coded.n_rows):
        pupil = _Pupil(teacher, given, threads)
        asked.append(_Answer(pupil.forecasts(mixture, seed), pupil.name, pupil.validation))
    forecasts = asked[0].forecasts if len(asked) == 1 else _mean(*(a.forecasts for a in asked))
    name, validation = " and ".join(a.name for a in asked), asked[-1].validation
    blend = teacher.blend(coded.n_rows, n_synthetic)
    soft_coded, target = soft_sample(coded, rows.target, forecasts, blend)
    error = _error_of(forecasts.real, rows)
    return Taught(
        soft_coded, target, forecasts.real, name, validation, error, blend.mix, n_synthetic
    )


class _Answer(NamedTuple):
    """The forecasts of a teacher, its name, and how its error is measured."""

    forecasts: Forecasts
    name: str
    validation: str


def _mean(first: Forecasts, second: Forecasts) -> Forecasts:
    """Return the mean of two teachers' forecasts; the second one has one for every row."""
    real = (first.real + second.real) / 2
    is_missing = ~known_rows(real)  # a row in the bags of all trees
    real[is_missing] = second.real[is_missing]
    if first.synthetic is None or second.synthetic is None:
        return Forecasts(real)
    return Forecasts(real, first.mixture, (first.synthetic + second.synthetic) / 2)


def index_of_forest(index: Any) -> str:
    """Return the index of the trees of a forest: functions are slow, and "error" misses splits."""
    return index if isinstance(index, str) and index != "error" else "gini"


class _Pupil:
    """Forecasts of an estimator: out of fold, or as it was fitted."""

    def __init__(self, teacher: Teacher, given: TeachingRows, threads: int) -> None:
        rows = given.rows
        assert given.native is not None
        self._rows, self._native, self._classes = rows, given.native, given.classes
        self._folds, self._most_rows = int(teacher.folds), len(rows.labels)
        model = teacher.estimator
        self._is_fitted = teacher.is_fitted
        if isinstance(model, str):
            n_rounds = teacher.n_rounds
            model = _OWN["boosted"](n_rounds, max_leaves=8, n_jobs=threads, random_state=0)
            self._most_rows = BOOSTED_ROWS
            self._native = NativeRows(rows.table, np.arange(rows.table.n_rows))
            self.name = f"boosting, {n_rounds} round{'s' if n_rounds > 1 else ''}"
        else:
            self.name = type(model).__name__
        self._model = model
        self.validation = "training" if self._is_fitted else "out-of-fold"

    def forecasts(self, mixture: Mixture | None, seed: int) -> Forecasts:
        """Return the forecasts for the real and the synthetic rows."""
        mixed = None if mixture is None else self._native.mixed(mixture)
        if not self._is_fitted:
            return Forecasts(*self._out_of_fold(mixture, mixed, seed))
        real = self._forecast(self._model, self._native.rows)
        synthetic = None if mixture is None else self._forecast(self._model, mixed)
        return Forecasts(real, mixture, synthetic)

    def _out_of_fold(
        self, mixture: Mixture | None, mixed: Any, seed: int
    ) -> tuple[FloatArray, Mixture | None, FloatArray | None]:
        """Return forecasts by models of other folds; for synthetic rows, the mean of all models."""
        rows = self._rows
        n_rows = len(rows.labels)
        if n_rows < self._folds:
            raise ParameterError(
                f"a teacher with {self._folds} folds needs at least {self._folds} rows, got "
                f"{n_rows}; use fewer folds, teacher='forest' or no teacher"
            )
        random = np.random.RandomState(seed % (1 << 32))
        fold = assign_folds(rows.strata, self._folds, random)
        parts: list[tuple[AnyArray, FloatArray]] = []
        synthetic: FloatArray | None = None
        for f in range(self._folds):
            outside, inside = np.flatnonzero(fold == f), np.flatnonzero(fold != f)
            if len(inside) > self._most_rows:
                inside = np.sort(random.choice(inside, self._most_rows, replace=False))
            model = self._fitted(inside)
            parts.append((outside, self._forecast(model, self._native.take(outside).rows)))
            if mixture is not None:
                share = self._forecast(model, mixed) / self._folds
                synthetic = share if synthetic is None else synthetic + share
        out = np.empty((n_rows, *parts[0][1].shape[1:]))
        for outside, forecast in parts:
            out[outside] = forecast
        return out, mixture, synthetic

    def _fitted(self, numbers: AnyArray) -> Any:
        """Return a model fitted to some rows; if they have one class, a model that forecasts it."""
        rows = self._rows.take(numbers)
        model = clone(self._model)
        if not isinstance(rows, NumericRows) and (rows.labels == rows.labels[0]).all():
            model = DummyClassifier()
        given: dict[str, Any] = {}
        if rows.weights is not None:
            given = {self._weight_parameter(model): rows.weights}
        return model.fit(self._native.take(numbers).rows, rows.labels, **given)

    def _weight_parameter(self, model: Any) -> str:
        """Return the name by which ``fit`` takes weights; in a pipeline, its last step does."""
        name, last = "sample_weight", model
        if hasattr(model, "steps"):
            step, last = model.steps[-1]
            name = f"{step}__{name}"
        if not has_fit_parameter(last, "sample_weight"):
            raise ParameterError(
                f"the rows have weights, but the teacher {self.name} takes no sample_weight"
            )
        return name

    def _forecast(self, model: Any, X: Any) -> FloatArray:
        """Return the class shares, or the numbers, that a fitted model forecasts."""
        if isinstance(self._rows, NumericRows):
            numbers = self._checked(np.asarray(model.predict(X), dtype=np.float64).reshape(-1))
            return np.maximum(numbers, 0.0) if self._rows.criterion == "poisson" else numbers
        n_classes = self._rows.n_classes
        known = self._class_numbers(model)
        if not hasattr(model, "predict_proba"):
            place = dict(zip(np.asarray(model.classes_).tolist(), known, strict=True))
            guess = np.array([place[c] for c in np.asarray(model.predict(X)).tolist()])
            return np.asarray(np.eye(n_classes)[guess])
        forecast = np.asarray(model.predict_proba(X), dtype=np.float64)
        shares = np.zeros((len(forecast), n_classes))
        shares[:, known] = self._checked(forecast)
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))

    def _class_numbers(self, model: Any) -> list[int]:
        """Return our number of each class of a model."""
        if not hasattr(model, "classes_"):
            raise ParameterError(f"the teacher {self.name} has no classes_ after fitting")
        if not self._is_fitted:
            return [int(c) for c in model.classes_]
        place = {c: k for k, c in enumerate(np.asarray(self._classes).tolist())}
        unknown = [c for c in np.asarray(model.classes_).tolist() if c not in place]
        if unknown:
            raise ParameterError(
                f"the fitted teacher {self.name} knows classes that y does not have: {unknown[:5]}"
            )
        return [place[c] for c in np.asarray(model.classes_).tolist()]

    def _checked(self, forecast: FloatArray) -> FloatArray:
        if not np.isfinite(forecast).all():
            raise ParameterError(f"the teacher {self.name} forecasts numbers that are not finite")
        return forecast


def _is_fitted(model: Any) -> bool:
    try:
        check_is_fitted(model)
    except (NotFittedError, TypeError):
        return False
    return True


def _error_of(forecast: FloatArray, rows: LabelledRows) -> float:
    """Return the share of the weight that is classified wrongly, or the mean loss of numbers.

    The weights of classes do not count, as in all figures that readers see.
    """
    known = known_rows(forecast)
    if not known.any():
        return 1.0 if forecast.ndim == 2 else float(np.var(rows.labels))
    weights = None if rows.case_weights is None else rows.case_weights[known]
    labels, guess = rows.labels[known], forecast[known]
    if not isinstance(rows, NumericRows):
        return float(np.average(guess.argmax(axis=1) != labels, weights=weights))
    if rows.criterion == "poisson":
        least = np.finfo(float).tiny
        ratio = np.where(labels > 0, labels, 1.0) / np.maximum(guess, least)
        loss = np.where(labels > 0, labels * np.log(ratio), 0.0) - (labels - guess)
    else:
        loss = (labels - guess) ** 2
    return float(np.average(loss, weights=weights))
