"""What a fitted model can be written as, for other programs to read or run."""

from typing import Any

from joblib import effective_n_jobs
from sklearn.utils.validation import check_is_fitted

from polytomy._types import FloatArray
from polytomy.export import (
    expected_value,
    onnx_inputs,
    shap_values,
    to_c,
    to_dot,
    to_json,
    to_mermaid,
    to_onnx,
    to_python,
    to_sql,
)

from ._input import renamed, table_of
from ._saving import save


class Lasting:
    """What a tree and a boosted model can both be written as."""

    _model: Any

    def save(self, path: Any) -> None:
        """Write the fitted model to a file; ``polytomy.load`` reads it again.

        One JSON document, compressed where the name ends in ``.gz``. The file appears whole or not
        at all.

        Parameters
        ----------
        path : str or path
            Where to.
        """
        check_is_fitted(self)
        save(self, path)

    def to_onnx(self) -> Any:
        """Return an ``onnx.ModelProto`` with the outputs ``label`` and ``probabilities``.

        It needs ``pip install "polytomy[onnx]"``, and to run onnxruntime 1.23 or later.
        """
        check_is_fitted(self)
        return to_onnx(self._model, **self._smoothed())

    def onnx_inputs(self, X: Any) -> dict[str, Any]:
        """Return the rows of X as the inputs of what ``to_onnx`` returns, by name."""
        check_is_fitted(self)
        table = renamed(table_of(self, X, reset=False), self._model.schema)
        return onnx_inputs(self._model, table)

    def shap_values(self, X: Any) -> FloatArray:
        """Return how much of each prediction is owed to each column: (rows, columns, outputs).

        Exact Shapley values for trees of any arity. With ``expected_value()`` they add up to
        ``predict_proba``, of a boosted model to ``decision_function``.
        """
        check_is_fitted(self)
        table = renamed(table_of(self, X, reset=False), self._model.schema)
        threads = effective_n_jobs(self.n_jobs)  # type: ignore[attr-defined]
        return shap_values(self._model, table, threads=threads, **self._smoothed())

    def expected_value(self) -> FloatArray:
        """Return what is predicted, on average, of rows of which nothing is known."""
        check_is_fitted(self)
        return expected_value(self._model, **self._smoothed())

    def _smoothed(self) -> dict[str, float]:
        return {}


class Exporting(Lasting):
    """What a tree can be written as."""

    def to_sql(self, dialect: str = "ansi", probability_of: Any = None) -> str:
        """Return the tree as one SQL expression over the column names.

        Parameters
        ----------
        dialect : {"ansi", "duckdb", "postgres", "sqlite"}
            Whose SQL.
        probability_of : class, optional
            Write the probability of this class instead of the class.
        """
        check_is_fitted(self)
        return to_sql(self._model, dialect, probability_of, **self._smoothed())

    def to_python(self, name: str = "predict", proba: bool = False) -> str:
        """Return Python source that needs nothing else: a function of a dict of cells.

        Parameters
        ----------
        name : str
            The function's name.
        proba : bool
            Also write ``<name>_proba``.
        """
        check_is_fitted(self)
        return to_python(self._model, name, proba, **self._smoothed())

    def to_c(self, name: str = "polytomy_predict") -> str:
        """Return a C99 header that needs nothing else: a function of a struct of cells."""
        check_is_fitted(self)
        return to_c(self._model, name)

    def to_dot(self) -> str:
        """Return the tree as a drawing for Graphviz."""
        check_is_fitted(self)
        return to_dot(self._model)

    def to_mermaid(self) -> str:
        """Return the tree as a Mermaid flowchart, as Markdown pages show it."""
        check_is_fitted(self)
        return to_mermaid(self._model)

    def to_json(self, nested: bool = True, indent: int = 1) -> str:
        """Return the tree as JSON, its questions in words and in data; not the model file.

        Parameters
        ----------
        nested : bool
            Whether children stand inside their parents; if not, all nodes stand in one list.
        indent : int
            How far to indent.
        """
        check_is_fitted(self)
        return to_json(self._model, nested, indent)

    def _smoothed(self) -> dict[str, float]:
        return {"smoothing": float(self.smoothing)}  # type: ignore[attr-defined]
