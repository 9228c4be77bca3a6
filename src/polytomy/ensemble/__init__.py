"""Ensembles: trees that vote, fast voting, and the score functions of boosted stumps."""

from .additive import Additive, ScoreFunction
from .ensemble import FOREST, Ensemble, added_scores, mean_shares, staged_votes, votes, votes_after
from .member import Member, VoteScale, means_member, quantized, shares_member

__all__ = [
    "FOREST",
    "Additive",
    "Ensemble",
    "Member",
    "ScoreFunction",
    "VoteScale",
    "added_scores",
    "mean_shares",
    "means_member",
    "quantized",
    "shares_member",
    "staged_votes",
    "votes",
    "votes_after",
]
