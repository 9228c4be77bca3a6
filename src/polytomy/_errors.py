"""Exceptions. Each is a ValueError whose text says what is wrong and what to do next."""


class PolytomyError(ValueError):
    """Base of every error this library raises about its input."""


class ParameterError(PolytomyError):
    """A parameter has a value, or a combination of values, that means nothing."""


class TableError(PolytomyError):
    """A table has a shape, a type or columns that cannot be used."""


class DataFileError(PolytomyError):
    """A data file cannot be read, or one of its columns cannot be used as requested."""


class TargetError(PolytomyError):
    """Labels or weights that cannot be used."""


class IndexFunctionError(PolytomyError):
    """A user's callable is not an index function."""


class FamilyError(PolytomyError):
    """A user's branching family broke its contract."""


class TreeError(PolytomyError):
    """A tree breaks one of its invariants."""


class CheckpointError(PolytomyError):
    """A checkpoint cannot be written, cannot be read, or is that of another run."""


class MissingPackageError(PolytomyError, ImportError):
    """An optional package that is needed here is not installed."""


class ModelFormatError(PolytomyError):
    """A file is no model file that can be read, or a model is none that can be written."""
