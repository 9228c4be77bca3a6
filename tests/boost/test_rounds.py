"""The record of the rounds."""

import numpy as np
import pytest

from polytomy.boost import Round, Rounds


def test_rounds_return_each_field_by_its_name():
    rounds = Rounds([Round(0.2, 0.7, 0.8, 0.8, 0.84, 0.2, None, None, 2, 1)] * 2)
    for name in ("epsilon", "alpha", "z", "bound"):
        np.testing.assert_array_equal(rounds[name], getattr(rounds, name))
    with pytest.raises(KeyError, match="the fields are epsilon, alpha"):
        rounds["eps"]
