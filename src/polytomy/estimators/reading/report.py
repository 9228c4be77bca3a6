"""HTML reports of fitted models, and the facts they show."""

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np

from polytomy import __version__
from polytomy._errors import ParameterError
from polytomy._files import write_atomically
from polytomy._text import percent
from polytomy._types import AnyArray, FloatArray, IntArray
from polytomy.boost import BoostCertificate, Rounds, probabilities, winners
from polytomy.certify.verify.report import is_close
from polytomy.density import DensityModel
from polytomy.encode import encode_with
from polytomy.ensemble import Ensemble, mean_shares, staged_votes, votes, votes_after
from polytomy.estimators.base.models import BaseTreeModel
from polytomy.estimators.base.rows import LabelledRows, NumericRows, case_weights, row_weights
from polytomy.estimators.density.pruning import PrunableDensity
from polytomy.estimators.ensembles.boosting import margins_of
from polytomy.estimators.ensembles.files import ForestState
from polytomy.estimators.fitting.growing import weights_at_nodes
from polytomy.estimators.trees.node_details import node_details
from polytomy.forest import ForestSample, OutOfBag, grow_forest
from polytomy.io import Scan
from polytomy.model import Model
from polytomy.predict import apply
from polytomy.report import (
    Evaluated,
    Fitted,
    FittedForest,
    Heading,
    Outcomes,
    PredictedNumbers,
    Rows,
    ScoredRows,
    boosted_facts,
    density_facts,
    forest_facts,
    json_size,
    margin_stages,
    render,
    tree_facts,
)

from .decisions import Judged, ReportInput, decision_sections, judged_tree, own_weights

_MAX_STAGED = 50_000_000  # rows times trees up to which the error after every round is computed


class ReportedModel(BaseTreeModel):
    """A model with a report: one HTML file that needs no network and contains no rows."""

    def report_facts(
        self,
        X: Any = None,
        y: Any = None,
        X_test: Any = None,
        y_test: Any = None,
        *,
        sample_weight: Any = None,
        sample_weight_test: Any = None,
        title: str | None = None,
        group: Any = None,
        drift: Any = None,
    ) -> dict[str, Any]:
        """Return the facts that ``report`` shows, as plain data.

        Parameters
        ----------
        X : array, data frame or lazy table, default=None
            The rows passed to ``fit``.
        y : array or str, default=None
            The classes or numbers passed to ``fit``. A density tree ignores it.
        X_test : array, data frame or lazy table, default=None
            Rows that the model was not fitted on.
        y_test : array or str, default=None
            The classes or numbers of the test rows.
        sample_weight : array, default=None
            The weights passed to ``fit``.
        sample_weight_test : array, default=None
            The weights of the test rows.
        title : str or None, default=None
            The title of the page.
        group : str or array, default=None
            The group of each test row, or of each training row if there are no test rows.
        drift : array, data frame or lazy table, default=None
            Other rows, whose distribution is compared with that of the training rows.

        Returns
        -------
        dict
            Facts that ``json.dumps`` accepts.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from polytomy import TreeClassifier
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> facts = TreeClassifier(max_leaves=3).fit(X, y).report_facts(X, y)
        >>> facts["title"], facts["nodes"][0]["asks"]
        ('Decision tree for target', 'petal length (cm)')
        >>> [(o["arity"], round(o["gain"], 3)) for o in facts["details"]["0"]["menu"][:2]]
        [(2, 0.667), (3, 1.186)]
        """
        self._fitted_model()
        weights = sample_weight, sample_weight_test
        given = ReportInput(X, y, X_test, y_test, *weights, _checked_title(title), group, drift)
        return self._collect_facts(given.with_groups(self))

    @abstractmethod
    def _collect_facts(self, given: ReportInput) -> dict[str, Any]:
        """Return the facts of the report."""

    def report(
        self,
        path: Any,
        X: Any = None,
        y: Any = None,
        X_test: Any = None,
        y_test: Any = None,
        *,
        sample_weight: Any = None,
        sample_weight_test: Any = None,
        title: str | None = None,
        group: Any = None,
        drift: Any = None,
    ) -> None:
        """Write a self-contained HTML report of the model.

        The file contains counts but no rows, and needs no network.

        Parameters
        ----------
        path : str or path-like
            The file to write. It is replaced in one step.
        X : array, data frame or lazy table, default=None
            The rows passed to ``fit``. With them, the report of a tree also shows the alternative
            splits of each node and the distribution of its rows; the report of a boosted model also
            shows margins and a confusion matrix; that of a density tree their mean log-density.
        y : array or str, default=None
            The classes or numbers passed to ``fit``.
        X_test : array, data frame or lazy table, default=None
            Rows that the model was not fitted on, to show the error on them.
        y_test : array or str, default=None
            The classes or numbers of the test rows.
        sample_weight : array, default=None
            The weights passed to ``fit``.
        sample_weight_test : array, default=None
            The weights of the test rows.
        title : str or None, default=None
            The title of the page. None makes one from the name of the target, if it has one.
        group : str or array, default=None
            The group of each test row, or of each training row if there are no test rows, to show
            the error rates of each group. A name is that of a column of these rows, which need not
            be one of the model's. For classifiers.
        drift : array, data frame or lazy table, default=None
            Other rows, with or without a target, to show how far they differ from the training
            rows: in the leaves of a tree or the predictions of an ensemble, and in each column.

        Examples
        --------
        >>> from tempfile import TemporaryDirectory
        >>> from sklearn.datasets import load_iris
        >>> from polytomy import BoostedTreeClassifier
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> clf = BoostedTreeClassifier(5).fit(X, y)
        >>> with TemporaryDirectory() as folder:
        ...     clf.report(f"{folder}/iris.html", X, y)
        """
        facts = self.report_facts(
            X,
            y,
            X_test,
            y_test,
            sample_weight=sample_weight,
            sample_weight_test=sample_weight_test,
            title=title,
            group=group,
            drift=drift,
        )
        write_atomically(path, render(facts).encode("utf-8"))

    def _both_rows(
        self, given: ReportInput, *, class_weight: bool
    ) -> tuple[LabelledRows | None, LabelledRows | None]:
        """Return the training rows and the test rows, each None if not given."""
        training = self._optional_rows(
            given.X, given.y, given.sample_weight, ("X", "y"), class_weight=class_weight
        )
        names = ("X_test", "y_test")
        test = self._optional_rows(
            given.X_test, given.y_test, given.sample_weight_test, names, class_weight=False
        )
        return training, test

    def _optional_rows(
        self, X: Any, y: Any, sample_weight: Any, names: tuple[str, str], *, class_weight: bool
    ) -> LabelledRows | None:
        """Return the given rows, or None if none are given."""
        if X is None and y is None and sample_weight is None:
            return None
        return self._read_rows(X, y, sample_weight, names, class_weight=class_weight)


