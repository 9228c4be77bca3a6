"""Data files as tables: CSV, TSV, Parquet, Arrow and Feather.

``read`` reads any of them into a data frame, and ``read_table`` into a ``polytomy.table.Table``.
``read_training_data`` also takes labels and weights from the table, and ``read_for_model`` reads
the columns of a fitted model with the types they had in training.

In reading order: ``reader`` (formats of files), ``compression``, ``encodings``, ``csv_reader`` and
``arrow_reader``, ``kinds`` (types of cells), ``formats`` and ``reading`` (numbers and dates in
text), ``data_files``, ``scanned_files`` and ``scanning`` (files in pieces), ``file_parts`` (files
that other processes read), ``training`` and ``for_model`` (roles of columns), ``record``.
"""

from polytomy._errors import DataFileError

from .data_frames import read
from .file_parts import PartedFiles
from .for_model import (
    NewDataWarning,
    TargetNotFoundError,
    check_known_classes,
    differing_formats,
    read_for_model,
    read_labelled_for_model,
    read_parts_for_model,
    read_weighted_for_model,
)
from .identifiers import DoubtfulColumnWarning, IdentifierColumn, warn_of_doubtful_columns
from .labelled import LabelledTable, MissingLabelsError, NotClassesError, Task, column_cells
from .reader import STDIN, display_name, read_bytes, read_table
from .reading import Note, Reading, ReadingOptions, ReadingWarning, format_named
from .record import TrainingRecord, fingerprint_of, fingerprint_of_table
from .scanning import Scan, as_scan, names_many, scan, scan_table
from .tasks import MAX_CODES, TASK_RULE, TimeTargetError, task_of
from .training import (
    ColumnRoles,
    Pieces,
    read_training_data,
    read_unlabelled_data,
)

__all__ = [
    "MAX_CODES",
    "STDIN",
    "TASK_RULE",
    "ColumnRoles",
    "DataFileError",
    "DoubtfulColumnWarning",
    "IdentifierColumn",
    "LabelledTable",
    "MissingLabelsError",
    "NewDataWarning",
    "NotClassesError",
    "Note",
    "PartedFiles",
    "Pieces",
    "Reading",
    "ReadingOptions",
    "ReadingWarning",
    "Scan",
    "TargetNotFoundError",
    "Task",
    "TimeTargetError",
    "TrainingRecord",
    "as_scan",
    "check_known_classes",
    "column_cells",
    "differing_formats",
    "display_name",
    "fingerprint_of",
    "fingerprint_of_table",
    "format_named",
    "names_many",
    "read",
    "read_bytes",
    "read_for_model",
    "read_labelled_for_model",
    "read_parts_for_model",
    "read_table",
    "read_training_data",
    "read_unlabelled_data",
    "read_weighted_for_model",
    "scan",
    "scan_table",
    "task_of",
    "warn_of_doubtful_columns",
]
