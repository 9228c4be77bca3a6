"""Trees on Dask clusters: from rows on many workers, the model of a local fit, byte for byte.

The estimators of this package have the parameters, the fitted attributes and the model files of
those of ``polytomy``. ``fit`` takes Dask DataFrames, Dask Arrays and lists of delayed tables; their
rows are encoded where they are and stay there. ``predict`` of a Dask collection is lazy.

>>> from polytomy.dask import TreeClassifier
>>> TreeClassifier(max_leaves=8).max_leaves
8
"""

from polytomy._errors import MissingPackageError

try:
    import distributed as _distributed  # noqa: F401
except ModuleNotFoundError as error:
    raise MissingPackageError(
        "polytomy.dask needs Dask; install it with: pip install 'polytomy[dask]'"
    ) from error

from .cluster import ClusterError
from .estimators import BoostedTreeClassifier, ForestClassifier, TreeClassifier, TreeRegressor

__all__ = [
    "BoostedTreeClassifier",
    "ClusterError",
    "ForestClassifier",
    "TreeClassifier",
    "TreeRegressor",
]
