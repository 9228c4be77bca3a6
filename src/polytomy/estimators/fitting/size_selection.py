"""Choosing the number of leaves before a tree is grown, by cross-validation with any measure."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from sklearn.metrics import get_scorer, log_loss, roc_auc_score

from polytomy._types import AnyArray, BranchArray, FloatArray, IntArray
from polytomy.encode import Coded, Schema, Target
from polytomy.estimators.base.parameters import CV_LEAVES
from polytomy.estimators.base.rows import LabelledRows
from polytomy.grow import Growth, grow, resolved
from polytomy.honesty import Honesty, honest_means, honest_shares
from polytomy.predict import apply
from polytomy.priced import Sample, prices_of, with_cost_unit
from polytomy.prune import ErrorBudget, PricedPath, PruningPath, one_standard_error
from polytomy.teach import refilled
from polytomy.theory import cases_per_weight
from polytomy.tree import Tree, pruned

from .constraints import contracts
from .effort import means_of
from .growing import Growing, fold_rows
from .plan import Plan, plan_prices

_SIZES = 32  # sizes that are scored, spread evenly on a logarithmic scale
_FOLDS = ErrorBudget().folds

Losses = Callable[[Tree, LabelledRows, AnyArray], float]
"""The loss of a tree on held-out rows, given the leaf of each row; smaller is better."""

Soften = Callable[[IntArray | None], tuple[Coded, Target]]
"""Returns the rows that a teacher leaves to a tree, given the numbers of the real rows."""


def settle_plan(
    plan: Plan,
    clf: Any,
    growing: Growing,
    rows: tuple[Coded, LabelledRows],
    as_classifier: Callable[[Schema, Growth, Tree, LabelledRows], Any],
    soften: Soften | None = None,
) -> Plan:
    """Return the plan with a number of leaves, chosen by cross-validation if it asks for that.

    ``as_classifier`` makes a fitted classifier of a grown tree, a pruning of it and its rows.
    ``soften`` asks the teacher, if there is one: in each fold it learns from the other folds only.
    """
    if plan.scoring is None:
        return plan
    coded, training = rows
    if clf.procedure == "priced":
        wanted = plan_prices(clf, CV_LEAVES).two_prices
        assert wanted is not None
        sample, params = Sample(coded, training.target, training.table), growing.params
        index = resolved(params.index, training.target.n_classes)
        params = with_cost_unit(sample, params, index, wanted, growing.threads)
        growing = replace(growing, params=params)
    trial = _Trial(clf, growing, coded, training, soften)
    last: list[Growth] = []

    def folds() -> Iterator[FoldPath]:
        for inside, outside in fold_rows(_FOLDS, training, clf.random_state):
            growth = trial.grow(inside)
            last[:] = [growth]
            path, held_out = trial.path(growth), training.take(outside)
            yield FoldPath(
                path.sizes,
                partial(trial.tree_at, growth, path, inside),
                partial(_leaves_of, coded.schema, held_out, growing.threads),
                held_out,
            )

    whole = trial.path(trial.grow(None))
    largest = whole.best_size() if isinstance(whole, PricedPath) else int(whole.sizes[-1])
    loss = loss_of(
        plan.scoring,
        lambda tree: as_classifier(coded.schema, last[0], tree, training),
        lambda held_out: (held_out.table, held_out.raw_target(clf)),
    )
    size = choose_size(folds(), loss, largest)
    if trial.is_priced:
        return replace(plan_prices(clf, size), name=plan.name)
    return Plan(CV_LEAVES, ErrorBudget(select=size), plan.name)


@dataclass(frozen=True, slots=True, eq=False)
class _Trial:
    """Grows the trees of the folds, with the teacher if there is one, and prunes them."""

    clf: Any
    growing: Growing
    coded: Coded
    training: LabelledRows
    soften: Soften | None

    @property
    def is_priced(self) -> bool:
        return bool(self.clf.procedure == "priced")

    def grow(self, numbers: IntArray | None) -> Growth:
        """Grow a tree on some rows, or on all of them."""
        growing = self.growing
        if self.soften is not None:
            return grow(*self.soften(numbers), growing.params, None, growing.threads)
        if numbers is None:
            return growing.grow(self.coded, self.training)
        return growing.grow(self.coded.take(numbers), self.training.take(numbers))

    def path(self, growth: Growth) -> PruningPath | PricedPath:
        """Return the prunings of a tree."""
        tree, clf = growth.tree, self.clf
        if not self.is_priced:
            return PruningPath(tree)
        means = means_of(clf)
        costs = self.growing.params.constraints.costs
        prices = prices_of(tree, growth.index, means.question_price, costs)
        prices = replace(prices, leaf=prices.leaf * means.leaf_price)
        most = tree.n_leaves
        merge = not clf.min_difference
        return PricedPath(tree, growth.index, prices, most, contract=contracts(clf), merge=merge)

    def tree_at(
        self, growth: Growth, path: PruningPath | PricedPath, numbers: IntArray, size: int
    ) -> Tree:
        """Return the pruning of at most ``size`` leaves, with the counts of the real rows."""
        if isinstance(path, PricedPath):
            tree = path.at(size)
        else:
            tree = pruned(growth.tree, path.nodes_at(size))[0]
        if self.soften is None:
            return tree
        real = self.training.take(numbers).target
        return refilled(tree, self.coded.take(numbers), real)


def _leaves_of(schema: Schema, rows: LabelledRows, threads: int, tree: Tree) -> BranchArray:
    return apply(tree, schema, rows.table, threads)


@dataclass(frozen=True, slots=True, eq=False)
class FoldPath:
    """The prunings of a tree that was grown without a fold, and the rows of that fold.

    Parameters
    ----------
    sizes : ndarray of int
        The numbers of leaves, ascending.
    at : callable
        Returns the pruning of at most that many leaves.
    apply : callable
        Returns the leaf of each held-out row in a tree.
    held_out : LabelledRows
        The rows of the fold.
    """

    sizes: IntArray
    at: Callable[[int], Tree]
    apply: Callable[[Tree], AnyArray]
    held_out: LabelledRows


def choose_size(folds: Iterator[FoldPath], loss: Losses, largest: int) -> int:
    """Return the smallest size within one standard error of the best mean loss.

    Parameters
    ----------
    folds : iterator of FoldPath
        The folds.
    loss : callable
        The loss to minimise.
    largest : int
        The largest size to consider.

    Returns
    -------
    int
        The number of leaves.
    """
    sizes = np.unique(np.geomspace(1, largest, min(_SIZES, largest)).round().astype(int))
    losses = []
    for fold in folds:
        known: dict[int, float] = {}
        row = []
        for size in sizes.tolist():
            tree = fold.at(size)
            if tree.n_leaves not in known:
                known[tree.n_leaves] = loss(tree, fold.held_out, fold.apply(tree))
            row.append(known[tree.n_leaves])
        losses.append(row)
    return int(sizes[one_standard_error(np.array(losses))])


def loss_of(scoring: Any, as_classifier: Callable[[Tree], Any], raw_rows: Any) -> Losses:
    """Return the loss for a ``scoring``.

    Parameters
    ----------
    scoring : str or callable
        One of ``plan.MEASURES``, or a scorer, whose score is negated.
    as_classifier : callable
        Makes a fitted classifier of a tree, for scorers.
    raw_rows : callable
        Returns the rows and classes of labelled rows in the form that scorers take.
    """
    if isinstance(scoring, str) and scoring in _LOSSES:
        return _LOSSES[scoring]
    scorer = get_scorer(scoring) if isinstance(scoring, str) else scoring

    def negated(tree: Tree, rows: LabelledRows, _leaf: AnyArray) -> float:
        X, y = raw_rows(rows)
        return -float(scorer(as_classifier(tree), X, y))

    return negated


def _shares(tree: Tree, leaf: AnyArray) -> FloatArray:
    cases = tree.counts * cases_per_weight(int(tree.rows[0]), float(tree.counts[0].sum()))
    shares = honest_shares(cases, tree.parent, Honesty().shrinkage)[leaf]
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


def _error(tree: Tree, rows: LabelledRows, leaf: AnyArray) -> float:
    """Return the share of the weight that is misclassified or, with costs, the scaled mean cost."""
    said = tree.label[leaf]
    wrong = said != rows.labels if tree.costs is None else tree.costs[rows.labels, said]
    return float(np.average(wrong, weights=rows.weights))


def _log_loss(tree: Tree, rows: LabelledRows, leaf: AnyArray) -> float:
    classes = np.arange(rows.n_classes)
    shares = _shares(tree, leaf)
    return float(log_loss(rows.labels, shares, sample_weight=rows.weights, labels=classes))


def _auc_loss(tree: Tree, rows: LabelledRows, leaf: AnyArray) -> float:
    """Return 1 - AUC, the mean over the classes that some but not all rows have."""
    shares, areas = _shares(tree, leaf), []
    for c in [1] if rows.n_classes == 2 else range(rows.n_classes):
        is_class = rows.labels == c
        if 0 < is_class.sum() < len(is_class):
            areas.append(roc_auc_score(is_class, shares[:, c], sample_weight=rows.weights))
    return 1.0 - float(np.mean(areas)) if areas else 0.5


def _squared_error(tree: Tree, rows: LabelledRows, leaf: AnyArray) -> float:
    """Return the mean squared error of the honest means."""
    cases = tree.counts[:, :3] * cases_per_weight(int(tree.rows[0]), float(tree.weight[0]))
    assert tree.centre is not None
    means = tree.centre + honest_means(cases, tree.parent, Honesty().shrinkage)
    return float(np.average((means[leaf] - rows.labels) ** 2, weights=rows.weights))


_LOSSES: dict[str, Losses] = {
    "error": _error,
    "log_loss": _log_loss,
    "roc_auc": _auc_loss,
    "squared_error": _squared_error,
}
