"""Certificates: the theorem that covers a run, its gamma, and the bounds that follow for the tree.

``record`` holds the facts of a run (every split, in order), ``origin`` how a tree was found that is
not the result of a run, ``edits`` what people changed by hand, and ``certificate`` the certificate.
Three packages work with them:

- ``issue`` computes the certificate from the record and the tree;
- ``verify`` recounts the training data and compares every stated number. It shares no code with
  the grower or with ``issue``;
- ``description`` encodes a tree in a prefix code, whose length gives the Occam bound.
"""

from .certificate import Certificate, Pruned, Step, WeakLearner
from .constraints import constraint_sentences
from .edits import (
    NOTHING,
    OPERATIONS,
    Cost,
    Edit,
    EditLog,
    EditState,
    Figures,
    Graft,
    apply_edit,
    tree_figures,
)
from .issue import issue_certificate, with_smaller_gamma
from .origin import Lesson, Origin, error_text, origin_sentences
from .record import (
    BoostedCertificate,
    Retired,
    RoundRecord,
    Rules,
    Run,
    Split,
    Weighting,
    overgrown,
    replayed,
)

__all__ = [
    "NOTHING",
    "OPERATIONS",
    "BoostedCertificate",
    "Certificate",
    "Cost",
    "Edit",
    "EditLog",
    "EditState",
    "Figures",
    "Graft",
    "Lesson",
    "Origin",
    "Pruned",
    "Retired",
    "RoundRecord",
    "Rules",
    "Run",
    "Split",
    "Step",
    "WeakLearner",
    "Weighting",
    "apply_edit",
    "constraint_sentences",
    "error_text",
    "issue_certificate",
    "origin_sentences",
    "overgrown",
    "replayed",
    "tree_figures",
    "with_smaller_gamma",
]
