"""Checking a fitted tree against the rows of its fit, and by a second fit.

The shares and means that a leaf states for new rows follow from trees grown without some of the
rows, which a model does not hold. A fit with the same parameters on the same rows learns them
again.
"""

import warnings
from dataclasses import asdict, replace
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import clone

from polytomy._errors import PolytomyError
from polytomy.certify import Certificate, Run, overgrown
from polytomy.certify.verify import (
    Derivation,
    Ledger,
    Report,
    check_constraints,
    check_costs,
    check_monotonic,
    verify_kept,
    verify_run,
)
from polytomy.estimators.base.rows import LabelledRows
from polytomy.estimators.fitting.constraints import contracts
from polytomy.estimators.fitting.cross_fitting import learn_from_folds
from polytomy.estimators.fitting.effort import means_of
from polytomy.estimators.fitting.growing import Growing
from polytomy.estimators.fitting.plan import Plan, plan_growth
from polytomy.honesty import Honesty
from polytomy.io import as_scan
from polytomy.model import Model
from polytomy.priced import Sample
from polytomy.tree import Tree, contract, sums_of_class_numbers

_SHAPE = ("kind", "feature", "child_start", "child", "counts", "rows")
_Given = tuple[Any, Any, Any]  # X, y and sample_weight


def verify_tree(clf: Any, X: Any, y: Any, sample_weight: Any) -> Report:
    """Check a fitted tree, its record and its certificate against the rows passed to ``fit``.

    Parameters
    ----------
    clf : TreeClassifier or TreeRegressor
        A fitted estimator.
    X, y, sample_weight
        What was passed to ``fit``.

    Returns
    -------
    Report
        The discrepancies, and notes on what could not be checked.
    """
    model, certificate = clf._model, clf.certificate_
    given = clf._rows_to_verify(X, y, sample_weight)
    rows = clf._training_rows(given)
    data = rows.table, rows.labels, rows.weights
    run, tree = _certified(model)
    report = verify_run(run, certificate, tree, model.schema, *data)
    report += _verify_names(clf, certificate)
    report += _verify_class_weights(clf, given)
    if not report.ok and model.origin is not None and model.origin.edits is not None:
        return report  # the tree that predicts follows from the edits
    report += verify_order(model) + _verify_constraints(model) + _verify_costs(model)
    if model.kept is not model.grown or model.contracted:
        expected = contract(model.kept) if model.contracted else model.kept
        report += verify_kept(
            clf.tree_, expected, certificate, model.schema, data, _derivation(model, tree)
        )
    return report + verify_by_refit(clf, X, y, sample_weight)


def verify_order(model: Model) -> Report:
    """Check that predictions go in the direction of each column that has one."""
    ledger = Ledger()
    if not any(model.run.rules.monotonic):
        return ledger.report()
    ledger.begin("tree that predicts: monotonic columns")
    tree, leaves = model.tree, model.tree.leaves()
    if model.is_numeric:
        predicted, in_training = model.node_means.expected[leaves], tree.mean[leaves]
    else:
        predicted = sums_of_class_numbers(model.shares[leaves])
        in_training = sums_of_class_numbers(tree.counts[leaves]) / tree.weight[leaves]
    for values in (predicted, in_training):
        check_monotonic(ledger, tree, model.schema, model.run.rules.monotonic, values)
    return ledger.report()


def _verify_costs(model: Model) -> Report:
    """Check the weights that costs gave to classes, and that leaves predict the cheapest."""
    ledger = Ledger()
    if model.costs is None or model.class_factors is None:
        return ledger.report()
    ledger.begin("tree that predicts: classes of least cost")
    of_costs = model.costs.factors
    check_costs(ledger, model.costs.matrix, of_costs, model.tree, model.tree.relabelled)
    return ledger.report()


