"""Ensembles: trees that vote, fast voting, and the score functions that stumps add up to."""

from .ensemble import Ensemble
from .member import Member, quantized
from .scores import Additive, ScoreFunction
from .vote import staged_votes, votes

__all__ = [
    "Additive",
    "Ensemble",
    "Member",
    "ScoreFunction",
    "quantized",
    "staged_votes",
    "votes",
]
