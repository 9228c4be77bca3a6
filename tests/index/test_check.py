"""A user's index function is accepted, or refused with a counterexample."""

import numpy as np
import pytest

from polytomy import PolytomyError
from polytomy._errors import IndexFunctionError
from polytomy.encode import Target, encode
from polytomy.grow import GrowParams, grow
from polytomy.index import functions, resolve
from polytomy.table import Table


def brier(counts):
    """Return twice Gini, a valid index."""
    return 2 * functions.gini(counts)


@pytest.mark.parametrize("n_classes", [1, 2, 3, 7])
@pytest.mark.parametrize("function", [functions.gini, functions.sqrt, functions.entropy, brier])
def test_resolve_accepts_index_functions(function, n_classes):
    index = resolve(function, n_classes)
    assert index.number is None
    assert callable(index.kernel)


def half_gini(counts):
    return functions.gini(counts) / 2


REFUSED = {
    "not homogeneous": (lambda c: functions.gini(c) ** 2, r"F\(3c\) must equal 3 F\(c\)"),
    "negative": (lambda c: -functions.gini(c), "must not be negative"),
    "pure": (lambda c: c.sum(axis=-1), "pure node must be 0"),
    "convex": (
        lambda c: np.sqrt((c**2).sum(axis=-1)) - np.abs(c).max(axis=-1),
        r"F\(a \+ b\) must be at least",
    ),
    "too small": (lambda c: np.zeros(c.shape[:-1]), r"at least 2 \(n - max c\)"),
    "wrong axis": (lambda c: functions.gini(c.T), "reduce the last axis"),
    "not finite": (lambda c: functions.gini(c) + np.nan, "not finite"),
}


@pytest.mark.parametrize("why", REFUSED)
def test_resolve_refuses_other_functions_with_an_example(why):
    function, sentence = REFUSED[why]
    with pytest.raises(IndexFunctionError, match=sentence):
        resolve(function, 3)


def test_resolve_error_states_the_missing_factor():
    with pytest.raises(IndexFunctionError, match=r"half_gini .* multiply it by 2$"):
        resolve(half_gini, 3)


def test_resolve_error_lists_the_known_names():
    with pytest.raises(PolytomyError, match="sqrt, gini, entropy, error"):
        resolve("twoing")


def test_resolve_passes_on_errors_of_the_callable():
    def broken(counts):
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        resolve(broken)


def test_index_with_invalid_values_during_growth_is_refused():
    calls = []

    def late(counts):
        calls.append(len(counts))
        value = functions.gini(counts)
        return value if len(calls) < 8 else value + np.inf

    x = np.random.default_rng(0).standard_normal((60, 2))
    coded = encode(Table.of(x))
    with pytest.raises(IndexFunctionError, match="late is not an index function: it is inf at"):
        grow(coded, Target.of((x[:, 0] > 0).astype(int)), GrowParams(index=late))


def test_callable_index_is_never_called_on_empty_nodes():
    def plain(c):
        n = c.sum(axis=-1)
        return 2 * (n - (c**2).sum(axis=-1) / n)  # divides by n: warnings are errors here

    x = np.random.default_rng(0).standard_normal((60, 2))
    x[::7] = np.nan
    coded, target = encode(Table.of(x)), Target.of((x[:, 0] > 0).astype(int))
    assert grow(coded, target, GrowParams(index=plain)).tree == grow(coded, target).tree


def test_resolve_refuses_unhashable_names():
    with pytest.raises(PolytomyError, match="sqrt, gini, entropy, error"):
        resolve(["gini"])
