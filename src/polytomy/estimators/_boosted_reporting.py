"""The report of a fitted ensemble: one HTML page, and the facts it shows."""

from itertools import islice
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from polytomy import __version__
from polytomy._errors import ParameterError, TargetError
from polytomy.boost import BoostParams, Rounds, winners
from polytomy.ensemble import Ensemble, staged_votes, votes
from polytomy.report.boosted import Fitted, Naming, boosted_facts
from polytomy.report.boosted_rows import Judged, stages_of
from polytomy.table import Table

from ._input import class_numbers, weights_of
from ._page import Page, checked_title, name_of
from ._sample import Sample
from ._votes import margins_of

_STAGED = 50_000_000  # rows times trees that may be walked to tell the error after every round


class BoostedReporting(Page):
    """A report that readers open in a browser: one file, no network, no rows of the data."""

    _model: Ensemble
    _params: BoostParams
    rounds_: Rounds
    n_rounds_: int
    ended_: str | None
    class_weight: Any

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
    ) -> dict[str, Any]:
        """Return what ``report`` shows, as plain data; the parameters are those of ``report``."""
        check_is_fitted(self)
        training = self._judged((X, y, sample_weight), ("X", "y", "sample_weight"), staged=False)
        names = ("X_test", "y_test", "sample_weight_test")
        test = self._judged((X_test, y_test, sample_weight_test), names, staged=True)
        fitted = Fitted(
            self._model,
            self.rounds_,
            self.n_rounds_,
            self.certificate_,  # type: ignore[attr-defined]
            self.feature_importances_,  # type: ignore[attr-defined]
            float(self._params.learning_rate),
            self.ended_,
        )
        naming = Naming(__version__, checked_title(title), name_of(y) or name_of(y_test))
        return boosted_facts(fitted, naming, training, test, self._strangers(training))

    def _judged(
        self, given: tuple[Any, Any, Any], names: tuple[str, str, str], *, staged: bool
    ) -> Judged | None:
        """Return what the ensemble makes of some rows; those of weight 0 are left out."""
        X, y, weights = given
        if X is None and y is None and weights is None:
            return None
        if X is None or y is None:
            raise ParameterError(f"{names[0]} and {names[1]} go together; give both or neither")
        table: Table = self._table(X)  # type: ignore[attr-defined]
        labels = class_numbers(y, table.n_rows, self._model.classes)
        if (labels < 0).any():
            held = np.asarray(y).tolist()[int(np.flatnonzero(labels < 0)[0])]
            raise TargetError(f"{names[1]} holds {held!r}, which is no class the model knows")
        counts = weights_of(labels, (self._model.classes, labels), weights, None)
        sample, _ = Sample(table, labels, counts, len(self._model.classes)).weighing()
        return self._judge(sample, staged=staged)

    def _judge(self, sample: Sample, *, staged: bool) -> Judged:
        table, labels, weights = sample.table, sample.labels, sample.weights
        if weights is None:
            weights = np.ones(table.n_rows)
        a_round = self.rounds_[0].trees if len(self.rounds_) else 1
        margins, voted = {}, np.empty((0, 1))
        for n in stages_of(self.n_rounds_):
            part = self._model.truncated(n * a_round)
            voted = votes(part, table)
            margins[n] = margins_of(part, voted, labels)
        errors = None
        if staged and table.n_rows * len(self._model) <= _STAGED:
            after = islice(staged_votes(self._model, table), a_round - 1, None, a_round)
            wrong = (np.average(winners(v) != labels, weights=weights) for v in after)
            errors = np.fromiter(wrong, dtype=np.float64)
        return Judged(labels, winners(voted), weights, margins, errors)

    def _strangers(self, training: Judged | None) -> str | None:
        """Say so where rows given as those fitted on are not, or not all of them."""
        if training is None or not self.n_rounds_:
            return None
        told = np.asarray(self._model.classes), training.labels
        own = weights_of(None, told, None, self.class_weight)
        weights = training.weights if own is None else training.weights * own
        error = np.average(training.predicted != training.labels, weights=weights)
        before = self.rounds_[self.n_rounds_ - 1].training_error
        if abs(error - before) < 1e-6:
            return None
        return (
            f"The rows given are not those the model was fitted on, or it was fitted on a part of "
            f"them or with other weights: {before:.2%} were misclassified then, {error:.2%} now."
        )
