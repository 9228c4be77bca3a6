"""The report page of a fitted classifier, and the facts it is made of."""

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from polytomy._errors import ParameterError
from polytomy._types import FloatArray, IntArray
from polytomy.grow import GrowParams
from polytomy.model import Model
from polytomy.report.facts import Rows, tree_facts

from ._menus import node_details
from ._page import Page, checked_title, name_of
from ._pruning import held_weights, rows_of
from ._sample import Sample, grown_on


class Reporting(Page):
    """A page that tells all there is to tell of a fitted classifier."""

    _model: Model
    held_out_: IntArray | None
    _grown_with: GrowParams
    _n_rows: int

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
        """Return what ``report`` shows as one dictionary of plain data, ready for JSON.

        For those who draw their own page; the parameters are those of ``report``.

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
        check_is_fitted(self)
        given = self._given(("X", "y"), X, y, sample_weight)
        test = self._given(("X_test", "y_test"), X_test, y_test, sample_weight_test)
        target = name_of(y) or name_of(y_test)
        return tree_facts(self._model, self._told(given, test), checked_title(title), target)

    def _given(self, names: tuple[str, str], X: Any, y: Any, sample_weight: Any) -> Sample | None:
        if X is None and y is None and sample_weight is None:
            return None
        if X is None or y is None:
            raise ParameterError(f"{names[0]} and {names[1]} go together; give both or neither")
        rows: Sample = self._rows(X, y, sample_weight, names[1])  # type: ignore[attr-defined]
        return rows

    def _told(self, given: Sample | None, test: Sample | None) -> Rows:
        """Return what rows tell of the model."""
        model, threads = self._model, self._threads()  # type: ignore[attr-defined]
        told: dict[str, Any] = {}
        if test is not None:
            test = test.weighing()[0]
            told["test"] = held_weights(model.kept, rows_of(test, model.schema, threads))
            told["test_rows"] = len(test.labels)
        if given is not None:
            sample = grown_on(given, self.held_out_, self._n_rows)
            told["details"] = node_details(model, sample, self._grown_with, threads)
            weights = held_weights(model.kept, rows_of(sample, model.schema, threads))
            told["note"] = _note(model, sample, weights)
        return Rows(**told)


def _note(model: Model, sample: Sample, weights: FloatArray) -> str | None:
    """Say where rows, which weigh so much at the nodes, are not those the tree was grown on."""
    tree = model.kept
    close = np.allclose(weights, tree.counts, rtol=1e-9, atol=1e-9 * float(weights[0].sum()))
    if close and len(sample.labels) == tree.rows[0]:
        return None
    return (
        "The rows given for this page are not those the tree was grown on, or it was grown on a "
        f"part of them or with other weights ({tree.rows[0]:,} rows then, "
        f"{len(sample.labels):,} now): options and distributions are those of the rows given, and "
        "test rows taken from among them may be rows the tree has seen."
    )
