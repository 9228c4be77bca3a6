"""The report of a fitted model as one HTML page, whatever the model is."""

from typing import Any

from polytomy._errors import ParameterError
from polytomy._files import write_atomically
from polytomy.report.html import render


class Page:
    """Writes the facts of ``report_facts`` as a page."""

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
    ) -> None:
        """Write a self-contained HTML page that tells all there is to tell of the model.

        It holds counts, never rows, and needs no network.

        Parameters
        ----------
        path : str or path
            The file; it appears whole or not at all.
        X, y
            The rows passed to fit. With them the page also shows, of a tree, what else each node
            could have asked and how its rows lie; of a boosted model, margins and confusions.
        X_test, y_test
            Rows the model was not fitted on, for their errors.
        sample_weight, sample_weight_test
            Weights of the rows: those passed to fit, and those of the test rows.
        title : str, optional
            The heading; by default it names the target, where that has a name.

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
        facts = self.report_facts(  # type: ignore[attr-defined]
            X,
            y,
            X_test,
            y_test,
            sample_weight=sample_weight,
            sample_weight_test=sample_weight_test,
            title=title,
        )
        write_atomically(path, render(facts).encode("utf-8"))


def checked_title(title: Any) -> str | None:
    """Return the heading asked for, which is text or nothing."""
    if title is not None and not isinstance(title, str):
        raise ParameterError(f"title must be text, got {title!r}")
    return title


def name_of(y: Any) -> str | None:
    """Return the name of a target, where it has one that says something."""
    name = getattr(y, "name", None)
    return name if isinstance(name, str) and name else None
