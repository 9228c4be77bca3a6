"""What can be read of any fitted model: importances, exports, Shapley values and reason codes."""

from abc import abstractmethod
from typing import Any

import numpy as np

from polytomy._errors import ParameterError
from polytomy._types import FloatArray
from polytomy.ensemble import Ensemble
from polytomy.estimators.base.models import BaseTreeModel
from polytomy.export import (
    ReasonCodes,
    expected_value,
    movements,
    onnx_inputs,
    reason_codes,
    shap_values,
    to_dbt,
    to_onnx,
    to_pmml,
)
from polytomy.plot import plot_importances


class ColumnImportances(BaseTreeModel):
    """Base class of the estimators that say what each column contributes."""

    @property
    @abstractmethod
    def feature_importances_(self) -> FloatArray:
        """The fraction of the total gain that each column contributes."""

    def _probability_options(self) -> dict[str, float]:
        """Return the keyword arguments that exports of probabilities need."""
        return {}

    def plot_importances(self, ax: Any = None, most: int = 20) -> Any:
        """Plot the importance of each column as a bar chart, the largest at the top.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            The axes to draw on. None makes a new figure.
        most : int, default=20
            The maximum number of bars. If there are more columns, the last bar is the sum of the
            rest. Columns that no split uses are left out.

        Returns
        -------
        matplotlib Axes
            The axes with the plot.
        """
        names = self._fitted_model().schema.names
        return plot_importances(names, self.feature_importances_, ax, most)


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
