"""Decision trees with as many branches per node as the data justify."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from polytomy._cancellation import Cancellation
from polytomy._errors import (
    Cancelled,
    CheckpointError,
    FamilyError,
    IndexFunctionError,
    MissingPackageError,
    ModelFormatError,
    ParameterError,
    PolytomyError,
    TableError,
    TargetError,
    TreeError,
)

if TYPE_CHECKING:
    from polytomy import evaluate, io, prune, reference, sql, theory
    from polytomy.boost import Checkpoint, EarlyStopping
    from polytomy.estimators import (
        Binning,
        BoostedTreeClassifier,
        DensityTree,
        ForestClassifier,
        ForestRegressor,
        Teacher,
        TreeClassifier,
        TreeRegressor,
        binning,
        compare,
        edit,
        load,
        verify,
    )
    from polytomy.io import read, scan

__version__ = "0.1.0"

# The module of each public name, imported when the name is first used, because scikit-learn takes a
# while to import. None stands for a module of that name.
_LAZY = {
    "Binning": "polytomy.estimators",
    "BoostedTreeClassifier": "polytomy.estimators",
    "Checkpoint": "polytomy.boost",
    "DensityTree": "polytomy.estimators",
    "EarlyStopping": "polytomy.boost",
    "ForestClassifier": "polytomy.estimators",
    "ForestRegressor": "polytomy.estimators",
    "Teacher": "polytomy.estimators",
    "TreeClassifier": "polytomy.estimators",
    "TreeRegressor": "polytomy.estimators",
    "binning": "polytomy.estimators",
    "compare": "polytomy.estimators",
    "edit": "polytomy.estimators",
    "evaluate": None,
    "io": None,
    "load": "polytomy.estimators",
    "prune": None,
    "read": "polytomy.io",
    "reference": None,
    "scan": "polytomy.io",
    "sql": None,
    "theory": None,
    "verify": "polytomy.estimators",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name not in _LAZY:
        raise AttributeError(f"module 'polytomy' has no attribute {name!r}")
    home = _LAZY[name]
    module = import_module(home or f"polytomy.{name}")
    value = getattr(module, name) if home else module
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


__all__ = [
    "Binning",
    "BoostedTreeClassifier",
    "Cancellation",
    "Cancelled",
    "Checkpoint",
    "CheckpointError",
    "DensityTree",
    "EarlyStopping",
    "FamilyError",
    "ForestClassifier",
    "ForestRegressor",
    "IndexFunctionError",
    "MissingPackageError",
    "ModelFormatError",
    "ParameterError",
    "PolytomyError",
    "TableError",
    "TargetError",
    "Teacher",
    "TreeClassifier",
    "TreeError",
    "TreeRegressor",
    "__version__",
    "binning",
    "compare",
    "edit",
    "evaluate",
    "io",
    "load",
    "prune",
    "read",
    "reference",
    "scan",
    "sql",
    "theory",
    "verify",
]
