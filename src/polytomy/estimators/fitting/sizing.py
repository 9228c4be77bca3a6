"""Choosing the number of leaves of a tree before it is grown, by cross-validation."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from polytomy._types import BranchArray, IntArray
from polytomy.encode import Coded, Schema, Target
from polytomy.estimators.base.parameters import CV_LEAVES
from polytomy.estimators.base.rows import LabelledRows
from polytomy.grow import Growth, grow, resolved
from polytomy.predict import apply
from polytomy.priced import Sample, prices_of, with_cost_unit
from polytomy.prune import ErrorBudget, PricedPath, PruningPath
from polytomy.teach import refilled
from polytomy.tree import Tree, pruned

from .constraints import contracts
from .effort import means_of
from .growing import Growing, Plan, fold_rows, plan_prices
from .size_selection import FoldPath, choose_size, loss_of

_FOLDS = ErrorBudget().folds

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