def _verify_class_weights(clf: Any, given: LabelledRows) -> Report:
    """Check the class weights, by which shares are divided, and the smoothing."""
    ledger, stated = Ledger(), clf._model.class_factors
    ledger.begin("class weights and smoothing")
    in_fit = clf._fit_record.smoothing
    if in_fit is not None:
        ledger.same(clf._smoothing(), in_fit, "parameters", "smoothing")
    found = given.class_factors
    if stated is None or found is None:
        ledger.same(stated, found, "model", "the weight of the classes")
        return ledger.report()
    for i, (one, other) in enumerate(zip(stated.tolist(), found.tolist(), strict=True)):
        ledger.close(one, other, "model", f"the weight of class {clf._model.classes[i]!r}")
    return ledger.report()


def _verify_constraints(model: Model) -> Report:
    """Check the constraints on columns and branches, in the grown tree and in what is kept."""
    ledger = Ledger()
    held = model.run.rules.constraints
    if held.is_empty:
        return ledger.report()
    is_edited = model.origin is not None and model.origin.edits is not None
    ledger.begin("constraints on columns and branches")
    trees = [model.tree] if model.tree is model.grown else [model.grown, model.tree]
    for tree in trees:
        check_constraints(ledger, tree, model.schema, held, is_edited=is_edited)
    return ledger.report()


def _verify_names(clf: Any, certificate: Certificate) -> Report:
    """Check the names of the classes, and the words of the certificate against new ones."""
    ledger, model = Ledger(), clf._model
    ledger.begin("classes, and words of the certificate")
    classes = clf._classes_of_model()
    ledger.holds(
        np.array_equal(np.asarray(classes), np.asarray(model.classes)),
        "classes_",
        f"they are {classes}, but the model's are {model.classes}",
    )
    fresh = replace(model).certificate
    for name in ("theorem", "why_not"):
        ledger.same(getattr(certificate, name), getattr(fresh, name), "certificate", name)
    return ledger.report()


def _derivation(model: Model, own: Tree) -> Derivation:
    """Return what the kept tree was derived from."""
    pruning = model.pruning
    prices = None if pruning is None else pruning.prices
    raised = model.kept if pruning is not None and pruning.may_raise else None
    is_refined = pruning is not None and pruning.is_refined
    may_cost_more = pruning is not None and pruning.is_taught
    own = contract(own) if model.contracted else own
    return Derivation(
        model.grown, own, prices, raised, is_refined=is_refined, may_cost_more=may_cost_more
    )


def _certified(model: Model) -> tuple[Run, Tree]:
    """Return the run and the tree that the certificate covers."""
    if model.pruning is None or model.pruning.overgrown is None:
        return model.run, model.grown
    return overgrown(model.run, model.grown, model.pruning.overgrown)


def verify_by_refit(clf: Any, X: Any, y: Any, sample_weight: Any) -> Report:
    """Fit an estimator again on the rows of its fit, and compare what it learned.

    Parameters
    ----------
    clf : TreeClassifier or TreeRegressor
        A fitted estimator.
    X, y, sample_weight
        What was passed to ``fit``.

    Returns
    -------
    Report
        The discrepancies; a note if the fit cannot be repeated.
    """
    ledger, model = Ledger(), clf._model
    edited = model.origin is not None and model.origin.edits is not None
    ledger.begin("model: contraction")
    expected = contracts(clf) and not edited
    ledger.same(model.contracted, expected, "model", "whether it is contracted")
    refined = not edited and model.pruning is not None and model.pruning.is_refined
    if model.honesty is None and not model.run.found and not refined:
        return ledger.report()
    again = _learned_again(ledger, clf, (X, y, sample_weight))
    if refined:
        _compare_refined(ledger, model, again)
    if isinstance(again, Model):
        if not edited:
            _compare_trees(ledger, model.grown, again.grown)
        again = again.honesty
    if again is not None and model.honesty is not None:
        _compare_honesty(ledger, model.honesty, again, edited=edited)
    return ledger.report()


