"""Moved to ``polytomy.certify.verify``."""

from .verify.report import TOLERANCE, Ledger, Report

__all__ = ["TOLERANCE", "Ledger", "Report"]
