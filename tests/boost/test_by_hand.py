"""The lecture's algorithm on six rows, worked out with pencil and paper."""

import numpy as np
import pytest

from tests.boost.samples import booster_on


def test_three_rounds_on_six_rows():
    run = booster_on({"x": np.arange(1.0, 7)}, [1, 1, 0, 0, 1, 0], algorithm="adaboost")
    # x <= 2.5 says +: only x = 5 is wrong. eps = 1/6, alpha = ln(5)/2, Z = 2 sqrt(5/36)
    first = run.step()
    assert first.epsilon == pytest.approx(1 / 6)
    assert first.alpha == pytest.approx(np.log(5) / 2)
    assert first.z == pytest.approx(np.sqrt(5) / 3)
    np.testing.assert_allclose(run.algorithm.distribution(), np.array([1, 1, 1, 1, 5, 1]) / 10)
    # x <= 5.5 says +: x = 3 and x = 4 are wrong. eps = 1/5, alpha = ln(4)/2, Z = 4/5
    second = run.step()
    assert second.epsilon == pytest.approx(1 / 5)
    assert second.alpha == pytest.approx(np.log(2))
    assert second.z == pytest.approx(4 / 5)
    np.testing.assert_allclose(run.algorithm.distribution(), np.array([1, 1, 4, 4, 5, 1]) / 16)
    # x > 4.5 says +: x = 1, 2 and 6 are wrong. eps = 3/16, and the vote has no error left
    third = run.step()
    assert third.epsilon == pytest.approx(3 / 16)
    assert third.alpha == pytest.approx(np.log(13 / 3) / 2)
    assert third.bound == pytest.approx(np.sqrt(5) / 3 * 4 / 5 * np.sqrt(39) / 8)
    assert [first.training_error, second.training_error] == pytest.approx([1 / 6, 1 / 6])
    assert third.training_error == 0
