"""The reference's prices and acceptability, against ``polytomy.theory`` and the papers' remarks."""

from math import inf, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polytomy import theory
from polytomy.reference import PROCEDURES, acceptable, e, phi, price

gammas = st.floats(0.01, 0.99)


@given(st.integers(1, 300), gammas)
def test_rates_equal_those_of_the_theory(n, gamma):
    assert e(n, gamma) == pytest.approx(theory.e(n, gamma), rel=1e-9)
    assert phi(n, gamma) == pytest.approx(theory.phi(n, gamma), rel=1e-9)


@given(st.integers(1, 300), gammas)
def test_phi_is_at_most_e_and_e_at_most_a_power(n, gamma):
    assert phi(n, gamma) <= e(n, gamma) * (1 + 1e-9)
    assert e(n, gamma) <= n**-gamma * (1 + 1e-9)


@given(
    st.sampled_from(PROCEDURES),
    st.integers(2, 40),
    st.integers(1, 400),
    st.sampled_from([2, 12, 49, 126, 400]),
    gammas,
)
def test_acceptable_equals_that_of_the_theory(procedure, k, leaves, s, gamma):
    own = gamma if procedure == "mansour-mcallester" else None
    if leaves >= s:
        return  # the run is over
    found = acceptable(procedure, k, leaves, s, own)
    assert found == theory.acceptable(procedure, k, leaves, s, gamma=own)


@pytest.mark.parametrize("procedure", PROCEDURES)
def test_binary_split_costs_1_and_is_acceptable_within_the_budget(procedure):
    gamma = 0.3 if procedure == "mansour-mcallester" else None
    assert price(procedure, 2, gamma) == pytest.approx(1)
    assert all(acceptable(procedure, 2, leaves, 10, gamma) for leaves in range(1, 10))


@pytest.mark.parametrize("procedure", ["per-leaf", "hatano", "mansour-mcallester", "priced", "id3"])
def test_every_arity_is_acceptable_without_a_budget(procedure):
    gamma = 0.3 if procedure == "mansour-mcallester" else None
    assert acceptable(procedure, 50, 1000, inf, gamma)


def test_price_of_mansour_and_mcallester_approaches_the_logarithm():
    assert price("mansour-mcallester", 50, 1e-6) == pytest.approx(log(50), abs=0.6)


def test_unknown_procedure_is_refused():
    with pytest.raises(ValueError, match="procedure must be one of"):
        price("cart", 2)
    with pytest.raises(ValueError, match="procedure must be one of"):
        acceptable("cart", 2, 1)
