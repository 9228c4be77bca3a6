"""Reading a fitted ensemble: rules, explanations, exports, scorecards and plots.

Plots need matplotlib: ``pip install "polytomy[plot]"``.
"""

from abc import abstractmethod
from html import escape
from typing import Any

import numpy as np

from polytomy._errors import TableError
from polytomy._text import percent
from polytomy._types import FloatArray
from polytomy.boost import Rounds
from polytomy.ensemble import Ensemble
from polytomy.estimators.base.input import as_one_row
from polytomy.estimators.base.models import BaseTreeModel
from polytomy.estimators.reading.exports import ReadableModel
from polytomy.export import (
    Scorecard,
    ScoreRules,
    VoteExplanation,
    ensemble_rules,
    explain_votes,
    scorecard,
    scores_to_text,
    to_c,
    to_javascript,
    to_python,
    to_sql,
)
from polytomy.plot import plot_margins, plot_rounds, plot_scores

_MOST_LINES = 60  # in a notebook


class ReadableTrees(BaseTreeModel):
    """Exports of boosted models and forests alike."""

    _model: Ensemble

    def explain(self, row: Any) -> VoteExplanation:
        """Explain the prediction of one row: what each column adds to it.

        If every tree of a boosted model splits on one column only, these are the scores of the
        row's cells; otherwise they are Shapley values, which add to the mean over the training
        rows. They add up to the votes for the predicted class or, for a forest, to its probability
        or to the predicted number.

        Parameters
        ----------
        row : data frame or array of one row, dict, Series or 1-D array
            The row. A dict maps the names of columns to cells.

        Returns
        -------
        VoteExplanation
            The contributions, to be printed.

        Examples
        --------
        >>> from polytomy import BoostedTreeClassifier
        >>> clf = BoostedTreeClassifier(2, algorithm="adaboost-real")
        >>> clf = clf.fit([[1], [2], [3]], ["bad", "bad", "good"])
        >>> print(clf.explain([3]))
        start         +0
        x0 is 3  +0.5493
        votes    +0.5493
        => good 75.0%
        """
        model = self._fitted_model()
        table = self._read_table(as_one_row(row, getattr(self, "feature_names_in_", None)))
        if table.n_rows != 1:
            raise TableError(f"explain takes one row, got {table.n_rows}")
        predicted = np.asarray(self.predict(table)).tolist()[0]
        if model.is_numeric:
            words = f"{predicted:.6g}"
            return explain_votes(model, table, 0, "prediction", words, self._threads())
        classes = np.asarray(model.classes).tolist()
        number = classes.index(predicted)
        share = float(self.predict_proba(table)[0, number])
        if model.n_outputs == 1:
            output, of = 0, "votes"
        else:
            output = number
            of = f"probability of {predicted}" if model.is_forest else f"votes for {predicted}"
        words = f"{predicted} {percent(share, 1)}"
        return explain_votes(model, table, output, of, words, self._threads())

    def to_rules(self) -> ScoreRules:
        """Return the model as rules with the scores that they add.

        If every tree of a boosted model splits on one column only, there is a rule for each range
        or set of categories of a column; otherwise one for each leaf of each tree.

        Returns
        -------
        ScoreRules
            A sequence of rules that can be printed; ``to_frame()`` returns a data frame.
        """
        return ensemble_rules(self._fitted_model())

    def to_sql(self, dialect: str = "ansi", probability_of: Any = None, outputs: Any = None) -> str:
        """Return the model as one SQL expression over the names of the columns.

        It is a sum with one CASE for each tree, or for each column if every tree splits on one
        column only.

        Parameters
        ----------
        dialect : str, default="ansi"
            The SQL dialect: ``"ansi"``, ``"duckdb"``, ``"postgres"``, ``"sqlite"``,
            ``"bigquery"``, ``"snowflake"``, ``"spark"`` or ``"tsql"``.
        probability_of : class, default=None
            The class whose probability to compute. None computes the predicted class or number.
            For classifiers only.
        outputs : sequence of {"prediction", "proba", "votes"}, default=None
            Return a SELECT list of these instead, with names. None returns one expression.

        Returns
        -------
        str
            The expression.
        """
        return to_sql(self._fitted_model(), dialect, probability_of, outputs=outputs)

    def to_python(self, name: str = "predict", proba: bool = False) -> str:
        """Return the model as a Python function of a dict of cells, without dependencies.

        Parameters
        ----------
        name : str, default="predict"
            The name of the function.
        proba : bool, default=False
            Also write a function ``<name>_proba``. For classifiers only.

        Returns
        -------
        str
            The source code. It also has a function ``<name>_votes``.
        """
        return to_python(self._fitted_model(), name, proba)

    def to_c(self, name: str = "polytomy_predict", proba: bool = False) -> str:
        """Return the model as a C99 header with a function of a struct of cells.

        Parameters
        ----------
        name : str, default="polytomy_predict"
            The name of the function, which returns the number of the class or the predicted number.
        proba : bool, default=False
            Also write ``<name>_proba(row, probabilities)``. For classifiers only.

        Returns
        -------
        str
            The source code. It also has ``<name>_votes(row, votes)``.
        """
        return to_c(self._fitted_model(), name, proba=proba)

    def to_javascript(self, name: str = "predict", proba: bool = False) -> str:
        """Return the model as a JavaScript function of an object of cells, without dependencies.

        Parameters
        ----------
        name : str, default="predict"
            The name of the function.
        proba : bool, default=False
            Also write ``<name>Proba``, which returns an array in the order of ``classes``. For
            classifiers only.

        Returns
        -------
        str
            The source code, for a ``<script>`` or as a CommonJS module. It also has
            ``<name>Votes``.
        """
        return to_javascript(self._fitted_model(), name, proba=proba)

    @abstractmethod
    def to_text(self) -> str:
        """Return the model as text."""

    def _repr_html_inner(self) -> str:
        """Return scikit-learn's HTML view of the estimator, followed by the text of the model."""
        drawn = super()._repr_html_inner()
        if not self.__sklearn_is_fitted__():
            return str(drawn)
        lines = self.to_text().splitlines()
        if len(lines) > _MOST_LINES:
            rest = len(lines) - _MOST_LINES
            lines = [*lines[:_MOST_LINES], f"... {rest} more lines: print(model.to_text())"]
        text = escape("\n".join(lines))
        return f'{drawn}<pre class="polytomy-model">{text}</pre>'


