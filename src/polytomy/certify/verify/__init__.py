"""Verify a model, its record and its certificate against the training data."""

from .boosted import verify_boosted
from .boosted_formulas import BoostedRun
from .check_pruning import check_derivation, check_raised
from .constraints import check_constraints
from .costs import check_costs
from .density import StatedDensity, verify_density
from .monotonic import check_monotonic
from .report import Check, Finding, Ledger, Report
from .verify import Derivation, verify_kept, verify_run

__all__ = [
    "BoostedRun",
    "Check",
    "Derivation",
    "Finding",
    "Ledger",
    "Report",
    "StatedDensity",
    "check_constraints",
    "check_costs",
    "check_derivation",
    "check_monotonic",
    "check_raised",
    "verify_boosted",
    "verify_density",
    "verify_kept",
    "verify_run",
]
