"""What every estimator with one tree can do: its nodes, the path of a row, diagrams and code."""

from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from polytomy._errors import TableError
from polytomy._files import replacing
from polytomy._types import BranchArray
from polytomy.estimators.base.input import as_one_row
from polytomy.export import (
    Explanation,
    explain,
    to_c,
    to_dot,
    to_javascript,
    to_json,
    to_mermaid,
    tree_workbook,
)
from polytomy.predict import apply
from polytomy.report import compact_html
from polytomy.tree import Tree

from .exports import ColumnImportances


class OneTree(ColumnImportances):
    """Base class of the estimators with one tree, whether there is a target or not."""

    def apply(self, X: Any) -> BranchArray:
        """Return the leaf of each row.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_columns), or lazy table
            The rows.

        Returns
        -------
        ndarray of shape (n_rows,)
            Node numbers of ``tree_``.
        """
        table = self._read_table(X)
        return apply(self.tree_, self._model.schema, table, self._threads())

    def decision_path(self, X: Any) -> csr_matrix:
        """Return the nodes on the path of each row.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_columns), or lazy table
            The rows.

        Returns
        -------
        csr_matrix of shape (n_rows, n_nodes)
            1 for each node of ``tree_`` that a row visits.
        """
        return paths_to(self.tree_, self.apply(X))

    def get_depth(self) -> int:
        """Return the depth of the tree: the maximum number of splits on a path.

        Returns
        -------
        int
            The depth; 0 for a tree of one leaf.

        Examples
        --------
        >>> from polytomy import TreeClassifier
        >>> clf = TreeClassifier(procedure="per-leaf").fit([[1], [2], [3]], ["a", "b", "a"])
        >>> clf.get_depth(), clf.get_n_leaves()
        (1, 3)
        """
        return int(self.tree_.depth.max())

    def get_n_leaves(self) -> int:
        """Return the number of leaves.

        Returns
        -------
        int
            The number of leaves of ``tree_``.
        """
        return self.tree_.n_leaves

    @property
    def tree_(self) -> Tree:
        """The tree."""
        tree: Tree = self._fitted_model().tree
        return tree

    @property
    def n_leaves_(self) -> int:
        """The number of leaves."""
        return self.get_n_leaves()

    @property
    def depth_(self) -> int:
        """The maximum number of splits on a path."""
        return self.get_depth()

    @property
    def n_questions_(self) -> float:
        """The mean number of splits on the path of a training row."""
        leaves = self.tree_.leaves()
        return float(np.average(self.tree_.depth[leaves], weights=self.tree_.rows[leaves]))

    def explain(self, row: Any) -> Explanation:
        """Explain the prediction of one row step by step.

        Parameters
        ----------
        row : data frame or array of one row, dict, Series or 1-D array
            The row. A dict maps the names of columns to cells.

        Returns
        -------
        Explanation
            The splits on the path of the row and the prediction, to be printed: the share of its
            class or the mean to expect of new rows, and that of the training rows of the leaf; or
            the density of its box.
        """
        model = self._fitted_model()
        table = self._read_table(as_one_row(row, getattr(self, "feature_names_in_", None)))
        if table.n_rows != 1:
            raise TableError(f"explain takes one row, got {table.n_rows}")
        leaf = int(apply(model.tree, model.schema, table, self._threads())[0])
        return explain(model, table, leaf)

    def to_c(
        self,
        name: str = "polytomy_predict",
        proba: bool = False,
        leaf: bool = False,
        rule: bool = False,
    ) -> str:
        """Return the tree as a C99 header with a function of a struct of cells.

        The function returns the number of the class, or the predicted number or log-density as a
        double.

        Parameters
        ----------
        name : str, default="polytomy_predict"
            The name of the function.
        proba : bool, default=False
            Also write ``<name>_proba(row, probabilities)``. For classifiers only.
        leaf : bool, default=False
            Also write ``<name>_leaf(row)``, the number of a row's leaf.
        rule : bool, default=False
            Also write ``<name>_rule(row)``, the conditions of a row's leaf as text.

        Returns
        -------
        str
            The source code.
        """
        options = self._probability_options()
        return to_c(self._fitted_model(), name, proba=proba, leaf=leaf, rule=rule, **options)

    def to_javascript(
        self, name: str = "predict", proba: bool = False, leaf: bool = False, rule: bool = False
    ) -> str:
        """Return the tree as a JavaScript function of an object of cells, without dependencies.

        Parameters
        ----------
        name : str, default="predict"
            The name of the function.
        proba : bool, default=False
            Also write ``<name>Proba``, which returns an array in the order of ``classes``. For
            classifiers only.
        leaf : bool, default=False
            Also write ``<name>Leaf``, which returns the number of a row's leaf.
        rule : bool, default=False
            Also write ``<name>Rule``, which returns the conditions of a row's leaf.

        Returns
        -------
        str
            The source code, for a ``<script>`` or as a CommonJS module.
        """
        model, options = self._fitted_model(), self._probability_options()
        return to_javascript(model, name, proba=proba, leaf=leaf, rule=rule, **options)

    def to_xlsx(self, path: str | PathLike[str], X: Any = None, rows: int = 100) -> None:
        """Write a workbook whose formulas predict the rows that are typed into it.

        Nested IFs find the leaf, within the limits of Excel; the prediction, the probabilities and
        the rule of the leaf are looked up. Columns of times cannot be expressed, and numbers are
        compared with 15 digits, as Excel does.

        Parameters
        ----------
        path : str or path
            The file to write.
        X : array or data frame of shape (n_rows, n_columns), default=None
            Rows to fill in; None leaves the cells empty.
        rows : int, default=100
            The number of rows to prepare, if ``X`` is None.
        """
        model = self._fitted_model()
        table = None if X is None else self._read_table(X)
        data = tree_workbook(model, table, rows, **self._probability_options())
        with replacing(Path(path)) as file:
            file.write(data)

    def to_dot(self) -> str:
        """Return the tree as a Graphviz graph.

        Returns
        -------
        str
            The graph in the DOT language.
        """
        return to_dot(self._fitted_model())

    def to_mermaid(self) -> str:
        """Return the tree as a Mermaid flowchart, for Markdown pages.

        Returns
        -------
        str
            The flowchart.
        """
        return to_mermaid(self._fitted_model())

    def to_json(self, nested: bool = True, indent: int = 1) -> str:
        """Return the tree as JSON for other programs. ``polytomy.load`` does not read it.

        Parameters
        ----------
        nested : bool, default=True
            Put children inside their parents. If False, all nodes are in one list.
        indent : int, default=1
            The indentation of each level.

        Returns
        -------
        str
            The JSON text, with every split in words and as data. A node of a regression tree has
            the mean to expect of new rows as ``"prediction"``, with its ``"interval"``, and the
            ``"training_mean"``, ``"deviation"`` and ``"weight"`` of its training rows. A node of a
            density tree has its ``"share"`` of the rows, its ``"density"``, ``"log_density"`` and
            ``"relative"`` density, a multiple of the mean.
        """
        return to_json(self._fitted_model(), nested, indent)

    def _repr_html_inner(self) -> str:
        """Return scikit-learn's HTML view of the estimator, followed by the fitted tree."""
        drawn = super()._repr_html_inner()
        if not self.__sklearn_is_fitted__():
            return str(drawn)
        return f"{drawn}{compact_html(self._model)}"


def paths_to(tree: Tree, leaves: BranchArray) -> csr_matrix:
    """Return 1 for each node of a tree on the path to the leaf of each row."""
    paths = {int(leaf): tree.path(int(leaf)) for leaf in np.unique(leaves)}
    visited = [paths[int(leaf)] for leaf in leaves]
    indices = np.concatenate(visited)
    starts = np.concatenate(([0], np.cumsum([len(p) for p in visited])))
    shape = (len(leaves), tree.n_nodes)
    return csr_matrix((np.ones(len(indices), dtype=np.int64), indices, starts), shape=shape)
