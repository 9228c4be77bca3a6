"""The verifier finds tampered certificates: gammas, bounds, curves, steps, VW-tree."""

from dataclasses import fields, replace

import numpy as np
import pytest

from polytomy import TreeClassifier, verify
from polytomy.certify import Certificate
from polytomy.theory.vw_tree import VWTree
from tests.certify.tampering import every_fit, evidence, found, rebuilt, swapped_steps, with_entry

NUMBERS = (
    "gamma",
    "weak_gamma",
    "achieved_gamma",
    "bound",
    "error_bound",
    "power_bound",
    "fallback_bound",
)


@every_fit
@pytest.mark.parametrize("field", NUMBERS)
def test_check_finds_a_changed_number(name, field):
    given = evidence(name)
    forged = replace(given.certificate, **{field: getattr(given.certificate, field) + 1e-6})
    found(given.but(certificate=forged).report(), f"certificate: {field} is stated as")


@pytest.mark.parametrize("field", NUMBERS)
@pytest.mark.parametrize("value", [np.nan, np.inf, None, "0.5"])
def test_check_finds_a_value_that_is_not_a_number(field, value):
    given = evidence("per-leaf")
    forged = replace(given.certificate, **{field: value})
    found(given.but(certificate=forged).report(), f"certificate: {field} is stated as {value}")


@every_fit
def test_check_finds_a_changed_coverage(name):
    given = evidence(name)
    told = given.certificate
    found(
        given.but(certificate=replace(told, covered=not told.covered)).report(),
        f"certificate: covered is {not told.covered}",
    )
    if told.covered:
        forged = replace(told, why_not="Step 1 had too many branches.")
        found(given.but(certificate=forged).report(), "why_not is 'Step 1 had too many branches.'")
        forged = replace(forged, covered=False)
        found(given.but(certificate=forged).report(), "covered is False, but every condition holds")
    else:
        forged = replace(told, why_not=None)
        found(given.but(certificate=forged).report(), "why_not is None, but step")
        forged = replace(told, why_not="It was a bad day.")
        found(given.but(certificate=forged).report(), "why_not does not mention step")


@every_fit
@pytest.mark.parametrize("curve", ["leaves_curve", "index_curve", "error_curve", "bound_curve"])
def test_check_finds_a_changed_curve(name, curve):
    given = evidence(name)
    values = getattr(given.certificate, curve).astype(float)
    for at in (0, 2, len(values) - 1):
        forged = replace(given.certificate, **{curve: with_entry(values, at, values[at] + 1e-6)})
        found(given.but(certificate=forged).report(), f"certificate, {curve}[{at}]: the value is")
    forged = replace(given.certificate, **{curve: values[:-1]})
    found(given.but(certificate=forged).report(), f"certificate: the shape of {curve}")


LISTED = {
    "number": 99,
    "leaf": 99,
    "column": "y",
    "rows": 9999,
    "arity": 99,
    "leaves_before": 99,
    "advantage": 0.123,
    "price": 0.123,
    "gamma": 0.123,
}


@every_fit
@pytest.mark.parametrize("field", [*LISTED, "heaviest"])
def test_check_finds_a_changed_step_in_the_list(name, field):
    given = evidence(name)
    steps = list(given.certificate.steps)
    steps[1] = replace(steps[1], **{field: LISTED.get(field, not steps[1].heaviest)})
    forged = replace(given.certificate, steps=tuple(steps))
    leaf = given.run.splits[1].leaf
    report = given.but(certificate=forged).report()
    found(report, f"certificate, step 2, leaf {leaf}: {field} is stated as")


@every_fit
def test_check_finds_steps_missing_from_the_list(name):
    given = evidence(name)
    forged = replace(given.certificate, steps=given.certificate.steps[:-1])
    found(given.but(certificate=forged).report(), "certificate: the number of steps")


@every_fit
def test_check_finds_another_theorem(name):
    given = evidence(name)
    forged = replace(given.certificate, theorem="the last theorem of Fermat")
    found(given.but(certificate=forged).report(), "certificate: the theorem should be by")


def test_check_finds_the_certificate_of_another_run():
    given, other = evidence("hatano"), evidence("steepest")
    report = given.but(certificate=other.certificate).report()
    found(report, "certificate: it is the certificate of another run")
    found(report, "certificate: it is the certificate of another tree")
    found(report, "VW-tree")


@every_fit
def test_check_finds_a_vw_tree_for_another_gamma(name):
    given = evidence(name)
    forged = replace(given.certificate, gamma=0.999)
    report = given.but(certificate=forged).report()
    found(report, "it is stated to be not well formed")
    forged = replace(given.certificate, gamma=1.5)
    found(given.but(certificate=forged).report(), "VW-tree: gamma must be from 0 to 1")


def rows_alike():
    """Return a classifier that must skip its heaviest leaf, whose rows are all equal."""
    x = np.repeat([0.0, 1.0, 3.0], [90, 60, 1])[:, np.newaxis]
    labels = np.concatenate((np.zeros(60), np.ones(90), [0])).astype(int)
    clf = TreeClassifier(procedure="kearns-mansour", max_leaves=8).fit(x, labels)
    return clf, x, labels


def test_check_finds_a_violated_bound():
    clf, x, labels = rows_alike()
    honest = clf.certificate_
    assert not honest.covered
    assert honest.index > honest.bound
    assert verify(clf, x, labels).ok
    clf._model.__dict__["certificate"] = replace(honest, covered=True, why_not=None)
    report = verify(clf, x, labels)
    found(report, f"certificate: I(T) is {honest.index:.10g}, the bound {honest.bound:.10g}")
    found(report, "covered is True, but step 2 did not split the heaviest leaf")


def test_check_finds_a_vw_tree_with_other_edges():
    given = evidence("hatano")
    _, order = swapped_steps(given, least_difference=1)
    other = rebuilt(given, order).certificate
    report = given.but(certificate=replace(given.certificate, tree=other.tree)).report()
    found(report, ": the parent is stated as")
    found(report, ": v is stated as")


@pytest.mark.parametrize("lie", ["locally_well_formed", "globally_safe"])
def test_check_finds_a_vw_tree_with_wrong_verdicts(lie):
    given = evidence("hatano")
    honest = given.certificate.vw_tree()

    class Lying(Certificate):
        def vw_tree(self):
            kept = type("Kept", (VWTree,), {lie: not getattr(honest, lie)})
            return kept(honest.w, honest.v, honest.parent, honest.gamma)

    told = {f.name: getattr(given.certificate, f.name) for f in fields(Certificate)}
    found(given.but(certificate=Lying(**told)).report(), f"VW-tree: {lie} is stated as")


def test_check_finds_weights_changed_by_fixed_point(monkeypatch):
    given = evidence("per-leaf")
    monkeypatch.setattr(
        "polytomy.certify.verify.recount.fixed_point", lambda weights, n: (np.arange(n) + 1, 0.5)
    )
    found(given.report(), "sample: weights as integer units are off by up to")
