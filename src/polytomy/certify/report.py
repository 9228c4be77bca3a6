"""Moved to ``polytomy.certify.verify``."""

from .verify.report import Ledger, Report

__all__ = ["Ledger", "Report"]
