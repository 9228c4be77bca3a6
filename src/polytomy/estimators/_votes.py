"""What the votes of an ensemble say: margins, and which columns they rest on."""

import numpy as np

from polytomy._types import AnyArray, FloatArray
from polytomy.boost import Rounds
from polytomy.ensemble import Ensemble
from polytomy.index import Index


def margins_of(ensemble: Ensemble, voted: FloatArray, labels: AnyArray) -> FloatArray:
    """Return the votes for each row's class less the most for any other, in [-1, 1]."""
    both = np.concatenate((-voted, voted), axis=1) if voted.shape[1] == 1 else voted
    every = np.arange(len(both))
    own = both[every, labels]
    others = both.copy()
    others[every, labels] = -np.inf
    most = float(np.ptp(_two_sided(ensemble.start[np.newaxis])))
    for member in ensemble.members:
        most += float(np.ptp(_two_sided(member.scores), axis=1).max())
    return np.asarray((own - others.max(axis=1)) / most if most > 0 else np.zeros(len(own)))


def _two_sided(scores: FloatArray) -> FloatArray:
    return np.concatenate((-scores, scores), axis=1) if scores.shape[1] == 1 else scores


def importances(ensemble: Ensemble, rounds: Rounds, index: Index) -> FloatArray:
    """Return each column's share of the gains; a tree's count as its vote does, alpha.

    A user's own questions have no column, so what they gain is nobody's.
    """
    gains = np.zeros(len(ensemble.schema) + 1)
    alphas = np.repeat(rounds.alpha, [r.trees for r in rounds])
    for alpha, member in zip(alphas, ensemble.members, strict=True):
        tree = member.tree
        value = index.value(tree.counts)
        gain = value.copy()
        np.subtract.at(gain, tree.parent[1:], value[1:])
        inner = np.flatnonzero(tree.feature >= 0)
        np.add.at(gains, tree.feature[inner], alpha * np.maximum(gain[inner], 0.0))
    total = gains.sum()
    return gains[:-1] / total if total > 0 else gains[:-1]
