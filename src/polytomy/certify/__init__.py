"""Certificates: the theorem that covers a run, its gamma, and the bounds that follow for the tree.

``record`` holds the facts of a run (every split, in order) and ``certificate`` the certificate.
Three packages work with them:

- ``issue`` computes the certificate from the record and the tree;
- ``verify`` recounts the training data and compares every stated number. It shares no code with
  the grower or with ``issue``;
- ``description`` encodes a tree in a prefix code, whose length gives the Occam bound.
"""

from .certificate import Certificate, Pruned, Step
from .issue import issue_certificate
from .record import (
    BoostedCertificate,
    Retired,
    RoundRecord,
    Rules,
    Run,
    Split,
    Weighting,
    overgrown,
)

__all__ = [
    "BoostedCertificate",
    "Certificate",
    "Pruned",
    "Retired",
    "RoundRecord",
    "Rules",
    "Run",
    "Split",
    "Step",
    "Weighting",
    "issue_certificate",
    "overgrown",
]
