"""The HTML report of a fitted model: what the reports of all models have in common."""

from abc import abstractmethod
from typing import Any

from polytomy._errors import ParameterError
from polytomy._files import write_atomically
from polytomy.estimators.base.models import BaseTreeModel
from polytomy.estimators.base.rows import LabelledRows
from polytomy.io import Scan
from polytomy.report import render

from .decisions import ReportInput


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


def _checked_title(title: Any) -> str | None:
    if title is not None and not isinstance(title, str):
        raise ParameterError(f"title must be text, got {title!r}")
    return title


def name_of_target(given: ReportInput) -> str | None:
    """Return the name of the target, or None."""
    return _name_of(given.X, given.y) or _name_of(given.X_test, given.y_test)


def _name_of(X: Any, y: Any) -> str | None:
    """Return the name of a target, or None."""
    if y is None and isinstance(X, Scan):
        y = X.target
    name = y if isinstance(y, str) else getattr(y, "name", None)
    return name if isinstance(name, str) and name else None