def _learned_again(ledger: Ledger, clf: Any, given: _Given) -> Model | Honesty | None:
    """Return the model of a second fit, or what cross-fitting learns; None if that is unknown.

    A pruner may have drawn rows at random, so that a second fit would keep another tree. Folds are
    pruned like the tree that was kept, so that is not needed.
    """
    model, plan = clf._model, plan_growth(clf)
    why = _why_not(clf, given[0])
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the first fit gave them
            if why is None and plan.pruner is not None:
                if model.pruning is not None and model.pruning.by == plan.name:
                    return _pruned_folds(clf, plan, given)
                why = "it was pruned after the fit"
            elif why is None and _size_is_unknown(clf, plan):
                why = "the tree before its edits was chosen by cross-validation with random folds"
            elif why is None:
                again = _second_fit(clf, plan, given)
                if model.origin is not None or _same_rows(model.grown, again.grown):
                    return again
                why = "a fit with these parameters grows another tree"
    except (PolytomyError, ValueError, TypeError) as error:
        why = f"a second fit is not possible ({error})"
    ledger.note(f"What cross-fitting learned about the leaves is not checked: {why}.")
    return None


def _size_is_unknown(clf: Any, plan: Plan) -> bool:
    """Return whether random folds chose the number of leaves, and the model does not state it."""
    by_folds = plan.scoring is not None and clf.random_state is None
    return by_folds and clf._model.pruning is None


def _second_fit(clf: Any, plan: Plan, given: _Given) -> Model:
    chosen = clf._model.pruning
    same = clone(clf).set_params(verbose=0, teacher=clf.teacher)  # it may be fitted already
    if plan.scoring is not None and chosen is not None and chosen.overgrown is not None:
        price = means_of(clf, by_name=True).question_price
        # The number was chosen by cross-validation, with random folds.
        same.set_params(max_leaves=chosen.overgrown, question_price=price)
    model: Model = same.fit(*given)._model
    return model


def _pruned_folds(clf: Any, plan: Plan, given: _Given) -> Honesty:
    """Return what cross-fitting learns about the leaves of a tree that a pruner has kept."""
    record, threads = clf._fit_record, clf._threads()
    rows = clf._read_rows(*given)
    held_out = None
    if record.held_out is not None:
        held_out = rows.take(record.held_out)
    training = clf._training_rows(rows)
    growing = Growing(record.params, threads)
    coded = growing.encode(training, record.max_bins)
    sample = Sample(coded, training.target, training.table)
    run = record.params, None
    return learn_from_folds(plan, clf._model, growing, (sample, held_out), run, clf.random_state)


def _why_not(clf: Any, X: Any) -> str | None:
    """Return why the fit cannot be repeated, or None."""
    seed = clf.random_state
    if not (seed is None or isinstance(seed, Integral)):
        return "the state of random_state before the fit is not known"
    if clf.time_limit is not None:
        return "a fit with a time limit may end elsewhere"
    if as_scan(X) is not None:
        return "the rows are read lazily, and perhaps only once"
    return None


def _same_rows(one: Tree, other: Tree) -> bool:
    """Return whether the nodes of two trees have the same rows and ask about the same columns."""
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in _SHAPE)


def _compare_trees(ledger: Ledger, stated: Tree, again: Tree) -> None:
    ledger.begin("tree: found again")
    ledger.holds(
        not _same_rows(stated, again) or stated == again,
        "tree",
        "its thresholds, or branches of values that were not seen, are not those of a second fit",
    )


def _compare_refined(ledger: Ledger, model: Model, again: Model | Honesty | None) -> None:
    """Check that a second fit finds the same tree: no pruning explains its splits."""
    ledger.begin("tree that predicts: found again")
    if not isinstance(again, Model):
        ledger.note("Whether such a fit finds this tree is not checked either.")
        return
    ledger.holds(
        model.kept == again.kept,
        "tree",
        "a second fit with these parameters does not find this one",
    )
    stated, found = (None if m.pruning is None else m.pruning.by for m in (model, again))
    ledger.same(stated, found, "pruning", "how the tree was found")


def _compare_honesty(ledger: Ledger, stated: Honesty, learned: Honesty, *, edited: bool) -> None:
    ledger.begin("leaves: what cross-fitting learned")
    if edited and stated == Honesty():  # edited from nothing
        return
    if stated.mark != learned.mark:
        ledger.note(
            "What cross-fitting learned about the leaves is not checked: the rows are in another "
            "order than in the fit."
        )
        return
    for name, value in asdict(learned).items():
        ledger.close(getattr(stated, name), value, "honesty", name, scale=1e-3)
