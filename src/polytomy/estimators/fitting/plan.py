"""How many leaves to grow and how to prune them, as the parameters of a tree say."""

from dataclasses import dataclass, replace
from math import ceil
from typing import Any

import numpy as np
from sklearn.metrics import get_scorer

from polytomy._errors import ParameterError
from polytomy._numbers import is_integer, is_real
from polytomy.estimators.base.parameters import CV_LEAVES, check_not_negative
from polytomy.grow import GrowParams
from polytomy.priced import NO_SEARCH, QUICK, Search, TwoPrices, leaves_to_grow
from polytomy.prune import CostComplexity, ErrorBudget, Pruner, resolve

from .constraints import contracts
from .effort import means_of, price_at

_BRANCH, _SEARCHED_BRANCH = 2.0, 1.0  # prices; a search sorts out the splits that are too wide
_MAY_OVERGROW = ("priced", "per-leaf", "kearns-mansour", "id3", "gain-ratio")

MEASURES = {False: ("error", "log_loss", "roc_auc"), True: ("squared_error",)}
"""The measures by their names, by whether the target is a number."""
PLAIN = ("error", "squared_error")
"""The measures that the pruning path itself minimises."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How many leaves to grow, and how to prune them.

    Parameters
    ----------
    max_leaves : int or None
        The maximum number of leaves of the run. ``GrowParams`` checks it.
    pruner : Pruner or None, default=None
        The pruner of the grown tree.
    name : str or None, default=None
        The name of the pruning in certificates.
    overgrown : int or None, default=None
        The user's ``max_leaves``, if the run grows more leaves than that.
    two_prices : TwoPrices or None, default=None
        The prices of leaves and questions, if they choose the tree.
    scoring : str, callable or None, default=None
        What cross-validation chooses the number of leaves by, if it does so before growing.
    search : Search, default=NO_SEARCH
        The search that is part of growing at two prices on the labels.
    time_limit : float or None, default=None
        The seconds after which that search tries no further split; None for no limit.
    searched_branch : float or None, default=None
        The price of a branch if that search is made on the labels; None for that of
        ``two_prices``.
    taught_question : float or None, default=None
        The price of a question if a quick teacher softens the labels; None if the parameters ask
        for none. The rows have a say, too (``refining.may_refine``).
    """

    max_leaves: Any
    pruner: Pruner | None = None
    name: str | None = None
    overgrown: int | None = None
    two_prices: TwoPrices | None = None
    scoring: Any = None
    search: Search = NO_SEARCH
    time_limit: float | None = None
    searched_branch: float | None = None
    taught_question: float | None = None

    @property
    def searched_prices(self) -> TwoPrices | None:
        """The prices if that search is made on the labels."""
        if self.two_prices is None or self.searched_branch is None:
            return self.two_prices
        return replace(self.two_prices, branch=self.searched_branch)

    @property
    def taught_prices(self) -> TwoPrices | None:
        """The prices if a quick teacher softens the labels; None for no such teacher."""
        if self.two_prices is None or self.taught_question is None:
            return None
        return replace(self.two_prices, question=self.taught_question)

    @property
    def held_fraction(self) -> float | None:
        """The fraction of the rows to hold out for the pruner, or None."""
        return None if self.pruner is None else self.pruner.held_fraction


def plan_growth(clf: Any) -> Plan:
    """Return the plan that a tree's parameters describe, or raise an error if they conflict."""
    max_leaves, overgrow, pruner = clf.max_leaves, clf.overgrow, clf.pruner
    check_scoring(clf.scoring, is_numeric=clf._is_numeric)
    if clf.branch_price is not None:
        check_not_negative("branch_price", clf.branch_price)
    _check_overgrow(overgrow)
    by_cv = isinstance(max_leaves, str) and max_leaves == "cv"
    if isinstance(max_leaves, str) and not by_cv:
        raise ParameterError(
            f"max_leaves must be an integer of at least 1, None or 'cv', got {max_leaves!r}"
        )
    if sum((by_cv, overgrow != 1, pruner is not None)) > 1:
        raise ParameterError(
            "max_leaves='cv', overgrow and pruner each choose a pruning; set only one of them"
        )
    teaches = means_of(clf, by_name=True).teacher is not None
    if by_cv and (clf.procedure == "priced" or clf.scoring not in PLAIN or teaches):
        return Plan(CV_LEAVES, name="cross-validation", scoring=clf.scoring)
    if by_cv:
        return Plan(CV_LEAVES, ErrorBudget(select="cv"), "cross-validation")
    if overgrow != 1:
        return _plan_overgrowing(clf, max_leaves, float(overgrow))
    if pruner is None and clf.procedure == "priced" and max_leaves is not None:
        return plan_prices(clf, max_leaves)
    if pruner is None:
        return Plan(max_leaves)
    has_costs = getattr(clf, "cost_matrix", None) is not None
    chosen = checked_pruner(
        pruner, is_numeric=clf._is_numeric, teaches=teaches, has_costs=has_costs
    )
    return Plan(max_leaves, chosen, chosen.name)


