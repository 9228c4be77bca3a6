"""The certificate finds figures that contradict each other."""

from dataclasses import replace

import numpy as np
import pytest

from polytomy.boost import Rounds, certify
from tests.boost.small_runs import booster_on, mixed


def records_of(algorithm, n_classes=2, **params):
    columns, labels, weights = mixed(4, n_classes=n_classes)
    return list(booster_on(columns, labels, weights, algorithm=algorithm, **params).run(6).rounds)


@pytest.mark.parametrize("at", [0, 3])
@pytest.mark.parametrize(
    ("name", "factor", "finding"),
    [
        ("bound", 0.9, "times Z"),
        ("bound", 1.1, "times Z"),
        ("z", 0.99, "times Z"),
        ("epsilon", 0.9, "2 sqrt"),
        ("exponential_bound", 1.5, "is not exp"),
        ("training_error", 9.0, "above bound"),
        ("bound", float("nan"), "above bound nan"),
    ],
)
def test_certificate_finds_a_changed_figure(at, name, factor, finding):
    records = records_of("adaboost")
    assert certify("adaboost", Rounds(records), 1.0).holds
    records[at] = replace(records[at], **{name: factor * getattr(records[at], name)})
    certificate = certify("adaboost", Rounds(records), 1.0)
    assert not certificate.holds
    assert any(f"round {at + 1}: " in f and finding in f for f in certificate.findings)
    assert "FAILS" in str(certificate)


def test_mh_bound_starts_at_half_the_number_of_classes():
    rounds = Rounds(records_of("adaboost-mh", 3))
    assert certify("adaboost-mh", rounds, 1.0, 3).holds
    assert not certify("adaboost-mh", rounds, 1.0, 4).holds


@pytest.mark.parametrize("algorithm", ["adaboost", "adaboost-real", "adaboost-mh", "samme"])
def test_z_is_finite_if_votes_overflow_the_loss(algorithm):
    columns, labels, weights = mixed(4)
    run = booster_on(columns, labels, weights, algorithm=algorithm, learning_rate=1000.0).run(20)
    assert not np.isnan(run.rounds.z).any()
    assert certify(algorithm, run.rounds, 1000.0, 2).holds


def test_z_is_correct_after_the_bound_underflows():
    x = np.repeat(np.arange(4.0), 5)
    labels = np.repeat([0, 1, 0, 1], 5)
    run = booster_on({"x": x}, labels, algorithm="adaboost").run(9000)
    assert run.rounds[-1].bound == 0.0
    least = 2 * np.sqrt(run.rounds.epsilon * (1 - run.rounds.epsilon))
    np.testing.assert_allclose(run.rounds.z, least, rtol=1e-6)
    assert certify("adaboost", run.rounds, 1.0).holds
