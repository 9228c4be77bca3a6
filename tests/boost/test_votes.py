"""Votes become probabilities."""

import numpy as np

from polytomy.boost import probabilities


def test_probabilities_do_not_overflow():
    huge = np.array([[-4000.0, 4000.0, 0.0], [-4000.0, -4000.0, -3000.0]])
    for algorithm in ("adaboost-mh", "samme", "logitboost"):
        shares = probabilities(huge, algorithm)
        assert np.isfinite(shares).all()
        np.testing.assert_allclose(shares.sum(axis=1), 1)
        assert shares.argmax(axis=1).tolist() == [1, 2]
