"""Ensembles: trees that vote, fast voting, and the score functions of boosted stumps."""

from .additive import Additive, ScoreFunction
from .ensemble import FOREST, Ensemble, mean_shares, staged_votes, votes
from .member import Member, quantized, shares_member

__all__ = [
    "FOREST",
    "Additive",
    "Ensemble",
    "Member",
    "ScoreFunction",
    "mean_shares",
    "quantized",
    "shares_member",
    "staged_votes",
    "votes",
]
