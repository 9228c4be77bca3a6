"""Decision trees whose nodes branch as many ways as the data deserve."""

from polytomy._errors import (
    FamilyError,
    IndexFunctionError,
    ParameterError,
    PolytomyError,
    TableError,
    TargetError,
    TreeError,
)

__version__ = "0.1.0"

__all__ = [
    "FamilyError",
    "IndexFunctionError",
    "ParameterError",
    "PolytomyError",
    "TableError",
    "TargetError",
    "TreeError",
    "__version__",
]
