"""The contribution of a leaf to the SHAP values of the columns on its path, in closed form.

Let column j be split on, once or more, on the path to a leaf. If it is known, a row either passes
all these splits (o_j = 1) or fails one of them (o_j = 0). If it is unknown, the row passes with the
share z_j, the product of the shares of the training weight that follow the path. If the columns in
S are known, the leaf is reached with the product of o_j over S and z_j over the others. The Shapley
value of column i is the mean change caused by i over all orders in which columns become known:

    (o_i - z_i) * sum over S without i of |S|! (m-|S|-1)! / m! * prod o_j * prod z_j

Since k! (m-1-k)! / m! is the integral of t^k (1-t)^(m-1-k) over [0, 1], that sum is

    the integral of prod over j != i of (o_j t + z_j (1-t)),

of a polynomial of degree m-1 in t. The Gauss-Legendre rule with ceil(m/2) points is exact for it.
It sums positive numbers only, so nothing cancels, however deep the tree.
"""

from functools import lru_cache

import numpy as np

from polytomy._types import AnyArray, FloatArray


def leaf_weights(passes: AnyArray, shares: FloatArray) -> FloatArray:
    """Return the contribution of each column on a leaf's path to reaching it, for each row.

    Parameters
    ----------
    passes : bool array of shape (rows, columns)
        Whether a row passes all splits on a column on the path.
    shares : array of shape (columns,)
        The share of training weight that passes them; positive.

    Examples
    --------
    One column and a quarter of the weight in the leaf: a row that passes contributes the rest.

    >>> leaf_weights(np.array([[True], [False]]), np.array([0.25])).tolist()
    [[0.75], [-0.25]]
    """
    integrals = np.zeros(passes.shape)
    for point, weight in zip(*_rule((len(shares) + 1) // 2), strict=True):
        factors = shares * (1.0 - point) + passes * point
        # No factor is 0, because shares and 1 - t are positive, so one can be divided out.
        integrals += (weight * factors.prod(axis=1))[:, np.newaxis] / factors
    return np.asarray((passes - shares) * integrals)


@lru_cache(maxsize=128)
def _rule(n: int) -> tuple[FloatArray, FloatArray]:
    """Return the points and weights of the Gauss-Legendre rule on [0, 1]."""
    points, weights = np.polynomial.legendre.leggauss(n)
    return (points + 1.0) / 2.0, weights / 2.0