class ReportedTree(ReportedModel):
    """A tree with a report."""

    _model: Model

    def _collect_facts(self, given: ReportInput) -> dict[str, Any]:
        """Return the facts of the report."""
        training, test = self._both_rows(given, class_weight=True)
        target = _name_of_target(given)
        judged = judged_tree(self, training, test)
        sections = decision_sections(self, given, judged, training, test, target)
        rows = replace(self._facts_of_rows(training, test), reserved=json_size(sections))
        return tree_facts(self._fitted_model(), rows, given.title, target) | sections

    def _facts_of_rows(self, given: LabelledRows | None, test: LabelledRows | None) -> Rows:
        """Return the facts that need rows: test weights, alternative splits, distributions."""
        model, threads = self._model, self._threads()
        facts: dict[str, Any] = {}
        if test is not None:
            test = test.with_weight()[0]
            at_nodes = _outcomes if model.is_numeric else _weights
            facts["test"] = at_nodes(model, test, threads)
            facts["test_rows"] = len(test.labels)
        if given is not None:
            rows = self._training_rows(given)
            if model.is_numeric:
                facts["training"] = _outcomes(model, rows, threads)
            facts["details"] = node_details(model, rows, self._fit_record.params, threads)
            facts["note"] = _note_on_tree_rows(model, rows, _weights(model, rows, threads))
        return Rows(**facts)


