"""Moved to ``polytomy.certify.verify.recount``."""

from .verify.recount import Recount, Sample, recount

__all__ = ["Recount", "Sample", "recount"]