def checked_pruner(
    pruner: Any, *, is_numeric: bool, teaches: bool, has_costs: bool = False
) -> Pruner:
    """Return a pruner by name; raise an error if it does not suit the target or a teacher."""
    chosen = resolve(pruner)
    if is_numeric:
        chosen.check_numbers()
    if has_costs:
        chosen.check_costs()
    if teaches and isinstance(chosen, ErrorBudget | CostComplexity) and chosen.cross_validates:
        raise ParameterError(
            "this pruner grows further trees by cross-validation, without the teacher; use "
            "max_leaves='cv', which asks the teacher in every fold"
        )
    return chosen


def _check_overgrow(overgrow: Any) -> None:
    if not is_real(overgrow) or not 1 <= float(overgrow) < np.inf:
        raise ParameterError(f"overgrow must be a number of at least 1, got {overgrow!r}")


def plan_prices(clf: Any, max_leaves: Any) -> Plan:
    """Return the plan of a tree that prices choose, with this budget of leaves."""
    GrowParams(max_leaves=max_leaves)  # raises an error for a bad number
    budget, means = int(max_leaves), means_of(clf, by_name=True)
    wanted = TwoPrices(
        budget,
        leaves_to_grow(budget) if clf.overgrow == 1 else ceil(clf.overgrow * budget),
        means.question_price,
        _BRANCH if clf.branch_price is None else float(clf.branch_price),
        contracts(clf),
        means.leaf_price,
        not clf.min_difference,
    )
    search = QUICK if clf.search is None and clf.effort == "fast" else NO_SEARCH
    branch = _SEARCHED_BRANCH if search.widths and clf.branch_price is None else None
    taught = None
    if clf.effort == "fast" and clf.teacher is None:
        is_given = clf.question_price is not None
        taught = means.question_price if is_given else price_at(budget, is_taught=True)
    return Plan(
        budget,
        two_prices=wanted,
        search=search,
        time_limit=clf.time_limit,
        searched_branch=branch,
        taught_question=taught,
    )


def _plan_overgrowing(clf: Any, max_leaves: Any, overgrow: float) -> Plan:
    if not is_integer(max_leaves):
        raise ParameterError(f"overgrow needs a number for max_leaves, got {max_leaves!r}")
    if clf.procedure == "priced":
        return plan_prices(clf, max_leaves)
    if clf.procedure not in _MAY_OVERGROW:
        raise ParameterError(
            f"overgrow cannot be combined with {clf.procedure!r}, whose bound holds only for a run "
            f"that stops at max_leaves; use it with {' or '.join(_MAY_OVERGROW)}"
        )
    if not means_of(clf, by_name=True).is_plain:
        raise ParameterError("overgrow with a teacher or more effort needs procedure='priced'")
    size = int(max_leaves)
    name = f"overgrowing {overgrow:g} times"
    return Plan(ceil(overgrow * size), ErrorBudget(select=max(size, 1)), name, size)


def check_scoring(scoring: Any, *, is_numeric: bool) -> None:
    """Raise an error for a value that ``scoring`` cannot have for a class or a numeric target."""
    own, others = MEASURES[is_numeric], MEASURES[not is_numeric]
    if callable(scoring) or (isinstance(scoring, str) and scoring in own):
        return
    try:
        if not isinstance(scoring, str) or scoring in others:
            raise TypeError
        get_scorer(scoring)
    except (ValueError, KeyError, TypeError) as error:
        raise ParameterError(
            f"scoring must be {', '.join(map(repr, own))}, the name of a scorer of scikit-learn "
            f"or a scorer, got {scoring!r}"
        ) from error