class ReportedEnsemble(ReportedModel):
    """A boosted model with a report."""

    _model: Ensemble
    rounds_: Rounds
    n_rounds_: int
    ended_: str | None

    @property
    @abstractmethod
    def certificate_(self) -> BoostCertificate:
        """The bound on the training error, and the error itself."""

    @property
    @abstractmethod
    def feature_importances_(self) -> FloatArray:
        """The fraction of the total gain that each column contributes."""

    def _collect_facts(self, given: ReportInput) -> dict[str, Any]:
        """Return the facts of the report."""
        model = self._fitted_model()
        training, test = self._both_rows(given, class_weight=False)
        evaluated = None if training is None else self._evaluated(training, staged=False)
        tested = None if test is None else self._evaluated(test, staged=True)
        none = np.zeros(len(model.schema))  # if another estimator is boosted
        fitted = Fitted(
            model,
            self.rounds_,
            self.n_rounds_,
            self.certificate_,
            getattr(self, "feature_importances_", none),
            float(self._fit_record.params.learning_rate),
            self.ended_,
        )
        target = _name_of_target(given)
        heading = Heading(__version__, given.title, target)
        note = self._note_on_rows(evaluated)
        facts = boosted_facts(fitted, heading, evaluated, tested, note)
        judged = None
        for which, rows, found in (("test", test, tested), ("training", training, evaluated)):
            if judged is None and rows is not None and found is not None:
                judged = Judged.of(which, found, rows.with_weight()[1])
        return facts | decision_sections(self, given, judged, training, test, target)

    def _evaluated(self, given: LabelledRows, *, staged: bool) -> Evaluated:
        """Return the predictions and margins of rows; ``staged`` adds the error of every round."""
        rows = given.with_weight()[0]
        table, labels = rows.table, rows.labels
        weights = np.ones(table.n_rows) if rows.weights is None else rows.weights
        per_round = self.rounds_[0].trees if len(self.rounds_) else 1
        margins, voted, stages = {}, np.empty((0, 1)), margin_stages(self.n_rounds_)
        counts = [n * per_round for n in stages]
        found = votes_after(self._model, table, counts, self._threads())
        for n, count, voted in zip(stages, counts, found, strict=True):
            margins[n] = margins_of(self._model.truncated(count), voted, labels)
        errors = None
        if staged and table.n_rows * len(self._model) <= _MAX_STAGED:
            after: Iterator[FloatArray] = islice(
                staged_votes(self._model, table), per_round - 1, None, per_round
            )
            wrong = (np.average(winners(v) != labels, weights=weights) for v in after)
            errors = np.fromiter(wrong, dtype=np.float64)
        shares = probabilities(voted, self._model.algorithm)
        return Evaluated(labels, winners(voted), weights, margins, errors, table, shares)

    def _note_on_rows(self, training: Evaluated | None) -> str | None:
        """Return a note if the rows given as training rows are others, or None."""
        if training is None or not self.n_rounds_:
            return None
        classes = np.asarray(self._model.classes)
        own = row_weights(classes, training.labels, None, self._fit_record.class_weight)
        weights = training.weights if own is None else training.weights * own
        error = np.average(training.predicted != training.labels, weights=weights)
        before = self.rounds_[self.n_rounds_ - 1].training_error
        if abs(error - before) < 1e-6:
            return None
        return (
            "The given rows are not those the model was fitted on, or it was fitted on a part of "
            f"them or with other weights: its training error was {percent(before, 2)}, but the "
            f"error on the given rows is {percent(error, 2)}."
        )


class ReportedForest(ReportedModel):
    """A forest with a report."""

    _model: Ensemble
    _state: ForestState

    @property
    @abstractmethod
    def feature_importances_(self) -> FloatArray:
        """The fraction of the total gain that each column contributes."""

    def _collect_facts(self, given: ReportInput) -> dict[str, Any]:
        """Return the facts of the report."""
        state = self._state
        training, test = self._both_rows(given, class_weight=True)
        figures = state.oob_error, state.oob_errors, state.oob_score
        fitted = FittedForest(self._fitted_model(), self.feature_importances_, *figures)
        target = _name_of_target(given)
        heading = Heading(__version__, given.title, target)
        outside, at, note = None, np.empty(0, dtype=np.int64), None
        if training is not None:
            outside, at, note = self._out_of_bag(training)
        tested = None if test is None else self._evaluated(test.with_weight()[0])
        facts = forest_facts(fitted, heading, outside, tested, note)
        judged = None
        if isinstance(tested, Evaluated) and test is not None:
            judged = Judged.of("test", tested, test.with_weight()[1])
        elif isinstance(outside, Evaluated) and training is not None:
            weights = own_weights(self, training)
            own = np.ones(len(at)) if weights is None else weights[at]
            judged = Judged.of("out-of-bag", replace(outside, weights=own), at)
        return facts | decision_sections(self, given, judged, training, test, target)

    def _evaluated(self, rows: LabelledRows) -> Evaluated | PredictedNumbers:
        """Return the predictions for rows."""
        voted = votes(self._model, rows.table, self._threads())
        if self._model.is_numeric:
            return _predicted(rows, self._model.mean_numbers(voted))
        return _predicted(rows, voted.argmax(axis=1), mean_shares(voted))

    def _out_of_bag(
        self, given: LabelledRows
    ) -> tuple[Evaluated | PredictedNumbers | None, IntArray, str | None]:
        """Return the out-of-bag predictions for rows, the numbers of these rows, and a note.

        The bags are drawn again, so that a model from a file has them, too. If the rows are not the
        training rows, the note says so.
        """
        (rows, numbers), state = given.with_weight(), self._state
        sample = ForestSample(encode_with(self._model.schema, rows.table), rows.target, rows.table)
        found = OutOfBag.of(rows.target)
        trees = range(len(self._model))
        for number, grown in enumerate(
            grow_forest(sample, state.params, trees, state.seed, existing=self._model.members)
        ):
            found.add(grown, number + 1)
        stated = found.error if state.oob_error is None else state.oob_error
        if not is_close(found.error, stated):
            note = (
                "The given rows are not those the forest was grown on, or they have other weights: "
                "its out-of-bag error cannot be repeated with them, so they are left out."
            )
            return None, np.empty(0, dtype=np.int64), note
        known = np.flatnonzero(found.known)
        if not len(known):
            return None, known, None
        at = known if numbers is None else numbers[known]
        shares = None if self._model.is_numeric else found.forecast[known]
        return _predicted(rows.take(known), found.predicted[known], shares), at, None


