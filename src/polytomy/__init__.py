"""Decision trees whose nodes branch as many ways as the data deserve."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from polytomy._errors import (
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
    from polytomy import prune, theory
    from polytomy.estimators import BoostedTreeClassifier, TreeClassifier, load, verify

__version__ = "0.1.0"

# By name, where it lives; scikit-learn is imported when first needed. None: a module of its own.
_LAZY = {
    "BoostedTreeClassifier": "polytomy.estimators",
    "TreeClassifier": "polytomy.estimators",
    "load": "polytomy.estimators",
    "prune": None,
    "theory": None,
    "verify": "polytomy.estimators",
}


def __getattr__(name: str) -> Any:
    """Import public names when they are first asked for."""
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
    "BoostedTreeClassifier",
    "CheckpointError",
    "FamilyError",
    "IndexFunctionError",
    "MissingPackageError",
    "ModelFormatError",
    "ParameterError",
    "PolytomyError",
    "TableError",
    "TargetError",
    "TreeClassifier",
    "TreeError",
    "__version__",
    "load",
    "prune",
    "theory",
    "verify",
]
