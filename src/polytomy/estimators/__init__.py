"""The scikit-learn estimators, model files and the verifier.

A folder imports only from those below it:

- *editing*: editing a tree by hand; *ensembles*: boosted trees and forests.
- *trees* and *density*: the estimators with one tree; *column_binning*: the best bins of columns.
- *fitting*: how a tree is fitted; *reading*: what can be read of any fitted model.
- *base*: input, rows, weights, threads, parameters, fitted state and model files.
"""

from .base.files import load, record_of, remember, verify
from .column_binning import Binning, binning
from .density.density_tree import DensityTree
from .editing.session import EditSession, edit
from .ensembles.boosted import BoostedTreeClassifier
from .ensembles.forests import ForestClassifier, ForestRegressor
from .fitting.records import run_of
from .fitting.teacher import Teacher
from .reading.comparison import Comparison, compare
from .trees.classifier import TreeClassifier
from .trees.regressor import TreeRegressor

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