class ScorecardModel(ReadableTrees):
    """The scorecard of a boosted model."""

    def scorecard(
        self,
        base_score: float = 600,
        base_odds: float = 50,
        points_to_double_odds: float = 20,
        favours: Any = None,
        decimals: int | None = 0,
    ) -> Scorecard:
        """Return the model as a scorecard: points for each range or category of each column.

        For two classes, and trees that split on one column each: ``max_leaves=2``, or
        ``max_depth=1``.

        Parameters
        ----------
        base_score : float, default=600
            The score at which the odds are ``base_odds``.
        base_odds : float, default=50
            The odds of the class ``favours`` at the base score.
        points_to_double_odds : float, default=20
            The points that double the odds.
        favours : class, default=None
            The class whose odds grow with the score; None for the second class.
        decimals : int or None, default=0
            The decimals to which points are rounded; None does not round them.

        Returns
        -------
        Scorecard
            It can be printed, ``points(X)`` returns scores, and ``to_frame``, ``to_csv``,
            ``to_sql`` and ``to_xlsx`` export it.

        Examples
        --------
        >>> from polytomy import BoostedTreeClassifier
        >>> clf = BoostedTreeClassifier(2, algorithm="adaboost-real")
        >>> clf = clf.fit([[1], [2], [3]], ["bad", "bad", "good"])
        >>> card = clf.scorecard(base_score=100, base_odds=1, points_to_double_odds=10)
        >>> print(card)
        base points                100
        x0 <= 2.5 (or missing)     -23
        x0 > 2.5                    16
        100 points are odds of 1:1 for good; 10 points double the odds
        >>> card.points([[1], [3]])
        array([ 77., 116.])
        """
        self._fitted_model()
        return scorecard(
            self._model,
            self._read_table,
            base_score=base_score,
            base_odds=base_odds,
            points_to_double_odds=points_to_double_odds,
            favours=favours,
            decimals=decimals,
        )


class ReadableEnsemble(ReadableModel, ScorecardModel):
    """Text and plots of a boosted model."""

    _model: Ensemble
    rounds_: Rounds
    n_rounds_: int

    @abstractmethod
    def margins(self, X: Any, y: Any) -> FloatArray:
        """Return the margin of each row."""

    def to_text(self, max_width: int = 100, max_rows: int = 16) -> str:
        """Return a table of the votes that each column adds. For stumps this is the whole model.

        Parameters
        ----------
        max_width : int, default=100
            The maximum length of a line. Longer lines are cut.
        max_rows : int, default=16
            The maximum number of rows for one column; the most similar neighbours are joined.

        Returns
        -------
        str
            The text.
        """
        return scores_to_text(self._fitted_model(), max_width, max_rows)

    def plot_scores(self, most: int = 12, wide: int = 3) -> list[Any]:
        """Plot the votes that each column adds, one panel per column. For stumps only.

        Parameters
        ----------
        most : int, default=12
            The maximum number of panels.
        wide : int, default=3
            The number of panels in a row.

        Returns
        -------
        list of matplotlib Axes
            The axes of the panels.
        """
        return plot_scores(self._fitted_model(), most, wide)

    def plot_margins(self, X: Any, y: Any, ax: Any = None) -> Any:
        """Plot the cumulative distribution of the margins.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_columns), or lazy table
            The rows.
        y : array of shape (n_rows,)
            Their classes.
        ax : matplotlib Axes, default=None
            The axes to draw on. None makes a new figure.

        Returns
        -------
        matplotlib Axes
            The axes with the plot.
        """
        return plot_margins(self.margins(X, y), ax)

    def plot_rounds(self, ax: Any = None) -> Any:
        """Plot the errors and their bounds against the number of rounds.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            The axes to draw on. None makes a new figure.

        Returns
        -------
        matplotlib Axes
            The axes with the plot.
        """
        self._fitted_model()
        best = self.n_rounds_ if self.n_rounds_ < len(self.rounds_) else None
        return plot_rounds(self.rounds_, ax, best)
