"""Data files as tables: CSV, TSV, Parquet, Arrow and Feather.

``read_table`` reads any of them into a ``polytomy.table.Table``. ``read_training_data`` also takes
labels and weights from the table, and ``read_for_model`` reads the columns of a fitted model with
the types they had in training.
"""

from polytomy._errors import DataFileError

from .for_model import (
    TargetNotFoundError,
    check_known_classes,
    read_for_model,
    read_labelled_for_model,
    read_parts_for_model,
)
from .identifiers import IdentifierColumn
from .labelled import LabelledTable, MissingLabelsError, NotClassesError, Task
from .reader import STDIN, display_name, read_bytes, read_table
from .scanning import Scan, as_scan, names_many, scan, scan_table
from .tasks import TASK_RULE, TimeTargetError
from .training import (
    ColumnRoles,
    Pieces,
    read_training_data,
    read_unlabelled_data,
)

__all__ = [
    "STDIN",
    "TASK_RULE",
    "ColumnRoles",
    "DataFileError",
    "IdentifierColumn",
    "LabelledTable",
    "MissingLabelsError",
    "NotClassesError",
    "Pieces",
    "Scan",
    "TargetNotFoundError",
    "Task",
    "TimeTargetError",
    "as_scan",
    "check_known_classes",
    "display_name",
    "names_many",
    "read_bytes",
    "read_for_model",
    "read_labelled_for_model",
    "read_parts_for_model",
    "read_table",
    "read_training_data",
    "read_unlabelled_data",
    "scan",
    "scan_table",
]
