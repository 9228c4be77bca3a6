"""What makes a fitted classifier readable."""

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from polytomy._errors import TableError
from polytomy.export import Explanation, Rules, explain, to_rules, to_text
from polytomy.model import Model
from polytomy.report.compact import compact_html
from polytomy.table import frame_of

from ._input import is_frame, table_of


class Reading:
    """Ways to read a fitted classifier: as a drawing, as rules, or one row at a time."""

    _model: Model

    def to_text(
        self, max_width: int = 100, max_depth: int | None = None, p_chance: bool = False
    ) -> str:
        """Return the tree, drawn in text; leaves show the 95 % interval of their class share.

        Parameters
        ----------
        max_width : int
            Lines are cut to so many characters.
        max_depth : int, optional
            Draw so many questions deep.
        p_chance : bool
            Show how likely chance alone makes each question as telling as it is (chi-square);
            "rough" where a cell of its table expects fewer than 5 cases. A question that
            contraction merged is tested as it is shown; ``ChiSquare`` tests those it is made of.
        """
        check_is_fitted(self)
        return to_text(self._model, max_width, max_depth, p_chance)

    def to_rules(self) -> Rules:
        """Return one rule per leaf, with its support and confidence.

        Print them, index them, or take ``.to_frame()``.
        """
        check_is_fitted(self)
        return to_rules(self._model)

    def explain(self, row: Any) -> Explanation:
        """Return how one row comes to its prediction, in words.

        Parameters
        ----------
        row : one-row frame or array, mapping from names to cells, Series, or 1-D array
            The row.
        """
        check_is_fitted(self)
        one = self._one_row(row)
        table = table_of(self, one, reset=False)
        if table.n_rows != 1:
            raise TableError(f"explain takes one row, got {table.n_rows}")
        table = table.with_names(self._model.schema.names)
        leaf = int(self.apply(one)[0])  # type: ignore[attr-defined]
        return explain(self._model, table, leaf)

    def _one_row(self, row: Any) -> Any:
        if is_frame(row):
            return row
        names = getattr(self, "feature_names_in_", None)
        if hasattr(row, "to_frame") and hasattr(row, "index"):  # a row of a pandas frame
            return row.to_frame().T.infer_objects()
        if isinstance(row, dict):
            order = list(row) if names is None else [n for n in names if n in row]
            unknown = [n for n in row if n not in order]
            columns = {n: [row[n]] for n in [*order, *unknown]}
            return frame_of(columns)
        if isinstance(row, list | tuple) and np.ndim(np.array(row, dtype=object)) == 1:
            return [list(row)]
        return np.asarray(row).reshape(1, -1) if np.ndim(row) == 1 else row

    def _repr_html_inner(self) -> str:
        """Return the tree below scikit-learn's own drawing of the estimator."""
        drawn = super()._repr_html_inner()  # type: ignore[misc]
        if not self.__sklearn_is_fitted__():  # type: ignore[attr-defined]
            return str(drawn)
        return f"{drawn}{compact_html(self._model)}"
