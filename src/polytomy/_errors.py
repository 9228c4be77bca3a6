"""Exceptions. Those about the input are ValueErrors that say what is wrong and how to fix it."""


class PolytomyError(ValueError):
    """Base class of all errors that the library raises about its input.

    Attributes
    ----------
    partition : int or None
        The number of the partition on a cluster that the error is about, from 0 on; else None.
    """

    partition: int | None = None


class ParameterError(PolytomyError):
    """Raised for an invalid parameter, or an invalid combination of parameters."""


class TableError(PolytomyError):
    """Raised for a table whose shape, column types or column names cannot be used."""


class DataFileError(PolytomyError):
    """Raised for a data file that cannot be read, or a column that cannot be used as requested."""


class TargetError(PolytomyError):
    """Raised for labels or weights that cannot be used."""


class IndexFunctionError(PolytomyError):
    """Raised if a user's callable is not an index function; the message has a counterexample."""


class FamilyError(PolytomyError):
    """Raised if a user's branching family or split violates its contract."""


class TreeError(PolytomyError):
    """Raised for a tree or an ensemble that violates one of its invariants."""


class CheckpointError(PolytomyError):
    """Raised for a checkpoint that cannot be written or read, or that belongs to another run."""


class MissingPackageError(PolytomyError, ImportError):
    """Raised if a feature needs an optional package that is not installed."""


class ModelFormatError(PolytomyError):
    """Raised for a model file that cannot be read, and for a model that cannot be saved."""


class Cancelled(BaseException):
    """Raised by a call that a ``Cancellation`` has ended.

    Like ``KeyboardInterrupt``, it is not an ``Exception``, so that code which goes on after errors,
    such as a grid search with ``error_score``, does not go on after it.
    """
