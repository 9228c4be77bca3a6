"""The rates of the theorems against values computed by hand, and their properties.

The order of the rates and the acceptable arities are in ``tests/grow/test_procedures.py``.
"""

from math import ceil, inf, isclose, log, log2

import numpy as np
import pytest

from polytomy import theory
from polytomy._errors import ParameterError

GAMMAS = np.linspace(0.01, 1.0, 34)


def test_rates_equal_values_computed_by_hand():
    assert theory.e(1, 0.3) == 1
    assert theory.e(4, 0.3) == pytest.approx(0.7 * 0.85 * 0.9)
    assert theory.e(4, 0.3) == pytest.approx(0.5355)
    assert theory.g(3, 0.4) == pytest.approx(1.3)
    assert theory.phi(1, 0.2) == 1
    assert theory.phi(2, 0.2) == pytest.approx(0.8)
    assert theory.phi(3, 0.2) == pytest.approx(0.72)  # one of two halves is halved again
    assert theory.phi(6, 0.2) == pytest.approx(0.576)
    assert theory.steps_for(0.1, 0.5) == pytest.approx(100)
    assert theory.weak_to_growth(0.4) == pytest.approx(0.01)


@pytest.mark.parametrize("gamma", GAMMAS)
def test_price_of_two_branches_is_one_and_log_exceeds_g(gamma):
    """ceil(log2 k) >= g(k): Hatano's price of k branches is at least Mansour and McAllester's."""
    assert theory.g(2, gamma) == 1
    for k in range(2, 300):
        assert theory.g(k, gamma) == pytest.approx((1 - theory.e(k, gamma)) / gamma, rel=1e-9)
        assert theory.g(k, gamma) <= ceil(log2(k))


def test_g_is_close_to_the_logarithm():
    assert theory.g(1000, 1e-6) == pytest.approx(log(1000) + 0.5772, abs=1e-2)


@pytest.mark.parametrize("gamma", GAMMAS)
def test_phi_is_linear_between_powers_of_two(gamma):
    for s in range(1, 70):
        assert theory.phi(2 * s, gamma) == pytest.approx((1 - gamma) * theory.phi(s, gamma))
        assert theory.phi(s + 1, gamma) <= theory.phi(s, gamma)
    for s in range(33, 64):
        middle = (theory.phi(s - 1, gamma) + theory.phi(s + 1, gamma)) / 2
        assert theory.phi(s, gamma) == pytest.approx(middle)


def test_phi_equals_halving_the_heaviest_leaf():
    leaves = [1.0]
    for s in range(1, 50):
        assert sum(leaves) == pytest.approx(theory.phi(s, 0.3))
        leaves.sort()
        leaves += [leaves.pop() * 0.7 / 2] * 2


def test_price_equals_the_formula_of_each_procedure():
    assert [theory.price("per-leaf", k) for k in (2, 3, 9)] == [1, 2, 8]
    assert [theory.price("hatano", k) for k in (2, 3, 4, 5, 8, 9)] == [1, 2, 2, 3, 3, 4]
    assert theory.price("mansour-mcallester", 3, 0.4) == pytest.approx(1.3)
    assert [theory.price("kearns-mansour", k) for k in (2, 3)] == [1, 1]


def test_steps_for_handles_extreme_values():
    assert theory.steps_for(1, 0) == 1
    assert theory.steps_for(0.5, 0) == inf
    assert theory.steps_for(0.5, 1e-6) == inf
    assert isclose(theory.steps_for(0.01, 1), 100)


REFUSED = {
    "e of nothing": (lambda: theory.e(0, 0.5), "n must be at least 1"),
    "one branch": (lambda: theory.g(1, 0.5), "k must be at least 2"),
    "no leaves": (lambda: theory.phi(0, 0.5), "s must be at least 1"),
    "gamma above 1": (lambda: theory.phi(3, 1.5), "gamma must be from 0 to 1, got 1.5"),
    "gamma nan": (lambda: theory.e(3, float("nan")), "gamma must be from 0 to 1"),
    "gamma below 0": (lambda: theory.g(3, -0.1), "gamma must be from 0 to 1"),
    "no gamma": (lambda: theory.price("mansour-mcallester", 3), "needs gamma"),
    "no such procedure": (lambda: theory.price("cart", 3), "no procedure is called 'cart'"),
    "delta": (lambda: theory.weak_to_growth(0.6), "from 0 to 1/2"),
    "error": (lambda: theory.steps_for(0, 0.5), r"error must be in \(0, 1\]"),
}


@pytest.mark.parametrize("why", REFUSED)
def test_rates_reject_invalid_arguments(why):
    call, sentence = REFUSED[why]
    with pytest.raises(ParameterError, match=sentence):
        call()
