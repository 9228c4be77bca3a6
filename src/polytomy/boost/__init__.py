"""Boosting: many small trees vote, each grown on the rows that the earlier ones got wrong.

A *round* adds one tree, or one for each class. Its leaves' scores are added to the rows' *votes*.
The *loss* is the mean cost of the votes, and Z the ratio of the losses after and before a round.
D_t are the row weights of round t.
"""

from .algorithm import Algorithm
from .booster import CHANCE, PERFECT, Booster, Progress
from .certificate import BoostCertificate, certify
from .checkpoint import Checkpoint, CheckpointWriter
from .early_stopping import EarlyStopping, StoppingMonitor
from .fingerprint import fingerprint
from .params import ALGORITHMS, BoostParams, resolve_earlier
from .rounds import Round, Rounds, rounds_from_plain, rounds_to_plain
from .sample import BoostingSample, HeldOut
from .votes import error_of, probabilities, winners

__all__ = [
    "ALGORITHMS",
    "CHANCE",
    "PERFECT",
    "Algorithm",
    "BoostCertificate",
    "BoostParams",
    "Booster",
    "BoostingSample",
    "Checkpoint",
    "CheckpointWriter",
    "EarlyStopping",
    "HeldOut",
    "Progress",
    "Round",
    "Rounds",
    "StoppingMonitor",
    "certify",
    "error_of",
    "fingerprint",
    "probabilities",
    "resolve_earlier",
    "rounds_from_plain",
    "rounds_to_plain",
    "winners",
]
