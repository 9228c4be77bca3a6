"""What a leaf adds to each column on its path, in closed form.

On the way to a leaf let column j be asked about, once or more. If it is known, a row passes all
those questions (1) or fails one (0): o_j. If it is not, the row passes with the share z_j, the
product of the shares of training weight that went the leaf's way. With the columns S known, the
leaf is reached with the product of o_j over S and of z_j over the others. The Shapley value of
column i is the mean over all orders in which columns become known of what i changes:

    (o_i - z_i) * sum over S without i of |S|! (m-|S|-1)! / m! * prod o_j * prod z_j

and since k! (m-1-k)! / m! is the integral of t^k (1-t)^(m-1-k) over [0, 1], that sum is

    the integral of prod over j != i of (o_j t + z_j (1-t)),

of a polynomial of degree m-1 in t. Gauss and Legendre's rule with ceil(m/2) points is exact for it,
and adds up positive numbers only: nothing cancels, however deep the tree.
"""

from functools import lru_cache

import numpy as np

from polytomy._types import AnyArray, FloatArray


def leaf_weights(passes: AnyArray, shares: FloatArray) -> FloatArray:
    """Return what reaching the leaf owes to each column on its path, for each row.

    Parameters
    ----------
    passes : bool array of shape (rows, columns)
        Whether a row passes all questions about a column on the way to the leaf.
    shares : array of shape (columns,)
        The share of training weight that passes them; positive.

    Examples
    --------
    One column, of whose weight a quarter goes to the leaf: a row that passes owes it the rest.

    >>> leaf_weights(np.array([[True], [False]]), np.array([0.25])).tolist()
    [[0.75], [-0.25]]
    """
    integrals = np.zeros(passes.shape)
    for point, weight in zip(*_rule((len(shares) + 1) // 2), strict=True):
        factors = shares * (1.0 - point) + passes * point
        # No factor is 0, since no share and no 1 - t is: dividing leaves out one of them.
        integrals += (weight * factors.prod(axis=1))[:, np.newaxis] / factors
    return np.asarray((passes - shares) * integrals)


@lru_cache(maxsize=128)
def _rule(n: int) -> tuple[FloatArray, FloatArray]:
    """Return the points and weights of Gauss and Legendre's rule on [0, 1]."""
    points, weights = np.polynomial.legendre.leggauss(n)
    return (points + 1.0) / 2.0, weights / 2.0
