"""Decision trees whose nodes branch as many ways as the data deserve."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from polytomy._errors import (
    FamilyError,
    IndexFunctionError,
    ParameterError,
    PolytomyError,
    TableError,
    TargetError,
    TreeError,
)

if TYPE_CHECKING:
    from polytomy.estimators import TreeClassifier

__version__ = "0.1.0"

_LAZY = {"TreeClassifier": "polytomy.estimators"}  # scikit-learn is imported when first needed


def __getattr__(name: str) -> Any:
    """Import public names when they are first asked for."""
    if name not in _LAZY:
        raise AttributeError(f"module 'polytomy' has no attribute {name!r}")
    value = getattr(import_module(_LAZY[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


__all__ = [
    "FamilyError",
    "IndexFunctionError",
    "ParameterError",
    "PolytomyError",
    "TableError",
    "TargetError",
    "TreeClassifier",
    "TreeError",
    "__version__",
]
