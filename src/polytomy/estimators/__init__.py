"""The scikit-learn estimators, model files and the verifier.

*base* and *rows*: input, targets, threads and fitted state. *parameters*: shared parameters.
*classifier*, *regressor*, *boosted*, *forest* and *density*: the estimators; *single_tree*: what
the first two have in common; *one_tree*: what they share with *density*. *growing* and *boosting*:
how they are fitted. *pruning*, *reading* and *reporting*: methods of fitted models. *files*: save,
load, verify. *callbacks*: progress of a fit.
"""

from .boosted import BoostedTreeClassifier
from .classifier import TreeClassifier
from .density import DensityTree
from .files import load, verify
from .forest import ForestClassifier
from .growing import run_of
from .regressor import TreeRegressor

__all__ = [
    "BoostedTreeClassifier",
    "DensityTree",
    "ForestClassifier",
    "TreeClassifier",
    "TreeRegressor",
    "load",
    "run_of",
    "verify",
]
