"""The tree of a session of editing, its rows and its steps: carrying out, undoing, pricing."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from polytomy._errors import ParameterError, TreeError
from polytomy._numbers import is_integer
from polytomy._types import BranchArray, IntArray
from polytomy.certify import (
    Cost,
    Edit,
    EditLog,
    EditState,
    Figures,
    Graft,
    Origin,
    Run,
    apply_edit,
    replayed,
    tree_figures,
)
from polytomy.certify.verify.report import Ledger, Report
from polytomy.edits import EditRows, Rival, best_rivals, column_distribution, regrown
from polytomy.estimators.base.rows import LabelledRows
from polytomy.estimators.fitting.growing import weights_at_nodes
from polytomy.estimators.fitting.plan import plan_prices
from polytomy.estimators.fitting.records import rules_of
from polytomy.estimators.trees.single_tree import SingleTree
from polytomy.estimators.trees.verification import verify_order
from polytomy.export import log_entry
from polytomy.grow import GrowParams
from polytomy.index import Index
from polytomy.model import Model
from polytomy.predict import apply
from polytomy.prune import held_losses
from polytomy.report import edited_facts
from polytomy.tree import (
    Tree,
    asked_above,
    collapsed,
    errors_of_labels,
    leaves_below,
    nodes_below,
    replaced,
)

from .results import EditResult, best_gain

LIMITS = ("min_samples_leaf", "min_samples_split", "max_arity", "max_depth")
"""The limits of the estimators that can change while a tree is edited."""


@dataclass(frozen=True, slots=True, eq=False)
class _Moment:
    """The state of a session after some edits."""

    edits: EditState
    leaf: BranchArray  # of each training row
    steps: tuple[Edit, ...]
    figures: Figures
    rivals: dict[int, list[Rival]] = field(default_factory=dict)  # of the nodes that were asked for


class EditHistory:
    """A tree that is edited, with its rows and the states before and after every edit.

    ``EditSession`` has the parameters.
    """

    def __init__(
        self,
        estimator: SingleTree,
        rows: EditRows,
        held_out: LabelledRows | None,
        log: EditLog,
        now: EditState,
    ) -> None:
        model = estimator._model
        self._base, self._rows, self._held_out, self._log = estimator, rows, held_out, log
        self._index, self._threads = model.run.index, estimator._threads()
        params: GrowParams = estimator._fit_record.params
        built_in = tuple(family for family in params.families if isinstance(family, str))
        self._params = replace(params, families=built_in or "auto", max_leaves=None)
        rules = rules_of(self._params)
        self._rules = replace(rules, min_samples_leaf=1, min_weight_fraction_leaf=0.0)
        leaf = apply(now.tree, rows.schema, rows.table, self._threads)
        self._history = [_Moment(now, leaf, log.steps, self._figures(now.tree))]
        self._at = 0
        self._last_rows: tuple[_Moment | None, int, IntArray] = None, -1, np.empty(0, np.int64)
        self._is_replayed = False

    @property
    def tree_(self) -> Tree:
        """The tree as it is now."""
        return self._now.edits.tree

    @property
    def figures(self) -> Figures:
        """Leaves, questions, index, errors and the bound of the certificate, as they are now."""
        return self._now.figures

    @property
    def can_undo(self) -> bool:
        """Whether there is an edit to undo."""
        return self._at > 0

    @property
    def can_redo(self) -> bool:
        """Whether there is an edit to redo."""
        return self._at + 1 < len(self._history)

    def undo(self) -> Figures:
        """Take the last edit back.

        Returns
        -------
        Figures
            The figures of the tree now.
        """
        if not self.can_undo:
            raise ParameterError("this session has no edit to undo; those of earlier ones stay")
        self._at -= 1
        return self.figures

    def redo(self) -> Figures:
        """Repeat the edit that was taken back last.

        Returns
        -------
        Figures
            The figures of the tree now.
        """
        if not self.can_redo:
            raise ParameterError("there is no edit to redo")
        self._at += 1
        return self.figures

    def estimator(self) -> Any:
        """Return the edited tree as an ordinary estimator.

        Returns
        -------
        TreeClassifier or TreeRegressor
            A fitted estimator. Its ``origin_``, its model file and its texts state the edits, and
            ``polytomy.verify`` replays them. Its shares or means to expect of new rows use what
            cross-fitting learned about the tree that editing began with.
        """
        return self._base._with_model(self._model())

    def error(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the error of the tree as it is now on other rows.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_columns)
            The rows, with the same columns.
        y : array of shape (n_rows,)
            Their classes, of those that the tree knows, or numbers.
        sample_weight : array of shape (n_rows,), default=None
            Their weights.

        Returns
        -------
        float
            The share of misclassified rows, without class weights; the mean loss of a regressor.
        """
        given = self._base._read_rows(X, y, sample_weight, class_weight=False)
        return self._error_on(self.tree_, given.with_weight()[0])

    def distribution(self, node: int, column: str | int, most_rows: int | None = None) -> Any:
        """Return how the rows of a node are distributed over a column.

        Parameters
        ----------
        node : int
            A node of ``tree_``.
        column : str or int
            The column, by name or position.
        most_rows : int or None, default=None
            Count about this many rows of the node instead of all, which is faster.

        Returns
        -------
        Distribution
            The class counts, or the moments of the numbers, of bins of the column.
        """
        at, rows = self._column(column), self._rows_of(self._node(node))
        if most_rows is not None and len(rows) > most_rows:
            rows = rows[:: len(rows) // most_rows]
        return column_distribution(self._rows, rows, at)

    def best_splits(self, node: int) -> list[Rival]:
        """Return the best split of each arity on each column, as the tree would hold them.

        Parameters
        ----------
        node : int
            A node of ``tree_``.

        Returns
        -------
        list of Rival
            Column by column, the smallest arity first. Banned columns and those of ``never_ask``
            are left out.
        """
        node = self._node(node)
        return self._rivals(node, self._rows_of(node))

    def limit(self, **limits: Any) -> None:
        """Change limits of the alternatives and of regrowing, from now on.

        Limits do not bind the splits that people state, and are no edits: ``undo`` keeps them.

        Parameters
        ----------
        **limits : Any
            ``min_samples_leaf``, ``min_samples_split``, ``max_arity`` or ``max_depth``, as in the
            estimators.
        """
        unknown = sorted(limits.keys() - set(LIMITS))
        if unknown:
            raise ParameterError(f"limits are {', '.join(LIMITS)}; got {unknown[0]!r}")
        self._params = replace(self._params, **limits)
        for moment in self._history:
            moment.rivals.clear()

    def facts(self, target: str | None = None) -> dict[str, Any]:
        """Return what a page shows of the tree as it is now, as plain data.

        Parameters
        ----------
        target : str or None, default=None
            The name of the target.

        Returns
        -------
        dict
            Facts that ``json.dumps`` accepts; nodes have the numbers of ``tree_``.
        """
        return edited_facts(self._edited_model(), target)

    @property
    def _now(self) -> _Moment:
        return self._history[self._at]

    @property
    def _classes(self) -> Any:
        return self._base._model.classes

    @property
    def _weight(self) -> float:
        return float(self.tree_.weight[0])

    def _node(self, node: Any) -> int:
        n = self.tree_.n_nodes
        if not is_integer(node) or not 0 <= node < n:
            raise ParameterError(f"node must be an integer from 0 to {n - 1}, got {node!r}")
        return int(node)

    def _column(self, column: Any) -> int:
        names = self._rows.schema.names
        if isinstance(column, str):
            if column not in names:
                raise ParameterError(f"there is no column {column!r}; there are {names[:10]}")
            return names.index(column)
        if not is_integer(column) or not 0 <= column < len(names):
            raise ParameterError(
                f"column must be a name or a position from 0 to {len(names) - 1}, got {column!r}"
            )
        return int(column)

    def _rows_of(self, node: int) -> IntArray:
        """Return the rows of a node; those asked for last are remembered."""
        moment, last, rows = self._last_rows
        if moment is not self._now or last != node:
            rows = np.flatnonzero(nodes_below(self.tree_, node)[self._now.leaf])
            self._last_rows = self._now, node, rows
        return rows

    def _rivals(self, node: int, rows: IntArray) -> list[Rival]:
        """Return the best splits of a node, whose rows these are."""
        known = self._now.rivals
        if node not in known:
            banned = {*self._now.edits.banned_at(node), *self._params.constraints.never}
            known[node] = best_rivals(
                self._rows, rows, self._params, self._index, banned, self._threads
            )
        return known[node]

    def _regrown(self, state: EditState, leaf: BranchArray, node: int, max_leaves: int) -> Tree:
        """Return a subtree grown on the rows of a node of a tree, with their counts."""
        rows = np.flatnonzero(nodes_below(state.tree, node)[leaf])
        held = self._params.constraints.below(asked_above(state.tree, node))
        params = replace(self._params, max_leaves=max_leaves, constraints=held)
        prices = None
        if params.procedure == "priced":
            prices = plan_prices(self._base, max_leaves).two_prices
        banned = state.banned_at(node)
        shape = regrown(self._rows, rows, params, prices, banned, self._threads)
        return self._in_order(state.tree, node, self._rows.filled(shape, state.tree, node, rows))

    def _in_order(self, tree: Tree, node: int, part: Tree) -> Tree:
        """Return a new subtree of a node, pruned until it is in order with the rest of the tree.

        Growing keeps the directions of columns within the subtree only. The split with the least
        gain per leaf is collapsed first.
        """
        while not self._order_of(replaced(tree, node, part).tree).ok:
            if part.n_leaves == 1:
                raise ParameterError(
                    f"no subtree of node {node} keeps the directions of monotonic_cst beside the "
                    f"rest of the tree; regrow node {tree.parent[node]} above it instead"
                )
            part = collapsed(part, _weakest_split(part, self._index)).tree
        return part

    def _moved_rows(
        self, before: Tree, leaf: BranchArray, tree: Tree, place: IntArray, node: int
    ) -> BranchArray:
        """Return the leaves of all rows after an edit; only rows of the node are routed."""
        inside = nodes_below(before, node)
        moved = np.where(inside, place[node], place).astype(np.int32)[leaf]
        rows = np.flatnonzero(inside[leaf])
        moved[rows] = self._rows.route(tree, int(place[node]), rows)
        return moved

    def _put_split(
        self, node: int, part: Tree, rivals: list[Rival], *, is_searched: bool, reason: str
    ) -> EditResult:
        """Put a split in the place of a node, given the best splits there."""
        impurity = self._index.value(part.counts)
        gain = float(impurity[0] - impurity[1:].sum())
        forgone = max(best_gain(rivals, part.arity(0)) - gain, 0.0)
        grafts = (Graft(node, part),)
        return self._do(
            "split", node, forgone, grafts=grafts, is_searched=is_searched, reason=reason
        )

    def _do(
        self, operation: str, node: int, forgone: float | None = None, **facts: Any
    ) -> EditResult:
        """Carry out an edit and return its price."""
        now = self._now
        nothing = Cost(0.0, now.figures, now.figures)
        try:
            step = Edit(operation, node, nothing, **facts)
            state = apply_edit(now.edits, step)
        except TreeError as error:
            raise ParameterError(str(error)) from None
        assert state.place is not None
        leaf = now.leaf
        if operation != "relabel":
            leaf = self._moved_rows(now.edits.tree, leaf, state.tree, state.place, node)
        after = self._figures(state.tree)
        if forgone is None:
            forgone = max(after.index - now.figures.index, 0.0) * self._weight
        step = replace(step, cost=Cost(forgone / self._weight, now.figures, after))
        steps = (*now.steps, step)
        then = _Moment(state._replace(place=None), leaf, steps, after)
        self._check_order(then)
        self._history = [*self._history[: self._at + 1], then]
        self._at += 1
        here = int(state.place[node])
        below = np.flatnonzero(nodes_below(state.tree, here)).tolist()[1:]
        entry = log_entry(step, self._rows.schema, self._classes)
        cost = step.cost
        numeric = state.tree.is_numeric
        return EditResult(
            len(steps), entry, here, tuple(below), cost.gain_forgone, cost.before, after, numeric
        )

    @property
    def training_cost(self) -> float | None:
        """The mean cost of a training row; None unless mistakes have costs."""
        if self._base._model.costs is None:
            return None
        return self._plain_model(self._now.edits.tree).training_cost

    def _check_order(self, then: _Moment) -> None:
        """Raise an error if an edit puts the leaves of a monotonic column out of order."""
        report = self._order_of(then.edits.tree)
        if not report.ok:
            raise ParameterError(
                f"this edit breaks a direction of monotonic_cst: {report.findings[0]}; regrow or "
                "collapse a node above these leaves instead"
            )

    def _order_of(self, tree: Tree) -> Report:
        """Return whether the leaves of a tree are in the order that monotonic columns ask for."""
        if not any(self._rules.monotonic):
            return Ledger().report()
        model = replace(self._edited_model(), grown=replace(tree, relabelled={}))
        return verify_order(model)

    def _run(self, tree: Tree) -> Run:
        return replayed(tree, self._index, self._rules, self._base._model.run.weighting)

    def _plain_model(self, tree: Tree) -> Model:
        """Return a model of a tree with its training shares, and no origin."""
        return replace(
            self._base._model,
            schema=self._rows.schema,
            grown=tree,
            run=self._run(tree),
            contracted=False,
            pruning=None,
            honesty=None,
            origin=None,
        )

    def _figures(self, tree: Tree) -> Figures:
        plain = self._plain_model(tree)
        held = None if self._held_out is None else self._error_on(tree, self._held_out)
        bound = plain.certificate.bound
        return tree_figures(tree, self._index, plain.training_error, bound, held)

    def _error_on(self, tree: Tree, rows: LabelledRows) -> float:
        counts = weights_at_nodes(tree, self._rows.schema, rows, self._threads)
        leaves = tree.leaves()
        if tree.is_numeric:
            return float(held_losses(tree.counts, counts)[leaves].sum() / counts[0, 0])
        wrong = errors_of_labels(counts[leaves])
        return float(wrong[np.arange(len(leaves)), tree.label[leaves]].sum() / counts[0].sum())

    def _model(self) -> Model:
        """Return the model of the tree as it is now."""
        if not self._now.steps and not self._is_replayed:
            return self._base._model
        return self._edited_model()

    def _edited_model(self, moment: _Moment | None = None) -> Model:
        """Return the model of the tree, now or after an edit, as an edited tree in any case."""
        model, now = self._base._model, self._now if moment is None else moment
        log = replace(self._log, steps=now.steps)
        origin = replace((model.origin or Origin()).pruned(), edits=log)
        tree = replace(now.edits.tree, relabelled={})
        run = self._run(tree)
        return replace(model, grown=tree, run=run, contracted=False, pruning=None, origin=origin)


def _weakest_split(tree: Tree, index: Index) -> int:
    """Return the node with the least gain per added leaf of those whose branches are leaves."""
    impurity, leaves = index.value(tree.counts), leaves_below(tree)
    ends = [v for v in range(tree.n_nodes) if 1 < leaves[v] == tree.arity(v)]
    return min(
        ends, key=lambda v: (impurity[v] - impurity[tree.children(v)].sum()) / (leaves[v] - 1)
    )
