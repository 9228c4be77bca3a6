"""Ensembles: trees that vote, fast voting, and the score functions of boosted stumps."""

from .additive import Additive, ScoreFunction
from .ensemble import Ensemble, staged_votes, votes
from .member import Member, quantized

__all__ = [
    "Additive",
    "Ensemble",
    "Member",
    "ScoreFunction",
    "quantized",
    "staged_votes",
    "votes",
]
