"""Reading a fitted model: text, rules, explanations, exports and plots.

Plots need matplotlib: ``pip install "polytomy[plot]"``.
"""

from abc import abstractmethod
from typing import Any

import numpy as np

from polytomy._errors import ParameterError
from polytomy._types import FloatArray
from polytomy.boost import Rounds
from polytomy.ensemble import Ensemble
from polytomy.estimators.ensembles.reading import ScorecardModel
from polytomy.export import (
    ReasonCodes,
    Rules,
    expected_value,
    movements,
    onnx_inputs,
    reason_codes,
    scores_to_text,
    shap_values,
    to_dbt,
    to_onnx,
    to_pmml,
    to_python,
    to_rules,
    to_sql,
    to_text,
)
from polytomy.model import Model
from polytomy.plot import Look, plot_growth, plot_margins, plot_rounds, plot_scores, plot_tree

from .one_tree import ColumnImportances, OneTree


class ReadableModel(ColumnImportances):
    """Exports of all models alike: trees, density trees, boosted models and forests."""

    def to_onnx(self) -> Any:
        """Return the model as an ONNX graph.

        Needs ``pip install "polytomy[onnx]"``; running the graph needs onnxruntime 1.23 or later.

        Returns
        -------
        onnx.ModelProto
            A graph with the outputs ``label`` and ``probabilities``; for a regressor, with the
            output ``variable`` of shape (n_rows, 1); for a density tree, with the outputs
            ``log_density`` of shape (n_rows, 1), as ``score_samples`` returns it, and ``region``,
            as ``apply`` does. ``onnx_inputs`` prepares its inputs.
        """
        return to_onnx(self._fitted_model(), **self._probability_options())

    def to_dbt(
        self,
        source: str,
        name: str = "predictions",
        dialect: str = "postgres",
        outputs: Any = ("prediction",),
    ) -> dict[str, str]:
        """Return the model as the files of a dbt project.

        Parameters
        ----------
        source : str
            The dbt model with the rows to predict.
        name : str, default="predictions"
            The name of the new dbt model. It has all columns of the source, and the outputs.
        dialect : str, default="postgres"
            The SQL dialect, as for ``to_sql``.
        outputs : sequence of str, default=("prediction",)
            The columns to add: ``"prediction"``, ``"proba"``, ``"votes"`` of an ensemble,
            ``"leaf"`` and ``"rule"`` of a tree.

        Returns
        -------
        dict from str to str
            The text of each file by its path in the project: the SQL, the properties with tests of
            the columns, and a test of the probabilities.
        """
        options = self._probability_options()
        return to_dbt(self._fitted_model(), source, name, dialect, outputs, **options)

    def to_pmml(self, target: str = "prediction") -> str:
        """Return the model as PMML 4.4, for scoring engines.

        A forest is a model of averaged trees, a boosted model a chain of sums and a regression. A
        density tree predicts the log-density of a row's box. Columns of times, user-defined splits
        and ``"adaboost-mh"`` cannot be expressed.

        Parameters
        ----------
        target : str, default="prediction"
            The name of the target.

        Returns
        -------
        str
            The XML document.
        """
        return to_pmml(self._fitted_model(), target, **self._probability_options())

    def onnx_inputs(self, X: Any) -> dict[str, Any]:
        """Return rows as the inputs of the graph that ``to_onnx`` returns.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_columns), or lazy table
            The rows.

        Returns
        -------
        dict of ndarray
            The inputs by name.
        """
        table = self._read_table(X)
        return onnx_inputs(self._model, table)

    def shap_values(self, X: Any) -> FloatArray:
        """Return exact Shapley values: the contribution of each column to each prediction.

        Together with ``expected_value()`` they add up to ``predict_proba`` of a tree, to
        ``predict`` of a regressor, to ``decision_function`` of a boosted model, or to
        ``score_samples`` of a density tree, where a missing or unknown cell counts for its column.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_columns), or lazy table
            The rows.

        Returns
        -------
        ndarray of shape (n_rows, n_columns, n_outputs)
            The contributions. A regressor and a density tree have one output:
            ``shap_values(X)[:, :, 0]``.

        Examples
        --------
        >>> from polytomy import TreeClassifier
        >>> clf = TreeClassifier(procedure="per-leaf", honest=False)
        >>> clf = clf.fit([[1], [2], [3]], ["a", "a", "b"])
        >>> clf.shap_values([[3]])[0, 0].round(3) + clf.expected_value().round(3)
        array([0., 1.])
        """
        table, options = self._read_table(X), self._probability_options()
        return shap_values(self._model, table, threads=self._threads(), **options)

    def expected_value(self) -> FloatArray:
        """Return the mean prediction over the training rows, to which Shapley values add.

        Returns
        -------
        ndarray of shape (n_outputs,)
            The mean probability of each class, the mean number of a regressor, the mean votes of
            a boosted model, or the mean log-density of the boxes of a density tree, by their
            shares.
        """
        return expected_value(self._fitted_model(), **self._probability_options())

    def reason_codes(
        self,
        X: Any,
        n: int = 4,
        *,
        toward: Any = None,
        reference: Any = None,
        wording: Any = None,
    ) -> ReasonCodes:
        """Return the columns that moved each row most toward a class, for notices to people.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_columns)
            The rows.
        n : int, default=4
            The largest number of reasons for a row. Only columns that moved it toward the class are
            reasons.
        toward : class, default=None
            The class to give reasons for, such as the refusal of a loan; None for the class that is
            predicted for each row. For a regressor, ``"higher"`` or ``"lower"``; for a density
            tree, too: ``"lower"`` gives the reasons why a row is an outlier.
        reference : array or data frame of shape (n_rows, n_columns), "best" or None, default=None
            What the row is compared with: the mean of some rows; the values of each column that
            speak most against the class (``"best"``, for boosted trees that split on one column
            each); or the mean of the training rows (None).
        wording : dict from column names to text or functions, default=None
            The wording of the reasons. In text, ``{value}`` stands for the cell; a function takes
            the cell as text. Other columns read ``<column> is <value>``.

        Returns
        -------
        ReasonCodes
            The reasons of each row, the strongest first. They are exact scores for boosted trees
            that split on one column each, and Shapley values otherwise.

        Examples
        --------
        >>> from polytomy import BoostedTreeClassifier
        >>> clf = BoostedTreeClassifier(2).fit([[1], [2], [3]], ["bad", "bad", "good"])
        >>> print(clf.reason_codes([[1], [3]], toward="bad", wording={"x0": "{value} is too low"}))
        row 1:
          1. 1 is too low
        row 2: no reasons
        """
        model, table = self._fitted_model(), self._read_table(X)
        against = reference if isinstance(reference, str | None) else self._read_table(reference)
        direction = self._direction(table, toward)
        options = self._probability_options()
        moved = movements(model, table, direction, against, self._threads(), **options)
        return reason_codes(model.schema, table, moved, n, wording)

    def _direction(self, table: Any, toward: Any) -> tuple[Any, Any]:
        """Return the output to explain for each row, and its sign."""
        if not hasattr(self._model, "classes") or self._is_numeric:
            if toward not in ("higher", "lower"):
                kind = "regressor" if self._is_numeric else "density tree"
                raise ParameterError(
                    f'for a {kind}, toward must be "higher" or "lower", got {toward!r}'
                )
            sign = 1.0 if toward == "higher" else -1.0
            return np.zeros(table.n_rows, dtype=np.int64), np.full(table.n_rows, sign)
        classes = np.asarray(self._model.classes).tolist()
        if toward is not None and toward not in classes:
            raise ParameterError(f"toward must be one of {classes}, got {toward!r}")
        chosen = self.predict(table).tolist() if toward is None else [toward] * table.n_rows
        numbers = np.array([classes.index(c) for c in chosen], dtype=np.int64)
        if isinstance(self._model, Ensemble) and self._model.n_outputs == 1:
            return np.zeros_like(numbers), np.where(numbers == 1, 1.0, -1.0)
        return numbers, np.ones(len(numbers))


