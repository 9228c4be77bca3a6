"""The reports of boosted models and forests."""

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np

from polytomy import __version__
from polytomy._text import percent
from polytomy._types import AnyArray, FloatArray, IntArray
from polytomy.boost import BoostCertificate, Rounds, probabilities, winners
from polytomy.certify.verify.report import is_close
from polytomy.encode import encode_with
from polytomy.ensemble import Ensemble, mean_shares, staged_votes, votes, votes_after
from polytomy.estimators.base.rows import LabelledRows, NumericRows, class_factors
from polytomy.estimators.reading.decisions import (
    Judged,
    ReportInput,
    decision_sections,
    own_weights,
)
from polytomy.estimators.reading.report import ReportedModel, name_of_target
from polytomy.forest import ForestSample, OutOfBag, grow_forest
from polytomy.report import (
    Evaluated,
    Fitted,
    FittedForest,
    Heading,
    PredictedNumbers,
    boosted_facts,
    forest_facts,
    margin_stages,
)

from .boosting import margins_of
from .files import ForestState

_MAX_STAGED = 50_000_000  # rows times trees up to which the error after every round is computed


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
        target = name_of_target(given)
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
        own = class_factors(classes, training.labels, self._fit_record.class_weight)
        weights = training.weights if own is None else training.weights * own[training.labels]
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
        target = name_of_target(given)
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
