"""The scikit-learn estimators, model files and the verifier.

*base* and *rows*: input, targets, threads and fitted state. *parameters*: shared parameters.
*classifier*, *regressor*, *boosted*, *forest_classifier*, *forest_regressor* and *density*: the
estimators; *single_tree* and *forest*: what the two trees, and the two forests, have in common;
*one_tree*: what single trees share with *density*. *growing*, *sizing*, *teacher*, *effort* and
*boosting*: how they are fitted.
*column_binning*: the best bins of single columns. *comparison*: two models on the same rows.
*pruning*, *reading* and *reporting*: methods of fitted models. *files*: save, load, verify.
*memory*: what is known of the training data. *callbacks*: progress of a fit. *editing* and
*edit_...*: editing by hand.
"""

from .boosted import BoostedTreeClassifier
from .classifier import TreeClassifier
from .column_binning import Binning, binning
from .comparison import Comparison, compare
from .density import DensityTree
from .editing import EditSession, edit
from .files import load, verify
from .forest_classifier import ForestClassifier
from .forest_regressor import ForestRegressor
from .growing import run_of
from .memory import record_of, remember
from .regressor import TreeRegressor
from .teacher import Teacher

__all__ = [
    "Binning",
    "BoostedTreeClassifier",
    "Comparison",
    "DensityTree",
    "EditSession",
    "ForestClassifier",
    "ForestRegressor",
    "Teacher",
    "TreeClassifier",
    "TreeRegressor",
    "binning",
    "compare",
    "edit",
    "load",
    "record_of",
    "remember",
    "run_of",
    "verify",
]
