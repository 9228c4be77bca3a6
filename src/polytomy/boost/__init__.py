"""Boosting: many small trees, each grown on what those before it got wrong, vote together.

The words used throughout: a *round* adds a tree (or one for each class); its *votes* are added to
each row's; the *loss* is a mean over rows of what their votes cost, and Z its ratio from one round
to the next. D_t are the weights a round works on.
"""

from .algorithm import Algorithm, error_of, winners
from .booster import CHANCE, PERFECT, Booster, Progress
from .certificate import BoostCertificate, certify
from .checkpoint import Checkpoint, Keeper
from .fingerprint import fingerprint
from .links import probabilities
from .params import ALGORITHMS, BoostParams
from .rounds import Round, Rounds
from .sample import HeldOut, Sample
from .stopping import EarlyStopping, Watch

__all__ = [
    "ALGORITHMS",
    "CHANCE",
    "PERFECT",
    "Algorithm",
    "BoostCertificate",
    "BoostParams",
    "Booster",
    "Checkpoint",
    "EarlyStopping",
    "HeldOut",
    "Keeper",
    "Progress",
    "Round",
    "Rounds",
    "Sample",
    "Watch",
    "certify",
    "error_of",
    "fingerprint",
    "probabilities",
    "winners",
]