class ReadableTree(ReadableModel, OneTree):
    """Text, rules, explanations, exports and plots of a tree."""

    _model: Model

    def to_text(
        self,
        max_width: int = 100,
        max_depth: int | None = None,
        p_chance: bool = False,
        node_numbers: bool = False,
    ) -> str:
        """Return the tree as text.

        A leaf shows its class, the share of the class to expect of new rows with a 95 % interval,
        and in parentheses its share of the training rows. ``!`` marks leaves whose shares disagree:
        they are at least 20 percentage points apart, or new rows favour another class. With
        ``honest=False``, a leaf only shows the share of its training rows with Wilson's interval.

        A leaf of a regression tree shows the mean to expect of new rows with a 95 % interval, in
        parentheses the mean of its training rows, and their number: ``23.4 [21.0, 25.9] (23.9), 38
        rows``. ``!`` marks leaves whose means are a fifth of the target's standard deviation or
        more apart.

        Parameters
        ----------
        max_width : int, default=100
            The maximum length of a line. Longer lines are cut.
        max_depth : int or None, default=None
            The depth to show. None shows the whole tree.
        p_chance : bool, default=False
            Show each split's p-value by the chi-square test: adjusted for the choice of the split,
            see ``polytomy.prune.adjusted_p_chance``, and that of the split alone if it differs.
            They are marked "rough" if an expected count is below 5. A contracted split is tested as
            it is shown; ``ChiSquare`` tests the splits it consists of. A regression tree is tested
            by one-way analysis of variance; "rough" marks branches of fewer than 5 rows.
        node_numbers : bool, default=False
            Write the number of each node in brackets before its branch.

        Returns
        -------
        str
            The text.

        Examples
        --------
        >>> from polytomy import TreeClassifier
        >>> clf = TreeClassifier(max_leaves=2).fit([[1], [2], [3]], ["a", "a", "b"])
        >>> print(clf.to_text().splitlines()[0])
        3 rows: a 67%, b 33%
        """
        return to_text(self._fitted_model(), max_width, max_depth, p_chance, node_numbers)

    def to_rules(self) -> Rules:
        """Return one rule per leaf, with its rows and the share of its class or its mean.

        Returns
        -------
        Rules
            A sequence of rules that can be printed. ``to_frame()`` returns a data frame, with the
            share to expect of new rows (``share``, ``low``, ``high``) beside ``training_share``, or
            for a regression tree ``mean``, ``low``, ``high``, ``training_mean`` and ``deviation``.
        """
        return to_rules(self._fitted_model())

    def to_sql(self, dialect: str = "ansi", probability_of: Any = None, outputs: Any = None) -> str:
        """Return the tree as one SQL expression over the names of the columns.

        Parameters
        ----------
        dialect : str, default="ansi"
            The SQL dialect: ``"ansi"``, ``"duckdb"``, ``"postgres"``, ``"sqlite"``,
            ``"bigquery"``, ``"snowflake"``, ``"spark"`` or ``"tsql"``.
        probability_of : class, default=None
            The class whose probability to compute. None computes the predicted class or number.
            For classifiers only.
        outputs : sequence of {"prediction", "proba", "leaf", "rule"}, default=None
            Return a SELECT list of these instead, with names: ``p_<class>`` for probabilities. None
            returns one expression.

        Returns
        -------
        str
            The expression.
        """
        model, options = self._fitted_model(), self._probability_options()
        return to_sql(model, dialect, probability_of, outputs=outputs, **options)

    def to_python(
        self, name: str = "predict", proba: bool = False, leaf: bool = False, rule: bool = False
    ) -> str:
        """Return the tree as a Python function of a dict of cells, without dependencies.

        Parameters
        ----------
        name : str, default="predict"
            The name of the function.
        proba : bool, default=False
            Also write a function ``<name>_proba``. For classifiers only.
        leaf : bool, default=False
            Also write a function ``<name>_leaf`` that returns the number of a row's leaf.
        rule : bool, default=False
            Also write a function ``<name>_rule`` that returns the conditions of a row's leaf.

        Returns
        -------
        str
            The source code.
        """
        options = self._probability_options()
        return to_python(self._fitted_model(), name, proba, leaf=leaf, rule=rule, **options)

    def plot(
        self,
        ax: Any = None,
        *,
        max_depth: int | None = None,
        orientation: str = "auto",
        legend: bool = True,
        title: str | None = None,
        class_names: Any = None,
        colors: Any = None,
        intervals: bool = False,
    ) -> Any:
        """Draw the tree: the splits, the conditions of the branches and what the leaves predict.

        The width of a branch is its fraction of the training rows. The colour of a node is that of
        its class, stronger for a larger share, and a bar shows the training shares of all classes.
        A leaf shows the share to expect of new rows, and that of its training rows in parentheses.

        In a regression tree, the colour is stronger for a larger mean, and a bar shows the mean and
        its 95 % interval on a scale that all nodes share. A leaf shows the mean to expect of new
        rows, and that of its training rows in parentheses.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            The axes to draw on; the tree is scaled to fit. None makes a new figure of the size that
            the tree needs.
        max_depth : int or None, default=None
            The depth to draw; below it, a dashed node shows the number of leaves. None draws the
            whole tree.
        orientation : {"auto", "down", "right"}, default="auto"
            The direction in which the tree grows. ``"auto"`` is down if the tree fits on a page.
        legend : bool, default=True
            Show what the colours mean.
        title : str or None, default=None
            The title of the figure.
        class_names : sequence or mapping, default=None
            A name for each class, or for some classes by class, such as ``{0: "no", 1: "yes"}``.
            None shows the classes themselves.
        colors : str, sequence or mapping, default=None
            A matplotlib colour for each class, or for some classes by class; for a regression tree,
            the colour of the highest leaf. None is the palette of all figures and pages.
        intervals : bool, default=False
            Show the 95 % interval of the share or mean of each leaf.

        Returns
        -------
        matplotlib Axes
            The axes with the drawing.
        """
        model = self._fitted_model()
        return plot_tree(
            model,
            ax,
            max_depth=max_depth,
            orientation=orientation,
            legend=legend,
            title=title,
            look=Look.of(model, class_names, colors, intervals=intervals),
        )

    def plot_growth(self, ax: Any = None) -> Any:
        """Plot the index and the training error against the number of leaves, with their bounds.

        The index of a regression tree is its training error: the mean squared error, or half the
        mean Poisson deviance.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            The axes to draw on. None makes a new figure.

        Returns
        -------
        matplotlib Axes
            The axes with the plot.
        """
        return plot_growth(self._fitted_model().certificate, ax)


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
