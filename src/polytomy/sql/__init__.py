"""Trees on tables in a database, whose rows stay there: DuckDB, and others through Ibis."""

from .fitting import fit

__all__ = ["fit"]
