"""The scikit-learn estimators, model files and the verifier.

*base*: input, rows, threads and fitted state of all classifiers. *parameters*: their shared
parameters. *classifier*, *boosted* and *forest*: the estimators. *growing* and *boosting*: how the
first two are fitted. *pruning*, *reading* and *reporting*: methods of fitted models. *files*: save,
load, verify. *callbacks*: progress of a fit.
"""

from .boosted import BoostedTreeClassifier
from .classifier import TreeClassifier
from .files import load, verify
from .forest import ForestClassifier
from .growing import run_of

__all__ = [
    "BoostedTreeClassifier",
    "ForestClassifier",
    "TreeClassifier",
    "load",
    "run_of",
    "verify",
]
