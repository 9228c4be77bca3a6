"""Editing a tree by hand, with the price of every edit: ``polytomy.edit``."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils.multiclass import type_of_target

from polytomy._errors import ParameterError
from polytomy._numbers import is_integer
from polytomy._text import count
from polytomy.certify import NOTHING, EditLog, EditState, Graft, error_text
from polytomy.edits import EditRows, Rival, stated_groups, stated_thresholds
from polytomy.encode import encode_with
from polytomy.estimators.base.rows import LabelledRows
from polytomy.estimators.fitting.growing import weights_at_nodes
from polytomy.estimators.trees.classifier import TreeClassifier
from polytomy.estimators.trees.regressor import TreeRegressor
from polytomy.estimators.trees.single_tree import SingleTree
from polytomy.export import edit_text, log_entry, to_text
from polytomy.honesty import Honesty
from polytomy.io import as_scan
from polytomy.tree import (
    CategorySplit,
    IntervalSplit,
    Tree,
    leaf_of,
    leaves_below,
    nodes_below,
    replaced,
)

from .history import EditHistory
from .replay import Replay, replay_session
from .results import (
    AlternativeSplit,
    AlternativeSplits,
    EditResult,
    alternative_split,
    alternative_splits,
)


def edit(
    estimator: Any,
    X: Any = None,
    y: Any = None,
    sample_weight: Any = None,
    *,
    X_val: Any = None,
    y_val: Any = None,
    sample_weight_val: Any = None,
) -> "EditSession":
    """Begin to edit a tree by hand; every edit returns what it costs.

    Parameters
    ----------
    estimator : TreeClassifier or TreeRegressor
        A fitted estimator, whose tree is edited; it is not changed. If it is not fitted, editing
        begins with one leaf. It may be left out: ``edit(X, y)`` begins with one leaf of a
        ``TreeClassifier``, or of a ``TreeRegressor`` if ``y`` are numbers with fractions.
    X : array or data frame of shape (n_rows, n_columns), default=None
        The rows passed to ``fit``. They are needed: None raises an error.
    y : array of shape (n_rows,), default=None
        The classes or numbers passed to ``fit``; needed, too.
    sample_weight : array of shape (n_rows,), default=None
        The weights passed to ``fit``.
    X_val : array or data frame, default=None
        Held-out rows, for the held-out error of every edit.
    y_val : array, default=None
        The classes or numbers of the held-out rows.
    sample_weight_val : array, default=None
        The weights of the held-out rows.

    Returns
    -------
    EditSession
        The session: ``split``, ``collapse``, ``merge``, ``regrow``, ``relabel``, ``ban``, ``undo``,
        ``redo``, ``log`` and ``estimator()``.

    Examples
    --------
    >>> import polytomy
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> session = polytomy.edit(X, y)
    >>> done = session.split(0, "petal width (cm)", thresholds=[0.8, 1.5], reason="halves")
    >>> done.after.leaves, round(done.after.training_error, 3), round(done.gain_forgone, 3)
    (3, 0.053, 0.048)
    >>> clf = session.estimator()
    >>> polytomy.verify(clf, X, y).ok
    True
    """
    if not isinstance(estimator, BaseEstimator):
        if y is not None:
            raise ParameterError("pass edit(estimator, X, y) or edit(X, y)")
        estimator, X, y = None, estimator, X
    if X is None or (y is None and as_scan(X) is None):
        raise ParameterError("edit needs the training rows: pass X and y")
    if estimator is None:
        is_named = y is None or isinstance(y, str)  # the target of a lazy table
        is_numeric = not is_named and type_of_target(np.asarray(y)).startswith("continuous")
        estimator = TreeRegressor() if is_numeric else TreeClassifier()
    if not isinstance(estimator, SingleTree):
        raise ParameterError(
            f"edit takes a TreeClassifier or a TreeRegressor, not a {type(estimator).__name__}"
        )
    fitted, grown_by = estimator, ""
    if not estimator.__sklearn_is_fitted__():
        fitted, grown_by = _one_leaf(estimator, X, y, sample_weight), NOTHING
    rows = fitted._rows_of_fit(X, y, sample_weight)
    assert rows is not None
    held_out = None
    if X_val is not None or y_val is not None or sample_weight_val is not None:
        given = fitted._read_rows(
            X_val, y_val, sample_weight_val, ("X_val", "y_val"), class_weight=False
        )
        held_out = given.with_weight()[0]
    return EditSession._begin(fitted, rows, held_out, grown_by)


def _one_leaf(estimator: SingleTree, X: Any, y: Any, sample_weight: Any) -> SingleTree:
    """Return the estimator fitted with a tree of one leaf."""
    given = estimator.get_params()
    plain = {"max_leaves": 1, "effort": "fast", "teacher": None, "search": None, "pruner": None}
    small: SingleTree = clone(estimator).set_params(**plain, honest=False, overgrow=1.0)
    small.fit(X, y, sample_weight).set_params(**given)
    record = small._fit_record
    small._fit_record = replace(record, params=replace(record.params, max_leaves=None))
    model, honesty = small._model, Honesty() if small.honest else None
    rules = replace(model.run.rules, max_leaves=1)
    run = replace(model.run, rules=rules, splits=(), retired=())  # prices prune a larger tree
    leaf = leaf_of(model.tree, 0)
    small._model = replace(model, grown=leaf, run=run, pruning=None, honesty=honesty)
    return small


def _check_rows(estimator: SingleTree, rows: LabelledRows) -> None:
    """Raise an error if the nodes of the tree hold other rows than these."""
    model = estimator._model
    tree = model.tree
    counts = weights_at_nodes(tree, model.schema, rows, estimator._threads())
    slack = 1e-9 * np.abs(counts).max(axis=0)
    if not (np.abs(counts - tree.counts[:, : counts.shape[1]]) <= slack + 1e-12).all():
        raise ParameterError(
            "X and y must be the rows passed to fit, in pairs as they were: the nodes of the tree "
            "hold other rows"
        )


class EditSession(EditHistory):
    """Edits of a tree, each with its price; ``polytomy.edit`` begins one.

    Nodes have the numbers of ``session.tree_``, which ``print(session)`` shows. An edit renumbers
    nodes only if it removes some, and new nodes come last.

    Parameters
    ----------
    estimator : TreeClassifier or TreeRegressor
        The fitted estimator that editing began with.
    rows : EditRows
        Its training rows.
    held_out : LabelledRows or None
        Held-out rows.
    log : EditLog
        The tree that editing began with, and earlier steps.
    now : EditState
        The tree after those steps.

    Attributes
    ----------
    tree_ : Tree
        The tree as it is now.
    log : list of dict
        The edits as plain data, with their costs.
    """

    @classmethod
    def _begin(
        cls,
        estimator: SingleTree,
        labelled: LabelledRows,
        held_out: LabelledRows | None,
        grown_by: str,
    ) -> "EditSession":
        model = estimator._model
        coded = encode_with(model.schema, labelled.table)
        rows = EditRows(labelled.table, coded, labelled.target, model.grown.centre)
        _check_rows(estimator, labelled)
        earlier = None if model.origin is None else model.origin.edits
        if earlier is not None and earlier.steps and model.pruning is not None:
            raise ParameterError(
                "this tree was edited and then pruned, so that its log does not lead to it; edit "
                "the tree before pruning, and prune again"
            )
        if earlier is not None and model.pruning is None and not model.contracted:
            *_, now = earlier.states()
            return cls(estimator, rows, held_out, earlier, now._replace(place=None))
        log = EditLog(model.tree, grown_by or model.run.rules.procedure)
        return cls(estimator, rows, held_out, log, EditState(model.tree, ()))

    @property
    def log(self) -> list[dict[str, Any]]:
        """The edits as plain data that JSON can hold, in order, with their costs."""
        return [log_entry(step, self._rows.schema, self._classes) for step in self._now.steps]

    def __str__(self) -> str:
        """Return the tree with the numbers of its nodes, its figures and the log."""
        now, numeric = self.figures, self.tree_.is_numeric
        text = to_text(self._plain_model(self.tree_), node_numbers=True)
        error = "mean loss" if numeric else "training error"
        leaves = count(now.leaves, "leaf", "leaves")
        facts = f"{leaves}, {now.questions:.2f} questions, {error} "
        facts += error_text(now.training_error, numeric)
        if now.held_out_error is not None:
            facts += f", held-out {error_text(now.held_out_error, numeric)}"
        steps = [
            f"{number}. {edit_text(step, self._rows.schema, self._classes)}"
            for number, step in enumerate(self._now.steps, 1)
        ]
        return "\n".join([text, facts, *steps])

    __repr__ = __str__

    def alternatives(
        self, node: int, columns: Sequence[str | int] | None = None
    ) -> AlternativeSplits:
        """Return the splits that a node could have: the best of each arity on each column.

        Parameters
        ----------
        node : int
            A node of ``tree_``.
        columns : sequence or None, default=None
            Return only those of these columns, by name or position. None returns all.

        Returns
        -------
        AlternativeSplits
            The splits, the largest gain first, to be printed. Banned columns and those of
            ``never_ask`` are left out, and so is an arity that gains no more than a smaller one on
            the same column.
        """
        rivals = self.best_splits(node)
        wanted = None if columns is None else {self._column(column) for column in columns}
        return alternative_splits(self._plain_model(self.tree_), node, rivals, wanted)

    # ---- edits -----------------------------------------------------------------------------------

    def split(
        self,
        node: int,
        column: str | int,
        *,
        thresholds: Any = None,
        groups: Any = None,
        arity: int | None = None,
        missing: Any = None,
        reason: str = "",
    ) -> EditResult:
        """Split a node on a column; what was below the node is replaced by leaves.

        Parameters
        ----------
        node : int
            A node of ``tree_``.
        column : str or int
            The column, by name or position.
        thresholds : sequence, default=None
            For an ordered column: numbers, times or labels; rows up to each of them go left.
        groups : sequence of sequences, default=None
            For categories: those of each branch. None among them stands for missing cells, and
            ``...`` in the place of a group for all categories that are not listed.
        arity : int, default=None
            Search the best split with this number of branches. If thresholds, groups and arity are
            None, the split with the largest gain for each added leaf is taken.
        missing : int, "own" or None, default=None
            With thresholds, the branch of missing cells, or a branch of their own. None puts them
            where they gain most.
        reason : str, default=""
            Why, for the log.

        Returns
        -------
        EditResult
            The price of the edit, and the numbers of the new nodes.
        """
        node, reason = self._node(node), _reason(reason)
        part, rivals = self._stated(node, column, thresholds, groups, arity, missing)
        is_searched = thresholds is None and groups is None
        return self._put_split(node, part, rivals, is_searched=is_searched, reason=reason)

    def price(
        self,
        node: int,
        column: str | int,
        *,
        thresholds: Any = None,
        groups: Any = None,
        arity: int | None = None,
        missing: Any = None,
    ) -> AlternativeSplit:
        """Return what a split would gain and forgo, without making it.

        Parameters
        ----------
        node : int
            A node of ``tree_``.
        column : str or int
            The column, by name or position.
        thresholds, groups, arity, missing : default=None
            The split, as for ``split``.

        Returns
        -------
        AlternativeSplit
            The split with its gain, the gain forgone, and the training error of the tree with it.
        """
        node = self._node(node)
        part, rivals = self._stated(node, column, thresholds, groups, arity, missing)
        split = part.split(0)
        assert isinstance(split, IntervalSplit | CategorySplit)
        impurity = self._index.value(part.counts)
        gain = float(impurity[0] - impurity[1:].sum())
        counts = None if part.is_numeric else part.counts[1:]
        rival = Rival(split, gain, counts)
        return alternative_split(self._plain_model(self.tree_), node, rival, rivals)

    def _stated(
        self, node: int, column: Any, thresholds: Any, groups: Any, arity: Any, missing: Any
    ) -> tuple[Tree, list[Rival]]:
        """Return a split of a node as a tree with the counts of its rows, and the best splits."""
        at = self._column(column)
        if sum(given is not None for given in (thresholds, groups, arity)) > 1:
            raise ParameterError("pass thresholds, groups or arity, not several of them")
        if missing is not None and thresholds is None:
            raise ParameterError("missing goes with thresholds; in groups, None is missing cells")
        if at in self._now.edits.banned_at(node):
            name = self._rows.schema[at].name
            raise ParameterError(f"column {name!r} is banned at node {node}")
        rows = self._rows_of(node)
        rivals = self._rivals(node, rows)
        split: IntervalSplit | CategorySplit
        if thresholds is not None:
            split = stated_thresholds(self._rows, rows, at, thresholds, missing, self._index)
        elif groups is not None:
            split = stated_groups(self._rows, node, rows, at, groups)
        else:
            split = self._searched(rivals, node, at, arity)
        return self._rows.stump(self.tree_, node, split, rows), rivals

    def collapse(self, node: int, *, reason: str = "") -> EditResult:
        """Turn a node into a leaf.

        Parameters
        ----------
        node : int
            A node of ``tree_`` that is split.
        reason : str, default=""
            Why, for the log.

        Returns
        -------
        EditResult
            The price of the edit.
        """
        node = self._node(node)
        if self.tree_.is_leaf(node):
            raise ParameterError(f"node {node} is a leaf already")
        return self._do("collapse", node, reason=_reason(reason))

    def merge(self, node: int, branches: Sequence[int], *, reason: str = "") -> EditResult:
        """Merge branches of a node into one leaf.

        Parameters
        ----------
        node : int
            A node of ``tree_`` that is split.
        branches : sequence of int
            At least two branches, counted from 0, but not all. Ranges must follow each other.
        reason : str, default=""
            Why, for the log.

        Returns
        -------
        EditResult
            The price of the edit.
        """
        node = self._node(node)
        is_list = isinstance(branches, Sequence | np.ndarray) and not isinstance(branches, str)
        chosen = tuple(branches) if is_list else ()
        if not chosen or not all(is_integer(b) for b in chosen):
            raise ParameterError(f"branches must be integers, in a list; got {branches!r}")
        return self._do("merge", node, branches=tuple(map(int, chosen)), reason=_reason(reason))

    def regrow(self, node: int, max_leaves: int | None = None, *, reason: str = "") -> EditResult:
        """Grow the subtree of a node again on its rows, with the estimator's procedure.

        If columns have directions (``monotonic_cst``), the subtree is pruned until its leaves are
        in order with those of the rest of the tree.

        Parameters
        ----------
        node : int
            A node of ``tree_``.
        max_leaves : int or None, default=None
            The maximum number of leaves below the node. None allows as many as there are.
        reason : str, default=""
            Why, for the log.

        Returns
        -------
        EditResult
            The price of the edit, and the numbers of the new nodes.
        """
        node = self._node(node)
        if max_leaves is None:
            max_leaves = int(leaves_below(self.tree_)[node])
            if max_leaves == 1:
                raise ParameterError(f"node {node} is a leaf: pass max_leaves to grow it")
        if not is_integer(max_leaves) or max_leaves < 1:
            raise ParameterError(f"max_leaves must be an integer >= 1, got {max_leaves!r}")
        part = self._regrown(self._now.edits, self._now.leaf, node, int(max_leaves))
        return self._do("regrow", node, grafts=(Graft(node, part),), reason=_reason(reason))

    def relabel(self, node: int, label: Any, *, reason: str = "") -> EditResult:
        """Let a leaf predict another class; its counts and shares stay what they are.

        Parameters
        ----------
        node : int
            A leaf of ``tree_``.
        label : object
            The class.
        reason : str, default=""
            Why, for the log.

        Returns
        -------
        EditResult
            The price of the edit.
        """
        node = self._node(node)
        if self.tree_.is_numeric:
            raise ParameterError("relabel is for classes: the leaves of a regressor have means")
        if not self.tree_.is_leaf(node):
            raise ParameterError(f"node {node} is split: collapse it first, then relabel the leaf")
        known = np.asarray(self._classes).tolist()
        if label not in known:
            raise ParameterError(f"{label!r} is not one of the classes {known[:10]}")
        return self._do("relabel", node, label=known.index(label), reason=_reason(reason))

    def ban(self, column: str | int, below: int = 0, *, reason: str = "") -> EditResult:
        """Exclude a column from the splits of a node and below it.

        Nodes there that are split on the column are grown again without it, with at most as many
        leaves. A ban lasts as long as its node.

        Parameters
        ----------
        column : str or int
            The column, by name or position.
        below : int, default=0
            A node of ``tree_``; 0 is the root, so the column is banned from the whole tree.
        reason : str, default=""
            Why, for the log.

        Returns
        -------
        EditResult
            The price of the edit.
        """
        node, at = self._node(below), self._column(column)
        state = EditState(self.tree_, (*self._now.edits.bans, (at, node)))
        leaf, grafts, here = self._now.leaf, [], node
        while (top := _first_split_on(state.tree, here, at)) is not None:
            most = int(leaves_below(state.tree)[top])
            graft = Graft(top, self._regrown(state, leaf, top, most))
            grafts.append(graft)
            before, done = state.tree, replaced(state.tree, top, graft.subtree)
            leaf = self._moved_rows(before, leaf, done.tree, done.place, top)
            here = int(done.place[here])
            bans = tuple((c, int(done.place[v])) for c, v in state.bans if done.place[v] >= 0)
            state = EditState(done.tree, bans)
        return self._do("ban", node, column=at, grafts=tuple(grafts), reason=_reason(reason))

    def replay(self, X: Any, y: Any, sample_weight: Any = None) -> Replay:
        """Repeat the edits on other rows: the same splits with new counts.

        The tree that editing began with is filled with the new rows, then every step is repeated
        with its splits as they are; nothing is grown or searched again.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_columns)
            The new rows, with the same columns.
        y : array of shape (n_rows,)
            Their classes, of those that the tree knows, or numbers.
        sample_weight : array of shape (n_rows,), default=None
            Their weights.

        Returns
        -------
        Replay
            A session on the new rows, ``session``, and what no longer holds, ``findings``: steps
            that cannot be repeated, branches without rows, new categories, and leaves that predict
            another class.
        """
        return replay_session(self, X, y, sample_weight)

    def _searched(
        self, rivals: list[Rival], node: int, column: int, arity: Any
    ) -> IntervalSplit | CategorySplit:
        if arity is not None and (not is_integer(arity) or arity < 2):
            raise ParameterError(f"arity must be an integer >= 2, got {arity!r}")
        fit = [
            r
            for r in rivals
            if r.split.feature == column and (arity is None or r.split.arity == arity)
        ]
        if not fit:
            name = self._rows.schema[column].name
            ways = "" if arity is None else f" with {arity} branches"
            raise ParameterError(f"no split{ways} of node {node} on {name!r} gains anything")
        return max(fit, key=lambda r: r.gain / (r.split.arity - 1)).split


def _first_split_on(tree: Tree, node: int, column: int) -> int | None:
    """Return the first node, among a node and those below it, that is split on a column."""
    found = np.flatnonzero(nodes_below(tree, node) & (tree.feature == column))
    return int(found[0]) if len(found) else None


def _reason(reason: Any) -> str:
    if not isinstance(reason, str):
        raise ParameterError(f"reason must be text, got {reason!r}")
    return reason.strip()
