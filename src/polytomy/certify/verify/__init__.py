"""Verify a run, its tree and its certificate against the training data."""

from .report import Check, Finding, Ledger, Report
from .verify import verify_kept, verify_run

__all__ = ["Check", "Finding", "Ledger", "Report", "verify_kept", "verify_run"]
