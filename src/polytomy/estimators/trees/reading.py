"""Reading a fitted tree: text, rules, SQL, Python and plots.

Plots need matplotlib: ``pip install "polytomy[plot]"``.
"""

from typing import Any

from polytomy.estimators.reading.exports import ReadableModel
from polytomy.estimators.reading.one_tree import OneTree
from polytomy.export import Rules, to_python, to_rules, to_sql, to_text
from polytomy.model import Model
from polytomy.plot import Look, plot_growth, plot_tree


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
