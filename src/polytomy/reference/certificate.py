"""The gamma that a run achieved, and the bound on its index that follows from the theorems.

The theorems assume that every step of a run has an advantage of at least gamma per price. So the
gamma of a run is the smallest advantage per price of its steps. Given that gamma, the theorems
bound the index of the tree, and with it the training error: error <= I(T) / 2.
"""

from math import nan

from .grower import Run
from .index import TIE
from .procedures import e, phi


def run_gamma(run: Run) -> float:
    """Return the largest gamma for which the run is gamma-boosting.

    Heaviest order: the smallest advantage / price of a step. ``mansour-mcallester``: the largest
    gamma for which every k-way step leaves at most e(k) of its leaf's F, and no leaf has at the end
    more than e(k - 1) / (k - 1) of that F; NaN if there is none. Steepest order: the smallest
    gain / (k - 1) of a step, relative to the mean F of the leaves before it.

    Source: "gamma-boosting" in section 4, and lemma 5.2 of Mansour and McAllester (1999).

    Parameters
    ----------
    run : Run
        A run; it need not be finished.

    Returns
    -------
    float
        Gamma; NaN without a step.

    Examples
    --------
    >>> run = Run({"x": [1, 2, 3, 4]}, [0, 1, 0, 0], procedure="hatano")
    >>> _ = run.grow()
    >>> [(step.split.arity, step.split.gain / step.leaf_value) for step in run.steps]
    [(3, 1.0)]
    >>> run_gamma(run)  # a split in three has the price 2
    0.5
    """
    if not run.steps:
        return nan
    if run.rules.steepest:
        return min(
            step.split.gain / (step.split.arity - 1) / (step.total_before / step.leaves_before)
            for step in run.steps
        )
    if run.rules.procedure == "mansour-mcallester":
        return _vw_gamma(run)
    prices = [run.rules.price(step.split.arity) for step in run.steps]
    advantages = [step.split.gain / step.leaf_value for step in run.steps]
    return min(a / price for a, price in zip(advantages, prices, strict=True))


def _vw_gamma(run: Run) -> float:
    """Return the largest gamma for which VW(T) is locally well formed and globally safe."""
    heaviest = max(run.value(leaf) for leaf in run.leaves)

    def holds(gamma: float) -> bool:
        return all(
            step.leaf_value - step.split.gain <= (e(k, gamma) + TIE) * step.leaf_value
            and heaviest <= (e(k - 1, gamma) / (k - 1) + TIE) * step.leaf_value
            for step in run.steps
            for k in [step.split.arity]
        )

    low, high = 0.0, 1.0
    if not holds(low):
        return nan
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return high if holds(high) else low


def run_bound(run: Run) -> float:
    """Return the theorem's upper bound on I(T), given the gamma of the run and its s leaves.

    ``hatano``, and ``kearns-mansour`` in heaviest order: I(root) phi(s), by theorem 4 of Hatano
    (2004). ``mansour-mcallester``: I(root) e(s), by lemma 5.2 of Mansour and McAllester (1999).
    Steepest order: I(root) e(s), by the induction of their theorem 3.2. Hatano's theorem assumes
    that no leaf was retired and that every arity was acceptable for the final size of the tree.

    Parameters
    ----------
    run : Run
        A run; it need not be finished.

    Returns
    -------
    float
        The bound; NaN without a gamma.

    Examples
    --------
    >>> run = Run({"x": [1, 2, 3, 4]}, [0, 1, 0, 1], procedure="kearns-mansour", max_leaves=3)
    >>> _ = run.grow()
    >>> round(run.tree_index, 3), round(run_bound(run), 3)
    (0.5, 0.656)
    """
    s, gamma = len(run.leaves), run_gamma(run)
    root = run.value(run.tree) / run.weight
    uses_e = run.rules.steepest or run.rules.procedure == "mansour-mcallester"
    return root * (e(s, gamma) if uses_e else phi(s, gamma))