def _predicted(
    rows: LabelledRows, predicted: AnyArray, shares: FloatArray | None = None
) -> Evaluated | PredictedNumbers:
    """Return rows with their predicted numbers, or class numbers and probabilities."""
    weights = np.ones(rows.table.n_rows) if rows.weights is None else rows.weights
    if isinstance(rows, NumericRows):
        return PredictedNumbers(rows.labels, predicted, weights)
    return Evaluated(rows.labels, predicted, weights, {}, shares=shares)


class ReportedDensity(ReportedModel, PrunableDensity):
    """A density tree with a report."""

    _model: DensityModel

    @property
    @abstractmethod
    def feature_importances_(self) -> FloatArray:
        """The fraction of the gained log-likelihood that each column contributes."""

    @abstractmethod
    def score_samples(self, X: Any) -> FloatArray:
        """Return the log-density of each row."""

    def _collect_facts(self, given: ReportInput) -> dict[str, Any]:
        """Return the facts of the report."""
        if given.group is not None or given.drift is not None:
            raise ParameterError("group and drift are for models with a target")
        model, importances = self._fitted_model(), self.feature_importances_
        training = self._scored(given.X, given.sample_weight)
        test = self._scored(given.X_test, given.sample_weight_test)
        path = self.pruning_path(given.X_test, sample_weight_val=given.sample_weight_test)
        parts = path.prunings, path.node_errors, path.choices()
        return density_facts(model, importances, parts, training, test, given.title)

    def _scored(self, X: Any, sample_weight: Any) -> ScoredRows | None:
        """Return the log-density of rows, or None if none are given."""
        if X is None:
            return None
        scores = self.score_samples(X)
        return ScoredRows.of(scores, case_weights(sample_weight, scores))


def _weights(model: Model, rows: LabelledRows, threads: int) -> FloatArray:
    """Return the weight of each class, or the moments, of rows at the nodes of the kept tree."""
    return weights_at_nodes(model.kept, model.schema, rows, threads)


def _outcomes(model: Model, rows: LabelledRows, threads: int) -> Outcomes:
    """Return what rows with a numeric target have at the nodes of the kept tree."""
    leaf = apply(model.kept, model.schema, rows.table, threads)
    return Outcomes.of(
        model.kept, model.kept_means.expected, leaf, np.asarray(rows.labels), rows.weights
    )


def _note_on_tree_rows(model: Model, rows: LabelledRows, weights: FloatArray) -> str | None:
    """Return a note if rows are not the training rows, or None. ``weights`` are those by node."""
    tree = model.kept
    scale = np.abs(tree.counts).max(axis=0)  # of the weights of a class, or of a moment
    close = bool((np.abs(weights - tree.counts) <= 1e-9 * (scale + float(tree.weight[0]))).all())
    if close and len(rows.labels) == tree.rows[0]:
        return None
    return (
        "The given rows are not those the tree was grown on, or it was grown on a part of them or "
        f"with other weights: it was grown on {tree.rows[0]:,} rows, and {len(rows.labels):,} are "
        "given. Alternative splits and distributions are those of the given rows, and test rows "
        "taken from them may be training rows of the tree."
    )


def _checked_title(title: Any) -> str | None:
    if title is not None and not isinstance(title, str):
        raise ParameterError(f"title must be text, got {title!r}")
    return title


def _name_of_target(given: ReportInput) -> str | None:
    """Return the name of the target, or None."""
    return _name_of(given.X, given.y) or _name_of(given.X_test, given.y_test)


def _name_of(X: Any, y: Any) -> str | None:
    """Return the name of a target, or None."""
    if y is None and isinstance(X, Scan):
        y = X.target
    name = y if isinstance(y, str) else getattr(y, "name", None)
    return name if isinstance(name, str) and name else None
