"""Fitting a tree on rows that are elsewhere: on other machines, or in a database."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from polytomy._errors import ParameterError
from polytomy._types import AnyArray, FloatArray
from polytomy.costs import Costs
from polytomy.estimators.base.callbacks import FitCallbacks
from polytomy.estimators.base.parameters import FitRecord, check_flag
from polytomy.estimators.base.rows import check_class_count, learned_costs
from polytomy.estimators.fitting.constraints import check_shares
from polytomy.estimators.fitting.cross_fitting import learn_from_folds
from polytomy.estimators.fitting.effort import means_of
from polytomy.estimators.fitting.growing import Growing, prune_model
from polytomy.estimators.fitting.plan import Plan, plan_growth
from polytomy.estimators.fitting.records import run_of
from polytomy.grow import RemoteRows
from polytomy.model import Model, Pruning
from polytomy.priced import RemoteSample

from .single_tree import SingleTree


@dataclass(frozen=True, slots=True, eq=False)
class RemoteTable:
    """Rows that are elsewhere, and what an estimator must know about them.

    Parameters
    ----------
    rows : RemoteRows
        The encoded rows and their target.
    names : sequence of str or None
        The names of the columns; None if they have none, as those of arrays.
    classes : ndarray
        The classes in ascending order; empty for numbers.
    class_factors : ndarray or None, default=None
        The weight that ``class_weight`` and ``cost_matrix`` gave to each class; None without both.
    weighted : bool, default=False
        Whether the rows differ in weight.
    batch : int, default=16
        The leaves to ask about at a time, ahead of need.
    n_rows : int or None, default=None
        The number of rows, those of weight 0 included; None if there are none of these.
    dtype : object, default=None
        The type of the target, which may give an order to the classes; None if it is not known.
    costs : Costs or None, default=None
        The costs of mistakes; see ``remote_costs``.
    """

    rows: RemoteRows
    names: Sequence[str] | None
    classes: AnyArray
    class_factors: FloatArray | None = None
    weighted: bool = False
    batch: int = 16
    n_rows: int | None = None
    dtype: Any = None
    costs: Costs | None = None


def fit_remote(estimator: SingleTree, prepare: Callable[[], RemoteTable]) -> None:
    """Fit a tree on rows that are elsewhere; it is the one of a fit in memory, bit for bit.

    Parameters
    ----------
    estimator : TreeClassifier or TreeRegressor
        The tree to fit. If fitting fails or is interrupted, it is left as it was.
    prepare : callable
        Returns the rows, encoded with the ``max_bins`` of the estimator. It is called when the
        parameters have been checked.

    Raises
    ------
    ParameterError
        If the parameters ask for something that needs all rows in this process: a teacher, a
        search, a family of splits of your own, cross-validation, held-out rows, or costs that
        depend on the predicted class.
    """
    with estimator._draft() as tree:
        plan = _checked_plan(tree)
        growing = Growing(tree._grow_params(plan.max_leaves), tree._threads())
        given = prepare()
        set_names(tree, given)
        growing = tree._constrained(
            growing,
            given.rows.schema,
            means_of(tree),
            plan.pruner,
            tree._class_order(given.dtype),
        )
        target, seed = given.rows.target, tree.random_state
        most_splits = None if tree.procedure == "priced" else growing.params.max_leaves
        callbacks = FitCallbacks(tree, {"X": None, "y": None}, most_splits)
        sample, pruning = RemoteSample(given.rows, given.batch), None
        if plan.two_prices is None:
            grower = sample.grower(growing.params, None, growing.threads)
            growth = grower.grow(callbacks.on_step)
        else:
            growth, pruning = growing.grow_priced(sample, plan, callbacks.on_step)
        run = run_of(growth, tree._weighting(weighted=given.weighted))
        model = tree._model_of(
            given.rows.schema, growth.tree, run, pruning, given.class_factors, given.costs
        )
        model = _pruned(plan, model, growing.threads)
        if tree.honest:
            kept = growth.params, None if pruning is None else pruning.prices
            learned = learn_from_folds(plan, model, growing, (sample, None), kept, seed)
            model = replace(model, honesty=learned)
        n_rows = target.n_rows if given.n_rows is None else given.n_rows
        tree._fit_record = FitRecord(
            growing.params, tree._class_weight(), tree.max_bins, n_rows, None, tree._smoothing()
        )
        tree._model = model
        callbacks.end()
        tree._print_summary()


def _checked_plan(tree: SingleTree) -> Plan:
    """Return the plan of a fit, or raise an error if it needs all rows in this process."""
    check_flag("contract", tree.contract)
    check_flag("honest", tree.honest)
    check_shares(tree)
    plan, instead = plan_growth(tree), "; fit on rows in memory for that"
    if not means_of(tree).is_plain:
        raise ParameterError(f"a teacher, search and effort need all rows{instead}")
    if plan.scoring is not None or (plan.pruner is not None and plan.pruner.cross_validates):
        raise ParameterError(f"cross-validation needs all rows{instead}")
    if plan.held_fraction is not None:
        raise ParameterError(f"the {plan.name} pruner holds out rows{instead}")
    if plan.overgrown is not None:
        raise ParameterError("overgrow needs procedure='priced' if the rows are not in memory")
    return plan


def remote_costs(
    cost_matrix: Any,
    classes: AnyArray,
    factors: FloatArray | None,
    weights: Callable[[], tuple[AnyArray, bool]],
) -> Costs | None:
    """Return the costs of mistakes, if they are weights of classes.

    They are for two classes, and if they depend on the true class alone. What other matrices cost
    is decided row by row.

    Parameters
    ----------
    cost_matrix : dict, DataFrame, array or None
        The parameter of the estimator.
    classes : ndarray
        The classes in ascending order.
    factors : ndarray or None
        The weight that ``class_weight`` gives to each class.
    weights : callable
        Returns the weight of the rows of each class without that of the class, and whether the
        weights of all rows are integers, so that every order of addition gives the same sums.

    Returns
    -------
    Costs or None
        The costs; None without ``cost_matrix``, and if there is only one class.
    """
    if cost_matrix is None:
        return None
    if Costs.of(cost_matrix, classes).relative is not None:
        raise ParameterError(
            "a cost_matrix in which costs depend on the predicted class needs all rows; fit on "
            "rows in memory for that, or give all mistakes of a class the same cost"
        )
    held, are_whole = weights()
    if not are_whole:
        raise ParameterError(
            "cost_matrix with weights that are not integers needs all rows; fit on rows in memory "
            "for that, or multiply the weights by a number that makes them integers"
        )
    return learned_costs(cost_matrix, classes, held, factors)


def _pruned(plan: Plan, model: Model, threads: int) -> Model:
    """Return the model with the pruning of the plan, by pruners that need the tree only."""
    if plan.pruner is None or plan.name is None:
        return model
    tree = prune_model(model, plan.pruner, None, None, threads)
    return replace(model, pruning=Pruning(tree, plan.name, None))


def set_names(tree: Any, given: RemoteTable) -> None:
    """Set the attributes that scikit-learn sets in a fit."""
    tree.n_features_in_ = len(given.rows.schema)
    if given.names is not None:
        tree.feature_names_in_ = np.array(list(given.names), dtype=object)
    elif hasattr(tree, "feature_names_in_"):
        del tree.feature_names_in_
    if not tree._is_numeric:
        check_class_count(given.classes)
        tree.classes_ = given.classes
