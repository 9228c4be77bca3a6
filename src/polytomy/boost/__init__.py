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
from .fingerprint import fingerprint, row_hashes
from .params import ALGORITHMS, BoostParams, resolve_earlier
from .parts import Beginning, BoostingPart, Entry, PartedTraining
from .rounds import Round, Rounds, rounds_from_plain, rounds_to_plain
from .sample import BoostingSample, HeldOut, SampleFacts, fact_sums, facts_from, size_of, sum_of
from .sums import Sums, added
from .training import Training
from .votes import error_of, probabilities, winners

__all__ = [
    "ALGORITHMS",
    "CHANCE",
    "PERFECT",
    "Algorithm",
    "Beginning",
    "BoostCertificate",
    "BoostParams",
    "Booster",
    "BoostingPart",
    "BoostingSample",
    "Checkpoint",
    "CheckpointWriter",
    "EarlyStopping",
    "Entry",
    "HeldOut",
    "PartedTraining",
    "Progress",
    "Round",
    "Rounds",
    "SampleFacts",
    "StoppingMonitor",
    "Sums",
    "Training",
    "added",
    "certify",
    "error_of",
    "fact_sums",
    "facts_from",
    "fingerprint",
    "probabilities",
    "resolve_earlier",
    "rounds_from_plain",
    "rounds_to_plain",
    "row_hashes",
    "size_of",
    "sum_of",
    "winners",
]
