"""Reading a density tree: its boxes in words, text, code, drawings and a report."""

from abc import abstractmethod
from numbers import Integral
from typing import Any

import numpy as np

from polytomy._errors import ParameterError
from polytomy._types import FloatArray
from polytomy.density import DensityModel
from polytomy.estimators.base.rows import case_weights
from polytomy.estimators.reading.decisions import ReportInput
from polytomy.estimators.reading.exports import ReadableModel
from polytomy.estimators.reading.one_tree import OneTree
from polytomy.estimators.reading.report import ReportedModel
from polytomy.export import Region, Regions, regions_of, to_python, to_regions, to_sql, to_text
from polytomy.plot import Look, plot_density, plot_tree
from polytomy.report import ScoredRows, density_facts

from .pruning import PrunableDensity


class ReadableDensity(ReadableModel, OneTree):
    """Boxes, text, code and drawings of a density tree."""

    _model: DensityModel

    def predict_region(self, X: Any) -> list[Region]:
        """Return the box of each row, to be read or printed.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_columns), or lazy table
            The rows.

        Returns
        -------
        list of Region
            For each row its box: ``leaf``, ``conditions`` in words, ``bounds`` of every column,
            ``share`` of the rows, ``rows`` of the training table, ``density``, and ``relative``,
            the density as a multiple of the mean.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from polytomy import DensityTree
        >>> X = load_iris(as_frame=True).data[["petal length (cm)"]]
        >>> print(DensityTree(max_leaves=3).fit(X).predict_region(X[:1])[0])
        petal length (cm) <= 1.8: 31.65% of rows, density 0.37 (2.24 times the mean), 48 rows
        """
        leaves = self.apply(X)
        regions = regions_of(self._model)
        return [regions[leaf] for leaf in leaves.tolist()]

    def to_rules(self) -> Regions:
        """Return all boxes, the densest first.

        Returns
        -------
        Regions
            A sequence of boxes that can be printed; ``to_frame()`` returns a data frame.
        """
        return to_regions(self._fitted_model())

    def to_text(
        self, max_width: int = 100, max_depth: int | None = None, node_numbers: bool = False
    ) -> str:
        """Return the tree as text.

        A leaf shows its share of the rows, its density, in parentheses the density as a multiple
        of the mean, and its training rows.

        Parameters
        ----------
        max_width : int, default=100
            The maximum length of a line. Longer lines are cut.
        max_depth : int or None, default=None
            The depth to show. None shows the whole tree.
        node_numbers : bool, default=False
            Write the number of each node in brackets before its branch.

        Returns
        -------
        str
            The text.
        """
        model = self._fitted_model()
        return to_text(model, max_width, max_depth, node_numbers=node_numbers)

    def to_python(self, name: str = "log_density", leaf: bool = False, rule: bool = False) -> str:
        """Return the tree as a Python function of a dict of cells, without any imports.

        The function returns the log-density of the row's box: that of ``score_samples`` for rows
        without missing cells whose values are within the ranges and categories of training.

        Parameters
        ----------
        name : str, default="log_density"
            The name of the function.
        leaf : bool, default=False
            Also write a function ``<name>_leaf`` that returns the number of a row's leaf.
        rule : bool, default=False
            Also write a function ``<name>_rule`` that returns the conditions of a row's box.

        Returns
        -------
        str
            The source code.
        """
        return to_python(self._fitted_model(), name, leaf=leaf, rule=rule)

    def to_sql(self, dialect: str = "ansi", outputs: Any = None) -> str:
        """Return the log-density as one SQL expression over the names of the columns.

        It is the log-density of the row's box: that of ``score_samples`` for rows without missing
        cells whose values are within the ranges and categories of training.

        Parameters
        ----------
        dialect : str, default="ansi"
            The SQL dialect: ``"ansi"``, ``"duckdb"``, ``"postgres"``, ``"sqlite"``,
            ``"bigquery"``, ``"snowflake"``, ``"spark"`` or ``"tsql"``.
        outputs : sequence of {"prediction", "leaf", "rule"}, default=None
            Return a SELECT list of these instead, with names. None returns one expression.

        Returns
        -------
        str
            The expression.
        """
        return to_sql(self._fitted_model(), dialect, outputs=outputs)

    def plot_tree(
        self,
        ax: Any = None,
        *,
        max_depth: int | None = None,
        orientation: str = "auto",
        legend: bool = True,
        title: str | None = None,
        colors: Any = None,
    ) -> Any:
        """Draw the tree: the splits, the conditions of the branches and the densities of the boxes.

        The width of a branch is its fraction of the training rows. The colour of a node is stronger
        for a larger density, and a bar shows its share of the rows.

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
        colors : str or None, default=None
            The matplotlib colour of the densest leaf.

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
            look=Look.of(model, colors=colors),
        )

    def plot(self, X: Any = None, columns: Any = None, ax: Any = None) -> Any:
        """Draw the density: as boxes over two columns, or as a line over one.

        The density of one or two columns of a larger table is that of these columns alone, summed
        over the others.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_columns), default=None
            Rows to draw as points over the boxes. None draws none.
        columns : sequence of one or two of str or int, default=None
            The columns, by name or position. None takes the two most important ones.
        ax : matplotlib Axes, default=None
            The axes to draw on. None makes a new figure.

        Returns
        -------
        matplotlib Axes
            The axes with the drawing.
        """
        model = self._fitted_model()
        if columns is None:
            order = np.argsort(-self.feature_importances_, kind="stable")[:2]
            columns = sorted(order.tolist())
        chosen: list[Any] = [columns] if isinstance(columns, str | Integral) else list(columns)
        return plot_density(model, chosen, None if X is None else self._read_table(X), ax)

    @property
    def feature_importances_(self) -> FloatArray:
        """The fraction of the gained log-likelihood that each column contributes."""
        model: DensityModel = self._fitted_model()
        gains = np.zeros(self.n_features_in_)
        np.add.at(gains, model.tree.feature[model.tree.parent[1:]], model.gains[1:])
        total = gains.sum()
        return gains / total if total > 0 else gains


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
