"""Scorecards: an additive model of two classes as points for each range of each column."""

from .card import Scorecard, scorecard

__all__ = ["Scorecard", "scorecard"]
