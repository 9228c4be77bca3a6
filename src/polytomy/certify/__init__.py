"""Certificates: which theorem covers a run, with which gamma, and what follows for its tree.

*run*: the record of every split in order, as plain facts. *course*: what the tree weighed and
erred at every size. *issue*: run and tree to certificate. *verify*: the same facts, counted afresh
from the data by code that neither grew the tree nor issued the certificate.
"""

from .certificate import Certificate, Pruned, Step
from .issue import issue
from .run import Retired, Rules, Run, Split, Weighting, overgrown

__all__ = [
    "Certificate",
    "Pruned",
    "Retired",
    "Rules",
    "Run",
    "Split",
    "Step",
    "Weighting",
    "issue",
    "overgrown",
]
