"""The scikit-learn estimators, model files and the verifier.

*base*: input, rows, threads and fitted state of all estimators. *parameters*: their shared
parameters. *classifier*, *boosted* and *density*: the estimators. *growing* and *boosting*: how the
classifiers are fitted. *pruning*, *reading* and *reporting*: methods of fitted models. *files*:
save, load, verify. *callbacks*: progress of a fit.
"""

from .boosted import BoostedTreeClassifier
from .classifier import TreeClassifier
from .density import DensityTree
from .files import load, verify
from .growing import run_of

__all__ = ["BoostedTreeClassifier", "DensityTree", "TreeClassifier", "load", "run_of", "verify"]
