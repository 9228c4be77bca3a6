"""Checks of the visited weighted tree: its weights, and its two conditions at every node."""

from math import isnan

import numpy as np

from polytomy._errors import PolytomyError
from polytomy._types import FloatArray
from polytomy.theory.vw_tree import VWTree
from polytomy.tree import Tree

from .certificate import Certificate
from .replay import Replay
from .report import TOLERANCE, Ledger

_HERE = "VW-tree"


def check_vw_tree(
    ledger: Ledger, certificate: Certificate, tree: Tree, played: Replay, gamma: float
) -> None:
    """Check Mansour and McAllester's tree as the certificate makes it, for its gamma."""
    ledger.begin("VW-tree: weights, well formed, safe")
    try:
        with np.errstate(all="ignore"):  # forged counts may be no counts at all
            stated = certificate.vw_tree()
    except (PolytomyError, TypeError) as refused:  # a forged gamma may be no number at all
        ledger.holds(False, _HERE, str(refused))
        return
    own = played.values / played.weight
    if not ledger.same(stated.w.shape, own.shape, _HERE, "the number of nodes"):
        return
    visits = np.maximum(np.diff(tree.child_start), 1)
    for node in range(len(own)):
        where = f"{_HERE}, node {node}"
        ledger.close(float(stated.w[node]), float(own[node]), where, "w", TOLERANCE * own[0])
        ledger.same(int(stated.v[node]), int(visits[node]), where, "v")
        ledger.same(int(stated.parent[node]), int(tree.parent[node]), where, "the parent")
    if played.nodes and not isnan(gamma):
        _check_conditions(ledger, stated, played, own, min(max(gamma, 0.0), 1.0))


def _check_conditions(
    ledger: Ledger, stated: VWTree, played: Replay, w: FloatArray, gamma: float
) -> None:
    """Compare the nodes that break a condition; what is within rounding of it may go either way."""
    e = _rate(max(map(len, played.children)), gamma)
    inside = np.zeros(len(w), dtype=bool)
    inside[played.nodes] = True
    heaviest = float(w[~inside].max())
    unformed, unsafe = set(stated.unformed.tolist()), set(stated.unsafe.tolist())
    for node, children in zip(played.nodes, played.children, strict=True):
        k = len(children)
        where = f"{_HERE}, node {node}"
        over = float(w[children].sum()) - e[k] * w[node]
        slack = 2 * TOLERANCE * float(w[node])
        ledger.holds(
            abs(over) <= slack or (over > 0) == (node in unformed),
            where,
            f"its children weigh {over:.3g} more than e({k}) w; it is said to be "
            f"{'not ' if node in unformed else ''}well formed",
        )
        over = heaviest - e[k - 1] * float(w[node]) / (k - 1)
        ledger.holds(
            abs(over) <= slack or (over > 0) == (node in unsafe),
            where,
            f"the heaviest leaf weighs {over:.3g} more than e({k - 1}) w / {k - 1}; it is said to "
            f"be {'not ' if node in unsafe else ''}safe",
        )
    ledger.same(stated.locally_well_formed, not unformed, _HERE, "locally_well_formed")
    ledger.same(stated.globally_safe, not unsafe, _HERE, "globally_safe")


def _rate(most: int, gamma: float) -> list[float]:
    """Return e(0), e(1), ..., e(most); e(0) is not used."""
    rates = [1.0, 1.0]
    for i in range(1, most):
        rates.append(rates[-1] * (1.0 - gamma / i))
    return rates
